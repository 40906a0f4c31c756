// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/ServerDisplay.h"

#include "ui/AppContext.h"
#include "ui/detail/DetailPane.h"
#include "ui/shell/CentralArea.h"
#include "ui/shell/PageStack.h"
#include "ui/shell/ServerNotices.h"
#include "ui/shell/ShownServer.h"
#include "ui/shell/StatusLine.h"
#include "ui/shell/TopBar.h"

namespace lockscope::ui {

using namespace std::chrono_literals;

ServerDisplay::ServerDisplay(const Parts& parts, QObject* parent)
    : QObject(parent)
    , m_parts(parts)
{
    connect(&m_parts.shown, &ShownServer::changed, this, &ServerDisplay::showServer);
    connect(&m_parts.shown, &ShownServer::snapshotChanged, this, &ServerDisplay::showSnapshot);
    connect(&m_parts.shown, &ShownServer::healthChanged, this, &ServerDisplay::showHealth);
    connect(&m_parts.centre.pages(), &PageStack::pageShown, this, &ServerDisplay::showPage);
    m_ageTimer.setInterval(500ms);
    connect(&m_ageTimer, &QTimer::timeout, this, [this] {
        showClock();
        if (m_parts.shown.session() && m_parts.shown.session()->isOld())
            showHealth();
    });
    m_ageTimer.start();
    showServer();
}

void ServerDisplay::showServer()
{
    const ServerSession* session = m_parts.shown.session();
    m_parts.centre.pages().empty();
    m_parts.detail.showSnapshot(nullptr);
    m_parts.statusLine.clearServer();
    m_parts.centre.notices().clear();
    m_parts.topBar.setEnabledForServer(session != nullptr);
    if (session)
        m_parts.topBar.setInterval(session->monitor().interval());
    if (m_parts.shown.snapshot())
        showSnapshot();
    setDetailShown(m_parts.topBar.isDetailShown());
    showHealth();
}

void ServerDisplay::showSnapshot()
{
    const SnapshotPtr snapshot = m_parts.shown.snapshot();
    const monitor::ServerMonitor& monitor = m_parts.shown.session()->monitor();
    m_parts.context.noteSnapshot(*snapshot);
    m_parts.statusLine.showCost(snapshot->cost, monitor.effectiveInterval(), monitor.interval());
    m_parts.statusLine.showRights(snapshot->limitations);
    showHealth();
    fillPage();
    m_parts.detail.noteSnapshot(*snapshot);
    if (m_parts.detail.isVisible())
        m_parts.detail.showSnapshot(snapshot);
    showClock();
    Q_EMIT snapshotShown();
}

void ServerDisplay::fillPage()
{
    const SnapshotPtr snapshot = m_parts.shown.snapshot();
    if (!snapshot)
        return;
    Page& page = m_parts.centre.pages().current();
    page.showSnapshot(snapshot);
    m_parts.statusLine.showCount(page.countText());
    m_parts.centre.notices().showLimitations(*snapshot, page, m_parts.context.reasonAgainstActing());
}

void ServerDisplay::showHealth()
{
    const ServerSession* session = m_parts.shown.session();
    if (session) {
        const monitor::ServerMonitor& monitor = session->monitor();
        m_parts.context.setClockStopped(session->isOld());
        m_parts.topBar.setPaused(monitor.isPaused());
        m_parts.topBar.showServer(
            session->profile().display(), healthWord(monitor.health()), healthLevel(monitor.health()));
    }
    m_parts.centre.showHealth(session);
    showClock();
}

void ServerDisplay::showClock()
{
    if (!m_parts.shown.snapshot())
        return;
    const monitor::Health health = m_parts.shown.session()->monitor().health();
    const QString time = m_parts.context.serverNow().toIsoString().mid(11, 8);
    m_parts.topBar.showClock(healthWord(health).toUpper(), healthLevel(health), time);
}

void ServerDisplay::showPage()
{
    const Page& page = m_parts.centre.pages().current();
    m_parts.topBar.setReasonAgainstFilter(page.reasonAgainstFilter());
    m_parts.statusLine.showCount(page.countText());
    setDetailShown(m_parts.topBar.isDetailShown());
    fillPage();
    showHealth();
}

void ServerDisplay::setDetailShown(bool shown)
{
    m_parts.topBar.setDetailShown(shown);
    m_parts.detail.setVisible(
        shown && m_parts.shown.session() && m_parts.centre.pages().current().hasDetail());
    if (m_parts.detail.isVisible())
        m_parts.detail.showSnapshot(m_parts.shown.snapshot());
}

} // namespace lockscope::ui
