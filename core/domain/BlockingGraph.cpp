// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingGraph.h"

#include "core/domain/Harm.h"
#include "core/domain/StrongComponents.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace lockscope {

namespace {

constexpr quint32 noNode = ~0U;

quint32 nodeOf(const std::vector<SessionId>& nodes, SessionId session)
{
    const auto found = std::ranges::lower_bound(nodes, session);
    return found != nodes.end() && *found == session ? static_cast<quint32>(found - nodes.begin()) : noNode;
}

struct Nodes {
    std::vector<SessionId> sessions; ///< ascending: the position is the node's number
    std::vector<Adjacency::Pair> edges; ///< waiter, blocker
};

/// Numbers sessions as they come: a table of open addresses, for hundreds of thousands of questions about a
/// few thousand of them.
class SessionNumbers {
public:
    SessionNumbers()
        : m_slots(smallest, free)
    {
    }

    quint32 of(SessionId session)
    {
        for (size_t slot = placeOf(session);; slot = (slot + 1) & (m_slots.size() - 1)) {
            if (m_slots[slot] == free)
                return add(session, slot);
            if (m_sessions[m_slots[slot]] == session)
                return m_slots[slot];
        }
    }
    const std::vector<SessionId>& sessions() const { return m_sessions; } ///< by number

private:
    static constexpr size_t smallest = 64; // a power of two, as each size is
    static constexpr quint32 free = ~0U;

    size_t placeOf(SessionId session) const
    {
        constexpr quint64 factor = 0x9E37'79B9'7F4A'7C15; // 2^64 over the golden ratio
        return (static_cast<quint64>(session.value) * factor >> 32) & (m_slots.size() - 1);
    }

    quint32 add(SessionId session, size_t slot)
    {
        const auto number = static_cast<quint32>(m_sessions.size());
        m_sessions.push_back(session);
        m_slots[slot] = number;
        if (m_sessions.size() * 2 > m_slots.size())
            grow();
        return number;
    }

    void grow()
    {
        m_slots.assign(m_slots.size() * 4, free);
        for (quint32 number = 0; number < m_sessions.size(); ++number) {
            size_t slot = placeOf(m_sessions[number]);
            while (m_slots[slot] != free)
                slot = (slot + 1) & (m_slots.size() - 1);
            m_slots[slot] = number;
        }
    }

    std::vector<quint32> m_slots;
    std::vector<SessionId> m_sessions;
};

// Edges come grouped by waiter, and a queue has many: each waiter is looked up once.
Nodes nodesOf(std::span<const WaitEdge> edges)
{
    SessionNumbers seen;
    Nodes nodes;
    nodes.edges.reserve(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) {
        const bool sameWaiter = i > 0 && edges[i].waiter == edges[i - 1].waiter;
        const quint32 waiter = sameWaiter ? nodes.edges.back().first : seen.of(edges[i].waiter);
        nodes.edges.emplace_back(waiter, seen.of(edges[i].blocker));
    }
    std::vector<quint32> ascending(seen.sessions().size());
    std::iota(ascending.begin(), ascending.end(), 0U);
    std::ranges::sort(ascending, {}, [&](quint32 number) { return seen.sessions()[number]; });
    std::vector<quint32> ranks(ascending.size());
    nodes.sessions.reserve(ascending.size());
    for (quint32 rank = 0; rank < ranks.size(); ++rank) {
        ranks[ascending[rank]] = rank;
        nodes.sessions.push_back(seen.sessions()[ascending[rank]]);
    }
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
    for (const Session& session : snapshot.sessions)
        if (session.own)
            waits[session.id].isOwn = true;
    return waits;
}

} // namespace

BlockingGraph::BlockingGraph(const Snapshot& snapshot)
{
    build(snapshot.waits, waitsIn(snapshot));
    noteInheritance(snapshot);
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
    connect(nodes.edges);
    leaveOutOwn(edges, nodes.edges, waits);
    orderWaiters(waits);
    m_freed.assign(m_nodes.size(), 0);
    m_holds.assign(m_nodes.size(), false);
    for (size_t i = 0; i < edges.size(); ++i)
        if (edges[i].kind == WaitEdge::Kind::Holder)
            m_holds[nodes.edges[i].second] = true;
    for (quint32 node = 0; node < m_nodes.size(); ++node) {
        const auto& blockers = m_blockers[node];
        const auto counts = [this](quint32 blocker) { return !m_isLeftOut[blocker]; };
        const auto first = std::ranges::find_if(blockers, counts);
        if (!m_isLeftOut[node] && first != blockers.end()
            && std::none_of(std::next(first), blockers.end(), counts))
            ++m_freed[*first];
    }

    const StrongComponents components = strongComponents(m_waiters);
    collectCycles(components.members);
    const std::vector<Victims> victims = countVictims(components, m_waiters, waits);
    for (size_t node = 0; node < m_nodes.size(); ++node)
        m_victims.push_back(victims[components.of[node]].count);
    rankHeads(components, victims);
    chargeToHeads();
}

