// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/source/DeadlockSource.h"
#include "core/deadlock/source/SqlServerEvents.h"

#include <chrono>
#include <map>

namespace lockscope::db {
struct SqlServerFacts;
}

namespace lockscope::deadlock {

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
