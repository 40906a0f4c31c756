// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/domain/FrameworkMatch.h"
#include "core/domain/LockRequest.h"
#include "core/domain/LockTable.h"
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
    bool hidesLocks = false; ///< there may be locks that the snapshot does not show, nobody knows how many

    bool operator==(const Limitation&) const = default;
};

QString limitationKindName(Limitation::Kind kind); ///< "missing permission" …
Limitation cappedLocks(qint64 shown, qint64 total); ///< those that nobody waits for are not all shown

/// A table that looks like a framework's and is not read by itself: to read a table or a view that belongs to
/// somebody else can run that person's code (policies, rules, functions of a view) with our rights.
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

/// The cost of this poll, shown to the operator: a good guest hides nothing.
struct PollCost {
    microseconds roundTrip{0}; ///< from sending to the last row, steady clock
    microseconds server{0}; ///< on the server, by its own clock
    microseconds client{0}; ///< decoding and building the snapshot
    microseconds waited{0}; ///< of round trips in which a statement gave up waiting for a lock
    int roundTrips = 1;
    QString visited; ///< another database, to which a connection was opened for this poll only
    qint64 rows = 0;

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
    ServerTime takenAt;
    quint64 number = 0; ///< counts the snapshots of one source
    std::vector<Resource> resources;
    std::vector<LockRequest> requests; ///< waiters of one resource in queue order
    std::vector<WaitEdge> waits;
    std::vector<Session> sessions;
    std::vector<LockTableEntry> entries;
    std::vector<LockTableWaiter> entryWaiters; ///< by table and name, in queue order
    std::vector<UnreadTable> unreadTables; ///< of frameworks: found, and not read by themselves
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
    /// The leader of its parallel group, whose wait a worker's wait is; itself if it is in none.
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
    LockRequestKey keyOf(const LockRequest& request) const;
    /// Time since the request was granted or began to wait; not exact where only a bound is known.
    std::optional<Age> ageOf(const LockRequest& request) const;
    /// Builds the lookup tables. Called once by the source, before sharing.
    void index();
    /// A probe failed, or wasn't allowed: something may be missing here although nothing says that it is not
    /// there.
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

/// The edges "who waits for whom" from requests alone, as the server itself would judge: conflicting holders,
/// then conflicting waiters ahead in the queue; for each request, each blocker once. Needs `index()`.
///
/// Waiters of one resource must stand in the order in which they began to wait. On PostgreSQL the queue may
/// differ from it, and that is reckoned with: a waiter that already holds something on the same resource
/// which an earlier waiter's request conflicts with goes before that waiter (ProcSleep in its proc.c). What
/// the deadlock detector rearranges later can't be seen from outside. On SQL Server conversions go first.
///
/// Parallel workers count as their leader, on both sides of an edge, and never block their own group, as in
/// pg_blocking_pids. A prepared transaction blocks under the id that the source gave it, having no session.
/// Each waiter is linked to the nearest 256 in its queue; in queues above 1,024 to fewer, at least 8.
/// `cut` counts the waiters for whom some of those ahead in the queue were left out.
std::vector<WaitEdge> computeWaits(const Snapshot& snapshot, qint64* cut = nullptr);
/// Fills in `snapshot.waits`; what was left out is a Limitation. For the sources.
void addWaits(Snapshot& snapshot);

/// The row of that name, in the snapshot; null if there is none.
const LockTableEntry* entryOf(const Snapshot& snapshot, const LockTableKey& key);
using LockTableQueue = std::vector<const LockTableWaiter*>;
/// Returns those who wait by `now` (LockTableWaiter::isWaiting), in the order of the queue.
LockTableQueue queueOf(const Snapshot& snapshot, const LockTableKey& key, ServerTime now);

} // namespace lockscope
