// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/deadlock/source/DeadlockSource.h"

#include <QSet>

#include <chrono>
#include <compare>
#include <map>

namespace lockscope::db {
struct SqlServerFacts;
}

namespace lockscope::deadlock {

/// Runs the queries of one poll and notes their cost in it. Of the thread of its connection.
class SqlServerQuestions {
public:
    SqlServerQuestions(db::Connection& connection, SourcePoll& poll, const std::stop_token& stop)
        : m_connection(connection)
        , m_poll(poll)
        , m_stop(stop)
    {
    }

    /// Runs all in one round trip, between two readings of the server's clock. Each has its own result.
    std::vector<Result<qint64>> ask(std::span<const db::BatchItem> items);
    Result<qint64> ask(const char* statement, std::vector<db::Param> params, const db::RowSink& sink);
    /// The server's clock at the last question; invalid if it did not answer.
    ServerTime now() const { return m_now; }

    /// True for an error of more than one source of reports: there is no connection any more, or nobody waits
    /// for the answer.
    static bool isFatal(const Error& error);

private:
    db::Connection& m_connection;
    SourcePoll& m_poll;
    const std::stop_token m_stop;
    ServerTime m_now;
};

/// Takes the events of SQL Server's event sessions and adds those to a poll's result that were not given
/// before, whatever they were read from. A value; of one thread.
class ReportIntake {
public:
    /// `since`: as of DeadlockPoller::makeSource.
    explicit ReportIntake(std::optional<ServerTime> since)
        : m_since(since)
    {
    }

    /// Sets the time of the first poll; events from then on count as captured.
    void setFirstPoll(ServerTime now) { m_firstPoll = now; }
    /// Returns the time from which on reports are requested.
    ServerTime since() const { return m_since.value_or(m_firstPoll); }

    /// Takes the `xml` of one event. `isOld`: it may be older than the first poll; then one without a
    /// credible time is given only if old ones were requested.
    void take(const QString& xml, const QString& place, bool isOld, SourcePoll& poll);
    qint64 captured() const { return m_captured; }

private:
    bool isKnown(const QString& key);

    std::optional<ServerTime> m_since;
    ServerTime m_firstPoll;
    qint64 m_captured = 0;
    QSet<QString> m_known, m_knownBefore; ///< keys of events; the older half is dropped now and then
};

/// The contents of one session's ring buffer. The server always gives it as a whole, which costs it some 100
/// ms however little it is, and as XML of at most 4 MB, of which then the end is missing. Of one thread.
class SqlServerRingBuffer {
public:
    SqlServerRingBuffer(QString session, bool isAzureDatabase)
        : m_session(std::move(session))
        , m_isAzureDatabase(isAzureDatabase)
    {
    }

    /// Takes reports that were not there the last time. False: it can't be read, which is noted in `poll`; an
    /// error is fatal, or a right is missing.
    Result<bool> read(
        SqlServerQuestions& questions, const QString& place, ReportIntake& intake, SourcePoll& poll);
    /// The sentences of the last reading, for polls that leave it out.
    const QStringList& limits() const { return m_limits; }

private:
    void take(const QString& content, const QString& place, ReportIntake& intake, SourcePoll& poll);

    const QString m_session;
    const bool m_isAzureDatabase;
    QSet<QByteArray> m_before; ///< hashes of the events that were there the last time
    QStringList m_limits;
    bool m_isBegun = false;
};

/// The server's properties that matter for its event files.
struct EventFileServer {
    bool isAzureDatabase = false; ///< sessions are of a database, files are in Azure Storage
    bool isManagedInstance = false; ///< files of its own may only be named with a wildcard
    bool hasTimes = true; ///< the function has the column timestamp_utc: from 2017 on
};

/// The event files of one session, read on from block to block. A block is what the server writes at once; it
/// is named by its file and offset. The place to read on from is the block before the last: the last one is
/// read again each time, and what is known of it is left out, so that nothing is lost should it have grown.
/// One thread uses it.
class SqlServerEventFiles {
public:
    /// `file`: as the session was made with, "system_health.xel".
    SqlServerEventFiles(QString session, QString file, const EventFileServer& server)
        : m_session(std::move(session))
        , m_file(std::move(file))
        , m_server(server)
    {
    }

