// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The command of `lockctl run`: how it is found and started, what it inherits, which signals it gets, and
// that it does not go on alone.

#include "tests/support/Lockctl.h"
#include "tests/support/Processes.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_LockctlCommand {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockctlCommand : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    void itIsStartedAsByAShell_data()
    {
        test::addColumns<QByteArray, bool, int, QString>("text", "executable", "code", "out");
        row("a script", QByteArray("#!/bin/sh\necho \"$0 $1\""), true, 0, "{path} a b\n");
        row("a script without #!", QByteArray("echo \"$0 $1\"; exit 9"), true, 9, "{path} a b\n");
        row("nothing at all", QByteArray(), true, 0, QString());
        row("no program", QByteArray("\0\1\2", 3), true, 126, QString());
        row("not executable", QByteArray("#!/bin/sh\n"), false, 126, QString());
        row("an interpreter that is not there", QByteArray("#!/no/such\n"), true, 127, QString());
    }
    void itIsStartedAsByAShell()
    {
        FETCH(QByteArray, text, bool, executable, int, code, QString, out);
        const QString path = script(text, executable);
        // The judge: a shell of this machine.
        QProcess shell;
        shell.start(u"sh"_s, {u"-c"_s, u"\"$0\" 'a b'"_s, path});
        QVERIFY(shell.waitForFinished());
        if (code != 126 || !executable) // bash and dash differ in what is no program
            QCOMPARE(shell.exitCode(), code);
        const auto answer = run({path, u"a b"_s});
        VERIFY_CODE(code, answer);
        QCOMPARE(answer.out, out.replace(u"{path}"_s, path));
        if (code >= 126) {
            QVERIFY2(answer.isOneLineOfError(), answer.allOutput());
            QVERIFY2(!answer.err.contains(u".."_s), answer.allOutput());
        }
    }

    void itIsFoundAsByAShell()
    {
        QCOMPARE(run({u"no-such-command-here"_s}).code, 127);
        QCOMPARE(run({m_directory.filePath(u"nothing"_s)}).code, 127);
        QCOMPARE(run({m_directory.path()}).code, 126);
        QCOMPARE(run({QString()}).code, 127);
        // One that can be executed is better than one that comes first.
        QTemporaryDir other;
        Lockctl lockctl = ctl();
        lockctl.set(u"PATH"_s, m_directory.path() + u':' + other.path());
        script("echo never", false, u"nightly-job"_s);
        const QStringList arguments = Lockctl::words("run nightly -- nightly-job");
        QCOMPARE(lockctl(arguments).code, 126);
        QVERIFY(QFile::copy(script("echo found", true, u"found"_s), other.filePath(u"nightly-job"_s)));
        QCOMPARE(lockctl(arguments).out, u"found\n"_s);
    }

    void argumentsNeedNotBeText()
    {
        // "\377" is no UTF-8.
        const auto process = ctl().startBy(u"sh"_s, {u"-c"_s},
            {u"run"_s, u"nightly"_s, u"--"_s, u"printf"_s, u"%s"_s, u"\"$(printf 'x\\377y')\""_s}, {});
        QVERIFY(process->waitForFinished(30'000));
        QCOMPARE(process->readAllStandardOutput(), QByteArray("x\377y"));
    }

    void signalsReachIt_data()
    {
        QTest::addColumn<int>("signal");
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGABRT})
            QTest::newRow(sigabbrev_np(signal)) << signal;
    }
    void signalsReachIt()
    {
        QFETCH(int, signal);
        const auto running = ctl().start("run nightly -- sh -c %1",
            u"trap 'exit 33' %1; echo here; while :; do sleep 0.02; done"_s.arg(signal));
        QVERIFY(running->waitForReadyRead(30'000));
        ::kill(static_cast<pid_t>(running->processId()), signal);
        VERIFY_CODE(33, Lockctl::finish(*running));
        // One that still waits gives up.
        QCOMPARE(ctl()("acquire held").code, 0);
        const auto waiting = ctl().start("run held -- true");
        QVERIFY(
            waitUntil([&] { return ctl()("list --json").json()[u"entry_waiters"].toArray().size() == 1; }));
        ::kill(static_cast<pid_t>(waiting->processId()), signal);
        QCOMPARE(Lockctl::finish(*waiting).code, 128 + signal);
    }

    void otherSignalsDoNotHurryTheRelease()
    {
        const auto running =
            ctl().start("run nightly -- sh -c %1", u"trap 'echo again' USR1; echo here; read line"_s);
        QVERIFY(running->waitForReadyRead(30'000));
        ::kill(static_cast<pid_t>(running->processId()), SIGUSR1);
        const auto answer = Lockctl::finish(*running);
        QVERIFY2(answer.err.isEmpty(), answer.allOutput());
        QVERIFY(ctl()("list --json").json()[u"entries"].toArray().isEmpty());
    }

    void itInheritsNothingOfOurs()
    {
        QProcess plain; // this program may have been given some, too
        plain.start(u"ls"_s, {u"/proc/self/fd"_s});
        QVERIFY(plain.waitForFinished(30'000));
        const QString expected = QString::fromLatin1(plain.readAllStandardOutput());
        for (const QString& kind : {u"table"_s, u"app"_s}) {
            const auto open = run({u"ls"_s, u"/proc/self/fd"_s}, {u"--kind"_s, kind});
            QVERIFY2(open.out == expected, open.allOutput());
            const auto status = run({u"cat"_s, u"/proc/self/status"_s}, {u"--kind"_s, kind});
            for (const char* field : {"SigBlk:", "SigIgn:", "SigCgt:"}) {
                const QString line =
                    status.out.mid(status.out.indexOf(QLatin1String(field))).section(u'\n', 0, 0);
                QVERIFY2(line.section(u':', 1).trimmed().toULongLong(nullptr, 16) == 0, qPrintable(line));
            }
        }
        const QString file = m_directory.filePath(u"locks.db"_s);
        const Lockctl sqlite(u"sqlite://"_s + file);
        QCOMPARE(sqlite("install").code, 0);
        const auto open = sqlite("run n -- ls -l /proc/self/fd");
        QVERIFY2(open.code == 0 && !open.out.contains(u"locks.db"_s), open.allOutput());
    }

    void itInheritsWhatWeWereGiven()
    {
        const QString message = m_directory.filePath(u"told"_s);
        const auto process = ctl().startBy(u"sh"_s, {u"-c"_s},
            {u"run"_s, u"nightly"_s, u"--"_s, u"sh"_s, u"-c"_s, u"'echo ninth >&9'"_s, u"9>"_s + message},
            {});
        QVERIFY(process->waitForFinished(30'000));
        QCOMPARE(test::readFile(message), QByteArray("ninth\n"));
    }

    void whatWasIgnoredStaysIgnored()
    {
        const auto process = ctl().startBy(u"sh"_s, {u"-c"_s},
            {u"run"_s, u"nightly"_s, u"--"_s, u"grep"_s, u"SigIgn"_s, u"/proc/self/status"_s}, {});
        QVERIFY(process->waitForFinished(30'000));
        QProcessEnvironment environment = process->processEnvironment();
        QProcess ignoring;
        ignoring.setProcessEnvironment(environment);
        ignoring.start(u"sh"_s,
            {u"-c"_s,
                u"trap '' HUP; exec \"%1\" run nightly -- grep SigIgn /proc/self/status"_s.arg(
                    test::programPath("lockctl"))});
        QVERIFY(ignoring.waitForFinished(30'000));
        const auto ignored = [](QProcess& each) {
            return QString::fromLatin1(each.readAllStandardOutput())
                .section(u':', 1)
                .trimmed()
                .toULongLong(nullptr, 16);
        };
        QCOMPARE(ignored(*process), 0ULL);
        QCOMPARE(ignored(ignoring), 1ULL << (SIGHUP - 1));
    }

    void passwordsAreKeptFromIt()
    {
        Lockctl lockctl = ctl();
        lockctl.set(u"PGPASSWORD"_s, u"s3cret"_s);
        const auto plain = lockctl("run nightly -- env");
        QVERIFY2(plain.out.contains(u"LOCKSCOPE_LOCK=nightly"_s), plain.allOutput());
        QVERIFY(!plain.out.contains(u"PASSWORD="_s));
        const auto kept = lockctl("run nightly --keep-password -- env");
        QVERIFY(kept.out.contains(u"\nPGPASSWORD=s3cret\n"_s));
        QVERIFY(kept.out.contains(u"LOCKSCOPE_PASSWORD="_s));
    }

    void itDoesNotOutliveUs()
    {
        const auto running = ctl().start("run nightly -- sh -c %1", u"echo $$; exec sleep 1000"_s);
        const qint64 command = firstNumber(*running);
        QVERIFY(command > 0);
        running->kill();
        QVERIFY(waitUntil([command] { return test::processFile(command, u"cmdline"_s).isEmpty(); }));
    }

    void itOutlivesUsIfAsked()
    {
        const QString message = freshPath(u"message"_s); // Qt closes a pipe when it hears of the death
        const auto running = ctl().start("run nightly --survive-lockctl -- sh -c %1 %2",
            u"trap 'echo ended by a signal >\"$0\"; exit' TERM; echo $$; read line; echo went on >\"$0\""_s,
            message);
        QVERIFY(firstNumber(*running) > 0);
        ::kill(static_cast<pid_t>(running->processId()), SIGKILL);
        running->closeWriteChannel();
        const auto text = [&message] { return test::contentOf(message); };
        QTRY_VERIFY(text().contains('\n'));
        QCOMPARE(text(), QByteArray("went on\n"));
    }

private:
    Lockctl::Answer run(const QStringList& command, const QStringList& options = {}) const
    {
        return ctl()(Lockctl::words("run nightly") + options + QStringList{u"--"_s} + command);
    }
    QString script(const QByteArray& text, bool executable = true, const QString& name = u"job"_s)
    {
        return test::makeFile(
            m_directory.filePath(name), text, executable ? test::ownProgram : test::onlyOwn);
    }
    static qint64 firstNumber(QProcess& process)
    {
        while (!process.canReadLine() && process.waitForReadyRead(30'000)) { }
        return process.readLine().trimmed().toLongLong();
    }

    QTemporaryDir m_directory;
};

LOCKSCOPE_TEST(tst_LockctlCommand)

} // namespace tst_LockctlCommand
#include "tst_LockctlCommand.moc"
