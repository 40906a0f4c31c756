// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/RowDiff.h"
#include "core/domain/Snapshot.h"

namespace lockscope {

/// The changes between two snapshots, by stable keys. A request whose resource index moved but whose values
/// agree counts as kept.
struct SnapshotDiff {
    RowDiff requests;
    RowDiff sessions;
    RowDiff entries;
    RowDiff entryWaiters;

    bool isEmpty() const;
};

SnapshotDiff diffSnapshots(const Snapshot& before, const Snapshot& after);

/// A request with a number for its resource that is the same in both lists that are compared.
struct RequestRow {
    const LockRequest* request;
    quint32 resource;
    bool sameText = true; ///< the resource is shown as it was before
};
RowDiff diffRequests(const std::vector<RequestRow>& before, const std::vector<RequestRow>& after);

/// Something that is not the same in two snapshots: it is in one of them only, or is there in another way.
struct SnapshotDifference {
    enum class What : quint8 { Wait, Lock, Session };
    enum class Change : quint8 { New, Gone, Changed };
    What what = What::Lock;
    Change change = Change::New;
    QString who; ///< "63 billing"; of a lock table its owner
    QString lock{}; ///< "public.orders"; empty of a session
    QString mode{}; ///< empty of a session and of a lock table
    QString
        before; ///< how it was in the first one: "held ≥ 5:00", "idle in transaction: UPDATE …"; empty: not
    QString after; ///< the same of the second one

    bool operator==(const SnapshotDifference&) const = default;
};
QString whatName(SnapshotDifference::What what); ///< "wait" …
QString changeName(SnapshotDifference::Change change); ///< "new" …

/// Waits first, then locks, then sessions; of each the new ones, the ones that are gone, those that have
/// changed. Ages alone are no difference, nor what only one of the snapshots has read. Our own sessions and
/// locks that programs keep for themselves are left out.
std::vector<SnapshotDifference> differencesBetween(const Snapshot& before, const Snapshot& after);

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
