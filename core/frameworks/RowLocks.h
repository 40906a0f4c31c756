// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/HolderLife.h"
#include "core/frameworks/FoundTable.h"
#include "core/frameworks/ProgramZone.h"

#include <QStringList>

#include <chrono>
#include <stop_token>
#include <vector>

namespace lockscope::frameworks {

/// A plain table of somebody whom we don't trust, of PostgreSQL: all of its rows as they are stored, by COPY,
/// which plans nothing and so runs nothing of its owner's, whatever the table has become since it was judged.
/// The rows are then asked as a table of the system's own types is.
struct CopiedTable {
    CopiedTable(const db::Dialect& dialect, const DatabaseTable& table, const QStringList& columns);

    QByteArray statement; ///< the COPY
    QString typed; ///< the columns and types of the rows as a table: "id" pg_catalog.int4, …
    QStringList names; ///< of the columns, in the order of both
};

/// Such a table is copied with each poll only if it is not larger.
inline constexpr qint64 maxRowsCopied = 10'000;
inline constexpr qint64 maxBytesCopied = 8 * 1024 * 1024;

/// The rows of each table as a JSON array of objects, or why there are none: in one read-only transaction
/// that runs nothing else; after a failure again with the tables behind that one, until `end`. All of them
/// together wait 200 ms for locks, and then each 1 ms. Adds to `roundTrips`.
std::vector<Result<QString>> copyRows(db::Connection& connection, const std::vector<CopiedTable>& tables,
    std::chrono::steady_clock::time_point end, int& roundTrips, const std::stop_token& stop);

/// The times of a row that were written without a zone, as far as it has some.
struct ZonelessTimes {
    std::optional<ZonelessTime> since;
    std::optional<ZonelessTime> expires;
    std::optional<ZonelessTime> heartbeat;
    std::vector<ZonelessTime> mustBeToCome{}; ///< as RowLock::mustBeToCome
    bool isOfDatabase =
        false; ///< they are finer than a program writes them: see FrameworkRow::utcIfFinerThan
};

/// A row of a framework's table, as it was read.
struct RowLock {
    LockTableEntry entry; ///< but for holderLife
    HolderSigns signs; ///< of the holder's life
    /// Times that must be to come for the row to be a lock, which the server could not compare.
    std::vector<ServerTime> mustBeToCome;
    ZonelessTimes zoneless;
    qint64 rows = 0; ///< the number of such rows in the table, of which at most RowLocks::limit are given

    /// Takes the user's settings of its program: how long it may be silent, how long its locks last.
    void take(const ProgramSettings& settings, const FrameworkRow& row);
    /// Reads the times without a zone: in UTC if the zone is known; else the signs show how to read them.
    /// Once.
    void readZoneless(const ProgramZone& zone, const ServerZone& server, ServerTime now);
    /// False only if it surely is over.
    bool isHeld(ServerTime now) const;

private:
    void noteTaken(ServerTime since);
};

/// Reads the locks of one table: the statement, made of the description, and what its rows mean. Each row
/// becomes an entry: of one that can't be right, badRow has the reason. Immutable; any thread.
class RowLocks {
public:
    static constexpr qint64 usualLimit = 1'000;
    /// WithoutTimes: after a value among them has made the server give up on the statement.
    enum class Times : quint8 { AsStored, WithoutTimes };

    /// `match` is that of each row.
    RowLocks(const db::Dialect& dialect, FoundTablePtr table, FrameworkMatchPtr match,
        Times times = Times::AsStored, qint64 limit = usualLimit);

    const FoundTable& table() const { return *m_table; }
    const FrameworkMatchPtr& match() const { return m_match; }
    const db::Statement& statement() const { return *m_statement; }
    const std::vector<db::Param>& params() const { return m_params; }
    /// The parameters of a table that is copied: its rows and those of the processes' table, as JSON.
    std::vector<db::Param> params(const QString& rows, const QString& processes) const;
    /// Returns the tables that are copied then: this one, and that of the processes if there is one.
    const std::vector<CopiedTable>& copies() const { return m_copies; }
    /// Equal for tables whose statements differ in their names alone; they have the same parameters.
    const QString& shape() const { return m_shape; }
    qint64 limit() const { return m_limit; }
    int columnCount() const { return m_rows + 1; } ///< of the statement
    RowLock read(const db::Row& row) const;

private:
    /// A time of the row: its text, and microseconds if the server makes them.
    struct Time {
        FrameworkTime time;
        FrameworkClock clock = FrameworkClock::Application;
        TimeBy by = TimeBy::Nobody;
        int text = -1; ///< columns of the statement; -1: the table has none
        int us = -1;
    };

    int addText(const QString& column);
    Time addTime(const std::optional<FrameworkTime>& time);
    void addHeld();
    QString condition(const FrameworkCondition& condition);
    QString marker(db::Param value);
    db::Param valueFor(const FrameworkValue& value, ColumnKind kind) const;
    ColumnKind kindOfColumn(const QString& column) const;
    QString quotedColumn(const QString& column) const;
    QString source(const DatabaseTable& table, const QStringList& columns);
    void makeStatement();
    void compareFirst();

    static std::optional<ZonelessTime> zonelessOf(const Time& time, const db::Row& row);
    bool isFinerThanPrograms(const db::Row& row) const;
    std::optional<qint64> microsecondsOf(const Time& time, const db::Row& row, QStringList& faults) const;
    QString nameOf(const db::Row& row, QStringList& faults) const;
    void readKeys(const db::Row& row, HolderSigns& signs) const;
    void readProcess(const db::Row& row, RowLock& lock, QStringList& faults) const;

    const db::Dialect& m_dialect;
    FoundTablePtr m_table;
    FrameworkMatchPtr m_match;
    Times m_times;
    qint64 m_limit;
    HolderPattern m_pattern;

    QStringList m_texts; ///< columns given as text, in the order of the statement's
    QStringList m_expressions;
    QStringList m_held;
    std::vector<db::Param> m_params;
    Time m_since;
    Time m_expires;
    Time m_heartbeat;
    std::vector<Time> m_mustBeToCome;
    int m_holder = -1;
    int m_from = -1;
    int m_process = -1; ///< first of the columns of the process
    Time m_processBeat;
    int m_rows = 0;
    std::vector<CopiedTable> m_copies;
    QString m_shape;
    std::optional<db::Statement> m_statement;
};

} // namespace lockscope::frameworks
