// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/domain/FrameworkMatch.h"
#include "core/domain/LockTable.h"
#include "core/domain/Resource.h"
#include "core/domain/Session.h"

#include <QHash>
#include <QList>
#include <QString>

#include <memory>
#include <vector>

namespace lockscope {

class BlockingGraph;
struct SessionWait;

/// Something that the snapshot does not show, and what would show it.
struct Limitation {
    enum class Kind : quint8 {
        MissingPermission, ///< e.g. statements of other users hidden
        MissingSchema, ///< no lock table installed
        CappedRows, ///< showing `shown` of `total`
        Unsupported, ///< the engine has no such thing
        Failed, ///< this one probe failed; the others did not
        BadRows, ///< `shown` of the `total` rows of a lock table can't be right; they are shown as such
    };
    Kind kind;
    QString what; ///< "Statements of other users are hidden."
    QString remedy{}; ///< "GRANT pg_read_all_stats TO monitor;"
    qint64 shown = 0;
    qint64 total = 0;
    bool hidesLocks = false; ///< an unknown number of locks may be missing in the snapshot

    bool operator==(const Limitation&) const = default;
};

QString limitationKindName(Limitation::Kind kind); ///< "missing permission" …
Limitation cappedLocks(qint64 shown, qint64 total); ///< of the locks without waiters, some are not shown

/// A table that looks like a framework's and is not read without an approval: reading a table or a view of
/// another owner can run that owner's code (policies, rules, functions of a view) with our rights.
struct UnreadTable {
    FrameworkMatchPtr framework; ///< the framework that it seems to belong to
    QString schema; ///< empty where the engine has none
    QString table;
    QString owner; ///< the role that it belongs to
    QString reason; ///< "It belongs to app, whose rights are not those of an administrator."
    bool canBeApproved = true; ///< false: row security would hide rows, and no approval changes that

    QString display() const { return schema.isEmpty() ? table : schema + u'.' + table; }
    bool operator==(const UnreadTable&) const = default;
};

/// The cost of this poll, which is shown to the operator.
struct PollCost {
    microseconds roundTrip{0}; ///< from sending to the last row, steady clock
    microseconds server{0}; ///< on the server, by its own clock
    microseconds client{0}; ///< decoding and building the snapshot
    microseconds waited{0}; ///< sum of the round trips in which a statement gave up waiting for a lock
    int roundTrips = 1;
    QString visited; ///< another database, to which a connection was opened for this poll only
    qint64 rows = 0; ///< received in all round trips

    bool operator==(const PollCost&) const = default;
};

/// A value derived from its owner when it is first requested, for owners that do not change any more. Any
/// thread may ask: the first one computes, the others wait for it. A copy of the owner derives its own.
/// `Value` may be incomplete where the owner is declared.
template <class Value> class Lazy {
public:
    Lazy() = default;
    Lazy(const Lazy&) noexcept { }
    Lazy& operator=(const Lazy& other) noexcept
    {
        if (this != &other) {
            const MutexLock lock(m_mutex);
            m_value.reset();
        }
        return *this;
    }

    template <class Make> const Value& get(Make make) const
    {
        const MutexLock lock(m_mutex);
        if (!m_value)
            m_value = std::make_shared<const Value>(make());
        return *m_value;
    }

private:
    mutable Mutex m_mutex;
    mutable std::shared_ptr<const Value> m_value LOCKSCOPE_GUARDED_BY(m_mutex);
};

/// One consistent reading of a server. Immutable once shared; every view consumes this and nothing else.
struct Snapshot {
    Engine engine = Engine::Postgres;
    QString server; ///< as shown to the user
    QString serverVersion; ///< "PostgreSQL 15.18"
    ServerTime takenAt; ///< by the server's clock
    quint64 number = 0; ///< counts the snapshots of one source
    std::vector<Resource> resources;
    std::vector<LockRequest> requests; ///< holders and waiters; waiters of one resource in queue order
    std::vector<WaitEdge> waits; ///< who waits for whom; see computeWaits()
    std::vector<Session> sessions;
    std::vector<LockTableEntry> entries; ///< of all lock tables: ours, attached ones, those of frameworks
    std::vector<LockTableWaiter> entryWaiters; ///< by table and name, in queue order
    std::vector<UnreadTable> unreadTables; ///< of frameworks: found, but not read without an approval
    /// True if the rows of frameworks' tables are among `entries`; those of attached tables always are.
    bool frameworkRows = true;
    /// True if `requests` were read. If not, nobody waited for a lock, and nobody knows which are held:
    /// `requests`, `resources` and `waits` are empty, and transactions without a session (prepared ones,
    /// orphaned distributed ones) not among the sessions.
    bool locksRead = true;
    /// True if this program is known to reach the server through a pooler: the addresses of sessions may be
    /// the pooler's. Not recorded.
    bool isPooled = false;
    std::vector<Limitation> limitations;
    PollCost cost;

