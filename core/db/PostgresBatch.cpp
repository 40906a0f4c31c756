// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/PostgresConnection.h"

namespace lockscope::db {

std::vector<Result<qint64>> PostgresConnection::executeBatch(
    std::span<const BatchItem> items, std::stop_token stop)
{
    std::vector<Result<qint64>> results;
    results.reserve(items.size());
    const InFlight flight(m_gate, stop);
    start();
    if (!isOpen() || m_gate.requested() || !PQenterPipelineMode(m_pg)) {
        for (const BatchItem& item : items)
            results.emplace_back(Failure(m_gate.requested() ? cancelled(item.statement->whatFailed())
                                                            : connectionError(item.statement->whatFailed())));
        return results;
    }
    sendBatch(items, results);
    if (!PQexitPipelineMode(
            m_pg)) // answers without a taker are left: nobody could tell them from the next ones
        giveUp();
    if (m_gate.requested())
        settleCancel();
    return results;
}

/// Everything is sent before the first answer is read. A Sync after each item makes it a transaction of its
/// own.
void PostgresConnection::sendBatch(std::span<const BatchItem> items, std::vector<Result<qint64>>& results)
{
    enum class Sent { No, Run, PrepareAndRun };
    std::vector<Sent> sent(items.size(), Sent::No);
    std::vector<std::optional<Error>> refused(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
        const BatchItem& item = items[i];
        if (const Result<void> bound = m_params.bind(item.params); !bound) {
            refused[i] = bound.error();
            continue;
        }
        const auto known = m_prepared.find(item.statement->id());
        sent[i] = known == m_prepared.end() ? Sent::PrepareAndRun : Sent::Run;
        const Prepared& plan = known == m_prepared.end() ? remember(*item.statement) : known->second;
        const bool preparing = sent[i] == Sent::PrepareAndRun;
        if ((preparing
                && !PQsendPrepare(m_pg, plan.name.constData(), item.statement->sql().constData(), 0, nullptr))
            || !PQsendQueryPrepared(
                m_pg, plan.name.constData(), m_params.count(), m_params.values(), nullptr, nullptr, 0)
            || !PQpipelineSync(m_pg)) {
            refused[i] = errorFrom(nullptr, item.statement->whatFailed());
            sent[i] = Sent::No;
        }
    }
    for (size_t i = 0; i < items.size(); ++i) {
        if (sent[i] == Sent::No)
            results.emplace_back(Failure(*refused[i]));
        else
            results.push_back(collectPiped(items[i], sent[i] == Sent::PrepareAndRun));
    }
}

/// Reads what belongs to one item, up to its Sync.
Result<qint64> PostgresConnection::collectPiped(const BatchItem& item, bool preparing)
{
    const QString what = item.statement->whatFailed();
    const auto known = m_prepared.find(item.statement->id());
    Answer answer;
    for (bool running = !preparing;;) {
        if (running && item.sink && known != m_prepared.end() && known->second.manyRows)
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
        else if (running || status != PGRES_COMMAND_OK)
            take(result.get(), item.sink, what, answer);
    }
    if (known != m_prepared.end())
        known->second.manyRows = answer.count >= manyRowsFrom;
    if (!answer.error)
        return answer.count;
    if (preparing)
        m_prepared.erase(item.statement->id());
    else
        forgetIfStale(*item.statement, *answer.error);
    return Failure(m_gate.requested() ? cancelled(what) : std::move(*answer.error));
}

} // namespace lockscope::db
