// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// `lockctl watch` on a terminal: its keys, its width, and that the terminal is as before however it ends.

#include "tests/support/Lockctl.h"
#include "tests/support/Terminal.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_LockctlWatch {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockctlWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_directory = std::make_unique<QTemporaryDir>();
        m_lockctl = Lockctl(server());
        QCOMPARE(m_lockctl("install").code, 0);
        acquire(u"nightly"_s);
    }

    void qQuits()
    {
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        QVERIFY(!terminal->echoesAndWaitsForLines());
        QVERIFY(!terminal->isCursorShown());
        terminal->type("q");
        QCOMPARE(terminal->waitForEnd(), 0);
        QVERIFY(terminal->echoesAndWaitsForLines());
        QVERIFY(terminal->isCursorShown());
    }

    void keysAreShownInEightyColumns()
    {
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"nightly"_s) && terminal->waitUntilShown(u"p pause"_s));
        const QString keys = terminal->screen().last();
        for (const char* key : {"q quit", "s sort", "/ filter", "p pause"})
            VERIFY_CONTAINS(keys, QString::fromLatin1(key));
        QVERIFY(keys.size() <= 80 && !keys.contains(u'…'));
        // The important parts are whole: the figures, the state, the name.
        QVERIFY2(terminal->waitUntilShown(u"holders 1, waiters 0, longest wait -, stale 0"_s),
            qPrintable(terminal->screen().join(u'\n')));
        QVERIFY(terminal->waitUntilShown(u"STATE"_s) && terminal->waitUntilShown(u"HOST"_s));
        terminal->type("q");
        QCOMPARE(terminal->waitForEnd(), 0);
    }

    void ctrlCEndsIt()
    {
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        terminal->type("\x03");
        QCOMPARE(terminal->waitForEnd(), 0);
        QVERIFY(terminal->echoesAndWaitsForLines() && terminal->isCursorShown());
    }

    void theTerminalIsAsBeforeAfterASignal_data()
    {
        test::addColumns<int, int>("number", "code");
        row("SIGTERM", SIGTERM, 0);
        row("SIGHUP", SIGHUP, 0);
        row("SIGQUIT", SIGQUIT, -SIGQUIT);
        row("abort", SIGABRT, -SIGABRT);
        row("a crash", SIGSEGV, -SIGSEGV);
    }
    void theTerminalIsAsBeforeAfterASignal()
    {
        QFETCH(const int, number);
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        QVERIFY(!terminal->echoesAndWaitsForLines());
        ::kill(terminal->processId(), number);
        QTEST(terminal->waitForEnd(), "code");
        QVERIFY(terminal->echoesAndWaitsForLines());
        QVERIFY(terminal->isCursorShown());
    }

    void theTerminalIsAsBeforeWhileItIsStopped()
    {
        // The shell has job control, as at a prompt.
        const auto terminal = inShell(u"set -m; %1; echo stopped; read line; fg; echo ended"_s);
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        QVERIFY(!terminal->echoesAndWaitsForLines());
        terminal->type("\x1a"); // Ctrl+Z
        QVERIFY(terminal->waitUntilShown(u"stopped"_s));
        QVERIFY(terminal->echoesAndWaitsForLines());
        QVERIFY(terminal->isCursorShown());
        terminal->type("\n");
        QVERIFY(terminal->waitUntil([&] { return !terminal->echoesAndWaitsForLines(); }));
        QVERIFY(
            terminal->waitUntil([&] { return !terminal->isCursorShown() && terminal->shows(u"nightly"_s); }));
        terminal->type("q");
        QVERIFY(terminal->waitUntilShown(u"ended"_s));
        QVERIFY(terminal->echoesAndWaitsForLines() && terminal->isCursorShown());
        terminal->waitForEnd();
    }

    void pausedItDoesNotPoll()
    {
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        terminal->type("p");
        QVERIFY(terminal->waitUntilShown(u"PAUSED"_s));
        QVERIFY(terminal->waitUntilShown(u"p go on"_s));
        const QString heading = terminal->screen()[0] + terminal->screen()[1];
        acquire(u"second"_s);
        terminal->type("s"); // draws again, and asks nobody
        QVERIFY(terminal->waitUntilShown(u"s sort: wait"_s));
        QVERIFY(!terminal->shows(u"second"_s));
        QCOMPARE(terminal->screen()[0] + terminal->screen()[1], heading);
        terminal->type(" ");
        QVERIFY(terminal->waitUntilShown(u"second"_s));
        QVERIFY(!terminal->shows(u"PAUSED"_s));
    }

    void aFilterLeavesWhatHasIt()
    {
        acquire(u"weekly"_s);
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"weekly"_s));
        terminal->type("/WEEQ");
        QVERIFY(terminal->waitUntilShown(u"filter: WEEQ_"_s));
        QVERIFY(!terminal->shows(u"weekly"_s));
        terminal->type("\x7f");
        QVERIFY(terminal->waitUntilShown(u"weekly"_s));
        terminal->type("\r");
        QVERIFY(terminal->waitUntilShown(u"Filter: \"WEE\""_s));
        QVERIFY(terminal->waitUntilShown(u"weekly"_s) && !terminal->shows(u"nightly"_s));
        QVERIFY(!terminal->shows(u"Nobody waits for a lock."_s)); // that was not asked
    }

    void theFilterIsDroppedByEscape()
    {
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        terminal->type("/zzz\r");
        QVERIFY(terminal->waitUntilShown(u"Filter: \"zzz\""_s));
        QVERIFY(!terminal->shows(u"nightly"_s));
        terminal->type("\x1b");
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        QVERIFY(!terminal->shows(u"Filter:"_s));
        // While it is written: as before.
        terminal->type("/q\x1b");
        QVERIFY(terminal->waitUntilShown(u"q quit"_s));
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
    }

    void theOrderIsChosen()
    {
        acquire(u"aaa-late"_s);
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"aaa-late"_s));
        QVERIFY(terminal->waitUntilShown(u"s sort: worst"_s));
        terminal->type("ss");
        QVERIFY(terminal->waitUntilShown(u"s sort: name"_s));
        const QString screen = terminal->screen().join(u'\n');
        QVERIFY(screen.indexOf(u"aaa-late"_s) < screen.indexOf(u"nightly"_s));
        terminal->type("s");
        QVERIFY(terminal->waitUntilShown(u"s sort: worst"_s));
    }

    void pagesAreTurned()
    {
        for (int i = 10; i < 30; ++i)
            acquire(u"job-%1"_s.arg(i));
        const auto terminal = watch({}, 80, 12);
        QVERIFY(terminal->waitUntilShown(u"PgUp PgDn: 1-"_s));
        QVERIFY(!terminal->shows(u"job-29"_s));
        terminal->type("s"); // by wait: nobody waits, so it stays
        terminal->type("s");
        QVERIFY(terminal->waitUntilShown(u"sort: name"_s));
        QVERIFY(terminal->waitUntilShown(u"job-10"_s) && !terminal->shows(u"job-29"_s));
        terminal->type("\x1b[6~");
        QVERIFY(terminal->waitUntil([&] { return !terminal->shows(u"job-10"_s); }));
        terminal->type("\x1b[F");
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        QVERIFY(terminal->waitUntilShown(u"job-29"_s));
        const QStringList last = terminal->screen();
        terminal->type("\x1b[6~\x1b[B"); // no further
        terminal->type("p");
        QVERIFY(terminal->waitUntilShown(u"PAUSED"_s));
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        terminal->type("\x1b[H");
        QVERIFY(terminal->waitUntilShown(u"job-10"_s));
        for (const QString& line : terminal->screen())
            QVERIFY(line.size() <= 80);
    }

    void anotherSizeIsDrawnAtOnce()
    {
        const auto terminal = watch({u"--interval"_s, u"1h"_s});
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        terminal->resize(100, 30);
        QVERIFY(terminal->waitUntil([&] {
            return terminal->screen().size() == 30 && terminal->screen().last().contains(u"q quit"_s);
        }));
    }

    void aScreenOfThreeLinesIsNotScrolled()
    {
        const auto wide = watch();
        QVERIFY(wide->waitUntilShown(u"nightly"_s));
        const QString heading = wide->screen().first();
        const auto terminal = watch({}, 10, 3);
        QVERIFY(terminal->waitUntilShown(u"q quit"_s));
        terminal->type("p"); // one more line above, which has no space
        terminal->type("/x");
        QVERIFY(terminal->waitUntilShown(u"filter: x"_s));
        QCOMPARE(terminal->screen().size(), 3);
        QCOMPARE(terminal->screen().first(), heading.left(10).trimmed());
    }

    void aFilterCanNotSteerTheTerminal()
    {
        const auto terminal = watch();
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        terminal->type("/a\xc2\x9b"
                       "b\xe2\x80\xae"
                       "c\r"); // a control sequence of one character; right to left
        QVERIFY(terminal->waitUntilShown(u"Filter: \"abc\""_s));
    }

    void qQuitsWhileTheServerDoesNotAnswer()
    {
        // Nobody listens there, or the server is silent: it stays in the first poll, or shows an error again
        // and again.
        const auto terminal = std::make_unique<Terminal>(test::programPath("lockctl"),
            Lockctl::words("watch --server postgresql://ann@127.0.0.1:1/db"),
            QStringList{u"TERM=xterm"_s, u"LOCKSCOPE_PASSWORD=none"_s});
        QVERIFY(terminal->waitUntilShown(u"q quit"_s));
        QVERIFY(terminal->waitUntilShown(u"lockctl: "_s));
        for (const QString& line : terminal->screen())
            QVERIFY(line.size() <= 80 && !line.endsWith(u'…'));
        terminal->type("q");
        QCOMPARE(terminal->waitForEnd(), 1);
        QVERIFY(terminal->echoesAndWaitsForLines());
    }

    void withoutATerminalForInputThereAreNoKeys()
    {
        const auto terminal = inShell(u"%1 </dev/null; echo code $?"_s);
        QVERIFY(terminal->waitUntilShown(u"nightly"_s));
        QVERIFY(terminal->echoesAndWaitsForLines());
        QVERIFY(!terminal->isCursorShown());
        QVERIFY(!terminal->shows(u"q quit"_s));
        terminal->type("\x03");
        terminal->waitForEnd();
        QVERIFY(terminal->isCursorShown());
    }

    void withoutATerminalForOutputNothingIsSteered()
    {
        const auto answer = m_lockctl("watch -n 2 --interval 100ms");
        QCOMPARE(answer.code, 0);
        QCOMPARE(answer.out.count(u"nightly"_s), 2);
        QVERIFY(!answer.out.contains(u'\x1b') && !answer.out.contains(u"q quit"_s));
    }

