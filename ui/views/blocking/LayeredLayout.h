// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingForest.h"

#include <QHash>
#include <QPointF>
#include <QSet>
#include <QSizeF>

namespace lockscope::ui {

/// The place of each session in the drawing: heads on the left, each wait one column further right; a blocker
/// is centred beside its waiters. Positions are those of the top left corners. O(n).
struct LayeredLayout {
    QHash<SessionId, QPointF> positions;
    QSizeF size;
};

LayeredLayout layeredLayout(const std::vector<BlockingNode>& forest, QSizeF node, QSizeF gap);

/// Stands in a drawing for the rest of a long queue.
struct QueueFold {
    SessionId blocker; ///< the session that they wait for
    std::vector<SessionKey> sessions; ///< those that are not drawn; of an open fold, those that would not be
    bool open = false;
};

/// The forest as it is drawn: of waiters of one blocker that nobody waits for, only the first few; a node of
/// its own says how many more there are. `open`: blockers whose queues are drawn whole; their extra node
/// folds them again.
struct FoldedForest {
    std::vector<BlockingNode> forest;
    QHash<SessionId, QueueFold> folds; ///< by the id of the extra node, which no session has
};

FoldedForest foldQueues(const std::vector<BlockingNode>& forest, const QSet<SessionId>& open);

inline constexpr size_t waitersBeforeFold = 6; ///< so many are drawn; a fold stands for three or more

} // namespace lockscope::ui
