// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/ServerDisplay.h"

#include "core/base/ServerTime.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/ServerNotices.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/shell/window/TopBar.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/page/AppContext.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QMouseEvent>

#include <utility>
#include <variant>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// Says why nothing can be done on a server that does not answer; empty where one can try.
QString unreachableText(const monitor::ServerMonitor& monitor)
{
    const auto error = monitor.lastError();
    const bool isLost = monitor.health() == monitor::Health::Silent
        || (monitor.health() == monitor::Health::Failed && error
            && (error->kind == ErrorKind::Connection || error->kind == ErrorKind::Login));
    const SnapshotPtr last = monitor.snapshot();
    return isLost && last
        ? u"The server has not answered since %1: nothing can be done there until it does."_s.arg(
            clockText(last->takenAt))
        : QString();
}

} // namespace

ServerDisplay::ServerDisplay(const Parts& parts, QObject* parent)
    : QObject(parent)
    , m_parts(parts)
{
    connect(&m_parts.shown, &ShownServer::changed, this, &ServerDisplay::showServer);
    connect(&m_parts.shown, &ShownServer::snapshotChanged, this, &ServerDisplay::showSnapshot);
    connect(&m_parts.shown, &ShownServer::healthChanged, this, [this] {
        if (!m_parts.shown.snapshot() && std::exchange(m_isFilled, false)) {
            m_parts.centre.pages().empty(); // back from a past time to a server that can't be read
            m_missed.clear();
            showDetail();
        }
        showHealth();
    });
    connect(&m_parts.shown, &ShownServer::polled, this,
        [this] { m_parts.detail.noteSnapshot(*m_parts.shown.session()->monitor().snapshot()); });
    const auto observeViews = [this](const Page* page) {
        for (QAbstractItemView* view : page->findChildren<QAbstractItemView*>()) {
            view->setMouseTracking(true);
            view->viewport()->installEventFilter(this);
        }
    };
    for (const Page* page : m_parts.centre.pages().made())
        observeViews(page);
    connect(&m_parts.centre.pages(), &PageStack::pageMade, this, observeViews);
    connect(&m_parts.centre.pages(), &PageStack::pageShown, this, &ServerDisplay::showPage);
    connect(&m_parts.centre.pages(), &PageStack::subjectChanged, this, &ServerDisplay::showDetail);
    m_fillSoon.setSingleShot(true);
    m_fillSoon.setInterval(100ms);
    connect(&m_fillSoon, &QTimer::timeout, this, [this] { areRowsHeld() ? m_fillSoon.start() : fillPage(); });
    callEvery(500ms, *this, [this] {
        showClock();
        if (m_parts.shown.isLive() && m_parts.shown.session()->isOld())
            showHealth();
    });
    showServer();
    showPage();
}

void ServerDisplay::showServer()
{
    const ServerSession* session = m_parts.shown.session();
    m_parts.topBar.showMark(
        session ? session->profile() : db::ServerProfile(), session && session->recording());
    m_missed.clear();
    m_parts.centre.pages().empty();
    m_isFilled = false;
    m_parts.detail.showSnapshot(nullptr);
    m_parts.statusLine.clearServer();
    m_parts.centre.notices().clear();
    m_parts.topBar.setEnabledForServer(session != nullptr);
    if (session)
        m_parts.topBar.setInterval(session->monitor().interval());
    if (const SnapshotPtr snapshot = m_parts.shown.snapshot()) {
        if (m_parts.shown.isLive())
            m_parts.detail.noteSnapshot(*snapshot);
        showSnapshot();
    }
    showDetail();
    showHealth();
}

void ServerDisplay::showSnapshot()
{
    const SnapshotPtr snapshot = m_parts.shown.snapshot();
    const ServerSession& session = *m_parts.shown.session();
    const monitor::ServerMonitor& monitor = session.monitor();
    if (m_parts.shown.isLive()) {
        // For a server that is shown again it is older than for one that has just answered.
        m_parts.context.setClockStopped(session.isOld());
        m_parts.context.noteSnapshot(*snapshot, session.isOld() ? milliseconds(0) : session.dataAge());
        m_parts.statusLine.showCost(snapshot->cost, monitor.effectiveInterval(), monitor.interval());
    } else {
        m_parts.statusLine.showCost(snapshot->cost, monitor.interval(), monitor.interval());
    }
    m_parts.statusLine.showRights(snapshot->limitations,
        m_parts.shown.isLive() ? monitor::frameworkReadingOf(m_parts.context.profile().url, *snapshot)
                               : monitor::FrameworkReading());
    showHealth();
    if (std::exchange(m_isFilled, true) && m_parts.shown.isLive() && areRowsHeld())
        m_fillSoon.start();
    else
        fillPage();
    if (m_parts.detail.isVisible())
        m_parts.detail.showSnapshot(snapshot);
    showClock();
    Q_EMIT snapshotShown();
}

