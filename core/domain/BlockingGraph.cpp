// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingGraph.h"

#include "core/domain/StrongComponents.h"
#include "core/domain/Victims.h"

#include <algorithm>

namespace lockscope {

namespace {

constexpr quint32 noNode = ~0U;

quint32 nodeOf(const std::vector<SessionId>& nodes, SessionId session)
{
    const auto found = std::lower_bound(nodes.begin(), nodes.end(), session);
    return found != nodes.end() && *found == session ? static_cast<quint32>(found - nodes.begin()) : noNode;
}

struct Nodes {
    std::vector<SessionId> sessions; ///< ascending: the position is the node's number
    std::vector<std::pair<quint32, quint32>> edges; ///< waiter, blocker
};

// Edges come grouped by waiter, and a queue has many: each end is looked up once.
Nodes nodesOf(std::span<const WaitEdge> edges)
{
    QHash<SessionId, quint32> seen;
    const auto numberOf = [&seen](SessionId session) {
        const auto found = seen.constFind(session);
        if (found != seen.cend())
            return *found;
        const auto number = static_cast<quint32>(seen.size());
        seen.insert(session, number);
        return number;
    };
    Nodes nodes;
    nodes.edges.reserve(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) {
        const bool sameWaiter = i > 0 && edges[i].waiter == edges[i - 1].waiter;
        const quint32 waiter = sameWaiter ? nodes.edges.back().first : numberOf(edges[i].waiter);
        nodes.edges.emplace_back(waiter, numberOf(edges[i].blocker));
    }
    nodes.sessions.assign(seen.keyBegin(), seen.keyEnd());
    std::sort(nodes.sessions.begin(), nodes.sessions.end());
    std::vector<quint32> ranks(nodes.sessions.size());
    for (quint32 rank = 0; rank < ranks.size(); ++rank)
        ranks[seen.value(nodes.sessions[rank])] = rank;
    for (auto& [waiter, blocker] : nodes.edges) {
        waiter = ranks[waiter];
        blocker = ranks[blocker];
    }
    return nodes;
}

// A parallel worker's wait is its leader's, as it is in the edges.
QHash<SessionId, NodeWait> waitsIn(const Snapshot& snapshot)
{
    QHash<SessionId, NodeWait> waits;
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        const auto age = snapshot.ageOf(request);
        NodeWait& longest = waits[snapshot.leaderOf(request.session)];
        if (age && age->value >= longest.age.value)
            longest = {*age, age->exact && age->value < joinedWithin};
    }
    return waits;
}

} // namespace

BlockingGraph::BlockingGraph(const Snapshot& snapshot)
{
    build(snapshot.waits, waitsIn(snapshot));
}

BlockingGraph::BlockingGraph(std::span<const WaitEdge> edges)
{
    build(edges, {});
}

void BlockingGraph::build(std::span<const WaitEdge> edges, const QHash<SessionId, NodeWait>& waitOf)
{
    Nodes nodes = nodesOf(edges);
    m_nodes = std::move(nodes.sessions);
    std::vector<NodeWait> waits;
    waits.reserve(m_nodes.size());
    for (const SessionId session : m_nodes)
        waits.push_back(waitOf.value(session));
    connect(nodes.edges, waits);

    const StrongComponents components = strongComponents(m_waiters);
    collectCycles(components.members);
    const std::vector<Victims> victims = countVictims(components, m_waiters, waits);
    for (size_t node = 0; node < m_nodes.size(); ++node) {
        m_victims.push_back(victims[components.of[node]].count);
        m_depth.push_back(victims[components.of[node]].depth);
    }
    rankHeads(components, victims);
}

void BlockingGraph::connect(
    const std::vector<std::pair<quint32, quint32>>& edges, const std::vector<NodeWait>& waits)
{
    m_blockers.resize(m_nodes.size());
    m_waiters.resize(m_nodes.size());
    for (const auto& [waiter, blocker] : edges) {
        if (waiter != blocker)
            m_blockers[waiter].push_back(blocker);
    }
    for (quint32 node = 0; node < m_nodes.size(); ++node) {
        auto& blockers = m_blockers[node];
        std::sort(blockers.begin(), blockers.end());
        blockers.erase(std::unique(blockers.begin(), blockers.end()), blockers.end());
        for (const quint32 blocker : blockers)
            m_waiters[blocker].push_back(node);
    }
    for (auto& waiters : m_waiters) {
        std::stable_sort(waiters.begin(), waiters.end(),
            [&waits](quint32 a, quint32 b) { return waits[a].age.value > waits[b].age.value; });
    }
}

void BlockingGraph::collectCycles(const std::vector<std::vector<quint32>>& components)
{
    std::vector<const std::vector<quint32>*> rings;
    for (const auto& members : components) {
        if (members.size() > 1)
            rings.push_back(&members);
    }
    std::sort(rings.begin(), rings.end(), [](const auto* a, const auto* b) { return *a < *b; });
    m_cycleOf.assign(m_nodes.size(), -1);
    for (const auto* ring : rings) {
        std::vector<SessionId> sessions;
        for (const quint32 node : *ring) {
            m_cycleOf[node] = static_cast<int>(m_cycles.size());
            sessions.push_back(m_nodes[node]);
        }
        m_cycles.push_back(std::move(sessions));
    }
}

void BlockingGraph::rankHeads(const StrongComponents& components, const std::vector<Victims>& victims)
{
    for (size_t node = 0; node < m_nodes.size(); ++node) {
        const Victims& below = victims[components.of[node]];
        if (m_blockers[node].empty() && below.count > 0)
            m_heads.push_back({{below.count, below.joined, below.longestWait.value, below.longestWait.exact},
                m_nodes[node], below.depth});
    }
    std::stable_sort(m_heads.begin(), m_heads.end(), isWorse);
}

std::vector<SessionId> BlockingGraph::sessions() const
{
    return m_nodes;
}

std::vector<SessionId> BlockingGraph::blockersOf(SessionId session) const
{
    std::vector<SessionId> found;
    if (const quint32 node = nodeOf(m_nodes, session); node != noNode) {
        for (const quint32 blocker : m_blockers[node])
            found.push_back(m_nodes[blocker]);
    }
    return found;
}

std::vector<SessionId> BlockingGraph::waitersOf(SessionId session) const
{
    std::vector<SessionId> found;
    if (const quint32 node = nodeOf(m_nodes, session); node != noNode) {
        for (const quint32 waiter : m_waiters[node])
            found.push_back(m_nodes[waiter]);
    }
    return found;
}

std::vector<SessionId> BlockingGraph::chainOf(SessionId session) const
{
    std::vector<SessionId> chain;
    quint32 node = nodeOf(m_nodes, session);
    if (node == noNode)
        return chain;
    std::vector<bool> passed(m_nodes.size(), false);
    while (!passed[node]) {
        passed[node] = true;
        chain.push_back(m_nodes[node]);
        if (m_blockers[node].empty())
            break;
        node = m_blockers[node].front();
    }
    return chain;
}

bool BlockingGraph::inCycle(SessionId session) const
{
    const quint32 node = nodeOf(m_nodes, session);
    return node != noNode && m_cycleOf[node] >= 0;
}

int BlockingGraph::victimsOf(SessionId session) const
{
    const quint32 node = nodeOf(m_nodes, session);
    return node == noNode ? 0 : m_victims[node];
}

int BlockingGraph::depthBelow(SessionId session) const
{
    const quint32 node = nodeOf(m_nodes, session);
    return node == noNode ? 0 : m_depth[node];
}

} // namespace lockscope
