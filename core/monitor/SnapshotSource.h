// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerProfile.h"
#include "core/db/credentials/Secrets.h"
#include "core/domain/Snapshot.h"

#include <memory>
#include <stop_token>

namespace lockscope::monitor {

/// Whatever can be asked for "how is it now?". Thread-bound; `take` may block for as long as the server does.
class SnapshotSource {
public:
    virtual ~SnapshotSource() = default;
    /// A failed reading is an error, never an empty snapshot.
    virtual Result<SnapshotPtr> take(std::stop_token stop = {}) = 0;
    /// The server's views that the last take() could read, for a report.
    virtual QStringList viewsRead() const { return {}; }
};

/// What the views need at present: a collapsed pane stops its probe.
struct ProbeSelection {
    bool statements = true; ///< texts of the sessions
    bool internalLocks = false; ///< each transaction's lock on its own id, each session's on its database,
                                ///< catalogue locks: noise
    qint64 maxRequests = 100'000; ///< more are counted, not shown
};

/// Opens (and after a loss re-opens) its own connection on first use. `profile.url` may be anything but
/// `sandbox:`.
std::unique_ptr<SnapshotSource> makeSnapshotSource(
    const db::ServerProfile& profile, db::PasswordProvider passwords, ProbeSelection probes = {});

} // namespace lockscope::monitor
