// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Picture.h"

#include "tests/support/Files.h"
#include "tests/support/tds/Catalogue.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

constexpr qint64 firstMadeUpObject = 1'000'000;
constexpr qint64 firstMadeUpTransaction = 900'000;

/// Eight bytes, the high one first, as the server shows addresses; NULL for none.
Value address(qint64 number)
{
    if (number == 0)
        return {};
    const qint64 big = qToBigEndian(number);
    return QByteArray(reinterpret_cast<const char*>(&big), sizeof big);
}

Value handle(const QString& digits)
{
    return digits.isEmpty() ? Value() : Value(QByteArray::fromHex(digits.toLatin1()));
}

/// Never NULL.
QString text(const QString& value)
{
    return value.isNull() ? u""_s : value;
}

Value textOrNull(const QString& value)
{
    return value.isEmpty() ? Value() : Value(value);
}

/// Makes rows of a picture.
class Rows {
public:
    explicit Rows(const Picture& picture)
        : m_picture(picture)
    {
    }

    std::vector<ViewRows> made()
    {
        addSessions();
        addRequests();
        addTasks();
        addLocks();
        addTransactions();
        addServer();
        addNames();
        return std::move(m_rows);
    }

private:
    using Lines = std::vector<Values>;

    void add(
        const QString& view, const QStringList& columns, Lines rows, const QString& database = u"[orders]"_s)
    {
        m_rows.push_back({view, columns, std::move(rows), database});
    }

    /// Local time.
    QDateTime ago(qint64 ms) const
    {
        return QDateTime::fromMSecsSinceEpoch(
            m_picture.nowUs / 1'000 - ms + m_picture.zoneMinutes * 60'000LL, Qt::UTC);
    }

    void addSessions()
    {
        Lines sessions;
        Lines connections;
        Lines sent;
        for (const Picture::Session& session : m_picture.sessions) {
            sessions.push_back({session.id, ago(session.loginAge), text(session.status), text(session.user),
                session.host, session.program, session.database, session.openTransactions, session.isUser,
                ago(session.requestStartAge), ago(session.requestEndAge), session.isolation, session.work.cpu,
                session.work.logicalReads, session.work.reads, session.work.writes,
                session.hostProcess != 0 ? Value(session.hostProcess) : Value()});
            if (!session.inputBuffer.isEmpty())
                sent.push_back({session.id, u"Language Event"_s, session.inputBuffer});
            connections.push_back(
                {session.id, ago(session.loginAge), u"TCP"_s, u"10.0.0.1"_s, handle(session.lastHandle)});
        }
        add(u"sys.dm_exec_sessions"_s,
            {u"session_id"_s, u"login_time"_s, u"status"_s, u"login_name"_s, u"host_name"_s,
                u"program_name"_s, u"database_id"_s, u"open_transaction_count"_s, u"is_user_process"_s,
                u"last_request_start_time"_s, u"last_request_end_time"_s, u"transaction_isolation_level"_s,
                u"cpu_time"_s, u"logical_reads"_s, u"reads"_s, u"writes"_s, u"host_process_id"_s},
            std::move(sessions));
        add(u"sys.dm_exec_input_buffer"_s, {u"argument1"_s, u"event_type"_s, u"event_info"_s},
            std::move(sent));
        add(u"sys.dm_exec_connections"_s,
            {u"session_id"_s, u"connect_time"_s, u"net_transport"_s, u"client_net_address"_s,
                u"most_recent_sql_handle"_s},
            std::move(connections));
    }

    void addRequests()
    {
        Lines rows;
        for (const Picture::Request& request : m_picture.requests)
            rows.push_back({request.session, request.status, request.command, ago(request.age),
                textOrNull(request.waitType), request.waited, text(request.waitResource), request.blocker,
                request.percent, request.left, handle(request.handle), request.start, request.end, 5,
                request.openTransactions, request.isolation, request.memoryPages, request.work.cpu,
                request.work.logicalReads, request.work.reads, request.work.writes,
                handle(request.planHandle)});
        add(u"sys.dm_exec_requests"_s,
            {u"session_id"_s, u"status"_s, u"command"_s, u"start_time"_s, u"wait_type"_s, u"wait_time"_s,
                u"wait_resource"_s, u"blocking_session_id"_s, u"percent_complete"_s,
                u"estimated_completion_time"_s, u"sql_handle"_s, u"statement_start_offset"_s,
                u"statement_end_offset"_s, u"database_id"_s, u"open_transaction_count"_s,
                u"transaction_isolation_level"_s, u"granted_query_memory"_s, u"cpu_time"_s,
                u"logical_reads"_s, u"reads"_s, u"writes"_s, u"plan_handle"_s},
            std::move(rows));
        Lines plans;
        for (const Picture::Request& request : m_picture.requests) {
            if (const auto plan = m_picture.plans.constFind(request.planHandle);
                plan != m_picture.plans.cend())
                plans.push_back({handle(request.planHandle), request.start, request.end, false, *plan});
        }
        add(u"sys.dm_exec_text_query_plan"_s,
            {u"argument1"_s, u"argument2"_s, u"argument3"_s, u"encrypted"_s, u"query_plan"_s},
            std::move(plans));
    }

