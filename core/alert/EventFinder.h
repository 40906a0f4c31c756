// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/AlertEngine.h"
#include "core/alert/Event.h"
#include "core/deadlock/DeadlockIdentity.h"

#include <QLatin1String>
#include <QList>

namespace lockscope::deadlock {
struct SourcePoll;
}

namespace lockscope::alert {

/// Finds, in a sequence of snapshots, the events worth recording: sessions that wait for each other in a ring
/// (Deadlock), and the incidents of the rules (Alert: one when it fires, one when it becomes critical, one
/// when it is resolved).
///
/// A recording can be rehearsed: its alerts are found in what it holds, the snapshots and measures. What else
/// a watch knows (failed polls, orders of locks, reports, other servers) is in the incidents of
/// IncidentKeeper only.
///
/// Events carry keys of their sources, so that another program, or this one started again, records the same
/// thing only once. Statements are never part of them. Pure; one thread.
class EventFinder {
public:
    static constexpr microseconds around{300'000'000}; ///< so much before and after an event is pinned
    /// Begins Event::sourceKey of a ring that a poll saw.
    static constexpr QLatin1String ringKey{"ring:"};

    struct Found {
        QList<Event> events;
        QList<Pin> pins;
        QList<RecordedReport> reports{}; ///< to be kept beside the events
    };

    /// `server`, `database`: Cause::server, and the database of the connection.
    explicit EventFinder(QString server = {}, QString database = {}, RuleSet rules = {})
        : m_server(std::move(server))
        , m_database(std::move(database))
        , m_engine(std::move(rules))
    {
    }
    /// Counts from the next snapshot on; incidents go on.
    void setRules(RuleSet rules) { m_engine.setRules(std::move(rules)); }
    /// Returns the events that this snapshot adds to those before, which must be of the same server; failed
    /// polls are left out. `interval`: of the polls; 0: not known.
    Found advance(const SnapshotPtr& snapshot, milliseconds interval = milliseconds(0),
        const std::vector<monitor::Measure>& measures = {});
    /// Returns the events in the server's own records of its deadlocks, those of one source, poll by poll.
    /// `now`: the server's clock; reports from before `oldest` are left out. Deadlocks that the server
    /// counted without a report become an event once no poll has brought their reports for a while: its
    /// counter may be ahead of its records.
    Found note(const deadlock::SourcePoll& poll, ServerTime now, ServerTime oldest = {});

private:
    void addDeadlocks(const Snapshot& snapshot, Found& found);
    void addIncident(const IncidentChange& change, Found& found);
    /// `others`: reports of the same queue, which have no event of their own.
    void addReport(const deadlock::ReportPtr& report, const QString& origin, ServerTime now, Found& found,
        qsizetype others = 0);
    void addCounted(const deadlock::SourcePoll& poll, ServerTime now, Found& found);
    void pin(ServerTime at, const QString& why, Found& found);

    QString m_server;
    QString m_database;
    AlertEngine m_engine;
    QHash<QString, QString> m_keys; ///< of incidents that fire, by fingerprint
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
