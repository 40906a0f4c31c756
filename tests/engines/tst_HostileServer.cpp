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
        areGivenUp(Lockctl(server.url().toString()), {u"list"_s});
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
        const auto against = [&](const QByteArray& turn, const QStringList& commands) {
            HostilePostgres server(flood, url, turn);
            areGivenUp(Lockctl(server.url().toString(), m_real->password()), commands);
        };
        against("lockscope.acquire_lock(", {u"acquire job --no-wait"_s, u"run --no-wait job -- true"_s});
        against("FROM pg_catalog.pg_locks", {u"list"_s, u"tree"_s});
        against("'pg_signal_backend', 'USAGE'", {u"check"_s});
        if (QTest::currentTestFailed())
            return;
        against("pg_try_advisory_lock(",
            {u"run --kind app --no-wait job -- true"_s, u"run --kind app --wait 2s job -- true"_s});
        against("FOR UPDATE SKIP LOCKED", {u"run --kind locked-key --no-wait job -- true"_s});
    }

private:
    /// All at once: each ends by itself, with an error.
    static void areGivenUp(const Lockctl& lockctl, const QStringList& commands)
    {
        QElapsedTimer elapsed;
        elapsed.start();
        std::vector<std::unique_ptr<QProcess>> programs;
        for (const QString& command : commands)
            programs.push_back(lockctl.start(command.split(u' ')));
        qint64 peak = 0;
        const auto run = [](const auto& program) { return program->state() != QProcess::NotRunning; };
        while (std::ranges::any_of(programs, run) && elapsed.elapsed() < 90'000) {
            for (const auto& program : programs) {
                peak = std::max(peak, peakOf(program->processId()));
                program->waitForFinished(20);
            }
        }
        const qint64 took = elapsed.elapsed();
        for (std::size_t i = 0; i < programs.size(); ++i) {
            QProcess& program = *programs[i];
            const bool isThrough = program.state() == QProcess::NotRunning;
            if (!isThrough) {
                program.kill();
                program.waitForFinished();
            }
            const Lockctl::Answer answer{program.exitCode(),
                QString::fromUtf8(program.readAllStandardOutput()),
                QString::fromUtf8(program.readAllStandardError())};
            const QString& command = commands[static_cast<qsizetype>(i)];
            qInfo("%s: %lld ms, %lld MB: %s", qPrintable(command), static_cast<long long>(took),
                static_cast<long long>(peak / 1'024), answer.err.left(300).toUtf8().constData());
            QVERIFY2(isThrough, qPrintable(command + u" still runs"_s));
            QVERIFY2(answer.code != 0, answer.told());
            QVERIFY2(command == u"check"_s || answer.isOneLineOfError(), answer.told());
        }
        QVERIFY2(peak < 300 * 1'024, qPrintable(u"%1 kB"_s.arg(peak)));
    }

    std::unique_ptr<TestServer> m_real;
};

LOCKSCOPE_TEST(tst_HostileServer)

} // namespace tst_HostileServer
#include "tst_HostileServer.moc"
