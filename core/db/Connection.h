// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/EnumTable.h"
#include "core/base/Id.h"
#include "core/db/Dialect.h"
#include "core/db/ServerUrl.h"
#include "core/db/Statement.h"

#include <QStringList>

#include <array>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace lockscope::db {

enum class Purpose { Monitor, Lock, Admin, Workload };
/// "monitor", "lock" …: a part of the application name and of the names of the set-up's files.
QString purposeName(Purpose purpose);

struct ConnectOptions {
    Purpose purpose = Purpose::Lock;
    QString programSuffix{}; ///< appended to the application name "lockscope <purpose>"
    milliseconds connectTimeout{5'000};
    milliseconds statementTimeout{0}; ///< 0 = none; monitors always set one
    bool createFile = false; ///< SQLite: makes the file if it is not there, for the schema to be installed
};

/// Returns the timeout for statements of a session: that of the options, else that of its purpose. 0 = none.
milliseconds statementTimeoutOf(const ConnectOptions& options);

/// The faults of Lockscope's schema for which a session may not trust it; see SchemaTrust.h.
struct SchemaFaults {
    bool known = false; ///< the server was asked, and the schema exists
    QStringList calling; ///< why its functions are not called and its tables are not written
    QStringList reading; ///< why its tables are not even read
    bool isOurVersion = false; ///< usableSchema has found this program's version
};

struct BatchItem {
    const Statement* statement = nullptr;
    std::vector<Param> params{};
    RowSink sink{}; ///< may be empty
    /// Only reads, and is of no use without the next one: on PostgreSQL both are in one transaction, which
    /// spares the server a commit. If it fails, so does the next.
    bool withNext = false;
};

/// One session on a server; Server::connect opens it. Bound to the thread that opened it: every call but
/// `cancel()` belongs there. Statements are prepared once per connection and kept. Waiting statements are
/// cancelled natively (PQcancel, sqlite3_interrupt, SQLCancelHandle) within 100 ms of `stop`, from any
/// thread.
class Connection {
public:
    virtual ~Connection() = default;
    Q_DISABLE_COPY_MOVE(Connection)

    const ServerUrl& url() const { return m_url; }
    const Dialect& dialect() const { return *m_dialect; }
    Engine engine() const { return m_url.engine; }
    /// The server's number of this session; invalid for SQLite and behind a pooler in transaction mode.
    SessionId sessionId() const { return m_sessionId; }
    ServerTime sessionStarted() const { return m_sessionStarted; }
    QString serverVersion() const { return m_serverVersion; } ///< "PostgreSQL 15.18"
    int serverVersionNumber() const { return m_serverVersionNumber; } ///< 150018, 3040001 …

    /// Runs one statement. Returns the rows delivered to `sink`, or for statements without rows the rows
    /// affected. After `stop` was requested: Cancelled, whatever the server answered to the cancel.
    virtual Result<qint64> execute(const Statement& statement, std::span<const Param> params = {},
        const RowSink& sink = {}, std::stop_token stop = {}) = 0;
    Result<qint64> execute(const Statement& statement, std::initializer_list<Param> params,
        const RowSink& sink = {}, std::stop_token stop = {})
    {
        return execute(
            statement, std::span<const Param>(params.begin(), params.size()), sink, std::move(stop));
    }

    /// Runs several statements in ONE round trip (libpq pipeline; one batch on SQL Server; in a loop on
    /// SQLite). Each has its own result: a failure of one does not affect the others, except
    /// for BatchItem::withNext. Not a transaction.
    virtual std::vector<Result<qint64>> executeBatch(
        std::span<const BatchItem> items, std::stop_token stop = {}) = 0;

    /// Runs a script of many statements as one transaction (schema files, scenario set-ups). No parameters.
    virtual Result<void> executeScript(const QByteArray& sql) = 0;

