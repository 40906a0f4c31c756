// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Adjacency.h"

#include <vector>

namespace lockscope {

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
