// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Standby.h"

#include "core/sandbox/PrivateServer.h"
#include "tests/support/Files.h"
#include "tests/support/TestServer.h"
#include "tests/support/Waiting.h"

#include <QProcess>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

void runProgram(const QString& program, const QStringList& arguments, const QString& password = {})
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"PGPASSWORD"_s, password);
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(60'000) || process.exitCode() != 0)
        qFatal("standby: %s: %s", qPrintable(program), process.readAll().constData());
}

QString programsOf(const QString& versionFile)
{
    return orDie(sandbox::findPostgresPrograms(QString::fromLatin1(contentOf(versionFile)).trimmed()));
}

/// Each has a place of its own where the primary keeps what it has not got yet.
QString newSlot()
{
    static std::atomic<int> count = 0;
    return u"standby_%1"_s.arg(++count);
}

sandbox::Sandbox::Capacity capacityBeside(const TestServer& primary)
{
    if (primary.url().port == 0)
        qFatal("standby: the primary is not a replicating one");
    return TestServer::replicating();
}

QString copyOf(const TestServer& primary, const QString& directory)
{
    const QString copy = emptyServerDirectory();
    const db::ServerUrl url = primary.url();
    const QString data = directory + u"/data"_s;
    runProgram(programsOf(data + u"/PG_VERSION"_s) + u"/pg_basebackup"_s,
        {u"-D"_s, copy + u"/data"_s, u"-h"_s, url.host, u"-p"_s, QString::number(url.port), u"-U"_s, url.user,
            u"--no-password"_s, u"--write-recovery-conf"_s, u"--wal-method=stream"_s, u"--create-slot"_s,
            u"--slot"_s, newSlot(), u"--checkpoint=fast"_s, u"--no-sync"_s},
        primary.password());
    // Run by root, the copy is root's, and no server runs as root.
    runProgram(u"chown"_s, {u"-R"_s, u"--reference="_s + data, copy + u"/data"_s});
    QStringList rest;
    for (const char* name : {"/password", "/start.lock", "/schema"})
        rest << directory + QLatin1String(name);
    runProgram(u"cp"_s, QStringList{u"-a"_s} + rest + QStringList{copy});
    return copy;
}

} // namespace

Standby::Standby(TestServer& primary, Commit commit)
    : TestServer(copyOf(primary, primary.m_directory), capacityBeside(primary))
    , m_primary(primary)
{
    const auto connection = primary.connect();
    if (commit == Commit::Synchronous) {
        for (const QString& sql :
            {u"ALTER SYSTEM SET synchronous_standby_names = '*'"_s, u"SELECT pg_reload_conf()"_s}) {
            orDie(runSql(*connection, sql));
        }
    }
    const QString follows = commit == Commit::Synchronous ? u"sync_state IN ('sync', 'quorum')"_s : u"true"_s;
    const bool isThere = waitUntil([&] {
        return ask(*connection,
                   u"SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming' AND "_s
                       + follows + u')')
            == u"t"_s;
    });
    if (!isThere)
        qFatal("standby: it does not follow");
}

Standby::~Standby() = default;

db::ServerUrl Standby::sameDatabase(const db::ServerUrl& ofPrimary) const
{
    db::ServerUrl here = url();
    here.database = ofPrimary.database;
    here.user = ofPrimary.user;
    return here;
}

void Standby::catchUp() const
{
    const QString written = ask(*m_primary.connect(), u"SELECT pg_current_wal_lsn()"_s);
    const auto connection = connect();
    if (!waitUntil([&] {
            return ask(*connection, u"SELECT pg_last_wal_replay_lsn() >= '%1'::pg_lsn"_s.arg(written))
                == u"t"_s;
        }))
        qFatal("standby: it does not catch up");
}

void Standby::promote()
{
    if (const QString promoted = ask(*connect(), u"SELECT pg_promote(true, 60)"_s); promoted != u"t"_s)
        qFatal("standby: not promoted: %s", qPrintable(promoted));
}

} // namespace lockscope::test
