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

/// The data that the views need at present: a collapsed pane stops its probe.
struct ProbeSelection {
    bool statements = true; ///< texts of the sessions
    bool internalLocks = false; ///< each transaction's lock on its own id, each session's on its database,
                                ///< catalogue locks: noise
    qint64 maxRequests = 100'000; ///< more are counted, not shown
    /// The rows in which frameworks keep locks, in tables of theirs; of the probes that are changed while a
    /// source lives, by SnapshotSource::setReadsFrameworkRows().
    bool frameworkRows = true;
    bool surroundings = false; ///< every ten seconds, see SnapshotSource::surroundings()

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

/// A source of snapshots of the present. Thread-bound; `take` may block for as long as the server does.
class SnapshotSource {
public:
    virtual ~SnapshotSource() = default;
    /// A failed reading is an error, never an empty snapshot.
    virtual Result<SnapshotPtr> take(std::stop_token stop = {}) = 0;
    /// Sets ProbeSelection::frameworkRows, from the next take() on: a page that shows them came or went.
    virtual void setReadsFrameworkRows(bool) { }
    /// Counts from the next take() on; Always by default. A source that has no cheaper poll always reads the
    /// locks.
    virtual void setLockReading(LockReading) { }
    /// Returns the part of the last take() that went into connecting: it does not count as cost of a poll on
    /// the server.
    virtual std::chrono::steady_clock::duration connectingTook() const { return {}; }
    /// Returns what the last take() read beside the snapshot.
    virtual Surroundings surroundings() const { return {}; }
    /// The server's views that the last take() could read, for a report.
    virtual QStringList viewsRead() const { return {}; }
};

/// Returns a source that opens its own connection on first use, and after a loss at the next one; the caller
/// decides how soon. A refused login is not tried again: once a person has acted, a new source tries once
/// more.
std::unique_ptr<SnapshotSource> makeSnapshotSource(db::Server server, const ProbeSelection& probes = {});

} // namespace lockscope::monitor
