// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/LockAnswers.h"

#include <QDateTime>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using std::chrono::milliseconds;

std::optional<Value> number(std::optional<qint64> value)
{
    return value ? std::optional(Value(*value)) : std::nullopt;
}

void answerInt(Reply& reply, qint64 value)
{
    reply.table({{u""_s, integer()}}, {{value}});
}

void answerBit(Reply& reply, bool value)
{
    reply.table({{u""_s, bit()}}, {{value}});
}

/// A row, or none.
void answerWhether(Reply& reply, bool isSo)
{
    reply.columns({{u""_s, integer()}});
    if (isSo)
        reply.row({1});
}

QString textOr(const QString& otherwise, const Value& value)
{
    return value.isNull() ? otherwise : value.toText();
}

/// Arguments that came by name, in the order of the procedure's parameters.
Request inOrder(const Request& request, const QStringList& names)
{
    Request ordered = request;
    ordered.parameters.clear();
    for (qsizetype i = 0; i < names.size(); ++i) {
        const bool isNamed = !request.parameters.empty() && !request.parameters[0].name.isEmpty();
        ordered.parameters.push_back({names[i], {},
            isNamed ? request.parameter(names[i]) : request.parameter(static_cast<size_t>(i))});
    }
    return ordered;
}

DoubleLocks::Owner ownerOf(const Value& name)
{
    return name.toText() == u"Session" ? DoubleLocks::Owner::Session : DoubleLocks::Owner::Transaction;
}

} // namespace

LockAnswers::LockAnswers(TdsServer& server, bool keepsHints)
    : m_server(server)
    , m_keepsHints(keepsHints)
    , m_appLocks(clock())
    , m_rows(clock())
{
    server.onDisconnect([this](Session& session) {
        m_appLocks.disconnected(session.id);
        m_rows.disconnected(session.id);
        for (auto& [database, table] : m_tables)
            table.sessionEnded(session.id);
        m_modeBefore.remove(session.id);
    });
    server.onTransactionEnd([this](Session& session, bool) {
        m_appLocks.transactionEnded(session.id);
        m_rows.transactionEnded(session.id);
        std::erase_if(
            m_savepoints, [&session](const auto& savepoint) { return savepoint.first.first == session.id; });
    });
    answerTable();
    answerAppLocks();
    answerSurrogates();
    answerProofs();
    answerProcedures();
}

