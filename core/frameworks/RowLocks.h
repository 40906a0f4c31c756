// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/HolderLife.h"
#include "core/frameworks/FoundTable.h"
#include "core/frameworks/RowTimes.h"

#include <QStringList>

#include <vector>

namespace lockscope::frameworks {

/// A row of a framework's table, as it was read.
struct RowLock {
    LockTableEntry entry; ///< but for holderLife
    HolderSigns signs; ///< of the holder's life
    /// Times that must be to come for the row to be a lock, which the server could not compare.
    std::vector<ServerTime> mustBeToCome;
    qint64 rows = 0; ///< how many such rows the table has, of which at most RowLocks::limit are given

    bool isHeld(ServerTime now) const;
};

/// Reads the locks of one table: the statement, made of the description, and what its rows mean. Whatever a
/// row holds becomes an entry: of one that can't be right, badRow tells why. Immutable; any thread.
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
    qint64 limit() const { return m_limit; }
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
    void makeStatement();

    std::optional<qint64> microsecondsOf(const Time& time, const db::Row& row, QStringList& faults) const;
    QString nameOf(const db::Row& row, QStringList& faults) const;
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
    std::optional<db::Statement> m_statement;
};

} // namespace lockscope::frameworks