    void addTasks()
    {
        Lines rows;
        for (const Picture::Task& task : m_picture.tasks)
            rows.push_back({task.session, 0, task.waited, task.type, task.blocker, address(task.address),
                textOrNull(task.description)});
        add(u"sys.dm_os_waiting_tasks"_s,
            {u"session_id"_s, u"exec_context_id"_s, u"wait_duration_ms"_s, u"wait_type"_s,
                u"blocking_session_id"_s, u"resource_address"_s, u"resource_description"_s},
            std::move(rows));
    }

    void addLocks()
    {
        Lines rows;
        rows.reserve(m_picture.locks.size());
        for (const Picture::Lock& lock : m_picture.locks)
            rows.push_back({lock.type, text(lock.subtype), lock.database, lock.entity, text(lock.description),
                lock.partition, lock.mode, u"LOCK"_s, lock.status, lock.owner, lock.references, lock.session,
                lock.ownerId, QUuid::fromString(lock.unitOfWork), address(lock.address)});
        add(u"sys.dm_tran_locks"_s,
            {u"resource_type"_s, u"resource_subtype"_s, u"resource_database_id"_s,
                u"resource_associated_entity_id"_s, u"resource_description"_s, u"resource_lock_partition"_s,
                u"request_mode"_s, u"request_type"_s, u"request_status"_s, u"request_owner_type"_s,
                u"request_reference_count"_s, u"request_session_id"_s, u"request_owner_id"_s,
                u"request_owner_guid"_s, u"lock_owner_address"_s},
            std::move(rows));
    }

    void addTransactions()
    {
        Lines ofSessions;
        Lines active;
        Lines logs;
        for (const Picture::Session& session : m_picture.sessions) {
            if (!session.transactionAge)
                continue;
            const qint64 id =
                session.transaction != 0 ? session.transaction : firstMadeUpTransaction + session.id;
            ofSessions.push_back({session.id, id, true});
            active.push_back({id, u"user_transaction"_s, ago(*session.transactionAge), 1, 2});
            for (const int database : {5, 2})
                logs.push_back({id, database, session.logBytes});
        }
        add(u"sys.dm_tran_session_transactions"_s,
            {u"session_id"_s, u"transaction_id"_s, u"is_user_transaction"_s}, std::move(ofSessions));
        add(u"sys.dm_tran_active_transactions"_s,
            {u"transaction_id"_s, u"name"_s, u"transaction_begin_time"_s, u"transaction_type"_s,
                u"transaction_state"_s},
            std::move(active));
        add(u"sys.dm_tran_database_transactions"_s,
            {u"transaction_id"_s, u"database_id"_s, u"database_transaction_log_bytes_used"_s},
            std::move(logs));
    }

