// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/LockedRow.h"

#include "core/domain/Engine.h"
#include "core/monitor/postgres/PostgresLockedRow.h"
#include "core/monitor/sqlserver/SqlServerLockedRow.h"

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

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
