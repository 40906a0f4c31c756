// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Recording.h"
#include "core/record/RecordingReader.h"

#include <vector>

namespace lockscope::record {

/// The numbers of copied parts, and what of the recordings is not in the copy.
struct Copied {
    qint64 snapshotCount = 0;
    qint64 damaged = 0; ///< snapshots that could not be read: a gap in the copy
    qint64 twice = 0; ///< ranges that another recording has, too
    qint64 events = 0;
    QStringList missing{}; ///< of events, reports and surroundings, as sentences

    /// Lists as sentences all that is missing. Empty: the copy is complete.
    QStringList missingParts() const;
};

/// Makes one recording of several of the same server, or of one: the snapshots between `from` and `to`, with
/// the events, the pins and the intervals of locks that follow from it. Segments, and with them gaps, stay;
/// of several with the same time the first one counts. `as` is the identity of the copy; redacted: values of
/// statements are left out, and the details of events beside their sentence. The file is `out`, complete or
/// not there at all, mode 0600, in a folder that is there, and needs no other beside it. BadInput: they are
/// of different servers, or `out` is there already. MissingObject: no snapshot lies there. The readers are
/// used one after another, on this thread; blocks as long as it takes.
Result<Copied> copyRecordings(const std::vector<RecordingReader*>& recordings, ServerTime from, ServerTime to,
    const QString& out, const Identity& as);

} // namespace lockscope::record
