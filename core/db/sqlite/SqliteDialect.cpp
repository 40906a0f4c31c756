// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlite/SqliteDialect.h"

#include "core/domain/Engine.h"

#include <sqlite3.h>

#include <array>

namespace lockscope::db {

namespace {

struct CodeMeaning {
    int code;
    ErrorKind kind;
    QStringView hint = {};
};

constexpr QStringView accessHint =
    u"Give your account write access to the file and to its directory (chmod, chown).";
constexpr QStringView busyHint = u"Another program is writing to the file. Try again, or find it with lsof.";
constexpr QStringView damageHint = u"Check the disk, then the file: sqlite3 FILE 'PRAGMA integrity_check'.";

/// Extended codes come before the ones that they belong to.
constexpr auto resultCodes = std::to_array<CodeMeaning>({
    {SQLITE_CONSTRAINT_UNIQUE, ErrorKind::Duplicate},
    {SQLITE_CONSTRAINT_PRIMARYKEY, ErrorKind::Duplicate},
    {SQLITE_CONSTRAINT_ROWID, ErrorKind::Duplicate},
    {SQLITE_BUSY, ErrorKind::Timeout, busyHint},
    {SQLITE_LOCKED, ErrorKind::Timeout, busyHint},
    {SQLITE_INTERRUPT, ErrorKind::Cancelled},
    {SQLITE_CANTOPEN, ErrorKind::Connection,
        u"Check that the directory exists and that you may write in it."},
    {SQLITE_NOTADB, ErrorKind::Login,
        u"The file is not an SQLite database, or it is encrypted: check the path."},
    {SQLITE_READONLY, ErrorKind::Permission, accessHint},
    {SQLITE_PERM, ErrorKind::Permission, accessHint},
    {SQLITE_AUTH, ErrorKind::Permission, accessHint},
    {SQLITE_IOERR, ErrorKind::Server, damageHint},
    {SQLITE_CORRUPT, ErrorKind::Server, damageHint},
    {SQLITE_FULL, ErrorKind::Server, u"Free some space on the file's disk."},
    {SQLITE_MISUSE, ErrorKind::Internal},
});

} // namespace

QString SqliteDialect::reasonAgainst(Capability capability) const
{
    switch (capability) {
    case Capability::LockTables:
        return {};
    case Capability::LogIn:
        return QStringLiteral("SQLite is a file: who may open it may use it.");
    case Capability::Sessions:
        return QStringLiteral(
            "SQLite has no server: the programs that use the file can't be seen from outside.");
    case Capability::EndSession:
    case Capability::CancelStatement:
        return reasonAgainstCancelling.sqlite.toString();
    case Capability::LockView:
        return QStringLiteral("SQLite locks its whole file through the operating system and shows no locks.");
    case Capability::ApplicationLocks:
    case Capability::TransactionOwnedLocks:
    case Capability::SessionLocks:
    case Capability::SharedApplicationLocks:
    case Capability::UpdateAndIntentModes:
        return QStringLiteral("SQLite has no application locks. Use a lock-table lock.");
    case Capability::SurrogateLocks:
        return QStringLiteral(
            "SQLite locks its whole file, not single tables or rows. Use a lock-table lock.");
    case Capability::WorkQueues:
        return QStringLiteral("SQLite can't skip the rows that somebody else has locked.");
    case Capability::Notifications:
        return QStringLiteral("SQLite can't wake a waiting program: waiters try again at intervals.");
    case Capability::StatementPlans:
    case Capability::ExplainByHand:
        return QStringLiteral(
            "SQLite has no server that could show by which plan another program's statement runs.");
    case Capability::DriverChoice:
        return QStringLiteral("SQLite is a file and needs no driver.");
    case Capability::WaitStartTimes:
        return QStringLiteral("SQLite does not record when a wait began.");
    }
    return {};
}

QString SqliteDialect::parameterMarker(qsizetype number) const
{
    return u'?' + QString::number(number);
}

Dialect::Decision SqliteDialect::decide(const QString& code, const QString& text) const
{
    const int number = code.toInt();
    for (const CodeMeaning& line : resultCodes)
        if (line.code == number || line.code == (number & 0xff))
            return {code, {{}, line.kind, line.hint}};
    if (text.contains(QLatin1String("no such ")))
        return {code, {{}, ErrorKind::MissingObject}};
    return {code, {}};
}

} // namespace lockscope::db
