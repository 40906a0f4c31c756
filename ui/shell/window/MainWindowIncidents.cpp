// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/record/Recording.h"
#include "core/watch/AlertTables.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/IncidentWatch.h"
#include "core/watch/ObservationParts.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/notify/DesktopNotifier.h"
#include "ui/shell/servers/FleetLanes.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/shell/timetravel/TimeTravel.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/SideBar.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/fleet/FleetPage.h"
#include "ui/views/incidents/IncidentBook.h"
#include "ui/views/incidents/IncidentView.h"
#include "ui/views/incidents/IncidentsPage.h"

#include <QInputDialog>
#include <QSystemTrayIcon>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

// The page Incidents and its badge: a part of MainWindow.

/// Its incidents are those of all servers that are open, whichever is on view.
void MainWindow::addIncidentsPage()
{
    m_incidentWatch = new watch::IncidentWatch({}, this);
    m_incidents = new IncidentBook({}, {}, this);
    m_incidentsPlace =
        addPage(IncidentsPage::pageName, u"incidents"_s, [this] { return makeIncidentsPage(); });
    connect(m_servers, &Servers::opened, this, [this](ServerSession* session) {
        m_openedAt.insert(session, ownClock());
        if (!session->recording())
            m_incidentWatch->add(session);
    });
    connect(m_servers, &Servers::aboutToClose, this,
        [this](const ServerSession* session) { m_openedAt.remove(session); });
    connect(m_incidents, &IncidentBook::changed, this, [this] {
        showIncidentBadge();
        showIncidentsOnTimeBar();
    });
    connect(m_shown, &ShownServer::changed, this, &MainWindow::showIncidentsOnTimeBar);
    connect(m_acts, &ActRunner::acted, this, &MainWindow::noteIncidentAct);
    notifyOfIncidents();
    addTray();
}

Page* MainWindow::makeIncidentsPage()
{
    auto* const page = new IncidentsPage(m_context, *m_incidents, this);
    page->setWatched([this] { return watchedServers(); });
    TimeTravel& travel = m_shown->travel();
    const auto showRecording = [&travel, page] {
        page->setRecording(travel.source().isFile ? travel.client() : nullptr);
    };
    const auto showError = [this, page] {
        const auto error = m_incidentWatch->error();
        page->setWatchError(error && error->kind != ErrorKind::BadInput
                ? error
                : std::nullopt); // the page reads the rules itself
    };
    const auto showPending = [this, page] { page->setPending(m_incidentWatch->pending()); };
    connect(page, &IncidentsPage::timeTravelRequested, &travel, &TimeTravel::goTo);
    connect(&travel, &TimeTravel::sourceChanged, page, showRecording);
    connect(m_incidentWatch, &watch::IncidentWatch::errorChanged, page, showError);
    connect(m_incidentWatch, &watch::IncidentWatch::pendingChanged, page, showPending);
    showRecording();
    showError();
    showPending();
    return page;
}

/// The desktop shows it, too. Its buttons lead here.
void MainWindow::notifyOfIncidents()
{
    auto* const notifier = m_notifier = new DesktopNotifier({}, this);
    notifier->setSounds(m_preferences.alertSound);
    connect(m_incidentWatch, &watch::IncidentWatch::notified, notifier, &DesktopNotifier::show);
    // Muted or acknowledged, it asks for nobody any more.
    connect(m_incidents, &IncidentBook::changed, notifier, [this, notifier] {
        const IncidentListPtr& list = m_incidents->list();
        for (const alert::Incident& each : list ? list->incidents.all : QList<alert::Incident>())
            if (!watch::needsSomebody(each, list->mutes))
                notifier->close(each.id);
    });
    connect(notifier, &DesktopNotifier::showRequested, this, [this](qint64 incident) {
        showPage(IncidentsPage::pageName.id);
        static_cast<IncidentsPage*>(currentPage())->revealIncident(incident);
        raiseWindow();
    });
    connect(notifier, &DesktopNotifier::muteRequested, this, [this](qint64 incident) {
        const IncidentListPtr& list = m_incidents->list();
        const auto found = list ? std::ranges::find(list->incidents.all, incident, &alert::Incident::id)
                                : QList<alert::Incident>::const_iterator();
        if (!list || found == list->incidents.all.end())
            return;
        alert::Mute mute = alert::mutesFor(*found).first(); // of its cause
        mute.until = ownClock() + std::chrono::hours(1);
        mute.why = u"by the desktop's notification"_s;
        m_incidents->mute(mute);
    });
}

void MainWindow::raiseWindow()
{
    if (m_tray)
        return m_tray->showWindow();
    setWindowState(windowState() & ~Qt::WindowMinimized);
    raise();
    activateWindow();
}

/// Qt asks the session's bus for a tray and waits for the answer: not before that answers.
void MainWindow::addTray()
{
    if (m_options.hasTray.value_or(false))
        addTrayIcon();
    if (m_options.hasTray)
        return;
    connect(m_notifier, &DesktopNotifier::busAnswered, this, [this] {
        if (QSystemTrayIcon::isSystemTrayAvailable())
            addTrayIcon();
    });
}

