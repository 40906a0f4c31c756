// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerDialect.h"

#include "core/domain/Engine.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

constexpr QStringView databaseUserHint =
    u"Check the database name in the URL, and that your login has a user in that database.";
constexpr QStringView accountHint =
    u"Ask the administrator: ALTER LOGIN … ENABLE, UNLOCK, or a new password.";
constexpr QStringView tcpHint =
    u"Check host and port in the URL, that the server runs and accepts TCP, and that the firewall lets you in.";
constexpr QStringView certificateHint =
    u"The encrypted connection failed. Install the authority that signed the server's certificate, name the host in it with certificate=…, or, if you accept not to know who answers, say trust=yes in the URL.";
constexpr QStringView plainHint =
    u"This server can't encrypt. Give it a certificate, or, if you accept that others can listen, say encrypt=no in the URL.";
constexpr QStringView driverHint =
    u"Install an ODBC driver for SQL Server: msodbcsql18 from Microsoft, or tdsodbc (FreeTDS). Lockscope lists the installed ones in the connection dialog.";
constexpr QStringView rolledBackHint = u"The transaction was rolled back. Run it again.";
constexpr QStringView waitHint = u"Somebody else holds a lock that this needs. See the page Blocking.";
constexpr QStringView grantHint =
    u"Ask the owner for the right: GRANT … TO your user; to see other sessions: GRANT VIEW SERVER STATE (from 2022 VIEW SERVER PERFORMANCE STATE, Azure SQL Database VIEW DATABASE STATE); to end them: GRANT ALTER ANY CONNECTION.";
constexpr QStringView preparedHint =
    u"It is prepared: only its coordinator (MS DTC) can end it. Commit or abort it there, in the list of transactions of Component Services; if the coordinator has lost it, KILL '<its unit of work>' WITH COMMIT or WITH ROLLBACK decides.";
constexpr QStringView shortageHint = u"The server is short of resources at the moment. Try again.";

/// Babelfish's number of all errors that it has no number for.
constexpr QStringView otherProduct = u"33557097";

/// The meanings of the server's errors.
constexpr auto byNumber = std::to_array<ErrorMeaning>({
    {u"1205", ErrorKind::Deadlock, rolledBackHint},
    {u"1222", ErrorKind::Timeout, waitHint},
    {u"2627", ErrorKind::Duplicate},
    {u"2601", ErrorKind::Duplicate},
    {u"229", ErrorKind::Permission, grantHint},
    {u"230", ErrorKind::Permission, grantHint},
    {u"262", ErrorKind::Permission, grantHint},
    {u"297", ErrorKind::Permission, grantHint},
    {u"300", ErrorKind::Permission, grantHint},
    {u"371", ErrorKind::Permission, grantHint},
    {u"6102", ErrorKind::Permission, grantHint},
    {u"6110", ErrorKind::Changed, u"It has ended meanwhile. Look at the list again."},
    {u"6112", ErrorKind::BadInput, preparedHint},
    {u"15247", ErrorKind::Permission, grantHint},
    {u"207", ErrorKind::MissingObject},
    {u"208", ErrorKind::MissingObject},
    {u"1088", ErrorKind::MissingObject},
    {u"2760", ErrorKind::MissingObject},
    {u"2812", ErrorKind::MissingObject},
    {u"3701", ErrorKind::MissingObject},
    {u"4902", ErrorKind::MissingObject},
    {u"15151", ErrorKind::MissingObject},
    {u"18456", ErrorKind::Login, loginHint},
    {u"18450", ErrorKind::Login, loginHint},
    {u"18452", ErrorKind::Login,
        u"The server does not know your domain account: check the ticket (klist), or log in with a user and password."},
    {u"18470", ErrorKind::Login, accountHint},
    {u"18486", ErrorKind::Login, accountHint},
    {u"18487", ErrorKind::Login, accountHint},
    {u"18488", ErrorKind::Login, accountHint},
    {u"4060", ErrorKind::Login, databaseUserHint},
    {u"911", ErrorKind::Login, databaseUserHint},
    {u"916", ErrorKind::Login, databaseUserHint},
    {u"40615", ErrorKind::Login, u"Ask the administrator for a firewall rule that lets this address in."},
    {u"3906", ErrorKind::ReadOnly, u"The database is read-only."},
    {u"3908", ErrorKind::ReadOnly, u"The database is read-only."},
    {u"978", ErrorKind::ReadOnly, u"This replica serves readers only: say intent=readonly in the URL."},
    {u"3960", ErrorKind::Changed, rolledBackHint},
    {u"3930", ErrorKind::Server, u"The transaction has failed: roll back, then run it again."},
    {u"1204", ErrorKind::Server, u"The server is out of memory for locks: end or shorten big transactions."},
    {u"245", ErrorKind::BadInput},
    {u"2628", ErrorKind::BadInput},
    {u"8152", ErrorKind::BadInput},
    {u"596", ErrorKind::Connection, lostHint},
    {u"6005", ErrorKind::Connection, lostHint},
    {u"17809", ErrorKind::Connection,
        u"The server has no free connection. Close idle programs, or raise 'user connections'."},
    {u"10928", ErrorKind::Connection, shortageHint},
    {u"10929", ErrorKind::Connection, shortageHint},
    {u"40197", ErrorKind::Connection, shortageHint},
    {u"40501", ErrorKind::Connection, shortageHint},
    {u"40613", ErrorKind::Connection, shortageHint},
    {u"49918", ErrorKind::Connection, shortageHint},
    {u"10053", ErrorKind::Connection, lostHint},
    {u"10054", ErrorKind::Connection, lostHint},
    {u"10060", ErrorKind::Connection, silentHint},
    {u"10061", ErrorKind::Connection, tcpHint},
    {otherProduct, ErrorKind::Server,
        u"This server speaks SQL Server's protocol but is another product, and gives no number for this error."},
});

