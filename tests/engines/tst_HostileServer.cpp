// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// A server, or somebody on the way to it, that sends without end: lockctl gives it up in time, with an error,
// and does not fill the memory.
#include "tests/support/HostilePostgres.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

namespace tst_HostileServer {

using namespace lockscope;
using namespace lockscope::test;
using namespace Qt::StringLiterals;
using Flood = HostilePostgres::Flood;

namespace {

/// The most that a process had in memory so far, in kB; 0 if it is gone.
qint64 peakOf(qint64 process)
{
    QFile file(u"/proc/%1/status"_s.arg(process));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    static const QRegularExpression line(u"VmHWM:\\s+(\\d+) kB"_s);
    return line.match(QString::fromLatin1(file.readAll())).captured(1).toLongLong();
}

/// Commands of lockctl that run at the same time.
class Programs {
public:
    void start(const Lockctl& lockctl, const QStringList& commands)
    {
        for (const QString& command : commands)
            m_programs.push_back({command, lockctl.start(command.split(u' '))});
    }

    /// Each ends by itself, with an error, and has taken little memory.
    void areGivenUp()
    {
        QElapsedTimer elapsed;
        elapsed.start();
        const auto runs = [](const Program& program) { return program.process->state() != QProcess::NotRunning; };
        while (std::ranges::any_of(m_programs, runs) && elapsed.elapsed() < 90'000) {
            for (Program& program : m_programs) {
                program.peak = std::max(program.peak, peakOf(program.process->processId()));
                program.process->waitForFinished(5);
                if (runs(program))
                    program.took = elapsed.elapsed();
            }
        }
        for (const Program& program : m_programs)
            wasGivenUp(program);
    }

private:
    struct Program {
        QString command;
        std::unique_ptr<QProcess> process;
        qint64 peak = 0; ///< kB
        qint64 took = 0; ///< ms
    };

    static void wasGivenUp(const Program& program)
    {
        QProcess& process = *program.process;
        const bool isThrough = process.state() == QProcess::NotRunning;
        if (!isThrough) {
            process.kill();
            process.waitForFinished();
        }
        const Lockctl::Answer answer{process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
        qInfo("%s: %lld ms, %lld MB: %s", qPrintable(program.command), static_cast<long long>(program.took),
            static_cast<long long>(program.peak / 1'024), answer.err.left(300).toUtf8().constData());
        QVERIFY2(isThrough, qPrintable(program.command + u" still runs"_s));
        QVERIFY2(answer.code != 0, answer.told());
        QVERIFY2(program.command == u"check"_s || answer.isOneLineOfError(), answer.told());
        QVERIFY2(program.peak < 300 * 1'024, qPrintable(u"%1 kB"_s.arg(program.peak)));
    }

    std::vector<Program> m_programs;
};

} // namespace

class tst_HostileServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isGivenUpInTime_data()
    {
        QTest::addColumn<Flood>("flood");
        QTest::newRow("says nothing") << Flood::Silence;
        QTest::newRow("notices before it lets in") << Flood::LoginNotices;
        QTest::newRow("parameters before it lets in") << Flood::LoginParameters;
        QTest::newRow("a login byte by byte") << Flood::LoginTrickle;
        QTest::newRow("rows") << Flood::Rows;
        QTest::newRow("one row of a gigabyte") << Flood::WideRow;
        QTest::newRow("results") << Flood::Results;
        QTest::newRow("notices") << Flood::Notices;
        QTest::newRow("notifications") << Flood::Notifications;
        QTest::newRow("parameters") << Flood::Parameters;
        QTest::newRow("copied data") << Flood::CopyData;
        QTest::newRow("an answer byte by byte") << Flood::Trickle;
    }
    void isGivenUpInTime()
    {
        QFETCH(Flood, flood);
        HostilePostgres server(flood);
        Programs programs;
        programs.start(Lockctl(server.url().toString()), {u"list"_s});
        programs.areGivenUp();
    }

    /// It has let the program in and answered all that a connection begins with.
    void isGivenUpInTheMiddle_data()
    {
        QTest::addColumn<Flood>("flood");
        QTest::newRow("says nothing any more") << Flood::Silence;
        QTest::newRow("rows") << Flood::Rows;
        QTest::newRow("notices") << Flood::Notices;
        QTest::newRow("results") << Flood::Results;
        QTest::newRow("an answer byte by byte") << Flood::Trickle;
    }
    void isGivenUpInTheMiddle()
    {
        QFETCH(Flood, flood);
        if (!m_real)
            m_real = std::make_unique<TestServer>(TestServer::replicating());
        const db::ServerUrl url = m_real->overTcp(m_real->url());
        Programs programs;
        std::deque<HostilePostgres> servers;
        const auto against = [&](const QByteArray& turn, const QStringList& commands) {
            const HostilePostgres& server = servers.emplace_back(flood, url, turn);
            programs.start(Lockctl(server.url().toString(), m_real->password()), commands);
        };
        against("lockscope.acquire_lock(", {u"acquire job --no-wait"_s, u"run --no-wait job -- true"_s});
        against("FROM pg_catalog.pg_locks", {u"list"_s, u"tree"_s});
        against("'pg_signal_backend', 'USAGE'", {u"check"_s});
        against("pg_try_advisory_lock(",
            {u"run --kind app --no-wait job -- true"_s, u"run --kind app --wait 2s job -- true"_s});
        against("FOR UPDATE SKIP LOCKED", {u"run --kind locked-key --no-wait job -- true"_s});
        programs.areGivenUp();
    }

private:
    std::unique_ptr<TestServer> m_real;
};

LOCKSCOPE_TEST(tst_HostileServer)

} // namespace tst_HostileServer
#include "tst_HostileServer.moc"
