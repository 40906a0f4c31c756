// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/db/Server.h"

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

} // namespace lockscope::ctl
