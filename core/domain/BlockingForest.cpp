// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingForest.h"

#include "core/base/Sentences.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/SnapshotNames.h"

#include <QHash>
#include <QSet>
#include <QStringList>

#include <algorithm>
#include <tuple>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

/// Waiters below this depth stand beside each other: a nested chain of thousands would overflow the stack of
/// code that walks through it, and nobody could read it.
constexpr int maxDepth = 200;

/// The first names of a list, and how many there are.
struct ListedNames {
    QStringList first;
    qsizetype count = 0;

    void add(const QString& name)
    {
        if (count++ < maxNamesInList)
            first << name;
    }
    QString text() const { return namesAndMore(first, count); }
};

class ForestBuilder {
public:
    ForestBuilder(const Snapshot& snapshot, milliseconds longRunning)
        : m_snapshot(snapshot)
        , m_graph(snapshot.blocking())
        , m_targets(snapshot)
        , m_roles(frameworkRoles(snapshot))
        , m_diagnoser(snapshot)
        , m_longRunning(longRunning)
    {
        chooseParents();
        for (const LockRequest& request : snapshot.requests) {
            if (!request.isWaiting())
                continue;
            const LockRequest*& known = m_requests[{snapshot.leaderOf(request.session), request.resource}];
            if (!known || request.since < known->since)
                known = &request;
        }
        addRings();
        for (const BlockingGraph::Head& head : m_graph.heads()) {
            m_roots.push_back(head.session);
            m_harm.insert(head.session, head);
        }
        for (const SessionId session : m_graph.sessions()) {
            const auto parent = m_parent.constFind(session);
            if (parent != m_parent.cend() && !m_graph.leavesOut(session))
                m_children[*parent].push_back(session);
        }
        limitDepth();
    }

    std::vector<BlockingNode> forest() const
    {
        std::vector<BlockingNode> nodes;
        nodes.reserve(m_roots.size());
        for (const SessionId root : m_roots)
            nodes.push_back(node(root));
        return nodes;
    }

private:
    void chooseParents()
    {
        for (const WaitEdge& edge : m_snapshot.waits) {
            if (edge.waiter == edge.blocker)
                continue;
            const WaitEdge*& chosen = m_edges[edge.waiter];
            if (edge.kind == WaitEdge::Kind::Holder)
                m_held.insert({edge.waiter, edge.blocker});
            if (!chosen || placeOf(edge) < placeOf(*chosen))
                chosen = &edge;
        }
        for (auto edge = m_edges.cbegin(); edge != m_edges.cend(); ++edge)
            m_parent.insert(edge.key(), (*edge)->blocker);
    }

    /// Prefers the blocker that leads to the head that the wait is charged to, and among these a holder.
    std::tuple<bool, WaitEdge::Kind, SessionId> placeOf(const WaitEdge& edge) const
    {
        return {m_graph.headOf(edge.blocker) != m_graph.headOf(edge.waiter), edge.kind, edge.blocker};
    }

    /// Walks up from each session; one that leads back to itself is in a ring, which then gets a root.
    void addRings()
    {
        QSet<SessionId> settled;
        for (const SessionId start : m_graph.sessions()) {
            std::vector<SessionId> walk;
            QSet<SessionId> onWalk;
            SessionId at = start;
            while (!settled.contains(at) && !onWalk.contains(at)) {
                walk.push_back(at);
                onWalk.insert(at);
                const auto parent = m_parent.constFind(at);
                if (parent == m_parent.cend())
                    break;
                at = *parent;
            }
            if (m_parent.contains(at) && onWalk.contains(at) && !settled.contains(at)) {
                const auto ring = std::ranges::find(walk, at);
                const SessionId root = *std::min_element(ring, walk.end());
                m_parent.remove(root);
                m_roots.push_back(root);
            }
            for (const SessionId session : walk)
                settled.insert(session);
        }
    }

    void limitDepth()
    {
        std::vector<std::pair<SessionId, int>> toVisit;
        for (const SessionId root : m_roots)
            toVisit.emplace_back(root, 0);
        while (!toVisit.empty()) {
            const auto [session, depth] = toVisit.back();
            toVisit.pop_back();
            if (depth < maxDepth) {
                for (const SessionId child : m_children.value(session))
                    toVisit.emplace_back(child, depth + 1);
                continue;
            }
            const SessionId above = m_parent.value(session);
            for (const SessionId child : m_children.take(session)) {
                m_parent[child] = above;
                m_beside[above].push_back(child);
                toVisit.emplace_back(child, depth);
            }
        }
    }

    BlockingNode node(SessionId session) const
    {
        BlockingNode result{rowOf(session), {}};
        const auto children = m_children.constFind(session);
        if (children == m_children.cend())
            return result;
        // The graph knows the order: longest wait first.
        for (const SessionId waiter : m_graph.waitersOf(session))
            if (std::ranges::binary_search(*children, waiter))
                result.children.push_back(node(waiter));
        for (const SessionId waiter : m_beside.value(session))
            result.children.push_back(node(waiter));
        if (!m_parent.contains(session))
            return result;
        for (const BlockingNode& child : result.children)
            result.row.harm.victims += child.row.harm.victims + 1;
        return result;
    }

