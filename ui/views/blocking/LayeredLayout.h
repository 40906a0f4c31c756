// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingForest.h"

#include <QHash>
#include <QPointF>
#include <QSizeF>

namespace lockscope::ui {

/// The place of each session in the drawing: heads on the left, each wait one column further right; a blocker
/// is centred beside its waiters. Positions are those of the top left corners. O(n).
struct LayeredLayout {
    QHash<SessionId, QPointF> positions;
    QSizeF size;
};

LayeredLayout layeredLayout(const std::vector<BlockingNode>& forest, QSizeF node, QSizeF gap);

} // namespace lockscope::ui
