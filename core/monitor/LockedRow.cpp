// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/LockedRow.h"

#include "core/domain/Engine.h"

#include <QLocale>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

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
    if (const auto begun = connection.begin(); !begun)
        return Failure(begun.error());
    const auto limited =
        connection.execute(db::Statement::get("postgres/details/locked_row_limits"), {}, {}, stop);
    const auto read = limited ? connection.execute(
                          statement, {place.hash, place.index, table},
                          [&rows](const db::Row& row) { rows << row.text(0); }, stop)
                              : limited;
    const auto ended = connection.rollback();
    if (!read)
        return Failure(read.error());
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
    const auto read = connection.execute(
        columns, {table}, [&place](const db::Row& row) { place.columns << row.text(0); }, stop);
    if (!read)
        return Failure(read.error());
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

} // namespace lockscope::monitor