    BlockingRow rowOf(SessionId id) const
    {
        BlockingRow row;
        const Session* session = m_snapshot.session(id);
        row.key = session ? session->key() : SessionKey{id, {}};
        row.name = sessionName(m_snapshot, id);
        if (session && !isPrepared(m_snapshot, id)) {
            row.program = session->program;
            row.statement = session->statementVisible ? session->statement : QString();
        }
        row.diagnosis = m_diagnoser.of(id, m_longRunning);
        if (const auto role = m_roles.constFind(id); role != m_roles.cend())
            row.framework = role->match;
        if (!m_parent.contains(id))
            row.harm = m_harm.value(id, {.victims = m_graph.victimsOf(id)});
        if (m_harm.contains(id))
            row.longestSince = m_snapshot.takenAt - row.harm.longestWait;
        if (const WaitEdge* edge = m_edges.value(id)) {
            row.byQueue = edge->kind == WaitEdge::Kind::Queue;
            row.resource = row.target = m_snapshot.resources[edge->resource].name;
            if (const LockRequest* request = m_requests.value({id, edge->resource}))
                addWait(row, *request);
        } else if (row.diagnosis.lasting.count() > 0) {
            row.since = m_snapshot.takenAt - row.diagnosis.lasting;
            if (session && session->stateSince && session->state != SessionState::Active)
                row.since = session->stateSince;
            else if (session && session->statementStarted)
                row.since = session->statementStarted;
        }
        ListedNames others;
        ListedNames holders;
        ListedNames all;
        const auto parent = m_parent.constFind(id);
        for (const SessionId blocker : m_graph.blockersOf(id)) {
            const QString name =
                all.count < maxNamesInList || others.count < maxNamesInList || holders.count < maxNamesInList
                ? sessionName(m_snapshot, blocker)
                : QString();
            all.add(name);
            if (parent != m_parent.cend() && blocker == *parent)
                continue;
            others.add(name);
            if (m_held.contains({id, blocker}))
                holders.add(name);
        }
        row.alsoBehind = others.text();
        row.alsoHeldBy = holders.text();
        row.blockedBy = all.text();
        return row;
    }

    void addWait(BlockingRow& row, const LockRequest& request) const
    {
        row.mode = request.mode;
        row.since = request.since;
        row.sinceExact = request.sinceExact;
        if (const Resource* target = m_targets.of(request))
            row.target = target->name;
        row.table = m_targets.tableOf(request);
    }

    const Snapshot& m_snapshot;
    const BlockingGraph& m_graph;
    const WaitTargets m_targets;
    const QHash<SessionId, FrameworkRole> m_roles;
    const Diagnoser m_diagnoser;
    const milliseconds m_longRunning;
    QHash<SessionId, Harm> m_harm; // of heads
    QHash<SessionId, const WaitEdge*> m_edges; // of each waiter the one that decides where it stands
    QHash<SessionId, SessionId> m_parent;
    QSet<std::pair<SessionId, SessionId>> m_held; // waiter, and who holds what it waits for
    QHash<std::pair<SessionId, quint32>, const LockRequest*> m_requests; // by waiter and resource
    QHash<SessionId, std::vector<SessionId>> m_children; // ascending
    QHash<SessionId, std::vector<SessionId>> m_beside; // who stands there because of limitDepth()
    std::vector<SessionId> m_roots;
};

} // namespace

QString BlockingRow::doing() const
{
    if (isHead() || diagnosis.kind != Diagnosis::Kind::Waiting) {
        const QString inherited = inheritedText(harm);
        return inherited.isEmpty() ? diagnosis.withoutDuration()
                                   : inherited + u"; "_s + diagnosis.withoutDuration();
    }
    const QString shown = statement.isEmpty() ? u"waits"_s : statement;
    return alsoHeldBy.isEmpty() ? shown : u"%1 (also held by %2)"_s.arg(shown, alsoHeldBy);
}

std::vector<BlockingNode> blockingForest(const Snapshot& snapshot, milliseconds longRunning)
{
    return ForestBuilder(snapshot, longRunning).forest();
}

std::vector<BlockingNode> matchingPart(
    const std::vector<BlockingNode>& forest, const std::function<bool(const BlockingRow&)>& matches)
{
    std::vector<BlockingNode> part;
    for (const BlockingNode& node : forest) {
        if (matches(node.row)) {
            part.push_back(node);
            continue;
        }
        std::vector<BlockingNode> below = matchingPart(node.children, matches);
        if (!below.empty())
            part.push_back({node.row, std::move(below)});
    }
    return part;
}

int countOf(const std::vector<BlockingNode>& forest)
{
    int count = 0;
    for (const BlockingNode& node : forest)
        count += 1 + countOf(node.children);
    return count;
}

std::vector<quint32> contendedOrder(const Snapshot& snapshot)
{
    const BlockingGraph& graph = snapshot.blocking();
    QHash<SessionId, size_t> ranks; // of heads; those of rings have none, and come first
    for (size_t i = 0; i < graph.heads().size(); ++i)
        ranks.insert(graph.heads()[i].session, i + 1);
    const auto since = [&snapshot](const LockRequest& wait) { return wait.since.value_or(snapshot.takenAt); };
    QHash<quint32, const LockRequest*> longest;
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting() || graph.leavesOut(snapshot.leaderOf(request.session)))
            continue;
        const LockRequest*& known = longest[request.resource];
        if (!known || since(request) < since(*known))
            known = &request;
    }
    struct Contended {
        size_t rank;
        ServerTime since;
        quint32 resource;
    };
    std::vector<Contended> contended;
    for (auto it = longest.cbegin(); it != longest.cend(); ++it) {
        const SessionId head = graph.headOf(snapshot.leaderOf((*it)->session));
        contended.push_back(
            {head.isValid() ? ranks.value(head, 0) : graph.heads().size() + 1, since(**it), it.key()});
    }
    // By the name where all else is equal, so that nothing changes places from poll to poll.
    std::ranges::sort(contended, {}, [&snapshot](const Contended& one) {
        return std::tuple<size_t, ServerTime, const QString&, quint32>(
            one.rank, one.since, snapshot.resources[one.resource].name, one.resource);
    });
    std::vector<quint32> order;
    for (const Contended& one : contended)
        order.push_back(one.resource);
    return order;
}

} // namespace lockscope