void MainWindow::addTrayIcon()
{
    m_tray = new TrayIcon(*this);
    m_tray->setKeepsWindow(m_preferences.keepInTray);
    connect(m_tray, &TrayIcon::muteRequested, this, &MainWindow::askToMuteAll);
    if (m_incidents->list() || m_incidents->error())
        showIncidentBadge();
}

/// Mutes each server that is watched, whatever happens there.
void MainWindow::askToMuteAll()
{
    raiseWindow();
    auto* question = deletedOnClose(named("muteAll", new QInputDialog(this)));
    question->setWindowTitle(u"Mute all for 1 h"_s);
    question->setLabelText(
        u"Incidents of the servers that are watched are found and listed, but for 1 h nothing is sent. Why?"_s);
    question->setTextValue(u"by the tray's menu"_s);
    question->setOkButtonText(u"&Mute"_s);
    connect(question, &QInputDialog::textValueSelected, this, [this](const QString& why) {
        for (int row = 0; row < m_servers->count(); ++row) {
            const ServerSession* session = m_servers->session(row);
            if (!session || session->recording())
                continue;
            alert::Mute mute;
            mute.of = alert::Mute::Of::Server;
            mute.value = mute.shown = watch::causeServer(session->place());
            mute.until = ownClock() + std::chrono::hours(1);
            mute.why = why.trimmed().isEmpty() ? u"by the tray's menu"_s : why.trimmed();
            m_incidents->mute(mute);
        }
    });
    question->open();
}

/// Notes an act from any page: a person who has the same incident later reads what helped.
void MainWindow::noteIncidentAct(
    const db::ServerProfile& server, const QString& what, qint64 auditId, const QList<Session>& sessions)
{
    const IncidentListPtr& list = m_incidents->list();
    const int row = m_servers->rowOf(server);
    const QString place = row >= 0 ? m_lanes->place(row)
        : server.url.isFile()      ? QString()
                                   : record::serverPlace(server.url);
    for (const alert::Incident& each : list ? list->incidents.all : QList<alert::Incident>()) {
        const SessionKey head{each.head.session, each.head.started};
        const bool isMeant =
            std::ranges::any_of(sessions, [&head](const Session& session) { return session.key() == head; });
        if (each.isFiring() && isMeant && isOfServer(each, place))
            m_incidents->noteAct(each.id,
                sentences({what,
                    auditId > 0 ? u"By %1, audit %2"_s.arg(watch::ownAccountText()).arg(auditId)
                                : u"By %1"_s.arg(watch::ownAccountText())}));
    }
}

WatchedServers MainWindow::watchedServers() const
{
    WatchedServers servers;
    for (int row = 0; row < m_servers->count(); ++row) {
        const ServerSession* session = m_servers->session(row);
        if (session && session->recording())
            continue;
        (session ? servers.watched : servers.others) << m_servers->profile(row).display();
        const ServerTime opened = m_openedAt.value(session);
        if (opened.isValid() && (!servers.since.isValid() || opened < servers.since))
            servers.since = opened;
    }
    return servers;
}

void MainWindow::showIncidentsOnTimeBar()
{
    QList<TimeBarIncident> shown;
    const IncidentListPtr& list = m_incidents->list();
    if (list && session())
        for (const alert::Incident& each : list->incidents.all)
            if (isOfServer(each, session()->place()))
                shown.append({.from = each.since,
                    .to = each.end(),
                    .isCritical = each.worst == alert::Severity::Critical,
                    .title = each.title});
    m_centre->timeBar().setIncidents(shown);
}

/// Counts the incidents that need somebody: neither muted nor acknowledged.
void MainWindow::showIncidentBadge()
{
    const IncidentListPtr& list = m_incidents->list();
    if (m_incidents->error() || !list) {
        m_sideBar->setPageBadge(m_incidentsPlace, u"?"_s, u"The incidents can't be read."_s, AgeLevel::Amber);
        if (m_tray)
            m_tray->show(std::nullopt, std::nullopt);
        return;
    }
    int count = 0;
    int critical = 0;
    for (const alert::Incident& each : list->incidents.all) {
        if (!watch::needsSomebody(each, list->mutes))
            continue;
        ++count;
        critical += each.severity == alert::Severity::Critical ? 1 : 0;
    }
    m_sideBar->setPageBadge(m_incidentsPlace, count > 0 ? QString::number(count) : QString(),
        count == 0 ? QString()
                   : u"Incidents that need attention: %1, of which critical: %2"_s.arg(count).arg(critical),
        critical > 0 ? AgeLevel::Red : AgeLevel::Amber);
    using enum alert::Severity;
    if (m_tray)
        m_tray->show(count, count == 0 ? std::nullopt : std::optional(critical > 0 ? Critical : Warning));
}

// The page Fleet: a part of MainWindow.

