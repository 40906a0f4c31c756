// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/source/DeadlockSource.h"

#include <functional>

namespace lockscope::deadlock {

/// The limits for reading and keeping a server's records, however many there are and however fast they grow.
struct AllBounds {
    qint64 bytes = qint64(512) << 20; ///< to be read; one poll more than that at most
    qsizetype reports = 10'000; ///< the newest are kept
    /// Characters of what is kept: a session can have the server write reports of megabytes.
    qint64 text = qint64(64) << 20;
    milliseconds pause{600}; ///< for what is being written at the end
    int pauses = 5; ///< at most
};

/// The results of all polls together.
struct AllPolled {
    SourcePoll poll; ///< with what was not read or not kept in `limits`
    /// False: the bounds ended the reading, or what is at the end was not yet whole: there may be more.
    bool isComplete = true;
    qsizetype dropped = 0; ///< reports that were not kept, the oldest
};

/// Polls a server's records up to their present end, by `look`. Blocks. Fails with the error of a poll, or
/// Cancelled.
Result<AllPolled> pollAll(const std::function<Result<SourcePoll>(const std::stop_token&)>& poll,
    const std::stop_token& stop = {}, const AllBounds& bounds = {});

} // namespace lockscope::deadlock
