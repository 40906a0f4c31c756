// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingForest.h"

#include <QHash>
#include <QSet>
#include <QStringList>

#include <algorithm>

namespace lockscope {

namespace {

class ForestBuilder {
public:
    explicit ForestBuilder(const Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_graph(snapshot.blocking())
    {
        chooseParents();
        for (const LockRequest& request : snapshot.requests) {
            if (!request.isWaiting())
                continue;
            const LockRequest*& known = m_requests[{snapshot.leaderOf(request.session), request.resource}];
            if (!known || request.since < known->since)
                known = &request;
        }
        for (const BlockingGraph::Head& head : m_graph.heads())
            m_roots.push_back(head.session);
        addRings();
        for (const SessionId session : m_graph.sessions()) {
            const auto parent = m_parent.constFind(session);
            if (parent != m_parent.cend())
                m_children[*parent].push_back(session);
        }
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
            if (!chosen || std::pair(edge.kind, edge.blocker) < std::pair(chosen->kind, chosen->blocker))
                chosen = &edge;
        }
        for (auto edge = m_edges.cbegin(); edge != m_edges.cend(); ++edge)
            m_parent.insert(edge.key(), (*edge)->blocker);
    }

    /// Walks up from each session; whoever comes back to itself is in a ring, which then gets a root.
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
                const auto ring = std::find(walk.begin(), walk.end(), at);
                const SessionId root = *std::min_element(ring, walk.end());
                m_parent.remove(root);
                m_roots.push_back(root);
            }
            for (const SessionId session : walk)
                settled.insert(session);
        }
    }

    BlockingNode node(SessionId session) const
    {
        BlockingNode result{rowOf(session), {}};
        const auto children = m_children.constFind(session);
        if (children == m_children.cend())
            return result;
        // The graph knows the order: longest wait first.
        for (const SessionId waiter : m_graph.waitersOf(session)) {
            if (std::binary_search(children->begin(), children->end(), waiter))
                result.children.push_back(node(waiter));
        }
        return result;
    }

    BlockingRow rowOf(SessionId id) const
    {
        BlockingRow row;
        const Session* session = m_snapshot.session(id);
        row.key = session ? session->key() : SessionKey{id, {}};
        row.program = session ? session->program : QString();
        row.diagnosis = diagnose(m_snapshot, id);
        row.victims = m_graph.victimsOf(id);
        if (const WaitEdge* edge = m_edges.value(id)) {
            row.resource = m_snapshot.resources[edge->resource].name;
            if (const LockRequest* request = m_requests.value({id, edge->resource})) {
                row.mode = request->mode;
                row.since = request->since;
                row.sinceExact = request->sinceExact;
            }
        } else if (row.diagnosis.lasting.count() > 0) {
            row.since = m_snapshot.takenAt - row.diagnosis.lasting;
            if (session && session->stateSince && session->state != SessionState::Active)
                row.since = session->stateSince;
            else if (session && session->statementStarted)
                row.since = session->statementStarted;
        }
        QStringList others;
        QStringList all;
        const auto parent = m_parent.constFind(id);
        for (const SessionId blocker : m_graph.blockersOf(id)) {
            all << QString::number(blocker.value);
            if (parent == m_parent.cend() || blocker != *parent)
                others << QString::number(blocker.value);
        }
        row.alsoBehind = others.join(QStringLiteral(", "));
        row.blockedBy = all.join(QStringLiteral(", "));
        return row;
    }

    const Snapshot& m_snapshot;
    const BlockingGraph& m_graph;
    QHash<SessionId, const WaitEdge*> m_edges; // of each waiter the one that decides where it stands
    QHash<SessionId, SessionId> m_parent;
    QHash<std::pair<SessionId, quint32>, const LockRequest*> m_requests; // by waiter and resource
    QHash<SessionId, std::vector<SessionId>> m_children; // ascending
    std::vector<SessionId> m_roots;
};

} // namespace

std::vector<BlockingNode> blockingForest(const Snapshot& snapshot)
{
    return ForestBuilder(snapshot).forest();
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

} // namespace lockscope
