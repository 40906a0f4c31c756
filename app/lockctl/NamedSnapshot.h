// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/ServerOption.h"
#include "core/monitor/SnapshotSource.h"

namespace lockscope::ctl {

/// A server is polled no more often,
inline constexpr milliseconds shortestInterval{100};
/// The error of a monitor, for those who do not show when the next attempt is made.
Error withoutNextAttempt(Error error);

/// --limit, of the commands that show locks.
void addLimit(Command& command);
/// Returns the probes of the server that the options ask for.
Result<monitor::ProbeSelection> probesFrom(const CommandLine& line);
/// One snapshot of the server.
Result<SnapshotPtr> snapshotNow(const db::Server& server, const monitor::ProbeSelection& probes = {});
/// Returns a snapshot of the recording that --recording names, else one of the server.
Result<SnapshotPtr> snapshotOfNamed(const CommandLine& line, const monitor::ProbeSelection& probes);
/// Returns the exit code of a command that has shown it: a failure if a requested part could not be read.
int exitCodeOf(const Snapshot& snapshot);

} // namespace lockscope::ctl
