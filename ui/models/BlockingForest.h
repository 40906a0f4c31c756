// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingGraph.h"
#include "core/domain/Diagnosis.h"
#include "core/domain/Snapshot.h"

#include <functional>
#include <vector>

namespace lockscope::ui {

/// One session of the tree, with what its row says.
struct BlockingRow {
    SessionKey key; ///< id 0: a prepared transaction
    QString program;
    Diagnosis diagnosis;
    int victims = 0; ///< sessions that wait for it, directly or not
    QString mode; ///< what it waits for; empty for a head
    QString resource;
    std::optional<ServerTime> since; ///< of its wait, or of a head's present state
    bool sinceExact = true;
    QString alsoBehind; ///< blockers besides the one that it stands below
    QString blockedBy; ///< all of them

    bool isHead() const { return mode.isEmpty(); } ///< it waits for nobody
    bool operator==(const BlockingRow&) const = default;
};

struct BlockingNode {
    BlockingRow row;
    std::vector<BlockingNode> children;
};

/// The graph as a tree in which every session stands once: below the holder that it waits for, else below the
/// one ahead in the queue. Heads by harm; rings stand below their smallest member.
std::vector<BlockingNode> blockingForest(const Snapshot& snapshot, const BlockingGraph& graph);

/// Those that match, with all who stand between them and the head blocker and all who wait behind them.
std::vector<BlockingNode> matchingPart(
    const std::vector<BlockingNode>& forest, const std::function<bool(const BlockingRow&)>& matches);
int countOf(const std::vector<BlockingNode>& forest); ///< sessions in it

} // namespace lockscope::ui
