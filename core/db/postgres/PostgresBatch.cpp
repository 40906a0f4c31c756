// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresConnection.h"

namespace lockscope::db {

std::vector<Result<qint64>> PostgresConnection::executeBatch(
    std::span<const BatchItem> items, std::stop_token stop)
{
    std::vector<Result<qint64>> results;
    results.reserve(items.size());
    const bool within = inTransaction();
    const InFlight flight(m_gate, stop);
    start();
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

/// Sends one item with what must come before it. A Sync after each makes it a transaction of its own.
Result<PostgresConnection::Sent> PostgresConnection::send(const BatchItem& item, bool within)
{
    if (const Result<void> bound = m_params.bind(item.params); !bound)
        return Failure(bound.error());
    const char* const sql = item.statement->sql().constData();
    const int count = m_params.count();
    const int format = item.statement->binaryResults() ? 1 : 0;
    const char* const* const values = m_params.values();
    bool hasHead = false;
    bool sent = true;
    if (isPooled()) {
        hasHead = !within;
        if (hasHead)
            sent = PQsendQueryParams(
                m_pg, m_pooledSettings.constData(), 0, nullptr, nullptr, nullptr, nullptr, 0);
        sent = sent && PQsendQueryParams(m_pg, sql, count, nullptr, values, nullptr, nullptr, format);
    } else {
        const auto known = m_prepared.find(item.statement->id());
        hasHead = known == m_prepared.end();
        const Prepared& plan = hasHead ? remember(*item.statement) : known->second;
        const char* const name = plan.name.constData();
        sent = (!hasHead || PQsendPrepare(m_pg, name, sql, 0, nullptr))
            && PQsendQueryPrepared(m_pg, name, count, values, nullptr, nullptr, format);
    }
    if (!sent || !PQpipelineSync(m_pg))
        return Failure(errorFrom(nullptr, item.statement->whatFailed()));
    return hasHead ? Sent::HeadAndRun : Sent::Run;
}

/// Everything is sent before the first answer is read. `within` a transaction that began before.
void PostgresConnection::sendBatch(
    std::span<const BatchItem> items, bool within, std::vector<Result<qint64>>& results)
{
    std::vector<Result<Sent>> sent;
    sent.reserve(items.size());
    for (const BatchItem& item : items)
        sent.push_back(send(item, within));
    for (size_t i = 0; i < items.size(); ++i) {
        if (sent[i])
            results.push_back(collectPiped(items[i], *sent[i] == Sent::HeadAndRun));
        else
            results.emplace_back(Failure(sent[i].error()));
    }
}

/// Reads what belongs to one item, up to its Sync.
Result<qint64> PostgresConnection::collectPiped(const BatchItem& item, bool hasHead)
{
    const QString what = item.statement->whatFailed();
    const auto known = m_prepared.find(item.statement->id());
    Answer answer;
    for (bool running = !hasHead;;) {
        const bool isLong = m_rowByRow || (known != m_prepared.end() && known->second.manyRows);
        if (running && item.sink && isLong)
            PQsetSingleRowMode(m_pg);
        if (!isOpen() || !awaitResult())
            return Failure(
                m_gate.requested() ? cancelled(what) : answer.error.value_or(connectionError(what)));
        const PgResult result(PQgetResult(m_pg));
        const ExecStatusType status = result ? PQresultStatus(result.get()) : PGRES_EMPTY_QUERY;
        if (status == PGRES_PIPELINE_SYNC)
            break;
        if (!result)
            running = true;
        else if (running || (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK))
            take(result.get(), item.sink, what, answer);
    }
    if (known != m_prepared.end())
        known->second.manyRows = answer.count >= manyRowsFrom;
    if (!answer.error)
        return answer.count;
    if (hasHead)
        m_prepared.erase(item.statement->id());
    else
        forgetIfStale(*item.statement, *answer.error);
    return Failure(m_gate.requested() ? cancelled(what) : std::move(*answer.error));
}

} // namespace lockscope::db
