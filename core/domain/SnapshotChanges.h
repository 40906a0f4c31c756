// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope {

/// A change of a lock between two snapshots, as far as they show it: locks that came and went in between are
/// not seen.
struct LockChange {
    enum class Kind : quint8 {
        GaveBack, ///< held it, and does not any more
        Got,
        StoppedWaiting, ///< and does not hold it: it gave up, or what it waited for was somebody's end
        Waits, ///< began to
    };
    Kind kind;
    LockOwnerInfo who{}; ///< of a session its user, host and program
    QString table{}; ///< of a lock table's name
    QString resource; ///< the lock; of a lock table the name
    std::optional<LockMode> mode{}; ///< none of a lock table
    std::optional<Age> waited{}; ///< the length of its wait, if it waits or has waited and that is known
    std::vector<SessionId> blockers{}; ///< of a session that waits
    bool sessionEnded = false; ///< that was the reason
};
QString changeName(LockChange::Kind kind); ///< "gave back" …

/// Returns them in the order of LockChange::Kind. Of all locks those are compared that somebody waits or has
/// waited for, application locks, and the names of lock tables; those of our own sessions are left out. With
/// an empty snapshot before: how it stands.
std::vector<LockChange> changesBetween(const Snapshot& before, const Snapshot& after);

} // namespace lockscope
