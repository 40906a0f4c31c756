// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/BlockingGraph.h"
#include "core/domain/Diagnosis.h"

#include <functional>
#include <vector>

namespace lockscope {

/// One session of the forest, with its figures.
struct BlockingRow {
    SessionKey key;
    QString name; ///< "51", "prepared 'nightly'"
    QString program;
    Diagnosis diagnosis;
    /// A waiter's figures count only its victims that stand below it: each session in a queue blocks those
    /// behind. Only heads have `joined` and `longestWait`.
    Harm harm;
    /// the mode that it waits for; none for a head, or if its request was not seen
    std::optional<LockMode> mode;
    QString resource;
    /// The lock that it waits for in the end: of a wait for a transaction the row, if that is known; else
    /// `resource`.
    QString target;
    QString table; ///< that `target` is, or is in; empty if unknown or none
    FrameworkMatchPtr framework{}; ///< that it works for, by a lock of it; null: none is known
    QString statement; ///< running, or the last one; empty if it may not be seen
    std::optional<ServerTime> since; ///< of its wait, or of a head's present state
    bool sinceExact = true;
    std::optional<ServerTime> longestSince; ///< of a head: the beginning of the longest wait behind it
    QString alsoBehind; ///< blockers besides the one that it stands below
    QString alsoHeldBy; ///< of these, those who hold what it waits for: freeing it takes them, too
    QString blockedBy; ///< all blockers

    /// Nobody holds it up but those ahead in the queue.
    bool byQueue = false;

    bool isHead() const { return blockedBy.isEmpty(); } ///< it waits for nobody
    /// Returns why a head blocker does not go on, or the statement of a waiter, without durations.
    QString doing() const;
    bool operator==(const BlockingRow&) const = default;
};

struct BlockingNode {
    BlockingRow row;
    std::vector<BlockingNode> children;
};

/// Returns who blocks whom, as a forest for people. Every session stands in it once, however many it waits
/// for: a waiter that stood below each of its holders would seem to be several. It stands below the one that
/// leads to the head its wait is charged to (BlockingGraph::headOf); of several below a holder of what it
/// waits for (the smallest id, hence rows keep still); if nobody holds it up but those ahead in the queue,
/// below one of these. The others are in `alsoBehind`, and a head blocker may have all of its waiters below
/// others. Rings that no head leads to come first, each below its smallest member; then heads, the worst
/// first (isWorse); waiters of one blocker longest wait first.
/// `longRunning`: from when on a running statement is called long.
std::vector<BlockingNode> blockingForest(const Snapshot& snapshot, milliseconds longRunning);

/// Returns those that match, with all between them and the head blocker and all that wait for them.
std::vector<BlockingNode> matchingPart(
    const std::vector<BlockingNode>& forest, const std::function<bool(const BlockingRow&)>& matches);
int countOf(const std::vector<BlockingNode>& forest); ///< sessions in it

/// The resources that somebody waits for whom BlockingGraph doesn't leave out, by index, in the order of the
/// chains that their waits are part of: those of deadlocks, then of the worst head (isWorse) and so on; of
/// one chain the longest wait first.
std::vector<quint32> contendedOrder(const Snapshot& snapshot);

} // namespace lockscope
