// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaTrust.h"

#include "core/base/Mutex.h"
#include "core/db/SchemaFile.h"

#include <algorithm>
#include <map>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype faultsTold = 5;

Failure distrusted(const Connection& connection, const QStringList& faults)
{
    Error error;
    error.kind = ErrorKind::Permission;
    error.what = u"The schema lockscope of this database is not used: it is not to be trusted."_s;
    error.detail = faults.first(std::min(faults.size(), faultsTold)).join(u"; "_s);
    if (faults.size() > faultsTold)
        error.detail += u"; and %1 more"_s.arg(faults.size() - faultsTold);
    if (connection.engine() == Engine::SqlServer)
        error.hint = u"Find out who made it. If that is right, give it to dbo (ALTER AUTHORIZATION ON "
                     u"SCHEMA::lockscope "
                     "TO dbo), or name the owner in the server's URL: ?schema_owner=NAME."_s;
    else
        error.hint =
            u"Find out who made it. If that is right, log in as the owner or as a role without his reach, "
            "give the schema to a superuser, or name the owner in the server's URL: ?schema_owner=NAME."_s;
    error.server = connection.url().display();
    return Failure(std::move(error));
}

} // namespace

const Statement& statementOfTrust(const Dialect& dialect, const char* name, int parameter)
{
    if (dialect.engine() != Engine::Postgres)
        return schemaStatement(dialect, name);
    static Mutex mutex;
    static std::map<QByteArray, const Statement> statements LOCKSCOPE_GUARDED_BY(mutex);
    const QByteArray path = schemaPath(dialect, name);
    const MutexLock guard(mutex);
    const auto known = statements.find(path);
    if (known != statements.end())
        return known->second;
    const Statement owners =
        Statement::filled("postgres/trust/owners", {{"parameter"_L1, u'$' + QString::number(parameter)}});
    return statements
        .emplace(path, Statement::filled(path.constData(), {{"trusted"_L1, QString::fromUtf8(owners.sql())}}))
        .first->second;
}

BatchItem schemaCheck(Connection& connection)
{
    SchemaFaults& faults = connection.schemaFaults();
    faults = {};
    return {&statementOfTrust(connection.dialect(), "schema/check", 1),
        {connection.url().options.value(u"schema_owner"_s, u""_s)}, [&faults](const Row& row) {
            faults.known = true;
            if (row.isNull(2))
                return;
            const QString told = u"%1 (%2): %3"_s.arg(row.text(0), row.text(1), row.text(2));
            faults.calling << told;
            if (row.boolean(3))
                faults.reading << told;
        }};
}

Result<void> trustSchema(Connection& connection, SchemaUse use)
{
    if (connection.engine() == Engine::Sqlite)
        return {};
    const SchemaFaults& faults = connection.schemaFaults();
    if (!faults.known) {
        const BatchItem check = schemaCheck(connection);
        if (const auto asked = connection.execute(*check.statement, check.params, check.sink); !asked) {
            Error error = asked.error();
            error.what = u"Can't find out whom the schema lockscope belongs to."_s;
            return Failure(std::move(error));
        }
    }
    const QStringList& found = use == SchemaUse::Calling ? faults.calling : faults.reading;
    return found.isEmpty() ? Result<void>() : distrusted(connection, found);
}

} // namespace lockscope::db
