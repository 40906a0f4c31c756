// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/PostgresConnection.h"

#include "core/db/PostgresDialect.h"

#include <QSqlDriver>
#include <QSqlError>
#include <QVariant>

#include <algorithm>
#include <array>

namespace lockscope::db {

namespace {

QString purposeName(Purpose purpose)
{
    switch (purpose) {
    case Purpose::Monitor:
        return QStringLiteral("monitor");
    case Purpose::Lock:
        return QStringLiteral("lock");
    case Purpose::Admin:
        return QStringLiteral("admin");
    case Purpose::Workload:
        return QStringLiteral("workload");
    }
    return {};
}

QByteArray sessionFile(Purpose purpose)
{
    return "postgres/session_" + purposeName(purpose).toLatin1() + ".sql";
}

/// Ours first; the URL's options override them.
QMap<QString, QString> connectionOptions(const ServerUrl& url, const ConnectOptions& options)
{
    const qint64 seconds = std::max<qint64>(2, (options.connectTimeout.count() + 999) / 1000);
    const QString suffix = options.programSuffix.isEmpty() ? QString() : u' ' + options.programSuffix;
    // A server that vanished from the network is noticed after about 20 s, not after the system's two hours.
    QMap<QString, QString> all{{QStringLiteral("connect_timeout"), QString::number(seconds)},
        {QStringLiteral("application_name"),
            QStringLiteral("lockscope ") + purposeName(options.purpose) + suffix},
        {QStringLiteral("keepalives_idle"), QStringLiteral("10")},
        {QStringLiteral("keepalives_interval"), QStringLiteral("3")},
        {QStringLiteral("keepalives_count"), QStringLiteral("3")},
        {QStringLiteral("tcp_user_timeout"), QStringLiteral("20000")}};
    all.insert(url.options);
    all.remove(QStringLiteral("schema_owner")); // whom to trust is ours to know: see SchemaTrust.h
    return all;
}

Result<QString> conninfo(const QMap<QString, QString>& options)
{
    QStringList parts;
    for (auto option = options.begin(); option != options.end(); ++option) {
        const bool plainKey = std::all_of(option.key().begin(), option.key().end(),
            [](QChar c) { return c == u'_' || (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9'); });
        // QPSQL takes ';' for a separator, even inside quotes.
        if (!plainKey || option.value().contains(u';'))
            return failure(ErrorKind::BadInput,
                QStringLiteral("The option '%1' of the server URL can't be used.").arg(option.key()),
                QStringLiteral("Option names are lower-case letters; values must not contain ';'."));
        QString value = option.value();
        value.replace(u'\\', QStringLiteral("\\\\")).replace(u'\'', QStringLiteral("\\'"));
        parts << option.key() + QStringLiteral("='") + value + u'\'';
    }
    return parts.join(u' ');
}

std::unique_ptr<DriverDatabase> prepareDatabase(
    const ServerUrl& url, const QString& password, const QString& connectOptions)
{
    auto database = std::make_unique<DriverDatabase>(QStringLiteral("QPSQL"));
    (*database)->setHostName(url.host);
    if (url.port != 0)
        (*database)->setPort(url.port);
    (*database)->setDatabaseName(url.database);
    (*database)->setUserName(url.user);
    (*database)->setPassword(password);
    (*database)->setConnectOptions(connectOptions);
    return database;
}

milliseconds statementTimeout(const ConnectOptions& options)
{
    if (options.statementTimeout.count() > 0)
        return options.statementTimeout;
    const bool isShort = options.purpose == Purpose::Monitor || options.purpose == Purpose::Admin;
    return milliseconds(isShort ? 10'000 : 0);
}

/// Whether the server lets programs in at all. Asks without credentials, so no failed login is counted.
PGPing pingServer(const ServerUrl& url, const QMap<QString, QString>& options)
{
    const QByteArray host = url.host.toUtf8();
    const QByteArray port = url.port != 0 ? QByteArray::number(url.port) : QByteArray();
    const QByteArray timeout = options.value(QStringLiteral("connect_timeout")).toUtf8();
    const std::array keywords{"host", "port", "connect_timeout", static_cast<const char*>(nullptr)};
    const std::array values{
        host.constData(), port.constData(), timeout.constData(), static_cast<const char*>(nullptr)};
    return PQpingParams(keywords.data(), values.data(), 0);
}

Error refusal(const ServerUrl& url, const QMap<QString, QString>& options, const QString& text)
{
    const PostgresDialect dialect;
    Error error = dialect.mapError({}, text, QStringLiteral("Can't connect to the server."));
    // libpq gives no code for a refused connection, and the words may be of any language.
    if (!dialect.knowsText(text) && pingServer(url, options) == PQPING_OK) {
        error.kind = ErrorKind::Login;
        error.hint = QStringLiteral(
            "The server answers, but does not let you in. Check user, password, database and options.");
    }
    error.server = url.display();
    return error;
}

} // namespace

Result<std::unique_ptr<Connection>> PostgresConnection::open(
    const ServerUrl& url, const QString& password, const ConnectOptions& options)
{
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QPSQL")))
        return failure(ErrorKind::Unsupported, QStringLiteral("Qt's driver for PostgreSQL is not installed."),
            QStringLiteral("Install the package libqt6sql6-psql."));
    const QMap<QString, QString> allOptions = connectionOptions(url, options);
    const Result<QString> info = conninfo(allOptions);
    if (!info)
        return Failure(info.error());
    std::unique_ptr<DriverDatabase> database = prepareDatabase(url, password, *info);
    if (!(*database)->open()) {
        const QString text = (*database)->lastError().databaseText().simplified();
        return Failure(refusal(url, allOptions, scrubbed(text, password)));
    }
    auto* pg = *static_cast<PGconn* const*>((*database)->driver()->handle().constData());
    std::unique_ptr<PostgresConnection> connection(
        new PostgresConnection(url, std::move(database), pg, options));
    if (const Result<void> ready = connection->setUpSession(options); !ready)
        return Failure(ready.error());
    return std::unique_ptr<Connection>(std::move(connection));
}

PostgresConnection::PostgresConnection(
    ServerUrl url, std::unique_ptr<DriverDatabase> database, PGconn* pg, const ConnectOptions& options)
    : Connection(std::move(url), Dialect::create(Engine::Postgres))
    , m_database(std::move(database))
    , m_pg(pg)
    , m_gate([this] { m_wake->wake(); })
    , m_canceller(pg, m_wake)
    , m_answerLimit(options.connectTimeout)
    , m_cancelLimit(options.connectTimeout)
{
    PQsetNoticeProcessor(
        m_pg, [](void*, const char*) {}, nullptr);
    m_sessionId = SessionId{PQbackendPID(m_pg)};
    m_serverVersionNumber = PQserverVersion(m_pg);
    const QString version = QString::fromUtf8(PQparameterStatus(m_pg, "server_version"));
    m_serverVersion = QStringLiteral("PostgreSQL ") + version.section(u' ', 0, 0);
}

PostgresConnection::~PostgresConnection() = default;

Result<void> PostgresConnection::setUpSession(const ConnectOptions& options)
{
    const Statement& settings = Statement::get(sessionFile(options.purpose).constData());
    const Statement& facts = Statement::get("postgres/session_facts.sql");
    const std::array items{BatchItem{&settings, {QString::number(statementTimeout(options).count())}, {}},
        BatchItem{&facts, {}, [this](const Row& row) { m_sessionStarted = row.time(0); }}};
    for (const Result<qint64>& result : executeBatch(items, {}))
        if (!result)
            return Failure(result.error());
    const milliseconds limit = statementTimeout(options);
    m_answerLimit = limit.count() > 0 ? limit + options.connectTimeout : limit;
    return {};
}

} // namespace lockscope::db
