// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

namespace lockscope::locks {

/// A table that several servers read as a work queue. Any names; identifiers are quoted.
struct QueueTable {
    /// The type of the stamp column; decides what is written into it.
    enum class Clock { WithZone, Utc, Local };

    QString schema; ///< empty = the connection's default
    QString table;
    QString keyColumn = QStringLiteral("id"); ///< unique
    QString orderColumn; ///< oldest first; empty = the key
    /// The time when somebody took the row; NULL or long ago = nobody has. Its default is the value of a free
    /// row.
    QString stampColumn = QStringLiteral("ReadForProcessing");
    Clock clock = Clock::Utc;
    QStringList columns; ///< to be read with each row, besides its key
    /// A row that was taken so long ago and is still there is handed out again: its reader died.
    milliseconds redeliverAfter{60'000};
    QString doneSchema;
    QString doneTable; ///< the table for done rows, of the same columns; empty = they are deleted
};

struct QueueRow {
    QString key;
    QString stamp; ///< as the server writes it: tells whether the row is still ours
    QStringList values; ///< of QueueTable::columns; null strings for NULL
};

/// Strategy 4: each reader takes the next packet, and readers skip each other's rows (PostgreSQL FOR UPDATE
/// SKIP LOCKED, SQL Server UPDLOCK and READPAST). No critical section, nobody waits. Thread-bound like the
/// connection. May be used inside of a transaction: the rows then stay locked up to its end, and go back by a
/// rollback.
class QueueReader {
public:
    /// Unsupported if the engine or this server can't skip locked rows. `connection` must outlive the reader.
    static Result<std::unique_ptr<QueueReader>> create(db::Connection& connection, QueueTable table);
    /// The same with a connection of its own, of the thread that calls this.
    static Result<std::unique_ptr<QueueReader>> open(const db::Server& server, QueueTable table);

    /// The next rows, oldest first, stamped with the server's time: `atMost`, fewer or none. One round trip.
    Result<std::vector<QueueRow>> take(int atMost);
    /// The rows are done: deletes or moves them. One round trip. How many were still ours; the others were
    /// handed out again meanwhile and are left alone: their new reader does them.
    Result<int> done(std::span<const QueueRow> rows);
    /// The rows go back at once. How many were still ours.
    Result<int> giveBack(std::span<const QueueRow> rows);

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
