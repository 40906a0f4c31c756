// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The page Fleet: a part of MainWindow.

#include "core/watch/AlertTables.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/ObservationParts.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/FleetLanes.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/fleet/FleetPage.h"
#include "ui/views/incidents/IncidentBook.h"
#include "ui/views/incidents/IncidentsPage.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString keyOf(const db::ServerProfile& profile)
{
    return profile.name + u'\n' + profile.url.toString();
}

/// Gives each server the incidents that fire there and need somebody. There may be hundreds of both.
class FiringIncidents {
public:
    explicit FiringIncidents(const IncidentBook& book)
        : m_areCurrent(book.list() && !book.error())
    {
        for (const alert::Incident& each :
            book.list() ? book.list()->incidents.all : QList<alert::Incident>())
            if (watch::needsSomebody(each, book.list()->mutes))
                m_byServer[each.cause.server] << each;
    }
    /// Returns false if they may be others by now.
    bool areCurrent() const { return m_areCurrent; }
    /// Those of the whole server are of each of its databases.
    QList<alert::Incident> of(const QString& place) const
    {
        QList<alert::Incident> all = m_byServer.value(watch::causeServer(place));
        const QString own = watch::causeDatabase(place);
        all.removeIf([&own](const alert::Incident& each) {
            return !each.cause.database.isEmpty() && !own.isEmpty() && each.cause.database != own;
        });
        return all;
    }

private:
    const bool m_areCurrent;
    QHash<QString, QList<alert::Incident>> m_byServer;
};

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
    const FiringIncidents firing(*m_incidents);
    const std::vector<const watch::ServerWatch*> watches = watchesOf(*m_servers);
    std::vector<watch::ServerStanding> standings;
    for (int row = 0; row < m_servers->count(); ++row) {
        const watch::ServerWatch* const opened = watches[size_t(row)];
        const QString place = m_lanes->place(row);
        // The place of a file that is not open may not be read yet.
        standings.push_back(watch::standingOf(opened, firing.of(place),
            firing.areCurrent() && (opened || !place.isEmpty()), m_preferences.ages));
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
