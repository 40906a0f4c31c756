// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/MonitorAnswers.h"

#include "tests/support/tds/SessionAnswers.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

const std::vector<Column> lockColumns{{u"resource_type"_s, nvarchar(60)},
    {u"resource_subtype"_s, nvarchar(60)}, {u"resource_database_id"_s, integer()},
    {u"resource_associated_entity_id"_s, bigint()}, {u"resource_description"_s, nvarchar(256)},
    {u"resource_lock_partition"_s, integer()}, {u"request_mode"_s, nvarchar(60)},
    {u"request_status"_s, nvarchar(60)}, {u"request_owner_type"_s, nvarchar(60)}, {u"session"_s, bigint()},
    {u"request_owner_id"_s, bigint()}, {u"owner_guid"_s, nvarchar(36)}, {u"address"_s, bigint()},
    {u"request_reference_count"_s, smallint()}, {u"locks"_s, bigint()}, {u"in_detail"_s, integer()},
    {u"total"_s, bigint()}};

const std::vector<Column> sessionColumns{{u"session_id"_s, bigint()}, {u"login_time"_s, bigint()},
    {u"status"_s, nvarchar(30)}, {u"login_name"_s, nvarchar(128)}, {u"host_name"_s, nvarchar(128)},
    {u"program_name"_s, nvarchar(128)}, {u"database_id"_s, bigint()}, {u"open_transaction_count"_s, bigint()},
    {u"is_user_process"_s, integer()}, {u"last_request_start"_s, bigint()},
    {u"last_request_end"_s, bigint()}};

const std::vector<Column> requestColumns{{u"session_id"_s, bigint()}, {u"status"_s, nvarchar(30)},
    {u"command"_s, nvarchar(32)}, {u"start_time"_s, bigint()}, {u"wait_type"_s, nvarchar(60)},
    {u"wait_time"_s, bigint()}, {u"wait_resource"_s, nvarchar(256)}, {u"blocking_session_id"_s, bigint()},
    {u"percent_complete"_s, floating()}, {u"estimated_completion_time"_s, bigint()},
    {u"sql_handle"_s, nvarchar(130)}, {u"start_offset"_s, bigint()}, {u"end_offset"_s, bigint()},
    {u"transaction_id"_s, bigint()}};

const std::vector<Column> taskColumns{{u"session_id"_s, bigint()}, {u"wait_duration_ms"_s, bigint()},
    {u"wait_type"_s, nvarchar(60)}, {u"blocking_session_id"_s, bigint()}, {u"resource_address"_s, bigint()},
    {u"resource_description"_s, nvarchar(3072)}};

const std::vector<Column> transactionColumns{{u"session_id"_s, bigint()}, {u"transaction_id"_s, bigint()},
    {u"transaction_begin_time"_s, bigint()}, {u"transaction_state"_s, integer()}};

const std::vector<Column> connectionColumns{{u"session_id"_s, bigint()},
    {u"most_recent_sql_handle"_s, nvarchar(130)}, {u"client_net_address"_s, nvarchar(48)}};

bool isGranted(const Picture::Lock& lock)
{
    return lock.status == u"GRANT"_s || lock.status == u"GRANTED"_s;
}

bool isNoise(const Picture::Lock& lock)
{
    return isGranted(lock)
        && (lock.type == u"METADATA"_s || (lock.type == u"DATABASE"_s && lock.mode == u"S"_s));
}

using ResourceColumns = std::tuple<int, QString, QString, qint64, QString, int>;

ResourceColumns resourceOf(const Picture::Lock& lock)
{
    return {lock.database, lock.type, lock.subtype, lock.entity, lock.description, lock.partition};
}

/// What every server says to whom it does not let see a view.
void refuse(Reply& reply, const QString& view)
{
    reply.error(300, u"VIEW SERVER STATE permission was denied on object 'server', database 'master'."_s, 14);
    reply.error(297, u"The user does not have permission to perform this action."_s);
    Q_UNUSED(view)
}

/// Rows of a view, or why there are none.
void answerView(const Picture& picture, const QString& view, Reply& reply, const std::vector<Column>& columns,
    const std::function<std::vector<Values>()>& rows)
{
    if (picture.missingViews.contains(view))
        return reply.error(208, u"Invalid object name '%1'."_s.arg(view));
    if (picture.closedViews.contains(view))
        return refuse(reply, view);
    if (picture.failures.contains(view))
        return reply.error(picture.failures.value(view), u"Reading %1 failed."_s.arg(view), 13);
    if (picture.nullsOnly)
        return reply.table(columns, {Values(columns.size())});
    reply.table(columns, rows());
}