    void addServer()
    {
        add(u"sys.dm_os_memory_clerks"_s, {u"type"_s, u"name"_s, u"pages_kb"_s},
            {{u"OBJECTSTORE_LOCK_MANAGER"_s, u"Lock Manager : Node 0"_s, m_picture.lockMemoryKb}});
        if (m_picture.locksInUse) {
            const auto counter = [](const QString& name, qint64 value) {
                return Values{u"SQLServer:Memory Manager"_s.leftJustified(128), name.leftJustified(128),
                    QString().leftJustified(128), value, 65'792};
            };
            add(u"sys.dm_os_performance_counters"_s,
                {u"object_name"_s, u"counter_name"_s, u"instance_name"_s, u"cntr_value"_s, u"cntr_type"_s},
                {counter(u"Lock Blocks"_s, *m_picture.locksInUse / 2),
                    counter(u"Lock Blocks Allocated"_s, 9'000'000),
                    counter(u"Lock Owner Blocks"_s, *m_picture.locksInUse)});
        }
        Lines databases;
        for (const auto& [id, name] : m_picture.databases.asKeyValueRange())
            databases.push_back({id, name});
        add(u"sys.databases"_s, {u"database_id"_s, u"name"_s}, std::move(databases));
        Lines pages;
        for (const auto& [place, object] : m_picture.pages.asKeyValueRange())
            pages.push_back({5, place.section(u':', 0, 0).toInt(), place.section(u':', 1).toInt(),
                u"LIMITED"_s, 5, object});
        add(u"sys.dm_db_page_info"_s,
            {u"argument1"_s, u"argument2"_s, u"argument3"_s, u"argument4"_s, u"database_id"_s,
                u"object_id"_s},
            std::move(pages));
        Lines texts;
        for (const auto& [digits, whole] : m_picture.texts.asKeyValueRange())
            texts.push_back({handle(digits), whole});
        add(u"sys.dm_exec_sql_text"_s, {u"argument1"_s, u"text"_s}, std::move(texts));
        Lines names;
        for (const Picture::AppLockName& known : m_picture.appLockNames)
            names.push_back({known.name, ago(1'000)});
        add(u"lockscope.app_lock_name"_s, {u"name"_s, u"first_used_at"_s}, std::move(names));
    }

    /// Adds the names for the numbers of locks, in the catalogue views of their databases.
    void addNames()
    {
        addLockRows();
        for (const auto& [key, name] : m_picture.names.asKeyValueRange())
            addObject(key.first, key.second, name);
        Lines tables;
        if (m_picture.schemaInstalled) {
            const qint64 schema = schemaId(u"[orders]"_s, u"lockscope"_s);
            for (const char* table : {"lock_entry", "lock_waiter", "app_lock_name"})
                tables.push_back(
                    {QString::fromLatin1(table), ++m_lastObject, schema, u"U "_s, ago(m_picture.schemaAge)});
        }
        for (const QString& view : {u"sys.tables"_s, u"sys.objects"_s})
            add(view, {u"name"_s, u"object_id"_s, u"schema_id"_s, u"type"_s, u"modify_date"_s}, tables);
        Lines types;
        for (const QString& name : m_types) {
            const auto [system, user] = typeNumbers(name);
            if (name != LockRows::hiddenType)
                types.push_back({name, system, user, name == u"geometry"});
        }
        add(u"sys.types"_s, {u"name"_s, u"system_type_id"_s, u"user_type_id"_s, u"is_assembly_type"_s},
            std::move(types));
        schemaId(u"[orders]"_s, u"dbo"_s);
        for (const auto& [key, id] : m_schemas)
            add(u"sys.schemas"_s, {u"name"_s, u"schema_id"_s, u"principal_id"_s}, {{key.second, id, 1}},
                key.first);
    }

    /// Adds the tables in which locks are kept, as the catalogue describes them.
    void addLockRows()
    {
        const QString database = u"[orders]"_s;
        const QStringList users = m_picture.users();
        const QDateTime made = QDateTime::fromSecsSinceEpoch(1'700'000'000, Qt::UTC);
        Lines objects;
        Lines parts;
        for (size_t place = 0; place < m_picture.lockRows.size(); ++place) {
            const LockRows& table = m_picture.lockRows[place];
            const qint64 id = LockRows::objectId(place);
            // NULL: the owner of the schema.
            objects.push_back(
                {table.table, id, table.owner == u"dbo" ? Value() : Value(users.indexOf(table.owner) + 1),
                    schemaId(database, table.schema), u"U "_s, made.addSecs(table.changes)});
            if (!table.isTrusted)
                objects.push_back({u"policy"_s, ++m_lastObject, users.indexOf(u"mallory"_s) + 1,
                    schemaId(database, table.schema), u"SP"_s, made});
            addColumns(database, id, table.columns, table.types, table.computed);
            parts.push_back({id, 1, LockRows::treeId(place), static_cast<qint64>(table.rows.size())});
        }
        add(u"sys.objects"_s,
            {u"name"_s, u"object_id"_s, u"principal_id"_s, u"schema_id"_s, u"type"_s, u"modify_date"_s},
            std::move(objects));
        add(u"sys.partitions"_s, {u"object_id"_s, u"index_id"_s, u"hobt_id"_s, u"rows"_s}, std::move(parts));
    }

    void addColumns(const QString& database, qint64 table, const QStringList& names, const QStringList& types,
        const QStringList& computed)
    {
        Lines rows;
        for (qsizetype i = 0; i < names.size(); ++i) {
            if (!m_types.contains(types[i]))
                m_types << types[i];
            const auto [system, user] = typeNumbers(types[i]);
            rows.push_back({table, names[i], i + 1, system, user, computed.contains(names[i])});
        }
        add(u"sys.columns"_s,
            {u"object_id"_s, u"name"_s, u"column_id"_s, u"system_type_id"_s, u"user_type_id"_s,
                u"is_computed"_s},
            std::move(rows), database);
    }

    /// Returns the system's and the user's number of a type. All types with code of their own have the same
    /// system's.
    std::pair<qint64, qint64> typeNumbers(const QString& name) const
    {
        const qint64 place = m_types.indexOf(name);
        return name == LockRows::hiddenType ? std::pair<qint64, qint64>(240, 65'536)
            : name == u"geometry"           ? std::pair<qint64, qint64>(240, 129)
                                            : std::pair(place, place);
    }

    void addObject(const QString& database, qint64 number, const QString& name)
    {
        const bool isObjectId = number == static_cast<qint32>(number);
        const qint64 object = isObjectId ? number : ++m_lastObject;
        const Values place = m_picture.places.value(number, {Value(), Value(), 1, 0});
        add(u"sys.objects"_s, {u"name"_s, u"object_id"_s, u"schema_id"_s, u"type"_s},
            {{name.section(u'.', 1), object, schemaId(database, name.section(u'.', 0, 0)), u"U "_s}},
            database);
        add(u"sys.indexes"_s, {u"object_id"_s, u"name"_s, u"index_id"_s},
            {{object, u"the_index"_s, place[2]}}, database);
        add(u"sys.partitions"_s,
            {u"partition_id"_s, u"object_id"_s, u"index_id"_s, u"partition_number"_s, u"hobt_id"_s,
                u"rows"_s},
            {{number, object, place[2], 1, number, place[3]}}, database);
        add(u"sys.allocation_units"_s, {u"allocation_unit_id"_s, u"container_id"_s}, {{number, number}},
            database);
        if (m_picture.places.contains(number))
            addColumns(database, object, {u"a computed one"_s, u"place"_s, u"id"_s},
                {u"int"_s, u"geometry"_s, u"int"_s}, {u"a computed one"_s});
    }

    qint64 schemaId(const QString& database, const QString& name)
    {
        return m_schemas.try_emplace({database, name}, static_cast<qint64>(m_schemas.size()) + 1)
            .first->second;
    }

    const Picture& m_picture;
    std::vector<ViewRows> m_rows;
    std::map<std::pair<QString, QString>, qint64> m_schemas;
    QStringList m_types{u"geometry"_s}; ///< of columns, by their numbers
    qint64 m_lastObject = firstMadeUpObject;
};

/// One row of the file, which may leave columns out.
ViewRows rowFromJson(const QString& view, const QJsonObject& json)
{
    ViewRows row{view, json.keys(), {{}}};
    const View* known = Catalogue::get().view(view);
    for (const QString& name : std::as_const(row.columns)) {
        const ViewColumn* column = known ? known->column(name) : nullptr;
        row.rows[0].push_back(valueFromJson(column ? *column : ViewColumn{name}, json[name]));
    }
    return row;
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

void Picture::rowLock(int session, size_t table, const QByteArray& mode)
{
    const qint64 transaction = firstMadeUpTransaction + session;
    const qint64 tree = LockRows::treeId(table);
    lock(session, "OBJECT", LockRows::objectId(table), mode == "S" ? "IS" : "IX").of(transaction);
    lock(session, "PAGE", tree, "I" + mode).of(transaction).description = u"1:320"_s;
    lock(session, "KEY", tree, mode).of(transaction).description = u"(8194443284a0)"_s;
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

QStringList Picture::users() const
{
    QStringList all{u"dbo"_s, u"mallory"_s};
    for (const LockRows& table : lockRows)
        if (!all.contains(table.owner))
            all << table.owner;
    return all;
}

std::vector<ViewRows> Picture::viewRows() const
{
    std::vector<ViewRows> all = Rows(*this).made();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

Picture documentedContention()
{
    const QJsonObject views =
        QJsonDocument::fromJson(readFile(u":/schema/test/sqlserver/dmv-rows.json"_s))[u"views"].toObject();
    Picture picture;
    // The time at which the file's rows were read: 03:13:30 there.
    picture.nowUs = QDateTime(QDate(2026, 11, 22), QTime(2, 13, 30), Qt::UTC).toMSecsSinceEpoch() * 1'000;
    picture.lockMemoryKb = 0;
    picture.names = {{{u"[orders]"_s, 19'962}, u"dbo.Orders"_s},
        {{u"[orders]"_s, 72'057'594'045'792'256}, u"dbo.Orders"_s},
        {{u"[orders]"_s, 19'970}, u"dbo.Sales"_s}};
    for (auto view = views.begin(); view != views.end(); ++view) {
        for (const auto row : view.value().toArray()) {
            if (view.key() == u"sys.dm_exec_sql_text (by handle)")
                picture.texts[row[u"handle"].toString().mid(2)] = row[u"body"].toString();
            else
                picture.more.push_back(rowFromJson(view.key(), row.toObject()));
        }
    }
    return picture;
}

} // namespace lockscope::test::tds
