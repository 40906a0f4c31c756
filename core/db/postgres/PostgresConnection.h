// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/db/AnswerLimits.h"
#include "core/db/CancelGate.h"
#include "core/db/Connection.h"
#include "core/db/postgres/PostgresLogin.h"
#include "core/db/postgres/PostgresRow.h"

#include <QtGlobal>

#include <array>
#include <chrono>
#include <deque>
#include <libpq-fe.h>
#include <memory>
#include <unordered_map>

namespace lockscope::db {

enum class Wait { Readable, Woken, TimedOut };

/// Lets any thread end another one's wait for a socket. The one place of core/db that needs poll().
class WakePipe {
public:
    WakePipe();
    ~WakePipe();
    Q_DISABLE_COPY_MOVE(WakePipe)

    /// Any thread.
    void wake();
    /// Until `socket` can be read or was closed, wake() was called (before or during the wait), or `timeout`
    /// is over (negative = never). A wake ends one wait.
    Wait waitFor(int socket, milliseconds timeout) { return wait(socket, false, timeout); }
    /// … or `socket` takes bytes: Readable, too.
    Wait waitToWrite(int socket, milliseconds timeout) { return wait(socket, true, timeout); }

private:
    Wait wait(int socket, bool orToWrite, milliseconds timeout);

    int m_ends[2] = {-1, -1};
};

/// Sends cancel requests for one connection from a helper thread, because PQcancel has no time limit: it
/// waits until the server has closed the extra connection. The owner's thread calls it; the pipe is woken
/// when a request is through.
class PostgresCanceller {
public:
    PostgresCanceller(PGconn* connection, std::shared_ptr<WakePipe> pipe);

    /// Does nothing while a request is under way.
    void send();
    /// True if no request is under way: all that were sent have reached the session or never will.
    bool isSettled() const;

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared; ///< survives us in the helper thread of a server that hangs
};

/// Driven through libpq: statements are prepared once for each connection, one round trip a call. Behind a
/// pooler in transaction mode nothing may stay in the server's session, which another client uses right
/// afterwards: each statement is an unnamed one, and its transaction begins with our settings (SET LOCAL in
/// effect), in the same round trip. There is no session then: sessionId() is invalid. A sink must not use the
/// connection: the statement that feeds it still runs.
///
/// A cancel races with the end of its statement, as in every database: after `stop` the answer is Cancelled
/// even if the server finished the work meanwhile, so code that acquires something must undo it. A *later*
/// statement is never hit: execute() returns only when no cancel request is under way any more.
class PostgresConnection final : public Connection {
public:
    static Result<std::unique_ptr<Connection>> open(
        const ServerUrl& url, const QString& password, const ConnectOptions& options);
    ~PostgresConnection() override;

    using Connection::execute;
    Result<qint64> execute(const Statement& statement, std::span<const Param> params, const RowSink& sink,
        std::stop_token stop) override;
    std::vector<Result<qint64>> executeBatch(std::span<const BatchItem> items, std::stop_token stop) override;
    Result<void> executeScript(const QByteArray& sql) override;
    /// Answers may be long: rows are handed on as they come, also the first time that a statement is run.
    void setRowByRow(bool rowByRow) { m_rowByRow = rowByRow; }
    /// Sends rows, in the text format of `COPY … FROM STDIN`, to such a statement. The rows that were taken.
    /// Behind a pooler within a transaction only.
    Result<qint64> copyIn(const Statement& statement, const QByteArray& rows, const std::stop_token& stop);
    /// The result of a script of several `COPY … TO STDOUT`.
    struct CopyOutcome {
        int finished = 0; ///< their number, from the first on
        bool isTooLong = false; ///< the next one has more bytes than it was to have
        std::optional<Error> error;
    };
    /// Takes the lines of the `number`th one, without their ends; false: no more of it, which is an error.
    using CopySink = std::function<bool(int number, const QByteArray& line)>;
    /// Runs the script as one transaction of its own, in one round trip; outside of any other.
    CopyOutcome copyOut(const QByteArray& script, const QString& what, qint64 maxBytes, const CopySink& sink,
        const std::stop_token& stop);
    Result<void> commit() override;
    Result<void> rollback() override;
    bool inTransaction() const override;
    bool transactionFailed() const override;
    bool hasSavepoint() const override { return inTransaction() && m_savepoints > 0; }
    Result<std::optional<QString>> waitForNotification(milliseconds timeout, std::stop_token stop) override;
    Result<void> reopen() override;
    bool isOpen() const override;
    void cancel() override { m_gate.request(); }
    void* nativeHandle() const override { return m_pg; }

private:
    static constexpr qint64 manyRowsFrom =
        1'000; ///< from here streaming is faster than collecting (measured)
    using Clock = std::chrono::steady_clock;
    /// The sender of a statement: a user's may take any time.
    enum class Sender : quint8 { Ours, User };
    /// The facts known about a prepared statement.
    struct Prepared {
        QByteArray name;
        /// The last run had so many rows that streaming pays. Of the first run nobody knows.
        bool manyRows = true;
        quint64 batch = 0; ///< that prepared it
    };
    struct Deleter {
        void operator()(PGresult* result) const { PQclear(result); }
    };
    using PgResult = std::unique_ptr<PGresult, Deleter>;
    /// The results of one statement so far.
    struct Answer {
        qint64 count = 0;
        std::optional<Error> error;
        std::unique_ptr<RepeatedTexts> repeated;
    };