std::vector<Values> sessionRows(const Picture& picture, const tds::Session& own)
{
    const auto ago = [&picture](qint64 ms) { return picture.nowUs - ms * 1'000; };
    std::vector<Values> rows{{own.id, own.startedUs, u"running"_s, own.login.user, own.login.host,
        own.login.program, 5, 0, 1, picture.nowUs, picture.nowUs}};
    if (!picture.rights.contains(u"VIEW SERVER STATE"_s))
        return rows;
    for (const Picture::Session& session : picture.sessions)
        rows.push_back({session.id, ago(session.loginAge), session.status, session.user, session.host,
            session.program, session.database, session.openTransactions, session.isUser ? 1 : 0,
            ago(session.requestStartAge), ago(session.requestEndAge)});
    return rows;
}

std::vector<Values> requestRows(const Picture& picture)
{
    std::vector<Values> rows;
    for (const Picture::Request& request : picture.requests)
        rows.push_back({request.session, request.status, request.command, picture.nowUs - request.age * 1'000,
            request.waitType.isEmpty() ? Value() : Value(request.waitType), request.waited,
            request.waitResource, request.blocker, request.percent, request.left,
            request.handle.isEmpty() ? Value() : Value(request.handle), request.start, request.end, 0});
    return rows;
}

std::vector<Values> taskRows(const Picture& picture)
{
    std::vector<Values> rows;
    for (const Picture::Task& task : picture.tasks) {
        // As waiting_tasks.sql says, which tst_SqlServerSchema holds to it.
        const bool isLock = task.type.startsWith(u"LCK_"_s);
        const bool isOfOthers = task.blocker && *task.blocker != task.session;
        if ((isLock || isOfOthers) && !task.type.startsWith(u"CX"_s) && task.type != u"EXCHANGE"_s)
            rows.push_back(
                {task.session, task.waited, task.type, task.blocker ? Value(*task.blocker) : Value(),
                    task.address == 0 ? Value() : Value(task.address), task.description});
    }
    return rows;
}

std::vector<Values> transactionRows(const Picture& picture)
{
    std::vector<Values> rows;
    for (const Picture::Session& session : picture.sessions) {
        if (session.transactionAge)
            rows.push_back(
                {session.id, session.transaction, picture.nowUs - *session.transactionAge * 1'000, 2});
    }
    return rows;
}

std::vector<Values> connectionRows(const Picture& picture)
{
    std::vector<Values> rows;
    for (const Picture::Session& session : picture.sessions)
        rows.push_back(
            {session.id, session.lastHandle.isEmpty() ? Value() : Value(session.lastHandle), u"10.0.0.1"_s});
    return rows;
}

QString existingViews(const Picture& picture)
{
    QStringList views;
    for (const char* view : {"dm_exec_sessions", "dm_exec_connections", "dm_exec_requests",
             "dm_exec_sql_text", "dm_os_waiting_tasks", "dm_os_memory_clerks", "dm_tran_locks",
             "dm_tran_active_transactions", "dm_tran_session_transactions"}) {
        if (!picture.missingViews.contains(u"sys."_s + QLatin1String(view)))
            views << QString::fromLatin1(view);
    }
    return views.join(u' ');
}

void answerFacts(const Picture& picture, const Request& request, Reply& reply)
{
    reply.table({{u"session_id"_s, integer()}, {u"login_time_us"_s, bigint()},
                    {u"product_version"_s, nvarchar(128)}, {u"engine_edition"_s, integer()},
                    {u"edition"_s, nvarchar(128)}, {u"babelfish_version"_s, nvarchar(128)},
                    {u"views_that_exist"_s, nvarchar(400)}, {u"rights"_s, nvarchar(400)}},
        {{request.session->id, request.session->startedUs, picture.version, picture.engineEdition,
            u"Developer Edition (64-bit)"_s, picture.babelfish.isEmpty() ? Value() : Value(picture.babelfish),
            existingViews(picture), QStringList(picture.rights.values()).join(u';')}});
}

} // namespace

Picture::Session& Picture::Session::sleeping(qint64 age)
{
    status = u"sleeping"_s;
    requestEndAge = age;
    requestStartAge = age + 10;
    return *this;
}

Picture::Session& Picture::Session::inTransaction(qint64 age, qint64 number)
{
    openTransactions = 1;
    transactionAge = age;
    transaction = number;
    return *this;
}

Picture::Session& Picture::session(int id, const char* program)
{
    sessions.push_back({});
    sessions.back().id = id;
    sessions.back().program = QString::fromUtf8(program);
    return sessions.back();
}

Picture::Request& Picture::request(int session, const char* command, qint64 age)
{
    requests.push_back({});
    requests.back().session = session;
    requests.back().command = QString::fromUtf8(command);
    requests.back().age = age;
    return requests.back();
}

Picture::Lock& Picture::lock(int session, const char* type, qint64 entity, const char* mode)
{
    locks.push_back({});
    Lock& lock = locks.back();
    lock.session = session;
    lock.type = QString::fromUtf8(type);
    lock.entity = entity;
    lock.mode = QString::fromUtf8(mode);
    lock.address = static_cast<qint64>(locks.size()) << 8;
    return lock;
}

Picture::Lock& Picture::appLock(int session, const QString& name, const char* mode, const QString& hash)
{
    Lock& made = lock(session, "APPLICATION", 0, mode);
    made.description = u"0:[%1]:(%2)"_s.arg(name.left(32), hash);
    return made.ofSession();
}

Picture::Lock& Picture::waitingLock(
    const Lock& like, int session, const char* mode, qint64 waited, int blocker)
{
    Lock waiting = like;
    waiting.session = session;
    waiting.mode = QString::fromUtf8(mode);
    waiting.status = u"WAIT"_s;
    waiting.address = static_cast<qint64>(locks.size() + 1) << 8;
    tasks.push_back({session, waited, u"LCK_M_"_s + waiting.mode, blocker, waiting.address, u"id=lock"_s});
    locks.push_back(waiting);
    return locks.back();
}

std::vector<Values> summedUp(const std::vector<Picture::Lock>& locks, bool withNoise, qint64 most)
{
    std::set<ResourceColumns> awaited;
    for (const Picture::Lock& lock : locks) {
        if (!isGranted(lock))
            awaited.insert(resourceOf(lock));
    }
    struct Sum {
        Picture::Lock last;
        qint64 locks = 0;
        bool inDetail = false;
    };
    using Group = std::tuple<ResourceColumns, QString, QString, QString, int, qint64, QString, qint64>;
    std::map<Group, Sum> sums;
    qint64 total = 0;
    for (const Picture::Lock& lock : locks) {
        if (isNoise(lock) && !withNoise)
            continue;
        ++total;
        const bool inDetail = lock.type == u"APPLICATION"_s || awaited.contains(resourceOf(lock));
        ResourceColumns resource = resourceOf(lock);
        if (!inDetail) {
            std::get<4>(resource).clear();
            std::get<5>(resource) = -1;
        }
        Sum& sum = sums[{resource, lock.mode, lock.status, lock.owner, lock.session, lock.ownerId,
            lock.unitOfWork, inDetail ? lock.address : -1}];
        sum.last = lock;
        sum.inDetail = inDetail;
        ++sum.locks;
    }
    std::vector<Sum> ordered;
    ordered.reserve(sums.size());
    for (const auto& [group, sum] : sums)
        ordered.push_back(sum);
    std::stable_sort(ordered.begin(), ordered.end(), [](const Sum& a, const Sum& b) {
        return std::pair(b.inDetail, b.locks) < std::pair(a.inDetail, a.locks);
    });
    std::vector<Values> rows;
    for (const Sum& sum : ordered) {
        if (static_cast<qint64>(rows.size()) == most)
            break;
        const Picture::Lock& lock = sum.last;
        rows.push_back({lock.type, lock.subtype, lock.database, lock.entity, lock.description, lock.partition,
            lock.mode, lock.status, lock.owner, lock.session, lock.ownerId,
            lock.unitOfWork.isEmpty() ? Value() : Value(lock.unitOfWork), lock.address, lock.references,
            sum.locks, sum.inDetail ? 1 : 0, total});
    }
    return rows;
}

MonitorAnswers::MonitorAnswers(TdsServer& server)
    : m_server(server)
    , m_picture(std::make_shared<Picture>())
{
    addSessionAnswers(server);
    const auto now = m_picture;
    const auto view = [&server, now](const char* path, const QString& name,
                          const std::vector<Column>& columns,
                          const std::function<std::vector<Values>(const Request&)>& rows) {
        server.answer(path, [now, name, columns, rows](const Request& request, Reply& reply) {
            answerView(*now, name, reply, columns, [&] { return rows(request); });
        });
    };
    view("sqlserver/monitor/sessions.sql", u"sys.dm_exec_sessions"_s, sessionColumns,
        [now](const Request& request) { return sessionRows(*now, *request.session); });
    view("sqlserver/monitor/requests.sql", u"sys.dm_exec_requests"_s, requestColumns,
        [now](const Request&) { return requestRows(*now); });
    view("sqlserver/monitor/waiting_tasks.sql", u"sys.dm_os_waiting_tasks"_s, taskColumns,
        [now](const Request&) { return taskRows(*now); });
    view("sqlserver/monitor/transactions.sql", u"sys.dm_tran_session_transactions"_s, transactionColumns,
        [now](const Request&) { return transactionRows(*now); });
    view("sqlserver/monitor/connections.sql", u"sys.dm_exec_connections"_s, connectionColumns,
        [now](const Request&) { return connectionRows(*now); });
    view("sqlserver/monitor/lock_memory.sql", u"sys.dm_os_memory_clerks"_s, {{u"kb"_s, bigint()}},
        [now](const Request&) { return std::vector<Values>{{now->lockMemoryKb}}; });
    view("sqlserver/monitor/locks.sql", u"sys.dm_tran_locks"_s, lockColumns, [now](const Request& request) {
        return now->lockMemoryKb > request.parameter(2).toInt64()
            ? std::vector<Values>()
            : summedUp(now->locks, request.parameter(0).toBool(), request.parameter(1).toInt64());
    });

    server.answer("sqlserver/session_facts.sql",
        [now](const Request& request, Reply& reply) { answerFacts(*now, request, reply); });
    server.answer("sqlserver/monitor/clock.sql", [now](const Request&, Reply& reply) {
        reply.table({{u"now"_s, bigint()}}, {{now->nowUs}});
    });
    server.answer("sqlserver/monitor/identity.sql", [](const Request& request, Reply& reply) {
        reply.table({{u"login"_s, nvarchar(128)}, {u"user"_s, nvarchar(128)}, {u"id"_s, bigint()},
                        {u"name"_s, nvarchar(128)}},
            {{request.session->login.user, request.session->login.user, 5, u"orders"_s}});
    });
    server.answer("sqlserver/monitor/schema_probe.sql", [now](const Request&, Reply& reply) {
        std::vector<Values> rows;
        if (now->schemaInstalled)
            rows = {{u"lock_entry"_s, 1}, {u"lock_waiter"_s, 1}, {u"app_lock_name"_s, 1}};
        reply.table({{u"name"_s, nvarchar(128)}, {u"readable"_s, integer()}}, rows);
    });
    server.answer("sqlserver/monitor/database_names.sql", [now](const Request&, Reply& reply) {
        std::vector<Values> rows;
        for (auto database = now->databases.cbegin(); database != now->databases.cend(); ++database)
            rows.push_back({database.key(), database.value()});
        reply.table({{u"id"_s, bigint()}, {u"name"_s, nvarchar(128)}}, rows);
    });
    for (const char* path : {"sqlserver/monitor/object_name.sql", "sqlserver/monitor/partition_name.sql",
             "sqlserver/monitor/allocation_unit_name.sql"})
        server.answer(path, [now](const Request& request, Reply& reply) {
            const auto name =
                now->names.constFind({request.filledIn.value(0), request.parameter(0).toInt64()});
            reply.table({{u"name"_s, nvarchar(400)}},
                name == now->names.cend() ? std::vector<Values>() : std::vector<Values>{{*name}});
        });
    server.answer("sqlserver/monitor/locked_row_place.sql", [now](const Request& request, Reply& reply) {
        const auto place = now->places.constFind(request.parameter(0).toInt64());
        reply.table({{u"schema"_s, nvarchar(128)}, {u"table"_s, nvarchar(128)}, {u"index"_s, bigint()},
                        {u"rows"_s, bigint()}},
            place == now->places.cend() ? std::vector<Values>() : std::vector<Values>{*place});
    });
    server.answer("sqlserver/monitor/locked_row.sql", [now](const Request& request, Reply& reply) {
        const QString key = request.filledIn.join(u' ') + u' ' + request.parameter(0).toText();
        reply.table({{u"row"_s, nvarchar()}},
            now->rows.contains(key) ? std::vector<Values>{{now->rows.value(key)}} : std::vector<Values>());
    });
    server.answer("sqlserver/monitor/statement_text.sql", [now](const Request& request, Reply& reply) {
        const auto text = now->texts.constFind(request.parameter(0).toText());
        reply.table({{u"text"_s, nvarchar()}},
            text == now->texts.cend() ? std::vector<Values>() : std::vector<Values>{{*text}});
    });
    server.answer("sqlserver/monitor/app_lock_names.sql", [now](const Request& request, Reply& reply) {
        std::vector<Values> rows;
        for (const Picture::AppLockName& known : std::as_const(now->appLockNames)) {
            if (known.name.startsWith(request.parameter(0).toText()))
                rows.push_back({known.name, known.held ? 0 : 1});
        }
        reply.table({{u"name"_s, nvarchar(255)}, {u"free"_s, integer()}}, rows);
    });
    server.answer("sqlserver/monitor/app_locks_tested.sql", [now](const Request&, Reply& reply) {
        std::vector<Values> rows;
        for (const Picture::AppLockName& known : std::as_const(now->appLockNames)) {
            if (known.held)
                rows.push_back({known.name, 0});
        }
        reply.table({{u"name"_s, nvarchar(255)}, {u"shared"_s, integer()}}, rows);
    });
}

void MonitorAnswers::show(const Picture& picture)
{
    m_server.run([this, &picture] { *m_picture = picture; });
}

} // namespace lockscope::test::tds
