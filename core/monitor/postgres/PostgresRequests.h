// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/monitor/FirstSeen.h"
#include "core/monitor/SnapshotSource.h"
#include "core/monitor/postgres/PostgresLockRows.h"
#include "core/monitor/postgres/PostgresNames.h"

namespace lockscope::monitor {

/// Turns the rows of pg_locks into the snapshot's resources, requests and waits. The snapshot's sessions must
/// be there and indexed. Requests over the limit are left out and counted in a Limitation; waiters, and what
/// they wait for, always stay.
void addRequests(Snapshot& snapshot, const PostgresLockRows& rows, FirstSeen& firstSeen, PostgresNames& names,
    const ProbeSelection& probes);

/// A wait that pg_locks does not show: `waiter` goes on once `before` have ended, or found no conflict.
void addSafeSnapshotWait(Snapshot& snapshot, SessionId waiter, const std::vector<SessionId>& before);

} // namespace lockscope::monitor
