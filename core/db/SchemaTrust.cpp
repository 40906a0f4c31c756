// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaTrust.h"

#include "core/base/Mutex.h"
#include "core/base/Sentences.h"
#include "core/db/Statement.h"

#include <map>
#include <utility>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

Failure distrusted(const Connection& connection, const QString& schema, const QStringList& faults)
{
    static constexpr PerEngine<QStringView> hints{
        .postgres =
            u"Find out who made it. If that is right, log in as the owner or as a role without his reach, give the schema to a superuser, or name the owner in the server's URL: ?schema_owner=NAME.",
        .sqlServer =
            u"Find out who made it. If that is right, give it to dbo (ALTER AUTHORIZATION ON SCHEMA::lockscope TO dbo), or name the owner in the server's URL: ?schema_owner=NAME.",
        .sqlite =
            u"Find out who changed it. If nothing in it is needed, drop these tables and install again."};
    return Failure(Error{.kind = ErrorKind::Permission,
        .what = u"The schema %1 of this database is not used: it is not to be trusted."_s.arg(schema),
        .server = connection.url().display(),
        .detail = faultList(faults),
        .hint = hints[connection.engine()].toString()});
}

QString trustedBeside(const Connection& connection)
{
    return connection.url().options.value(u"schema_owner"_s, u""_s);
}

/// The cheap question was not enough: all faults are to be asked for.
bool isSuspected(const SchemaFaults& faults)
{
    return !faults.known && !faults.reading.isEmpty();
}

/// All faults, one by one. A suspicion stays until there is an answer.
BatchItem wholeCheck(Connection& connection)
{
    SchemaFaults& faults = connection.schemaFaults();
    if (!isSuspected(faults))
        faults = {};
    return {.statement = &statementOfTrust(connection.dialect(), "schema/check", 1),
        .params = {trustedBeside(connection)},
        .sink = [&faults](const Row& row) {
            if (!std::exchange(faults.known, true))
                faults.reading.clear();
            if (row.isNull(2))
                return;
            const QString text = u"%1 (%2): %3"_s.arg(row.text(0), row.text(1), row.text(2));
            faults.calling << text;
            if (row.boolean(3))
                faults.reading << text;
        }};
}

Result<void> ask(Connection& connection, const BatchItem& check)
{
    const auto asked = connection.execute(*check.statement, check.params, check.sink);
    if (asked)
        return {};
    Error error = asked.error();
    error.what = u"Can't find out whom the schema lockscope belongs to."_s;
    return Failure(std::move(error));
}

} // namespace

const Statement& statementOfTrust(const Dialect& dialect, const char* name, int parameter)
{
    return dialect.engine() == Engine::Postgres
        ? statementOfTrust(schemaPath(dialect, name).constData(), parameter)
        : schemaStatement(dialect, name);
}

const Statement& statementOfTrust(const char* pathOfPostgres, int parameter)
{
    static Mutex mutex;
    static std::map<QByteArray, const Statement> statements LOCKSCOPE_GUARDED_BY(mutex);
    const QByteArray path = pathOfPostgres;
    const MutexLock guard(mutex);
    const auto known = statements.find(path);
    if (known != statements.end())
        return known->second;
    const Statement owners =
        Statement::filled("postgres/trust/owners", {{"parameter"_L1, u'$' + QString::number(parameter)}});
    const QString trusted = QString::fromUtf8(owners.sql());
    // The places that it has: what runs with our rights, and what tells a table from what it was when it was
    // judged.
    std::vector<std::pair<QLatin1StringView, QString>> parts;
    const QByteArray& sql = Statement::get(path.constData()).sql();
    if (sql.contains("{trusted}"))
        parts.emplace_back("trusted"_L1, trusted);
    if (sql.contains("{closure}"))
        parts.emplace_back("closure"_L1, QString::fromUtf8(Statement::get("postgres/trust/closure").sql()));
    if (sql.contains("{gifts}"))
        parts.emplace_back("gifts"_L1, QString::fromUtf8(Statement::get("postgres/trust/gifts").sql()));
    if (sql.contains("{prints}"))
        parts.emplace_back(
            "prints"_L1, QString::fromUtf8(Statement::get("postgres/frameworks/prints").sql()));
    return statements.emplace(path, Statement::filled(path.constData(), parts)).first->second;
}

