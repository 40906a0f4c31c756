// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/order/LockClass.h"

#include <vector>

namespace lockscope::order {

/// A lock that a session had or waited for at a poll.
struct SeenLock {
    SessionKey session; ///< of a parallel worker its leader
    LockNamePtr name;
    LockMode mode;
    bool isWaitedFor = false;
    /// A transaction of PostgreSQL that writes shows ROW EXCLUSIVE on the table and not the rows: this stands
    /// for those.
    bool standsForRows = false;
    /// Known only because somebody waits for it: held, and nobody knows since when.
    bool isDeduced = false;
    bool isTried =
        false; ///< taken only because it was free: nobody waits for it so, and no order leads to it
    bool isOfTransaction = false; ///< can't be given back before its transaction ends
    bool isOfStatement = false; ///< given back at the end of its statement, or before
    std::optional<ServerTime> since; ///< granted, exact; else nothing

    bool isSameAs(const SeenLock& other) const
    {
        return name->lock == other.name->lock && mode == other.mode && standsForRows == other.standsForRows;
    }
};

/// Returns whether the session's locks count: not those of the monitor itself, nor of the server.
bool isClient(const Session& session);

/// The locks of each session that counts, at one poll: the input for lock order. Sorted by session, then by
/// lock. Made by LockSnapshotReader, or by hand where more is known than a snapshot shows.
struct LockSnapshot {
    Engine engine = Engine::Postgres;
    ServerTime at;
    std::vector<SeenLock> locks;
    SnapshotPtr snapshot; ///< with the sessions
    bool isComplete = true; ///< false: locks may be missing that were there; what is new here may be old

    void sort();
};

/// Reads snapshots. Not read are the monitor's own sessions, those of the server itself, transactions that
/// have no session, lock-table entries whose session is gone. One thread.
class LockSnapshotReader {
public:
    LockSnapshot read(const SnapshotPtr& snapshot);

private:
    LockNames m_names;
};

} // namespace lockscope::order
