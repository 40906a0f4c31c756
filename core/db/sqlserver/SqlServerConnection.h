// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CancelGate.h"
#include "core/db/Connection.h"
#include "core/db/sqlserver/OdbcCanceller.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/OdbcRows.h"
#include "core/db/sqlserver/SqlServerFacts.h"

#include <QHash>

#include <unordered_map>

namespace lockscope::db {

/// A session on SQL Server; OdbcConnection, or QtSqlConnection (api=qodbc), brings its statements there. A
/// statement without parameters is sent as a batch, one with parameters as one call of sp_executesql: a round
/// trip each, the plan cached by the server, every value bound. Parameters are @P1,
/// @P2 … in the text: the names that Microsoft's driver gives to those that travel without one (Babelfish
/// finds them by nothing else). A sink must not use the connection: the statement that feeds it still runs.
///
/// A cancel races with the end of its statement, as in every database: after `stop` the answer is Cancelled
/// even if the server finished the work meanwhile, so code that acquires something must undo it. A *later*
/// statement is never hit: execute() returns only when no cancel request is under way any more.
///
/// The server rolls a transaction back by itself (a deadlock, any error under XACT_ABORT, a cancel). From
/// then on until rollback() or commit() every statement is refused, so that none runs outside of the
/// transaction that its caller believes in; commit() then fails, as PostgreSQL's does.
class SqlServerConnection : public Connection {
public:
    static Result<std::unique_ptr<Connection>> open(
        const ServerUrl& url, const QString& password, const ConnectOptions& options);
    ~SqlServerConnection() override = default;

    /// Returns the server's facts: version, edition, its views and rights.
    const SqlServerFacts& facts() const { return m_facts; }
    /// The facts of a connection whose engine() is SqlServer.
    static const SqlServerFacts& factsOf(const Connection& connection);
    /// One more session of the same login at the same server, for trials that need two. `connection` is one
    /// whose engine() is SqlServer; its thread.
    static Result<std::unique_ptr<Connection>> another(const Connection& connection);

    using Connection::execute;
    Result<qint64> execute(const Statement& statement, std::span<const Param> params, const RowSink& sink,
        std::stop_token stop) override;
    std::vector<Result<qint64>> executeBatch(std::span<const BatchItem> items, std::stop_token stop) override;
    /// Batches are separated by lines that say GO and nothing else.
    Result<void> executeScript(const QByteArray& sql) override;
    Result<void> commit() override;
    Result<void> rollback() override;
    bool inTransaction() const override { return m_transaction != Transaction::None; }
    QStringList messages() const override { return m_messages; }
    bool isOpen() const override;
    void cancel() override { m_gate.request(); }

protected:
    /// The way in which a text is sent.
    enum class Form {
        Call, ///< of sp_executesql, with what is bound
        Batch,
        Session, ///< a batch that changes the session for good, or begins or ends a transaction
    };
    /// The results of one statement so far.
    struct Answer {
        qint64 rows = 0;
        qint64 affected = 0;
        bool hadRows = false; ///< there was a result set, if an empty one
        bool hadAny = false;
        std::optional<Error> error;

        qint64 count() const { return hadRows ? rows : affected; }
    };
    /// Takes the result sets of one round trip, one after the other.
    class Receiver {
    public:
        virtual ~Receiver() = default;
        /// A result set begins: who gets its rows (null = nobody).
        virtual const RowSink* resultSet(const QString& firstColumn) = 0;
        virtual void rowsOfSet(qint64) { }
    };
    SqlServerConnection(ServerUrl url, QString password, const ConnectOptions& options);
    /// Connects; the reason if that fails.
    virtual std::optional<Error> logIn(const QString& connectionString, milliseconds timeout) = 0;
    /// One round trip. Clears the messages and keeps what the server says beside its results.
    virtual Answer send(const QString& text, Form form, Receiver& receiver, const QString& what) = 0;
    /// Whether texts are to be taken as the server sends them; for who can choose.
    virtual void takeWideAsSent(bool) { }

    /// Our own clock cuts statements to the millisecond; the driver's is for a server that does not even
    /// answer that: Microsoft's lets no SQLCancel return before.
    void limit(SQLHSTMT statement) const;
    /// Returns what the driver says of its last call with the statement. `tooLong`: a value was longer than
    /// its column.
    Error diagnosed(const QString& what, SQLHSTMT statement, bool tooLong = false);
    /// The answer is too long: the connection is given up.
    Error overflow(const QString& what);

    const QString m_password; ///< for scrubbing texts only
    OdbcSocket m_socket;
    OdbcCanceller m_canceller;
    OdbcParams m_params;
    const milliseconds m_statementLimit;
    QStringList m_messages; ///< of the last execute()
    bool m_lost = false;
    QString m_lostText;

private:
    enum class Transaction {
        None,
        Open,
        RolledBack, ///< by the server; our caller has not said so yet
    };
    class BatchReceiver;
    class OneReceiver;

    Result<void> setUpSession(const ConnectOptions& options);
    Error whyNoFacts(const Error& error);

    /// "@P1 bigint,@P2 nvarchar(4000)"
    static QString declarationOf(std::span<const Param> params);
    const QString& textOf(const Statement& statement);
    const QString& callText(int params);
    std::vector<Param> checkBatch(
        std::span<const BatchItem> items, std::vector<Result<qint64>>& results, std::vector<bool>& sendable);
    QString batchText(std::span<const BatchItem> items, const std::vector<bool>& sendable);
    Result<void> bindCall(const QString& text, const QString& declaration, std::span<const Param> params);
    Answer sendCancellably(
        const QString& text, Form form, Receiver& receiver, const QString& what, const std::stop_token& stop);
    Result<void> runText(const QString& text, const QString& what);
    Result<void> beginTransaction() override;
    Result<void> runTransactionCommand(const char* statementPath);
    void learnTransactionState();

    std::optional<Error> refusal(const QString& what) const;
    Error lostError(const QString& what) const;
    bool isDead() const;

    CancelGate m_gate;
    std::unordered_map<quint64, QString> m_texts; ///< UTF-16 of the statements, by Statement::id
    std::vector<QString> m_calls; ///< by number of markers
    QHash<QByteArray, QString> m_batches; ///< by the items' statements and types
    SqlServerFacts m_facts;
    bool m_isSetUp = false;
    Transaction m_transaction = Transaction::None;
};

} // namespace lockscope::db
