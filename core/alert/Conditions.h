// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"
#include "core/alert/Rule.h"
#include "core/base/Result.h"
#include "core/domain/Harm.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/Surroundings.h"

#include <QHash>
#include <QString>

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lockscope::alert {

/// All sessions that wait behind head blockers of one cause: of the same user, program and machine, for the
/// same thing.
struct Chain {
    Cause cause; ///< its resource is the one that most wait for directly
    QStringList resources; ///< all that somebody waits for directly
    /// The worst of its head blockers, in the order of BlockingGraph::heads(); invalid: a lock table's holder
    /// without a session.
    SessionId head;
    Harm harm; ///< that the head does
    ServerTime headStarted;
    ServerTime headTransaction; ///< when its transaction began; invalid: not known
    QString headTitle; ///< "51 billing"
    bool isRing = false; ///< its sessions wait for each other
    QString inherited; ///< for how long the head has had a queue that is older; empty: it has made it itself
    int waiting = 0; ///< sessions, as in Snapshot::waitingSessions()
    Age longest; ///< wait
    std::vector<milliseconds> ages; ///< of all waits, as far as they are known
    /// Returns the time that all have waited together, each no more than `maxEach`.
    milliseconds waited(milliseconds maxEach = milliseconds::max()) const;
    std::optional<Age> idle; ///< of the head in its transaction
    /// The longest wait of a request that keeps even readers in the queue behind it.
    std::optional<Age> strong;
    QString strongText; ///< "63 migrate waits for public.orders (Access exclusive), and 4 sessions queue
                        ///< behind it."
};

/// Returns the chains of a snapshot, also those behind holders of lock-table entries. The monitor's own waits
/// are left out. `database`: of the connection, to which its lock tables belong. Pure.
std::vector<Chain> chainsOf(const Snapshot& snapshot, const QString& server, const QString& database);

/// Orders as BlockingGraph::worstHead() does: rings first, then by the harm of the heads.
bool isWorse(const Chain& one, const Chain& other);

/// Returns the tree below the chain's head in lines, for people: at most twelve, with the number of the
/// others.
QStringList treeOf(const Snapshot& snapshot, const Chain& chain);

/// Returns the head as an act needs it, with what it does and what resolves it. `longRunning`: from when on a
/// running statement is called long.
IncidentHead headOf(const Snapshot& snapshot, const Chain& chain, milliseconds longRunning);

/// Returns what happens in a sentence: "25 sessions wait for 990 support-desk, idle in transaction for 4
/// min."
QString titleOf(const Chain& chain, const IncidentHead& head);

/// A deadlock that was reported since the last observation.
struct SeenDeadlock {
    QString family; ///< deadlock::familyOf()
    QString title;
    QString database{};
    /// Says in a sentence why it is new; empty: its family was known.
    QString whyNew{};
    ServerTime at{}; ///< invalid: not known, that of the observation
};

/// Locks that were taken in opposite orders.
struct OppositeOrder {
    QString id; ///< order::PotentialDeadlock::id
    QString title;
    QString database;
    qint64 count = 0;
};

/// A number for a condition that somebody else measures: the recorder, the mutes, the channels, the servers
/// together.
struct MeasuredElsewhere {
    Condition condition;
    QString resource{}; ///< what it is about
    double value = 0;
    QString text; ///< a sentence
    QString server{}; ///< that it is of; empty: the observation's
};

/// A wait of a head blocker's client on another server, as it seems.
struct ClientWait {
    SessionId head; ///< invalid: it holds an entry of a lock table
    QString title; ///< of the head blocker, as in Chain
    QString text; ///< sentences
};

/// All that is known of one server at one time, live or out of a recording. What is left out is not known,
/// which is another thing than that there is none.
struct Observation {
    QString server; ///< Cause::server
    ServerTime at; ///< the server's clock; of a failed poll what it will show by now
    milliseconds interval{2'000}; ///< of the polls
    QString database{}; ///< of the connection: lock tables are in it
    SnapshotPtr snapshot{}; ///< null: the poll failed, or none was made
    std::optional<Error> error{}; ///< of a failed poll
    std::vector<monitor::Measure> measures{}; ///< empty: not read this time
    std::optional<std::vector<OppositeOrder>> orders{};
    std::optional<std::vector<SeenDeadlock>> deadlocks{}; ///< nothing: not read since the last observation
    std::optional<std::vector<MeasuredElsewhere>> elsewhere{};
    std::vector<ClientWait> clientWaits{}; ///< as far as other servers are seen
    /// The servers of which nothing is seen at present: a deadlock over them that is not in `elsewhere` may
    /// be there all the same.
    QStringList hiddenServers{};
};

/// A condition's number for one cause at one time.
struct MeasuredCause {
    Cause cause;
    double value = 0;
    bool isExact = true; ///< else it is at least that
    QString text; ///< a sentence
    const Chain* chain = nullptr; ///< of conditions of chains
};

/// The numbers of all conditions at one time.
struct MeasuredCauses {
    struct OfCondition {
        /// False: nobody knows whether there is more; what is not found may be there all the same.
        bool isKnown = false;
        QStringList hidden; ///< servers: what has one of them in its resource is not known either
        std::vector<MeasuredCause> found;

        /// Returns whether what is not found of a cause is not there.
        bool isKnownOf(const Cause& cause) const;
    };
    std::vector<Chain> chains;
    std::array<OfCondition, conditionCount> all;

    OfCondition& of(Condition condition) { return all[size_t(condition)]; }
};

/// Works out the conditions of one server from one observation after the other, and remembers what they need
/// of those before: the waits of the last minute, the usual age of locks, the deadlocks of the last hour. One
/// thread.
class Conditions {
public:
    /// `step`: the time since the last good snapshot, as far as it was watched; zero for the first one.
    MeasuredCauses find(const Observation& observation, milliseconds step);
    /// Takes what an incident that fired before knows of the time before: it goes on until a snapshot shows
    /// that its cause is gone.
    void keep(const Incident& incident);

private:
    bool hasWatchedAnHour(ServerTime now) const;
    void findChains(const Observation& seen, milliseconds step, MeasuredCauses& findings);
    void keepCauses(std::vector<Chain>& chains, ServerTime now);
    void addWaitedTime(const Observation& seen, milliseconds step, MeasuredCauses& findings);
    void findEntries(const Observation& seen, MeasuredCauses& findings);
    void findOldLocks(const Snapshot& snapshot, const Cause& server, MeasuredCauses::OfCondition& found);
    void findStarved(const Snapshot& snapshot, const Cause& server, MeasuredCauses::OfCondition& found);
    void findDeadlocks(const Observation& seen, MeasuredCauses& findings);
    void findOrders(const Observation& seen, MeasuredCauses& findings);
    void findServer(const Observation& seen, milliseconds step, MeasuredCauses& findings);
    void findHeadroom(const Observation& seen, MeasuredCauses& findings);
    void findRole(const Observation& seen, MeasuredCauses& findings);
    void findBlind(const Observation& seen, MeasuredCauses& findings);

    struct Waited {
        ServerTime at;
        milliseconds time; ///< of all waiters together, until then
    };
    QHash<QString, std::deque<Waited>> m_waited; ///< by Cause without its resource
    struct KnownCause {
        ServerTime at; ///< seen last
        Cause cause;
        SessionId head{};
        ServerTime headStarted{};
        ServerTime transaction{};
    };
    std::vector<KnownCause> m_chainCauses; ///< a chain keeps the name that it has

    struct EntryHold {
        QString token; ///< tells one hold from the next
        ServerTime since;
        std::deque<milliseconds> past; ///< the lengths of former holds
    };
    static constexpr size_t holdsKept = 20;
    static constexpr size_t holdsNeeded = 5; ///< before anything is called unusual
    static constexpr int locksKept = 5'000;
    std::map<std::pair<QString, QString>, EntryHold> m_held; ///< by table and name of the entry
    std::map<std::pair<QString, QString>, std::vector<LockTableWaiter>> m_queues; ///< at the last snapshot
    ServerTime m_queuesAt; ///< its time
    std::map<std::pair<QString, QString>, std::set<qint64>>
        m_overtaken; ///< tickets of those who were passed by

    struct KeptAge {
        ServerTime seen; ///< last, by the watch before this one
        double value = 0; ///< then
    };
    std::map<QString, KeptAge> m_keptHolds; ///< that were unusually long, by name of the entry
    std::map<QString, ServerTime> m_keptWaits; ///< since when a waiter waits that was passed by; the same

    struct PastDeadlock {
        ServerTime at;
        SeenDeadlock deadlock;
    };
    std::deque<PastDeadlock> m_deadlocks; ///< of the last hour
    bool m_knowsDeadlocks = false;
    std::optional<std::vector<OppositeOrder>> m_orders;

    struct Connections {
        ServerTime at;
        qint64 used;
    };
    std::deque<Connections> m_connections; ///< of the last five minutes
    qint64 m_maxConnections = 0; ///< 0: not known
    std::optional<bool> m_isReplica;
    std::deque<std::pair<ServerTime, QString>> m_roleChanges; ///< of the last hour
    std::deque<std::pair<milliseconds, milliseconds>> m_costs; ///< steps with the server's time in them
    ServerTime m_began; ///< of the first observation
    ServerTime m_lastAnswer;
    ServerTime m_blindSince;
};

} // namespace lockscope::alert
