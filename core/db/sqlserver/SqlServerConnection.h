// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CancelGate.h"
#include "core/db/Connection.h"
#include "core/db/sqlserver/OdbcCanceller.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/OdbcParams.h"
#include "core/db/sqlserver/OdbcRows.h"
#include "core/db/sqlserver/SqlServerFacts.h"

#include <QHash>

#include <unordered_map>

namespace lockscope::db {

/// Driven through ODBC itself. (Qt's plugin loses the error numbers of a login that was refused, is a program
/// of ODBC 2 by default, to which drivers give no blocks of rows, and sends statements of its own.) A
/// statement without parameters is sent as a batch, one with parameters as one call of sp_executesql: a round
/// trip each, the plan cached by the server, every value bound. Parameters are @P1, @P2 … in the text: the
/// names that Microsoft's driver gives to those that travel without one (Babelfish finds them by nothing
/// else). A sink must not use the connection: the statement that feeds it still runs.
///
/// A cancel races with the end of its statement, as in every database: after `stop` the answer is Cancelled
/// even if the server finished the work in that moment, so who acquires something must undo it. A *later*
/// statement is never hit: execute() returns only when no cancel request is under way any more.
///
/// The server rolls a transaction back by itself (a deadlock, any error under XACT_ABORT, a cancel). From
/// then on until rollback() or commit() every statement is refused, so that none runs outside of the
/// transaction that its caller believes in; commit() then fails, as PostgreSQL's does.
class SqlServerConnection final : public Connection {
public:
    static Result<std::unique_ptr<Connection>> open(
        const ServerUrl& url, const QString& password, const ConnectOptions& options);
    ~SqlServerConnection() override;

    /// What the server said about itself: version, edition, the views and rights there are.
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
    void* nativeHandle() const override { return m_link->handle(); }

private:
    enum class Transaction {
        None,
        Open,
        RolledBack, ///< by the server; our caller has not said so yet
    };
    /// What has come back for one statement so far.
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
    class BatchReceiver;
    class OneReceiver;

    SqlServerConnection(
        ServerUrl url, QString password, std::unique_ptr<OdbcLink> link, const ConnectOptions& options);
    Result<void> setUpSession(const ConnectOptions& options);
    Error whyNoFacts(const Error& error);

    /// "@P1 bigint,@P2 nvarchar(4000)"
    static QString declarationOf(std::span<const Param> params);
    const QString& textOf(const Statement& statement);
    const QString& callText(int params);
    QString batchText(std::span<const BatchItem> items, const std::vector<bool>& sendable);
    Result<void> bindCall(const QString& text, const QString& declaration, std::span<const Param> params);
    Answer send(const QString& text, bool isCall, Receiver& receiver, const QString& what);
    Answer receive(SQLRETURN code, Receiver& receiver, const QString& what);
    void receiveRows(SQLSMALLINT columns, Receiver& receiver, Answer& answer, const QString& what);
    Answer sendCancellably(const QString& text, bool isCall, Receiver& receiver, const QString& what,
        const std::stop_token& stop);
    Result<void> runText(const QString& text, const QString& what);
    Result<void> beginTransaction() override;
    Result<void> runTransactionCommand(const char* statementPath);
    void learnTransactionState();

    std::optional<Error> refusal(const QString& what) const;
    Error diagnosed(const QString& what);
    Error lostError(const QString& what) const;
    bool isDead() const;

    const QString m_password; ///< for scrubbing texts only
    std::unique_ptr<OdbcLink> m_link;
    SQLHSTMT m_statement = SQL_NULL_HSTMT;
    std::optional<OdbcCanceller> m_canceller;
    CancelGate m_gate;
    OdbcParams m_params;
    std::optional<OdbcRows> m_rows;
    std::unordered_map<quint64, QString> m_texts; ///< UTF-16 of the statements, by Statement::id
    std::vector<QString> m_calls; ///< by number of markers
    QHash<QByteArray, QString> m_batches; ///< by the items' statements and types
    SqlServerFacts m_facts;
    const milliseconds m_statementLimit;
    Transaction m_transaction = Transaction::None;
    QStringList m_messages; ///< of the last execute()
    bool m_lost = false;
    QString m_lostText;
};

} // namespace lockscope::db
