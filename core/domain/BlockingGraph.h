// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Harm.h"
#include "core/domain/Snapshot.h"
#include "core/domain/StrongComponents.h"

#include <span>

namespace lockscope {

struct NodeWait;
struct Victims;

/// Says who blocks whom, and who causes a wait. Built once from wait edges; only read afterwards. That of a
/// snapshot is Snapshot::blocking(). 10,000 sessions take well under 50 ms.
///
/// A wait is charged to the head blocker of its chain at that time: a session that blocks, waits for nobody,
/// and is reached from the waiter over blockers, whether these hold what is waited for or are ahead in its
/// queue. A waiter behind several heads counts for each of them. Where one name is needed (alerts, the tree,
/// recorded snapshots) it is that of the worst, headOf(). Sessions that wait for each other in a ring, and
/// those behind them, have no head; the ring's smallest session stands for it. Ranges of a recording follow
/// the same rule over time (record/RangeBlame). Who blocks directly is another figure: blockersOf().
///
/// As in all figures (Snapshot::waitingSessions()), waits of Lockscope's own sessions harm nobody: such a
/// session has blockers here, but is no victim and no waiter of theirs. Only one that blocks others, who
/// without it would seem to wait for nobody, is there like any other.
class BlockingGraph {
public:
    /// A session at the head, with the harm by which heads are ordered.
    struct Head : Harm {
        SessionId session = {};
        int depth = 0; ///< longest chain below it; a ring counts as its members one below another
    };

    BlockingGraph() = default;
    /// Builds it from `snapshot.waits`; the requests give the lengths of the waits. The graph does not keep
    /// the snapshot.
    explicit BlockingGraph(const Snapshot& snapshot);
    /// Edges alone, all waits of length zero.
    explicit BlockingGraph(std::span<const WaitEdge> edges);

    bool isEmpty() const { return m_nodes.empty(); }
    /// Sessions that block and do not wait, the worst first (isWorse); ties by session id.
    const std::vector<Head>& heads() const { return m_heads; }
    /// Every session in the graph, ascending.
    std::vector<SessionId> sessions() const { return m_nodes; }
    /// Returns the sessions that this one waits for, ascending, without repeats.
    std::vector<SessionId> blockersOf(SessionId session) const;
    /// Returns the sessions that wait for this one directly, longest wait first; ties by session id.
    std::vector<SessionId> waitersOf(SessionId session) const;
    /// The session that this one's wait is charged to: the worst of the heads that it is behind, itself if it
    /// is a head; without one the smallest session of the ring that it is in or behind. Invalid if it neither
    /// blocks nor is blocked, or is left out.
    SessionId headOf(SessionId session) const;
    /// Returns the session to inspect first: the smallest of a ring that no head leads to, else the worst
    /// head; invalid if nobody is blocked.
    SessionId worstHead() const;
    int blockedCount() const; ///< sessions that others block
    /// Sessions that wait for this one alone: they go on if it gives way (Aftermath::next).
    int freedBy(SessionId session) const;
    /// Returns the waiter for this head that lets most others go on if it gives up its wait, because it is
    /// only ahead of them in the queue and the head's lock does not keep them. A report, an ALTER TABLE
    /// behind it, and all others behind that. Invalid if there is none.
    SessionId jamBehind(SessionId head) const;
    /// Sessions that wait for each other in a ring; each ring ascending, once.
    const std::vector<std::vector<SessionId>>& cycles() const { return m_cycles; }
    bool inCycle(SessionId session) const { return ringOf(session) != nullptr; }
    /// One of cycles(); null if the session is in none.
    const std::vector<SessionId>* ringOf(SessionId session) const;
    int victimsOf(SessionId session) const; ///< direct and indirect, each counted once
    bool leavesOut(SessionId session) const; ///< it is Lockscope's own, and no victim

private:
    void build(std::span<const WaitEdge> edges, const QHash<SessionId, NodeWait>& waits);
    void connect(std::span<const Adjacency::Pair> edges);
    void leaveOutOwn(std::span<const WaitEdge> edges, std::span<const Adjacency::Pair> pairs,
        const std::vector<NodeWait>& waits);
    void orderWaiters(const std::vector<NodeWait>& waits);
    void collectCycles(const std::vector<std::vector<quint32>>& components);
    void chargeToHeads();
    void noteInheritance(const Snapshot& snapshot);
    void rankHeads(const StrongComponents& components, const std::vector<Victims>& victims);

    std::vector<SessionId> m_nodes; // ascending
    Adjacency m_blockers; // ascending
    Adjacency m_waiters; // longest wait first
    std::vector<int> m_cycleOf; // node → index into m_cycles or -1
    std::vector<SessionId> m_headOf; // node → what headOf() says
    std::vector<int> m_freed; // node → what freedBy() says
    std::vector<bool> m_holds; // node → it holds what others wait for
    std::vector<bool> m_isLeftOut; // node → it is Lockscope's own, and no waiter of its blockers
    std::vector<int> m_victims;
    std::vector<Head> m_heads;
    std::vector<std::vector<SessionId>> m_cycles;
};

/// Returns whether it is the place in a row's queue, and not the row: PostgreSQL's lock on a row that is
/// held.
bool isPlaceInQueue(const Snapshot& snapshot, const LockRequest& request);

/// The places in rows' queues that sessions hold while they wait for the transaction that has the row.
class QueuePlaces {
public:
    /// Keeps `snapshot`, which must live longer. O(requests).
    explicit QueuePlaces(const Snapshot& snapshot);

    /// The place that the session holds; null if it holds none.
    const LockRequest* of(SessionId session) const;

private:
    const Snapshot& m_snapshot;
    QHash<SessionId, quint32> m_requests;
};

/// Finds the row behind waits for transactions. On PostgreSQL a session that waits for a row changed by
/// another transaction waits for that transaction; meanwhile it holds the lock on the row's place, which
/// gives row and table. A wait without one (for a duplicate of a key, say) is not guessed at.
class WaitTargets {
public:
    /// Keeps `snapshot`, which must live longer. O(requests).
    explicit WaitTargets(const Snapshot& snapshot);

    /// The row that `wait` is for: its own resource, or for a wait for a transaction the row's place. Null if
    /// it waits for a transaction and the row is unknown.
    const Resource* of(const LockRequest& wait) const;
    /// The table of what `wait` is for; empty if it is for none, or not known by name.
    QString tableOf(const LockRequest& wait) const;

private:
    const Snapshot& m_snapshot;
    const QueuePlaces m_places;
    QHash<std::pair<quint32, quint64>, quint32> m_tables; // by database and relation
};

} // namespace lockscope
