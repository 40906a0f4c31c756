// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/DetailQueries.h"

#include "core/db/Statement.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "core/domain/Engine.h"

#include <QLocale>
#include <QRegularExpression>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

/// A row of details/statement_plan: one for each request of the session, or one without a request.
struct PlanRow {
    bool runs = false;
    bool hasHandle = false;
    bool encrypted = false;
    QString plan;

    static PlanRow fromRow(const db::Row& row)
    {
        return {.runs = row.int64(0) != 0,
            .hasHandle = row.int64(1) != 0,
            .encrypted = row.int64(2) != 0,
            .plan = row.text(3)};
    }
};

QString whyNoPlan(const PlanRow& found)
{
    if (!found.runs)
        return u"It runs nothing at present."_s;
    if (found.encrypted)
        return u"Its code is encrypted."_s;
    if (!found.hasHandle)
        return u"Its statement has no plan, or the plan is still being made."_s;
    return u"The server does not keep the plan of this statement (any more)."_s;
}

/// Prefers, of several requests (MARS), the one that comes nearest to a plan.
bool knowsMore(const PlanRow& one, const PlanRow& other)
{
    return std::tuple(!one.plan.isEmpty(), one.hasHandle, one.runs)
        > std::tuple(!other.plan.isEmpty(), other.hasHandle, other.runs);
}

/// The statement that reads it; null: there is none.
const char* probeOf(const QString& statement)
{
    static const QRegularExpression command(
        u"^\\s*(?:autovacuum: )?(VACUUM|ANALYZE|CREATE\\s+(?:UNIQUE\\s+)?INDEX|REINDEX|CLUSTER|COPY)\\b(.*)$"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    const auto match = command.match(statement);
    if (!match.hasMatch())
        return nullptr;
    const QString word = match.captured(1).section(u' ', 0, 0).toUpper();
    static const QRegularExpression full(
        u"^\\s*(?:\\([^)]*\\bFULL\\b|FULL\\b)"_s, QRegularExpression::CaseInsensitiveOption);
    if (word == u"VACUUM")
        return full.match(match.captured(2)).hasMatch() ? "postgres/details/progress_cluster"
                                                        : "postgres/details/progress_vacuum";
    if (word == u"ANALYZE")
        return "postgres/details/progress_analyze";
    if (word == u"CLUSTER")
        return "postgres/details/progress_cluster";
    return word == u"COPY" ? "postgres/details/progress_copy" : "postgres/details/progress_create_index";
}

} // namespace

/// A lock gives the row's place, and one row is read by it.
namespace postgres {
namespace {

bool hasLockedRow(const Resource& resource)
{
    // Only what is in the database of the connection has got a name.
    return resource.key.kind == ResourceKind::Row && resource.key.entity != 0 && resource.named;
}

Result<LockedRowPlace> lockedRowPlace(
    db::Connection& connection, const Resource& resource, const std::stop_token& stop)
{
    LockedRowPlace place;
    place.database = resource.database;
    place.index = static_cast<qint64>(resource.key.entity);
    place.hash = u"(%1,%2)"_s.arg(resource.key.part >> 16).arg(resource.key.part & 0xffff);
    bool mayRead = false;
    QString columns;
    const db::Param entity = place.index;
    const auto found = connection.execute(
        db::Statement::get("postgres/details/locked_row_place"), {entity},
        [&](const db::Row& row) {
            place.schema = row.text(0);
            place.table = row.text(1);
            place.key = row.text(2);
            mayRead = row.boolean(3);
            columns = row.text(4);
        },
        stop);
    if (!found)
        return Failure(found.error());
    if (*found == 0)
        return failure(ErrorKind::MissingObject, {}, u"The table has been dropped."_s);
    const QString table = connection.dialect().quoted(place.schema, place.table);
    if (place.key.isEmpty())
        return failure(ErrorKind::MissingObject, {},
            u"%1 has no primary key: its rows have no name but their place, %2."_s.arg(table, place.hash));
    if (!mayRead)
        return failure(ErrorKind::Permission, {},
            u"Your role may not read its primary key: GRANT SELECT (%1, ctid) ON %2 TO …;"_s.arg(
                columns, table));
    return place;
}

Result<QStringList> findLockedRow(
    db::Connection& connection, const LockedRowPlace& place, const std::stop_token& stop)
{
    const QString table = connection.dialect().quoted(place.schema, place.table);
    const db::Statement statement = db::Statement::filled("postgres/details/locked_row",
        {{QLatin1StringView("key"), place.key}, {QLatin1StringView("table"), table}});
    QStringList rows;
    LOCKSCOPE_TRY(connection.begin());
    const auto limited =
        connection.execute(db::Statement::get("postgres/details/locked_row_limits"), {}, {}, stop);
    const auto read = limited ? connection.execute(
                          statement, {place.hash, place.index, table},
                          [&rows](const db::Row& row) { rows << row.text(0); }, stop)
                              : limited;
    const auto ended = connection.rollback();
    LOCKSCOPE_TRY(read);
    return ifDone(ended, std::move(rows));
}

} // namespace
} // namespace postgres

