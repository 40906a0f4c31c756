// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerDialect.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

struct Meaning {
    const char16_t* code; ///< error number or SQLSTATE; in `byText` a piece of the driver's text
    ErrorKind kind;
    const char16_t* hint;
};

constexpr const char16_t* passwordHint =
    u"Check user and password: set LOCKSCOPE_PASSWORD, use --password-stdin, or store it in the keychain.";
constexpr const char16_t* databaseHint =
    u"Check the database name in the URL, and that your login has a user in that database.";
constexpr const char16_t* accountHint =
    u"Ask the administrator: ALTER LOGIN … ENABLE, UNLOCK, or a new password.";
constexpr const char16_t* lostHint =
    u"The connection is gone, and with it the locks of this session. Connect again.";
constexpr const char16_t* notListeningHint = u"Check host and port in the URL, that the server runs and "
                                             u"accepts TCP, and that the firewall lets you in.";
constexpr const char16_t* hostHint = u"Check the host name in the URL.";
constexpr const char16_t* silentHint =
    u"The server does not answer. Check that it runs, and that no firewall drops the connection.";
constexpr const char16_t* tlsHint =
    u"The encrypted connection failed. Install the authority that signed the server's certificate, name the "
    u"host in "
    u"it with certificate=…, or, if you accept not to know who answers, say trust=yes in the URL.";
constexpr const char16_t* plainHint =
    u"This server can't encrypt. Give it a certificate, or, if you accept that "
    u"others can listen, say encrypt=no in the URL.";
constexpr const char16_t* driverHint = u"Install an ODBC driver for SQL Server: msodbcsql18 from Microsoft, "
                                       u"or tdsodbc (FreeTDS). Lockscope lists the "
                                       u"installed ones in the connection dialog.";
constexpr const char16_t* retryHint = u"The transaction was rolled back. Run it again.";
constexpr const char16_t* waitHint = u"Somebody else holds a lock that this needs. See the page Blocking.";
constexpr const char16_t* grantHint = u"Ask the owner for the right: GRANT … TO your user; to see other "
                                      u"sessions: GRANT VIEW SERVER STATE (from 2022 "
                                      u"VIEW SERVER PERFORMANCE STATE, Azure SQL Database VIEW DATABASE "
                                      u"STATE); to end them: GRANT ALTER ANY CONNECTION.";
constexpr const char16_t* preparedHint =
    u"It is prepared: only its coordinator (MS DTC) can end it. Commit or abort it there, in the list of "
    u"transactions of Component Services; if the coordinator has lost it, KILL '<its unit of work>' WITH "
    u"COMMIT or WITH ROLLBACK decides.";
constexpr const char16_t* busyHint = u"The server is short of resources at the moment. Try again.";

/// Babelfish's number of all errors that it has no number for.
constexpr const char16_t* otherProduct = u"33557097";

