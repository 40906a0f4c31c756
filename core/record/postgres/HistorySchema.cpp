// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/HistorySchema.h"

#include "core/base/Duration.h"
#include "core/base/ServerTime.h"
#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr microseconds wrongClock = std::chrono::seconds(5);

Error named(Error error, const QString& what)
{
    error.what = what;
    return error;
}

Failure onServer(const db::Connection& connection, Failure refused)
{
    refused.value().server = connection.url().display();
    return refused;
}

} // namespace

Result<void> checkKeepsHistory(Engine engine)
{
    if (engine == Engine::Postgres)
        return {};
    return failure(ErrorKind::Unsupported, u"A team's history is kept by PostgreSQL only."_s,
        u"Name a database of PostgreSQL: postgresql://user@host/db."_s);
}

Result<void> trustHistory(db::Connection& connection)
{
    if (auto kept = checkKeepsHistory(connection.engine()); !kept)
        return onServer(connection, Failure(kept.error()));
    return db::judgeHistory(connection);
}

Result<int> installedHistoryVersion(db::Connection& connection)
{
    LOCKSCOPE_TRY(trustHistory(connection));
    const auto version = db::versionOf(connection, db::Statement::get("recording/postgres/history/exists"),
        db::Statement::get("recording/postgres/history/version"), u"The team's history"_s);
    if (version)
        return version;
    Error error = version.error();
    if (error.kind == ErrorKind::Permission)
        error.hint = u"GRANT lockscope_history_reader TO …; to read it, lockscope_history_writer to write."_s;
    return Failure(std::move(error));
}

Result<void> checkHistory(db::Connection& connection)
{
    LOCKSCOPE_TRY_GET(const auto version, installedHistoryVersion(connection));
    if (version == 0)
        return onServer(connection,
            failure(ErrorKind::MissingObject, u"There is no history in this database."_s,
                u"lockctl install --history --server %1"_s.arg(connection.url().toString())));
    return {};
}

Result<db::InstallReport> installHistory(db::Connection& connection, const QStringList& adoptedRoles)
{
    const auto before = installedHistoryVersion(connection);
    if (!before)
        return Failure(named(before.error(), u"Can't install a history: "_s + before.error().what));
    LOCKSCOPE_TRY_GET(const auto script, db::withAdoptedRoles(historyScript(), adoptedRoles));
    if (const auto done = connection.executeScript(script); !done)
        return Failure(named(done.error(), u"Can't install a history."_s));
    return db::InstallReport{*before, db::schemaVersion};
}

QByteArray historyScript()
{
    return db::Statement::get("recording/postgres/install.sql").sql() + '\n';
}

QStringList HistoryStanding::remarks() const
{
    QStringList remarks;
    if (isSuperuser)
        remarks << u"%1 is a superuser there. A writer of the history needs lockscope_history_writer alone."_s
                       .arg(user);
    else if (mayChange)
        remarks
            << u"%1 may change what is in the history. A writer of it needs lockscope_history_writer alone."_s
                   .arg(user);
    else if (mayRead)
        remarks
            << u"%1 may read what others have recorded there. A writer needs no lockscope_history_reader."_s
                   .arg(user);
    if (const auto wrong = std::chrono::abs(clockAhead); wrong >= wrongClock)
        remarks << u"Its clock is %1 %2 that of this machine. Days are kept by its clock."_s.arg(
            durationInWords(std::chrono::floor<milliseconds>(wrong)),
            clockAhead.count() > 0 ? u"ahead of"_s : u"behind"_s);
    return remarks;
}

Result<HistoryStanding> historyStanding(const db::Server& server)
{
    LOCKSCOPE_TRY_GET(const auto connection,
        server.connect({.purpose = db::Purpose::Admin, .programSuffix = u"history"_s}));
    LOCKSCOPE_TRY(checkHistory(*connection));
    HistoryStanding standing;
    bool mayWrite = false;
    bool isReadOnly = false;
    const ServerTime before = ownClock();
    LOCKSCOPE_TRY(connection->execute(
        db::Statement::get("recording/postgres/history/standing"), {}, [&](const db::Row& row) {
            mayWrite = row.boolean(0);
            standing.mayRead = row.boolean(1);
            standing.mayChange = row.boolean(2);
            standing.isSuperuser = row.boolean(3);
            isReadOnly = row.boolean(4);
            standing.user = row.text(5);
            standing.clockAhead = row.time(6) - (before + (ownClock() - before) / 2);
        }));
    if (!mayWrite)
        return failure(ErrorKind::Permission,
            u"%1 may not write into the history %2."_s.arg(standing.user, server.display()),
            u"GRANT lockscope_history_writer TO \"%1\";"_s.arg(
                QString(standing.user).replace(u'"', u"\"\""_s)));
    if (isReadOnly)
        return failure(ErrorKind::ReadOnly,
            u"The history %1 takes no changes: its server is a standby, or its database is read-only."_s.arg(
                server.display()),
            u"Name the primary, or all hosts with ?target_session_attrs=read-write."_s);
    return standing;
}

} // namespace lockscope::record
