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
    start();
    if (!PQsendQuery(m_pg, statement.sql().constData()))
        return Failure(errorFrom(nullptr, what));
    if (!awaitResult())
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

} // namespace lockscope::db
