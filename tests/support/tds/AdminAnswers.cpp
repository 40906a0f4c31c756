// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/AdminAnswers.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using State = AdminAnswers::State;
using StatePtr = std::shared_ptr<State>;

constexpr int rollbackSeconds = 30;

qint64 clockOf(const State& state)
{
    return state.nowUs != 0 ? state.nowUs : QDateTime::currentMSecsSinceEpoch() * 1'000;
}

QString json(const QJsonObject& object)
{
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

void say(Reply& reply, const ServerMessage& message)
{
    if (message.severity > 10)
        reply.error(message.number, message.text, message.severity);
    else
        reply.info(message.number, message.text);
}

/// False if the audit refuses: then the error has been said.
bool record(State& state, const Request& request, size_t firstParameter, const QString& before,
    const QString& outcome, Reply& reply)
{
    if (state.auditClosed) {
        reply.error(229,
            u"The EXECUTE permission was denied on the object 'RecordAct', database 'orders', schema 'lockscope'."_s,
            14);
        return false;
    }
    const auto text = [&](size_t offset) { return request.parameter(firstParameter + offset).toText(); };
    state.audit.push_back({static_cast<qint64>(state.audit.size()) + 1, request.session->login.user,
        text(0) + u", "_s + text(1), text(2), text(3), text(4), before, outcome});
    return true;
}

void answerAudit(const State& state, const Request& request, Reply& reply)
{
    reply.columns({{u"id"_s, bigint()}, {u"at"_s, bigint()}, {u"who"_s, nvarchar(600)},
        {u"origin"_s, nvarchar(600)}, {u"act"_s, nvarchar(100)}, {u"target"_s, nvarchar()},
        {u"reason"_s, nvarchar()}, {u"before"_s, nvarchar()}, {u"outcome"_s, nvarchar()}});
    qint64 left = request.parameter(0).toInt64();
    for (auto row = state.audit.rbegin(); row != state.audit.rend() && left-- > 0; ++row)
        reply.row({row->id, clockOf(state), row->who, row->origin, row->act, row->target, row->reason,
            row->before, row->outcome});
}

void answerOutcome(
    const State& state, bool recorded, const QString& outcome, const QString& before, Reply& reply)
{
    reply.table({{u"id"_s, bigint()}, {u"outcome"_s, nvarchar(400)}, {u"before"_s, nvarchar()}},
        {{recorded ? Value(state.audit.back().id) : Value(), outcome, before}});
}

/// admin/end_session: compare, record, KILL, record.
void endSession(State& state, const Request& request, Reply& reply)
{
    const int id = static_cast<int>(request.parameter(0).toInt64());
    const auto* const row = state.sessions.find(id);
    const QString found = row ? json({{u"session_id"_s, row->id}, {u"login_name"_s, row->login},
                              {u"program_name"_s, row->program}, {u"status"_s, row->status}})
                              : u"null"_s;
    const QString before = u"{\"found\":%1,\"shown\":%2}"_s.arg(found, request.parameter(7).toText());
    QString outcome;
    if (!row)
        outcome = u"changed meanwhile: the session has ended"_s;
    else if (id == request.session->id)
        outcome = u"refused: it is the session that asks"_s;
    else if (!row->isUser)
        outcome = u"refused: it belongs to the server itself"_s;
    else if (row->startedUs != request.parameter(1).toInt64())
        outcome = u"changed meanwhile: another session has this id now"_s;
    const bool recorded = request.parameter(8).toInt64() == 1;
    if (recorded
        && !record(
            state, request, 2, before, outcome.isEmpty() ? u"begun: the outcome follows"_s : outcome, reply))
        return;
    if (outcome.isEmpty()) {
        const auto word = state.sessions.kill(request.session->id, request.session->transactionCount > 0, id);
        if (word)
            return say(reply, *word);
        state.killed << QString::number(id);
        outcome = u"done"_s;
        if (recorded)
            record(state, request, 2, before, outcome, reply);
    }
    answerOutcome(state, recorded, outcome, before, reply);
}

void endUnitOfWork(State& state, const Request& request, Reply& reply)
{
    const QString unit = request.parameter(0).toText();
    const bool known = state.unitsOfWork.contains(unit, Qt::CaseInsensitive);
    QString outcome = known
        ? QString()
        : u"changed meanwhile: no session-less transaction of this unit of work holds locks any more"_s;
    const bool recorded = request.parameter(7).toInt64() == 1;
    const QString before = request.parameter(6).toText();
    if (recorded
        && !record(state, request, 1, before, known ? u"begun: the outcome follows"_s : outcome, reply))
        return;
    if (known) {
        if (!state.mayKill)
            return reply.error(6102, u"User does not have permission to use the KILL statement."_s, 14);
        state.unitsOfWork.removeAll(unit);
        state.killed << unit;
        outcome = u"done"_s;
        if (recorded)
            record(state, request, 1, before, outcome, reply);
    }
    answerOutcome(state, recorded, outcome, before, reply);
}

void answerProgress(State& state, const Request& request, Reply& reply)
{
    const auto* const row = state.sessions.find(static_cast<int>(request.parameter(0).toInt64()));
    std::vector<Values> rows;
    if (row && row->startedUs == request.parameter(1).toInt64()) {
        if (row->rollback)
            rows.push_back(
                {double(row->rollback->percent), row->rollback->secondsLeft * 1'000, u"KILLED/ROLLBACK"_s});
        else
            rows.push_back({Value(), Value(), Value()});
    }
    reply.table({{u"percent"_s, floating()}, {u"left"_s, bigint()}, {u"command"_s, nvarchar(32)}}, rows);
}

/// The row that an act removed, as JSON; no row if there was none to remove.
void answerRemoved(Reply& reply, const std::optional<QString>& removed)
{
    reply.table({{u"gone"_s, nvarchar()}}, removed ? std::vector<Values>{{*removed}} : std::vector<Values>());
}

void releaseEntry(State& state, const Request& request, bool onlyStale, Reply& reply)
{
    const QString name = request.parameter(0).toText();
    const auto entry = state.table.entry(name);
    const bool matches = entry && entry->fencing == request.parameter(1).toInt64()
        && (!onlyStale || entry->expiresUs <= clockOf(state));
    if (!matches || !state.table.release(name, entry->token))
        return answerRemoved(reply, std::nullopt);
    answerRemoved(reply,
        json({{u"name"_s, entry->name}, {u"fencing"_s, entry->fencing}, {u"owner"_s, entry->holder.owner}}));
}

void releaseAttached(State& state, const Request& request, Reply& reply)
{
    const QString table = request.filledIn.value(0);
    const auto isIt = [&](const AdminAnswers::AttachedRow& r) {
        return r.table == table && r.name == request.parameter(0).toText()
            && r.time == request.parameter(1).toText();
    };
    const auto row = std::find_if(state.attached.begin(), state.attached.end(), isIt);
    if (row == state.attached.end())
        return answerRemoved(reply, std::nullopt);
    if (std::count_if(row, state.attached.end(), isIt) > 1)
        return reply.table({{u"gone"_s, nvarchar()}}, {{Value()}});
    const QString gone = json({{u"Name"_s, row->name}, {u"SetTime"_s, row->time}});
    state.attached.erase(row);
    answerRemoved(reply, gone);
}

/// The last place in the text is that of {table}.
void answerAttached(const State& state, const Request& request, Reply& reply)
{
    std::vector<Values> rows;
    for (const AdminAnswers::AttachedRow& row : state.attached) {
        if (row.table == request.filledIn.last())
            rows.push_back({row.name, row.timeUs, row.time});
    }
    reply.table({{u"name"_s, nvarchar(4'000)}, {u"time"_s, bigint()}, {u"raw"_s, nvarchar(40)}}, rows);
}

void answerEntries(const State& state, Reply& reply)
{
    reply.columns({{u"name"_s, nvarchar(255)}, {u"token_start"_s, nvarchar(16)}, {u"fencing"_s, bigint()},
        {u"acquired"_s, bigint()}, {u"expires"_s, bigint()}, {u"owner"_s, nvarchar(128)},
        {u"host"_s, nvarchar(128)}, {u"program"_s, nvarchar(128)}, {u"process_id"_s, bigint()},
        {u"session_id"_s, bigint()}});
    for (const auto& entry : state.table.entries())
        reply.row({entry.name, entry.token.left(4) + u"..."_s, entry.fencing, entry.acquiredUs,
            entry.expiresUs, entry.holder.owner, entry.holder.host, entry.holder.program,
            entry.holder.processId, entry.holder.session});
}

void answerWaiters(const State& state, Reply& reply)
{
    reply.columns({{u"name"_s, nvarchar(255)}, {u"ticket"_s, bigint()}, {u"registered"_s, bigint()},
        {u"expires"_s, bigint()}, {u"owner"_s, nvarchar(128)}, {u"host"_s, nvarchar(128)},
        {u"program"_s, nvarchar(128)}, {u"process_id"_s, bigint()}, {u"session_id"_s, bigint()}});
    for (const auto& waiter : state.table.waiters())
        reply.row({waiter.name, waiter.ticket, waiter.registeredUs, waiter.expiresUs, waiter.who.owner,
            waiter.who.host, waiter.who.program, waiter.who.processId, waiter.who.session});
}

void answerEntryNow(const State& state, const Request& request, Reply& reply)
{
    std::vector<Values> rows;
    if (const auto entry = state.table.entry(request.parameter(0).toText()))
        rows.push_back({entry->holder.owner, entry->holder.host, json({{u"name"_s, entry->name}})});
    reply.table({{u"owner"_s, nvarchar(128)}, {u"host"_s, nvarchar(128)}, {u"row"_s, nvarchar()}}, rows);
}

void answerNextWaiter(const State& state, const Request& request, Reply& reply)
{
    std::vector<Values> rows;
    for (const auto& waiter : state.table.waiters()) {
        if (rows.empty() && waiter.name == request.parameter(0).toText() && waiter.expiresUs > clockOf(state))
            rows.push_back({waiter.who.owner, waiter.who.host});
    }
    reply.table({{u"owner"_s, nvarchar(128)}, {u"host"_s, nvarchar(128)}}, rows);
}

void answerSessions(TdsServer& server, const StatePtr& state)
{
    server.answer("sqlserver/admin/end_session",
        [state](const Request& request, Reply& reply) { endSession(*state, request, reply); });
    server.answer("sqlserver/admin/end_unit_of_work",
        [state](const Request& request, Reply& reply) { endUnitOfWork(*state, request, reply); });
    server.answer("sqlserver/admin/session_progress",
        [state](const Request& request, Reply& reply) { answerProgress(*state, request, reply); });
    server.answer("sqlserver/admin/rollback_status", [state](const Request& request, Reply& reply) {
        const int id = static_cast<int>(request.parameter(0).toInt64());
        if (const auto word = state->sessions.killStatus(request.session->id, id))
            say(reply, *word);
    });
    server.answer("sqlserver/admin/session_lives", [state](const Request& request, Reply& reply) {
        const auto* const row = state->sessions.find(static_cast<int>(request.parameter(0).toInt64()));
        const bool lives = row && row->startedUs == request.parameter(1).toInt64();
        reply.table({{u"lives"_s, integer()}}, lives ? std::vector<Values>{{1}} : std::vector<Values>());
    });
    server.answer("sqlserver/admin/rights", [state](const Request& request, Reply& reply) {
        reply.table({{u"login"_s, nvarchar(128)}, {u"user"_s, nvarchar(128)}, {u"schema"_s, integer()},
                        {u"audit"_s, integer()}, {u"record"_s, integer()}, {u"end"_s, integer()}},
            {{request.session->login.user, request.session->login.user, int(state->auditInstalled),
                int(state->auditInstalled && !state->auditClosed),
                int(state->auditInstalled && !state->auditClosed), int(state->mayKill)}});
    });
    server.answer("sqlserver/admin/role", [](const Request& request, Reply& reply) {
        reply.table({{u"login"_s, nvarchar(128)}, {u"user"_s, nvarchar(128)}},
            {{request.session->login.user, request.session->login.user}});
    });
}

void answerAuditing(TdsServer& server, const StatePtr& state)
{
    server.answer("sqlserver/admin/audit_table", [state](const Request&, Reply& reply) {
        reply.table({{u"there"_s, integer()}},
            state->auditInstalled ? std::vector<Values>{{1}} : std::vector<Values>());
    });
    server.answer("sqlserver/admin/audit_read",
        [state](const Request& request, Reply& reply) { answerAudit(*state, request, reply); });
    server.answer("sqlserver/admin/audit_write", [state](const Request& request, Reply& reply) {
        if (record(*state, request, 0, request.parameter(5).toText(), request.parameter(6).toText(), reply))
            reply.table({{u"id"_s, bigint()}}, {{state->audit.back().id}});
    });
    server.answer("sqlserver/admin/audit_outcome", [state](const Request& request, Reply& reply) {
        const auto row =
            std::ranges::find(state->audit, request.parameter(0).toInt64(), &AdminAnswers::Audit::id);
        if (row != state->audit.end()) {
            row->outcome = request.parameter(2).toText();
            if (!request.parameter(1).isNull())
                row->before = request.parameter(1).toText();
        }
        reply.returnStatus(row == state->audit.end() ? 0 : 1);
        reply.done();
    });
}

void answerLockTables(TdsServer& server, const StatePtr& state)
{
    server.answer("sqlserver/admin/release_entry",
        [state](const Request& request, Reply& reply) { releaseEntry(*state, request, false, reply); });
    server.answer("sqlserver/admin/purge_entry",
        [state](const Request& request, Reply& reply) { releaseEntry(*state, request, true, reply); });
    server.answer("sqlserver/admin/release_attached",
        [state](const Request& request, Reply& reply) { releaseAttached(*state, request, reply); });
    server.answer("sqlserver/admin/entry_now",
        [state](const Request& request, Reply& reply) { answerEntryNow(*state, request, reply); });
    server.answer("sqlserver/admin/next_waiter",
        [state](const Request& request, Reply& reply) { answerNextWaiter(*state, request, reply); });
    server.answer(
        "sqlserver/monitor/entries", [state](const Request&, Reply& reply) { answerEntries(*state, reply); });
    server.answer("sqlserver/monitor/entry_waiters",
        [state](const Request&, Reply& reply) { answerWaiters(*state, reply); });
    for (const char* path : {"sqlserver/monitor/attached_utc", "sqlserver/monitor/attached_local"})
        server.answer(
            path, [state](const Request& request, Reply& reply) { answerAttached(*state, request, reply); });
}

} // namespace

AdminAnswers::AdminAnswers(TdsServer& server)
    : m_server(server)
{
    // The state is asked for the time only after it was made.
    auto state = std::make_shared<std::weak_ptr<State>>();
    m_state = std::make_shared<State>(DoubleClock{[state] {
                                                      const auto now = state->lock();
                                                      return now ? clockOf(*now) : 0;
                                                  },
        [&server](std::chrono::milliseconds delay, std::function<void()> function) {
            server.after(delay, std::move(function));
        }});
    *state = m_state;
    m_state->sessions.setMayKill([state](int) {
        const auto now = state->lock();
        return now && now->mayKill;
    });
    m_state->sessions.onKill([state, &server](int id) {
        const auto now = state->lock();
        if (!now)
            return;
        if (now->workToUndo > 0)
            now->sessions.find(id)->rollback = DoubleSessions::Rollback{now->workToUndo, rollbackSeconds};
        else if (!server.disconnect(id))
            now->sessions.remove(id);
    });
    server.onLogin([state](Session& session) {
        if (const auto now = state->lock())
            now->sessions.add({session.id, session.startedUs, true, session.login.user, session.login.host,
                session.login.program, session.database, session.login.processId});
    });
    server.onDisconnect([state](Session& session) {
        if (const auto now = state->lock())
            now->sessions.remove(session.id);
    });
    answerSessions(server, m_state);
    answerAuditing(server, m_state);
    answerLockTables(server, m_state);
}

void AdminAnswers::change(const std::function<void(State&)>& change)
{
    m_server.run([this, &change] { change(*m_state); });
}

std::vector<AdminAnswers::Audit> AdminAnswers::audit()
{
    std::vector<Audit> rows;
    change([&rows](const State& state) { rows = state.audit; });
    return rows;
}

QStringList AdminAnswers::killed()
{
    QStringList names;
    change([&names](const State& state) { names = state.killed; });
    return names;
}

} // namespace lockscope::test::tds
