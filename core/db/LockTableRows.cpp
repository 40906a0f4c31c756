// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/LockTableRows.h"

#include "core/db/SchemaFile.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

LockParty partyFromRow(const Row& row, int first)
{
    return {row.text(first), row.text(first + 1), row.text(first + 2), row.int64(first + 3),
        SessionId{row.int64(first + 4)}};
}

} // namespace

QString lockTableName(Engine engine)
{
    return engine == Engine::Sqlite ? u"lockscope_lock_entry"_s : u"lockscope.lock_entry"_s;
}

LockTableEntry entryFromRow(Engine engine, const Row& row)
{
    LockTableEntry entry;
    entry.table = lockTableName(engine);
    entry.name = row.text(0);
    entry.token = row.text(1);
    entry.fencing = row.int64(2);
    entry.acquiredAt = row.time(3);
    entry.expiresAt = row.time(4);
    entry.party = partyFromRow(row, 5);
    return entry;
}

LockTableWaiter waiterFromRow(Engine engine, const Row& row)
{
    return {lockTableName(engine), row.text(0), row.int64(1), row.time(2), row.time(3), partyFromRow(row, 4)};
}

Statement attachedStatement(const char* file, const Dialect& dialect, const AttachedTable& table)
{
    const QString relation = dialect.quoted(table.schema, table.table);
    return Statement::filled(schemaPath(dialect, file).constData(),
        {{QLatin1StringView("table"), relation},
            {QLatin1StringView("name"), dialect.quoted(table.nameColumn)},
            {QLatin1StringView("time"), dialect.quoted(table.timeColumn)}});
}

Statement readAttached(const Dialect& dialect, const AttachedTable& table)
{
    return attachedStatement(
        table.utc ? "monitor/attached_utc.sql" : "monitor/attached_local.sql", dialect, table);
}

LockTableEntry attachedEntryFromRow(const AttachedTable& table, const Row& row)
{
    LockTableEntry entry;
    entry.table = table.display();
    entry.name = row.text(0);
    entry.acquiredAt = row.time(1);
    entry.rawTime = row.text(2);
    // A row without a time never gets stale; it is shown, and freed by hand.
    if (!row.isNull(1))
        entry.expiresAt = entry.acquiredAt + table.staleAge;
    entry.attached = true;
    return entry;
}

} // namespace lockscope::db