    /// An error if a transaction is open already.
    Result<void> begin();
    virtual Result<void> commit() = 0;
    virtual Result<void> rollback() = 0;
    virtual bool inTransaction() const = 0;
    /// A statement of the open transaction has failed, so that nothing more can be done in it: PostgreSQL has
    /// undone it and freed its locks, all of them, or those since the latest savepoint.
    virtual bool transactionFailed() const { return false; }
    /// A savepoint of the open transaction may be there, to which it can be rolled back.
    virtual bool hasSavepoint() const { return false; }
    /// Grows with every transaction, so that each has another number: with those of begin() and, on
    /// PostgreSQL, with those that statements of the caller's begin.
    quint64 transactionNumber() const { return m_transactionNumber; }

    /// Sets how long the server may wait for a lock in our own statements from here on (LongWait); −1 ms =
    /// for ever. A server that sends nothing for much longer counts as hanging. PostgreSQL.
    void setLongestWait(milliseconds wait) { m_longestWait = wait; }

    /// Waits until a notification arrives on a channel that this session LISTENs to; the payload, or nullopt
    /// after `timeout` (−1 ms = for ever) or stop. Capability::Notifications only.
    virtual Result<std::optional<QString>> waitForNotification(
        milliseconds timeout, std::stop_token stop = {});

    /// Returns the server's messages beside the results of the last execute() (PRINT, progress reports): only
    /// SQL Server's are kept.
    virtual QStringList messages() const { return {}; }

    SchemaFaults& schemaFaults() { return m_schemaFaults; }
    /// The mark by which a schema of ours was recognised when it was judged: empty if it was not there, null
    /// if it was not judged. On PostgreSQL a statement that names the schema runs only if the same is there
    /// still.
    QString& judged(OwnSchema schema) { return m_judged[static_cast<size_t>(schema)]; }
    /// Makes the schemas be judged again before their next use.
    void forgetJudged();

    /// After the connection broke: a new session, set up as the first one was. Everything of the old
    /// one (locks, transactions, LISTEN) is gone; sessionId() and sessionStarted() are the new one's. Blocks
    /// up to the connect time-out. PostgreSQL only: Unsupported elsewhere.
    virtual Result<void> reopen();

    /// A false answer is certain, a true one only as fresh as the last call.
    virtual bool isOpen() const = 0;
    /// Cancels the running statement, if there is one. Any thread. May block for one network connect: not for
    /// the GUI thread.
    virtual void cancel() = 0;
    /// The driver's own handle (PGconn*, sqlite3*), for benchmarks.
    virtual void* nativeHandle() const = 0;

protected:
    Connection(ServerUrl url, std::unique_ptr<Dialect> dialect)
        : m_url(std::move(url))
        , m_dialect(std::move(dialect))
    {
    }
    virtual Result<void> beginTransaction() = 0;
    /// Notes a transaction of engines that see them begin by other ways than begin().
    void noteTransaction() { ++m_transactionNumber; }
    milliseconds longestWait() const { return m_longestWait; }
    Error cancelled(const QString& what) const;

    ServerUrl m_url;
    std::unique_ptr<Dialect> m_dialect;
    SessionId m_sessionId;
    ServerTime m_sessionStarted;
    QString m_serverVersion;
    int m_serverVersionNumber = 0;

private:
    quint64 m_transactionNumber = 0;
    milliseconds m_longestWait{0};
    SchemaFaults m_schemaFaults;
    std::array<QString, enumeratorCount<OwnSchema>> m_judged; ///< by OwnSchema
};

/// While it exists, statements of the connection may wait for a lock for up to `wait`.
class LongWait {
public:
    LongWait(Connection& connection, milliseconds wait)
        : m_connection(connection)
    {
        connection.setLongestWait(wait);
    }
    ~LongWait() { m_connection.setLongestWait(milliseconds(0)); }
    Q_DISABLE_COPY_MOVE(LongWait)

private:
    Connection& m_connection;
};

} // namespace lockscope::db
