// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresConnection.h"

namespace lockscope::db {

namespace {

/// Row by row or at once: libpq keeps from the statement before how it hands on the rows of the next one.
bool isRows(ExecStatusType status)
{
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE;
}

} // namespace

std::vector<Result<qint64>> PostgresConnection::executeBatch(
    std::span<const BatchItem> items, std::stop_token stop)
{
    std::vector<Result<qint64>> results;
    results.reserve(items.size());
    const bool within = inTransaction();
    const InFlight flight(m_gate, stop);
    start();
    ++m_batch;
    if (!isOpen() || m_gate.requested() || !PQenterPipelineMode(m_pg)) {
        for (const BatchItem& item : items)
            results.emplace_back(Failure(m_gate.requested() ? cancelled(item.statement->whatFailed())
                                                            : connectionError(item.statement->whatFailed())));
        return results;
    }
    sendBatch(items, within, results);
    if (!PQexitPipelineMode(
            m_pg)) // answers without a taker are left: nobody could tell them from the next ones
        giveUp();
    if (m_gate.requested())
        settleCancel();
    return results;
}

/// Sends one item with what must come before it; behind a pooler, `within` a transaction, that has come.
/// A Sync ends the transaction.
Result<PostgresConnection::Sent> PostgresConnection::send(
    const BatchItem& item, bool within, bool endsTransaction)
{
    if (const Result<void> bound = m_params.bind(item.params); !bound)
        return Failure(bound.error());
    const char* const sql = item.statement->sql().constData();
    const int count = m_params.count();
    const int format = item.statement->binaryResults() ? 1 : 0;
    const char* const* const values = m_params.values();
    Sent sent{false, endsTransaction};
    bool done = true;
    if (isPooled()) {
        // A transaction that has failed takes nothing but its end.
        sent.hasHead = !within && item.statement->id() != Statement::get("postgres/session/rollback").id();
        if (sent.hasHead)
            done = PQsendQueryParams(
                m_pg, m_pooledSettings.constData(), 0, nullptr, nullptr, nullptr, nullptr, 0);
        done = done && PQsendQueryParams(m_pg, sql, count, nullptr, values, nullptr, nullptr, format);
    } else {
        const auto known = m_prepared.find(item.statement->id());
        // One that this batch prepares first is not there where a transaction before it has failed.
        sent.hasHead = known == m_prepared.end() || known->second.batch == m_batch;
        const Prepared& plan = sent.hasHead ? remember(*item.statement) : known->second;
        const char* const name = plan.name.constData();
        done = (!sent.hasHead || PQsendPrepare(m_pg, name, sql, 0, nullptr))
            && PQsendQueryPrepared(m_pg, name, count, values, nullptr, nullptr, format);
    }
    if (!done || (endsTransaction && !PQpipelineSync(m_pg)))
        return Failure(errorFrom(nullptr, item.statement->whatFailed()));
    return sent;
}

std::vector<Result<PostgresConnection::Sent>> PostgresConnection::sendAll(
    std::span<const BatchItem> items, bool within)
{
    std::vector<Result<Sent>> sent;
    sent.reserve(items.size());
    bool goesOn = false; // the transaction of the item before
    for (size_t i = 0; i < items.size(); ++i) {
        const bool isLast = i + 1 == items.size();
        sent.push_back(send(items[i], within || goesOn, !items[i].withNext || isLast));
        if (!sent.back() && goesOn) // what was to end it was not sent
            sent[i - 1]->endsTransaction = PQpipelineSync(m_pg) != 0;
        goesOn = sent.back() && !sent.back()->endsTransaction;
    }
    return sent;
}

/// Everything is sent before the first answer is read. `within` a transaction that began before.
void PostgresConnection::sendBatch(
    std::span<const BatchItem> items, bool within, std::vector<Result<qint64>>& results)
{
    const std::vector<Result<Sent>> sent = sendAll(items, within);
    for (size_t i = 0; i < items.size(); ++i) {
        if (sent[i])
            results.push_back(collectPiped(items[i], *sent[i]));
        else
            results.emplace_back(Failure(sent[i].error()));
    }
}

/// Reads what belongs to one item, up to its Sync if it has one.
Result<qint64> PostgresConnection::collectPiped(const BatchItem& item, Sent sent)
{
    const QString what = item.statement->whatFailed();
    const auto known = m_prepared.find(item.statement->id());
    Answer answer;
    bool isAnswered = false;
    m_startedAt = Clock::now(); // each has its time
    for (bool running = !sent.hasHead;;) {
        const bool isLong = m_rowByRow || known == m_prepared.end() || known->second.manyRows;
        if (running && (isLong || !item.sink))
            PQsetSingleRowMode(m_pg);
        if (!isOpen() || !awaitResult())
            return Failure(
                m_gate.requested() ? cancelled(what) : answer.error.value_or(connectionError(what)));
        const PgResult result(PQgetResult(m_pg));
        const ExecStatusType status = result ? PQresultStatus(result.get()) : PGRES_EMPTY_QUERY;
        if (status == PGRES_PIPELINE_SYNC)
            break;
        if (!result && isAnswered && !sent.endsTransaction)
            break;
        isAnswered = result && running;
        if (!result)
            running = true;
        else if (status == PGRES_PIPELINE_ABORTED && !answer.error)
            answer.error = Error{ErrorKind::Server, what, m_url.display(),
                QStringLiteral("The statement before it failed."), {}, {}};
        else if (running || !isRows(status)) // what comes before it tells nothing unless it fails
            take(result.get(), item.sink, what, answer);
    }
    if (known != m_prepared.end())
        known->second.manyRows = answer.count >= manyRowsFrom;
    if (!answer.error)
        return answer.count;
    if (sent.hasHead)
        m_prepared.erase(item.statement->id());
    else
        forgetIfStale(*item.statement, *answer.error);
    return Failure(m_gate.requested() ? cancelled(what) : std::move(*answer.error));
}

} // namespace lockscope::db