/// Errors without a number in Babelfish, in the words of the PostgreSQL within.
constexpr auto byOtherProductsText = std::to_array<ErrorMeaning>({
    {u"is not currently supported in Babelfish", ErrorKind::Unsupported},
    {u"permission denied", ErrorKind::Permission, grantHint},
    {u"does not have permission", ErrorKind::Permission, grantHint},
    {u"must be owner of", ErrorKind::Permission, grantHint},
    {u"duplicate key value", ErrorKind::Duplicate},
    {u"deadlock detected", ErrorKind::Deadlock, rolledBackHint},
    {u"due to lock timeout", ErrorKind::Timeout, waitHint},
    {u"due to statement timeout", ErrorKind::Timeout, waitHint},
    {u"due to user request", ErrorKind::Cancelled},
    {u"could not serialize access", ErrorKind::Changed, rolledBackHint},
    {u"terminating connection", ErrorKind::Connection, lostHint},
});
constexpr std::array<QStringView, 4> missingObjects{u"relation ", u"function ", u"procedure ", u"schema "};

/// FreeTDS's own errors (20000 …), and the SQLSTATEs of the drivers and of the driver manager.
constexpr auto byDriverCode = std::to_array<ErrorMeaning>({
    {u"20003", ErrorKind::Connection, silentHint},
    {u"20004", ErrorKind::Connection, lostHint},
    {u"20006", ErrorKind::Connection, lostHint},
    {u"20017", ErrorKind::Connection, lostHint},
    {u"20020", ErrorKind::Connection, lostHint},
    {u"20047", ErrorKind::Connection, lostHint},
    {u"20009", ErrorKind::Connection, tcpHint},
    {u"20013", ErrorKind::Connection, hostHint},
    {u"20012", ErrorKind::Connection, hostHint},
    {u"20002", ErrorKind::Connection,
        u"The server answers, but the login did not succeed. Check user, password, database and encrypt= in the URL."},
    {u"IM002", ErrorKind::Unsupported, driverHint},
    {u"IM003", ErrorKind::Unsupported, driverHint},
    {u"IM004", ErrorKind::Unsupported, driverHint},
    {u"28000", ErrorKind::Login, loginHint},
    {u"40001", ErrorKind::Deadlock, rolledBackHint},
    {u"08S01", ErrorKind::Connection, lostHint},
    {u"08003", ErrorKind::Connection, lostHint},
    {u"08007", ErrorKind::Connection, lostHint},
    {u"08001", ErrorKind::Connection, tcpHint},
    {u"08004", ErrorKind::Connection, tcpHint},
    {u"HYT01", ErrorKind::Connection, silentHint},
    {u"HYT00", ErrorKind::Timeout, u"The statement ran longer than it may."},
    {u"HY008", ErrorKind::Cancelled},
    {u"HYC00", ErrorKind::Unsupported},
});