BatchItem schemaCheck(Connection& connection)
{
    if (connection.engine() != Engine::Postgres)
        return wholeCheck(connection);
    SchemaFaults& faults = connection.schemaFaults();
    QString& judged = connection.judged(OwnSchema::Locks);
    faults = {};
    judged = u""_s;
    return {.statement = &statementOfTrust("postgres/schema/untouched", 1),
        .params = {trustedBeside(connection)},
        .sink = [&faults, &judged](const Row& row) {
            judged = row.text(1);
            faults.known = row.boolean(0);
            if (!faults.known)
                faults.reading << u"it is not as the installation made it"_s;
        }};
}

Result<void> readableSchema(Connection& connection)
{
    const SchemaFaults& faults = connection.schemaFaults();
    return faults.known || isSuspected(faults) ? trustSchema(connection, SchemaUse::Reading) : Result<void>();
}

Result<void> trustEventTriggers(Connection& connection)
{
    if (connection.engine() != Engine::Postgres)
        return {};
    QStringList strange;
    LOCKSCOPE_TRY(connection.execute(statementOfTrust("postgres/trust/event_triggers", 1),
        {trustedBeside(connection)}, [&strange](const Row& row) {
            strange << u"event trigger %1 calls %2, of %3"_s.arg(row.text(0), row.text(1), row.text(2));
        }));
    if (strange.isEmpty())
        return {};
    return Failure(Error{.kind = ErrorKind::Permission,
        .what = u"Code of others would run with your rights."_s,
        .server = connection.url().display(),
        .detail = strange.join(u"; "_s),
        .hint = u"ALTER EVENT TRIGGER … DISABLE, or let a superuser own these functions."_s});
}

Result<void> trustSchema(Connection& connection, SchemaUse use)
{
    SchemaFaults& faults = connection.schemaFaults();
    if (connection.engine() == Engine::Sqlite) {
        const bool isToAsk = use == SchemaUse::Calling && !faults.known;
        LOCKSCOPE_TRY(isToAsk ? findSqliteFaults(connection) : Result<void>());
    } else if (!faults.known && !isSuspected(faults)) {
        LOCKSCOPE_TRY(ask(connection, schemaCheck(connection)));
    }
    if (isSuspected(faults)) {
        LOCKSCOPE_TRY(ask(connection, wholeCheck(connection)));
        if (!faults.known) // the schema is gone
            faults = {};
    }
    const QStringList& found = use == SchemaUse::Calling ? faults.calling : faults.reading;
    return found.isEmpty() ? Result<void>() : distrusted(connection, u"lockscope"_s, found);
}

Result<void> judgeHistory(Connection& connection)
{
    QString& judged = connection.judged(OwnSchema::History);
    judged = u""_s;
    QStringList faults;
    auto asked = connection.execute(Statement::get("postgres/schema/identity"), {u"lockscope_history"_s},
        [&judged](const Row& row) { judged = row.text(0); });
    if (asked)
        asked = connection.execute(statementOfTrust("recording/postgres/history/check", 1),
            {trustedBeside(connection)}, [&faults](const Row& row) {
                faults << u"%1 (%2): %3"_s.arg(row.text(0), row.text(1), row.text(2));
            });
    if (!asked) {
        connection.forgetJudged();
        Error error = asked.error();
        error.what = u"Can't find out whom the history belongs to."_s;
        return Failure(std::move(error));
    }
    if (faults.isEmpty())
        return {};
    judged = QString(); // each statement that names it is refused again
    return distrusted(connection, u"lockscope_history"_s, faults);
}

Result<void> judgeSchema(Connection& connection, OwnSchema schema)
{
    const bool isHistory = schema == OwnSchema::History;
    const bool isJudged = !connection.judged(schema).isNull();
    if (isJudged && (isHistory || connection.schemaFaults().reading.isEmpty()))
        return {};
    return isHistory ? judgeHistory(connection) : trustSchema(connection, SchemaUse::Reading);
}

} // namespace lockscope::db
