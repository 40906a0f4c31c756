// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/RunContext.h"

#include <map>
#include <optional>

namespace lockscope::scenario {

/// The contents of one of a run's tables at some time, for people.
struct TableState {
    QString name;
    QStringList columns;
    std::vector<QStringList> rows; ///< the first ones, in the order of the first column
    bool hasMore = false;
    QString fault; ///< why it can't be read now; empty = it was
    bool operator==(const TableState&) const = default;
};
constexpr int rowsOfTableState = 8;

/// Reads the tables that a run has made, without Lockscope's own, by a connection of its own: on PostgreSQL
/// and SQLite what is committed, on SQL Server what was written, because there a reader would have to wait.
/// One thread.
class TableReader {
public:
    /// Asks nothing before read(). `context` must outlive it.
    explicit TableReader(const RunContext& context);
    ~TableReader();
    Q_DISABLE_COPY_MOVE(TableReader)

    /// Reads them in the order in which they were made. Blocks; a table that somebody keeps locked costs a
    /// quarter of a second and says so.
    Result<std::vector<TableState>> read(const std::stop_token& stop);

private:
    Result<void> connect();
    TableState readOne(const QString& name, const QStringList& columns, const std::stop_token& stop);

    const RunContext& m_context;
    std::unique_ptr<db::Connection> m_connection;
    struct Known {
        QStringList columns;
        std::optional<db::Statement> peek; ///< of these columns
    };
    std::map<QString, Known> m_known;
};

} // namespace lockscope::scenario
