// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/locks/LockHolder.h"

namespace lockscope::ctl {

/// The options that `run` and `acquire` share.
struct LockCommandOptions : locks::LockOptions {
    static void addOptions(Command& command);
    static Result<LockCommandOptions> from(const CommandLine& line);
};

/// Says why the lock is not ours, as JSON too if that is requested, and returns the exit code for it.
int notObtained(const LockCommandOptions& order, const locks::Obtained& result, bool json);
QString describe(const LockOwnerInfo& party); ///< "ann on app01 (nightly, process 4711)"
QJsonObject toJson(const LockCommandOptions& order, const locks::Obtained& result);

} // namespace lockscope::ctl