void BlockingGraph::connect(std::span<const Adjacency::Pair> edges)
{
    const size_t count = m_nodes.size();
    std::vector<Adjacency::Pair> turned; // blocker, waiter
    turned.reserve(edges.size());
    for (const auto& [waiter, blocker] : edges)
        if (waiter != blocker)
            turned.emplace_back(blocker, waiter);
    // Pairs that are taken in order need not be sorted in each list.
    const Adjacency unordered(count, turned);
    std::vector<Adjacency::Pair> pairs;
    pairs.reserve(turned.size());
    for (quint32 blocker = 0; blocker < count; ++blocker)
        for (const quint32 waiter : unordered[blocker])
            pairs.emplace_back(waiter, blocker);
    m_blockers = Adjacency(count, pairs).withoutRepeats();
}

/// Keeps those of our own waiters over which alone others are reached, and holders: they may close a ring.
/// One that is kept is a waiter like any other, so that it may keep the next one.
void BlockingGraph::leaveOutOwn(std::span<const WaitEdge> edges, std::span<const Adjacency::Pair> pairs,
    const std::vector<NodeWait>& waits)
{
    m_isLeftOut.assign(m_nodes.size(), false);
    for (quint32 node = 0; node < m_nodes.size(); ++node)
        m_isLeftOut[node] = waits[node].isOwn && !m_blockers[node].empty();
    std::vector<bool> before(m_nodes.size());
    while (before != m_isLeftOut) {
        before = m_isLeftOut;
        const auto isLeftOut = [&before](quint32 node) { return bool(before[node]); };
        for (size_t i = 0; i < edges.size(); ++i) {
            const auto& [waiter, blocker] = pairs[i];
            if (waiter == blocker || before[waiter] || !before[blocker])
                continue;
            if (edges[i].kind == WaitEdge::Kind::Holder || std::ranges::all_of(m_blockers[waiter], isLeftOut))
                m_isLeftOut[blocker] = false;
        }
    }
}

void BlockingGraph::orderWaiters(const std::vector<NodeWait>& waits)
{
    const size_t count = m_nodes.size();
    std::vector<quint32> longestFirst(count);
    std::iota(longestFirst.begin(), longestFirst.end(), 0U);
    std::ranges::stable_sort(
        longestFirst, std::greater<>(), [&](quint32 node) { return waits[node].age.value; });
    std::vector<Adjacency::Pair> pairs;
    for (const quint32 waiter : longestFirst) {
        if (m_isLeftOut[waiter])
            continue;
        for (const quint32 blocker : m_blockers[waiter])
            pairs.emplace_back(blocker, waiter);
    }
    m_waiters = Adjacency(count, pairs);
}

void BlockingGraph::collectCycles(const std::vector<std::vector<quint32>>& components)
{
    std::vector<const std::vector<quint32>*> rings;
    for (const auto& members : components)
        if (members.size() > 1)
            rings.push_back(&members);
    std::ranges::sort(rings, [](const auto* a, const auto* b) { return *a < *b; });
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
            m_heads.push_back({{.victims = below.count,
                                   .joined = below.joined,
                                   .longestWait = below.longestWait.value,
                                   .longestExact = below.longestWait.exact},
                m_nodes[node], below.depth});
    }
    std::ranges::stable_sort(m_heads, isWorse);
}

/// Goes from the worst head down: the first one that comes to a node has it. Then come nodes that only rings
/// lead to.
void BlockingGraph::chargeToHeads()
{
    m_headOf.assign(m_nodes.size(), {});
    std::vector<SessionId> first;
    for (const Head& head : m_heads)
        first.push_back(head.session);
    for (const std::vector<SessionId>& ring : m_cycles)
        first.push_back(ring.front());
    std::vector<quint32> open;
    for (const SessionId head : first) {
        open.push_back(nodeOf(m_nodes, head));
        while (!open.empty()) {
            const quint32 node = open.back();
            open.pop_back();
            if (m_headOf[node].isValid())
                continue;
            m_headOf[node] = head;
            open.insert(open.end(), m_waiters[node].begin(), m_waiters[node].end());
        }
    }
}

/// A head that was seen waiting since its queue began has not made all of it.
void BlockingGraph::noteInheritance(const Snapshot& snapshot)
{
    QHash<SessionId, Head*> heirs;
    for (Head& head : m_heads) {
        const Session* session = snapshot.session(head.session);
        if (!session || !session->waitedUntil)
            continue;
        const auto since = std::chrono::ceil<milliseconds>(snapshot.takenAt - *session->waitedUntil);
        if (since >= head.longestWait)
            continue;
        head.inheritedWithin = std::max(since, milliseconds(0));
        heirs.insert(head.session, &head);
    }
    if (heirs.isEmpty())
        return;
    const WaitTargets targets(snapshot);
    for (const WaitEdge& edge : snapshot.waits) {
        Head* const head = heirs.value(edge.blocker);
        if (!head || head->hasWhatItWaitedFor)
            continue;
        LockRequest wait;
        wait.session = edge.waiter;
        wait.resource = edge.resource;
        const Resource* target = targets.of(wait);
        head->hasWhatItWaitedFor = target && target->name == snapshot.session(head->session)->waitedFor;
    }
}

