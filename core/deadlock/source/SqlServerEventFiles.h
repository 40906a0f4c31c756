// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/source/ReportIntake.h"
#include "core/deadlock/source/SqlServerQuestions.h"

#include <compare>

namespace lockscope::deadlock {

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

} // namespace lockscope::deadlock
