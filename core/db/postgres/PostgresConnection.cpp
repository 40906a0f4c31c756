// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresConnection.h"

#include "core/base/ShownText.h"
#include "core/db/credentials/Secrets.h"
#include "core/db/postgres/PostgresLogin.h"
#include "core/db/postgres/PostgresRow.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace lockscope::db {

namespace {

constexpr milliseconds firstCancelPause{20};
constexpr milliseconds maxCancelPause{100};

qint64 rowsAffected(PGresult* result)
{
    qint64 rows = 0;
    const char* text = PQcmdTuples(result);
    std::from_chars(text, text + std::strlen(text), rows);
    return rows;
}

/// Decides by the command tag, so that scripts and statements of the caller's count, too. COMMIT AND CHAIN
/// has the tag of COMMIT, after which nobody has anything of the transaction's any more either.
bool beginsTransaction(std::string_view tag)
{
    return tag == "BEGIN" || tag == "START TRANSACTION" || tag == "COMMIT";
}

/// Returns by how many a command changes the number of open savepoints, at most: RELEASE and ROLLBACK TO may
/// end more.
int savepointsMore(std::string_view tag)
{
    return tag == "SAVEPOINT" ? 1 : tag == "RELEASE" ? -1 : 0;
}

milliseconds ceilMilliseconds(std::chrono::steady_clock::duration duration)
{
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(duration));
}

} // namespace

Result<qint64> PostgresConnection::execute(
    const Statement& statement, std::span<const Param> params, const RowSink& sink, std::stop_token stop)
{
    if (!isOpen())
        return Failure(connectionError(statement.whatFailed()));
    if (statement.ownSchema() != OwnSchema::None)
        return runGuarded(statement, params, sink, stop);
    if (isPooled() && !inTransaction())
        return runPooled(statement, params, sink, std::move(stop));
    LOCKSCOPE_TRY(m_params.bind(params));
    const InFlight flight(m_gate, stop);
    if (m_gate.requested())
        return Failure(cancelled(statement.whatFailed()));
    start(statement.isOfUser() ? Sender::User : Sender::Ours);
    Result<qint64> result = isPooled() ? runUnnamed(statement, sink) : runPrepared(statement, sink);
    if (!result && forgetIfStale(statement, result.error()))
        result = runPrepared(statement, sink);
    if (!m_gate.requested())
        return result;
    settleCancel();
    return Failure(cancelled(statement.whatFailed()));
}

/// Runs with the settings in one transaction and one round trip.
Result<qint64> PostgresConnection::runPooled(
    const Statement& statement, std::span<const Param> params, const RowSink& sink, std::stop_token stop)
{
    const std::array items{
        BatchItem{.statement = &statement, .params = {params.begin(), params.end()}, .sink = sink}};
    Result<qint64> result = executeBatch(items, std::move(stop)).front();
    return m_gate.requested() ? Failure(cancelled(statement.whatFailed())) : std::move(result);
}

Result<qint64> PostgresConnection::runUnnamed(const Statement& statement, const RowSink& sink)
{
    if (!PQsendQueryParams(m_pg, statement.sql().constData(), m_params.count(), nullptr, m_params.values(),
            nullptr, nullptr, statement.binaryResults() ? 1 : 0))
        return Failure(errorFrom(nullptr, statement.whatFailed()));
    PQsetSingleRowMode(m_pg);
    return collect(sink, statement.whatFailed());
}

Result<qint64> PostgresConnection::runPrepared(const Statement& statement, const RowSink& sink)
{
    LOCKSCOPE_TRY_GET(Prepared* const known, prepared(statement));
    Prepared& plan = *known;
    if (!PQsendQueryPrepared(m_pg, plan.name.constData(), m_params.count(), m_params.values(), nullptr,
            nullptr, statement.binaryResults() ? 1 : 0))
        return Failure(errorFrom(nullptr, statement.whatFailed()));
    if (!sink || plan.manyRows || m_rowByRow)
        PQsetSingleRowMode(m_pg);
    Result<qint64> result = collect(sink, statement.whatFailed());
    plan.manyRows = result && *result >= manyRowsFrom;
    return result;
}

