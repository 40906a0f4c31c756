// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresDialect.h"

#include <algorithm>
#include <array>

namespace lockscope::db {

namespace {

constexpr QStringView databaseHint = u"Check the database name in the URL, or create it with createdb.";
constexpr QStringView roleHint = u"Check the user name in the URL, or create the role with createuser.";
constexpr QStringView hbaHint =
    u"Ask the administrator for a line in pg_hba.conf that lets this user in from this machine.";
constexpr QStringView crowdedHint =
    u"The server has no free connection. Close idle programs, or raise max_connections or the role's limit.";
constexpr QStringView startingHint = u"The server is starting or stopping. Try again in a moment.";
constexpr QStringView notListeningHint =
    u"Check host and port in the URL, that the server runs, and that listen_addresses and the firewall let you in.";
constexpr QStringView tlsHint = u"Check sslmode and sslrootcert in the URL against what the server offers.";
constexpr QStringView attributesHint =
    u"None of the URL's hosts is now such a server as its target_session_attrs asks for.";
constexpr QStringView optionHint = u"Check the options after the ? of the URL.";
constexpr QStringView retryHint = u"Nothing was changed. Run it again.";

/// More special codes come before their class.
constexpr auto byCode = std::to_array<ErrorMeaning>({
    {u"28", ErrorKind::Login, loginHint},
    {u"3D000", ErrorKind::Login, databaseHint},
    {u"42501", ErrorKind::Permission,
        u"Ask the owner for the right: GRANT … ON … TO your role; to see other sessions: GRANT pg_monitor TO your role; to end them: GRANT pg_signal_backend TO your role."},
    {u"42P01", ErrorKind::MissingObject},
    {u"3F000", ErrorKind::MissingObject},
    {u"42883", ErrorKind::MissingObject},
    {u"42703", ErrorKind::MissingObject},
    {u"42704", ErrorKind::MissingObject},
    {u"53300", ErrorKind::Connection, crowdedHint},
    {u"53", ErrorKind::Server, u"The server is short of memory, disk or shared lock space."},
    {u"55P03", ErrorKind::Timeout, u"Somebody else holds a lock that this needs. See the page Blocking."},
    {u"57014", ErrorKind::Timeout,
        u"The server stopped the statement: statement_timeout, or somebody cancelled it."},
    {u"57P01", ErrorKind::Connection, lostHint},
    {u"57P02", ErrorKind::Connection, lostHint},
    {u"57P03", ErrorKind::Connection, startingHint},
    {u"57P04", ErrorKind::Connection, lostHint},
    {u"57P05", ErrorKind::Connection, lostHint},
    {u"25P03", ErrorKind::Connection, lostHint},
    {u"40P01", ErrorKind::Deadlock, retryHint},
    {u"40001", ErrorKind::Changed, retryHint},
    {u"23505", ErrorKind::Duplicate},
    {u"25006", ErrorKind::ReadOnly,
        u"The session or the server (a standby?) is read-only. Sessions begin with default_transaction_read_only, of the server, the database, the user, or the pooler's session."},
    {u"0A000", ErrorKind::Unsupported},
    {u"22021", ErrorKind::BadInput},
    {u"0P000", ErrorKind::Server,
        u"Find out who made the role, and why. DROP ROLE …, and install again; or repair what is named; or, if its members may do here what it may, name it: lockctl install --adopt-role …"},
    {u"2BP01", ErrorKind::Server, u"Something that is not Lockscope's depends on it. Nothing was removed."},
    {u"08", ErrorKind::Connection, lostHint},
});

/// Failures to connect have no SQLSTATE in libpq 15, only text. With other languages than English the
/// words differ; then the error is a plain Connection one with the text as its detail.
constexpr auto byText = std::to_array<ErrorMeaning>({
    {u"password authentication failed", ErrorKind::Login, loginHint},
    {u"no password supplied", ErrorKind::Login, loginHint},
    {u"authentication failed", ErrorKind::Login, loginHint},
    {u"pg_hba.conf", ErrorKind::Login, hbaHint},
    {u"is not permitted to log in", ErrorKind::Login, u"Ask the administrator: ALTER ROLE … LOGIN."},
    {u"permission denied for database", ErrorKind::Login,
        u"Ask the administrator: GRANT CONNECT ON DATABASE … TO your role."},
    {u"too many connections", ErrorKind::Connection, crowdedHint},
    {u"too many clients", ErrorKind::Connection, crowdedHint},
    {u"remaining connection slots", ErrorKind::Connection, crowdedHint},
    {u"the database system is", ErrorKind::Connection, startingHint},
    {u"Connection refused", ErrorKind::Connection, notListeningHint},
    {u"No such file or directory", ErrorKind::Connection, notListeningHint},
    {u"could not translate host name", ErrorKind::Connection, hostHint},
    {u"timeout expired", ErrorKind::Connection, silentHint},
    {u"timed out", ErrorKind::Connection, silentHint},
    {u"invalid connection option", ErrorKind::BadInput, optionHint},
    {u"for connection option", ErrorKind::BadInput, optionHint},
    {u"invalid sslmode value", ErrorKind::BadInput, optionHint},
    {u"invalid target_session_attrs value", ErrorKind::BadInput, optionHint},
    {u"unsupported startup parameter", ErrorKind::BadInput,
        u"A pooler stands between and passes not every option on: take it out of the URL."},
    {u"SSL", ErrorKind::Connection, tlsHint},
    {u"certificate", ErrorKind::Connection, tlsHint},
    {u"session is read-only", ErrorKind::Connection, attributesHint},
    {u"session is not read-only", ErrorKind::Connection, attributesHint},
    {u"server is in hot standby", ErrorKind::Connection, attributesHint},
    {u"server is not in hot standby", ErrorKind::Connection, attributesHint},
    {u"terminating connection", ErrorKind::Connection, lostHint},
    {u"server closed the connection", ErrorKind::Connection, lostHint},
});

std::optional<ErrorMeaning> meaningOfText(const QString& text)
{
    // "database "x" does not exist" and "role "x" does not exist" have a name in their middle.
    if (text.contains(QLatin1String("does not exist"))) {
        if (text.contains(QLatin1String("database \"")))
            return ErrorMeaning{{}, ErrorKind::Login, databaseHint};
        if (text.contains(QLatin1String("role \"")))
            return ErrorMeaning{{}, ErrorKind::Login, roleHint};
    }
    return findInText(byText, text);
}

ErrorMeaning meaningOfCode(const QString& code)
{
    const auto found = std::find_if(byCode.begin(), byCode.end(),
        [&code](const ErrorMeaning& meaning) { return code.startsWith(meaning.sign); });
    return found != byCode.end() ? *found : ErrorMeaning();
}

} // namespace

QString PostgresDialect::reasonAgainst(Capability capability) const
{
    if (capability == Capability::UpdateAndIntentModes)
        return QStringLiteral("PostgreSQL's advisory locks know the modes Shared and Exclusive only.");
    if (capability == Capability::StatementPlans)
        return QStringLiteral(
            "PostgreSQL shows the plan of a statement to no other session. The module auto_explain writes plans into the server's log.");
    if (capability == Capability::DriverChoice)
        return QStringLiteral("PostgreSQL is reached by its own library.");
    const bool needsSession =
        capability == Capability::SessionLocks || capability == Capability::Notifications;
    if (needsSession && m_link == Link::Pool)
        return QStringLiteral(
            "A pooler in transaction mode stands between: connect directly to the server. If it is in session mode, say pooler=session in the URL.");
    return {};
}

QString PostgresDialect::parameterMarker(qsizetype number) const
{
    return u'$' + QString::number(number);
}

QString PostgresDialect::grantOfRole(const QString& role, const QString& member) const
{
    return QStringLiteral("GRANT %1 TO %2;").arg(role, member);
}

bool PostgresDialect::knowsText(const QString& text) const
{
    return meaningOfText(text).has_value();
}

Dialect::Decision PostgresDialect::decide(const QString& code, const QString& text) const
{
    return {code,
        code.isEmpty()
            ? meaningOfText(text).value_or(ErrorMeaning{{}, ErrorKind::Connection, notListeningHint})
            : meaningOfCode(code)};
}

} // namespace lockscope::db
