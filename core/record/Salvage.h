// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RecordingCopy.h"

namespace lockscope::record {

/// What was whole of a damaged recording.
struct Salvaged {
    Copied copied;
    qint64 stretches = 0; ///< segments of the new recording
    QList<Unread> unread; ///< ascending; moments on their edges may be whole
};

/// Makes a new recording, `out`, of what is whole of a file that is cut short or has damaged pages, and of
/// one that is whole, too. The file is only read; nothing in it runs; rows are taken of the tables
/// themselves, never by an index. Moments whose row, text or predecessor can't be read are a gap, and an
/// event tells so; intervals of locks follow from the moments that are left. `program` makes the copy. The
/// new file is as of copyRecordings(). BadInput: it is no recording, of a newer program, or damaged where it
/// says what it is; no moment of it is whole; or `out` is there already. Needs about as much room again while
/// it works. Blocks as long as it takes, or until `goesOn` says no: Cancelled. That is told how many moments
/// of how many are copied; of 0 while what is whole is looked for.
using SalvageProgress = std::function<bool(qint64 done, qint64 all)>;
Result<Salvaged> salvageRecording(
    const QString& path, const QString& out, const QString& program, const SalvageProgress& goesOn = {});

} // namespace lockscope::record