/// What the server says.
constexpr std::array byNumber{
    Meaning{u"1205", ErrorKind::Deadlock, retryHint},
    Meaning{u"1222", ErrorKind::Timeout, waitHint},
    Meaning{u"2627", ErrorKind::Duplicate, nullptr},
    Meaning{u"2601", ErrorKind::Duplicate, nullptr},
    Meaning{u"229", ErrorKind::Permission, grantHint},
    Meaning{u"230", ErrorKind::Permission, grantHint},
    Meaning{u"262", ErrorKind::Permission, grantHint},
    Meaning{u"297", ErrorKind::Permission, grantHint},
    Meaning{u"300", ErrorKind::Permission, grantHint},
    Meaning{u"371", ErrorKind::Permission, grantHint},
    Meaning{u"6102", ErrorKind::Permission, grantHint},
    Meaning{u"6110", ErrorKind::Changed, u"It has ended meanwhile. Look at the list again."},
    Meaning{u"6112", ErrorKind::BadInput, preparedHint},
    Meaning{u"15247", ErrorKind::Permission, grantHint},
    Meaning{u"207", ErrorKind::MissingObject, nullptr},
    Meaning{u"208", ErrorKind::MissingObject, nullptr},
    Meaning{u"1088", ErrorKind::MissingObject, nullptr},
    Meaning{u"2760", ErrorKind::MissingObject, nullptr},
    Meaning{u"2812", ErrorKind::MissingObject, nullptr},
    Meaning{u"3701", ErrorKind::MissingObject, nullptr},
    Meaning{u"4902", ErrorKind::MissingObject, nullptr},
    Meaning{u"15151", ErrorKind::MissingObject, nullptr},
    Meaning{u"18456", ErrorKind::Login, passwordHint},
    Meaning{u"18450", ErrorKind::Login, passwordHint},
    Meaning{u"18452", ErrorKind::Login,
        u"The server does not know your domain account: check the ticket (klist), or log in with a user and "
        u"password."},
    Meaning{u"18470", ErrorKind::Login, accountHint},
    Meaning{u"18486", ErrorKind::Login, accountHint},
    Meaning{u"18487", ErrorKind::Login, accountHint},
    Meaning{u"18488", ErrorKind::Login, accountHint},
    Meaning{u"4060", ErrorKind::Login, databaseHint},
    Meaning{u"911", ErrorKind::Login, databaseHint},
    Meaning{u"916", ErrorKind::Login, databaseHint},
    Meaning{
        u"40615", ErrorKind::Login, u"Ask the administrator for a firewall rule that lets this address in."},
    Meaning{u"3906", ErrorKind::ReadOnly, u"The database is read-only."},
    Meaning{u"3908", ErrorKind::ReadOnly, u"The database is read-only."},
    Meaning{
        u"978", ErrorKind::ReadOnly, u"This replica serves readers only: say intent=readonly in the URL."},
    Meaning{u"3960", ErrorKind::Changed, retryHint},
    Meaning{u"3930", ErrorKind::Server, u"The transaction has failed: roll back, then run it again."},
    Meaning{u"1204", ErrorKind::Server,
        u"The server is out of memory for locks: end or shorten big transactions."},
    Meaning{u"245", ErrorKind::BadInput, nullptr},
    Meaning{u"2628", ErrorKind::BadInput, nullptr},
    Meaning{u"8152", ErrorKind::BadInput, nullptr},
    Meaning{u"596", ErrorKind::Connection, lostHint},
    Meaning{u"6005", ErrorKind::Connection, lostHint},
    Meaning{u"17809", ErrorKind::Connection,
        u"The server has no free connection. Close idle programs, or raise 'user connections'."},
    Meaning{u"10928", ErrorKind::Connection, busyHint},
    Meaning{u"10929", ErrorKind::Connection, busyHint},
    Meaning{u"40197", ErrorKind::Connection, busyHint},
    Meaning{u"40501", ErrorKind::Connection, busyHint},
    Meaning{u"40613", ErrorKind::Connection, busyHint},
    Meaning{u"49918", ErrorKind::Connection, busyHint},
    Meaning{u"10053", ErrorKind::Connection, lostHint},
    Meaning{u"10054", ErrorKind::Connection, lostHint},
    Meaning{u"10060", ErrorKind::Connection, silentHint},
    Meaning{u"10061", ErrorKind::Connection, notListeningHint},
    Meaning{otherProduct, ErrorKind::Server,
        u"This server speaks SQL Server's protocol but is another product, and gives no number for this "
        u"error."},
};

/// What Babelfish has no number for, in the words of the PostgreSQL within.
constexpr std::array byOtherProductsText{
    Meaning{u"is not currently supported in Babelfish", ErrorKind::Unsupported, nullptr},
    Meaning{u"permission denied", ErrorKind::Permission, grantHint},
    Meaning{u"does not have permission", ErrorKind::Permission, grantHint},
    Meaning{u"must be owner of", ErrorKind::Permission, grantHint},
    Meaning{u"duplicate key value", ErrorKind::Duplicate, nullptr},
    Meaning{u"deadlock detected", ErrorKind::Deadlock, retryHint},
    Meaning{u"due to lock timeout", ErrorKind::Timeout, waitHint},
    Meaning{u"due to statement timeout", ErrorKind::Timeout, waitHint},
    Meaning{u"due to user request", ErrorKind::Cancelled, nullptr},
    Meaning{u"could not serialize access", ErrorKind::Changed, retryHint},
    Meaning{u"terminating connection", ErrorKind::Connection, lostHint},
};
constexpr std::array missingObjects{u"relation ", u"function ", u"procedure ", u"schema "};

