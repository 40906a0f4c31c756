// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"
#include "core/record/Coverage.h"
#include "core/record/Recording.h"

#include <QFlags>

#include <optional>

namespace lockscope::record {

class RecordingReader;

/// What people go to in a recording.
enum class Landmark : quint8 {
    Wait = 1, ///< somebody begins to wait, after nobody did
    LongWait = 2, ///< the longest wait reaches LandmarkChoice::longWait
    Deadlock = 4,
    Alert = 8,
    Act = 16,
    Gap = 32, ///< recording goes on after a gap
    Note = 64, ///< a deployment, or what somebody else wrote down
};
Q_DECLARE_FLAGS(Landmarks, Landmark)

struct LandmarkChoice {
    Landmarks kinds = Landmarks(Landmark::Wait) | Landmark::Deadlock | Landmark::Alert | Landmark::Note;
    milliseconds longWait = LockThresholds().wait.red;
};

/// Which moment somebody wants to see.
struct MomentWish {
    enum class Kind : quint8 {
        At, ///< `from` itself
        Step, ///< `steps` moments after `from`, or before it
        NextLandmark, ///< of those chosen, after `from`
        PreviousLandmark,
        Last, ///< of all
    };
    Kind kind = Kind::At;
    ServerTime from;
    int steps = 0;
    LandmarkChoice landmarks = {};
};

/// What was found.
struct FoundMoment {
    ServerTime at; ///< the time that was looked for; that of the moment itself, if a wish did not name it
    Result<SnapshotPtr> snapshot; ///< how it was then, by the last poll; null: there is no such moment
    std::optional<Coverage::Gap> gap; ///< that the time lies in: the snapshot is of its beginning

    /// "Not recorded from 12:01:10 to 12:03:44: pruned. The last snapshot before was 49 s earlier."; empty:
    /// it is no gap.
    QString gapText() const;
};

/// What can't be read of one moment is in FoundMoment, so that one can go on to the next one; anything else
/// is the result's error.
Result<FoundMoment> findMoment(RecordingReader& reader, const MomentWish& wish);

Q_DECLARE_OPERATORS_FOR_FLAGS(Landmarks)

} // namespace lockscope::record
