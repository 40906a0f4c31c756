// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/Attached.h"

#include "core/domain/FrameworkMatch.h"

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

FrameworkTime timeIn(const QString& column, bool utc, milliseconds after = milliseconds(0))
{
    const FrameworkClock clock = utc ? FrameworkClock::Utc : FrameworkClock::Server;
    return {column, {{Engine::Postgres, clock}, {Engine::SqlServer, clock}, {Engine::Sqlite, clock}}, after};
}

} // namespace

FrameworkPtr ofAttached(const db::AttachedTable& table)
{
    auto framework = std::make_shared<Framework>();
    framework->id = attachedTableId.toString();
    framework->name = u"Attached"_s;
    framework->about = u"A lock table that is attached in the settings of the server."_s;
    FrameworkLock lock;
    lock.id = u"row"_s;
    lock.name = u"lock"_s;
    lock.kind = FrameworkLockKind::Row;
    lock.engines = {Engine::Postgres, Engine::SqlServer, Engine::Sqlite};
    lock.purpose = u"Known to those who made the table."_s;
    lock.ends = table.expiresColumn.isEmpty()
        ? u"When the row is deleted. It is shown as stale when it is older than the server's settings say."_s
        : u"When the row is deleted. It is shown as stale when it has expired."_s;
    lock.danger = u"Its holder is not asked. If it still works, somebody else may now work on the same."_s;
    FrameworkTable where{.names = {table.table}, .columns = {table.nameColumn, table.timeColumn}};
    FrameworkRow& row = lock.row;
    row.name = u'{' + table.nameColumn + u'}';
    row.since = timeIn(table.timeColumn, table.utc);
    row.expires = table.expiresColumn.isEmpty() ? timeIn(table.timeColumn, table.utc, table.staleAge)
                                                : timeIn(table.expiresColumn, table.utc);
    row.compare = {table.nameColumn, table.timeColumn};
    for (const QString& column : {table.holderColumn, table.expiresColumn}) {
        if (!column.isEmpty() && !row.compare.contains(column, Qt::CaseInsensitive)) {
            row.compare << column;
            where.columns << column;
        }
    }
    row.holder = table.holderColumn;
    // A machine's name or address, alone.
    if (!table.holderColumn.isEmpty())
        row.holderPattern = u"(?<host>[A-Za-z0-9_.:-]+)"_s;
    if (!table.heldColumn.isEmpty()) {
        row.held = {
            {.column = table.heldColumn, .is = FrameworkCondition::Is::Equal, .value = table.heldValue}};
        if (!row.compare.contains(table.heldColumn, Qt::CaseInsensitive))
            row.compare << table.heldColumn;
        if (!where.columns.contains(table.heldColumn, Qt::CaseInsensitive))
            where.columns << table.heldColumn;
    }
    lock.table = where;
    framework->locks.push_back(std::move(lock));
    return framework;
}

} // namespace lockscope::frameworks
