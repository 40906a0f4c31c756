// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcConnection.h"
#include "core/db/sqlserver/SqlServerConnectionString.h"
#include "core/db/sqlserver/SqlServerDialect.h"

#include <algorithm>
#include <sqlext.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

QString programName(const ConnectOptions& options)
{
    const QString suffix = options.programSuffix.isEmpty() ? QString() : u' ' + options.programSuffix;
    return u"lockscope "_s + purposeName(options.purpose) + suffix;
}

/// Adds hints that the drivers' errors leave out when a connection that was to be encrypted fails.
void hintAtEncryption(Error& error, const SqlServerOptions& options, OdbcDriverKind driver)
{
    // A server that doesn't know TDS 8 hangs up.
    const bool isHandshake = error.nativeCode == u"10054" || error.detail.contains(u"SSL"_s)
        || error.detail.contains(u"certificate"_s);
    if (options.encryption == Encryption::Strict && isHandshake)
        error.hint =
            u"Strict encryption needs SQL Server 2022 or later and a certificate that verifies: install the authority that signed it, or name the host in it with certificate=…. For another server say encrypt=yes in the URL."_s;
    // FreeTDS says nothing more of a handshake that failed.
    if (options.encryption == Encryption::Yes && error.nativeCode == u"08001") {
        if (driver == OdbcDriverKind::FreeTds && !options.dsn.isEmpty())
            error.hint +=
                u" Or its certificate does not verify: see 'ca file' in freetds.conf, and whether the host there is the one in the certificate."_s;
        error.hint +=
            u" Or it can't encrypt: give it a certificate, or, if you accept that others can listen, say encrypt=no in the URL."_s;
    }
}

/// Returns whether nvarchar came as UTF-16: read as that, ASCII in any other character set is neither digit
/// nor point.
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
    return {.kind = ErrorKind::Unsupported,
        .what = facts.display() + u" is too old."_s,
        .server = url.display(),
        .hint = u"Lockscope needs SQL Server 2016 or later, or Azure SQL."_s,
        .nativeCode = tooOldCode};
}

} // namespace

Result<std::unique_ptr<Connection>> SqlServerConnection::open(
    const ServerUrl& url, const QString& password, const ConnectOptions& options)
{
    const Result<SqlServerOptions> requested = SqlServerOptions::fromUrl(url);
    if (!requested)
        return Failure(onServer(requested.error(), url));
    const Result<OdbcDriver> driver = chooseDriver(*requested, installedOdbcDrivers(), odbcSources());
    if (!driver)
        return Failure(onServer(driver.error(), url));
    const Result<QString> text = connectionString(url, *requested, *driver, password, programName(options));
    if (!text)
        return Failure(onServer(text.error(), url));
    std::unique_ptr<SqlServerConnection> connection;
    if (requested->byQt)
        connection = std::make_unique<QtSqlConnection>(url, password, options);
    else
        connection = std::make_unique<OdbcConnection>(url, password, options);
    if (std::optional<Error> error = connection->logIn(*text, options.connectTimeout)) {
        hintAtEncryption(*error, *requested, driver->kind);
        return Failure(onServer(std::move(*error), url));
    }
    LOCKSCOPE_TRY(connection->setUpSession(options));
    return std::unique_ptr<Connection>(std::move(connection));
}

SqlServerConnection::SqlServerConnection(ServerUrl url, QString password, const ConnectOptions& options)
    : Connection(std::move(url), Dialect::create(Engine::SqlServer))
    , m_password(std::move(password))
    , m_socket(m_url.host, portOf(m_url.engine, m_url.hosts().first()))
    // Later than the driver gives up a server that is silent: it says why.
    , m_canceller(m_socket, std::max(milliseconds(5'000), 3 * options.connectTimeout))
    , m_statementLimit(statementTimeoutOf(options))
    , m_gate([this] { m_canceller.request(); })
{
}

Result<void> SqlServerConnection::setUpSession(const ConnectOptions& options)
{
    // For the server's word that a statement is cancelled; Microsoft's driver would wait two minutes for it.
    // What waits without being cancelled is not limited by this.
    SQLSetConnectAttr(nativeHandle(), SQL_ATTR_CONNECTION_TIMEOUT,
        reinterpret_cast<SQLPOINTER>(std::max<SQLULEN>(1, wholeSeconds(options.connectTimeout))),
        SQL_IS_UINTEGER);
    const QByteArray settings = "sqlserver/session/" + purposeName(options.purpose).toLatin1();
    const Statement& facts = Statement::get("sqlserver/session/facts");
    LOCKSCOPE_TRY(execute(Statement::get(settings.constData()), {}, {}, {}));
    const auto ask = [&] {
        return execute(facts, {}, [this](const Row& row) {
            m_sessionId = SessionId{row.int64(0)};
            m_sessionStarted = row.time(1);
            m_facts = SqlServerFacts::fromRow(row);
        });
    };
    takeWideAsSent(true);
    Result<qint64> result = ask();
    if (result && !isReadRightly(m_facts.productVersion)) {
        takeWideAsSent(false);
        result = ask();
    }
    if (!result)
        return Failure(whyNoFacts(result.error()));
    if (m_facts.isTooOld())
        return Failure(tooOld(m_facts, url()));
    m_serverVersion = m_facts.display();
    m_serverVersionNumber = m_facts.versionNumber();
    m_dialect = std::make_unique<SqlServerDialect>(m_facts);
    m_isSetUp = true;
    return {};
}

/// A server before 2016 does not even understand the question: only then is it worth another one.
Error SqlServerConnection::whyNoFacts(const Error& error)
{
    if (error.kind == ErrorKind::Connection || error.kind == ErrorKind::Cancelled)
        return error;
    SqlServerFacts product;
    const Result<qint64> result = execute(Statement::get("sqlserver/session/product"), {},
        [&product](const Row& row) { product = SqlServerFacts::fromRow(row); });
    return result && product.isTooOld() ? tooOld(product, url()) : error;
}

} // namespace lockscope::db