namespace {

QString keyOf(const db::ServerProfile& profile)
{
    return profile.name + u'\n' + profile.url.toString();
}

/// Returns the watches of all servers by their rows; null where a recording is shown, or nothing.
std::vector<const watch::ServerWatch*> watchesOf(const Servers& servers)
{
    std::vector<const watch::ServerWatch*> watches;
    for (int row = 0; row < servers.count(); ++row) {
        const ServerSession* const session = servers.session(row);
        watches.push_back(session && session->recording() ? nullptr : session);
    }
    return watches;
}

} // namespace

void MainWindow::addFleetPage()
{
    constexpr milliseconds untilAllHaveAnswered{200};
    constexpr milliseconds shownAgainAfter{10'000}; // where nothing is polled
    m_lanes = new FleetLanes(*m_servers, this);
    addPage(FleetPage::pageName, u"server"_s, [this] { return makeFleetPage(); });
    m_fleetSoon.setSingleShot(true);
    m_fleetSoon.setInterval(untilAllHaveAnswered);
    connect(&m_fleetSoon, &QTimer::timeout, this, &MainWindow::showFleet);
    callEvery(shownAgainAfter, *this, [this] { showFleet(); });
    connect(m_lanes, &FleetLanes::changed, this, &MainWindow::showFleetSoon);
    connect(m_incidents, &IncidentBook::changed, this, &MainWindow::showFleet);
    connect(&m_fleetSoon, &QTimer::timeout, this, &MainWindow::showAcross);
}

Page* MainWindow::makeFleetPage()
{
    m_fleet = new FleetPage(m_context, this);
    connect(m_fleet, &FleetPage::wasShown, this, &MainWindow::showFleet);
    connect(m_fleet, &FleetPage::serverRequested, this, &MainWindow::goToServer);
    return m_fleet;
}

/// Shows that server, on that page; nothing: at present.
void MainWindow::goToServer(const QString& key, const QString& page, const std::optional<ServerTime>& at)
{
    for (int row = 0; row < m_servers->count(); ++row) {
        if (keyOf(m_servers->profile(row)) != key)
            continue;
        openRow(row, false, [this, page, at] {
            showPage(page);
            if (auto* const incidents = qobject_cast<IncidentsPage*>(currentPage()))
                incidents->showServer(watch::causeServer(session()->place()));
            if (at && !m_shown->travel().client())
                m_statusLine->say(u"That server is not recorded: only its present can be shown."_s);
            else if (at)
                m_shown->travel().goTo(*at);
        });
        return;
    }
}

/// Some server answers at any time: that may not put it off.
void MainWindow::showFleetSoon()
{
    if (!m_fleetSoon.isActive())
        m_fleetSoon.start();
}

/// A hidden page costs nothing.
void MainWindow::showFleet()
{
    if (!m_fleet || !m_fleet->isVisible())
        return;
    m_lanes->refresh();
    const auto& list = m_incidents->list();
    const watch::FiringIncidents firing(
        list ? list->incidents.all : QList<alert::Incident>(), list ? list->mutes : QList<alert::Mute>());
    const bool areCurrent = list && !m_incidents->error();
    const std::vector<const watch::ServerWatch*> watches = watchesOf(*m_servers);
    std::vector<watch::ServerStanding> standings;
    for (int row = 0; row < m_servers->count(); ++row) {
        const watch::ServerWatch* const opened = watches[size_t(row)];
        const QString place = m_lanes->place(row);
        // The place of a file that is not open may not be read yet.
        standings.push_back(watch::standingOf(
            opened, firing.of(place), areCurrent && (opened || !place.isEmpty()), m_preferences.ages));
    }
    watch::addCrossServer(standings, watch::seenServers(watches));
    std::vector<FleetRow> rows;
    for (int row = 0; row < m_servers->count(); ++row) {
        const ServerSession* const session = m_servers->session(row);
        if (session && session->recording())
            continue;
        const auto elsewhere = standings[size_t(row)].elsewhere;
        rows.push_back({.key = keyOf(m_servers->profile(row)),
            .profile = m_servers->profile(row),
            .standing = standings[size_t(row)],
            .lane = m_lanes->of(row),
            .elsewhere = elsewhere ? keyOf(m_servers->profile(int(*elsewhere))) : QString(),
            .worst = m_lanes->worst(row)});
    }
    m_fleet->showServers(rows);
}

/// Says on the page Blocking of the shown server what connects it with others at present.
void MainWindow::showAcross()
{
    if (!m_blocking || !m_blocking->isVisible())
        return;
    const std::vector<const watch::ServerWatch*> watches = watchesOf(*m_servers);
    const int row = m_servers->rowOf(session());
    const bool isPresent = row >= 0 && watches[size_t(row)] && !m_shown->travel().isOn();
    std::vector<watch::ServerStanding> standings(watches.size());
    if (isPresent)
        watch::addCrossServer(standings, watch::seenServers(watches));
    const watch::ServerStanding shown = isPresent ? standings[size_t(row)] : watch::ServerStanding();
    const db::ServerProfile other =
        shown.elsewhere ? m_servers->profile(int(*shown.elsewhere)) : db::ServerProfile();
    m_otherServer = keyOf(other);
    m_blocking->showAcross(shown.reason, shown.elsewhere ? other.display() : QString());
}

} // namespace lockscope::ui
