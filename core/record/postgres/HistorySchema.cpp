// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/HistorySchema.h"

#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

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
    if (const auto trusted = trustHistory(connection); !trusted)
        return Failure(trusted.error());
    const auto version = db::versionOf(connection, db::Statement::get("recording/postgres/history/exists"),
        db::Statement::get("recording/postgres/history/version"), u"The team's history"_s);
    if (version)
        return version;
    Error error = version.error();
    if (error.kind == ErrorKind::Permission)
        error.hint =
            u"GRANT lockscope_history_reader TO …; to look at it, lockscope_history_writer to write."_s;
    return Failure(std::move(error));
}

Result<void> checkHistory(db::Connection& connection)
{
    const auto version = installedHistoryVersion(connection);
    if (!version)
        return Failure(version.error());
    if (*version == 0)
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
    const auto script = db::withAdoptedRoles(historyScript(), adoptedRoles);
    if (!script)
        return Failure(script.error());
    if (const auto done = connection.executeScript(*script); !done)
        return Failure(named(done.error(), u"Can't install a history."_s));
    return db::InstallReport{*before, db::schemaVersion};
}

QByteArray historyScript()
{
    return db::Statement::get("recording/postgres/install.sql").sql() + '\n';
}

} // namespace lockscope::record