/// A lock gives a hash, not a key, and to find the row the whole index has to be read.
namespace sqlserver {
namespace {

/// %%lockres%% of a key is the hash as the lock view shows it, of a row in a heap its place.
QString hashOf(const ResourceKey& key)
{
    if (key.text.startsWith(u'('))
        return key.text;
    return u"%1:%2:%3"_s.arg(key.part >> 48).arg(key.part >> 16 & 0xffffffff).arg(key.part & 0xffff);
}

QString warningFor(const LockedRowPlace& place, qint64 rows)
{
    return u"Reads up to %1 rows of %2.%3 to find the one row, which takes as long as it takes and loads the server. The way is not documented by its maker; two rows may have the same hash."_s
        .arg(QLocale(QLocale::English).toString(rows), place.schema, place.table);
}

bool hasLockedRow(const Resource& resource)
{
    const ResourceKey& key = resource.key;
    return key.kind == ResourceKind::Row && key.entity != 0 && !resource.database.isEmpty()
        && (key.part != 0 || key.text.startsWith(u'('));
}

Result<LockedRowPlace> lockedRowPlace(
    db::Connection& connection, const Resource& resource, const std::stop_token& stop)
{
    LockedRowPlace place;
    place.database = resource.database;
    place.hash = hashOf(resource.key);
    const db::Statement statement = db::Statement::filled("sqlserver/details/locked_row_place",
        {{QLatin1StringView("database_name"), connection.dialect().quoted(resource.database)}});
    const db::Param entity = static_cast<qint64>(resource.key.entity);
    const auto found = connection.execute(
        statement, {entity},
        [&place](const db::Row& row) {
            place.schema = row.text(0);
            place.table = row.text(1);
            place.index = row.int64(2);
            place.warning = warningFor(place, row.int64(3)); // as the catalogue counts the partition's rows
        },
        stop);
    if (!found)
        return Failure(found.error());
    if (*found == 0)
        return failure(
            ErrorKind::MissingObject, {}, u"The table may have been dropped, or you may not see it."_s);
    const db::Dialect& dialect = connection.dialect();
    const db::Statement columns = db::Statement::filled("sqlserver/details/plain_columns",
        {{QLatin1StringView("database_name"), dialect.quoted(place.database)}});
    const QString table = dialect.quoted(place.database) + u'.' + dialect.quoted(place.schema, place.table);
    LOCKSCOPE_TRY(connection.execute(
        columns, {table}, [&place](const db::Row& row) { place.columns << row.text(0); }, stop));
    if (place.columns.isEmpty())
        return failure(ErrorKind::MissingObject, {},
            u"%1 has no column that can be read without running code of others, or you may not see them."_s
                .arg(table));
    return place;
}

Result<QStringList> findLockedRow(
    db::Connection& connection, const LockedRowPlace& place, const std::stop_token& stop)
{
    const db::Dialect& dialect = connection.dialect();
    QStringList columns;
    for (const QString& name : place.columns)
        columns << u"r."_s + dialect.quoted(name);
    const db::Statement statement = db::Statement::filled("sqlserver/details/locked_row",
        {{QLatin1StringView("columns"), columns.join(u", ")},
            {QLatin1StringView("table"),
                dialect.quoted(place.database) + u'.' + dialect.quoted(place.schema, place.table)},
            {QLatin1StringView("index_id"), QString::number(place.index)}});
    QStringList rows;
    const auto read = connection.execute(
        statement, {place.hash}, [&rows](const db::Row& row) { rows << row.text(0); }, stop);
    return ifDone(read, std::move(rows));
}

} // namespace
} // namespace sqlserver

namespace {

struct LockedRowSearch {
    bool (*has)(const Resource& resource);
    Result<LockedRowPlace> (*place)(
        db::Connection& connection, const Resource& resource, const std::stop_token& stop);
    Result<QStringList> (*find)(
        db::Connection& connection, const LockedRowPlace& place, const std::stop_token& stop);
};

constexpr PerEngine<LockedRowSearch> searches{
    .postgres = {postgres::hasLockedRow, postgres::lockedRowPlace, postgres::findLockedRow},
    .sqlServer = {sqlserver::hasLockedRow, sqlserver::lockedRowPlace, sqlserver::findLockedRow},
    .sqlite = {[](const Resource&) { return false; }, nullptr, nullptr},
};

} // namespace

