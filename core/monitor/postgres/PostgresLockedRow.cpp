// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresLockedRow.h"

namespace lockscope::monitor::postgres {

using namespace Qt::StringLiterals;

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

} // namespace lockscope::monitor::postgres
