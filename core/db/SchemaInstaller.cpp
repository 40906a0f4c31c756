// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaInstaller.h"

#include "core/base/SleepFor.h"
#include "core/db/SchemaFile.h"
#include "core/db/SchemaTrust.h"
#include "core/domain/PerEngine.h"

#include <QRegularExpression>

namespace lockscope::db {

namespace {

/// The one row that `file` returns, as `read` sees it.
template <class Value>
Result<Value> askFor(Connection& connection, const char* file, Value (*read)(const Row&))
{
    Value value{};
    const Result<qint64> rows = connection.execute(
        schemaStatement(connection.dialect(), file), {}, [&](const Row& row) { value = read(row); });
    if (rows)
        return value;
    Error error = rows.error();
    error.what = QStringLiteral("Can't read the version of Lockscope's schema.");
    return Failure(std::move(error));
}

Error named(Error error, const QString& what)
{
    error.what = what;
    return error;
}

Failure tooNew(const Connection& connection, int version)
{
    Failure refused = failure(ErrorKind::Unsupported,
        QStringLiteral("Lockscope's schema there is of version %1; this program knows versions up to %2.")
            .arg(version)
            .arg(currentSchemaVersion(connection.engine())),
        QStringLiteral("Use a newer Lockscope with this server."));
    refused.value().server = connection.url().display();
    return refused;
}

/// Tables of SQLite's can't be given checks: version 1 is made anew around the script.
QByteArray installScript(const Connection& connection, int before)
{
    const auto text = [&connection](const char* file) {
        return schemaStatement(connection.dialect(), file).sql() + '\n';
    };
    const QByteArray install = text("install.sql");
    return connection.engine() == Engine::Sqlite && before == 1
        ? text("upgrade_begin.sql") + install + text("upgrade_end.sql")
        : install;
}

/// Two installations that meet are told apart by the server: one is refused and changes nothing. It tries
/// again.
Result<void> runInTurn(Connection& connection, const QByteArray& script)
{
    if (auto trusted = trustEventTriggers(connection); !trusted)
        return trusted;
    constexpr int mostTries = 6;
    for (int tried = 1;; ++tried) {
        const Result<void> done = connection.executeScript(script);
        if (done || tried == mostTries
            || (done.error().kind != ErrorKind::Deadlock && done.error().kind != ErrorKind::Duplicate))
            return done;
        sleepFor(milliseconds(50) * tried, {});
    }
}

} // namespace

Result<QByteArray> withAdoptedRoles(const QByteArray& script, const QStringList& adoptedRoles)
{
    if (adoptedRoles.isEmpty())
        return script;
    const QByteArray place = "set_config('lockscope.adopted_roles', ''";
    if (!script.contains(place))
        return failure(
            ErrorKind::Unsupported, QStringLiteral("Only an installation on PostgreSQL adopts roles."));
    for (const QString& role : adoptedRoles)
        if (!role.startsWith(QStringLiteral("lockscope_")) || !script.contains('\'' + role.toUtf8() + '\''))
            return failure(ErrorKind::BadInput,
                QStringLiteral("%1 is no role that the installation makes.").arg(role),
                QStringLiteral("Name one that a refused installation has told."));
    QByteArray filled = script;
    return filled.replace(place, place.chopped(1) + adoptedRoles.join(u' ').toUtf8() + '\'');
}

QString refusedRole(const Error& error)
{
    static const QRegularExpression refused(
        QStringLiteral("The role (lockscope_\\w+) is there, and is not what Lockscope makes"));
    return error.nativeCode == QLatin1String("0P000") ? refused.match(error.detail).captured(1) : QString();
}

int currentSchemaVersion(Engine engine)
{
    static constexpr PerEngine<int> versions{.postgres = 4, .sqlServer = 4, .sqlite = 2};
    return versions[engine];
}

Result<int> installedSchemaVersion(Connection& connection)
{
    if (const auto trusted = trustSchema(connection, SchemaUse::Reading); !trusted)
        return Failure(trusted.error());
    const auto exists =
        askFor<bool>(connection, "schema/exists", [](const Row& row) { return row.boolean(0); });
    if (!exists)
        return Failure(exists.error());
    if (!*exists)
        return 0;
    return askFor<int>(
        connection, "schema/version", [](const Row& row) { return static_cast<int>(row.int64(0)); });
}

Result<InstallReport> installSchema(Connection& connection, const QStringList& adoptedRoles)
{
    connection.forgetJudged();
    // Nothing is put into somebody else's schema.
    if (const auto trusted = trustSchema(connection, SchemaUse::Calling); !trusted)
        return Failure(named(trusted.error(),
            QStringLiteral("Can't install Lockscope's schema: it is there and not to be trusted.")));
    const Result<int> before = installedSchemaVersion(connection);
    if (!before)
        return Failure(before.error());
    const int ours = currentSchemaVersion(connection.engine());
    if (*before > ours)
        return tooNew(connection, *before);
    const InstallReport report{*before, ours};
    const auto script = withAdoptedRoles(installScript(connection, *before), adoptedRoles);
    if (!script)
        return Failure(script.error());
    const Result<void> done = runInTurn(connection, *script);
    connection.forgetJudged(); // it is another one now
    if (done)
        return report;
    // Who may only use the schema finds it installed, and that is what was asked for.
    if (done.error().kind == ErrorKind::Permission && *before == ours)
        return report;
    return Failure(named(done.error(), QStringLiteral("Can't install Lockscope's schema.")));
}

Result<UninstallPreview> previewUninstall(Connection& connection)
{
    const Result<int> version = installedSchemaVersion(connection);
    if (!version)
        return Failure(version.error());
    if (*version > currentSchemaVersion(connection.engine()))
        return tooNew(connection, *version);
    UninstallPreview preview;
    preview.version = *version;
    if (*version == 0)
        return preview;
    const Result<qint64> counted = connection.execute(
        schemaStatement(connection.dialect(), "schema/uninstall_preview"), {}, [&preview](const Row& row) {
            preview.entries = row.int64(0);
            preview.waiters = row.int64(1);
            preview.auditRows = row.int64(2);
            preview.surrogateTables = row.int64(3);
            preview.surrogateKeys = row.int64(4);
        });
    if (!counted)
        return Failure(named(counted.error(), QStringLiteral("Can't see what would be removed.")));
    return preview;
}

Result<void> uninstallSchema(Connection& connection)
{
    const Result<int> before = installedSchemaVersion(connection);
    if (!before)
        return Failure(before.error());
    if (*before > currentSchemaVersion(connection.engine()))
        return tooNew(connection, *before);
    if (auto trusted = trustEventTriggers(connection); !trusted)
        return trusted;
    const Result<void> done =
        connection.executeScript(schemaStatement(connection.dialect(), "uninstall.sql").sql());
    connection.forgetJudged();
    return done
        ? done
        : Result<void>(Failure(named(done.error(), QStringLiteral("Can't remove Lockscope's schema."))));
}

} // namespace lockscope::db