    PostgresConnection(
        ServerUrl url, PostgresLogin login, PostgresLogin::Handle handle, const ConnectOptions& options);
    Result<void> setUp();
    Result<void> setUpPooled();
    Result<void> setUpSession(qint64 backend);
    Result<void> setUpIdentity();

    bool isPooled() const { return !m_pooledSettings.isEmpty(); }
    Result<qint64> runPooled(
        const Statement& statement, std::span<const Param> params, const RowSink& sink, std::stop_token stop);
    Result<qint64> runUnnamed(const Statement& statement, const RowSink& sink);
    Result<qint64> runPrepared(const Statement& statement, const RowSink& sink);
    Result<Prepared*> prepared(const Statement& statement);
    Prepared& remember(const Statement& statement);
    bool forgetIfStale(const Statement& statement, const Error& error);
    Result<void> runSimple(
        const QByteArray& sql, const QString& what, const RowSink& sink = {}, Sender sender = Sender::User);
    Result<void> beginTransaction() override;
    Result<void> runTransactionCommand(const char* statementPath);

    struct Sent {
        /// the statements before it: a pooler's settings, the guard of our schema, preparing it
        int heads = 0;
        bool isNew = false; ///< this batch prepares it
        bool endsTransaction = true; ///< a Sync follows
    };
    void sendBatch(std::span<const BatchItem> items, bool within, std::vector<Result<qint64>>& results);
    std::vector<Result<Sent>> sendAll(std::span<const BatchItem> items, bool within);
    Result<Sent> send(const BatchItem& item, bool within, bool endsTransaction);
    bool sendGuard(OwnSchema schema, int& heads);
    void noteGuard(OwnSchema schema, Error& error);
    Result<qint64> runGuarded(const Statement& statement, std::span<const Param> params, const RowSink& sink,
        const std::stop_token& stop);
    Result<void> prepareGuard(OwnSchema schema);
    std::vector<Result<qint64>> sendBatchOf(std::span<const BatchItem> items, const std::stop_token& stop);
    Result<qint64> collectPiped(const BatchItem& item, Sent sent);

    bool takeCopyData(CopyOutcome& outcome, qint64 maxBytes, const CopySink& sink);
    bool sendCopyData(const QByteArray& rows);
    bool flushCopyData();

    milliseconds answerLimitOf(Sender sender) const;
    void start(Sender sender);
    Result<qint64> collect(const RowSink& sink, const QString& what);
    void take(PGresult* result, const RowSink& sink, const QString& what, Answer& answer);
    bool waitForResult();
    bool waitForInput();
    void dropCopy();
    bool isWithinLimits();
    void keepNotifications();
    void listenForEnd();
    static void takeNotice(void* connection, const PGresult* notice);
    qint64 maxBytes() const
    {
        return !m_isSetUp ? maxBytesOfLogin : m_rowByRow ? maxBytesOfLongAnswer : maxBytesOfAnswer;
    }
    bool mayGoOnWaiting();
    milliseconds patience() const;
    void settleCancel();
    void giveUp();

    Error errorFrom(const PGresult* result, const QString& what) const;
    Error connectionError(const QString& what) const;
    QString clean(const char* text) const;
    QString withoutPassword(const char* text) const;

    const PostgresLogin m_login;
    const ConnectOptions m_options;
    PostgresLogin::Handle m_handle;
    PGconn* m_pg; ///< the handle's
    QByteArray m_pooledSettings; ///< the first statements of each transaction behind a pooler, else empty
    bool m_rowByRow = false;
    bool m_isSetUp = false; ///< until then answers are short
    std::shared_ptr<WakePipe> m_wake = std::make_shared<WakePipe>();
    CancelGate m_gate;
    PostgresCanceller m_canceller;
    PostgresParams m_params;
    std::unordered_map<quint64, Prepared> m_prepared; ///< by Statement::id
    int m_preparedSoFar = 0;
    int m_savepoints = 0; ///< at least those of the transaction that are open
    quint64 m_batch = 0;
    std::array<std::optional<Error>, enumeratorCount<OwnSchema>>
        m_refusals; ///< by OwnSchema: why the latest batch may not name it
    milliseconds m_sessionLimit; ///< longer silence means that the server hangs; 0 = none for all statements
    milliseconds m_answerLimit; ///< of the running statement; 0 = none
    Sender m_sender = Sender::Ours; ///< of the running statement
    bool m_hasUsers = false; ///< the transaction has a user's statements
    const milliseconds m_cancelLimit;
    std::optional<Clock::time_point> m_answerBy; ///< of the running statement
    std::optional<Clock::time_point> m_cancelBy; ///< set once its cancel was sent
    Clock::time_point m_nextCancel;
    milliseconds m_cancelPause{0};
    bool m_givenUp = false;
    QString m_farewell; ///< the server's message when it ended the session; empty: it has not
    bool m_isTooLong = false; ///< that is why it was given up
    ReceivedBytes m_received; ///< of the running statement, or while waiting for notifications
    Clock::time_point m_startedAt;
    std::deque<QString> m_notifications; ///< that came and were not asked for yet, each payload once
};

} // namespace lockscope::db
