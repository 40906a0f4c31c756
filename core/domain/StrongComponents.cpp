// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/StrongComponents.h"

#include <algorithm>

namespace lockscope {

namespace {

constexpr quint32 unseen = ~0U;

class ComponentSearch {
public:
    explicit ComponentSearch(const Adjacency& successors)
        : m_successors(successors)
        , m_order(successors.size(), unseen)
        , m_lowest(successors.size(), 0)
    {
        m_found.of.assign(successors.size(), unseen);
    }

    StrongComponents run()
    {
        for (quint32 node = 0; node < m_successors.size(); ++node)
            if (m_order[node] == unseen)
                explore(node);
        return std::move(m_found);
    }

private:
    struct NodeVisit {
        quint32 node;
        quint32 next; ///< the successor to look at next
    };

    void enter(quint32 node)
    {
        m_order[node] = m_lowest[node] = m_count++;
        m_open.push_back(node);
        m_path.push_back({node, 0});
    }

    void explore(quint32 start)
    {
        enter(start);
        while (!m_path.empty()) {
            NodeVisit& frame = m_path.back();
            if (frame.next == m_successors[frame.node].size()) {
                leave(frame.node);
                continue;
            }
            const quint32 node = frame.node;
            const quint32 successor = m_successors[node][frame.next++];
            if (m_order[successor] == unseen)
                enter(successor);
            else if (m_found.of[successor] == unseen)
                m_lowest[node] = std::min(m_lowest[node], m_order[successor]);
        }
    }

    void leave(quint32 node)
    {
        m_path.pop_back();
        if (!m_path.empty()) {
            quint32& lowest = m_lowest[m_path.back().node];
            lowest = std::min(lowest, m_lowest[node]);
        }
        if (m_lowest[node] == m_order[node])
            close(node);
    }

    // Everything opened since the root of a component belongs to it.
    void close(quint32 root)
    {
        const auto component = static_cast<quint32>(m_found.members.size());
        const auto first = std::find(m_open.rbegin(), m_open.rend(), root).base() - 1;
        std::vector<quint32> members(first, m_open.end());
        m_open.erase(first, m_open.end());
        std::ranges::sort(members);
        for (const quint32 member : members)
            m_found.of[member] = component;
        m_found.members.push_back(std::move(members));
    }

    const Adjacency& m_successors;
    StrongComponents m_found;
    std::vector<quint32> m_order; // when a node was first seen
    std::vector<quint32> m_lowest; // the earliest open node that it reaches
    std::vector<quint32> m_open;
    std::vector<NodeVisit> m_path;
    quint32 m_count = 0;
};

} // namespace

StrongComponents strongComponents(const Adjacency& successors)
{
    return ComponentSearch(successors).run();
}

StrongComponents strongComponents(const std::vector<std::vector<quint32>>& successors)
{
    std::vector<Adjacency::Pair> edges;
    for (quint32 node = 0; node < successors.size(); ++node)
        for (const quint32 successor : successors[node])
            edges.emplace_back(node, successor);
    return strongComponents(Adjacency(successors.size(), edges));
}

} // namespace lockscope
