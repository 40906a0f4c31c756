// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/Snapshot.h"
#include "core/record/Recording.h"

#include <memory>

namespace lockscope::record {

/// Writes snapshots into a recording: each is on disk when append() returns. One writer a file; readers may
/// look at any time and cost it nothing (SQLite's WAL: this connection is the only one that writes and
/// checkpoints). One thread; every call blocks for the disk.
///
/// An error leaves the file as it was: what could not be written is missing, told by a gap, and the next
/// append tries again.
class RecordingWriter {
public:
    /// Makes the file if it is not there, mode 0600, and its folder, 0700; goes on with it if it is of the
    /// same server. Permission: another program writes it, the place can't be written, or others may write to
    /// it. BadInput: it is damaged, of another server, of a newer program, no recording, or not redacted as
    /// wanted; it is left as it is.
    static Result<std::unique_ptr<RecordingWriter>> open(const QString& path, const Identity& identity);
    ~RecordingWriter();
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    /// `noted`: this machine's clock. A time of the server that goes back, or a pause that is out of
    /// proportion to those before, begins a new segment: there is a gap.
    Result<void> append(const SnapshotPtr& snapshot, ServerTime noted);
    /// Nothing could be read: a gap begins, and why.
    Result<void> appendFailure(const Error& error, ServerTime noted);
    Result<void> add(const Event& event, ServerTime noted);
    /// Keeps this time beyond what is kept else.
    Result<void> pin(ServerTime from, ServerTime to, const QString& why);
    /// Drops what is older, or too much, whole key frames with what follows them; then gives the room back to
    /// the file, not to the disk.
    Result<void> prune(const Retention& retention);
    /// Ends the segment for a reason that is no fault.
    Result<void> end(const QString& reason);
    qint64 framesWritten() const;

private:
    class Impl;
    explicit RecordingWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace lockscope::record