/// Pieces of the drivers' texts that say more than their codes.
constexpr auto driverTexts = std::to_array<ErrorMeaning>({
    {u"Encryption not supported", ErrorKind::Connection, plainHint},
    {u"certificate", ErrorKind::Connection, certificateHint},
    {u"SSL", ErrorKind::Connection, certificateHint},
    {u"TLS", ErrorKind::Connection, certificateHint},
    {u"Can't open lib", ErrorKind::Unsupported, driverHint},
    // Microsoft's driver for a connection that was refused; it talks of a time-out as well.
    {u"Error code 0x2749", ErrorKind::Connection, tcpHint},
    {u"Login timeout expired", ErrorKind::Connection, silentHint},
    {u"Unknown host", ErrorKind::Connection, hostHint},
    {u"Connection refused", ErrorKind::Connection, tcpHint},
    {u"Communication link failure", ErrorKind::Connection, lostHint},
    {u"cannot be resolved", ErrorKind::Connection, hostHint},
    {u"Protocol error in TDS", ErrorKind::Connection,
        u"The program that answers there does not speak SQL Server's protocol. Check host and port in the URL."},
});

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

/// The first line of `table` whose code is among `codes`: earlier lines say more than later ones.
std::optional<ErrorMeaning> findAny(std::span<const ErrorMeaning> table, const QStringList& codes)
{
    const auto found = std::find_if(table.begin(), table.end(),
        [&codes](const ErrorMeaning& meaning) { return codes.contains(meaning.sign); });
    return found != table.end() ? std::optional(*found) : std::nullopt;
}

std::optional<ErrorMeaning> findOtherProductsText(const QString& text)
{
    const bool isMissing = text.contains(u"does not exist"_s)
        && std::any_of(missingObjects.begin(), missingObjects.end(),
            [&text](QStringView kind) { return text.startsWith(kind); });
    return isMissing ? ErrorMeaning{{}, ErrorKind::MissingObject} : findInText(byOtherProductsText, text);
}

} // namespace

QString SqlServerDialect::reasonAgainst(Capability capability) const
{
    switch (capability) {
    case Capability::CancelStatement:
        return reasonAgainstCancelling.sqlServer.toString();
    case Capability::Notifications:
        return u"SQL Server can't wake a session that waits for a row."_s;
    case Capability::ExplainByHand:
        return u"SQL Server shows the plan of the statement itself: press Show plan."_s;
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
    return enclosed(u'[', identifier, u']');
}

QString SqlServerDialect::rightToEndSessions() const
{
    return m_facts.value_or(SqlServerFacts()).endSessionRight();
}

/// A server's number says more than anything of the driver.
Dialect::Decision SqlServerDialect::decide(const QString& code, const QString& text) const
{
    const QStringList codes = code.split(u';', Qt::SkipEmptyParts);
    QString number;
    for (const QString& each : codes) {
        if (!isServersNumber(each))
            continue;
        if (each == otherProduct)
            if (const auto result = findOtherProductsText(text))
                return {each, *result};
        if (const auto known = findAny(byNumber, {each}))
            return {each, *known};
        if (number.isEmpty())
            number = each;
    }
    const auto driver = findAny(byDriverCode, codes);
    const QString deciding = !number.isEmpty() ? number : driver ? driver->sign.toString() : codes.value(0);
    // The number may be the operating system's, of a connection that was refused.
    if (driver || number.isEmpty())
        if (const auto answer = findInText(driverTexts, text))
            return {deciding, *answer};
    return {deciding, driver.value_or(ErrorMeaning())};
}

} // namespace lockscope::db