std::vector<SessionId> BlockingGraph::blockersOf(SessionId session) const
{
    std::vector<SessionId> found;
    if (const quint32 node = nodeOf(m_nodes, session); node != noNode)
        for (const quint32 blocker : m_blockers[node])
            found.push_back(m_nodes[blocker]);
    return found;
}

std::vector<SessionId> BlockingGraph::waitersOf(SessionId session) const
{
    std::vector<SessionId> found;
    if (const quint32 node = nodeOf(m_nodes, session); node != noNode)
        for (const quint32 waiter : m_waiters[node])
            found.push_back(m_nodes[waiter]);
    return found;
}

SessionId BlockingGraph::headOf(SessionId session) const
{
    const quint32 node = nodeOf(m_nodes, session);
    return node == noNode ? SessionId() : m_headOf[node];
}

SessionId BlockingGraph::worstHead() const
{
    for (const std::vector<SessionId>& ring : m_cycles)
        if (headOf(ring.front()) == ring.front())
            return ring.front();
    return m_heads.empty() ? SessionId() : m_heads.front().session;
}

int BlockingGraph::blockedCount() const
{
    int count = 0;
    for (quint32 node = 0; node < m_nodes.size(); ++node)
        count += m_blockers[node].empty() || m_isLeftOut[node] ? 0 : 1;
    return count;
}

int BlockingGraph::freedBy(SessionId session) const
{
    const quint32 node = nodeOf(m_nodes, session);
    return node == noNode ? 0 : m_freed[node];
}

SessionId BlockingGraph::jamBehind(SessionId head) const
{
    const quint32 node = nodeOf(m_nodes, head);
    if (node == noNode || !m_blockers[node].empty())
        return {};
    quint32 best = noNode;
    for (const quint32 waiter : m_waiters[node])
        if (!m_holds[waiter] && m_freed[waiter] > (best == noNode ? 0 : m_freed[best]))
            best = waiter;
    return best == noNode ? SessionId() : m_nodes[best];
}

const std::vector<SessionId>* BlockingGraph::ringOf(SessionId session) const
{
    const quint32 node = nodeOf(m_nodes, session);
    return node == noNode || m_cycleOf[node] < 0 ? nullptr : &m_cycles[static_cast<size_t>(m_cycleOf[node])];
}

int BlockingGraph::victimsOf(SessionId session) const
{
    const quint32 node = nodeOf(m_nodes, session);
    return node == noNode ? 0 : m_victims[node];
}

bool BlockingGraph::leavesOut(SessionId session) const
{
    const quint32 node = nodeOf(m_nodes, session);
    return node != noNode && m_isLeftOut[node];
}

const BlockingGraph& Snapshot::blocking() const
{
    return m_blocking.get([this] { return BlockingGraph(*this); });
}

bool isPlaceInQueue(const Snapshot& snapshot, const LockRequest& request)
{
    return snapshot.engine == Engine::Postgres && !request.isWaiting()
        && snapshot.resourceOf(request).key.kind == ResourceKind::Row;
}

QueuePlaces::QueuePlaces(const Snapshot& snapshot)
    : m_snapshot(snapshot)
{
    for (quint32 i = 0; i < snapshot.requests.size(); ++i)
        if (isPlaceInQueue(snapshot, snapshot.requests[i]))
            m_requests.insert(snapshot.requests[i].session, i);
}

const LockRequest* QueuePlaces::of(SessionId session) const
{
    const auto place = m_requests.constFind(session);
    return place == m_requests.cend() ? nullptr : &m_snapshot.requests[*place];
}

WaitTargets::WaitTargets(const Snapshot& snapshot)
    : m_snapshot(snapshot)
    , m_places(snapshot)
{
    for (const LockRequest& request : snapshot.requests) {
        const ResourceKey& key = snapshot.resourceOf(request).key;
        if (key.kind == ResourceKind::Relation)
            m_tables.insert({key.database, key.entity}, request.resource);
    }
}

const Resource* WaitTargets::of(const LockRequest& wait) const
{
    const Resource& resource = m_snapshot.resourceOf(wait);
    if (resource.key.kind != ResourceKind::TransactionId)
        return &resource;
    const LockRequest* const place = m_places.of(wait.session);
    return place ? &m_snapshot.resourceOf(*place) : nullptr;
}

QString WaitTargets::tableOf(const LockRequest& wait) const
{
    const Resource* target = of(wait);
    if (!target)
        return {};
    const ResourceKey& key = target->key;
    if (key.kind == ResourceKind::Relation)
        return target->name;
    if (key.kind != ResourceKind::Row && key.kind != ResourceKind::Page && key.kind != ResourceKind::Extend)
        return {};
    const auto table = m_tables.constFind({key.database, key.entity});
    return table == m_tables.cend() ? QString() : m_snapshot.resources[*table].name;
}

} // namespace lockscope
