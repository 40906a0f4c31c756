// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Database.h"
#include "core/record/Recording.h"

#include <optional>

namespace lockscope::record {

// What makes a file of SQLite a recording.

constexpr int formatVersion = 2; // of the tables
constexpr qint64 recordingApplication = 0x4c6b7363; // "Lksc"

// Of a block of intervals, see schema/recording/intervals.sql.
constexpr qint64 intervalsPerBlock = 16'384;
constexpr microseconds longInterval = std::chrono::minutes(10); // from then on it is in a block of such

/// Makes the tables of an empty file, and says whose recording it is. In a transaction of its own.
Result<void> makeRecording(Database& database, const Identity& identity);
/// Whose recording it is; nothing: it does not say.
Result<std::optional<Identity>> identityOf(Store& store);
/// Whether a file with tables may go on as the recording of `wanted`; `wanted.redacted` is the file's
/// afterwards. BadInput: it is no recording, another server's, a newer program's, or not redacted as wanted.
/// A file of a server that has the same name and is another one: isOfAnotherServer. Changes nothing.
Result<void> checkRecording(Database& database, const QString& path, Identity& wanted);
/// Brings the tables of an older version to this one, in a transaction of its own. Takes some seconds for a
/// million intervals.
Result<void> upgradeRecording(Database& database);
/// The version of the tables. 0: they say none.
Result<qint64> versionOf(Database& database);
/// Tells the connection how to find intervals (schema/recording/reading.sql) in a file of this version or an
/// older one. To be called once, before anything asks for some.
Result<void> prepareToRead(Database& database);
/// Writes down in a file which server it is of, if it does not say; files of former programs do not.
Result<void> bindRecording(Database& database, const Identity& identity);

} // namespace lockscope::record
