// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CancelGate.h"
#include "core/db/Connection.h"
#include "core/db/sqlite/SqliteHandle.h"

#include <chrono>
#include <optional>

namespace lockscope::db {

/// Opened by QSQLITE, so that all engines are found by one registry of drivers and plug-ins, then driven
/// through sqlite3_* on its handle, at the library's own speed: statements are prepared once for each
/// connection, and waits can be interrupted. Waiting for another program's write lock ends with `stop`, with
/// the statement time-out, or after 5 s without one. No answer may be longer than AnswerLimits.h says. A file
/// is made only where the options say so; only a new one gets a write-ahead log.
class SqliteConnection final : public Connection {
public:
    static Result<std::unique_ptr<Connection>> open(const ServerUrl& url, const ConnectOptions& options);
    ~SqliteConnection() override;
    /// Two copies of SQLite on one handle are undefined behaviour: why a driver whose sqlite_source_id() this
    /// is can't be used; nothing if it is the SQLite that we are linked with.
    static std::optional<Error> reasonAgainst(const QString& driverSource);

    using Connection::execute;
    Result<qint64> execute(const Statement& statement, std::span<const Param> params, const RowSink& sink,
        std::stop_token stop) override;
    std::vector<Result<qint64>> executeBatch(std::span<const BatchItem> items, std::stop_token stop) override;
    Result<void> executeScript(const QByteArray& sql) override;
    Result<void> commit() override;
    Result<void> rollback() override;
    bool inTransaction() const override { return m_handle.isInTransaction(); }
    bool isOpen() const override { return true; }
    void cancel() override { m_gate.request(); }
    void* nativeHandle() const override { return m_handle.get(); }

    /// Returns how long a statement waits from now on while another program writes; then it fails with
    /// Timeout.
    milliseconds busyLimit() const { return m_busyLimit; }
    void setBusyLimit(milliseconds limit) { m_busyLimit = limit; }
    /// False: a commit may get lost in a power failure, and costs much less; only in files with a write-ahead
    /// log, which stay whole. Outside of transactions.
    Result<void> setDurable(bool durable);

private:
    SqliteConnection(ServerUrl url, std::shared_ptr<sqlite3> sqlite, const ConnectOptions& options);
    Result<void> setUpSession();
    Result<void> applySettings();
    Result<void> setUpNewFile();
    Result<void> beginTransaction() override;
    Result<void> runScript(const QByteArray& sql, const QString& what);
    bool waitWhileBusy(int attempts);
    bool isToEnd() const;
    Error lastError(int code, const QString& what) const;

    SqliteHandle m_handle; ///< kept open by Qt's database
    CancelGate m_gate;
    const Purpose m_purpose;
    const bool m_mayMakeFile;
    bool m_isSetUp = false; ///< not yet if another program had the file as it was opened
    std::optional<bool> m_hasWriteAheadLog; ///< once it was asked for
    const milliseconds m_statementLimit; ///< 0 = none
    milliseconds m_busyLimit;
    std::chrono::steady_clock::time_point m_busyUntil; ///< of the running wait
    std::optional<std::chrono::steady_clock::time_point> m_runsUntil; ///< the running statement
};

} // namespace lockscope::db
