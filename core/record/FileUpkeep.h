// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/record/Pruning.h"

#include <optional>

namespace lockscope::record {

/// Keeps an open recording as small as it is meant to be: prunes it, at once or in slices, writes its WAL
/// into the file, and compacts it. After an error `numbers` may be of what was taken back. One thread, that
/// of the database.
class FileUpkeep {
public:
    FileUpkeep(Database& database, Numbers& numbers)
        : m_database(database)
        , m_numbers(numbers)
    {
    }

    /// RecordingWriter::prune(). `last` is the last snapshot of this program, if there is one, and
    /// `lastNoted` when it was written.
    Result<void> prune(
        const Retention& retention, const SnapshotPtr& last, ServerTime lastNoted, ServerTime now);
    /// Brings the WAL into the file if it is long; false if it is not.
    Result<bool> checkpoint();
    Result<bool> pruneSome(const Retention& retention, ServerTime lastTaken, ServerTime lastNoted);
    /// Afterwards `numbers` are of what was taken back.
    Result<Pruned> tryPrune(
        const Retention& retention, const SnapshotPtr& last, ServerTime lastNoted, ServerTime now);
    Result<void> compact();

private:
    Result<void> measure(Span& span, qint64& bytes);

    Database& m_database;
    Numbers& m_numbers;
    std::optional<Pruning> m_pruning; // under way
    int m_prunings = 0;
};

} // namespace lockscope::record
