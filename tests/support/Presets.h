// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockStrategy.h"

#include <QList>

#include <array>

namespace lockscope::test {

/// A setting that a database or a role gives to every session: ALTER DATABASE or ROLE … SET.
struct Preset {
    QString name;
    QString value;
};
using Presets = QList<Preset>;

/// Every lock that PostgreSQL has for us.
struct LockCase {
    const char* name;
    locks::LockKind kind;
    LockOwner owner;
};
inline constexpr std::array lockCases{LockCase{"lock table", locks::LockKind::Table, LockOwner::Other},
    LockCase{"application lock", locks::LockKind::Application, LockOwner::Session},
    LockCase{"of a transaction", locks::LockKind::Application, LockOwner::Transaction},
    LockCase{"locked table", locks::LockKind::LockedTable, LockOwner::Transaction},
    LockCase{"locked key", locks::LockKind::LockedKey, LockOwner::Transaction}};

/// Presets them for the database of the shared server, and for the URL's user in it, as a superuser. Those
/// that the server takes.
Presets applied(const db::ServerUrl& url, const Presets& presets);
void resetAll(const db::ServerUrl& url);
/// A program's login there, with the rights that locks need.
db::ServerUrl asProgram(const db::ServerUrl& database);

/// Returns the course of one lock in words: it is taken, refused to somebody else, kept for a while,
/// released.
QString locking(const db::ServerUrl& url, const LockCase& lock, milliseconds held = milliseconds(0));

template <class T> QString textOf(const Result<T>& result)
{
    return result ? QStringLiteral("done") : result.error().toString();
}

} // namespace lockscope::test
