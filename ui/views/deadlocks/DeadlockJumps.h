// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"
#include "ui/views/deadlocks/DeadlocksModel.h"
#include "ui/views/page/DetailSubject.h"

#include <optional>

namespace lockscope::ui {

class AppContext;

/// A place in the window that shows a part of a deadlock.
struct DeadlockJump {
    QString text; ///< "Session 51"
    QString reasonAgainst{}; ///< why it is not on view; empty if it is
    QString page{};
    DetailSubject subject{}; ///< the row to select there; nothing: `filter` finds it
    QString filter{};
    /// A recorded time to go to instead of a page.
    std::optional<ServerTime> jumpTime{};
};

/// Returns the jumps to its sessions, the locks that they waited for, the audit of its sessions, and its time
/// in the recording. `snapshot` is on view: the present, or a recorded one. A session counts as the
/// deadlock's only if it had begun by then: its number may be another one's by now.
QList<DeadlockJump> jumpsOf(const DeadlockRow& row, const AppContext& context, const SnapshotPtr& snapshot);

} // namespace lockscope::ui
