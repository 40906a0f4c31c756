// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/source/DeadlockSource.h"
#include "core/deadlock/source/PostgresLogReader.h"

#include <QHash>

namespace lockscope::deadlock {

/// PostgreSQL's log, by the server's functions where the role may, else from this machine's disk where the
/// server runs here; and the counters of pg_stat_database. One round trip while nothing happens. Keeps no
/// state in the session: a pooler may stand between.
class PostgresDeadlockSource final : public DeadlockSource {
public:
    PostgresDeadlockSource(db::Connection& connection, std::optional<ServerTime> since);

    Result<SourcePoll> poll(const std::stop_token& stop) override;

private:
    /// The server's facts; requested again with each connection, and as long as no log can be read.
    struct Facts {
        QHash<QString, QString> settings;
        QString role; ///< quoted
        bool isReplica = false;
        bool mayTellCurrentFile = false;
        bool mayListFiles = false;
        bool mayReadFiles = false;
        bool mayTellSize = false;
        bool mayReadAnyFile = false;
        QString cloudRole;

        bool isCollected() const { return settings.value(QStringLiteral("logging_collector")) == u"on"; }
        QStringList destinations() const;
        QString fileNames() const { return settings.value(QStringLiteral("log_filename")); }
    };
    void connectionReplaced() override;
    Result<void> ask(const std::stop_token& stop);
    void chooseLog();
    void chooseByRights();
    void limitUnread();
    Result<void> readLog(SourcePoll& poll, const std::stop_token& stop);
    Result<void> giveRead(SourcePoll& poll, const std::stop_token& stop);
    Result<void> fixZone(DeadlockReport& report, const std::stop_token& stop);
    void addLimits(SourcePoll& poll) const;

    const std::optional<ServerTime> m_since;
    std::optional<Facts> m_facts;
    std::unique_ptr<PostgresLog> m_log; ///< null: none that can be read
    QString m_origin;
    QString m_unread; ///< why there is no log, and what would help
    PostgresLogReader m_reader;
    DeadlockCounter m_counter;
    /// The log's zone in time ahead of UTC, by quarters of an hour of its own time: zones change at such.
    QHash<qint64, microseconds> m_ahead;
    QList<ReportPtr> m_read; ///< and not given yet
    QStringList m_gaps; ///< the latest ones
    qint64 m_captured = 0;
    ServerTime m_firstPoll;
    ServerTime m_began, m_ended; ///< the server's clock around the requests of this poll
};

} // namespace lockscope::deadlock
