// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/deadlock/Deadlock.h"

#include <array>
#include <optional>

namespace lockscope::deadlock {

/// The formats of PostgreSQL's log, the most detailed one first.
inline constexpr std::array logFormats{
    SourceFormat::PostgresJson, SourceFormat::PostgresCsv, SourceFormat::PostgresText};
/// Returns what log_destination calls it: "jsonlog", "csvlog", "stderr".
QString logDestination(SourceFormat format);

struct LogFile {
    QString path;
    qint64 size = 0;
    ServerTime modified;

    QString name() const { return path.section(u'/', -1); }
    /// Returns the name for the beginning of a sentence.
    QString shown() const { return path.startsWith(u"/proc/") ? QStringLiteral("The server's log") : name(); }
};

/// The files of a server's log in one format, wherever they are read. Of one thread.
class PostgresLog {
public:
    virtual ~PostgresLog() = default;

    virtual SourceFormat format() const = 0;
    /// Adds what must be asked to see how far the log is, for one round trip together with other questions.
    /// `from`: files last written before that are of no interest, except the one named `known`.
    virtual void ask(std::vector<db::BatchItem>& items, const QString& known, ServerTime from) = 0;
    /// Returns the files: the oldest first, and last the file that is written now. Empty: there is none.
    virtual const QList<LogFile>& files() const = 0;
    /// Reads at most so many bytes, less only at the end of the file; nothing if it is gone.
    virtual Result<std::optional<QByteArray>> read(
        const LogFile& file, qint64 from, qint64 count, const std::stop_token& stop) = 0;
    virtual int roundTrips() const = 0; ///< by read(), so far
    /// Names of files beside it that are not named as it is: those of another server, say.
    virtual QStringList passedOver() const { return {}; }
};

/// Reads files that its collector writes by the server's functions. `pattern` is log_filename, empty if the
/// role may not see it.
std::unique_ptr<PostgresLog> collectedLog(
    db::Connection& connection, SourceFormat format, const QString& pattern);
/// Reads the file that its standard error goes to, if that is one, by the server's functions.
std::unique_ptr<PostgresLog> standardErrorLog(db::Connection& connection);
/// Reads from this machine's disk, without any right on the server: only where its process runs here and may
/// be inspected by this account, so that it is certainly its own log. Null if not.
std::unique_ptr<PostgresLog> localLog(
    const db::Connection& connection, const QStringList& destinations, const QString& pattern);

/// Returns whether the file called `name` is of the log that is written to `current` now, by the pattern of
/// their names (log_filename); if that is not known, or was changed since, by whether they differ only by
/// digits and names of days and months. Several servers may write into one folder.
bool isOfSameLog(const QString& name, const QString& current, const QString& pattern);
/// Takes those that are not out, but for the one named `known`; the last one is written now. Their names.
QStringList takeOthers(QList<LogFile>& files, const QString& known, const QString& pattern);

/// "\134" for "\" and other bytes, as encode(…, 'escape') of the server writes them.
QByteArray unescaped(const QString& text);

} // namespace lockscope::deadlock
