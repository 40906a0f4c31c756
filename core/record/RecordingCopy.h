// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Recording.h"
#include "core/record/RecordingReader.h"

#include <vector>

namespace lockscope::record {

/// What was copied, and what was not.
struct Copied {
    qint64 moments = 0;
    qint64 damaged = 0; ///< could not be read: a gap in the copy
    qint64 twice = 0; ///< stretches, of which another recording tells
    qint64 events = 0;
};

/// Makes one recording of several of the same server, or of one: what lies between `from` and `to`, with the
/// events, the pins and the intervals of locks that follow from it. Segments, and with them gaps, stay; what
/// several tell of the same time is taken of the one that stands first. `as` says whose it is; redacted:
/// values of statements are left out, and what events tell beside their sentence. The file is `out`, complete
/// or not there at all, mode 0600, in a folder that is there, and needs no other beside it. BadInput: they
/// are of different servers, or `out` is there already. MissingObject: no moment lies there. The readers are
/// used one after another, on this thread; blocks as long as it takes.
Result<Copied> copyRecordings(const std::vector<RecordingReader*>& recordings, ServerTime from, ServerTime to,
    const QString& out, const Identity& as);

} // namespace lockscope::record
