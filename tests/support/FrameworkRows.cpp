// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/FrameworkRows.h"

#include "core/frameworks/AsJudged.h"
#include "tests/support/TestServer.h"

namespace lockscope::test {

using namespace Qt::StringLiterals;

FrameworkMatchPtr matchOf(FrameworkLock lock, const QString& name)
{
    auto framework = std::make_shared<Framework>();
    framework->id = name.toLower();
    framework->name = name;
    framework->locks.push_back(std::move(lock));
    auto match = std::make_shared<FrameworkMatch>();
    match->framework = framework->id;
    match->lock = framework->locks.front().id;
    match->frameworkName = name;
    match->name = framework->locks.front().name;
    match->definition = framework;
    match->lockDefinition = &framework->locks.front();
    return match;
}

FrameworkLock rowLock(
    const QStringList& compare, const std::vector<std::pair<QString, FrameworkValue>>& update)
{
    FrameworkLock lock;
    lock.id = u"turn"_s;
    lock.name = u"turn"_s;
    lock.kind = FrameworkLockKind::Row;
    lock.engines = {Engine::Postgres, Engine::SqlServer, Engine::Sqlite};
    lock.danger = u"Two work at once."_s;
    lock.row.compare = compare;
    lock.row.update = update;
    return lock;
}

LockTableEntry shownRow(db::Connection& connection, const FrameworkMatchPtr& match,
    const LockRowTablePtr& table, const QString& where)
{
    LockTableEntry entry;
    entry.table = table->schema.isEmpty() ? table->table : table->schema + u'.' + table->table;
    entry.name = match->name;
    entry.framework = match;
    entry.source = table;
    QStringList values;
    for (const QString& column : match->lockDefinition->row.compare)
        values << frameworks::storedText(connection.dialect(), *table->column(column));
    const auto read = runSql(connection,
        u"SELECT %1 FROM %2 WHERE %3"_s.arg(
            values.join(u", "_s), connection.dialect().quoted(table->schema, table->table), where),
        {}, [&](const db::Row& row) {
            entry.stored.clear();
            for (qsizetype i = 0; i < values.size(); ++i)
                entry.stored << row.text(static_cast<int>(i));
        });
    if (!read || *read != 1)
        qFatal("%s", qPrintable(read ? u"No such row, or several: "_s + where : read.error().toString()));
    return entry;
}

} // namespace lockscope::test
