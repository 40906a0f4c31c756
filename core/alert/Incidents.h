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
struct SourceLook;
}

namespace lockscope::alert {

/// Tells what in a sequence of snapshots is worth an event: sessions that wait for each other in a ring
/// (Deadlock), and waits that take too long (Alert, one when it begins and one when it is over). Waits of one
/// chain are one alert, named by who holds them up.
///
/// Each is told once and not at every look: what flickers goes on, and an alert is over only when it has been
/// calm for `calmFor`. Events carry keys of their sources, so that another program, or this one started
/// anew, puts down the same thing only once. Statements are never part of them. Pure; a value; one thread.
class Incidents {
public:
    struct Settings {
        milliseconds wait = LockThresholds().wait.red; ///< who waits so long is an alert; 0: none is
        milliseconds calmFor{10'000}; ///< for so long nobody waits that long: it is over
        milliseconds around{300'000}; ///< so much before and after is pinned

        bool operator==(const Settings&) const = default;
    };
    struct News {
        QList<Event> events;
        QList<Pin> pins;
        QList<RecordedReport> reports{}; ///< to be kept beside the events
    };

    /// By the user's thresholds: the same for all that alert.
    static Settings settingsBy(const LockThresholds& thresholds) { return {.wait = thresholds.wait.red}; }

    Incidents() = default;
    explicit Incidents(const Settings& settings)
        : m_settings(settings)
    {
    }
    /// From the next snapshot on; what is going on goes on.
    void setSettings(const Settings& settings) { m_settings = settings; }
    /// What this snapshot tells that those before did not. Those must be of the same server; a failed look is
    /// left out, it tells nothing.
    News advance(const Snapshot& snapshot);
    /// What the server's own records tell of its deadlocks, those of one source, look by look. `now`: the
    /// server's clock; reports of before `oldest` are left out. That the server counted more than were told
    /// is an event once no look has brought them for a while: its counter may be ahead of its records.
    News note(const deadlock::SourceLook& look, ServerTime now, ServerTime oldest = {});
    int alerts() const { return static_cast<int>(m_alerts.size()); } ///< that go on

private:
    struct Alert {
        QString title; ///< who holds up others: "Session 51 billing"
        QString what{}; ///< for what they wait
        QString sourceKey{};
        int waiting = 0; ///< the most so far
        Age longest{}; ///< so far
        std::optional<ServerTime> calm{}; ///< since then nobody waits that long
    };
    using Alerts = QHash<QString, Alert>;

    void addDeadlocks(const Snapshot& snapshot, News& news);
    Alerts alertsOf(const Snapshot& snapshot) const;
    void addAlerts(const Snapshot& snapshot, News& news);
    void addReport(const deadlock::ReportPtr& report, const QString& origin, ServerTime now, News& news);
    void addCounted(const deadlock::SourceLook& look, ServerTime now, News& news);
    void pin(ServerTime at, const QString& why, News& news);

    Settings m_settings;
    Alerts m_alerts;
    QList<deadlock::DeadlockIdentity> m_rings; ///< that the last snapshot showed
    ServerTime m_pinnedUntil;
    struct Uncaptured { ///< counted by the server, and told by no record
        qint64 count = 0;
        ServerTime since; ///< the look that saw it first
    };
    Uncaptured m_uncaptured; ///< at the last look
    qint64 m_toldUncaptured = 0;
};

} // namespace lockscope::alert
