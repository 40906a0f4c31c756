// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/LockAnswers.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using std::chrono::milliseconds;

void answerInt(Reply& reply, qint64 value)
{
    reply.table({{u""_s, integer()}}, {{value}});
}

qint64 clockUs()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

} // namespace

LockAnswers::LockAnswers(TdsServer& server, bool keepsHints)
    : m_server(server)
    , m_keepsHints(keepsHints)
    , m_appLocks(std::bind_front(&TdsServer::after, &server))
    , m_rows(std::bind_front(&TdsServer::after, &server))
    , m_scripts(server, m_appLocks,
          {[this](const Session& session) -> ViewTables& { return tables(session.database); }, clockUs})
{
    server.onDisconnect([this](Session& session) {
        m_appLocks.disconnected(session.id);
        m_rows.disconnected(session.id);
    });
    server.onTransactionEnd([this](Session& session, bool) {
        m_appLocks.transactionEnded(session.id);
        m_rows.transactionEnded(session.id);
        std::erase_if(
            m_savepoints, [&session](const auto& savepoint) { return savepoint.first.first == session.id; });
    });
    for (const char* path : {"sqlserver/locks/acquire", "sqlserver/locks/release", "sqlserver/locks/renew",
             "sqlserver/locks/leave_queue", "sqlserver/locks/held_entry", "sqlserver/locks/entry_age",
             "sqlserver/locks/mark", "sqlserver/locks/mark_lives", "sqlserver/app_locks/acquire",
             "sqlserver/app_locks/release", "sqlserver/app_locks/undo", "sqlserver/app_locks/names_writable",
             "sqlserver/app_locks/register_name", "test/sqlserver/rig/table_waiters", "sqlserver/hints/place",
             "test/sqlserver/rig/take_turn"})
        m_scripts.answer(path);
    for (const QString& procedure : {u"lockscope.AcquireLock"_s, u"lockscope.ReleaseLock"_s,
             u"lockscope.AcquireAppLock"_s, u"lockscope.ReleaseAppLock"_s})
        m_scripts.answerProcedure(procedure);
    server.answer("sqlserver/locks/heartbeat", [](const Request&, Reply& reply) { answerInt(reply, 1); });
    answerSurrogates();
    answerProofs();
}

ViewTables& LockAnswers::tables(const QString& database)
{
    std::unique_ptr<ViewTables>& tables = m_tables[database];
    if (!tables) {
        tables = std::make_unique<ViewTables>();
        tables->install();
    }
    return *tables;
}

void LockAnswers::forget(const QString& database)
{
    m_tables.erase(database);
    std::erase_if(m_surrogateTables, [&](const auto& known) { return known.first == database; });
}

QStringList LockAnswers::registeredNames()
{
    QStringList names;
    m_server.run([&] {
        for (const auto& [database, tables] : m_tables)
            for (const Values& row : tables->query(u"SELECT name FROM lockscope.app_lock_name"_s))
                names << row[0].toText();
    });
    return names;
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
                u"Transaction was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction."_s,
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
        const std::pair table(request.session->database, request.parameter(0).toText());
        reply.table({{u""_s, bit()}}, {{m_surrogateTables.contains(table)}});
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
