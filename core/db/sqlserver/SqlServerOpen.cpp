// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/Secrets.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "core/db/sqlserver/SqlServerConnectionString.h"
#include "core/db/sqlserver/SqlServerDialect.h"

#include <algorithm>
#include <sqlext.h>

// SQLite is opened by Qt's driver: one registry of drivers and plug-ins, native speed on the handle. Not so
// SQL Server, because opening by QODBC (6.4.2, with FreeTDS 1.3.17 and Microsoft's driver 18.6) would take
// away:
//
// * Why a log-in failed. QODBC frees the handle, and with it the SQLSTATEs; of FreeTDS's records it keeps the
//   last number, which is 0 for a wrong password as for a host that is away. A log-in that was refused must
//   not be tried again by itself, or the account gets locked: it has to be told from the others.
// * The end of the wait. After the log-in QODBC asks for the type of times (sp_datatype_info) and sets
//   QUOTED_IDENTIFIER, before anybody can set a time-out or cancel. If the server does not answer then,
//   open() does not return, whatever SQL_ATTR_LOGIN_TIMEOUT and SQL_ATTR_CONNECTION_TIMEOUT say.
// * The connection string as it is: one that has ".dsn" in it, say in the password, is taken for a file's
// name.

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

QString programName(const ConnectOptions& options)
{
    const QString suffix = options.programSuffix.isEmpty() ? QString() : u' ' + options.programSuffix;
    return u"lockscope "_s + purposeName(options.purpose) + suffix;
}

/// What the drivers' errors leave out when a connection that was to be encrypted fails.
void hintAtEncryption(Error& error, const SqlServerOptions& wanted, OdbcDriverKind driver)
{
    // A server that doesn't know TDS 8 hangs up.
    const bool isHandshake = error.nativeCode == u"10054" || error.detail.contains(u"SSL"_s)
        || error.detail.contains(u"certificate"_s);
    if (wanted.encryption == Encryption::Strict && isHandshake)
        error.hint =
            u"Strict encryption needs SQL Server 2022 or later and a certificate that verifies: install "
            "the authority that signed it, or name the host in it with certificate=…. For another "
            "server say encrypt=yes in the URL."_s;
    // FreeTDS says nothing more of a handshake that failed.
    if (wanted.encryption == Encryption::Yes && error.nativeCode == u"08001") {
        if (driver == OdbcDriverKind::FreeTds && !wanted.dsn.isEmpty())
            error.hint +=
                u" Or its certificate does not verify: see 'ca file' in freetds.conf, and whether the host "
                "there is the one in the certificate."_s;
        error.hint +=
            u" Or it can't encrypt: give it a certificate, or, if you accept that others can listen, say "
            "encrypt=no in the URL."_s;
    }
}

/// Whether nvarchar came as UTF-16: read as that, ASCII in any other character set is neither digit nor
/// point.
bool isReadRightly(const QString& productVersion)
{
    return !productVersion.isEmpty()
        && std::all_of(productVersion.begin(), productVersion.end(),
            [](QChar c) { return c == u'.' || (c >= u'0' && c <= u'9'); });
}

Error onServer(Error error, const ServerUrl& url)
{
    error.server = url.display();
    return error;
}

Error tooOld(const SqlServerFacts& facts, const ServerUrl& url)
{
    Error error = failure(ErrorKind::Unsupported, facts.display() + u" is too old."_s,
        u"Lockscope needs SQL Server 2016 or later, or Azure SQL."_s)
                      .value();
    error.nativeCode = tooOldCode;
    return onServer(std::move(error), url);
}

} // namespace

