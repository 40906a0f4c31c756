// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/PgBouncer.h"

#include "core/sandbox/PrivateServer.h"
#include "tests/support/Files.h"
#include "tests/support/Processes.h"
#include "tests/support/Waiting.h"

#include <QDir>
#include <QLocalSocket>
#include <QStandardPaths>

#include <libpq-fe.h>

#include <csignal>
#include <poll.h>

#ifdef Q_OS_LINUX
#include <sys/prctl.h>
#endif
#include <unistd.h>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

QString program()
{
    // Debian's is where ordinary users don't look.
    const QString found = QStandardPaths::findExecutable(u"pgbouncer"_s);
    return found.isEmpty() ? QStandardPaths::findExecutable(u"pgbouncer"_s, {u"/usr/sbin"_s}) : found;
}

QString nameOf(PgBouncer::Mode mode)
{
    switch (mode) {
    case PgBouncer::Mode::Session:
        return u"session"_s;
    case PgBouncer::Mode::Transaction:
        return u"transaction"_s;
    case PgBouncer::Mode::Statement:
        return u"statement"_s;
    }
    return {};
}

void write(const QString& path, const QString& text, const sandbox::Account& account)
{
    makeFile(path, text.toUtf8(), onlyOwn);
    if (chown(QFile::encodeName(path).constData(), account.uid, account.gid) != 0)
        qFatal("pooler: can't give %s away", qPrintable(path));
}

} // namespace

bool PgBouncer::isInstalled()
{
    return !program().isEmpty();
}

PgBouncer::PgBouncer(const TestServer& server, Mode mode, int poolSize, const QString& settings)
    : m_directory(QDir::tempPath() + u"/lockscope-pooler-XXXXXX"_s)
    , m_port(freePort())
    , m_user(server.url().user)
    , m_password(server.password())
{
    // It refuses root, and the server's socket is for the server's account only.
    const auto account = orDie(sandbox::Account::forDirectory(server.url().host));
    const QByteArray path = QFile::encodeName(m_directory.path());
    if (chown(path.constData(), account.uid, account.gid) != 0)
        qFatal("pooler: can't give %s away", path.constData());
    write(m_directory.filePath(u"users.txt"_s), u"\"%1\" \"%2\"\n"_s.arg(m_user, m_password), account);
    write(m_directory.filePath(u"pooler.ini"_s),
        u"[databases]\n* = host=%1 port=%2\n[pgbouncer]\nlisten_addr = 127.0.0.1\nunix_socket_dir = %3\n"
        "listen_port = %4\nauth_type = scram-sha-256\nauth_file = %3/users.txt\npool_mode = %5\n"
        "default_pool_size = %6\nadmin_users = %7\n%8\n"_s.arg(server.url().host,
            QString::number(server.url().port == 0 ? 5432 : server.url().port), m_directory.path(),
            QString::number(m_port), nameOf(mode), QString::number(poolSize), m_user, settings),
        account);
    m_process.setChildProcessModifier([account] {
        if (geteuid() != account.uid && (setgid(account.gid) != 0 || setuid(account.uid) != 0))
            _exit(127);
#ifdef Q_OS_LINUX
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    });
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.start(program(), {m_directory.filePath(u"pooler.ini"_s)});
    if (!m_process.waitForStarted())
        qFatal("pooler: %s", qPrintable(m_process.errorString()));
    const QString socket = m_directory.filePath(u".s.PGSQL.%1"_s.arg(m_port));
    // The socket is there shortly before anybody listens on it.
    const bool isUp = waitUntil([&] {
        m_process.waitForReadyRead(5);
        QLocalSocket client;
        client.connectToServer(socket);
        return client.waitForConnected(100) || m_process.state() != QProcess::Running;
    });
    if (!isUp || m_process.state() != QProcess::Running)
        qFatal("pooler: %s", m_process.readAll().constData());
}

PgBouncer::~PgBouncer()
{
    kill();
}

void PgBouncer::kill()
{
    m_process.kill();
    m_process.waitForFinished(-1);
}

/// It takes simple queries only.
void PgBouncer::command(const char* text, std::chrono::milliseconds atMost) const
{
    const QByteArray host = m_directory.path().toUtf8();
    const QByteArray port = QByteArray::number(m_port);
    const QByteArray user = m_user.toUtf8();
    const QByteArray password = m_password.toUtf8();
    const std::array names{"host", "port", "user", "password", "dbname", static_cast<const char*>(nullptr)};
    const std::array values{host.constData(), port.constData(), user.constData(), password.constData(),
        "pgbouncer", static_cast<const char*>(nullptr)};
    const std::unique_ptr<PGconn, decltype(&PQfinish)> console(
        PQconnectdbParams(names.data(), values.data(), 0), &PQfinish);
    const QDeadlineTimer deadline(atMost);
    if (PQsendQuery(console.get(), text) == 0)
        qFatal("pooler: %s: %s", text, PQerrorMessage(console.get()));
    while (PQisBusy(console.get()) != 0) {
        pollfd polled{PQsocket(console.get()), POLLIN, 0};
        if (::poll(&polled, 1, static_cast<int>(deadline.remainingTime())) == 0)
            return;
        if (PQconsumeInput(console.get()) == 0)
            break;
    }
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQgetResult(console.get()), &PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK)
        qFatal("pooler: %s: %s", text, PQerrorMessage(console.get()));
}

db::ServerUrl PgBouncer::before(db::ServerUrl url) const
{
    url.host = m_directory.path();
    url.port = m_port;
    return url;
}

db::ServerUrl PgBouncer::overTcp(db::ServerUrl url) const
{
    url = before(std::move(url));
    url.host = u"127.0.0.1"_s;
    return url;
}

} // namespace lockscope::test
