// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/LoggingServer.h"

#include "core/sandbox/PrivateServer.h"
#include "tests/support/Files.h"
#include "tests/support/TestServer.h"

#include <QDeadlineTimer>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

namespace lockscope::test {

using namespace Qt::StringLiterals;

LoggingServer::LoggingServer(const QByteArray& language, const QStringList& settings)
{
    copyClusterTo(folder());
    // PostgreSQL refuses root: the owner of the cluster runs it.
    struct stat owner { };
    if (stat(qUtf8Printable(folder() + u"/data"_s), &owner) != 0)
        qFatal("logging server: there is no cluster");
    if (geteuid() == 0 && chown(qUtf8Printable(folder()), owner.st_uid, owner.st_gid) != 0)
        qFatal("logging server: can't give the folder to its owner");
    QProcessEnvironment environment;
    environment.insert(u"PATH"_s, qEnvironmentVariable("PATH"));
    environment.insert(u"LC_ALL"_s, u"C.UTF-8"_s);
    if (!language.isEmpty()) // gettext takes it where no locale of that language is installed, too
        environment.insert(u"LANGUAGE"_s, QString::fromLatin1(language));
    m_server.setProcessEnvironment(environment);
    m_server.setChildProcessModifier([owner] {
        if (geteuid() == 0 && (setgid(owner.st_gid) != 0 || setuid(owner.st_uid) != 0))
            _exit(1);
    });
    const QString version = QString::fromLatin1(contentOf(folder() + u"/data/PG_VERSION"_s)).trimmed();
    const bool knowsJson = version.toInt() >= 15;
    QStringList arguments{u"-D"_s, folder() + u"/data"_s};
    for (const QString& setting : {u"listen_addresses="_s, u"unix_socket_directories="_s + folder(),
             u"port=5432"_s, u"logging_collector=on"_s, u"log_directory="_s + folder() + u"/log"_s,
             u"log_filename=server.log"_s,
             u"log_destination=stderr,csvlog"_s + (knowsJson ? u",jsonlog"_s : QString()),
             u"log_file_mode=0644"_s, u"lc_messages=C.UTF-8"_s, u"deadlock_timeout=50ms"_s, u"fsync=off"_s,
             u"log_statement=all"_s, u"log_line_prefix=%t:%r:%u@%d:[%p]:"_s})
        arguments << u"-c"_s << setting;
    for (const QString& setting : settings)
        arguments << u"-c"_s << setting;
    const auto programs = orDie(sandbox::findPostgresPrograms(version));
    m_server.start(programs + u"/postgres"_s, arguments);
    const QDeadlineTimer deadline(60'000);
    while (!contentOf(folder() + u"/data/postmaster.pid"_s).contains("ready")) {
        if (deadline.hasExpired() || m_server.waitForFinished(20))
            qFatal("logging server: it does not start: %s", m_server.readAllStandardError().constData());
    }
}

LoggingServer::~LoggingServer()
{
    ::kill(pid_t(m_server.processId()), SIGQUIT);
    m_server.waitForFinished();
}

QByteArray LoggingServer::log(const QString& form) const
{
    return contentOf(folder() + u"/log/server."_s + form);
}

db::Server LoggingServer::server() const
{
    db::ServerUrl url;
    url.engine = Engine::Postgres;
    url.host = folder();
    url.user = u"lockscope"_s;
    url.database = u"postgres"_s;
    return db::Server::at(
        url, db::fixedPassword(QString::fromUtf8(contentOf(folder() + u"/password"_s)).trimmed()));
}

db::Server LoggingServer::serverFor(const QString& role) const
{
    db::Server other = server();
    other.profile.url.user = role;
    other.passwords = db::fixedPassword(u"secret"_s);
    return other;
}

std::unique_ptr<QProcess> LoggingServer::session() const
{
    auto psql = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"PGPASSWORD"_s, QString::fromUtf8(contentOf(folder() + u"/password"_s)).trimmed());
    psql->setProcessEnvironment(environment);
    psql->setProcessChannelMode(QProcess::MergedChannels);
    psql->start(u"psql"_s, {u"-XAtq"_s, u"-h"_s, folder(), u"-U"_s, u"lockscope"_s, u"-d"_s, u"postgres"_s});
    if (!psql->waitForStarted())
        qFatal("logging server: psql does not start");
    return psql;
}

} // namespace lockscope::test
