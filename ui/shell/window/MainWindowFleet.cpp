// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The page Fleet: a part of MainWindow.

#include "core/record/ServerPlace.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/IncidentTable.h"
#include "ui/shell/servers/FleetLanes.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/fleet/FleetPage.h"
#include "ui/views/incidents/IncidentActs.h"
#include "ui/views/incidents/IncidentBook.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString keyOf(const db::ServerProfile& profile)
{
    return profile.name + u'\n' + profile.url.toString();
}

/// Those of the whole server are of each of its databases.
bool isOfDatabase(const alert::Incident& incident, const db::ServerProfile& profile)
{
    const QString database = watch::causeDatabase(record::serverPlace(profile.url));
    return isOfServer(incident, profile)
        && (incident.cause.database.isEmpty() || database.isEmpty() || incident.cause.database == database);
}

} // namespace

void MainWindow::addFleetPage()
{
    constexpr milliseconds untilAllHaveAnswered{200};
    constexpr milliseconds shownAgainAfter{10'000}; // where nothing is polled
    m_fleet = new FleetPage(m_context, this);
    m_lanes = new FleetLanes(*m_servers, this);
    addPage(m_fleet, u"server"_s);
    m_fleetSoon.setSingleShot(true);
    m_fleetSoon.setInterval(untilAllHaveAnswered);
    connect(&m_fleetSoon, &QTimer::timeout, this, &MainWindow::showFleet);
    auto* again = new QTimer(this);
    connect(again, &QTimer::timeout, this, &MainWindow::showFleet);
    again->start(shownAgainAfter);
    connect(m_lanes, &FleetLanes::changed, &m_fleetSoon, qOverload<>(&QTimer::start));
    connect(m_fleet, &FleetPage::wasShown, this, &MainWindow::showFleet);
    connect(m_incidents, &IncidentBook::changed, this, &MainWindow::showFleet);
    connect(m_fleet, &FleetPage::serverRequested, this, [this](const QString& key, const QString& page) {
        for (int row = 0; row < m_servers->count(); ++row) {
            if (keyOf(m_servers->profile(row)) != key)
                continue;
            openRow(row);
            showPage(page);
            return;
        }
    });
}

/// A hidden page costs nothing.
void MainWindow::showFleet()
{
    if (!m_fleet || !m_fleet->isVisible())
        return;
    m_lanes->refresh();
    const IncidentListPtr& list = m_incidents->list();
    std::vector<FleetRow> rows;
    for (int row = 0; row < m_servers->count(); ++row) {
        const ServerSession* const session = m_servers->session(row);
        if (session && session->recording())
            continue;
        const db::ServerProfile& profile = m_servers->profile(row);
        QList<alert::Incident> firing;
        for (const alert::Incident& each : list ? list->incidents : QList<alert::Incident>())
            if (isOfDatabase(each, profile) && watch::needsSomebody(each, list->mutes))
                firing << each;
        rows.push_back({keyOf(profile), profile, watch::standingOf(session, firing, m_preferences.ages.wait),
            m_lanes->of(row)});
    }
    m_fleet->showServers(rows);
}

} // namespace lockscope::ui