private:
    std::unique_ptr<Terminal> watch(const QStringList& more = {}, int columns = 80, int rows = 24);
    std::unique_ptr<Terminal> inShell(const QString& script);
    void acquire(const QString& name) { QCOMPARE(m_lockctl("acquire %1", name).code, 0); }
    QString server() const { return u"sqlite://"_s + m_directory->filePath(u"locks.db"_s); }

    std::unique_ptr<QTemporaryDir> m_directory;
    Lockctl m_lockctl{QString()};
};

std::unique_ptr<Terminal> tst_LockctlWatch::watch(const QStringList& more, int columns, int rows)
{
    return std::make_unique<Terminal>(test::programPath("lockctl"),
        Lockctl::words("watch --server %1 --interval 100ms", server()) + more, QStringList{u"TERM=xterm"_s},
        columns, rows);
}

std::unique_ptr<Terminal> tst_LockctlWatch::inShell(const QString& script)
{
    const QString command =
        u"%1 watch --server %2 --interval 100ms"_s.arg(test::programPath("lockctl"), server());
    return std::make_unique<Terminal>(
        u"/bin/sh"_s, QStringList{u"-c"_s, script.arg(command)}, QStringList{u"TERM=xterm"_s});
}

LOCKSCOPE_TEST(tst_LockctlWatch)

} // namespace tst_LockctlWatch
#include "tst_LockctlWatch.moc"
