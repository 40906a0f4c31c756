// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// A server, or somebody on the way to it, that sends without end: lockctl gives it up in time, with an error,
// and does not fill the memory.
#include "tests/support/HostilePostgres.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

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
        const Lockctl lockctl(server.url().toString());
        QElapsedTimer elapsed;
        elapsed.start();
        const auto process = lockctl.start({u"list"_s});
        qint64 peak = 0;
        while (process->state() != QProcess::NotRunning && elapsed.elapsed() < 60'000) {
            peak = std::max(peak, peakOf(process->processId()));
            process->waitForFinished(20);
        }
        const qint64 took = elapsed.elapsed();
        const bool isThrough = process->state() == QProcess::NotRunning;
        if (!isThrough) {
            process->kill();
            process->waitForFinished();
        }
        const Lockctl::Answer answer{process->exitCode(), QString::fromUtf8(process->readAllStandardOutput()),
            QString::fromUtf8(process->readAllStandardError())};
        qInfo("%lld ms, %lld MB: %s", static_cast<long long>(took), static_cast<long long>(peak / 1'024),
            answer.err.left(300).toUtf8().constData());
        QVERIFY2(isThrough, "it still runs after a minute");
        QVERIFY2(peak < 300 * 1'024, qPrintable(u"%1 kB"_s.arg(peak)));
        QCOMPARE(answer.code, 1);
        QVERIFY2(answer.isOneLineOfError(), answer.told());
    }
};

LOCKSCOPE_TEST(tst_HostileServer)

} // namespace tst_HostileServer
#include "tst_HostileServer.moc"
