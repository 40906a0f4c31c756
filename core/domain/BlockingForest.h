// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/BlockingGraph.h"
#include "core/domain/Diagnosis.h"

#include <functional>
#include <vector>

namespace lockscope {

/// One session of the forest, with what is told of it.
struct BlockingRow {
    SessionKey key; ///< id 0: a prepared transaction
    QString program;
    Diagnosis diagnosis;
    int victims = 0; ///< sessions that wait for it, directly or not
    std::optional<LockMode> mode; ///< what it waits for; none for a head, or if its request was not seen
    QString resource;
    std::optional<ServerTime> since; ///< of its wait, or of a head's present state
    bool sinceExact = true;
    QString alsoBehind; ///< blockers besides the one that it stands below
    QString blockedBy; ///< all of them

    bool isHead() const { return blockedBy.isEmpty(); } ///< it waits for nobody
    bool operator==(const BlockingRow&) const = default;
};

struct BlockingNode {
    BlockingRow row;
    std::vector<BlockingNode> children;
};

/// Who blocks whom, as a forest for people. Every session stands in it once, however many it waits for: a
/// waiter that stood below each of its holders would seem to be several. It stands below a holder of what it
/// waits for (the smallest id, hence rows keep still); if nobody holds it up but those ahead in the queue,
/// below one of these. The others are in `alsoBehind`, and a head blocker may have all of its waiters below
/// others. Heads come by harm, waiters of one blocker longest wait first. A ring that no head leads to stands
/// below its smallest member.
std::vector<BlockingNode> blockingForest(const Snapshot& snapshot);

/// Those that match, with all who stand between them and the head blocker and all who wait behind them.
std::vector<BlockingNode> matchingPart(
    const std::vector<BlockingNode>& forest, const std::function<bool(const BlockingRow&)>& matches);
int countOf(const std::vector<BlockingNode>& forest); ///< sessions in it

} // namespace lockscope
