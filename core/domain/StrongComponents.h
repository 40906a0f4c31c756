// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

#include <span>
#include <utility>
#include <vector>

namespace lockscope {

/// A list of nodes for each node of a graph, all of them in one piece of memory: a queue of 10,000 has a
/// quarter of a million of edges, and no list of its own for each session.
class Adjacency {
public:
    using Pair = std::pair<quint32, quint32>; ///< the list's owner, and an element

    Adjacency() = default;
    /// The lists of `nodes` nodes, each in the order of the pairs. O(nodes + pairs).
    Adjacency(size_t nodes, std::span<const Pair> pairs)
        : m_first(nodes + 1, 0)
        , m_targets(pairs.size())
    {
        for (const Pair& pair : pairs)
            ++m_first[pair.first + 1];
        for (size_t node = 0; node < nodes; ++node)
            m_first[node + 1] += m_first[node];
        std::vector<quint32> next(m_first.begin(), m_first.end() - 1);
        for (const Pair& pair : pairs)
            m_targets[next[pair.first]++] = pair.second;
    }

    size_t size() const { return m_first.empty() ? 0 : m_first.size() - 1; }
    std::span<const quint32> operator[](size_t node) const
    {
        return {m_targets.data() + m_first[node], m_targets.data() + m_first[node + 1]};
    }

    /// The same without what stands twice in a row.
    Adjacency withoutRepeats() const
    {
        Adjacency once;
        once.m_first.reserve(m_first.size());
        once.m_targets.reserve(m_targets.size());
        once.m_first.push_back(0);
        for (size_t node = 0; node < size(); ++node) {
            const std::span<const quint32> list = (*this)[node];
            for (size_t i = 0; i < list.size(); ++i)
                if (i == 0 || list[i] != list[i - 1])
                    once.m_targets.push_back(list[i]);
            once.m_first.push_back(static_cast<quint32>(once.m_targets.size()));
        }
        return once;
    }

private:
    std::vector<quint32> m_first; // node → where its list begins; one more for the end
    std::vector<quint32> m_targets;
};

/// The strongly connected components of a directed graph: each ring of nodes is one component, every other
/// node one by itself. Components are numbered so that an edge between two of them goes from the greater
/// number to the smaller.
struct StrongComponents {
    std::vector<quint32> of; ///< node → component
    std::vector<std::vector<quint32>> members; ///< component → nodes, ascending
};

/// Tarjan's algorithm without recursion: chains of any length fit. O(nodes + edges).
StrongComponents strongComponents(const Adjacency& successors);
StrongComponents strongComponents(const std::vector<std::vector<quint32>>& successors);

} // namespace lockscope
