// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/Snapshot.h"
#include "core/record/Recording.h"

#include <optional>

namespace lockscope::record {

class RecordingReader;

/// Which moment somebody wants to see.
struct MomentWish {
    enum class Kind : quint8 {
        At, ///< `from` itself
        Step, ///< `steps` moments after `from`, or before it
        NextIncident, ///< that begins after `from`
        PreviousIncident,
        Last, ///< of all
    };
    Kind kind = Kind::At;
    ServerTime from;
    int steps = 0;
};

/// A time at which nobody looked.
struct Unseen {
    ServerTime from; ///< the last look before
    std::optional<ServerTime> to; ///< the first one after; nothing: there was none yet
    QString why; ///< as the recorder put it down; empty: it was cut off

    bool operator==(const Unseen&) const = default;
    /// "Nobody looked between 12:01:10 and 12:03:44 (the computer slept, or a clock was set)."
    QString toString() const;
};

/// What was found.
struct FoundMoment {
    ServerTime at; ///< the time that was looked for; that of the moment itself, if a wish did not name it
    Result<SnapshotPtr> snapshot; ///< how it was then, by the last look; null: there is no such moment
    std::optional<Unseen> unseen; ///< nobody looked then
};

/// What can't be read of one moment is in FoundMoment, so that one can go on to the next one; anything else
/// is the result's error.
Result<FoundMoment> findMoment(RecordingReader& reader, const MomentWish& wish);

} // namespace lockscope::record
