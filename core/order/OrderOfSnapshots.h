// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/order/LockOrder.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace lockscope::order {

/// A lock that a session had or waited for at a poll.
struct SeenLock {
    SessionKey session; ///< of a parallel worker its leader
    LockNamePtr name;
    LockMode mode;
    bool isWaitedFor = false;
    /// A transaction of PostgreSQL that writes shows ROW EXCLUSIVE on the table and not the rows: this stands
    /// for those.
    bool standsForRows = false;
    /// Known only because somebody waits for it: held, and nobody knows since when.
    bool isDeduced = false;
    bool isTried =
        false; ///< taken only because it was free: nobody waits for it so, and no order leads to it
    bool isOfTransaction = false; ///< can't be given back before its transaction ends
    bool isOfStatement = false; ///< given back at the end of its statement, or before
    std::optional<ServerTime> since; ///< granted, exact; else nothing

    bool isSameAs(const SeenLock& other) const
    {
        return name->lock == other.name->lock && mode == other.mode && standsForRows == other.standsForRows;
    }
};

/// Returns whether the session's locks count: not those of the monitor itself, nor of the server.
bool isClient(const Session& session);

/// The locks of each session that counts, at one poll: the input for lock order. Sorted by session, then by
/// lock. Made by LockSnapshotReader, or by hand where more is known than a snapshot shows.
struct LockSnapshot {
    Engine engine = Engine::Postgres;
    ServerTime at;
    std::vector<SeenLock> locks;
    SnapshotPtr snapshot; ///< with the sessions
    bool isComplete = true; ///< false: locks may be missing that were there; what is new here may be old

    void sort();
};

/// Reads snapshots. Not read are the monitor's own sessions, those of the server itself, transactions that
/// have no session, lock-table entries whose session is gone. One thread.
class LockSnapshotReader {
public:
    LockSnapshot read(const SnapshotPtr& snapshot);

private:
    LockNames m_names;
};

/// The transactions of a server's clients: how many of them polls can follow.
struct TransactionCounts {
    qint64 seen = 0; ///< by one poll or more
    qint64 followed = 0; ///< of them, by two polls or more: the order of the others is known by waits only
    qint64 unknown = 0; ///< new locks that were not counted: no transaction is known that had the others, too
    qint64 serverSum = 0; ///< of what the server counted in a minute
    qint64 serverTimes = 0; ///< how often it did

    /// By the server, in as much time as passed between two polls; nothing: unknown.
    std::optional<qint64> counted(ServerTime from, ServerTime to) const;
};

/// Finds, poll by poll, the order in which locks were taken:
///
/// - A session that waits for a lock has had all that it holds before: it does one thing at a time.
/// - A new lock of a session was taken after those that it has had since the poll before: if their times are
///   known, or if the transaction is the same. For certain if the transaction keeps its locks; else as far as
///   polls can show.
/// - Two that are both new: the order is unknown, and nothing is counted, unless both times are known.
/// - A session without a transaction, or with an unknown one, may have given its locks back between two
///   polls: nothing is counted.
///
/// After a gap (another server's poll, time that goes back, an incomplete poll) it begins again. It asks
/// no server. One thread.
class OrderOfSnapshots {
public:
    /// `everyStep`: between two polls there is only one step of one session.
    explicit OrderOfSnapshots(bool everyStep = false)
        : m_isEveryStep(everyStep)
    {
    }

    /// `step`: of which step of a scenario a session's new locks are, if any.
    using StepName = std::function<QString(SessionKey)>;
    void add(LockSnapshot locksSeen, const StepName& step = {});
    void add(const SnapshotPtr& snapshot) { add(m_reader.read(snapshot)); }
    /// The next poll follows on nothing.
    void markGap() { m_before = {}; }
    /// Notes the transactions that the server itself has counted, of all sessions.
    void noteServerCount(qint64 perMinute);

    const LockOrder& order() const { return m_order; }
    const TransactionCounts& transactions() const { return m_transactions; }
    qint64 polls() const { return m_polls; }
    ServerTime first() const { return m_first; } ///< of the first poll
    ServerTime last() const { return m_last; }

private:
    using Locks = std::span<const SeenLock>;
    /// The locks of one session, at this poll and at the one before.
    struct OfSession {
        Locks now;
        Locks before;
        bool isOneTransaction = false; ///< at both polls
        bool hasTransaction = false; ///< that is known
    };
    void keepDeduced(LockSnapshot& locksSeen) const;
    void countTransactions(const LockSnapshot& locksSeen);
    void addSession(const LockSnapshot& locksSeen, const OfSession& session, const StepName& step);
    static LockOrder::Step stepTo(const LockSnapshot& locksSeen, const SeenLock& second);
    std::optional<Evidence> evidenceOf(const LockSnapshot& locksSeen, const OfSession& session,
        const SeenLock& first, const SeenLock& second) const;

    /// The transaction that a session had at the last poll.
    struct Running {
        ServerTime began;
        bool isFollowed = false; ///< it was there at a poll before, too
    };

    const bool m_isEveryStep;
    LockSnapshotReader m_reader;
    LockSnapshot m_before;
    LockOrder m_order;
    QHash<SessionKey, Running> m_running;
    TransactionCounts m_transactions;
    qint64 m_polls = 0;
    ServerTime m_first;
    ServerTime m_last;
};

} // namespace lockscope::order
