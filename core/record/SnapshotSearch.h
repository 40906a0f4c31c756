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

/// The places in a recording that people go to.
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

/// A request for a recorded snapshot.
struct SnapshotRequest {
    enum class Kind : quint8 {
        At, ///< `from` itself
        Step, ///< `steps` snapshots after `from`, or before it
        NextLandmark, ///< of those chosen, after `from`
        PreviousLandmark,
        Last, ///< of all
    };
    Kind kind = Kind::At;
    ServerTime from{};
    int steps = 0;
    LandmarkChoice landmarks = {};
};

/// The snapshot that was found.
struct FoundSnapshot {
    ServerTime at; ///< the requested time; that of the snapshot itself, if the request named none
    Result<SnapshotPtr> snapshot; ///< of the last poll before `at`; null: there is none
    std::optional<Coverage::Gap> gap; ///< that the time lies in: the snapshot is of its beginning

    /// "Not recorded from 12:01:10 to 12:03:44: pruned. The last snapshot before was 49 s earlier."; empty:
    /// it is no gap.
    QString gapText() const;
};

/// Errors of a single snapshot are in FoundSnapshot, so that the user can go on to the next one; any other
/// error is the result's.
Result<FoundSnapshot> findSnapshot(RecordingReader& reader, const SnapshotRequest& request);

Q_DECLARE_OPERATORS_FOR_FLAGS(Landmarks)

} // namespace lockscope::record
