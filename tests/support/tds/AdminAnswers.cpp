// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/AdminAnswers.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using State = AdminAnswers::State;

constexpr int rollbackSeconds = 30;

qint64 clockOf(const State& state)
{
    return state.nowUs != 0 ? state.nowUs : QDateTime::currentMSecsSinceEpoch() * 1'000;
}

/// The sessions, orphaned transactions and tables of right now, as the server's views show them.
void showServer(State& state)
{
    ViewRows sessions{u"sys.dm_exec_sessions"_s,
        {u"session_id"_s, u"login_time"_s, u"status"_s, u"login_name"_s, u"host_name"_s, u"program_name"_s,
            u"is_user_process"_s, u"open_transaction_count"_s},
        {}};
    ViewRows requests{u"sys.dm_exec_requests"_s,
        {u"session_id"_s, u"command"_s, u"percent_complete"_s, u"estimated_completion_time"_s}, {}};
    ViewRows locks{u"sys.dm_tran_locks"_s, {u"request_session_id"_s, u"request_owner_guid"_s}, {}};
    for (const DoubleSessions::Row& row : state.sessions.rows()) {
        sessions.rows.push_back({row.id, QDateTime::fromMSecsSinceEpoch(row.startedUs / 1'000, Qt::UTC),
            row.status, row.login, row.host, row.program, row.isUser, row.openTransactions});
        if (row.rollback)
            requests.rows.push_back({row.id, u"KILLED/ROLLBACK"_s, double(row.rollback->percent),
                row.rollback->secondsLeft * 1'000});
    }
    for (const QString& unit : state.unitsOfWork)
        locks.rows.push_back({-2, QUuid::fromString(unit)});
    ViewRows schemas{u"sys.schemas"_s, {u"name"_s, u"schema_id"_s}, {}};
    ViewRows tables{u"sys.tables"_s, {u"name"_s, u"schema_id"_s}, {}};
    if (state.auditInstalled) {
        schemas.rows = {{u"lockscope"_s, 5}};
        tables.rows = {{u"audit_log"_s, 5}};
    }
    for (const ViewRows& rows : {sessions, requests, locks, schemas, tables}) {
        state.tables.query(u"DELETE FROM "_s + rows.view);
        if (const QStringList faults = state.tables.add(rows); !faults.isEmpty())
            qFatal("%s", qPrintable(faults.join(u"; "_s)));
    }
}

/// A session, a session "WITH STATUSONLY", or a unit of work.
DoubleSessions::Word kill(State& state, const Session& by, QString target)
{
    if (target.endsWith(u" WITH STATUSONLY"))
        return state.sessions.killStatus(by.id, target.section(u' ', 0, 0).toInt());
    if (!target.startsWith(u'\'')) {
        const auto word = state.sessions.kill(by.id, by.transactionCount > 0, target.toInt());
        if (!word)
            state.killed << target;
        return word;
    }
    target = target.mid(1, target.size() - 2);
    if (!state.mayKill)
        return ServerMessage{6102, u"User does not have permission to use the KILL statement."_s, 14};
    state.unitsOfWork.removeIf(
        [&](const QString& unit) { return unit.compare(target, Qt::CaseInsensitive) == 0; });
    state.killed << target;
    return std::nullopt;
}

} // namespace

AdminAnswers::State::State(TdsServer& server)
    : table(tables)
    , appLocks(std::bind_front(&TdsServer::after, &server))
{
    tables.install();
}

void AdminAnswers::Entries::put(const Entry& entry)
{
    const auto time = [](qint64 us) {
        return QDateTime::fromMSecsSinceEpoch(us / 1'000, Qt::UTC).toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s)
            + u"%1"_s.arg(us % 1'000, 3, 10, QChar(u'0'));
    };
    const Values values{entry.name, entry.token, entry.fencing, time(entry.acquiredUs), time(entry.expiresUs),
        entry.holder.owner, entry.holder.host, entry.holder.program, entry.holder.processId,
        entry.holder.session};
    m_tables.query(
        u"INSERT INTO lockscope.lock_entry (name, token, fencing, acquired_at, expires_at, owner, host, program, process_id, session_id, token_start) VALUES (@1, @2, @3, @4, @5, @6, @7, @8, @9, @10, substr(@2, 1, 4) || '...')"_s,
        {}, [&](const QString& name) {
            return Parameter{name, {}, values.at(name.mid(1).toUInt() - 1)};
        });
}

bool AdminAnswers::Entries::entry(const QString& name) const
{
    return !m_tables
                .query(u"SELECT 1 FROM lockscope.lock_entry WHERE name = @1"_s, {},
                    [&](const QString&) {
                        return Parameter{{}, nvarchar(), name};
                    })
                .empty();
}

AdminAnswers::AdminAnswers(TdsServer& server)
    : m_server(server)
    , m_state(std::make_shared<State>(server))
{
    followSessions();
    m_scripts = std::make_shared<ScriptAnswers>(server, m_state->appLocks,
        ScriptAnswers::Surroundings{.tables = [now = m_state](const Session&) -> ViewTables& {
                                        showServer(*now);
                                        return now->tables;
                                    },
            .nowUs = [now = m_state] { return clockOf(*now); },
            .kill = [now = m_state](
                        const Session& by, const QString& target) { return kill(*now, by, target); },
            .refuse =
                [now = m_state](const QString& procedure) {
                    return now->auditClosed && procedure == u"lockscope.RecordAct"
                        ? DoubleSessions::Word({229,
                            u"The EXECUTE permission was denied on the object 'RecordAct', database 'orders', schema 'lockscope'."_s,
                            14})
                        : std::nullopt;
                },
            .mayDo = [now = m_state](const QString& right) -> std::optional<bool> {
                if (right == u"EXECUTE")
                    return now->auditInstalled ? std::optional(!now->auditClosed) : std::nullopt;
                return right != u"ALTER ANY CONNECTION" || now->mayKill;
            }});
    // The server may outlive this, and runs the scripts.
    server.onDisconnect(
        [now = m_state, kept = m_scripts](Session& session) { now->sessions.remove(session.id); });
    answerStatements();
}

void AdminAnswers::followSessions()
{
    const std::weak_ptr<State> state = m_state;
    m_state->sessions.setMayKill([state](int) {
        const auto now = state.lock();
        return now && now->mayKill;
    });
    m_state->sessions.onKill([state, &server = m_server](int id) {
        const auto now = state.lock();
        if (!now)
            return;
        if (now->workToUndo > 0)
            now->sessions.find(id)->rollback = DoubleSessions::Rollback{now->workToUndo, rollbackSeconds};
        else if (!server.disconnect(id))
            now->sessions.remove(id);
    });
    m_server.onLogin([state](Session& session) {
        if (const auto now = state.lock())
            now->sessions.add({.id = session.id,
                .startedUs = session.startedUs,
                .login = session.login.user,
                .host = session.login.host,
                .program = session.login.program});
    });
}

void AdminAnswers::answerStatements()
{
    m_server.answer("sqlserver/frameworks_admin/strangers", [now = m_state](const Request&, Reply& reply) {
        std::vector<Values> rows;
        for (const QString& trigger : now->strangersTriggers)
            rows.push_back({u"trigger "_s + trigger, u"mallory"_s, u"it would run with your rights"_s});
        reply.table({{u"object"_s, nvarchar()}, {u"owner"_s, nvarchar()}, {u"fault"_s, nvarchar()}}, rows);
    });
    // The shortest texts with places come first: others are looked for before them.
    for (const char* path : {"sqlserver/frameworks_admin/delete_row", "sqlserver/frameworks_admin/update_row",
             "sqlserver/frameworks_admin/row_now", "sqlserver/frameworks_admin/rows",
             "sqlserver/admin/end_session", "sqlserver/admin/end_unit_of_work",
             "sqlserver/admin/session_progress", "sqlserver/admin/rollback_status",
             "sqlserver/admin/session_lives", "sqlserver/admin/role", "sqlserver/admin/audit_read",
             "sqlserver/admin/audit_write", "sqlserver/admin/audit_outcome", "sqlserver/admin/release_entry",
             "sqlserver/admin/purge_entry", "sqlserver/admin/entry_now", "sqlserver/admin/next_waiter",
             "sqlserver/monitor/entries", "sqlserver/monitor/entry_waiters", "sqlserver/admin/audit_table",
             "sqlserver/admin/rights", "sqlserver/admin/table_rights"})
        m_scripts->answer(path);
}

void AdminAnswers::change(const std::function<void(State&)>& change)
{
    m_server.run([this, &change] { change(*m_state); });
}

std::vector<AdminAnswers::Audit> AdminAnswers::audit()
{
    std::vector<Audit> rows;
    change([&rows](State& state) {
        for (const Values& row :
            state.tables.query(
                u"SELECT id, who, origin, act, target, reason, [before], outcome FROM lockscope.audit_log ORDER BY id"_s))
            rows.push_back({row[0].toInt64(), row[1].toText(), row[2].toText(), row[3].toText(),
                row[4].toText(), row[5].toText(), row[6].toText(), row[7].toText()});
    });
    return rows;
}

QStringList AdminAnswers::killed()
{
    QStringList names;
    change([&names](const State& state) { names = state.killed; });
    return names;
}

} // namespace lockscope::test::tds
