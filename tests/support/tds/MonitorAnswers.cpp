// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/MonitorAnswers.h"

#include "tests/support/tds/TsqlTypes.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

struct MonitorAnswers::State {
    Picture picture;
    ViewTables tables;
};

namespace {

constexpr int ownDatabase = 5;

/// The statements that are run on the views' rows.
constexpr std::array statements{"sqlserver/session/facts", "sqlserver/monitor/clock",
    "sqlserver/monitor/identity", "sqlserver/monitor/schema_probe", "sqlserver/names/databases",
    "sqlserver/names/object", "sqlserver/names/partition", "sqlserver/names/allocation_unit",
    "sqlserver/details/locked_row_place", "sqlserver/details/statement_text", "sqlserver/names/app_locks",
    "sqlserver/monitor/app_locks_tested", "sqlserver/monitor/sessions", "sqlserver/monitor/requests",
    "sqlserver/monitor/waiting_tasks", "sqlserver/monitor/transactions", "sqlserver/monitor/connections",
    "sqlserver/details/input_buffer", "sqlserver/names/page_object", "sqlserver/details/statement_plan",
    "sqlserver/monitor/lock_counts", "sqlserver/monitor/lock_memory", "sqlserver/monitor/locks",
    "sqlserver/monitor/surroundings", "sqlserver/monitor/settings", "sqlserver/monitor/database_settings",
    "sqlserver/monitor/replication", "sqlserver/monitor/role", "sqlserver/monitor/cluster",
    "sqlserver/frameworks/rows", "sqlserver/frameworks/rows_of_processes", "sqlserver/frameworks/tables",
    "sqlserver/frameworks/parts", "sqlserver/frameworks/schemas", "sqlserver/details/plain_columns",
    "sqlserver/names/table_columns"};

QString quotedDatabase(const Picture& picture)
{
    return u'[' + picture.databases.value(ownDatabase) + u']';
}

bool seesOthers(const Picture& picture)
{
    const bool isAzure = picture.engineEdition == 5;
    return picture.isAdministrator || picture.rights.contains(u"VIEW SERVER STATE"_s)
        || picture.rights.contains(u"VIEW SERVER PERFORMANCE STATE"_s)
        || (isAzure && picture.rights.contains(u"VIEW DATABASE STATE"_s));
}

Value property(const Picture& picture, const QString& name)
{
    if (name == u"ProductVersion")
        return picture.version;
    if (name == u"EngineEdition")
        return picture.engineEdition;
    if (name == u"Edition")
        return u"Developer Edition (64-bit)"_s;
    if (name == u"BabelfishVersion")
        return picture.babelfish.isEmpty() ? Value() : Value(picture.babelfish);
    if (name == u"Updateability") // of the database
        return u"READ_WRITE"_s;
    return {};
}

/// Everybody may read the tables of Lockscope's schema.
std::optional<bool> mayDo(const Picture& picture, const QString& securable, const QString& right)
{
    if (securable.isEmpty() && !picture.tellsRights)
        return std::nullopt;
    for (const LockRows& table : picture.lockRows)
        if (table.quotedName() == securable)
            return table.isReadable;
    return securable.startsWith(u"lockscope.") || picture.rights.contains(right);
}

/// OBJECT_ID of a view of the server, or of a table by its quoted name.
Value objectId(const Picture& picture, ViewTables& tables, const QString& name)
{
    if (!name.startsWith(u'['))
        return picture.missingViews.contains(name) ? Value() : Value(-1);
    const auto found = tables.query(
        u"SELECT o.object_id FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id AND s.of_database = o.of_database WHERE o.of_database || '.' || QUOTENAME(s.name) || '.' || QUOTENAME(o.name) IN (@1, @2)"_s,
        {}, [&](const QString& place) {
            return Parameter{{}, nvarchar(), place == u"@1" ? name : quotedDatabase(picture) + u'.' + name};
        });
    return found.empty() ? Value() : found[0][0];
}

tsql::Surroundings surroundingsOf(const Picture& picture, ViewTables& tables, const Session& session)
{
    tsql::Surroundings around;
    around.nowUs = picture.nowUs;
    around.zoneMinutes = picture.zoneMinutes;
    around.session = session.id;
    around.login = session.login.user;
    around.database = picture.databases.value(ownDatabase);
    around.databaseId = ownDatabase;
    around.isAdministrator = picture.isAdministrator;
    around.seesOthers = seesOthers(picture);
    around.property = [&picture](const QString& name) { return property(picture, name); };
    around.objectId = [&](const QString& name) { return objectId(picture, tables, name); };
    around.users = picture.users();
    around.mayDo = [&picture](const QString& securable, const QString& right) {
        return mayDo(picture, securable, right);
    };
    around.appLock = [&picture](
                         const QString&, const QString& name, const QString&, const QString&) -> Value {
        return std::ranges::none_of(picture.appLockNames,
            [&](const Picture::AppLockName& known) { return known.held && known.name == name; });
    };
    around.objectName = [&picture](qint64 object, qint64 database) {
        return picture.names.value(
            {u'[' + picture.databases.value(static_cast<int>(database)) + u']', object});
    };
    return around;
}

/// The session that asks is in the list, too.
ViewRows rowOf(const Session& session, const Picture& picture)
{
    const auto local = [&picture](qint64 us) {
        return QDateTime::fromMSecsSinceEpoch(us / 1'000 + picture.zoneMinutes * 60'000LL, Qt::UTC);
    };
    return {u"sys.dm_exec_sessions"_s,
        {u"session_id"_s, u"login_time"_s, u"status"_s, u"login_name"_s, u"host_name"_s, u"program_name"_s,
            u"database_id"_s, u"open_transaction_count"_s, u"is_user_process"_s, u"last_request_start_time"_s,
            u"last_request_end_time"_s},
        {{session.id, QDateTime::fromMSecsSinceEpoch(session.startedUs / 1'000, Qt::UTC), u"running"_s,
            session.login.user, session.login.host, session.login.program, ownDatabase,
            session.transactionCount, true, local(picture.nowUs), local(picture.nowUs)}}};
}

/// Sends the server's error instead of rows, if one of the views can't be read.
bool refuse(const Picture& picture, const QStringList& views, Reply& reply)
{
    for (const QString& view : views) {
        if (picture.missingViews.contains(view)) {
            reply.error(208, u"Invalid object name '%1'."_s.arg(view));
            return true;
        }
        if (picture.closedViews.contains(view)) {
            reply.error(
                300, u"VIEW SERVER STATE permission was denied on object 'server', database 'master'."_s, 14);
            reply.error(297, u"The user does not have permission to perform this action."_s);
            return true;
        }
        if (picture.failures.contains(view)) {
            reply.error(picture.failures.value(view), u"Reading %1 failed."_s.arg(view), 13);
            return true;
        }
    }
    return false;
}

void answer(const Picture& picture, ViewTables& tables, const Request& request, Reply& reply)
{
    const tsql::Translation statement = tsql::translate(request.text, quotedDatabase(picture));
    if (refuse(picture, statement.views, reply))
        return;
    for (const QString& database : statement.databases) {
        if (const int number = picture.closedDatabases.value(database); number != 0)
            return reply.error(number, u"The database %1 can't be used."_s.arg(database));
    }
    for (const LockRows& table : picture.lockRows)
        if (table.error != 0 && statement.views.contains(table.quotedName()))
            return reply.error(table.error, u"Reading %1 failed."_s.arg(table.table), 16);
    const bool readsViews =
        std::ranges::any_of(statement.views, [](const QString& view) { return view.startsWith(u"sys.dm_"); });
    if (picture.nullsOnly && readsViews && !request.text.contains(u"SERVERPROPERTY")) {
        const auto columns = tsql::resultColumns(statement);
        return reply.table(columns, {Values(columns.size())});
    }
    tables.removeSession(request.session->id);
    stopIfAny(tables.add(rowOf(*request.session, picture)));
    tables.run(statement, request.parameters, surroundingsOf(picture, tables, *request.session), reply);
}

/// Runs what stands before the statement in the last place.
std::optional<ServerMessage> judge(const Picture& picture, ViewTables& tables, const Request& request)
{
    const tsql::Translation check =
        tsql::translate(request.text.chopped(request.filledIn.last().size()), quotedDatabase(picture));
    const tsql::Surroundings around = surroundingsOf(picture, tables, *request.session);
    tables.setSurroundings(&around);
    const auto fails =
        tables.query(u"SELECT "_s + check.condition, {}, ViewTables::variablesOf(request.parameters));
    return fails[0][0].toBool() ? check.error : std::nullopt;
}

} // namespace

MonitorAnswers::MonitorAnswers(TdsServer& server)
    : m_server(server)
    , m_state(std::make_shared<State>())
{
    addSessionAnswers(server);
    server.guard("sqlserver/frameworks/as_judged",
        [now = m_state](const Request& request) { return judge(now->picture, now->tables, request); });
    for (const char* path : statements) {
        server.answer(path, [now = m_state, path](const Request& request, Reply& reply) {
            try {
                answer(now->picture, now->tables, request, reply);
            } catch (const tsql::Refused& refused) {
                qFatal("%s: %s", path, refused.what());
            }
        });
    }
    server.answer("sqlserver/details/locked_row", [now = m_state](const Request& request, Reply& reply) {
        const auto& rows = now->picture.rows;
        // "r.*" would run the functions of computed columns.
        if (request.filledIn.first() != u"r.[id]")
            return reply.error(4'121, u"A function of somebody else's was run."_s);
        const QString key = request.filledIn.mid(1).join(u' ') + u' ' + request.parameter(0).toText();
        reply.table({{u"row"_s, nvarchar()}},
            rows.contains(key) ? std::vector<Values>{{rows.value(key)}} : std::vector<Values>());
    });
}

MonitorAnswers::~MonitorAnswers() = default;

void MonitorAnswers::show(const Picture& picture)
{
    m_server.run([this, &picture] {
        m_state->picture = picture;
        m_state->tables.clear();
        for (const ViewRows& rows : picture.viewRows())
            stopIfAny(m_state->tables.add(rows));
        for (const LockRows& table : picture.lockRows)
            m_state->tables.make(table);
    });
}

} // namespace lockscope::test::tds
