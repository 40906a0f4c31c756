// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestServer.h"

#include "core/db/SchemaInstaller.h"
#include "tests/support/Files.h"
#include "tests/support/Processes.h"
#include "tests/support/Waiting.h"
#include "tests/support/tds/Tls.h"

#include <QCryptographicHash>
#include <QDir>
#include <QLockFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QThread>

#include <unistd.h>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

sandbox::Sandbox::Options optionsIn(const QString& directory)
{
    sandbox::Sandbox::Options options;
    options.directory = directory;
    options.supervisorProgram = programPath("lockscope-sandbox");
    options.durable = false;
    options.temporary = true;
    return options;
}

void copy(const QStringList& from, const QString& to)
{
    // The copy keeps the owner, which matters when this runs as root.
    if (QProcess::execute(u"cp"_s, QStringList{u"-a"_s} + from + QStringList{to}) != 0)
        qFatal("test server: can't copy to %s", qPrintable(to));
}

/// A cluster as initdb leaves it, and the database `installed` with the schema, of which others are copies:
/// many times faster than initdb and the installing. Kept in the build directory.
QString clusterTemplate()
{
    QFile schema(u":/schema/postgres/install.sql"_s);
    QCryptographicHash version(QCryptographicHash::Sha256);
    if (!schema.open(QIODevice::ReadOnly) || !version.addData(&schema))
        qFatal("test server: the schema is not compiled in");
    version.addData("3"); // counts up when the sandbox makes another cluster than before
    version.addData(qgetenv("LOCKSCOPE_PG_BINDIR")); // perhaps of another version
    // One for each account that runs tests and for each state of the schema.
    const QString kept = QStringLiteral(LOCKSCOPE_TEST_CACHE)
        + u"/postgres-%1-%2"_s.arg(geteuid()).arg(QString::fromLatin1(version.result().toHex().left(12)));
    QDir().mkpath(QFileInfo(kept).path());
    QLockFile lock(kept + u".lock"_s);
    lock.lock();
    if (QFile::exists(kept))
        return kept;
    QTemporaryDir making(QDir::tempPath() + u"/lockscope-test-XXXXXX"_s);
    sandbox::Sandbox::Options options = optionsIn(making.path());
    options.temporary = false;
    {
        const auto sandbox = orDie(sandbox::Sandbox::open(options));
        db::ServerUrl url = sandbox->url();
        const auto run = [&](const QString& sql) {
            orDie(runSql(
                *orDie(db::Server::at(sandbox->url(), db::fixedPassword(sandbox->password())).connect()),
                sql));
        };
        run(u"CREATE DATABASE installed"_s);
        url.database = u"installed"_s;
        orDie(
            db::installSchema(*orDie(db::Server::at(url, db::fixedPassword(sandbox->password())).connect())));
        run(u"ALTER DATABASE installed IS_TEMPLATE true"_s);
    }
    // Gone in a second, with a clean shutdown.
    while (QFile::exists(making.filePath(u"data/postmaster.pid"_s)))
        QThread::msleep(10);
    QDir(kept + u".new"_s).removeRecursively();
    copy({making.path()}, kept + u".new"_s);
    QDir().rename(kept + u".new"_s, kept);
    return kept;
}

} // namespace

db::Statement sqlStatement(const QString& sql)
{
    return db::Statement::filled("test/any.sql", {{"sql"_L1, sql}});
}

void copyClusterTo(const QString& directory)
{
    const QString kept = clusterTemplate();
    copy({kept + u"/data"_s, kept + u"/password"_s, kept + u"/start.lock"_s}, directory);
}

TestServer& TestServer::shared()
{
    static TestServer server;
    return server;
}

QString emptyServerDirectory()
{
    QTemporaryDir directory(QDir::tempPath() + u"/lockscope-test-XXXXXX"_s);
    directory.setAutoRemove(false);
    return directory.path();
}

TestServer::TestServer(sandbox::Sandbox::Capacity capacity)
    : TestServer(
        [] {
            const QString directory = emptyServerDirectory();
            copyClusterTo(directory);
            return directory;
        }(),
        capacity)
{
}

TestServer::TestServer(const QString& directory, sandbox::Sandbox::Capacity capacity)
    : m_directory(directory)
{
    sandbox::Sandbox::Options options = optionsIn(m_directory);
    options.capacity = capacity;
    m_sandbox = orDie(sandbox::Sandbox::open(options));
}

TestServer::~TestServer() = default;

sandbox::Sandbox::Capacity TestServer::replicating()
{
    sandbox::Sandbox::Capacity capacity;
    capacity.connections = 100;
    capacity.replicates = true;
    capacity.port = freePort();
    return capacity;
}

db::ServerUrl TestServer::overTcp(db::ServerUrl url) const
{
    if (url.port == 0)
        qFatal("test server: it does not listen on a port");
    url.host = u"127.0.0.1"_s;
    return url;
}

