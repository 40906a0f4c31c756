// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/DatabaseAnswers.h"

#include "core/db/SchemaInstaller.h"
#include "tests/support/tds/SessionAnswers.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

/// "[a ]] b]" → "a ] b"
QString unquoted(const QString& name)
{
    return name.mid(1, name.size() - 2).replace(u"]]"_s, u"]"_s);
}

QStringList batchesOf(const char* schemaPath)
{
    QStringList batches{QString()};
    for (const QString& line : QString::fromUtf8(db::Statement::get(schemaPath).sql()).split(u'\n')) {
        if (line.trimmed() == u"GO")
            batches << QString();
        else
            batches.last() += line + u'\n';
    }
    return batches;
}

} // namespace

DatabaseAnswers::DatabaseAnswers(TdsServer& server, LockAnswers& locks)
    : m_server(server)
    , m_locks(locks)
{
    server.refuseLogins([this](const Login& login) -> std::optional<ServerMessage> {
        if (login.database.isEmpty() || m_databases.contains(login.database))
            return std::nullopt;
        return ServerMessage{4060,
            u"Cannot open database \"%1\" requested by the login. The login failed."_s.arg(login.database),
            11};
    });
    answerDatabases();
    answerSchema();
    answerWaiters();
}

void DatabaseAnswers::answerDatabases()
{
    m_server.answer("test/sqlserver/rig/databases", [this](const Request& request, Reply& reply) {
        reply.columns({{u"name"_s, nvarchar(128)}});
        for (const auto& [name, database] : m_databases)
            if (name.startsWith(request.parameter(0).toText()))
                reply.row({name});
    });
    m_server.answer("test/sqlserver/rig/create_database", [this](const Request& request, Reply& reply) {
        if (!m_mayCreate)
            return reply.error(262, u"CREATE DATABASE permission denied in database 'master'."_s, 14);
        m_databases.try_emplace(unquoted(request.filledIn.value(0)));
        reply.done();
    });
    m_server.answer("test/sqlserver/rig/drop_database", [this](const Request& request, Reply& reply) {
        drop(unquoted(request.filledIn.value(0)));
        reply.done();
    });
    m_server.answer("test/sqlserver/rig/end_session", [this](const Request& request, Reply& reply) {
        m_server.disconnect(request.filledIn.value(0).toInt());
        reply.done();
    });
}

void DatabaseAnswers::drop(const QString& name)
{
    for (const auto& session : m_server.sessions())
        if (session->database == name)
            m_server.disconnect(session->id);
    m_locks.forget(name);
    m_databases.erase(name);
}

void DatabaseAnswers::answerSchema()
{
    tds::answerSchema(m_server, [this](const Request& request) {
        return SchemaPicture{
            .version = m_databases[request.session->database].schemaVersion, .foreignObject = {}};
    });
    m_server.answer("test/sqlserver/rig/set_schema_version", [this](const Request& request, Reply& reply) {
        m_databases[request.session->database].schemaVersion = request.parameter(0).toText();
        reply.affected(1);
    });
    // A script has done its work with its last batch.
    for (const bool installs : {true, false}) {
        const QStringList batches = batchesOf(installs ? "sqlserver/install.sql" : "sqlserver/uninstall.sql");
        for (const QString& batch : batches)
            m_server.answer(batch,
                [this, installs, isLast = &batch == &batches.last()](const Request& request, Reply& reply) {
                    if (isLast)
                        m_databases[request.session->database].schemaVersion =
                            installs ? std::optional(QString::number(db::schemaVersion)) : std::nullopt;
                    reply.done();
                });
    }
    m_server.answer("test/sqlserver/rig/mark", [this](const Request& request, Reply& reply) {
        m_databases[request.session->database].isMarked = true;
        reply.done();
    });
    m_server.answer("test/sqlserver/rig/is_marked", [this](const Request& request, Reply& reply) {
        reply.table({{u""_s, bit()}}, {{m_databases[request.session->database].isMarked}});
    });
    m_server.answer("test/sqlserver/rig/unmark", [this](const Request& request, Reply& reply) {
        m_databases[request.session->database].isMarked = false;
        reply.done();
    });
}

/// Runs the statements that count waiters on the view of all locks.
void DatabaseAnswers::answerWaiters()
{
    for (const char* path : {"test/sqlserver/rig/app_lock_waiters", "test/sqlserver/rig/surrogate_waiters"})
        m_server.answer(path, [this](const Request& request, Reply& reply) {
            const auto databaseId = [&request](const QString& name) {
                return name == request.session->database ? 5 : 6;
            };
            ViewRows locks{u"sys.dm_tran_locks"_s,
                {u"resource_type"_s, u"resource_database_id"_s, u"resource_description"_s,
                    u"request_status"_s, u"request_session_id"_s},
                {}};
            for (const auto& row : m_locks.applicationLocks().rows())
                locks.rows.push_back({u"APPLICATION"_s, databaseId(row.key.database),
                    u"0:[%1]:(ea53e177)"_s.arg(row.key.name.left(32)), row.status, row.session});
            for (const auto& row : m_locks.surrogateLocks().rows())
                locks.rows.push_back(
                    {u"OBJECT"_s, databaseId(row.key.database), u""_s, row.status, row.session});
            m_views.query(u"DELETE FROM "_s + locks.view);
            stopIfAny(m_views.add(locks));
            tsql::Surroundings around;
            around.databaseId = 5;
            m_views.run(tsql::translate(request.text, u"[master]"_s), request.parameters, around, reply);
        });
}

} // namespace lockscope::test::tds
