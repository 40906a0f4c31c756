// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Event.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"

#include <QHash>
#include <QList>

#include <optional>

namespace lockscope::deadlock {
struct SourcePoll;
}

namespace lockscope::alert {

/// Finds, in a sequence of snapshots, the events worth recording: sessions that wait for each other in a ring
/// (Deadlock), and waits that take too long (Alert, one when it begins and one when it ends). Waits of one
/// chain are one alert, named by its head blocker.
///
/// Each is reported once and not at every poll: one that comes and goes counts as going on, and an alert ends
/// only when it has been calm for `calmFor`. Events carry keys of their sources, so that another program, or
/// this one started again, records the same thing only once. Statements are never part of them. Pure; a
/// value; one thread.
class Incidents {
public:
    struct Settings {
        milliseconds wait = LockThresholds().wait.red; ///< a wait of that length is an alert; 0: none is
        milliseconds calmFor{10'000}; ///< for so long nobody waits that long: it is over
        milliseconds around{300'000}; ///< so much before and after is pinned

        bool operator==(const Settings&) const = default;
    };
    struct IncidentChanges {
        QList<Event> events;
        QList<Pin> pins;
        QList<RecordedReport> reports{}; ///< to be kept beside the events
    };

    /// Returns the settings by the user's thresholds: the same for all that alert.
    static Settings settingsBy(const LockThresholds& thresholds) { return {.wait = thresholds.wait.red}; }

    Incidents() = default;
    explicit Incidents(const Settings& settings)
        : m_settings(settings)
    {
    }
    /// Counts from the next snapshot on; alerts that are open stay so.
    void setSettings(const Settings& settings) { m_settings = settings; }
    /// Returns the events that this snapshot adds to those before, which must be of the same server; failed
    /// polls are left out.
    IncidentChanges advance(const Snapshot& snapshot);
    /// Returns the events in the server's own records of its deadlocks, those of one source, poll by poll.
    /// `now`: the server's clock; reports from before `oldest` are left out. Deadlocks that the server
    /// counted without a report become an event once no poll has brought their reports for a while: its
    /// counter may be ahead of its records.
    IncidentChanges note(const deadlock::SourcePoll& poll, ServerTime now, ServerTime oldest = {});
    int alerts() const { return static_cast<int>(m_alerts.size()); } ///< that go on

private:
    struct Alert {
        QString title; ///< the session that holds up others: "Session 51 billing"
        QString what{}; ///< for what they wait
        QString own{}; ///< of a head that inherited its queue: for how long it has had it
        QString sourceKey{};
        int waiting = 0; ///< the most so far
        Age longest{}; ///< so far
        std::optional<ServerTime> calm{}; ///< since then nobody waits that long
    };
    using Alerts = QHash<QString, Alert>;

    void addDeadlocks(const Snapshot& snapshot, IncidentChanges& news);
    Alerts alertsOf(const Snapshot& snapshot) const;
    void addAlerts(const Snapshot& snapshot, IncidentChanges& news);
    void addReport(
        const deadlock::ReportPtr& report, const QString& origin, ServerTime now, IncidentChanges& news);
    void addCounted(const deadlock::SourcePoll& poll, ServerTime now, IncidentChanges& news);
    void pin(ServerTime at, const QString& why, IncidentChanges& news);

    Settings m_settings;
    Alerts m_alerts;
    QList<deadlock::DeadlockIdentity> m_rings; ///< that the last snapshot showed
    ServerTime m_pinnedUntil;
    struct Uncaptured { ///< counted by the server, without a report
        qint64 count = 0;
        ServerTime since; ///< the poll that saw it first
    };
    Uncaptured m_uncaptured; ///< at the last poll
    qint64 m_alertedUncaptured = 0;
};

} // namespace lockscope::alert