Result<std::unique_ptr<Connection>> SqlServerConnection::open(
    const ServerUrl& url, const QString& password, const ConnectOptions& options)
{
    const Result<SqlServerOptions> wanted = SqlServerOptions::fromUrl(url);
    if (!wanted)
        return Failure(onServer(wanted.error(), url));
    const Result<OdbcDriver> driver = chooseDriver(*wanted, installedOdbcDrivers(), odbcSources());
    if (!driver)
        return Failure(onServer(driver.error(), url));
    const Result<QString> text = connectionString(url, *wanted, *driver, password, programName(options));
    if (!text)
        return Failure(onServer(text.error(), url));
    auto link = std::make_unique<OdbcLink>(url.host, portOf(url));
    if (const std::optional<OdbcDiagnosis> reason = link->open(*text, options.connectTimeout)) {
        Error error = SqlServerDialect().mapError(
            reason->codes, scrubbed(reason->text, password), u"Can't connect to the server."_s);
        hintAtEncryption(error, *wanted, driver->kind);
        return Failure(onServer(std::move(error), url));
    }
    std::unique_ptr<SqlServerConnection> connection(
        new SqlServerConnection(url, password, std::move(link), options));
    if (const Result<void> ready = connection->setUpSession(options); !ready)
        return Failure(ready.error());
    return std::unique_ptr<Connection>(std::move(connection));
}

SqlServerConnection::SqlServerConnection(
    ServerUrl url, QString password, std::unique_ptr<OdbcLink> link, const ConnectOptions& options)
    : Connection(std::move(url), Dialect::create(Engine::SqlServer))
    , m_password(std::move(password))
    , m_link(std::move(link))
    , m_gate([this] { m_canceller->request(); })
    , m_statementLimit(statementTimeoutOf(options))
{
    SQLAllocHandle(SQL_HANDLE_STMT, m_link->handle(), &m_statement);
    // Later than the driver gives up a server that is silent: it says why.
    m_canceller.emplace(
        m_statement, m_link->socket(), std::max(milliseconds(5'000), 3 * options.connectTimeout));
    m_rows.emplace(m_statement);
}

SqlServerConnection::~SqlServerConnection()
{
    m_canceller.reset();
    if (m_statement != SQL_NULL_HSTMT)
        SQLFreeHandle(SQL_HANDLE_STMT, m_statement);
}

Result<void> SqlServerConnection::setUpSession(const ConnectOptions& options)
{
    // Our own clock cuts statements to the millisecond; the driver's is for a server that does not even
    // answer that.
    if (m_statementLimit.count() > 0)
        SQLSetStmtAttr(m_statement, SQL_ATTR_QUERY_TIMEOUT,
            reinterpret_cast<SQLPOINTER>(wholeSeconds(m_statementLimit) + 1), 0);
    // For the server's word that a statement is cancelled; Microsoft's driver would wait two minutes for it.
    // What waits without being cancelled is not limited by this.
    SQLSetConnectAttr(m_link->handle(), SQL_ATTR_CONNECTION_TIMEOUT,
        reinterpret_cast<SQLPOINTER>(std::max<SQLULEN>(1, wholeSeconds(options.connectTimeout))),
        SQL_IS_UINTEGER);
    const QByteArray settings = "sqlserver/session/" + purposeName(options.purpose).toLatin1();
    const Statement& facts = Statement::get("sqlserver/session/facts");
    const Result<qint64> set = execute(Statement::get(settings.constData()), {}, {}, {});
    if (!set)
        return Failure(set.error());
    const auto ask = [&] {
        return execute(facts, {}, [this](const Row& row) {
            m_sessionId = SessionId{row.int64(0)};
            m_sessionStarted = row.time(1);
            m_facts = SqlServerFacts::fromRow(row);
        });
    };
    m_rows->takeWideAsSent(true);
    Result<qint64> told = ask();
    if (told && !isReadRightly(m_facts.productVersion)) {
        m_rows->takeWideAsSent(false);
        told = ask();
    }
    if (!told)
        return Failure(whyNoFacts(told.error()));
    if (m_facts.isTooOld())
        return Failure(tooOld(m_facts, url()));
    m_serverVersion = m_facts.display();
    m_serverVersionNumber = m_facts.versionNumber();
    m_dialect = std::make_unique<SqlServerDialect>(m_facts);
    return {};
}

/// A server before 2016 does not even understand the question: only then is it worth another one.
Error SqlServerConnection::whyNoFacts(const Error& error)
{
    if (error.kind == ErrorKind::Connection || error.kind == ErrorKind::Cancelled)
        return error;
    SqlServerFacts product;
    const Result<qint64> told = execute(Statement::get("sqlserver/session/product"), {},
        [&product](const Row& row) { product = SqlServerFacts::fromRow(row); });
    return told && product.isTooOld() ? tooOld(product, url()) : error;
}

} // namespace lockscope::db