/// What FreeTDS says by itself (20000 …), and the SQLSTATEs of the drivers and of the driver manager.
constexpr std::array byDriverCode{
    Meaning{u"20003", ErrorKind::Connection, silentHint},
    Meaning{u"20004", ErrorKind::Connection, lostHint},
    Meaning{u"20006", ErrorKind::Connection, lostHint},
    Meaning{u"20017", ErrorKind::Connection, lostHint},
    Meaning{u"20020", ErrorKind::Connection, lostHint},
    Meaning{u"20047", ErrorKind::Connection, lostHint},
    Meaning{u"20009", ErrorKind::Connection, notListeningHint},
    Meaning{u"20013", ErrorKind::Connection, hostHint},
    Meaning{u"20012", ErrorKind::Connection, hostHint},
    Meaning{u"20002", ErrorKind::Connection,
        u"The server answers, but the login did not succeed. Check user, password, database and encrypt= in "
        u"the URL."},
    Meaning{u"IM002", ErrorKind::Unsupported, driverHint},
    Meaning{u"IM003", ErrorKind::Unsupported, driverHint},
    Meaning{u"IM004", ErrorKind::Unsupported, driverHint},
    Meaning{u"28000", ErrorKind::Login, passwordHint},
    Meaning{u"40001", ErrorKind::Deadlock, retryHint},
    Meaning{u"08S01", ErrorKind::Connection, lostHint},
    Meaning{u"08003", ErrorKind::Connection, lostHint},
    Meaning{u"08007", ErrorKind::Connection, lostHint},
    Meaning{u"08001", ErrorKind::Connection, notListeningHint},
    Meaning{u"08004", ErrorKind::Connection, notListeningHint},
    Meaning{u"HYT01", ErrorKind::Connection, silentHint},
    Meaning{u"HYT00", ErrorKind::Timeout, u"The statement ran longer than it may."},
    Meaning{u"HY008", ErrorKind::Cancelled, nullptr},
    Meaning{u"HYC00", ErrorKind::Unsupported, nullptr},
};

/// Pieces of the drivers' texts that say more than their codes.
constexpr std::array byText{
    Meaning{u"Encryption not supported", ErrorKind::Connection, plainHint},
    Meaning{u"certificate", ErrorKind::Connection, tlsHint},
    Meaning{u"SSL", ErrorKind::Connection, tlsHint},
    Meaning{u"TLS", ErrorKind::Connection, tlsHint},
    Meaning{u"Can't open lib", ErrorKind::Unsupported, driverHint},
    // Microsoft's driver for a connection that was refused; it talks of a time-out as well.
    Meaning{u"Error code 0x2749", ErrorKind::Connection, notListeningHint},
    Meaning{u"Login timeout expired", ErrorKind::Connection, silentHint},
    Meaning{u"Unknown host", ErrorKind::Connection, hostHint},
    Meaning{u"Connection refused", ErrorKind::Connection, notListeningHint},
    Meaning{u"Communication link failure", ErrorKind::Connection, lostHint},
    Meaning{u"cannot be resolved", ErrorKind::Connection, hostHint},
    Meaning{u"Protocol error in TDS", ErrorKind::Connection,
        u"What answers there does not speak SQL Server's protocol. Check host and port in the URL."},
};

/// SQLSTATEs may look like numbers: "42000", "23000", "08001". The server's numbers of those ranges are about
/// replication, which nobody here asks for.
bool isServersNumber(const QString& code)
{
    bool isNumber = false;
    const int number = code.toInt(&isNumber);
    if (!isNumber || number <= 0 || code.startsWith(u'0'))
        return false;
    const bool isFreeTds = number >= 20'000 && number < 21'000;
    const bool isState = (number >= 21'000 && number < 29'000) || (number >= 40'001 && number <= 40'003)
        || number == 34'000 || number == 42'000 || number == 44'000;
    return !isFreeTds && !isState;
}

/// The first entry of `table` whose code is among `codes`: earlier entries say more than later ones.
template <size_t size>
std::optional<Meaning> findAny(const std::array<Meaning, size>& table, const QStringList& codes)
{
    for (const Meaning& meaning : table)
        if (codes.contains(QStringView(meaning.code)))
            return meaning;
    return std::nullopt;
}

