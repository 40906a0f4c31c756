// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/db/Server.h"
#include "core/monitor/SnapshotSource.h"
#include "core/watch/ServerWatch.h"

namespace lockscope::ctl {

/// The server that --server or $LOCKSCOPE_SERVER names, ready to connect to. Starts the sandbox if that is
/// it: may take seconds.
Result<db::Server> serverToRead(const CommandLine& line);
/// The servers that the words behind the command name; without any, or with --server, that one first.
Result<QList<db::Server>> serversToRead(const CommandLine& line);
/// The server that is saved in the window under that name, or that of the URL.
Result<db::Server> serverNamed(const QString& text, const CommandLine& line);
/// Does the same as serverToRead(), for commands that change something, as in "Can't `act`." Refused, before
/// anything is asked or started, if the user has chosen read-only.
Result<db::Server> serverToChange(const CommandLine& line, const QString& act);
/// serverToChange(), or serverToRead() with --dry-run.
Result<db::Server> serverToActOn(const CommandLine& line, const QString& act);
/// Returns the address of the server with this name or URL; empty: that of --server or $LOCKSCOPE_SERVER.
/// Connects to nothing and starts nothing.
Result<db::ServerUrl> serverAddress(const CommandLine& line, const QString& text);

/// A server is polled no more often,
inline constexpr milliseconds minInterval{100};
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

/// Watches of servers that are polled once and not watched on: without their records of deadlocks and the
/// order of their locks.
std::vector<std::unique_ptr<watch::ServerWatch>> watchesToPollOnce(
    const QList<db::Server>& servers, const monitor::ProbeSelection& probes);
/// Polls them, all at the same time: one that does not answer in time has neither a snapshot nor an error
/// then.
void pollOnce(const std::vector<std::unique_ptr<watch::ServerWatch>>& watches, milliseconds atMost);
/// The error of one that was polled; nothing: it has answered.
std::optional<Error> errorOf(const watch::ServerWatch& watch);

} // namespace lockscope::ctl
