// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/SessionAnswers.h"

#include "core/db/SchemaInstaller.h"
#include "tests/support/tds/Odbc.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

QString joined(const QSet<QString>& words, QChar separator)
{
    QStringList sorted(words.begin(), words.end());
    std::ranges::sort(sorted);
    return sorted.isEmpty() ? u""_s : sorted.join(separator) + separator;
}

} // namespace

db::SqlServerFacts wholeServer()
{
    db::SqlServerFacts facts;
    facts.productVersion = u"16.0.4135.4"_s;
    facts.edition = u"Developer Edition (64-bit)"_s;
    facts.engineEdition = 3;
    facts.views = {u"dm_exec_sessions"_s, u"dm_exec_connections"_s, u"dm_exec_requests"_s,
        u"dm_exec_sql_text"_s, u"dm_exec_input_buffer"_s, u"dm_os_waiting_tasks"_s, u"dm_os_memory_clerks"_s,
        u"dm_tran_locks"_s, u"dm_tran_active_transactions"_s, u"dm_tran_session_transactions"_s,
        u"dm_tran_database_transactions"_s};
    facts.rights = {u"VIEW SERVER STATE"_s, u"VIEW SERVER PERFORMANCE STATE"_s, u"ALTER ANY CONNECTION"_s,
        u"CONNECT ANY DATABASE"_s, u"VIEW ANY DEFINITION"_s, u"VIEW DATABASE STATE"_s,
        u"KILL DATABASE CONNECTION"_s, u"VIEW DEFINITION"_s};
    return facts;
}

SchemaPicture wholeSchema()
{
    return {.version = QString::number(db::schemaVersion), .foreignObject = {}};
}

void answerSchema(TdsServer& server, const std::function<SchemaPicture(const Request&)>& schema)
{
    server.answer("sqlserver/schema/exists", [schema](const Request& request, Reply& reply) {
        reply.table({{u""_s, bit()}}, {{schema(request).version.has_value()}});
    });
    server.answer("sqlserver/schema/version", [schema](const Request& request, Reply& reply) {
        const QString version = schema(request).version.value_or(QString());
        reply.table({{u""_s, nvarchar(40)}},
            version.isEmpty() ? std::vector<Values>() : std::vector<Values>{{version}});
    });
    server.answer("sqlserver/schema/check", [schema](const Request& request, Reply& reply) {
        const SchemaPicture now = schema(request);
        std::vector<Values> rows;
        if (!now.foreignObject.isEmpty())
            rows.push_back({now.foreignObject, u"mallory"_s, u"a trigger that is not Lockscope's"_s, true});
        if (now.version)
            rows.push_back({u"schema lockscope"_s, now.owner, Value(), false});
        reply.table({{u"object"_s, nvarchar(300)}, {u"owner"_s, nvarchar(128)}, {u"fault"_s, nvarchar(200)},
                        {u"even_reading"_s, bit()}},
            rows);
    });
}

void addSessionAnswers(TdsServer& server, const db::SqlServerFacts& facts)
{
    server.answer("sqlserver/session/facts", [facts](const Request& request, Reply& reply) {
        reply.table({{u"session_id"_s, integer()}, {u"login_time_us"_s, bigint()},
                        {u"product_version"_s, nvarchar(128)}, {u"engine_edition"_s, integer()},
                        {u"edition"_s, nvarchar(128)}, {u"babelfish_version"_s, nvarchar(128)},
                        {u"views_that_exist"_s, nvarchar(400)}, {u"rights"_s, nvarchar(400)}},
            {{request.session->id, request.session->startedUs, facts.productVersion, facts.engineEdition,
                facts.edition, facts.babelfishVersion.isEmpty() ? Value() : Value(facts.babelfishVersion),
                joined(facts.views, u' '), joined(facts.rights, u';')}});
    });
    answerSchema(server, [](const Request&) { return wholeSchema(); });
    server.answer("sqlserver/session/state", [](const Request& request, Reply& reply) {
        const int open = request.session->transactionCount;
        reply.table({{u"open_transactions"_s, integer()}, {u"transaction_state"_s, integer()}},
            {{open, open > 0 ? 1 : 0}});
    });
}

db::ServerUrl urlOf(const TdsServer& server, const QString& database)
{
    db::ServerUrl url;
    url.engine = Engine::SqlServer;
    url.host = u"127.0.0.1"_s;
    url.port = server.port();
    url.user = u"ann"_s;
    url.database = database;
    url.options = {{u"driver"_s, driverName(driverInUse())}, {u"encrypt"_s, u"no"_s}};
    if (isByQt(driverInUse()))
        url.options.insert(u"api"_s, u"qodbc"_s);
    return url;
}

QString passwordOf(const TdsServer&)
{
    return u"s3cret"_s;
}

} // namespace lockscope::test::tds
