// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaTrust.h"
#include "core/db/postgres/PostgresConnection.h"

#include <algorithm>
#include <array>

namespace lockscope::db {

namespace {

/// Row by row or at once: libpq keeps from the statement before how it hands on the rows of the next one.
bool isRows(ExecStatusType status)
{
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE;
}

/// The guard before each statement that names a schema of ours; see postgres/schema/hold.
struct Guard {
    Statement hold;
    Statement same;
};

const Guard& guardOf(OwnSchema schema)
{
    static const auto made = [](const QString& name) {
        const std::pair<QLatin1StringView, QString> part(QLatin1StringView("schema"), name);
        return Guard{Statement::filled("postgres/schema/hold", {part}),
            Statement::filled("postgres/schema/same", {part})};
    };
    static const Guard ofLocks = made(QStringLiteral("lockscope"));
    static const Guard ofHistory = made(QStringLiteral("lockscope_history"));
    return schema == OwnSchema::History ? ofHistory : ofLocks;
}

bool isRollback(const Statement& statement)
{
    static const quint64 rollback = Statement::get("postgres/session/rollback").id();
    return statement.id() == rollback;
}

} // namespace

/// A schema of ours that has not been judged yet is judged first; if it must not be used, no statement that
/// names it is sent.
std::vector<Result<qint64>> PostgresConnection::executeBatch(
    std::span<const BatchItem> items, std::stop_token stop)
{
    for (const OwnSchema schema : {OwnSchema::Locks, OwnSchema::History}) {
        const auto namesIt = [schema](
                                 const BatchItem& item) { return item.statement->ownSchema() == schema; };
        if (!std::ranges::any_of(items, namesIt))
            continue;
        std::optional<Error>& refusal = m_refusals[static_cast<size_t>(schema)];
        refusal.reset();
        if (const Result<void> ready = prepareGuard(schema); !ready)
            refusal = ready.error();
    }
    return sendBatchOf(items, stop);
}

Result<void> PostgresConnection::prepareGuard(OwnSchema schema)
{
    if (!isOpen())
        return {}; // each item says so
    LOCKSCOPE_TRY(judgeSchema(*this, schema));
    if (isPooled())
        return {};
    const Guard& guard = guardOf(schema);
    for (const Statement* const each : {&guard.hold, &guard.same}) {
        if (m_prepared.contains(each->id()))
            continue;
        const InFlight flight(m_gate, {});
        start(Sender::Ours);
        if (Result<Prepared*> known = prepared(*each); !known) {
            known.error().what = QStringLiteral("Can't use the schema of Lockscope.");
            return Failure(known.error());
        }
    }
    return {};
}

/// A schema that is not the one that was judged is judged again, and used then if it may be.
Result<qint64> PostgresConnection::runGuarded(const Statement& statement, std::span<const Param> params,
    const RowSink& sink, const std::stop_token& stop)
{
    const std::array items{
        BatchItem{.statement = &statement, .params = {params.begin(), params.end()}, .sink = sink}};
    const bool within = inTransaction();
    Result<qint64> result = executeBatch(items, stop).front();
    const auto mayGoOn = [&] { return !result && !within && isOpen() && !m_gate.requested(); };
    if (mayGoOn() && result.error().nativeCode == QLatin1String("26000")) { // after DISCARD ALL none is there
        m_prepared.clear();
        result = executeBatch(items, stop).front();
    } else if (mayGoOn()
        && (judged(statement.ownSchema()).isNull() || result.error().nativeCode == QLatin1String("0A000"))) {
        result = executeBatch(items, stop).front();
    }
    return m_gate.requested() ? Failure(cancelled(statement.whatFailed())) : std::move(result);
}

/// Sends the guard in one transaction with the statement that follows.
bool PostgresConnection::sendGuard(OwnSchema schema, int& heads)
{
    const Guard& guard = guardOf(schema);
    std::array<QByteArray, 3> identity;
    const QStringList parts = judged(schema).split(u' ');
    for (size_t i = 0; i < identity.size(); ++i)
        identity[i] = parts.value(static_cast<qsizetype>(i), QString()).toLatin1();
    std::array<const char*, 3> values{};
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = identity[i].isEmpty() ? "0" : identity[i].constData(); // it was not there
    heads += 2;
    const int count = static_cast<int>(values.size());
    if (isPooled())
        return PQsendPrepare(m_pg, "", guard.hold.sql().constData(), 0, nullptr)
            && PQsendQueryParams(
                m_pg, guard.same.sql().constData(), count, nullptr, values.data(), nullptr, nullptr, 0);
    const auto hold = m_prepared.find(guard.hold.id());
    const auto same = m_prepared.find(guard.same.id());
    return hold != m_prepared.end() && same != m_prepared.end()
        && PQsendDescribePrepared(m_pg, hold->second.name.constData())
        && PQsendQueryPrepared(
            m_pg, same->second.name.constData(), count, values.data(), nullptr, nullptr, 0);
}

/// Turns the server's error of `same` into one for people; the next use of the schema judges it again.
void PostgresConnection::noteGuard(OwnSchema schema, Error& error)
{
    if (schema == OwnSchema::None)
        return; // tables of frameworks are compared by the caller
    if (error.nativeCode == QLatin1String("26000")) // after DISCARD ALL
        m_prepared.clear();
    if (!error.detail.contains(QLatin1String("lockscope: not as judged: ")))
        return;
    forgetJudged();
    error.kind = ErrorKind::Permission;
    error.detail = QStringLiteral(
        "Lockscope's schema is another one than before, or its owner or rights have changed: it is judged again before it is used.");
    error.hint = QStringLiteral("Try again.");
}

std::vector<Result<qint64>> PostgresConnection::sendBatchOf(
    std::span<const BatchItem> items, const std::stop_token& stop)
{
    std::vector<Result<qint64>> results;
    results.reserve(items.size());
    const bool within = inTransaction();
    const InFlight flight(m_gate, stop);
    start(std::ranges::any_of(items, [](const BatchItem& item) { return item.statement->isOfUser(); })
            ? Sender::User
            : Sender::Ours);
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
    const OwnSchema schema = item.statement->ownSchema();
    if (const auto& refusal = m_refusals[static_cast<size_t>(schema)])
        return Failure(*refusal);
    LOCKSCOPE_TRY(m_params.bind(item.params));
    const char* const sql = item.statement->sql().constData();
    const int count = m_params.count();
    const int format = item.statement->binaryResults() ? 1 : 0;
    const char* const* const values = m_params.values();
    Sent sent{0, false, endsTransaction};
    bool done = true;
    if (isPooled()) {
        // A transaction that has failed takes nothing but its end.
        if (!within && !isRollback(*item.statement)) {
            sent.heads = 1;
            done = PQsendQueryParams(
                m_pg, m_pooledSettings.constData(), 0, nullptr, nullptr, nullptr, nullptr, 0);
        }
        done = done && (schema == OwnSchema::None || sendGuard(schema, sent.heads));
        done = done && PQsendQueryParams(m_pg, sql, count, nullptr, values, nullptr, nullptr, format);
    } else {
        const auto known = m_prepared.find(item.statement->id());
        // One that this batch prepares first is not there where a transaction before it has failed.
        sent.isNew = known == m_prepared.end() || known->second.batch == m_batch;
        const Prepared& plan = sent.isNew ? remember(*item.statement) : known->second;
        const char* const name = plan.name.constData();
        done = schema == OwnSchema::None || sendGuard(schema, sent.heads);
        sent.heads += sent.isNew ? 1 : 0;
        done = done && (!sent.isNew || PQsendPrepare(m_pg, name, sql, 0, nullptr))
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
    int heads = sent.heads; // that are not answered yet
    m_startedAt = Clock::now(); // each has its time
    for (;;) {
        const bool running = heads == 0;
        const bool isLong = m_rowByRow || known == m_prepared.end() || known->second.manyRows;
        if (running && (isLong || !item.sink))
            PQsetSingleRowMode(m_pg);
        if (!isOpen() || !waitForResult())
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
            heads = std::max(0, heads - 1);
        else if (status == PGRES_PIPELINE_ABORTED && !answer.error)
            answer.error = Error{.kind = ErrorKind::Server,
                .what = what,
                .server = m_url.display(),
                .detail = QStringLiteral("The statement before it failed.")};
        else if (running || !isRows(status)) // what comes before it tells nothing unless it fails
            take(result.get(), item.sink, what, answer);
    }
    if (known != m_prepared.end())
        known->second.manyRows = answer.count >= manyRowsFrom;
    if (!answer.error)
        return answer.count;
    noteGuard(item.statement->ownSchema(), *answer.error);
    if (sent.isNew)
        m_prepared.erase(item.statement->id());
    else
        forgetIfStale(*item.statement, *answer.error);
    return Failure(m_gate.requested() ? cancelled(what) : std::move(*answer.error));
}

} // namespace lockscope::db
