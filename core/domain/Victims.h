// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/domain/StrongComponents.h"

namespace lockscope {

/// The sessions that wait for one component of the blocking graph, directly or not. Each session counts once,
/// however many ways lead to it.
struct Victims {
    int count = 0;
    int depth = 0; ///< longest chain
    Age longestWait{milliseconds(0), false};
    int joined = 0; ///< of `count`; only for components that nobody blocks
};

/// The wait of one node.
struct NodeWait {
    Age age{milliseconds(0), false};
    bool joined = false; ///< it began to wait a short time ago
    bool isOwn = false; ///< of the monitor itself
};

/// Returns the victims by component. `waiters` and `waits` are by node. A forest takes linear time; where
/// chains meet again, sets of bits are joined, in portions that bound the memory.
std::vector<Victims> countVictims(
    const StrongComponents& components, const Adjacency& waiters, const std::vector<NodeWait>& waits);

} // namespace lockscope
