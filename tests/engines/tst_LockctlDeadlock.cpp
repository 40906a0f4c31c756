// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

#include "core/deadlock/Family.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

#include <sys/stat.h>

namespace tst_LockctlDeadlock {

using namespace lockscope;
using namespace lockscope::test;

/// `lockctl deadlock` needs no server.
class tst_LockctlDeadlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itTellsWhatHappened()
    {
        const auto answer = ctl()("deadlock %1", deadlockFilePath(u"opposite-order.xdl"_s));
        VERIFY_CODE(1, answer);
        for (const QString& part : {u"┌─▶ 52 ✗"_s, u"What happened"_s, u"opposite-order: "_s,
                 u"UPDATE dbo.orders SET state = 2 WHERE id = 1;"_s, u"1 deadlock\n"_s})
            QVERIFY2(answer.out.contains(part), answer.allOutput());
    }

    void exitCodes_data()
    {
        addColumns<QStringList, int>("files", "code");
        const QString whole = deadlockFilePath(u"event.xml"_s);
        const QString none = deadlockFilePath(u"not-a-deadlock.xml"_s);
        row("found", QStringList{whole}, 1);
        row("several files", QStringList{none, whole}, 1);
        row("none", QStringList{none}, 0);
        row("none whole", QStringList{deadlockFilePath(u"no-cycle.xdl"_s)}, 3);
        row("blocked only", QStringList{deadlockFilePath(u"blocked-process.xml"_s)}, 0);
        row("not there", QStringList{whole, u"/no/such/file"_s}, 1);
        row("none, and not there", QStringList{none, u"/no/such/file"_s}, 3);
        row("nothing to prove", QStringList{none, u"--prove"_s}, 3);
        row("nothing named", QStringList{}, 2);
    }
    void exitCodes()
    {
        FETCH(QStringList, files, int, code);
        const auto answer = ctl()(QStringList{u"deadlock"_s} + files);
        VERIFY_CODE(code, answer);
        QCOMPARE(answer.err.isEmpty(), !files.isEmpty() && !files.contains(u"/no/such/file"_s));
        if (QByteArray(QTest::currentDataTag()) == "not there")
            QVERIFY2(answer.out.contains(u"1 deadlock\n"_s) && answer.isOneLineOfError(), answer.allOutput());
    }

    /// "None" is not said of records that could not be read.
    void noneIsOnlySaidOfWhatWasRead()
    {
        const auto unread = ctl()("deadlock /no/such/file");
        QVERIFY2(unread.code == 3 && unread.isOneLineOfError(), unread.allOutput());
        QCOMPARE(unread.out, QString());
        QVERIFY(!ctl()("deadlock %1", deadlockFilePath(u"not-a-deadlock.xml"_s)).out.isEmpty());
    }

    /// A line that only mentions a deadlock is the answer, with the place of the report.
    void aLineThatSpeaksOfOneIsNamed()
    {
        const QString file = deadlockFilePath(u"carried/message-1205.txt"_s);
        for (const QStringList& words :
            {QStringList{u"deadlock"_s, file}, Lockctl::words("deadlock --family %1", file)}) {
            const auto answer = ctl()(words);
            VERIFY_CODE(3, answer);
            for (const QString& part : {u"1 line speaks of a deadlock"_s, u".txt:2"_s, u"system_health"_s})
                QVERIFY2(answer.out.contains(part), answer.allOutput());
            QVERIFY2(!answer.out.contains(u"No deadlock"_s), answer.allOutput());
        }
        const auto json = ctl()("deadlock --json %1", file);
        QCOMPARE(json.json()[u"mentions"][0][u"line"].toInt(), 2);
    }

    /// Reading a pipe would wait for its writers for ever.
    void aPipeIsRefused()
    {
        const QString pipe = freshPath(u"pipe"_s);
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), S_IRUSR | S_IWUSR), 0);
        const auto answer = ctl()("deadlock %1", pipe);
        QVERIFY2(answer.code == 3 && answer.isOneLineOfError(), answer.allOutput());
        QVERIFY2(answer.err.contains(u"not a regular file"_s), answer.allOutput());
    }

    void familiesAreCounted()
    {
        const auto answer = ctl()("deadlock --family --json %1 %2 %3", deadlockFilePath(u"event.xml"_s),
            deadlockFilePath(u"ring-buffer.xml"_s), deadlockFilePath(u"three-way.xdl"_s));
        VERIFY_CODE(1, answer);
        const QJsonArray families = answer.json()[u"families"].toArray();
        QCOMPARE(families.size(), 3);
        QCOMPARE(families[0][u"count"].toInt(), 1); // event.xml is in the ring buffer, too
        QVERIFY(families[0][u"family"].toString().startsWith(
            QString::number(lockscope::deadlock::familyVersion) + u'-'));
    }

    void itWritesFilesToPassOn()
    {
        const QTemporaryDir folder;
        const QString page = folder.filePath(u"page.html"_s);
        const QString xdl = folder.filePath(u"again.xdl"_s);
        VERIFY_CODE(
            1, ctl()("deadlock %1 --html %2 --xdl %3", deadlockFilePath(u"trace-1222.log"_s), page, xdl));
        const QByteArray html = readFile(page);
        QVERIFY(html.contains("state = ?") && !html.contains("shop_app"));
        VERIFY_CODE(1, ctl()("deadlock %1", xdl));
        const auto postgres = ctl()("deadlock %1 --xdl %2", deadlockFilePath(u"postgres.csv"_s), xdl);
        QVERIFY2(postgres.code == 3 && postgres.isOneLineOfError(), postgres.allOutput());
    }

    void whatOthersWroteSteersNoTerminal()
    {
        QByteArray text = deadlockFile(u"opposite-order.xdl"_s);
        text.replace("dbo.orders", "dbo.\x1b[31m\xe2\x80\xaeorders");
        const auto answer = ctl()("deadlock %1", makeFile(freshPath(u"evil.xdl"_s), text));
        VERIFY_CODE(1, answer);
        QVERIFY(!answer.out.contains(QChar(0x1b)) && !answer.out.contains(QChar(0x202e)));
    }

private:
    static Lockctl ctl() { return Lockctl(u"sqlite:///nowhere.db"_s); }
};

LOCKSCOPE_TEST(tst_LockctlDeadlock)

} // namespace tst_LockctlDeadlock
#include "tst_LockctlDeadlock.moc"