template <size_t size>
std::optional<Meaning> findText(const std::array<Meaning, size>& table, const QString& text)
{
    for (const Meaning& meaning : table)
        if (text.contains(QStringView(meaning.code)))
            return meaning;
    return std::nullopt;
}

std::optional<Meaning> findOtherProductsText(const QString& text)
{
    const bool isMissing = text.contains(u"does not exist"_s)
        && std::any_of(missingObjects.begin(), missingObjects.end(),
            [&text](const char16_t* kind) { return text.startsWith(QStringView(kind)); });
    return isMissing ? Meaning{nullptr, ErrorKind::MissingObject, nullptr}
                     : findText(byOtherProductsText, text);
}

/// The code that decides, and what it means. A server's number says more than anything of the driver.
std::pair<QString, Meaning> decide(const QStringList& codes, const QString& text)
{
    QString number;
    for (const QString& code : codes) {
        if (!isServersNumber(code))
            continue;
        if (code == QStringView(otherProduct))
            if (const auto told = findOtherProductsText(text))
                return {code, *told};
        if (const auto known = findAny(byNumber, {code}))
            return {code, *known};
        if (number.isEmpty())
            number = code;
    }
    const auto driver = findAny(byDriverCode, codes);
    const QString deciding = !number.isEmpty() ? number
        : driver                               ? QString::fromUtf16(driver->code)
                                               : codes.value(0);
    // The number may be the operating system's, of a connection that was refused.
    if (driver || number.isEmpty())
        if (const auto told = findText(byText, text))
            return {deciding, *told};
    return {deciding, driver.value_or(Meaning{u"", ErrorKind::Server, nullptr})};
}

QString hintFor(const Meaning& meaning, const QString& text)
{
    if (meaning.kind == ErrorKind::MissingObject && text.contains(u"lockscope"_s))
        return u"Lockscope's schema is not installed in this database. Run: lockctl install --server URL"_s;
    return meaning.hint ? QString::fromUtf16(meaning.hint) : QString();
}

} // namespace

bool SqlServerDialect::can(Capability capability) const
{
    return reasonAgainst(capability).isEmpty();
}

QString SqlServerDialect::reasonAgainst(Capability capability) const
{
    switch (capability) {
    case Capability::CancelStatement:
        return u"On SQL Server only a statement's own client can cancel it; others can end its session."_s;
    case Capability::Notifications:
        return u"SQL Server can't wake a session that waits for a row."_s;
    case Capability::LockView:
        return lacksView(u"dm_tran_locks"_s) ? u"This server has no view sys.dm_tran_locks."_s : QString();
    case Capability::StatementPlans:
        return lacksView(u"dm_exec_requests"_s) ? u"This server has no view sys.dm_exec_requests."_s
                                                : QString();
    case Capability::WaitStartTimes:
        return lacksView(u"dm_os_waiting_tasks"_s) ? u"This server has no view sys.dm_os_waiting_tasks."_s
                                                   : QString();
    case Capability::Sessions:
    case Capability::EndSession:
        return lacksView(u"dm_exec_sessions"_s) ? u"This server has no view sys.dm_exec_sessions."_s
                                                : QString();
    default:
        return {};
    }
}

QString SqlServerDialect::parameterMarker(qsizetype number) const
{
    return u"@P%1"_s.arg(number);
}

QString SqlServerDialect::grantOfRole(const QString& role, const QString& member) const
{
    return u"ALTER ROLE %1 ADD MEMBER %2;"_s.arg(role, member);
}

QString SqlServerDialect::quoted(const QString& identifier) const
{
    QString escaped = identifier;
    escaped.replace(u']', u"]]"_s);
    return u'[' + escaped + u']';
}

Error SqlServerDialect::mapError(const QString& code, const QString& text, const QString& whatFailed) const
{
    const auto [deciding, meaning] = decide(code.split(u';', Qt::SkipEmptyParts), text);
    Error error;
    error.kind = meaning.kind;
    error.what = whatFailed;
    error.detail = text;
    error.hint = hintFor(meaning, text);
    error.nativeCode = deciding;
    return error;
}

} // namespace lockscope::db
