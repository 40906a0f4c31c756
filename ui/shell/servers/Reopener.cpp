// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/Reopener.h"

#include <QEvent>
#include <QWidget>

#include <utility>

namespace lockscope::ui {

using namespace std::chrono_literals;

namespace {

constexpr auto pauseBetween = 15ms; // a hundred servers within two seconds
constexpr auto latestStart = 1s; // a window that is minimized is not painted

} // namespace

Reopener::Reopener(QWidget& window)
    : QObject(&window)
    , m_window(window)
{
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &Reopener::openNext);
}

void Reopener::start(const QList<db::ServerProfile>& profiles)
{
    m_rest = profiles;
    m_isFirst = true;
    if (m_rest.isEmpty())
        return;
    m_window.installEventFilter(this);
    m_next.start(latestStart);
}

bool Reopener::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint) {
        m_window.removeEventFilter(this);
        m_next.start(0ms);
    }
    return QObject::eventFilter(watched, event);
}

void Reopener::openNext()
{
    m_window.removeEventFilter(this);
    if (m_rest.isEmpty())
        return;
    const bool isOnView = std::exchange(m_isFirst, false);
    const db::ServerProfile profile = isOnView ? m_rest.takeLast() : m_rest.takeFirst();
    if (!m_rest.isEmpty())
        m_next.start(pauseBetween);
    Q_EMIT due(profile, isOnView);
}

} // namespace lockscope::ui
