// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

namespace lockscope::locks {

/// A table that several programs read as a work queue. Names may be any text; they are quoted as identifiers.
struct QueueTable {
    /// The type of the stamp column: a time with its zone, or without one in UTC or in the server's zone.
    enum class Clock { WithZone, Utc, Local };

    QString schema; ///< empty = the connection's default
    QString table;
    QString keyColumn = QStringLiteral("id"); ///< unique
    QString orderColumn; ///< oldest first; empty = the key
    /// Holds the time at which a reader took the row, by the server's clock. A row is free if it is NULL or
    /// older than redeliverAfter; the column's default must be the value of a free row.
    QString stampColumn = QStringLiteral("ReadForProcessing");
    Clock clock = Clock::Utc;
    QStringList columns; ///< read with each row, besides its key
    /// A row that was taken this long ago and is still there goes to another reader: its reader has died.
    milliseconds redeliverAfter{60'000};
    QString doneSchema;
    QString doneTable; ///< the table for done rows, of the same columns; empty = they are deleted
};

struct QueueRow {
    QString key;
    QString stamp; ///< of this reader's take(), as the server writes it; another reader's differs
    QStringList values; ///< of QueueTable::columns; null strings for NULL
};

/// Strategy 4: each reader takes the next rows, and readers skip each other's rows (PostgreSQL FOR UPDATE
/// SKIP LOCKED, SQL Server UPDLOCK and READPAST), so no reader waits for another. Bound to the thread of its
/// connection. It can be used in a transaction: the rows then stay locked until its end, and a rollback gives
/// them back.
class QueueReader {
public:
    /// Unsupported if the engine or this server can't skip locked rows. `connection` must outlive the reader.
    static Result<std::unique_ptr<QueueReader>> create(db::Connection& connection, QueueTable table);
    /// The same with a connection of its own, which belongs to the calling thread. Blocks up to the connect
    /// time-out.
    static Result<std::unique_ptr<QueueReader>> open(const db::Server& server, QueueTable table);

    /// Returns the next rows, oldest first, and stamps them with the server's time. Returns `atMost` rows,
    /// fewer, or none if no row is free. One round trip.
    Result<std::vector<QueueRow>> take(int atMost);
    /// Deletes the finished rows, or moves them to doneTable. Returns the number of those that were still
    /// this reader's; the others were handed out again meanwhile and are left to their new reader. One round
    /// trip.
    Result<int> done(std::span<const QueueRow> rows) { return settle(m_done, rows); }
    /// Gives the rows back, so that another reader can take them at once. Returns the number of those that
    /// were still this reader's. One round trip.
    Result<int> giveBack(std::span<const QueueRow> rows) { return settle(m_giveBack, rows); }

private:
    QueueReader(db::Connection& connection, QueueTable table);
    Result<int> settle(const db::Statement& statement, std::span<const QueueRow> rows);

    std::unique_ptr<db::Connection> m_own; ///< of open()
    db::Connection& m_connection;
    const QueueTable m_table;
    const db::Statement m_take;
    const db::Statement m_done;
    const db::Statement m_giveBack;
};

} // namespace lockscope::locks
