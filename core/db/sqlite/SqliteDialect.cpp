// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlite/SqliteDialect.h"

#include <sqlite3.h>

namespace lockscope::db {

namespace {

struct Meaning {
    ErrorKind kind;
    QString hint;
};

Meaning meaningOf(int code, const QString& text)
{
    switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
        return {ErrorKind::Duplicate, {}};
    default:
        break;
    }
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {ErrorKind::Timeout,
            QStringLiteral("Another program is writing to the file. Try again, or find it with lsof.")};
    case SQLITE_INTERRUPT:
        return {ErrorKind::Cancelled, {}};
    case SQLITE_CANTOPEN:
        return {ErrorKind::Connection,
            QStringLiteral("Check that the directory exists and that you may write in it.")};
    case SQLITE_NOTADB:
        return {ErrorKind::Login,
            QStringLiteral("The file is not an SQLite database, or it is encrypted: check the path.")};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return {ErrorKind::Permission,
            QStringLiteral(
                "Give your account write access to the file and to its directory (chmod, chown).")};
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
        return {ErrorKind::Server,
            QStringLiteral("Check the disk, then the file: sqlite3 FILE 'PRAGMA integrity_check'.")};
    case SQLITE_FULL:
        return {ErrorKind::Server, QStringLiteral("Free some space on the file's disk.")};
    case SQLITE_MISUSE:
        return {ErrorKind::Internal, {}};
    default:
        break;
    }
    if (text.contains(QLatin1String("no such table: lockscope_")))
        return {ErrorKind::MissingObject,
            QStringLiteral("Lockscope's tables are not in this file. Run: lockctl install --server URL")};
    if (text.contains(QLatin1String("no such ")))
        return {ErrorKind::MissingObject, {}};
    return {ErrorKind::Server, {}};
}

} // namespace

bool SqliteDialect::can(Capability capability) const
{
    return capability == Capability::LockTables;
}

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
        return QStringLiteral("SQLite has no server that could end another program's session.");
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
        return QStringLiteral("SQLite can't wake a waiting program: waiters look again at intervals.");
    case Capability::StatementPlans:
        return QStringLiteral(
            "SQLite has no server that could tell by which plan another program's statement runs.");
    case Capability::WaitStartTimes:
        return QStringLiteral("SQLite does not record when a wait began.");
    }
    return {};
}

QString SqliteDialect::parameterMarker(qsizetype number) const
{
    return u'?' + QString::number(number);
}

QString SqliteDialect::grantOfRole(const QString& /*role*/, const QString& /*member*/) const
{
    return {};
}

QString SqliteDialect::quoted(const QString& identifier) const
{
    QString escaped = identifier;
    escaped.replace(u'"', QStringLiteral("\"\""));
    return u'"' + escaped + u'"';
}

Error SqliteDialect::mapError(const QString& code, const QString& text, const QString& whatFailed) const
{
    Meaning meaning = meaningOf(code.toInt(), text);
    Error error;
    error.kind = meaning.kind;
    error.what = whatFailed;
    error.detail = text;
    error.hint = std::move(meaning.hint);
    error.nativeCode = code;
    return error;
}

} // namespace lockscope::db