DoubleClock LockAnswers::clock()
{
    return {[] { return QDateTime::currentMSecsSinceEpoch() * 1'000; },
        [this](milliseconds delay, std::function<void()> call) { m_server.after(delay, std::move(call)); }};
}

DoubleLockTable& LockAnswers::table(const QString& database)
{
    const auto [found, isNew] = m_tables.try_emplace(database, clock());
    if (isNew)
        found->second.onFreed([this, database](const QString& name) {
            m_server.after(milliseconds(0), [this, database, name] { lookAgain(database, name); });
        });
    return found->second;
}

void LockAnswers::forget(const QString& database)
{
    m_tables.erase(database);
    std::erase_if(m_surrogateTables, [&](const auto& known) { return known.first == database; });
}

QStringList LockAnswers::registeredNames()
{
    QStringList names;
    m_server.run([&] { names = m_names; });
    return names;
}

// --- The lock table ---------------------------------------------------------------------------------------

void LockAnswers::answerTable()
{
    m_server.answer(
        "sqlserver/locks/acquire", [this](const Request& request, Reply& reply) { acquire(request, reply); });
    m_server.answer("sqlserver/locks/release", [this](const Request& request, Reply& reply) {
        answerBit(reply,
            table(request.session->database)
                .release(request.parameter(0).toText(), request.parameter(1).toText()));
    });
    m_server.answer("sqlserver/locks/renew", [this](const Request& request, Reply& reply) {
        const auto end = table(request.session->database)
                             .renew(request.parameter(0).toText(), request.parameter(1).toText(),
                                 std::chrono::microseconds(request.parameter(2).toInt64()));
        reply.table({{u"expires_us"_s, bigint()}}, {{number(end)}});
    });
    m_server.answer("sqlserver/locks/leave_queue", [this](const Request& request, Reply& reply) {
        table(request.session->database)
            .leaveQueue(request.parameter(0).toText(), request.parameter(1).toText(), request.session->id);
        answerBit(reply, false);
    });
    m_server.answer("sqlserver/locks/held_entry", [this](const Request& request, Reply& reply) {
        const auto entry = table(request.session->database).entry(request.parameter(0).toText());
        answerWhether(reply, entry && entry->token == request.parameter(1).toText());
    });
}

void LockAnswers::acquire(const Request& request, Reply& reply)
{
    const milliseconds wait(request.parameter(3).toInt64());
    DoubleLockTable::Request wanted;
    wanted.name = request.parameter(0).toText();
    wanted.token = request.parameter(1).toText();
    wanted.lease = std::chrono::microseconds(request.parameter(2).toInt64());
    wanted.waits = wait != milliseconds(0);
    const Login& login = request.session->login;
    wanted.who = {textOr(login.user, request.parameter(5)), textOr(login.host, request.parameter(6)),
        textOr(login.program, request.parameter(7)), request.parameter(8).toInt64(), request.session->id};
    const QString& database = request.session->database;
    const auto outcome = table(database).acquire(wanted);
    if (outcome.granted || !wanted.waits)
        return answerOutcome(reply, outcome, outcome.granted ? 0 : -1);
    wanted.ticket = outcome.ticket;
    const quint64 id = ++m_lastWaiting;
    m_waiting[id] = {database, wanted, reply.defer()};
    // A cancelled call leaves its registration behind.
    reply.onCancel([this, id](Reply::End) { m_waiting.erase(id); });
    m_server.after(milliseconds(outcome.recheckUs / 1'000 + 1),
        [this, database, name = wanted.name] { lookAgain(database, name); });
    if (wait > milliseconds(0))
        m_server.after(wait, [this, id] { timeOut(id); });
}

/// Whoever waits for the name asks again, the first one first.
void LockAnswers::lookAgain(const QString& database, const QString& name)
{
    for (auto next = m_waiting.begin(); next != m_waiting.end();) {
        const auto waiting = next++;
        if (waiting->second.database != database || waiting->second.request.name != name)
            continue;
        const auto outcome = table(database).acquire(waiting->second.request);
        if (!outcome.granted) {
            // A timer may come a little early, and there is no other one.
            if (outcome.recheckUs > 0 && outcome.recheckUs < 1'000'000)
                m_server.after(milliseconds(outcome.recheckUs / 1'000 + 1),
                    [this, database, name] { lookAgain(database, name); });
            continue;
        }
        const std::shared_ptr<Reply> reply = waiting->second.reply;
        m_waiting.erase(waiting);
        answerOutcome(*reply, outcome, 1);
        reply->finish();
    }
}

void LockAnswers::timeOut(quint64 id)
{
    const auto found = m_waiting.find(id);
    if (found == m_waiting.end())
        return;
    Waiting waiting = std::move(found->second);
    m_waiting.erase(found);
    DoubleLockTable& table = this->table(waiting.database);
    table.leaveQueue(waiting.request.name, waiting.request.token, waiting.request.who.session);
    waiting.request.waits = false;
    const auto outcome = table.acquire(waiting.request);
    if (outcome.granted) // in this very moment: a real server would have looked just before, too
        table.release(waiting.request.name, waiting.request.token);
    answerOutcome(*waiting.reply, {{}, {}, outcome.obstacle, outcome.recheckUs}, -1);
    waiting.reply->finish();
}

void LockAnswers::answerOutcome(Reply& reply, const DoubleLockTable::Outcome& outcome, int code)
{
    reply.columns({{u"fencing"_s, bigint()}, {u"acquired_us"_s, bigint()}, {u"expires_us"_s, bigint()},
        {u"ticket"_s, bigint()}, {u"recheck_us"_s, bigint()}, {u"holder_owner"_s, nvarchar(256)},
        {u"holder_host"_s, nvarchar(256)}, {u"holder_program"_s, nvarchar(256)},
        {u"holder_process_id"_s, bigint()}, {u"holder_session_id"_s, bigint()}, {u"answer"_s, integer()}});
    Values row(11);
    if (outcome.granted) {
        row[0] = outcome.granted->fencing;
        row[1] = outcome.granted->acquiredUs;
        row[2] = outcome.granted->expiresUs;
    }
    row[4] = outcome.recheckUs;
    if (outcome.obstacle) {
        row[5] = outcome.obstacle->owner;
        row[6] = outcome.obstacle->host;
        row[7] = outcome.obstacle->program;
        row[8] = outcome.obstacle->processId;
        row[9] = outcome.obstacle->session;
    }
    row[10] = code;
    reply.row(row);
    reply.returnStatus(code);
}

// --- The schema's procedures, as other clients call them --------------------------------------------------

void LockAnswers::answerProcedures()
{
    m_server.answer(u"lockscope.AcquireLock"_s, [this](const Request& request, Reply& reply) {
        acquire(inOrder(request,
                    {u"@Name"_s, u"@Token"_s, u"@LeaseUs"_s, u"@WaitMs"_s, u"@Ticket"_s, u"@Owner"_s,
                        u"@Host"_s, u"@Program"_s, u"@ProcessId"_s}),
            reply);
    });
    m_server.answer(u"lockscope.ReleaseLock"_s, [this](const Request& request, Reply& reply) {
        const Request call = inOrder(request, {u"@Name"_s, u"@Token"_s});
        answerBit(reply,
            table(call.session->database).release(call.parameter(0).toText(), call.parameter(1).toText()));
    });
    m_server.answer(u"lockscope.AcquireAppLock"_s, [this](const Request& request, Reply& reply) {
        appAcquireProcedure(inOrder(request, {u"@Name"_s, u"@TimeoutMs"_s}), reply);
    });
    m_server.answer(u"lockscope.ReleaseAppLock"_s, [this](const Request& request, Reply& reply) {
        const QString name = inOrder(request, {u"@Name"_s}).parameter(0).toText();
        const auto code = m_appLocks.release(
            request.session->id, DoubleLocks::Owner::Session, {request.session->database, u"public"_s, name});
        if (code != DoubleLocks::Granted)
            reply.error(50'000, u"The application lock \"%1\" is not held by this session."_s.arg(name), 15);
        reply.returnStatus(code);
    });
}

void LockAnswers::appAcquireProcedure(const Request& request, Reply& reply)
{
    const QString name = request.parameter(0).toText();
    const milliseconds timeout(request.parameter(1).isNull() ? 100'000 : request.parameter(1).toInt64());
    const auto answer = [this, name, timeout, held = reply.defer()](DoubleLocks::Code code) {
        if (code < 0)
            held->error(50'000,
                u"The application lock \"%1\" was not obtained within %2 ms (sp_getapplock returned %3)."_s
                    .arg(name)
                    .arg(timeout.count())
                    .arg(static_cast<int>(code)),
                15);
        else if (!m_names.contains(name))
            m_names << name;
        held->returnStatus(code);
        held->finish();
    };
    const auto ticket =
        m_appLocks.acquire({request.session->id, {request.session->database, u"public"_s, name},
                               DoubleLocks::Mode::Exclusive, DoubleLocks::Owner::Session, timeout},
            answer);
    reply.onCancel([this, ticket](Reply::End) { m_appLocks.giveUp(ticket); });
}

// --- Application locks ------------------------------------------------------------------------------------

void LockAnswers::answerAppLocks()
{
    m_server.answer("sqlserver/app_locks/acquire",
        [this](const Request& request, Reply& reply) { appAcquire(request, reply); });
    m_server.answer("sqlserver/app_locks/release", [this](const Request& request, Reply& reply) {
        const DoubleLocks::Key key{
            request.session->database, request.parameter(2).toText(), request.parameter(0).toText()};
        answerBit(reply,
            m_appLocks.release(request.session->id, ownerOf(request.parameter(1)), key)
                == DoubleLocks::Granted);
    });
    m_server.answer("sqlserver/app_locks/undo", [this](const Request& request, Reply& reply) {
        const DoubleLocks::Key key{
            request.session->database, request.parameter(2).toText(), request.parameter(0).toText()};
        const auto owner = ownerOf(request.parameter(1));
        if (heldMode(request.session->id, owner, key) != m_modeBefore.value(request.session->id))
            m_appLocks.release(request.session->id, owner, key);
        reply.done();
    });
    m_server.answer("sqlserver/locks/mark", [this](const Request& request, Reply& reply) {
        const DoubleLocks::Key key{request.session->database, u"public"_s, request.parameter(0).toText()};
        m_appLocks.acquire({request.session->id, key, DoubleLocks::Mode::Exclusive,
                               DoubleLocks::Owner::Session, milliseconds(0)},
            [&reply](DoubleLocks::Code code) { answerInt(reply, code); });
    });
    m_server.answer("sqlserver/locks/heartbeat", [](const Request&, Reply& reply) {
        reply.table({{u""_s, integer()}}, {{1}});
    });
    m_server.answer("sqlserver/locks/mark_lives", [this](const Request& request, Reply& reply) {
        answerWhether(reply, std::ranges::any_of(m_appLocks.rows(), [&](const DoubleLocks::Row& row) {
            return row.key.name == request.parameter(0).toText() && row.status == u"GRANT";
        }));
    });
    m_server.answer(
        "sqlserver/app_locks/names_writable", [](const Request&, Reply& reply) { answerBit(reply, true); });
    m_server.answer("sqlserver/app_locks/register_name", [this](const Request& request, Reply& reply) {
        m_names << request.parameter(0).toText();
        reply.done();
    });
}

void LockAnswers::appAcquire(const Request& request, Reply& reply)
{
    const DoubleLocks::Key key{
        request.session->database, request.parameter(4).toText(), request.parameter(0).toText()};
    const auto mode = DoubleLocks::modeOf(request.parameter(1).toText());
    const auto owner = ownerOf(request.parameter(2));
    const bool lacksTransaction =
        owner == DoubleLocks::Owner::Transaction && request.session->transactionCount == 0;
    m_modeBefore[request.session->id] = heldMode(request.session->id, owner, key);
    if (!mode || lacksTransaction || key.principal != u"public")
        return answerInt(reply, DoubleLocks::BadParameter);
    const auto answer = [held = reply.defer()](DoubleLocks::Code code) {
        answerInt(*held, code);
        held->finish();
    };
    const auto ticket = m_appLocks.acquire(
        {request.session->id, key, *mode, owner, milliseconds(request.parameter(3).toInt64())}, answer);
    reply.onCancel([this, ticket](Reply::End) { m_appLocks.giveUp(ticket); });
}

QString LockAnswers::heldMode(int session, DoubleLocks::Owner owner, const DoubleLocks::Key& key) const
{
    for (const DoubleLocks::Row& row : m_appLocks.rows())
        if (row.session == session && row.owner == owner && row.key == key && row.status == u"GRANT")
            return row.mode;
    return u"NoLock"_s;
}

// --- Locked tables and keys -------------------------------------------------------------------------------

void LockAnswers::lockRow(
    const Session& session, const QString& what, milliseconds timeout, DoubleLocks::Answer answer)
{
    const DoubleLocks::Key key{session.database, {}, what};
    m_rows.acquire({session.id, key, DoubleLocks::Mode::Exclusive, DoubleLocks::Owner::Transaction, timeout},
        std::move(answer));
}

void LockAnswers::lockSurrogate(const Request& request, Reply& reply, const QString& what, bool mayWait)
{
    const DoubleLocks::Key key{request.session->database, {}, what};
    const auto savepoint = std::pair(request.session->id, request.parameters.back().value.toText());
    const auto answer = [this, key, savepoint, held = reply.defer()](DoubleLocks::Code code) {
        if (code >= 0)
            m_savepoints[savepoint] = key;
        // The server rolls a deadlock's victim back and says so with an error.
        if (code == DoubleLocks::DeadlockVictim) {
            held->rollback();
            held->error(1205,
                u"Transaction was deadlocked on lock resources with another process and has been "
                "chosen as the deadlock victim. Rerun the transaction."_s,
                13);
        } else {
            answerInt(*held, code);
        }
        held->finish();
    };
    const milliseconds timeout(mayWait ? request.filledIn.value(0).toLongLong() : 0);
    const auto ticket = m_rows.acquire(
        {request.session->id, key, DoubleLocks::Mode::Exclusive, DoubleLocks::Owner::Transaction, timeout},
        answer);
    reply.onCancel([this, ticket](Reply::End) { m_rows.giveUp(ticket); });
}

void LockAnswers::answerSurrogates()
{
    m_server.answer("sqlserver/surrogates/table_exists", [this](const Request& request, Reply& reply) {
        answerBit(
            reply, m_surrogateTables.contains({request.session->database, request.parameter(0).toText()}));
    });
    m_server.answer("sqlserver/surrogates/table_add", [this](const Request& request, Reply& reply) {
        QString name = request.parameter(0).toText();
        name.replace(u"]"_s, u"]]"_s);
        m_surrogateTables.emplace(request.session->database, u"[lockscope].[surrogate:%1]"_s.arg(name));
        reply.done();
    });
    // The places of the text: time-out, then the table, twice.
    m_server.answer("sqlserver/surrogates/table_lock", [this](const Request& request, Reply& reply) {
        const QString table = request.filledIn.value(1);
        if (!m_surrogateTables.contains({request.session->database, table}))
            return reply.error(208, u"Invalid object name '%1'."_s.arg(table));
        lockSurrogate(request, reply, table, request.parameter(0).toBool());
    });
    // Back to the savepoint: what was locked since is free.
    m_server.answer("sqlserver/surrogates/undo", [this](const Request& request, Reply& reply) {
        const auto wait = m_savepoints.find({request.session->id, request.parameter(0).toText()});
        if (wait != m_savepoints.end())
            m_rows.release(request.session->id, DoubleLocks::Owner::Transaction, wait->second);
        reply.done();
    });
    m_server.answer("sqlserver/surrogates/key_add", [](const Request&, Reply& reply) { reply.affected(1); });
    m_server.answer("sqlserver/surrogates/key_lock", [this](const Request& request, Reply& reply) {
        const QString row = request.filledIn.value(1) + u'/' + request.parameter(0).toText();
        lockSurrogate(request, reply, row, request.parameter(1).toBool());
    });
}

/// Table ## with rows 1 and 2: the same locks serve as its rows.
void LockAnswers::answerProofs()
{
    m_server.answer("sqlserver/hints/table", [](const Request&, Reply& reply) { reply.done(); });
    // The schema of the double has that table.
    m_server.answer("sqlserver/hints/place", [](const Request&, Reply& reply) { answerBit(reply, true); });
    const auto lockOr = [this](const Request& request, const QString& row, const auto& otherwise) {
        const QString what = request.filledIn.value(0) + row;
        qint64 answer = 0;
        if (m_keepsHints)
            lockRow(*request.session, what, milliseconds(0), [&](DoubleLocks::Code code) {
                if (code < 0)
                    answer = otherwise();
            });
        return answer;
    };
    m_server.answer("sqlserver/hints/updlock", [lockOr](const Request& request, Reply& reply) {
        answerInt(reply, lockOr(request, u"1"_s, [] { return -1; }));
    });
    m_server.answer("sqlserver/hints/readpast", [lockOr](const Request& request, Reply& reply) {
        answerInt(reply, lockOr(request, u"1"_s, [] { return 2; }));
    });
    m_server.answer("sqlserver/hints/tablockx", [lockOr](const Request& request, Reply& reply) {
        answerInt(reply, lockOr(request, u"table"_s, [] { return -1; }));
    });
}

} // namespace lockscope::test::tds
