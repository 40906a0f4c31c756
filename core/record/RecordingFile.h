// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/PlainFile.h"
#include "core/base/Result.h"
#include "core/record/Database.h"
#include "core/record/Recording.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace lockscope::record {

// The properties by which a file of SQLite is a recording.

constexpr int formatVersion = 1; // of the tables
constexpr qint64 recordingApplication = 0x4c6b7363; // "Lksc"

// The size of a block of intervals, see schema/recording/intervals.sql.
constexpr qint64 intervalsPerBlock = 16'384;
constexpr microseconds longInterval = std::chrono::minutes(10); // from then on it is in a block of such

/// A warning if other accounts may read the file; empty: none may, or there is none.
QString exposureOf(const QString& path);
/// Makes the tables of an empty file, and says whose recording it is. In a transaction of its own.
Result<void> makeRecording(Database& database, const Identity& identity);
/// Returns the identity of the recording's server; nothing: it has none.
Result<std::optional<Identity>> identityOf(Store& store);
/// Returns whether the file at `path` is a recording in the form that this program knows. BadInput if not.
Result<void> checkForm(Database& database, const QString& path);
/// Returns whether two recordings are of one server: by its place, or by its name if one has no place.
bool isOfOneServer(const Identity& one, const Identity& another);
/// Returns whether the two are known and differ: data of another server, whatever its place.
bool isAnotherCluster(const Identity& one, const QString& cluster);
/// Returns the failure isOfAnotherServer(), with the identities of the file and of the server to record.
Failure ofAnotherServer(const QString& path, const Identity& file, const Identity& expected);
/// Returns whether a file was refused because it is of a server that had this name before: another engine,
/// or another place.
bool isOfAnotherServer(const Error& error);
/// The cluster that was to be recorded then; empty: unknown, or another error.
QString expectedCluster(const Error& error);
/// Checks whether a file with tables may go on as the recording of `expected`; `expected.redacted` is the
/// file's afterwards, and its cluster, if `expected` has none. BadInput: as checkForm, or it is another
/// server's, or redaction differs. A file of another server: isOfAnotherServer. Changes nothing.
Result<void> checkRecording(Database& database, const QString& path, Identity& expected);
/// Adds what happened, with its checksum; once, if it has a `key`.
Result<void> addEvent(Database& database, ServerTime at, ServerTime noted, const QString& kind,
    const QString& what, const QString& detail = {}, const QString& key = {});
/// The checksum that a row of the table event must have.
qint64 eventChecksum(ServerTime at, const QString& kind, const QString& what, const QString& detail);
/// Registers with the connection how to find intervals (schema/recording/reading.sql). To be called once,
/// before the first query for some.
Result<void> prepareToRead(Database& database);

/// Lists as sentences what is wrong with a recording's file, except with the data of its frames. Reads all of
/// it.
Result<QStringList> faultsBesideFrames(Database& file);

/// The native code of take()'s errors if another program has the lock.
inline const QString writtenByAnother = QStringLiteral("another writer");

/// The right to write a recording: a file beside it, "FILE.lock", which the system holds locked as long as
/// this lives and no longer than its process. One thread.
class WriterLock {
public:
    /// Permission: another program has it, which the error names, the folder can't be written, or somebody
    /// has put something else in the place of that file.
    static Result<std::unique_ptr<WriterLock>> take(const QString& recording);
    /// Returns whether a program has it, or has had it and was cut off.
    static bool isAnybodys(const QString& recording);
    ~WriterLock();
    Q_DISABLE_COPY(WriterLock)

    /// False: the lock's file is not at its place any more, or is another one. Somebody else may have the
    /// right by now.
    bool isHeld() const;

private:
    WriterLock(QByteArray name, Descriptor file);

    QByteArray m_name;
    Descriptor m_file;
};

} // namespace lockscope::record