    const Session* session(SessionId id) const; ///< null if not seen
    /// Returns the leader of its parallel group, which a worker's wait counts for; `id` itself if it is in
    /// none.
    SessionId leaderOf(SessionId id) const;
    /// Returns who blocks whom, by `waits`: computed once, at the first call. Any thread;
    /// `core/domain/BlockingGraph.h`.
    const BlockingGraph& blocking() const;
    /// Returns who waits, in the order of the snapshot: the one definition for all that counts or times
    /// waits. Each session counts once, and a parallel worker as its leader. Each waiter in the queue of a
    /// lock table counts, unless it has expired or its row is bad (LockTableWaiter::isWaiting). Waits of the
    /// monitor's own sessions are left out. Computed once, at the first call. Any thread;
    /// `core/domain/WaitTotals.h`.
    const std::vector<SessionWait>& waitingSessions() const;
    const Resource& resourceOf(const LockRequest& request) const { return resources[request.resource]; }
    LockRequestKey keyOf(const LockRequest& request) const; ///< equal for the same request in later snapshots
    /// Returns the time since the request was granted or began to wait; a lower bound if it is not exact,
    /// nothing if it is not known.
    std::optional<Age> ageOf(const LockRequest& request) const;
    /// Builds the lookup tables. Called once by the source, before sharing.
    void index();
    /// True if a probe failed or was not allowed: an empty list then does not prove that there is nothing.
    bool isIncomplete() const;
    /// Says why the server shows no locks to this login; empty if it shows them.
    QString reasonAgainstLocks() const;
    /// Returns true if somebody may wait although no lock is seen: isIncomplete(), or no right to see locks.
    bool mayHideLocks() const
    {
        return isIncomplete() || (requests.empty() && !reasonAgainstLocks().isEmpty());
    }

private:
    QHash<SessionId, quint32> m_sessionIndex;
    Lazy<BlockingGraph> m_blocking;
    Lazy<std::vector<SessionWait>> m_waitingSessions;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// Returns who waits for whom, from requests alone, as the server itself would judge: conflicting holders,
/// then conflicting waiters ahead in the queue; for each request, each blocker once. Needs `index()`.
///
/// Waiters of one resource must stand in the order in which they began to wait. On PostgreSQL the queue may
/// differ from it, and this is taken into account: if a waiter already holds a mode on the same resource that
/// conflicts with an earlier waiter's request, it goes before that waiter (ProcSleep in its proc.c). Later
/// rearrangements by the deadlock detector can't be seen from outside. On SQL Server conversions go first.
///
/// Parallel workers count as their leader, on both sides of an edge, and never block their own group, as in
/// pg_blocking_pids. A prepared transaction blocks under the id that the source gave it, having no session.
/// Each waiter is linked to the nearest 256 in its queue; in queues above 1,024 to fewer, at least 8.
/// `cut` counts the waiters for whom some of those ahead in the queue were left out.
std::vector<WaitEdge> computeWaits(const Snapshot& snapshot, qint64* cut = nullptr);
/// Fills in `snapshot.waits`, and adds a Limitation if edges were left out. Called by the sources.
void addWaits(Snapshot& snapshot);

/// Returns the snapshot's row of that name; null if there is none.
const LockTableEntry* entryOf(const Snapshot& snapshot, const LockTableKey& key);
using LockTableQueue = std::vector<const LockTableWaiter*>;
/// Returns those who wait by `now` (LockTableWaiter::isWaiting), in the order of the queue.
LockTableQueue queueOf(const Snapshot& snapshot, const LockTableKey& key, ServerTime now);

/// Bounds the ages of granted requests from below by those who wait for them. Locks are given in the order of
/// the queue: a session that blocks a waiter has done so, as holder or ahead of it in the queue, since that
/// wait began. Only waits with an exactly known start count, and only conflicting modes. A holder of a
/// blocking lock gets further modes of it past those who wait: if several modes of a holder conflict with a
/// wait, none of them is known to be as old, and the wait bounds none.
///
/// `notBefore` gives by index when a request was not granted yet, where that is known: waits that began
/// earlier were behind something else then. It may be shorter than the requests. A lock of a transaction is
/// not older than that transaction. O(requests).
void boundAgesByWaiters(Snapshot& snapshot, const std::vector<ServerTime>& notBefore = {});

} // namespace lockscope
