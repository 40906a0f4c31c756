// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Messages.h"
#include "tests/support/tds/Tokens.h"

#include <QHash>

#include <functional>
#include <memory>

namespace lockscope::test::tds {

/// One logged-in client, as the server knows it. Server thread only.
struct Session {
    int id = 0; ///< @@SPID
    qint64 startedUs = 0; ///< login_time in µs since 1970, in the local time of the server
    Login login;
    bool isEncrypted = false; ///< not just its login
    QString database;
    int transactionCount = 0; ///< @@TRANCOUNT
    quint64 transaction = 0; ///< names the open transaction; 0 = none
    QHash<QString, QString> settings; ///< of SET, the name in upper case: "LOCK_TIMEOUT" → "1000"
    std::function<void(bool committed)> transactionEnded; ///< by the server
};

/// One statement of a client with its parameters: unwrapped from sp_executesql and from prepared statements.
struct Request {
    std::shared_ptr<Session> session;
    QString text; ///< the statement, or the name of a procedure that was called by name
    std::vector<Parameter> parameters;
    QStringList filledIn; ///< what stands in place of the {name}s of a schema file, in their order

    /// Returns the parameter by its position from 0; NULL if there is none.
    Value parameter(size_t position) const;
    /// "@P1"; NULL if there is none.
    Value parameter(const QString& name) const;
};

/// The answer to one Request. A handler that returns without `defer()` has answered; one that deferred must
/// call `finish()` some time, on the server's thread, unless the request was cancelled. Server thread only.
class Reply : public std::enable_shared_from_this<Reply> {
public:
    /// The reason why a deferred reply is no longer needed.
    enum class End { Attention, Disconnected };

    /// The server makes it. `caught`: errors don't go to the client but are kept, as TRY … CATCH does.
    Reply(std::shared_ptr<Tokens> tokens, std::shared_ptr<Session> session, bool caught = false);

    /// Begins a result set; the next one, affected() or finish() ends it.
    void columns(std::vector<Column> columns);
    void row(const Values& values);
    void table(std::vector<Column> columns, const std::vector<Values>& rows);
    /// A statement without a result set that changed so many rows.
    void affected(qint64 rows);
    /// A statement without a count.
    void done();
    void error(int number, const QString& text, int severity = 16, int state = 1);
    void info(int number, const QString& text);
    /// An error or information, by its severity.
    void message(const ServerMessage& message);
    void returnStatus(int status) { m_returnStatus = status; }
    void output(const Parameter& parameter);
    void useDatabase(const QString& name);
    /// @@TRANCOUNT is one more, one less, none.
    void begin();
    void commit();
    void rollback();

    /// The handler will go on later.
    std::shared_ptr<Reply> defer();
    void finish();
    /// False once it was finished or cancelled: nothing is sent then.
    bool isOpen() const { return m_open; }
    /// Called when the client cancels or vanishes before finish(). The server has already answered.
    void onCancel(std::function<void(End)> call) { m_onCancel = std::move(call); }

    /// A fault: the connection is cut where the answer stands now, less `back` bytes.
    void cutHere(int back = 0);
    /// A fault: bytes that are no token.
    void garbage(const QByteArray& bytes);

    // Called by the server.
    bool isDeferred() const { return m_deferred; }
    bool hasFailed() const { return m_failed; }
    int status() const { return m_returnStatus; }
    qint64 rowCount() const { return m_rowCount; } ///< of the last statement
    const std::optional<ServerMessage>& caughtError() const { return m_caughtError; }
    std::optional<qsizetype> cutAt() const { return m_cutAt; }
    void setContinuation(std::function<void()> call) { m_continuation = std::move(call); }
    void cancel(End end);

private:
    void closeResultSet();

    std::shared_ptr<Tokens> m_tokens;
    std::shared_ptr<Session> m_session;
    std::vector<Column> m_columns;
    qint64 m_rows = 0;
    bool m_inResultSet = false;
    const bool m_caught;
    bool m_open = true;
    bool m_deferred = false;
    bool m_failed = false;
    int m_returnStatus = 0;
    qint64 m_rowCount = 0;
    std::optional<ServerMessage> m_caughtError;
    std::optional<qsizetype> m_cutAt;
    std::function<void(End)> m_onCancel;
    std::function<void()> m_continuation;
};
using Handler = std::function<void(const Request&, Reply&)>;

} // namespace lockscope::test::tds
