// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerConnection.h"

#include "core/db/AnswerLimits.h"
#include "core/db/credentials/Secrets.h"
#include "core/db/sqlserver/OdbcLink.h"

#include <sqlext.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

/// The parameters of sp_executesql itself: the text and the declaration.
constexpr int ownMarkers = 2;

} // namespace

/// All result sets go to one sink.
class SqlServerConnection::OneReceiver final : public Receiver {
public:
    explicit OneReceiver(const RowSink& sink)
        : m_sink(sink)
    {
    }
    const RowSink* resultSet(const QString&) override { return &m_sink; }

private:
    const RowSink& m_sink;
};

QString SqlServerConnection::declarationOf(std::span<const Param> params)
{
    QString text;
    for (size_t i = 0; i < params.size(); ++i)
        text +=
            (i == 0 ? u"@P"_s : u",@P"_s) + QString::number(i + 1) + u' ' + OdbcParams::typeName(params[i]);
    return text;
}

const SqlServerFacts& SqlServerConnection::factsOf(const Connection& connection)
{
    Q_ASSERT(connection.engine() == Engine::SqlServer);
    return static_cast<const SqlServerConnection&>(connection).facts();
}

Result<std::unique_ptr<Connection>> SqlServerConnection::another(const Connection& connection)
{
    Q_ASSERT(connection.engine() == Engine::SqlServer);
    return open(connection.url(), static_cast<const SqlServerConnection&>(connection).m_password, {});
}

const QString& SqlServerConnection::textOf(const Statement& statement)
{
    QString& text = m_texts[statement.id()];
    if (text.isEmpty())
        text = QString::fromUtf8(statement.sql());
    return text;
}

const QString& SqlServerConnection::callText(int params)
{
    const auto markers = static_cast<size_t>(ownMarkers) + static_cast<size_t>(params);
    if (m_calls.size() <= markers)
        m_calls.resize(markers + 1);
    QString& text = m_calls[markers];
    if (text.isEmpty())
        text = u"{call sp_executesql(?"_s + u",?"_s.repeated(static_cast<qsizetype>(markers) - 1) + u")}"_s;
    return text;
}

Result<void> SqlServerConnection::bindCall(
    const QString& text, const QString& declaration, std::span<const Param> params)
{
    m_params.clear();
    m_params.addText(text);
    m_params.addText(declaration);
    for (size_t i = 0; i < params.size(); ++i)
        LOCKSCOPE_TRY(m_params.add(params[i], static_cast<int>(i) + 1));
    return {};
}

Result<qint64> SqlServerConnection::execute(
    const Statement& statement, std::span<const Param> params, const RowSink& sink, std::stop_token stop)
{
    const QString& what = statement.whatFailed();
    if (std::optional<Error> refused = refusal(what))
        return Failure(std::move(*refused));
    const QString& text = textOf(statement);
    const bool isCall = !params.empty();
    if (isCall)
        LOCKSCOPE_TRY(bindCall(text, declarationOf(params), params));
    OneReceiver receiver(sink);
    const QString& sent = isCall ? callText(static_cast<int>(params.size())) : text;
    // Until it is set up, all that is executed is for the session.
    const Form form = isCall ? Form::Call : m_isSetUp ? Form::Batch : Form::Session;
    Answer answer = sendCancellably(sent, form, receiver, what, stop);
    if (answer.error)
        return Failure(std::move(*answer.error));
    return answer.count();
}

/// Sends and receives, and says what became of it if it was cancelled or took too long.
SqlServerConnection::Answer SqlServerConnection::sendCancellably(
    const QString& text, Form form, Receiver& receiver, const QString& what, const std::stop_token& stop)
{
    Answer answer;
    m_canceller.begin(m_statementLimit);
    {
        const InFlight flight(m_gate, stop);
        if (!m_gate.requested())
            answer = send(text, form, receiver, what);
        const bool timedOut = m_canceller.end();
        if (m_gate.requested()) {
            answer.error = cancelled(what);
        } else if (timedOut && answer.error && answer.error->nativeCode == u"HYT00") {
            // The driver's own clock is behind ours: it has given up waiting for the end of a cancelled
            // statement.
            m_lost = true;
            m_lostText = u"The server does not answer."_s;
            answer.error = m_dialect->mapError(u"HYT01"_s, m_lostText, what);
            answer.error->server = m_url.display();
        } else if (timedOut && answer.error && !m_lost) {
            answer.error = m_dialect->mapError(
                u"HYT00"_s, u"The statement ran longer than %1 ms."_s.arg(m_statementLimit.count()), what);
            answer.error->server = m_url.display();
        }
    }
    if (answer.error && m_transaction == Transaction::Open)
        learnTransactionState();
    return answer;
}

Result<void> SqlServerConnection::runText(const QString& text, const QString& what)
{
    if (std::optional<Error> refused = refusal(what))
        return Failure(std::move(*refused));
    OneReceiver nobody{{}};
    Answer answer = sendCancellably(text, Form::Session, nobody, what, {});
    if (answer.error)
        return Failure(std::move(*answer.error));
    return {};
}

