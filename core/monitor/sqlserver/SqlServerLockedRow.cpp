// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerLockedRow.h"

#include <QLocale>

namespace lockscope::monitor::sqlserver {

using namespace Qt::StringLiterals;

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

} // namespace

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

} // namespace lockscope::monitor::sqlserver