    /// Reads at most `maximum` reports, but whole blocks. False: they can't be read, which is noted in
    /// `poll`; an error is fatal.
    Result<bool> read(SqlServerQuestions& questions, const QString& place, qint64 maximum,
        ReportIntake& intake, SourcePoll& poll);

    /// Returns a pattern for the files that the server makes of that name, and only those.
    static QString patternOf(const QString& file, const EventFileServer& server);
    /// Returns the start of a file, by its name: "system_health_0_133712345678900000.xel". Nothing: no such
    /// name.
    static std::optional<ServerTime> begun(const QString& file);

private:
    struct Block {
        QString file;
        qint64 offset = 0;
        std::strong_ordering operator<=>(const Block& other) const;
        bool operator==(const Block&) const = default;
    };
    struct FileEvent {
        Block block;
        qint64 blockFromEnd = 1;
        QString oldestFile; ///< that is there from the place on that was read from
        QString report; ///< null: the row only has the block
    };

    Result<QString> currentFile(SqlServerQuestions& questions) const;
    Result<std::vector<FileEvent>> events(
        SqlServerQuestions& questions, const QString& path, qint64 maximum, ServerTime since) const;
    void take(
        const std::vector<FileEvent>& events, const QString& place, ReportIntake& intake, SourcePoll& poll);

    const QString m_session;
    const QString m_file;
    const EventFileServer m_server;
    QString m_pattern; ///< empty: not known yet
    std::optional<Block> m_before; ///< read from behind it on; nothing: from the start
    std::optional<Block> m_last; ///< of those that were read
    bool m_isBegun = false; ///< a reading of the files has succeeded
    bool m_onlyCurrent = false; ///< all of them took too long
};

/// The pace of the polls, and their limits.
struct SqlServerPace {
    milliseconds ringBuffer{60'000}; ///< at least so long between two readings of one
    milliseconds telemetry{300'000}; ///< the same of what Azure keeps
    qint64 maxReports = 1'000; ///< of one poll of the files of one session
};

/// SQL Server's event sessions that catch deadlocks (system_health does on every server) and long waits: from
/// their files, else from a ring buffer; on Azure SQL Database from the database's own sessions, in its
/// master from what Azure keeps. Changes nothing on the server: sessions are made by an administrator.
class SqlServerDeadlockSource final : public DeadlockSource {
public:
    explicit SqlServerDeadlockSource(
        db::Connection& connection, std::optional<ServerTime> since = {}, const SqlServerPace& pace = {});
    ~SqlServerDeadlockSource() override;

    Result<SourcePoll> poll(const std::stop_token& stop = {}) override;

private:
    /// A target of a session that runs.
    struct Target {
        QString session;
        bool isFile = false;
        QString file; ///< as the session was made with
        bool catchesDeadlocks = false;
        bool catchesBlocked = false;
    };
    /// The server's answers before any report is read.
    struct Answers {
        QList<Target> targets;
        bool areTargetsKnown = false; ///< else the reason is given
        std::optional<int> threshold; ///< of blocked-process reports, in seconds
        QString database;
    };

    Result<Answers> ask(SqlServerQuestions& questions, SourcePoll& poll);
    Result<void> readAll(const Answers& answers, SqlServerQuestions& questions, SourcePoll& poll);
    Result<void> readTelemetry(SqlServerQuestions& questions, SourcePoll& poll);
    Result<bool> readRing(const Target& target, SqlServerQuestions& questions, SourcePoll& poll);
    void noteUncaught(const Answers& answers, SourcePoll& poll) const;
    void noteBlocked(const Answers& answers, SourcePoll& poll) const;
    void noteCounter(SourcePoll& poll);
    void addMissingRight(const Error& error, SourcePoll& poll) const;
    const db::SqlServerFacts& facts() const;
    QString place() const { return connection().url().display(); } ///< of reports
    bool isDue(const QString& what, milliseconds pace);

    const SqlServerPace m_pace;
    ReportIntake m_intake;
    DeadlockCounter m_counter;
    bool m_hasSearched = false;
    std::map<QString, SqlServerEventFiles> m_files; ///< by session and file
    std::map<QString, SqlServerRingBuffer> m_rings; ///< by session
    /// the latest reading of sources that are read seldom
    std::map<QString, std::chrono::steady_clock::time_point> m_read;
    QStringList m_telemetryLimits;
    bool m_isTelemetryRead = false;
    std::optional<ServerTime> m_telemetryFrom; ///< nothing: from the requested time on
};

} // namespace lockscope::deadlock
