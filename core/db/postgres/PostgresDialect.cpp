// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresDialect.h"

#include <array>

namespace lockscope::db {

namespace {

struct Meaning {
    const char* start; ///< beginning of the SQLSTATE, or a piece of libpq's text
    ErrorKind kind;
    const char16_t* hint;
};

constexpr const char16_t* passwordHint =
    u"Check user and password: set LOCKSCOPE_PASSWORD, use --password-stdin, or store it in the keychain.";
constexpr const char16_t* databaseHint = u"Check the database name in the URL, or create it with createdb.";
constexpr const char16_t* roleHint = u"Check the user name in the URL, or create the role with createuser.";
constexpr const char16_t* hbaHint =
    u"Ask the administrator for a line in pg_hba.conf that lets this user in from this machine.";
constexpr const char16_t* crowdedHint =
    u"The server has no free connection. Close idle programs, or raise max_connections or the role's limit.";
constexpr const char16_t* startingHint = u"The server is starting or stopping. Try again in a moment.";
constexpr const char16_t* lostHint =
    u"The connection is gone, and with it the locks of this session. Connect again.";
constexpr const char16_t* notListeningHint = u"Check host and port in the URL, that the server runs, and "
                                             u"that listen_addresses and the firewall let you in.";
constexpr const char16_t* hostHint = u"Check the host name in the URL.";
constexpr const char16_t* silentHint =
    u"The server does not answer. Check that it runs, and that no firewall drops the connection.";
constexpr const char16_t* tlsHint =
    u"Check sslmode and sslrootcert in the URL against what the server offers.";
constexpr const char16_t* attributesHint =
    u"None of the URL's hosts is at this moment such a server as its target_session_attrs asks for.";
constexpr const char16_t* optionHint = u"Check the options after the ? of the URL.";
constexpr const char16_t* retryHint = u"Nothing was changed. Run it again.";

/// More special codes come before their class.
constexpr std::array byCode{
    Meaning{"28", ErrorKind::Login, passwordHint},
    Meaning{"3D000", ErrorKind::Login, databaseHint},
    Meaning{"42501", ErrorKind::Permission,
        u"Ask the owner for the right: GRANT … ON … TO your role; to see other sessions: GRANT pg_monitor TO "
        u"your role; to end them: GRANT pg_signal_backend TO your role."},
    Meaning{"42P01", ErrorKind::MissingObject, nullptr},
    Meaning{"3F000", ErrorKind::MissingObject, nullptr},
    Meaning{"42883", ErrorKind::MissingObject, nullptr},
    Meaning{"42703", ErrorKind::MissingObject, nullptr},
    Meaning{"42704", ErrorKind::MissingObject, nullptr},
    Meaning{"53300", ErrorKind::Connection, crowdedHint},
    Meaning{"53", ErrorKind::Server, u"The server is short of memory, disk or shared lock space."},
    Meaning{
        "55P03", ErrorKind::Timeout, u"Somebody else holds a lock that this needs. See the page Blocking."},
    Meaning{"57014", ErrorKind::Timeout,
        u"The server stopped the statement: statement_timeout, or somebody cancelled it."},
    Meaning{"57P01", ErrorKind::Connection, lostHint},
    Meaning{"57P02", ErrorKind::Connection, lostHint},
    Meaning{"57P03", ErrorKind::Connection, startingHint},
    Meaning{"57P04", ErrorKind::Connection, lostHint},
    Meaning{"57P05", ErrorKind::Connection, lostHint},
    Meaning{"25P03", ErrorKind::Connection, lostHint},
    Meaning{"40P01", ErrorKind::Deadlock, retryHint},
    Meaning{"40001", ErrorKind::Changed, retryHint},
    Meaning{"23505", ErrorKind::Duplicate, nullptr},
    Meaning{"25006", ErrorKind::ReadOnly, u"The session or the server (a standby?) is read-only."},
    Meaning{"0A000", ErrorKind::Unsupported, nullptr},
    Meaning{"22021", ErrorKind::BadInput, nullptr},
    Meaning{
        "2BP01", ErrorKind::Server, u"Something that is not Lockscope's depends on it. Nothing was removed."},
    Meaning{"08", ErrorKind::Connection, lostHint},
};

/// Failures to connect have no SQLSTATE in libpq 15, only text. With other languages than English the
/// words differ; then the error is a plain Connection one with the text as its detail.
constexpr std::array byText{
    Meaning{"password authentication failed", ErrorKind::Login, passwordHint},
    Meaning{"no password supplied", ErrorKind::Login, passwordHint},
    Meaning{"authentication failed", ErrorKind::Login, passwordHint},
    Meaning{"pg_hba.conf", ErrorKind::Login, hbaHint},
    Meaning{"is not permitted to log in", ErrorKind::Login, u"Ask the administrator: ALTER ROLE … LOGIN."},
    Meaning{"permission denied for database", ErrorKind::Login,
        u"Ask the administrator: GRANT CONNECT ON DATABASE … TO your role."},
    Meaning{"too many connections", ErrorKind::Connection, crowdedHint},
    Meaning{"too many clients", ErrorKind::Connection, crowdedHint},
    Meaning{"remaining connection slots", ErrorKind::Connection, crowdedHint},
    Meaning{"the database system is", ErrorKind::Connection, startingHint},
    Meaning{"Connection refused", ErrorKind::Connection, notListeningHint},
    Meaning{"No such file or directory", ErrorKind::Connection, notListeningHint},
    Meaning{"could not translate host name", ErrorKind::Connection, hostHint},
    Meaning{"timeout expired", ErrorKind::Connection, silentHint},
    Meaning{"timed out", ErrorKind::Connection, silentHint},
    Meaning{"invalid connection option", ErrorKind::BadInput, optionHint},
    Meaning{"for connection option", ErrorKind::BadInput, optionHint},
    Meaning{"invalid sslmode value", ErrorKind::BadInput, optionHint},
    Meaning{"invalid target_session_attrs value", ErrorKind::BadInput, optionHint},
    Meaning{"unsupported startup parameter", ErrorKind::BadInput,
        u"A pooler stands between and passes not every option on: take it out of the URL."},
    Meaning{"SSL", ErrorKind::Connection, tlsHint},
    Meaning{"certificate", ErrorKind::Connection, tlsHint},
    Meaning{"session is read-only", ErrorKind::Connection, attributesHint},
    Meaning{"session is not read-only", ErrorKind::Connection, attributesHint},
    Meaning{"server is in hot standby", ErrorKind::Connection, attributesHint},
    Meaning{"server is not in hot standby", ErrorKind::Connection, attributesHint},
    Meaning{"terminating connection", ErrorKind::Connection, lostHint},
    Meaning{"server closed the connection", ErrorKind::Connection, lostHint},
};

std::optional<Meaning> meaningOfText(const QString& text)
{
    // "database "x" does not exist" and "role "x" does not exist" have a name in their middle.
    if (text.contains(QLatin1String("does not exist"))) {
        if (text.contains(QLatin1String("database \"")))
            return Meaning{"", ErrorKind::Login, databaseHint};
        if (text.contains(QLatin1String("role \"")))
            return Meaning{"", ErrorKind::Login, roleHint};
    }
    for (const Meaning& meaning : byText)
        if (text.contains(QLatin1String(meaning.start)))
            return meaning;
    return std::nullopt;
}

Meaning meaningOfCode(const QString& code)
{
    for (const Meaning& meaning : byCode)
        if (code.startsWith(QLatin1String(meaning.start)))
            return meaning;
    return {"", ErrorKind::Server, nullptr};
}

QString hintFor(const Meaning& meaning, const QString& text)
{
    if (meaning.kind == ErrorKind::MissingObject && text.contains(QLatin1String("lockscope")))
        return QStringLiteral(
            "Lockscope's schema is not installed in this database. Run: lockctl install --server URL");
    return meaning.hint ? QString::fromUtf16(meaning.hint) : QString();
}

} // namespace

bool PostgresDialect::can(Capability capability) const
{
    return reasonAgainst(capability).isEmpty();
}

QString PostgresDialect::reasonAgainst(Capability capability) const
{
    if (capability == Capability::UpdateAndIntentModes)
        return QStringLiteral("PostgreSQL's advisory locks know the modes Shared and Exclusive only.");
    if (capability == Capability::StatementPlans)
        return QStringLiteral("PostgreSQL shows the plan of a statement to no other session. The module "
                              "auto_explain writes plans into the server's log.");
    const bool needsSession =
        capability == Capability::SessionLocks || capability == Capability::Notifications;
    if (needsSession && m_link == Link::Pool)
        return QStringLiteral("A pooler in transaction mode stands between: connect directly to the server. "
                              "If it is in session mode, say pooler=session in the URL.");
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

QString PostgresDialect::quoted(const QString& identifier) const
{
    QString escaped = identifier;
    escaped.replace(u'"', QStringLiteral("\"\""));
    return u'"' + escaped + u'"';
}

bool PostgresDialect::knowsText(const QString& text) const
{
    return meaningOfText(text).has_value();
}

Error PostgresDialect::mapError(const QString& code, const QString& text, const QString& whatFailed) const
{
    const Meaning meaning = code.isEmpty()
        ? meaningOfText(text).value_or(Meaning{"", ErrorKind::Connection, notListeningHint})
        : meaningOfCode(code);
    Error error;
    error.kind = meaning.kind;
    error.what = whatFailed;
    error.detail = text;
    error.hint = hintFor(meaning, text);
    error.nativeCode = code;
    return error;
}

} // namespace lockscope::db
