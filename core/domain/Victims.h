// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/domain/StrongComponents.h"

namespace lockscope {

/// What stands below one component of the blocking graph, directly or not. Each session counts once, however
/// many ways lead to it.
struct Victims {
    int count = 0;
    int depth = 0; ///< longest chain
    qint64 longestWaitMs = 0;
    qint64 harmMs = 0; ///< sum of the waits
};

/// By component. `waiters` and `waitMs` are by node. A forest takes linear time; where chains meet again,
/// sets of bits are joined, in portions that bound the memory.
std::vector<Victims> countVictims(const StrongComponents& components,
    const std::vector<std::vector<quint32>>& waiters, const std::vector<qint64>& waitMs);

} // namespace lockscope
