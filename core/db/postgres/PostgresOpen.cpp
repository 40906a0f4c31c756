// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresConnection.h"

#include "core/db/postgres/PostgresDialect.h"

#include <array>

// SQLite is opened by Qt's driver: one registry of drivers and plug-ins, native speed on the handle. Not so
// PostgreSQL: QPSQL sends statements of its own right after the log-in, before anybody can fix the
// search_path, and so would run with our rights whatever others have put there. Here nothing is sent that
// resolves a name without a schema before the path is set.

namespace lockscope::db {

namespace {

milliseconds statementTimeout(const ConnectOptions& options)
{
    if (options.statementTimeout.count() > 0)
        return options.statementTimeout;
    const bool isShort = options.purpose == Purpose::Monitor || options.purpose == Purpose::Admin;
    return milliseconds(isShort ? 10'000 : 0);
}

/// Fit to stand between quotes, whatever the server takes for an escape.
QString plain(QString text)
{
    return text.replace(u'\'', u'?').replace(u'\\', u'?');
}

bool holdsAnyBytes(const PGconn* pg)
{
    return qstrcmp(PQparameterStatus(pg, "server_encoding"), "SQL_ASCII") == 0;
}

} // namespace

Result<std::unique_ptr<Connection>> PostgresConnection::open(
    const ServerUrl& url, const QString& password, const ConnectOptions& options)
{
    Result<PostgresLogin> login = PostgresLogin::from(url, password, options);
    if (!login)
        return Failure(login.error());
    Result<PostgresLogin::Handle> handle = login->connect();
    if (!handle)
        return Failure(handle.error());
    std::unique_ptr<PostgresConnection> connection(
        new PostgresConnection(url, std::move(*login), std::move(*handle), options));
    if (const Result<void> ready = connection->setUp(); !ready)
        return Failure(ready.error());
    return std::unique_ptr<Connection>(std::move(connection));
}

PostgresConnection::PostgresConnection(
    ServerUrl url, PostgresLogin login, PostgresLogin::Handle handle, const ConnectOptions& options)
    : Connection(std::move(url), Dialect::create(Engine::Postgres))
    , m_login(std::move(login))
    , m_options(options)
    , m_handle(std::move(handle))
    , m_pg(m_handle.get())
    , m_gate([this] { m_wake->wake(); })
    , m_canceller(m_pg, m_wake)
    , m_answerLimit(options.connectTimeout)
    , m_cancelLimit(options.connectTimeout)
{
    PQsetNoticeProcessor(
        m_pg, [](void*, const char*) {}, nullptr);
    m_serverVersionNumber = PQserverVersion(m_pg);
    const QString version = QString::fromUtf8(PQparameterStatus(m_pg, "server_version"));
    m_serverVersion = QStringLiteral("PostgreSQL ") + version.section(u' ', 0, 0);
}

PostgresConnection::~PostgresConnection() = default;

Result<void> PostgresConnection::reopen()
{
    m_prepared.clear();
    m_givenUp = false;
    m_answerLimit = m_options.connectTimeout;
    PQreset(m_pg); // tries all hosts again, in their order
    m_canceller = PostgresCanceller(m_pg, m_wake);
    schemaFaults() = {};
    if (PQstatus(m_pg) != CONNECTION_OK)
        return Failure(connectionError(QStringLiteral("Can't connect to the server again.")));
    return setUp();
}

Result<void> PostgresConnection::setUp()
{
    // Every pooler invents the key by which its own clients cancel, so that the process id in it is not that
    // of the session which answers. What kind of pooler it is can't be found out for certain: two answers of
    // one session prove nothing. So it counts as one in transaction mode, which is always safe, unless the
    // URL says otherwise.
    qint64 backend = 0;
    const Statement& who = Statement::get("postgres/session/backend");
    const Result<void> answered =
        runSimple(who.sql(), who.whatFailed(), [&backend](const Row& row) { backend = row.int64(0); });
    if (!answered)
        return answered;
    using Pooler = PostgresLogin::Pooler;
    const bool isPooled = m_login.pooler() == Pooler::Transaction
        || (m_login.pooler() != Pooler::Session && backend != PQbackendPID(m_pg));
    const Result<void> done = isPooled ? setUpPooled() : setUpSession(backend);
    if (!done)
        return done;
    const milliseconds limit = statementTimeout(m_options);
    m_answerLimit = limit.count() > 0 ? limit + m_options.connectTimeout : limit;
    return {};
}

/// Nothing is sent: the settings travel with each transaction.
Result<void> PostgresConnection::setUpPooled()
{
    if (!isPooled()) // not yet: a connection that is opened again keeps its dialect
        m_dialect = std::make_unique<PostgresDialect>(PostgresDialect::Link::Pool);
    if (m_options.purpose == Purpose::Workload) {
        Error error = failure(ErrorKind::Unsupported, QStringLiteral("A workload needs sessions of its own."),
            m_dialect->reasonAgainst(Capability::SessionLocks))
                          .value();
        error.server = m_url.display();
        return Failure(std::move(error));
    }
    const QByteArray path = "postgres/session/pooled_" + purposeName(m_options.purpose).toLatin1();
    m_pooledSettings = Statement::filled(path.constData(),
        {{QLatin1StringView("statement_timeout"), QString::number(statementTimeout(m_options).count())},
            {QLatin1StringView("application"), plain(m_login.applicationName())},
            {QLatin1StringView("encoding"), QString::fromLatin1(holdsAnyBytes(m_pg) ? "SQL_ASCII" : "UTF8")}})
                           .sql();
    return {};
}

Result<void> PostgresConnection::setUpSession(qint64 backend)
{
    m_sessionId = SessionId{backend};
    // On its own, before anything that resolves a name is sent.
    Statement path = Statement::get("postgres/session/path");
    if (const QString& runSchema = m_login.runSchema(); !runSchema.isEmpty()) {
        m_dialect = std::make_unique<PostgresDialect>(PostgresDialect::Link::Session, runSchema);
        path = Statement::filled(
            "postgres/session/run_path", {{QLatin1StringView("schema"), m_dialect->quoted(runSchema)}});
    }
    if (const Result<void> set = runSimple(path.sql(), path.whatFailed()); !set)
        return set;
    const Statement& bytes = Statement::get("postgres/session/bytes");
    if (holdsAnyBytes(m_pg))
        if (const Result<void> set = runSimple(bytes.sql(), bytes.whatFailed()); !set)
            return set;
    const QByteArray file = "postgres/session/" + purposeName(m_options.purpose).toLatin1();
    const Statement& settings = Statement::get(file.constData());
    const Statement& facts = Statement::get("postgres/session/facts");
    const std::array items{
        BatchItem{
            &settings, {QString::number(statementTimeout(m_options).count()), m_login.applicationName()}, {}},
        BatchItem{&facts, {}, [this](const Row& row) { m_sessionStarted = row.time(0); }}};
    for (const Result<qint64>& result : executeBatch(items, {}))
        if (!result)
            return Failure(result.error());
    return {};
}

} // namespace lockscope::db
