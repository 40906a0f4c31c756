// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "app/lockctl/CommandLine.h"
#include "core/record/Recording.h"
#include "core/record/RecordingReader.h"

namespace lockscope::ctl {

/// --recording and --at, of commands that can read a recording instead of a server.
void addRecording(Command& command);
/// --recording, --from and --to, of commands about a range.
void addRange(Command& command);
/// The place of the recording that --recording names, else of that of the server that --server names, in the
/// account's folder.
Result<QString> recordingPathNamed(const CommandLine& line);
/// Opens the recording at recordingPathNamed().
Result<std::unique_ptr<record::RecordingReader>> recordingNamed(const CommandLine& line);
/// Returns the range of the options; parts that they leave open are `otherwise`'s.
Result<record::Span> rangeOf(const CommandLine& line, const QString& from, const QString& to,
    const record::Span& otherwise, ServerTime last);
/// A recording, and the part of it that is asked for.
struct RecordedRange {
    std::unique_ptr<record::RecordingReader> reader;
    record::Span span; ///< of the whole recording
    record::Span range; ///< as --from and --to say
};
/// A recording, or that of recordingNamed(), between --from and --to.
Result<RecordedRange> recordedRange(
    const CommandLine& line, Result<std::unique_ptr<record::RecordingReader>> reader);
Result<RecordedRange> recordedRange(const CommandLine& line);
using record::parseTime;
/// The last snapshot at or before `time`, or the last of all if that is empty. Where `time` lies in a gap,
/// standard error says so.
Result<SnapshotPtr> snapshotAt(record::RecordingReader& reader, const QString& time);
/// Returns the snapshot at the time of --at, or the last one.
Result<SnapshotPtr> snapshotAskedFor(const CommandLine& line);
using record::ownRecordings;
using record::retentionOf;
/// Returns the recordings that the words behind the command name; without any, those in the account's folder.
QStringList filesOf(const CommandLine& line);

// Commands of `lockctl recordings` that make recordings of recordings.
Command exportRecordingCommand();
Command mergeRecordingsCommand();

} // namespace lockscope::ctl
