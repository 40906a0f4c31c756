// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresConnection.h"

#include <algorithm>

namespace lockscope::db {

Result<qint64> PostgresConnection::copyIn(
    const Statement& statement, const QByteArray& rows, const std::stop_token& stop)
{
    const QString& what = statement.whatFailed();
    if (!isOpen())
        return Failure(connectionError(what));
    if (isPooled() && !inTransaction())
        return failure(ErrorKind::Internal, what, QStringLiteral("Begin a transaction first."));
    const InFlight flight(m_gate, stop);
    if (m_gate.requested())
        return Failure(cancelled(what));
    start(Sender::Ours);
    if (!PQsendQuery(m_pg, statement.sql().constData()))
        return Failure(errorFrom(nullptr, what));
    if (!waitForResult())
        return Failure(connectionError(what));
    {
        const PgResult first(PQgetResult(m_pg));
        if (PQresultStatus(first.get()) != PGRES_COPY_IN) {
            Error error = errorFrom(first.get(), what);
            static_cast<void>(collect({}, what));
            if (!m_gate.requested())
                return Failure(std::move(error));
            settleCancel();
            return Failure(cancelled(what));
        }
    }
    PQsetnonblocking(m_pg, 1);
    const bool sent = sendCopyData(rows) && PQputCopyEnd(m_pg, nullptr) == 1 && flushCopyData();
    if (!sent && isOpen())
        PQputCopyEnd(m_pg, "cancelled");
    PQsetnonblocking(m_pg, 0);
    Result<qint64> result = collect({}, what);
    if (m_gate.requested()) {
        settleCancel();
        return Failure(cancelled(what));
    }
    if (!sent && result)
        return Failure(connectionError(what));
    return result;
}

/// False: the connection broke, was given up, or somebody cancelled.
bool PostgresConnection::sendCopyData(const QByteArray& rows)
{
    constexpr qsizetype atOnce = 64 * 1024;
    for (qsizetype at = 0; at < rows.size(); at += atOnce) {
        const auto length = static_cast<int>(std::min(atOnce, rows.size() - at));
        if (PQputCopyData(m_pg, rows.constData() + at, length) != 1 || !flushCopyData())
            return false;
    }
    return true;
}

/// A server that takes nothing for too long counts as one that hangs.
bool PostgresConnection::flushCopyData()
{
    for (;;) {
        const int left = PQflush(m_pg);
        if (left <= 0)
            return left == 0;
        const Wait wait = m_wake->waitToWrite(PQsocket(m_pg), patience());
        // The server may have refused already, and waits for its answer to be read.
        if (wait == Wait::Readable && !PQconsumeInput(m_pg))
            return false;
        if (m_gate.requested())
            return false;
        if (wait != Wait::TimedOut && m_answerBy)
            m_answerBy = Clock::now() + m_answerLimit;
        if (wait == Wait::TimedOut && !mayGoOnWaiting()) {
            giveUp();
            return false;
        }
    }
}

PostgresConnection::CopyOutcome PostgresConnection::copyOut(const QByteArray& script, const QString& what,
    qint64 maxBytes, const CopySink& sink, const std::stop_token& stop)
{
    CopyOutcome outcome;
    if (!isOpen() || inTransaction()) {
        outcome.error = isOpen() ? Error{.kind = ErrorKind::Internal,
                            .what = what,
                            .hint = QStringLiteral("A transaction is open.")}
                                 : connectionError(what);
        return outcome;
    }
    const InFlight flight(m_gate, stop);
    start(Sender::Ours);
    // Several statements in one simple query are one transaction, as for executeScript.
    const QByteArray text = isPooled() ? m_pooledSettings + ";\n" + script : script;
    if (!PQsendQuery(m_pg, text.constData())) {
        outcome.error = errorFrom(nullptr, what);
        return outcome;
    }
    bool goesOn = true;
    while (goesOn) {
        if (!waitForResult()) {
            outcome.error = connectionError(what);
            return outcome;
        }
        const PgResult result(PQgetResult(m_pg));
        if (!result)
            break;
        switch (PQresultStatus(result.get())) {
        case PGRES_COPY_OUT:
            goesOn = takeCopyData(outcome, maxBytes, sink);
            break;
        case PGRES_COMMAND_OK: // of COPY; the settings have rows
            outcome.finished += outcome.isTooLong ? 0 : 1;
            break;
        case PGRES_TUPLES_OK:
            break;
        default:
            if (!outcome.error)
                outcome.error = errorFrom(result.get(), what);
        }
    }
    if (m_gate.requested()) {
        settleCancel();
        // of one that is too long the server may have sent everything
        if (!outcome.error || !outcome.isTooLong)
            outcome.error = cancelled(what);
    }
    return outcome;
}

/// Reads up to the end of one COPY. False: the connection is of no use any more.
bool PostgresConnection::takeCopyData(CopyOutcome& outcome, qint64 maxBytes, const CopySink& sink)
{
    struct Free {
        void operator()(char* data) const { PQfreemem(data); }
    };
    qint64 bytes = 0;
    for (;;) {
        char* data = nullptr;
        const int length = PQgetCopyData(m_pg, &data, 1);
        const std::unique_ptr<char, Free> owned(data);
        if (length < 0)
            return true; // the result that follows tells how it ended
        if (length > 0 && !m_gate.requested()) {
            bytes += length;
            const bool hasEnd = data[length - 1] == '\n';
            if (bytes > maxBytes
                || !sink(outcome.finished, QByteArray::fromRawData(data, length - (hasEnd ? 1 : 0)))) {
                outcome.isTooLong = true;
                m_gate.request(); // the server is asked to stop below; what is on its way is dropped
            }
        }
        keepNotifications();
        if (length == 0 && !waitForInput() && !m_givenUp)
            return true; // the result that follows tells how it ended
        if (length > 0 && m_gate.requested() && !mayGoOnWaiting())
            giveUp();
        if (m_givenUp) {
            outcome.error = connectionError({});
            return false;
        }
    }
}

} // namespace lockscope::db
