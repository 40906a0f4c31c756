// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/SeriesSlots.h"

namespace lockscope::ui {

namespace {
// Names come and go for as long as the program runs.
constexpr qsizetype maxRemembered = 1'000;
} // namespace

SeriesSlots::SeriesSlots(int count)
    : m_names(count)
{
}

const QStringList& SeriesSlots::place(const QStringList& names)
{
    for (QString& name : m_names) {
        if (!names.contains(name))
            name.clear();
    }
    QStringList others;
    for (const QString& name : names) {
        if (m_names.contains(name))
            continue;
        const int former = m_former.value(name, -1);
        if (former >= 0 && m_names[former].isEmpty())
            m_names[former] = name;
        else
            others << name;
    }
    for (const QString& name : others) {
        const qsizetype free = m_names.indexOf(QString());
        if (free < 0)
            break;
        m_names[free] = name;
    }
    if (m_former.size() > maxRemembered)
        m_former.clear();
    for (int i = 0; i < m_names.size(); ++i) {
        if (!m_names[i].isEmpty())
            m_former.insert(m_names[i], i);
    }
    return m_names;
}

void SeriesSlots::clear()
{
    m_names.fill(QString());
    m_former.clear();
}

} // namespace lockscope::ui
