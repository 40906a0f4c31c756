// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/Surroundings.h"

#include <chrono>
#include <memory>
#include <stop_token>

namespace lockscope::monitor {

/// Selects the data that a poll reads: a hidden view does not need its data.
struct ProbeSelection {
    bool statements = true; ///< texts of the sessions
    /// Each transaction's lock on its own id, each session's on its database, and locks on the catalogue.
    bool internalLocks = false;
    qint64 maxRequests = 100'000; ///< of locks; more are only counted, and a Limitation says so
    /// The rows in which frameworks keep locks, in tables of their own. A source's
    /// setReadsFrameworkRows() changes this later.
    bool frameworkRows = true;
    bool surroundings = false; ///< read every ten seconds, see SnapshotSource::surroundings()

    bool operator==(const ProbeSelection&) const = default;
};

/// The times at which a source reads locks.
enum class LockReading : quint8 {
    Always,
    /// For users that show only locks that somebody waits for: if a cheaper poll shows that nobody does, they
    /// are read every ten seconds, and Snapshot::locksRead is false in between. Every take() checks whether
    /// somebody waits.
    WhenWaitedFor,
};

/// Takes snapshots of the present. Bound to the thread that calls take() first; take() may block for as long
/// as the server does not answer.
class SnapshotSource {
public:
    virtual ~SnapshotSource() = default;
    /// Takes one snapshot. A failed poll is an error, never an empty snapshot. After a request of `stop`:
    /// Cancelled.
    virtual Result<SnapshotPtr> take(std::stop_token stop = {}) = 0;
    /// Sets ProbeSelection::frameworkRows, from the next take() on.
    virtual void setReadsFrameworkRows(bool) { }
    /// Has an effect from the next take() on; Always by default. A source that has no cheaper poll always
    /// reads the locks.
    virtual void setLockReading(LockReading) { }
    /// Returns the part of the last take() that went into connecting: it does not count as cost of a poll on
    /// the server.
    virtual std::chrono::steady_clock::duration connectingTook() const { return {}; }
    /// Returns what the last take() read beside the snapshot.
    virtual Surroundings surroundings() const { return {}; }
    /// Returns the server's views that the last take() could read, for a report.
    virtual QStringList viewsRead() const { return {}; }
};

/// Returns a source that opens its own connection on first use, and after a loss at the next one; the caller
/// decides how soon. A refused login is not tried again: once a person has acted, a new source tries once
/// more.
std::unique_ptr<SnapshotSource> makeSnapshotSource(db::Server server, const ProbeSelection& probes = {});

} // namespace lockscope::monitor