PostgresConnection::Prepared& PostgresConnection::remember(const Statement& statement)
{
    Prepared& plan = m_prepared[statement.id()];
    plan.name = "lockscope_" + QByteArray::number(++m_preparedSoFar);
    plan.batch = m_batch;
    return plan;
}

Result<PostgresConnection::Prepared*> PostgresConnection::prepared(const Statement& statement)
{
    const auto known = m_prepared.find(statement.id());
    if (known != m_prepared.end())
        return &known->second;
    Prepared& plan = remember(statement);
    const bool sent =
        PQsendPrepare(m_pg, plan.name.constData(), statement.sql().constData(), 0, nullptr) != 0;
    const Result<qint64> result = sent ? collect({}, statement.whatFailed())
                                       : Result<qint64>(Failure(errorFrom(nullptr, statement.whatFailed())));
    if (result)
        return &plan;
    m_prepared.erase(statement.id());
    return Failure(result.error());
}

/// A prepared statement vanishes after DISCARD ALL, and dies when a table it reads is
/// altered. Returns whether it can be tried again right away.
bool PostgresConnection::forgetIfStale(const Statement& statement, const Error& error)
{
    const bool vanished = error.nativeCode == QLatin1String("26000");
    const bool outdated = error.nativeCode == QLatin1String("0A000"); // the text may be in any language
    if (!vanished && !outdated)
        return false;
    m_prepared.erase(statement.id());
    return !isPooled() && !inTransaction() && !m_gate.requested();
}

Result<void> PostgresConnection::runSimple(
    const QByteArray& sql, const QString& what, const RowSink& sink, Sender sender)
{
    if (!isOpen())
        return Failure(connectionError(what));
    const InFlight flight(m_gate, {});
    start(sender);
    if (!PQsendQuery(m_pg, sql.constData()))
        return Failure(errorFrom(nullptr, what));
    PQsetSingleRowMode(m_pg);
    const Result<qint64> result = collect(sink, what);
    if (m_gate.requested()) {
        settleCancel();
        return Failure(cancelled(what));
    }
    return ifDone(result);
}

Result<void> PostgresConnection::executeScript(const QByteArray& sql)
{
    // Several statements in one simple query are one transaction: PostgreSQL documentation, "Multiple
    // Statements in a Simple Query".
    const bool outside = !inTransaction();
    const QByteArray text = isPooled() && outside ? m_pooledSettings + ";\n" + sql : sql;
    Result<void> result = runSimple(text, QStringLiteral("The script failed."));
    if (!result && outside && isOpen() && inTransaction())
        std::ignore = rollback();
    return result;
}

Result<void> PostgresConnection::runTransactionCommand(const char* statementPath)
{
    const Statement& statement = Statement::get(statementPath);
    // A commit takes as long as what it has to check: of a user's statements nobody knows.
    const bool isCommit = statement.id() == Statement::get("postgres/session/commit").id();
    return runSimple(
        statement.sql(), statement.whatFailed(), {}, isCommit && m_hasUsers ? Sender::User : Sender::Ours);
}

Result<void> PostgresConnection::beginTransaction()
{
    if (inTransaction())
        return failure(ErrorKind::Internal, QStringLiteral("A transaction is open already."));
    if (!isPooled())
        return runTransactionCommand("postgres/session/begin");
    const Statement& begin = Statement::get("postgres/session/begin_pooled");
    Result<void> begun =
        runSimple(begin.sql() + ";\n" + m_pooledSettings, begin.whatFailed(), {}, Sender::Ours);
    if (!begun && isOpen() && inTransaction())
        std::ignore = rollback();
    return begun;
}

