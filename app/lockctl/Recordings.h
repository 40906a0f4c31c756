// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/record/RecordingReader.h"

namespace lockscope::ctl {

/// --recording and --at, of commands that can look at a recording instead of a server.
void addRecording(Command& command);
/// A moment: "2026-11-22T03:12:07Z" (without a zone: this computer's), or how long before `last`: "5min".
Result<ServerTime> parseMoment(const QString& text, ServerTime last);
/// How it was at the moment that --at names, or at the last one.
Result<SnapshotPtr> momentOf(const CommandLine& line);

} // namespace lockscope::ctl
