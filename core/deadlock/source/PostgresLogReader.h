// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/deadlock/Deadlock.h"

#include <QByteArray>
#include <QStringList>

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

/// The entries in a piece of a log that still grows.
struct LogPiece {
    struct Found {
        ReportPtr report;
        qsizetype begin = 0; ///< its place in the piece: bytes
    };
    QList<Found> found; ///< whole ones only
    /// The number of bytes that need not be read again. The rest may be the beginning of an entry; entries
    /// that were found in it already are found again by the next piece.
    qsizetype consumed = 0;
    bool isWaiting = false; ///< a report at the end was left for the next piece, by which it may be longer
};

/// The text behind a piece.
enum class Behind : quint8 {
    More, ///< something, or it is being written just now
    Quiet, ///< nothing, and nothing was written for a while: what ends with a line is whole
    Nothing, ///< nor will anything be written: the log goes on in another file
};

/// Reads a piece of PostgreSQL's log, which begins with a line: `format` is PostgresText, PostgresCsv or
/// PostgresJson. An entry at its end that may not be whole yet is not read. Any thread.
LogPiece readLogPiece(const QByteArray& bytes, SourceFormat format, const QString& place, Behind behind);

/// Returns the start of the first line of a log entry, in a piece that begins anywhere; the size of the piece
/// if there is none.
qsizetype firstEntryOf(const QByteArray& bytes, SourceFormat format);

/// Keeps how far a log was read, and reads on: whole entries only, from one file to the next as the log
/// rotates, a part at a time. Of one thread.
class PostgresLogReader {
public:
    static constexpr qint64 maxAtOnce = 4 << 20; ///< bytes a poll
    /// The limit for bytes that are there when it begins, and for those that came while it was not polled:
    /// the rest is left out.
    static constexpr qint64 maxBehind = 256 << 20;

    /// `since`: nothing: from the log's present end on.
    explicit PostgresLogReader(std::optional<ServerTime> since)
        : m_since(since)
    {
    }

    QString file() const { return m_file; } ///< the name of the one read last; empty at the beginning
    ServerTime from() const { return m_modified.isValid() ? m_modified : m_since.value_or(ServerTime{}); }

    struct Part {
        QList<ReportPtr> reports;
        QStringList gaps; ///< parts that were not read and never will be
        bool isMoreToRead = false;
        qint64 bytes = 0;
    };
    /// The log's files() must be known, and `now` the server's time at which they were asked for. On an error
    /// nothing is lost: what was not returned is read again.
    Result<Part> readOn(PostgresLog& log, ServerTime now, const QString& place, const std::stop_token& stop);

private:
    struct Position {
        qint64 offset = 0;
        QByteArray before; ///< the bytes right before the offset, by which another content is seen
        qint64 given = 0; ///< reports that begin before this were returned
    };
    Result<void> begin(PostgresLog& log, Part& part, const std::stop_token& stop);
    Result<void> readFile(PostgresLog& log, const LogFile& file, Behind behind, const QString& place,
        Part& part, const std::stop_token& stop);
    bool isQuiet(const LogFile& file, ServerTime now);
    /// Returns whether it was read to its end, and is not another one of that name.
    bool isPassed(const LogFile& file) const;
    void goTo(const LogFile& file, qint64 offset);
    void skipBacklog(const QList<LogFile>& files, qsizetype at, Part& part);
    Result<bool> readPiece(PostgresLog& log, const LogFile& file, Behind behind, const QString& place,
        Part& part, const std::stop_token& stop);

    const std::optional<ServerTime> m_since;
    QString m_file;
    ServerTime m_modified;
    QList<LogFile> m_passed; ///< the latest ones that were read to their end and left
    Position m_at;
    bool m_isWithinLine = false; ///< the offset is anywhere: the next entry must be searched
    qint64 m_sizeBefore = -1; ///< of the file at the last poll
    ServerTime m_sameSince; ///< the server's time at which it was first seen to have this size
};

} // namespace lockscope::deadlock