Result<void> PostgresConnection::commit()
{
    // The server answers COMMIT of a failed transaction with success and rolls it back.
    const bool failed = transactionFailed();
    Result<void> result = runTransactionCommand("postgres/session/commit");
    if (result && failed)
        return failure(ErrorKind::Server,
            QStringLiteral("The transaction was rolled back, because a statement in it had failed."));
    return result;
}

Result<void> PostgresConnection::rollback()
{
    return runTransactionCommand("postgres/session/rollback");
}

bool PostgresConnection::inTransaction() const
{
    const PGTransactionStatusType status = PQtransactionStatus(m_pg);
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE;
}

bool PostgresConnection::transactionFailed() const
{
    return PQtransactionStatus(m_pg) == PQTRANS_INERROR;
}

bool PostgresConnection::isOpen() const
{
    return !m_givenUp && m_farewell.isEmpty() && PQstatus(m_pg) == CONNECTION_OK;
}

/// A server that ends an idle session says so before it frees what the session holds, and closes the
/// connection only after that. libpq takes this error, which answers nothing, for a notice.
void PostgresConnection::listenForEnd()
{
    m_farewell.clear();
    PQsetNoticeReceiver(m_pg, takeNotice, this);
}

void PostgresConnection::takeNotice(void* connection, const PGresult* notice)
{
    const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (qstrcmp(severity, "FATAL") != 0 && qstrcmp(severity, "PANIC") != 0)
        return;
    auto& self = *static_cast<PostgresConnection*>(connection);
    self.m_farewell = QStringLiteral("The server has ended the session: ")
        + self.clean(PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
}

Result<std::optional<QString>> PostgresConnection::waitForNotification(
    milliseconds timeout, std::stop_token stop)
{
    const QString what = QStringLiteral("Can't wait for a notification.");
    if (isPooled())
        return Connection::waitForNotification(timeout, std::move(stop));
    const InFlight flight(m_gate, stop);
    const Clock::time_point until = Clock::now() + timeout;
    m_received.start(PQsocket(m_pg));
    for (;;) {
        if (isOpen())
            keepNotifications(); // reads a farewell, too
        if (!isOpen())
            return Failure(connectionError(what));
        if (!m_notifications.empty()) {
            QString first = std::move(m_notifications.front());
            m_notifications.pop_front();
            return first;
        }
        // A server may send something else all the time.
        if (timeout.count() >= 0 && Clock::now() > until)
            return std::nullopt;
        const milliseconds left = timeout.count() < 0 ? timeout : ceilMilliseconds(until - Clock::now());
        if (m_gate.requested())
            return std::nullopt;
        const Wait wait = m_wake->waitFor(PQsocket(m_pg), left);
        if (wait == Wait::TimedOut)
            return std::nullopt;
        m_received.beforeRead(PQsocket(m_pg));
        if (wait == Wait::Readable && !PQconsumeInput(m_pg))
            return Failure(connectionError(what));
        if (!isWithinLimits())
            return Failure(connectionError(what));
    }
}

/// Takes them from libpq, which would keep any number. One that comes twice is kept once, and of too many the
/// first: they only wake a waiter up, which then checks for itself.
void PostgresConnection::keepNotifications()
{
    while (PGnotify* const came = PQnotifies(m_pg)) {
        const std::unique_ptr<PGnotify, decltype(&PQfreemem)> notification(came, PQfreemem);
        QString payload = QString::fromUtf8(notification->extra);
        if (m_notifications.size() < maxNotifications
            && std::ranges::find(m_notifications, payload) == m_notifications.end())
            m_notifications.push_back(std::move(payload));
    }
}

milliseconds PostgresConnection::answerLimitOf(Sender sender) const
{
    if (m_sessionLimit.count() > 0)
        return m_sessionLimit;
    const bool mayTakeLong = sender == Sender::User || longestWait() < milliseconds(0)
        || (m_options.purpose != Purpose::Lock && m_isSetUp);
    return mayTakeLong ? milliseconds(0) : longestWait() + maxSilence;
}

void PostgresConnection::start(Sender sender)
{
    m_cancelBy.reset();
    m_answerBy.reset();
    m_startedAt = Clock::now();
    m_received.start(PQsocket(m_pg));
    m_sender = sender;
    m_hasUsers = m_hasUsers || sender == Sender::User;
    m_answerLimit = answerLimitOf(sender);
    if (m_answerLimit.count() > 0)
        m_answerBy = Clock::now() + m_answerLimit;
}

Result<qint64> PostgresConnection::collect(const RowSink& sink, const QString& what)
{
    Answer answer;
    for (;;) {
        if (!waitForResult())
            return Failure(connectionError(what));
        const PgResult result(PQgetResult(m_pg));
        if (!result)
            break;
        take(result.get(), sink, what, answer);
    }
    if (answer.error)
        return Failure(std::move(*answer.error));
    return answer.count;
}

void PostgresConnection::take(PGresult* result, const RowSink& sink, const QString& what, Answer& answer)
{
    switch (PQresultStatus(result)) {
    case PGRES_SINGLE_TUPLE:
    case PGRES_TUPLES_OK: {
        const int rows = PQntuples(result);
        if (sink && rows > 0 && !answer.repeated) {
            answer.repeated = std::make_unique<RepeatedTexts>();
            if (const QString column = unreadableColumn(result); !column.isEmpty())
                answer.error = Error{.kind = ErrorKind::Internal,
                    .what = what,
                    .server = m_url.display(),
                    .detail = QStringLiteral("The column %1 can't be read in binary form.").arg(column)};
        }
        for (int row = 0; sink && !answer.error && row < rows; ++row)
            sink(PostgresRow(result, row, *answer.repeated));
        answer.count += rows;
        break;
    }
    case PGRES_COMMAND_OK:
        answer.count = rowsAffected(result);
        if (beginsTransaction(PQcmdStatus(result))) {
            noteTransaction();
            m_savepoints = 0;
            m_hasUsers = m_sender == Sender::User;
        }
        m_savepoints = std::max(0, m_savepoints + savepointsMore(PQcmdStatus(result)));
        break;
    case PGRES_EMPTY_QUERY:
    case PGRES_PIPELINE_SYNC:
        break;
    case PGRES_COPY_IN:
        PQputCopyEnd(m_pg, "COPY FROM STDIN has no data here.");
        break;
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
        dropCopy();
        break;
    default:
        if (!answer.error)
            answer.error = errorFrom(result, what);
    }
}

/// Waits until libpq has a result at hand. False: the server hangs, and the connection was given up.
bool PostgresConnection::waitForResult()
{
    while (!m_givenUp && PQisBusy(m_pg)) {
        keepNotifications();
        if (!waitForInput())
            return !m_givenUp; // PQgetResult tells what happened
    }
    return !m_givenUp;
}

/// Waits once, and reads what has come. False: the connection broke or was given up.
bool PostgresConnection::waitForInput()
{
    if (m_wake->waitFor(PQsocket(m_pg), patience()) == Wait::Readable) {
        m_received.beforeRead(PQsocket(m_pg));
        if (!PQconsumeInput(m_pg))
            return false;
        if (!isWithinLimits())
            return false;
        if (m_answerBy) { // it is silence that tells of a server that hangs, or if it comes drop by drop
            const std::chrono::seconds forBytes(m_received.count(PQsocket(m_pg)) / slowestBytesPerSecond);
            m_answerBy = std::min(Clock::now(), m_startedAt + forBytes) + m_answerLimit;
        }
    }
    if (mayGoOnWaiting())
        return true;
    giveUp();
    return false;
}

bool PostgresConnection::isWithinLimits()
{
    m_isTooLong = m_received.count(PQsocket(m_pg)) > maxBytes();
    if (m_isTooLong)
        giveUp();
    return !m_isTooLong;
}

/// Nothing that we send asks for rows in this form: what a server sends so is not kept.
void PostgresConnection::dropCopy()
{
    char* data = nullptr;
    for (int length = 0; length >= 0; PQfreemem(std::exchange(data, nullptr))) {
        length = PQgetCopyData(m_pg, &data, 1);
        if (length == 0 && !waitForInput())
            return;
    }
}

/// Returns the time until mayGoOnWaiting() has something to do; negative = until something happens.
milliseconds PostgresConnection::patience() const
{
    if (m_cancelBy)
        return ceilMilliseconds(std::min(m_nextCancel, *m_cancelBy) - Clock::now());
    return m_answerBy ? ceilMilliseconds(*m_answerBy - Clock::now()) : milliseconds(-1);
}

/// Sends the cancel that was asked for, and again after a pause: the server ignores one that arrives before
/// it has begun with the statement.
bool PostgresConnection::mayGoOnWaiting()
{
    if (!m_answerBy && !m_gate.requested())
        return true;
    const Clock::time_point now = Clock::now();
    if (!m_gate.requested())
        return now < *m_answerBy;
    if (!m_cancelBy) {
        m_cancelBy = now + m_cancelLimit;
        m_nextCancel = now;
        m_cancelPause = firstCancelPause;
    }
    if (now >= *m_cancelBy)
        return false;
    if (now >= m_nextCancel) {
        m_canceller.send();
        m_nextCancel = now + m_cancelPause;
        m_cancelPause = std::min(m_cancelPause * 2, maxCancelPause);
    }
    return true;
}

/// Waits until no cancel request is on its way any more: the next statement is safe.
void PostgresConnection::settleCancel()
{
    if (!m_cancelBy || !isOpen())
        return;
    while (!m_canceller.isSettled()) {
        const milliseconds left = ceilMilliseconds(*m_cancelBy - Clock::now());
        if (left.count() == 0)
            return giveUp();
        m_wake->waitFor(-1, left);
    }
    // The signal has been sent to the session. An empty query, itself never cancelled, gives it something to
    // hit.
    m_cancelBy = Clock::now() + m_cancelLimit;
    m_nextCancel = *m_cancelBy;
    if (PQpipelineStatus(m_pg) == PQ_PIPELINE_OFF && PQsendQuery(m_pg, ""))
        std::ignore = collect({}, {});
}

void PostgresConnection::giveUp()
{
    m_givenUp = true;
}

Error PostgresConnection::errorFrom(const PGresult* result, const QString& what) const
{
    const char* code = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
    if (!code && PQstatus(m_pg) == CONNECTION_BAD)
        return connectionError(what);
    QString text = clean(result && code ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
                                        : (result ? PQresultErrorMessage(result) : PQerrorMessage(m_pg)));
    if (const char* detail = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL) : nullptr)
        text += QStringLiteral(". ") + clean(detail);
    Error error = m_dialect->mapError(QString::fromLatin1(code), text, what);
    if (!code)
        error.kind = ErrorKind::Internal; // libpq itself objects to how we use it
    error.server = m_url.display();
    return error;
}

Error PostgresConnection::connectionError(const QString& what) const
{
    if (m_isTooLong)
        return tooLongAnswer(what, m_url.display(), maxBytes());
    const QString text = !m_farewell.isEmpty() ? m_farewell
        : m_givenUp                            ? QStringLiteral("timeout expired: the server does not answer")
                                               : libpqText(withoutPassword(PQerrorMessage(m_pg)));
    Error error = m_dialect->mapError({}, text, what);
    error.kind = ErrorKind::Connection;
    error.server = m_url.display();
    return error;
}

QString PostgresConnection::clean(const char* text) const
{
    return withoutPassword(text).simplified();
}

QString PostgresConnection::withoutPassword(const char* text) const
{
    return scrubbed(textFromUtf8(text), QString::fromUtf8(PQpass(m_pg)));
}

} // namespace lockscope::db
