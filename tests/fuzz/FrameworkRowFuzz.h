// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/frameworks/RowLocks.h"

namespace lockscope::test {

/// A table that has all that a description can name.
inline frameworks::RowLocks everyColumn(Engine engine)
{
    auto framework = std::make_shared<Framework>();
    framework->id = QStringLiteral("fuzz");
    framework->name = QStringLiteral("Fuzz");
    FrameworkLock lock;
    lock.id = QStringLiteral("row");
    lock.engines = {engine};
    const auto time = [engine](const char* column, FrameworkClock clock) {
        return FrameworkTime{QString::fromLatin1(column), {{engine, clock}}, milliseconds(5)};
    };
    lock.row.name = QStringLiteral("{a}");
    lock.row.holder = QStringLiteral("b");
    lock.row.holderPattern = QStringLiteral("(?<host>[^ ]+) (?<pid>[0-9]+) (?<since>.*)");
    lock.row.since = time("c", FrameworkClock::IsoText);
    lock.row.expires = time("d", FrameworkClock::EpochMilliseconds);
    lock.row.heartbeat = time("e", FrameworkClock::NetTicks);
    lock.row.compare = {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("d")};
    framework->locks.push_back(lock);

    auto names = std::make_shared<LockRowTable>();
    names->table = QStringLiteral("locks");
    for (const char* column : {"a", "b", "c", "d", "e"})
        names->columns << LockRowTable::Column{QString::fromLatin1(column), QStringLiteral("text")};
    auto found = std::make_shared<frameworks::FoundTable>();
    found->framework = framework;
    found->lock = &framework->locks.front();
    found->table.names = names;
    found->table.columns.resize(static_cast<size_t>(names->columns.size()));
    found->shown = QStringLiteral("locks");
    return {db::Dialect::of(engine), found, frameworks::matchOf(*found)};
}

/// Each row becomes an entry, with any content.
inline void fuzzFrameworkRow(const frameworks::RowLocks& locks, const db::Row& row)
{
    const frameworks::RowLock read = locks.read(row);
    (void)read.isHeld(ServerTime{1});
    (void)read.entry.isStale(ServerTime{1});
    (void)read.entry.acquiredAt.toIsoString();
}

} // namespace lockscope::test
