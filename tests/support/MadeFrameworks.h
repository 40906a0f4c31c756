// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"
#include "core/domain/FrameworkMatch.h"
#include "core/domain/Snapshot.h"

namespace lockscope::test {

/// A framework with one lock, as a file would have it, and what is recognised as that.
inline FrameworkMatchPtr madeMatch(
    const QString& framework, const FrameworkLock& lock, bool isCertain = true, const QString& name = {})
{
    auto definition = std::make_shared<Framework>();
    definition->id = framework.toLower();
    definition->name = framework;
    definition->about = QStringLiteral("Something of %1.").arg(framework);
    definition->isBuiltIn = true;
    definition->locks = {lock};
    auto match = std::make_shared<FrameworkMatch>();
    match->framework = definition->id;
    match->lock = lock.id;
    match->frameworkName = framework;
    match->name = name.isEmpty() ? lock.name : name;
    match->evidence = QStringLiteral("key 72707369 is %1's").arg(framework);
    match->certain = isCertain;
    match->definition = definition;
    match->lockDefinition = &definition->locks.front();
    return match;
}

inline FrameworkLock prismaLock()
{
    FrameworkLock lock;
    lock.id = QStringLiteral("migrate");
    lock.name = QStringLiteral("migrate");
    lock.kind = FrameworkLockKind::AdvisoryKey;
    lock.engines = {Engine::Postgres};
    lock.purpose = QStringLiteral("Lets one prisma migrate run at a time.");
    lock.ends = QStringLiteral("When the session that holds it ends.");
    lock.danger = QStringLiteral("Behind a pooler the session may be one that other clients use.");
    KeyFormula key;
    key.add = 72'707'369;
    AdvisoryKeyRule rule;
    rule.parts = {key};
    lock.keys = {rule};
    return lock;
}

inline FrameworkLock liquibaseLock()
{
    FrameworkLock lock;
    lock.id = QStringLiteral("changelog");
    lock.name = QStringLiteral("changelog lock");
    lock.kind = FrameworkLockKind::Row;
    lock.engines = {Engine::Postgres, Engine::SqlServer, Engine::Sqlite};
    lock.purpose = QStringLiteral("Lets one update run at a time.");
    lock.ends = QStringLiteral("Never by itself.");
    lock.danger = QStringLiteral("An update that still runs is not stopped.");
    lock.vendorCommand = QStringLiteral("liquibase release-locks");
    lock.vendorNote = QStringLiteral("Frees it whoever holds it.");
    lock.table = FrameworkTable{.names = {QStringLiteral("databasechangeloglock")},
        .columns = {QStringLiteral("id"), QStringLiteral("locked")}};
    FrameworkCondition held;
    held.column = QStringLiteral("locked");
    held.value = true;
    lock.row.held = {held};
    lock.row.holder = QStringLiteral("lockedby");
    lock.row.since = FrameworkTime{
        QStringLiteral("lockgranted"), {{Engine::Postgres, FrameworkClock::Application}}, milliseconds(0)};
    lock.row.compare = {QStringLiteral("id"), QStringLiteral("locked"), QStringLiteral("lockgranted"),
        QStringLiteral("lockedby")};
    lock.row.update = {{QStringLiteral("locked"), false}, {QStringLiteral("lockedby"), std::monostate()}};
    return lock;
}

inline FrameworkLock shedLock()
{
    FrameworkLock lock = liquibaseLock();
    lock.id = QStringLiteral("task");
    lock.name = QStringLiteral("task");
    lock.danger = QStringLiteral("Never delete ShedLock's row: it is made once, at the start.");
    lock.vendorCommand.clear();
    lock.row.update.clear();
    lock.row.mayBeFreed = false;
    return lock;
}

inline FrameworkMatchPtr prismaMatch(bool isCertain = true)
{
    static const FrameworkMatchPtr certain = madeMatch(QStringLiteral("Prisma"), prismaLock());
    static const FrameworkMatchPtr likely = madeMatch(QStringLiteral("Prisma"), prismaLock(), false);
    return isCertain ? certain : likely;
}

inline FrameworkMatchPtr liquibaseMatch()
{
    static const FrameworkMatchPtr match = madeMatch(QStringLiteral("Liquibase"), liquibaseLock());
    return match;
}

inline FrameworkMatchPtr shedLockMatch()
{
    static const FrameworkMatchPtr match =
        madeMatch(QStringLiteral("ShedLock"), shedLock(), true, QStringLiteral("report"));
    return match;
}

/// A table of a framework in the schema "other" whose rows are not read.
inline UnreadTable unreadTable(const FrameworkMatchPtr& framework, const QString& table, const QString& owner,
    const QString& reason = {})
{
    return {.framework = framework,
        .schema = QStringLiteral("other"),
        .table = table,
        .owner = owner,
        .reason = reason};
}

} // namespace lockscope::test