bool ServerDisplay::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseMove)
        m_sincePointer.start();
    return QObject::eventFilter(watched, event);
}

/// True while the pointer moves over rows or a menu is open: what is about to be clicked stays in place, and
/// the rows of the poll before stay on view.
bool ServerDisplay::areRowsHeld() const
{
    constexpr qint64 restsAfter = 700;
    return QApplication::activePopupWidget()
        || (m_sincePointer.isValid() && m_sincePointer.elapsed() < restsAfter);
}

void ServerDisplay::fillPage()
{
    m_fillSoon.stop();
    const SnapshotPtr snapshot = m_parts.shown.snapshot();
    if (!snapshot)
        return;
    Page& page = m_parts.centre.pages().current();
    const DetailSubject before = m_parts.centre.pages().subject();
    page.showSnapshot(snapshot);
    findAgain(page, before);
    m_parts.statusLine.showCount(page.countText());
    m_parts.centre.notices().showLimitations(*snapshot, page, m_parts.context);
    if (m_parts.shown.isLive())
        m_parts.centre.notices().showSince(*snapshot);
}

/// A row that was selected need not be there at the time before or after: it is selected again as soon as it
/// is, unless something else was selected meanwhile.
void ServerDisplay::findAgain(Page& page, const DetailSubject& before)
{
    const auto isNothing = [](const DetailSubject& subject) {
        return std::holds_alternative<std::monostate>(subject);
    };
    const bool isSelected = !isNothing(m_parts.centre.pages().subject());
    if (isSelected)
        m_missed.remove(&page);
    else if (!isNothing(before) && !m_parts.shown.isLive())
        m_missed.insert(&page, before);
    else if (const auto missed = m_missed.constFind(&page); missed != m_missed.cend() && page.reveal(*missed))
        m_missed.erase(missed);
    if (m_parts.shown.isLive())
        m_missed.remove(&page);
}

void ServerDisplay::showHealth()
{
    const ServerSession* session = m_parts.shown.session();
    m_parts.topBar.setReasonAgainstPolling(
        m_parts.context.pastTime() ? u"A past time is on view. Polling goes on."_s : QString());
    if (session && session->recording()) {
        m_parts.topBar.setReasonAgainstPolling(u"A recording is not polled."_s);
        m_parts.topBar.showServer(session->profile().display(), u"Recording"_s,
            session->recording()->error ? AgeLevel::Red : AgeLevel::Amber);
    } else if (session) {
        const monitor::ServerMonitor& monitor = session->monitor();
        if (m_parts.shown.isLive())
            m_parts.context.setClockStopped(session->isOld());
        m_parts.context.setUnreachable(m_parts.shown.isLive() ? unreachableText(monitor) : QString());
        m_parts.topBar.setPaused(monitor.isPaused());
        m_parts.topBar.showServer(
            session->profile().display(), healthWord(monitor.health()), healthLevel(monitor.health()));
    }
    m_parts.centre.showHealth(m_parts.shown);
    showClock();
}

void ServerDisplay::showClock()
{
    const ServerSession* session = m_parts.shown.session();
    if (!session)
        return;
    const auto now = [this] { return clockText(m_parts.context.serverNow()); };
    if (!m_parts.shown.isLive() || session->recording()) {
        m_parts.topBar.showClock(u"PAST"_s, AgeLevel::Red, m_parts.shown.snapshot() ? now() : QString());
        return;
    }
    const monitor::Health health = session->monitor().health();
    // A server without an answer yet has no time, least of all that of another one.
    m_parts.topBar.showClock(
        healthWord(health).toUpper(), healthLevel(health), session->monitor().snapshot() ? now() : QString());
}

void ServerDisplay::showPage()
{
    const Page& page = m_parts.centre.pages().current();
    m_parts.topBar.setReasonAgainstFilter(page.reasonAgainstFilter());
    m_parts.statusLine.showCount(page.countText());
    fillPage();
    showDetail();
    showHealth();
}

void ServerDisplay::setDetailShown(bool shown)
{
    m_parts.topBar.setDetailShown(shown);
    showDetail();
    const bool nothing = std::holds_alternative<std::monostate>(m_parts.centre.pages().subject());
    if (shown && nothing && m_parts.shown.session() && m_parts.centre.pages().current().hasDetail())
        m_parts.statusLine.say(u"Select a row: its detail opens on the right."_s);
}

void ServerDisplay::showDetail()
{
    const PageStack& pages = m_parts.centre.pages();
    const DetailSubject& subject = pages.subject();
    const bool nothing = std::holds_alternative<std::monostate>(subject);
    m_parts.detail.setSubject(subject);
    if (!nothing && m_parts.shown.session())
        m_parts.detail.showSnapshot(m_parts.shown.snapshot());
    m_parts.detail.setVisible(
        m_parts.topBar.isDetailShown() && m_parts.shown.session() && !nothing && pages.current().hasDetail());
}

} // namespace lockscope::ui
