// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/DeadlockSource.h"

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

void DeadlockCounter::take(const QList<Value>& values)
{
    for (const Value& value : values) {
        const auto last = m_last.constFind(value.key);
        if (last == m_last.cend()) {
            if (m_isKnown)
                m_counted += value.total;
        } else if (value.total < last->total || value.resetAt != last->resetAt) {
            m_counted += value.total;
            m_resets[value.key] = value.resetAt && value.resetAt != last->resetAt
                ? u"The counter of %1 was reset at %2: there may have been more than were counted."_s.arg(
                    value.name, value.resetAt->toIsoString())
                : u"The counter of %1 fell back, by a reset or a recovery: there may have been more than were counted."_s
                      .arg(value.name);
        } else {
            m_counted += value.total - last->total;
        }
        m_last[value.key] = value;
    }
    m_isKnown = true;
}

QStringList DeadlockCounter::resets() const
{
    QStringList all = m_resets.values();
    all.sort();
    return all;
}

} // namespace lockscope::deadlock