bool hasLockedRow(Engine engine, const Resource& resource)
{
    return searches[engine].has(resource);
}

Result<LockedRowPlace> lockedRowPlace(
    db::Connection& connection, const Resource& resource, const std::stop_token& stop)
{
    const QString what = u"Can't find where %1 stands."_s.arg(resource.name);
    if (!hasLockedRow(connection.engine(), resource))
        return failure(ErrorKind::Unsupported, what, u"Only a lock on a single key or row has a row."_s);
    auto place = searches[connection.engine()].place(connection, resource, stop);
    if (!place)
        place.error().what = what;
    return place;
}

Result<QStringList> findLockedRow(
    db::Connection& connection, const LockedRowPlace& place, const std::stop_token& stop)
{
    auto rows = searches[connection.engine()].find(connection, place, stop);
    if (!rows)
        rows.error().what = u"Can't read the row of %1.%2 behind the lock."_s.arg(place.schema, place.table);
    return rows;
}

Result<QString> statementPlan(db::Connection& connection, const SessionKey& session, std::stop_token stop)
{
    const QString what = u"Can't read the plan of session %1."_s.arg(session.id.value);
    const db::Dialect& dialect = connection.dialect();
    if (const QString reason = dialect.reasonAgainst(db::Capability::StatementPlans); !reason.isEmpty())
        return failure(ErrorKind::Unsupported, what, reason);
    std::optional<PlanRow> best;
    std::vector<db::Param> which{session.id.value, std::monostate()};
    if (session.started.isValid())
        which[1] = session.started;
    const auto read = connection.execute(
        db::schemaStatement(dialect, "details/statement_plan"), which,
        [&best](const db::Row& row) {
            if (PlanRow found = PlanRow::fromRow(row); !best || knowsMore(found, *best))
                best = std::move(found);
        },
        std::move(stop));
    if (!read) {
        Error error = read.error();
        error.what = what;
        if (error.kind == ErrorKind::Permission) {
            const db::SqlServerFacts& facts = db::SqlServerConnection::factsOf(connection);
            error.hint = facts.grantOf(facts.viewStateRight());
        }
        return Failure(std::move(error));
    }
    if (!best) {
        const bool mayBeHidden = !db::SqlServerConnection::factsOf(connection).maySeeOthers();
        return failure(ErrorKind::Changed, what,
            mayBeHidden ? u"It is not there (any more), or you may not see it."_s
                        : u"It is not there (any more)."_s);
    }
    if (best->plan.isEmpty())
        return failure(ErrorKind::MissingObject, what, whyNoPlan(*best));
    return best->plan;
}

bool reportsProgress(const Session& session)
{
    return session.id.value > 0 && probeOf(session.statement) != nullptr
        && (session.state == SessionState::Active || session.system);
}

Result<QString> commandProgress(db::Connection& connection, const Session& session, std::stop_token stop)
{
    const QString what = u"Can't show how far session %1 is."_s.arg(session.id.value);
    const char* const probe = probeOf(session.statement);
    if (!probe)
        return failure(
            ErrorKind::Unsupported, what, u"It runs no command whose progress the server shows."_s);
    QString text;
    const auto read = connection.execute(
        db::Statement::get(probe), {session.id.value, session.started},
        [&text](const db::Row& row) {
            const QLocale english(QLocale::English);
            const qint64 done = row.int64(1);
            const qint64 total = row.int64(2);
            text = row.text(0);
            if (total > 0)
                text += u", %1 % (%2 of %3 %4)"_s.arg(done * 100 / total)
                            .arg(english.toString(done), english.toString(total), row.text(3));
            else if (done > 0)
                text += u", %1 %2 so far"_s.arg(english.toString(done), row.text(3));
        },
        std::move(stop));
    if (!read) {
        Error error = read.error();
        error.what = what;
        if (error.kind == ErrorKind::MissingObject)
            error.hint = u"This version of the server does not show the progress of such commands."_s;
        return Failure(std::move(error));
    }
    if (text.isEmpty())
        return failure(ErrorKind::Changed, what,
            u"It is through or has not begun, or your role may not see it (pg_read_all_stats)."_s);
    return text;
}

} // namespace lockscope::monitor