db::ServerUrl TestServer::url() const
{
    return m_sandbox->url();
}

QString TestServer::password() const
{
    return m_sandbox->password();
}

qint64 TestServer::processId() const
{
    QFile file(filePath(u"data/postmaster.pid"_s));
    const qint64 id = file.open(QIODevice::ReadOnly) ? file.readLine().trimmed().toLongLong() : 0;
    if (id <= 0)
        qFatal("test server: no process id in %s", qPrintable(file.fileName()));
    return id;
}

QString TestServer::log() const
{
    return QString::fromUtf8(readFile(filePath(u"server.log"_s)));
}

bool TestServer::encrypt()
{
    const tds::TlsIdentity identity("127.0.0.1");
    // Written by the server: a key must belong to its account.
    const auto put = [this](const QByteArray& text, const QString& file) {
        run(url(),
            u"COPY (SELECT regexp_split_to_table('%1', E'\\n')) TO PROGRAM 'umask 077; cat > %2'"_s.arg(
                QString::fromLatin1(text.trimmed()), file));
    };
    put(identity.certificate(), u"server.crt"_s);
    put(identity.key(), u"server.key"_s);
    put(identity.authority(), u"authority.crt"_s); // who trusts it trusts the server
    const auto connection = connect();
    for (const QString& sql : {u"ALTER SYSTEM SET ssl = on"_s, u"SELECT pg_reload_conf()"_s}) {
        const auto done = runSql(*connection, sql);
        if (!done && done.error().detail.contains(u"not supported by this build"_s))
            return false;
        if (!done)
            qFatal("test server: %s", qPrintable(done.error().toString()));
    }
    const auto isOn = [&] {
        return ask(*connection, u"SELECT setting FROM pg_settings WHERE name = 'ssl'"_s) == u"on";
    };
    if (!waitUntil(isOn))
        qFatal("test server: it does not encrypt");
    return true;
}

db::PasswordProvider TestServer::passwords() const
{
    return db::fixedPassword(password());
}

db::ServerUrl TestServer::freshDatabase(Schema schema, const QString& sql)
{
    db::ServerUrl fresh = url();
    fresh.database = u"test_%1"_s.arg(++m_names);
    const auto connection = connect();
    const bool isCopied = schema == Schema::Install
        && ask(*connection, u"SELECT count(*) FROM pg_database WHERE datname = 'installed'"_s) == u"1";
    orDie(runSql(*connection,
        u"CREATE DATABASE "_s + fresh.database + (isCopied ? u" TEMPLATE installed"_s : QString())));
    if (schema == Schema::Install && !isCopied)
        orDie(db::installSchema(*connect(fresh)));
    if (!sql.isEmpty())
        run(fresh, sql);
    return fresh;
}

void TestServer::removeSchema()
{
    run(url(), u"ALTER DATABASE installed IS_TEMPLATE false"_s);
    run(url(), u"DROP DATABASE installed"_s);
    orDie(db::uninstallSchema(*connect()));
}

std::unique_ptr<db::Connection> TestServer::connect(
    const db::ServerUrl& url, const db::ConnectOptions& options) const
{
    auto connection = orDie(at(url).connect(options));
    if (url.engine == Engine::Postgres)
        orDie(connection->executeScript("SET search_path = public, pg_temp"));
    return connection;
}

void TestServer::run(const db::ServerUrl& url, const QString& sql) const
{
    db::ServerUrl asSuperuser = url;
    asSuperuser.user = this->url().user;
    orDie(connect(asSuperuser)->executeScript(sql.toUtf8()));
}

db::ServerUrl TestServer::asRole(const db::ServerUrl& url, const QString& sql)
{
    db::ServerUrl restricted = url;
    restricted.user = u"test_role_%1"_s.arg(++m_names);
    QString script = u"CREATE ROLE {role} LOGIN PASSWORD '%1';"_s.arg(password()) + sql;
    run(url, script.replace(u"{role}"_s, restricted.user));
    return restricted;
}

Result<qint64> runSql(db::Connection& connection, const QString& sql, std::initializer_list<db::Param> params,
    const db::RowSink& sink, std::stop_token stop)
{
    return connection.execute(sqlStatement(sql), params, sink, std::move(stop));
}

QString ask(db::Connection& connection, const QString& sql, std::initializer_list<db::Param> params)
{
    QString answer;
    const auto rows = runSql(connection, sql, params, [&](const db::Row& row) { answer = row.text(0); });
    return rows ? answer : rows.error().toString();
}

db::ConnectOptions monitorOptions(milliseconds statementTimeout, milliseconds connectTimeout)
{
    return {.purpose = db::Purpose::Monitor,
        .connectTimeout = connectTimeout,
        .statementTimeout = statementTimeout};
}

} // namespace lockscope::test
