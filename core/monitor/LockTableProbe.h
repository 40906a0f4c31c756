// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/SchemaTrust.h"
#include "core/domain/Snapshot.h"

#include <QMap>

#include <chrono>
#include <functional>

namespace lockscope::monitor {

/// Reads the lock table and its queue as part of a poll. A table that is missing or closed to us is a
/// Limitation; that it has appeared meanwhile is noticed within seconds. On SQL Server and SQLite a table is
/// read only if it is the one that was found (frameworks/AsJudged.h), on PostgreSQL only if the schema is the
/// one that was judged, as with all that names it (db::Connection::judged). Poll thread only.
class LockTableProbe {
public:
    explicit LockTableProbe(db::Connection& connection);

    /// Adds the statements that find out which tables are there, and whether they may be trusted: to run
    /// before the first poll. PostgreSQL says at once which of them we may read.
    void addSearch(std::vector<db::BatchItem>& items);
    void setRole(const QString& role) { m_role = role; }

    /// Adds this poll's statements, which write into `snapshot`.
    void addTo(std::vector<db::BatchItem>& items, Snapshot& snapshot);
    using Ask = std::function<std::vector<Result<qint64>>(std::span<const db::BatchItem>)>;
    /// To call with the results of exactly the items that addTo added. Where one value makes the server give
    /// up on a whole table, it asks again, in a form that any value fits in.
    void judge(std::span<const Result<qint64>> results, Snapshot& snapshot, const Ask& ask);

    bool lockTableReadable() const { return mayRead(m_entries) && mayRead(m_waiters); }
    bool appLockNamesReadable() const { return mayRead(m_names); }

private:
    enum class Access { Unknown, Missing, Forbidden, Readable };
    enum class Asked { Entries, Waiters, WhatIsThere, IsAsJudged };

    bool isTrusted() const { return db::readableSchema(m_connection).has_value(); }
    bool mayRead(Access access) const { return access == Access::Readable && isTrusted(); }
    bool isSearchDue() const;
    void limit(Snapshot& snapshot) const;
    std::vector<db::Param> judgedParams(const QString& table) const;
    void searchAgainAfter(const Error& error, Snapshot& snapshot);
    void readEscaped(Asked what, Snapshot& snapshot, const Ask& ask);

    db::Connection& m_connection;
    Engine m_engine;
    const db::Dialect& m_dialect;
    const db::Statement m_schemaProbe;
    const db::Statement m_readEntries;
    const db::Statement m_readWaiters;
    QString m_role;
    Access m_entries = Access::Missing;
    Access m_waiters = Access::Missing;
    Access m_names = Access::Missing;
    QMap<QString, QString> m_prints; ///< of the tables that were found
    std::chrono::steady_clock::time_point m_searchedAt;
    bool m_findsOut = false; ///< this poll
    Limitation m_failure{}; ///< the latest, of our own tables
    std::vector<Asked> m_asked; // per item of the poll under way
};

/// Adds a limitation for each lock table that has bad rows among those that the snapshot shows.
void reportBadRows(Snapshot& snapshot);

} // namespace lockscope::monitor