Result<void> SqlServerConnection::executeScript(const QByteArray& sql)
{
    const QString what = u"The script failed."_s;
    const bool outside = !inTransaction();
    if (outside)
        LOCKSCOPE_TRY(begin());
    Result<void> result;
    QString batch;
    const QStringList lines = QString::fromUtf8(sql).split(u'\n') << u"GO"_s;
    for (const QString& line : lines) {
        if (line.trimmed().compare(u"GO"_s, Qt::CaseInsensitive) != 0) {
            batch += line + u'\n';
            continue;
        }
        if (!batch.trimmed().isEmpty())
            result = runText(batch, what);
        batch.clear();
        if (!result)
            break;
    }
    if (!outside)
        return result;
    if (result)
        return commit();
    std::ignore = rollback();
    return result;
}

Result<void> SqlServerConnection::runTransactionCommand(const char* statementPath)
{
    const Statement& statement = Statement::get(statementPath);
    return runText(textOf(statement), statement.whatFailed());
}

Result<void> SqlServerConnection::beginTransaction()
{
    if (inTransaction())
        return failure(ErrorKind::Internal, u"A transaction is open already."_s);
    LOCKSCOPE_TRY(runTransactionCommand("sqlserver/session/begin"));
    m_transaction = Transaction::Open;
    return {};
}

Result<void> SqlServerConnection::commit()
{
    if (m_transaction == Transaction::RolledBack) {
        std::ignore = rollback();
        return failure(ErrorKind::Server,
            u"The transaction was rolled back by the server, because a statement in it had failed."_s);
    }
    LOCKSCOPE_TRY(runTransactionCommand("sqlserver/session/commit"));
    m_transaction = Transaction::None;
    return {};
}

Result<void> SqlServerConnection::rollback()
{
    m_transaction = Transaction::None; // else nothing could be sent any more
    return runTransactionCommand("sqlserver/session/rollback");
}

/// After an error in a transaction: is it still there?
void SqlServerConnection::learnTransactionState()
{
    if (m_lost) {
        m_transaction = Transaction::RolledBack;
        return;
    }
    qint64 open = 0;
    qint64 state = 0;
    const RowSink sink = [&](const Row& row) {
        open = row.int64(0);
        state = row.int64(1);
    };
    OneReceiver receiver(sink);
    const Statement& statement = Statement::get("sqlserver/session/state");
    m_canceller.begin(milliseconds(0));
    const Answer answer = send(textOf(statement), Form::Session, receiver, statement.whatFailed());
    m_canceller.end();
    if (answer.error || open == 0 || state < 0) {
        m_transaction = Transaction::RolledBack;
        noteTransaction(); // nobody has anything of this one any more
    }
}

void SqlServerConnection::limit(SQLHSTMT statement) const
{
    if (m_statementLimit.count() > 0)
        SQLSetStmtAttr(statement, SQL_ATTR_QUERY_TIMEOUT,
            reinterpret_cast<SQLPOINTER>(wholeSeconds(m_statementLimit) + 1), 0);
}

bool SqlServerConnection::isOpen() const
{
    return !m_lost && !isDead();
}

bool SqlServerConnection::isDead() const
{
    SQLUINTEGER dead = SQL_CD_FALSE;
    const SQLRETURN code =
        SQLGetConnectAttr(nativeHandle(), SQL_ATTR_CONNECTION_DEAD, &dead, sizeof(dead), nullptr);
    return SQL_SUCCEEDED(code) && dead == SQL_CD_TRUE;
}

std::optional<Error> SqlServerConnection::refusal(const QString& what) const
{
    if (!isOpen())
        return lostError(what);
    if (m_transaction != Transaction::RolledBack)
        return std::nullopt;
    return Error{.kind = ErrorKind::Server,
        .what = what,
        .server = m_url.display(),
        .detail = u"The server has rolled the transaction back."_s,
        .hint = u"Roll back on this side, too, then run it again."_s};
}

Error SqlServerConnection::overflow(const QString& what)
{
    Error error = tooLongAnswer(what, m_url.display(), maxBytesOfAnswer);
    m_lost = true;
    m_lostText = error.detail;
    return error;
}

Error SqlServerConnection::diagnosed(const QString& what, SQLHSTMT statement, bool tooLong)
{
    const OdbcDiagnosis diagnosis = OdbcDiagnosis::of(SQL_HANDLE_STMT, statement);
    QString text = scrubbed(diagnosis.text, m_password);
    if (tooLong)
        text = u"A value is longer than its column."_s;
    Error error = m_dialect->mapError(diagnosis.codes, text, what);
    error.server = m_url.display();
    if (error.kind == ErrorKind::Connection || isDead()) {
        m_lost = true;
        m_lostText = text;
        if (error.kind != ErrorKind::Connection)
            return lostError(what);
    }
    return error;
}

Error SqlServerConnection::lostError(const QString& what) const
{
    Error error = m_dialect->mapError(
        u"08S01"_s, m_lostText.isEmpty() ? u"The connection is closed."_s : m_lostText, what);
    error.kind = ErrorKind::Connection;
    error.server = m_url.display();
    return error;
}

} // namespace lockscope::db
