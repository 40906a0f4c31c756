// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Types.h"

#include <functional>

struct sqlite3;

namespace lockscope::test::tds::tsql {

/// The answers of T-SQL functions that depend on the server and on the session.
struct Surroundings {
    qint64 nowUs = 0; ///< UTC
    int zoneMinutes = 0; ///< what the server's local time is ahead of it
    int session = 0; ///< @@SPID
    QString login;
    QString host;
    QString program;
    int transactionCount = 0; ///< @@TRANCOUNT
    qint64 rowCount = 0; ///< @@ROWCOUNT
    int errorNumber = 0; ///< ERROR_NUMBER
    QString updatedColumn; ///< UPDATE(column), in a trigger
    std::function<Value(const QString& name, const Values& arguments)> call; ///< a function of our schema
    std::function<QString(const QString& key)> sessionContext;
    std::function<qint64()> next; ///< NEXT VALUE FOR
    QString database;
    int databaseId = 0;
    bool seesOthers = false; ///< other sessions and what they run
    std::function<Value(const QString&)> property; ///< SERVERPROPERTY
    std::function<Value(const QString& name)> objectId; ///< OBJECT_ID
    QStringList users{QStringLiteral("dbo")}; ///< of the database; the first one has the number 1
    /// HAS_PERMS_BY_NAME; nullopt for a right that the server does not know.
    std::function<std::optional<bool>(const QString& securable, const QString& right)> mayDo;
    bool isAdministrator = false; ///< IS_SRVROLEMEMBER('sysadmin')
    /// APPLOCK_MODE and APPLOCK_TEST, of which the mode is empty in the first.
    std::function<Value(
        const QString& principal, const QString& name, const QString& mode, const QString& owner)>
        appLock;
    /// OBJECT_SCHEMA_NAME and OBJECT_NAME, as "dbo.orders"; empty if there is no such object.
    std::function<QString(qint64 object, qint64 databaseId)> objectName;
};

/// Teaches an SQLite connection the functions, operators and the order of texts of T-SQL. Times are texts,
/// "2026-11-22 03:00:00.000000". The object that `surroundings` points to is read whenever a statement runs.
/// Errors begin with the server's number for them.
void addFunctions(sqlite3* database, const Surroundings* const* surroundings);

/// Returns a time as such a text; of a datetime, which knows only hundredths and thirds of them, the nearest
/// one.
QString dateTimeText(const QDateTime& dateTime, Type type);
QDateTime dateTimeFromText(const QString& text);

/// LIKE with %, _, [a-z] and [^a]; with an escape, letters compare exactly.
bool isLike(QStringView text, QStringView pattern, QChar escape = {});

} // namespace lockscope::test::tds::tsql
