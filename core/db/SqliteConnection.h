// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CancelGate.h"
#include "core/db/Connection.h"
#include "core/db/DriverDatabase.h"

#include <chrono>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace lockscope::db {

/// Opened by QSQLITE, then driven through sqlite3_* on its handle: statements are prepared once for each
/// connection. Waiting for another program's write lock ends with `stop`, with the statement time-out, or
/// after 5 s without one.
class SqliteConnection final : public Connection {
public:
    static Result<std::unique_ptr<Connection>> open(const ServerUrl& url, const ConnectOptions& options);
    ~SqliteConnection() override;

    using Connection::execute;
    Result<qint64> execute(const Statement& statement, std::span<const Param> params, const RowSink& sink,
        std::stop_token stop) override;
    std::vector<Result<qint64>> executeBatch(std::span<const BatchItem> items, std::stop_token stop) override;
    Result<void> executeScript(const QByteArray& sql) override;
    Result<void> commit() override;
    Result<void> rollback() override;
    bool inTransaction() const override;
    bool isOpen() const override { return true; }
    void cancel() override { m_gate.request(); }
    void* nativeHandle() const override { return m_sqlite; }

private:
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const;
    };
    using Prepared = std::unique_ptr<sqlite3_stmt, Finalizer>;

    SqliteConnection(ServerUrl url, std::unique_ptr<DriverDatabase> database, sqlite3* sqlite,
        const ConnectOptions& options);
    Result<void> setUpSession();
    Result<sqlite3_stmt*> prepared(const Statement& statement);
    Result<void> bind(sqlite3_stmt* statement, std::span<const Param> params, const QString& what);
    Result<qint64> step(sqlite3_stmt* statement, const RowSink& sink, const QString& what);
    Result<void> beginTransaction() override;
    Result<void> runScript(const QByteArray& sql, const QString& what);
    bool waitWhileBusy(int attempts);
    Error lastError(int code, const QString& what) const;

    std::unique_ptr<DriverDatabase> m_database; ///< owns the sqlite3
    sqlite3* m_sqlite;
    CancelGate m_gate;
    std::unordered_map<quint64, Prepared> m_prepared; ///< by Statement::id
    const Purpose m_purpose;
    const milliseconds m_busyLimit;
    std::chrono::steady_clock::time_point m_busyUntil; ///< of the running wait
};

} // namespace lockscope::db
