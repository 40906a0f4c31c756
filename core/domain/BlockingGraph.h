// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Adjacency.h"
#include "core/domain/Harm.h"
#include "core/domain/Snapshot.h"

#include <span>

namespace lockscope {

struct NodeWait;
struct StrongComponents;
struct Victims;

/// Who stands before whom. Built once from wait edges; only read afterwards. That of a snapshot is
/// Snapshot::blocking().
/// 10,000 sessions take well under 50 ms.
class BlockingGraph {
public:
    /// Why a session is at the head, in the order of "look here first".
    struct Head : Harm {
        SessionId session = {};
        int depth = 0; ///< longest chain below it; a ring counts as its members one below another
    };

    BlockingGraph() = default;
    /// From `snapshot.waits`; the requests give the lengths of the waits. The graph does not keep the
    /// snapshot.
    explicit BlockingGraph(const Snapshot& snapshot);
    /// Edges alone, all waits of length zero.
    explicit BlockingGraph(std::span<const WaitEdge> edges);

    bool isEmpty() const { return m_nodes.empty(); }
    /// Sessions that block and do not wait, the worst first (isWorse); ties by session id.
    const std::vector<Head>& heads() const { return m_heads; }
    /// Every session in the graph, ascending.
    std::vector<SessionId> sessions() const;
    /// Whom this session waits for, ascending, without repeats.
    std::vector<SessionId> blockersOf(SessionId session) const;
    /// Who waits for this session directly, longest wait first; ties by session id.
    std::vector<SessionId> waitersOf(SessionId session) const;
    /// One way from this session up to a head or into a cycle: waiter, blocker, blocker's blocker …
    std::vector<SessionId> chainOf(SessionId session) const;
    /// The last of chainOf(), and how many there are: without a walk.
    struct ChainEnd {
        SessionId session = {};
        quint32 length = 0;
    };
    ChainEnd endOfChain(SessionId session) const;
    /// Sessions that wait for each other in a ring; each ring ascending, once.
    const std::vector<std::vector<SessionId>>& cycles() const { return m_cycles; }
    bool inCycle(SessionId session) const { return ringOf(session) != nullptr; }
    /// One of cycles(); null if the session is in none.
    const std::vector<SessionId>* ringOf(SessionId session) const;
    int victimsOf(SessionId session) const; ///< direct and indirect, each counted once
    int depthBelow(SessionId session) const;

private:
    void build(std::span<const WaitEdge> edges, const QHash<SessionId, NodeWait>& waits);
    void connect(std::span<const Adjacency::Pair> edges, const std::vector<NodeWait>& waits);
    void collectCycles(const std::vector<std::vector<quint32>>& components);
    void findEndsOfChains();
    void endChains(const std::vector<quint32>& walk, quint32 at);
    void rankHeads(const StrongComponents& components, const std::vector<Victims>& victims);

    std::vector<SessionId> m_nodes; // ascending
    Adjacency m_blockers; // ascending
    Adjacency m_waiters; // longest wait first
    std::vector<int> m_cycleOf; // node → index into m_cycles or -1
    struct NodeEnd {
        quint32 node = 0;
        quint32 length = 0; ///< 0: not known yet
    };
    std::vector<NodeEnd> m_ends; // node → where its chain ends
    std::vector<int> m_victims;
    std::vector<int> m_depth;
    std::vector<Head> m_heads;
    std::vector<std::vector<SessionId>> m_cycles;
};

} // namespace lockscope
