// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaInstaller.h"

#include "core/base/Mutex.h"
#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"

#include <QRegularExpression>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

Error named(Error error, const QString& what)
{
    error.what = what;
    return error;
}

/// Two installations that meet are told apart by the server: one is refused and changes nothing. It tries
/// again.
Result<void> runInTurn(Connection& connection, const QByteArray& script)
{
    LOCKSCOPE_TRY(trustEventTriggers(connection));
    constexpr int maxTries = 6;
    for (int tried = 1;; ++tried) {
        const Result<void> done = connection.executeScript(script);
        if (done || tried == maxTries
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
                QStringLiteral("Name one that a refused installation has named."));
    QByteArray filled = script;
    return filled.replace(place, place.chopped(1) + adoptedRoles.join(u' ').toUtf8() + '\'');
}

QString refusedRole(const Error& error)
{
    static const QRegularExpression refused(
        QStringLiteral("The role (lockscope_\\w+) is there, and is not what Lockscope makes"));
    return error.nativeCode == QLatin1String("0P000") ? refused.match(error.detail).captured(1) : QString();
}

Result<int> versionOf(
    Connection& connection, const Statement& exists, const Statement& version, const QString& name)
{
    bool isThere = false;
    QStringList found;
    auto asked = connection.execute(exists, {}, [&](const Row& row) { isThere = row.boolean(0); });
    if (asked && isThere)
        asked = connection.execute(version, {}, [&](const Row& row) { found << row.text(0); });
    if (!asked)
        return Failure(named(asked.error(), u"Can't read the version of %1."_s.arg(name)));
    if (!isThere)
        return 0;
    if (found == QStringList{QString::number(schemaVersion)})
        return schemaVersion;
    Failure refused = failure(ErrorKind::Unsupported,
        u"%1 has %2; this program knows version %3 only."_s.arg(name,
            found.isEmpty() ? u"no version"_s : u"version "_s + found.join(u", "_s),
            QString::number(schemaVersion)),
        u"Use the Lockscope that installed it. Or remove it by hand, with all that is in it, and install again."_s);
    refused.value().server = connection.url().display();
    return refused;
}

Result<int> installedSchemaVersion(Connection& connection)
{
    LOCKSCOPE_TRY(trustSchema(connection, SchemaUse::Reading));
    return versionOf(connection, schemaStatement(connection.dialect(), "schema/exists"),
        schemaStatement(connection.dialect(), "schema/version"), u"Lockscope's schema"_s);
}

Result<void> usableSchema(Connection& connection, SchemaUse use)
{
    if (auto trusted = trustSchema(connection, use); !trusted || connection.schemaFaults().isOurVersion)
        return trusted;
    const Result<int> version = installedSchemaVersion(connection);
    connection.schemaFaults().isOurVersion = version && *version == schemaVersion;
    // A login without rights on the schema gets a better answer from what it does there.
    if (!version && version.error().kind != ErrorKind::Permission)
        return Failure(version.error());
    return {};
}

Result<InstallReport> installSchema(Connection& connection, const QStringList& adoptedRoles)
{
    connection.forgetJudged();
    // Nothing is put into somebody else's schema.
    if (const auto trusted = trustSchema(connection, SchemaUse::Calling); !trusted)
        return Failure(named(trusted.error(),
            QStringLiteral("Can't install Lockscope's schema: it is there and not to be trusted.")));
    LOCKSCOPE_TRY_GET(const int before, installedSchemaVersion(connection));
    const InstallReport report{before, schemaVersion};
    LOCKSCOPE_TRY_GET(const auto script,
        withAdoptedRoles(schemaStatement(connection.dialect(), "install.sql").sql(), adoptedRoles));
    const Result<void> done = runInTurn(connection, script);
    connection.forgetJudged(); // it is another one now
    if (done)
        return report;
    // A login that may only use the schema finds it installed, and that is what was asked for.
    if (done.error().kind == ErrorKind::Permission && before == schemaVersion)
        return report;
    return Failure(named(done.error(), QStringLiteral("Can't install Lockscope's schema.")));
}

Result<UninstallPreview> previewUninstall(Connection& connection)
{
    LOCKSCOPE_TRY_GET(const int version, installedSchemaVersion(connection));
    UninstallPreview preview;
    preview.version = version;
    if (version == 0)
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
    LOCKSCOPE_TRY(installedSchemaVersion(connection));
    LOCKSCOPE_TRY(trustEventTriggers(connection));
    const Result<void> done =
        connection.executeScript(schemaStatement(connection.dialect(), "uninstall.sql").sql());
    connection.forgetJudged();
    return done
        ? done
        : Result<void>(Failure(named(done.error(), QStringLiteral("Can't remove Lockscope's schema."))));
}

} // namespace lockscope::db
