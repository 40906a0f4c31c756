// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresConnection.h"

#include "core/db/postgres/PostgresDialect.h"

#include <array>

// SQLite is opened by Qt's driver: one registry of drivers and plug-ins, native speed on the handle. Not so
// PostgreSQL: QPSQL sends statements of its own right after the login, before anybody can fix the
// search_path, and so would run with our rights whatever others have put there. Here nothing is sent that
// resolves a name without a schema before the path is set, nor acts as a role that others have preset.

namespace lockscope::db {

namespace {

/// Fit to stand between quotes, whatever the server takes for an escape.
QString plain(QString text)
{
    return text.replace(u'\'', u'?').replace(u'\\', u'?');
}

bool holdsAnyBytes(const PGconn* pg)
{
    return qstrcmp(PQparameterStatus(pg, "server_encoding"), "SQL_ASCII") == 0;
}

/// The properties of the session to open, as values or as the places of parameters.
struct SessionSettings {
    QString application;
    QString limit;
    QString encoding;
    bool isLocal = false; ///< for one transaction
};

Statement settingsFor(Purpose purpose, const SessionSettings& settings)
{
    return Statement::filled("postgres/session/settings",
        {{QLatin1StringView("purpose"), purposeName(purpose)},
            {QLatin1StringView("is_local"),
                settings.isLocal ? QStringLiteral("true") : QStringLiteral("false")},
            {QLatin1StringView("application"), settings.application},
            {QLatin1StringView("time_limit"), settings.limit},
            {QLatin1StringView("encoding"), settings.encoding}});
}

/// Kept: a connection prepares a statement by its address.
const Statement& sessionSettings(Purpose purpose)
{
    const auto made = [](Purpose one) {
        return settingsFor(one,
            {.application = QStringLiteral("$2"),
                .limit = QStringLiteral("$1::text"),
                .encoding = QStringLiteral("NULL")});
    };
    static const Statement ofLock = made(Purpose::Lock);
    static const Statement ofMonitor = made(Purpose::Monitor);
    static const Statement ofAdmin = made(Purpose::Admin);
    switch (purpose) {
    case Purpose::Lock:
        return ofLock;
    case Purpose::Admin:
        return ofAdmin;
    case Purpose::Monitor:
        return ofMonitor;
    case Purpose::Workload:
        break;
    }
    return Statement::get("postgres/session/workload");
}

Error aboutPreset(Error error)
{
    if (error.kind == ErrorKind::Permission)
        error.hint = QStringLiteral(
            "The database or the user presets it so that locks would not be kept. Ask a superuser: ALTER DATABASE … RESET, ALTER ROLE … RESET, or GRANT SET ON PARAMETER … TO your role.");
    return error;
}

} // namespace

Result<std::unique_ptr<Connection>> PostgresConnection::open(
    const ServerUrl& url, const QString& password, const ConnectOptions& options)
{
    LOCKSCOPE_TRY_GET(PostgresLogin login, PostgresLogin::from(url, password, options));
    LOCKSCOPE_TRY_GET(PostgresLogin::Handle handle, login.connect());
    std::unique_ptr<PostgresConnection> connection(
        new PostgresConnection(url, std::move(login), std::move(handle), options));
    LOCKSCOPE_TRY(connection->setUp());
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
    , m_sessionLimit(options.connectTimeout)
    , m_answerLimit(options.connectTimeout)
    , m_cancelLimit(options.connectTimeout)
{
    listenForEnd();
    m_serverVersionNumber = PQserverVersion(m_pg);
    const QString version = QString::fromUtf8(PQparameterStatus(m_pg, "server_version"));
    m_serverVersion = QStringLiteral("PostgreSQL ") + version.section(u' ', 0, 0);
}

PostgresConnection::~PostgresConnection() = default;

Result<void> PostgresConnection::reopen()
{
    m_prepared.clear();
    m_givenUp = false;
    m_sessionLimit = m_options.connectTimeout;
    m_isTooLong = false;
    m_notifications.clear();
    forgetJudged();
    Result<PostgresLogin::Handle> handle = m_login.connect(); // tries all hosts again, in their order
    if (!handle) {
        m_givenUp = true;
        Error error = handle.error();
        error.what = QStringLiteral("Can't connect to the server again.");
        error.kind = ErrorKind::Connection;
        return Failure(std::move(error));
    }
    m_handle = std::move(*handle);
    m_pg = m_handle.get();
    listenForEnd();
    m_canceller = PostgresCanceller(m_pg, m_wake);
    return setUp();
}

Result<void> PostgresConnection::setUp()
{
    m_isSetUp = false;
    // Every pooler invents the key by which its own clients cancel, so that the process id in it is not that
    // of the session which answers. What kind of pooler it is can't be found out for certain: two answers of
    // one session prove nothing. So it counts as one in transaction mode, which is always safe, unless the
    // URL says otherwise.
    qint64 backend = 0;
    const Statement& who = Statement::get("postgres/session/backend");
    LOCKSCOPE_TRY(
        runSimple(who.sql(), who.whatFailed(), [&backend](const Row& row) { backend = row.int64(0); }));
    using Pooler = PostgresLogin::Pooler;
    const bool isPooled = m_login.pooler() == Pooler::Transaction
        || (m_login.pooler() != Pooler::Session && backend != PQbackendPID(m_pg));
    LOCKSCOPE_TRY(isPooled ? setUpPooled() : setUpSession(backend));
    const milliseconds limit = statementTimeoutOf(m_options);
    m_sessionLimit = limit.count() > 0 ? limit + m_options.connectTimeout : limit;
    m_isSetUp = true;
    return {};
}

/// Nothing is sent: the settings travel with each transaction.
Result<void> PostgresConnection::setUpPooled()
{
    if (!isPooled()) // not yet: a connection that is opened again keeps its dialect
        m_dialect = std::make_unique<PostgresDialect>(PostgresDialect::Link::Pool);
    if (m_options.purpose == Purpose::Workload) {
        return Failure(Error{.kind = ErrorKind::Unsupported,
            .what = QStringLiteral("A workload needs sessions of its own."),
            .server = m_url.display(),
            .hint = m_dialect->reasonAgainst(Capability::SessionLocks)});
    }
    m_pooledSettings = settingsFor(m_options.purpose,
        {.application = u'\'' + plain(m_login.applicationName()) + u'\'',
            .limit = u'\'' + QString::number(statementTimeoutOf(m_options).count()) + u'\'',
            .encoding = QString::fromLatin1(holdsAnyBytes(m_pg) ? "'SQL_ASCII'" : "'UTF8'"),
            .isLocal = true})
                           .sql();
    return {};
}

/// The session acts as who logged in, and finds the system's names only.
Result<void> PostgresConnection::setUpIdentity()
{
    const Statement& path = Statement::get("postgres/session/path");
    bool isOurs = false;
    const Result<void> set = runSimple(path.sql(), path.whatFailed(), [&isOurs](const Row& row) {
        isOurs = row.text(1) == QLatin1String("none") && row.text(2) == QLatin1String("pg_catalog, pg_temp")
            && row.boolean(3);
    });
    if (!set || isOurs)
        return set;
    return Failure(Error{.kind = ErrorKind::Unsupported,
        .what = QStringLiteral("The session acts as another role than the one that logged in."),
        .server = m_url.display(),
        .hint =
            QStringLiteral("A pooler or proxy does not let it be changed. Connect directly to the server.")});
}

Result<void> PostgresConnection::setUpSession(qint64 backend)
{
    m_sessionId = SessionId{backend};
    // On its own, before anything that resolves a name is sent.
    LOCKSCOPE_TRY(setUpIdentity());
    if (const QString& runSchema = m_login.runSchema(); !runSchema.isEmpty()) {
        m_dialect = std::make_unique<PostgresDialect>(PostgresDialect::Link::Session, runSchema);
        const Statement path = Statement::filled(
            "postgres/session/run_path", {{QLatin1StringView("schema"), m_dialect->quoted(runSchema)}});
        LOCKSCOPE_TRY(runSimple(path.sql(), path.whatFailed()));
    }
    const Statement& bytes = Statement::get("postgres/session/bytes");
    if (holdsAnyBytes(m_pg))
        LOCKSCOPE_TRY(runSimple(bytes.sql(), bytes.whatFailed()));
    const Statement& settings = sessionSettings(m_options.purpose);
    const Statement& facts = Statement::get("postgres/session/facts");
    const std::array items{
        BatchItem{.statement = &settings,
            .params = {QString::number(statementTimeoutOf(m_options).count()), m_login.applicationName()}},
        BatchItem{.statement = &facts, .sink = [this](const Row& row) { m_sessionStarted = row.time(0); }}};
    for (const Result<qint64>& result : executeBatch(items, {}))
        if (!result)
            return Failure(aboutPreset(result.error()));
    return {};
}

} // namespace lockscope::db
