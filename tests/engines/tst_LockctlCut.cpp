// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// lockctl on a network that breaks or goes silent: what it says is true, the command ends before the lock
// does, and a signal ends lockctl.

#include "tests/support/FaultyNetwork.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Processes.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_LockctlCut {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockctlCut : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_server = &TestServer::shared();
        m_url = m_server->freshDatabase();
        m_witness = m_server->connect(m_url);
        m_network = std::make_unique<FaultyNetwork>(m_url);
    }
    void cleanup()
    {
        m_network.reset();
        m_witness.reset();
    }

    void anEntryIsGivenBackAfterACut()
    {
        const auto run = running({}, u"cat"_s);
        m_network->cut();
        m_network->mend();
        const auto answer = Lockctl::finish(*run);
        VERIFY_CODE(0, answer);
        QVERIFY2(answer.err.isEmpty(), answer.allOutput());
        QCOMPARE(entries(), 0);
    }

    void anEntryThatStaysIsReported()
    {
        const auto run = running({}, u"cat"_s);
        m_network->cut();
        run->closeWriteChannel();
        QVERIFY(waitUntil([&] { return test::childrenOf(run->processId(), "sh").isEmpty(); }));
        send(*run, SIGTERM); // it would go on trying for half a minute
        const auto answer = Lockctl::finish(*run);
        VERIFY_CODE(1, answer);
        QVERIFY2(answer.isOneLineOfError(), answer.allOutput());
        QVERIFY2(answer.err.contains(u"could not be given back"_s), answer.allOutput());
        QVERIFY2(answer.err.contains(u"stays in the lock table until 2"_s), answer.allOutput());
        QVERIFY2(!answer.err.contains(u"with it the locks"_s), answer.allOutput());
        QCOMPARE(entries(), 1);
    }

    void theCommandsFailureComesFirst()
    {
        const auto run = running({}, u"cat; exit 7"_s);
        m_network->cut();
        run->closeWriteChannel();
        QVERIFY(waitUntil([&] { return test::childrenOf(run->processId(), "sh").isEmpty(); }));
        send(*run, SIGTERM);
        const auto answer = Lockctl::finish(*run);
        VERIFY_CODE(7, answer);
        QVERIFY2(answer.err.contains(u"stays in the lock table"_s), answer.allOutput());
    }

    /// The command ends even if it ignores SIGTERM, and although lockctl's connections hang.
    void theCommandHasEndedBeforeTheLeaseIsOver()
    {
        const auto run =
            running({u"--stale-after"_s, u"20s"_s, u"--terminate-on-loss"_s, u"--kill-after"_s, u"1s"_s},
                u"trap '' TERM; while :; do sleep 0.05; done"_s);
        QVERIFY(waitUntil([&] { return m_network->connections() == 2; }));
        const auto shells = test::childrenOf(run->processId(), "sh");
        QCOMPARE(shells.size(), 1);
        m_network->stall();
        QVERIFY(waitUntil([&] { return test::childrenOf(run->processId(), "sh").isEmpty(); }));
        QCOMPARE(number(u"SELECT (expires_at > clock_timestamp())::int FROM lockscope.lock_entry"_s), 1);
        const auto answer = Lockctl::finish(*run);
        QVERIFY2(answer.code == 128 + SIGKILL, answer.allOutput());
        QVERIFY2(answer.err.contains(u"was lost"_s), answer.allOutput());
    }

    void aWarningComesFirst()
    {
        const auto run = running({u"--stale-after"_s, u"9s"_s}, u"cat"_s);
        QVERIFY(waitUntil([&] { return m_network->connections() == 2; }));
        m_network->stall();
        const QString isOver = u"SELECT (expires_at <= clock_timestamp())::int FROM lockscope.lock_entry"_s;
        QVERIFY(waitUntil([&] { return number(isOver) == 1; }));
        m_network->cut();
        const auto answer = Lockctl::finish(*run);
        const qsizetype warning = answer.err.indexOf(u"counts as lost in"_s);
        const qsizetype loss = answer.err.indexOf(u"was lost"_s);
        QVERIFY2(warning >= 0 && warning < loss, answer.allOutput());
        VERIFY_CODE(0, answer);
    }

    void aStalledSessionIsReported()
    {
        const auto run = running({u"--kind"_s, u"app"_s, u"--terminate-on-loss"_s}, u"exec sleep 1000"_s);
        m_network->stall();
        const auto answer = Lockctl::finish(*run);
        QVERIFY2(answer.code == 128 + SIGTERM, answer.allOutput());
        QVERIFY2(answer.err.contains(u"gets no answer"_s), answer.allOutput());
    }

    void aSignalEndsEveryWait_data()
    {
        test::addColumns<QStringList, bool>("arguments", "whileConnecting");
        for (const bool whileConnecting : {true, false}) {
            const auto row = [whileConnecting](const char* arguments) {
                QTest::addRow("%s, %s", arguments, whileConnecting ? "connecting" : "connected")
                    << QString::fromLatin1(arguments).split(u' ') << whileConnecting;
            };
            row("run nightly -- true");
            row("run nightly --kind app -- true");
            row("run nightly --kind locked-table -- true");
            row("acquire nightly");
            row("acquire nightly --kind app");
        }
        for (const char* arguments : {"list", "tree", "watch", "audit", "purge", "release nightly --token t"})
            QTest::addRow("%s, connecting", arguments) << QString::fromLatin1(arguments).split(u' ') << true;
    }
    void aSignalEndsEveryWait()
    {
        FETCH(QStringList, arguments, bool, whileConnecting);
        std::unique_ptr<QProcess> holder;
        if (!whileConnecting) { // so that it waits
            QStringList holding = arguments;
            holding[0] = u"run"_s;
            if (holding.contains(u"--"_s))
                holding = holding.mid(0, holding.indexOf(u"--"_s));
            holder = by(m_url).start(holding + Lockctl::words("-- sh -c %1", u"echo here; cat"_s));
            QVERIFY(holder->waitForReadyRead(30'000));
        } else {
            m_network->stall();
        }
        const auto waiting = by(m_network->url()).start(arguments);
        QVERIFY(waitUntil([&] { return m_network->connections() > 0; }));
        if (!whileConnecting) {
            const QString waits =
                u"SELECT (SELECT count(*) FROM lockscope.lock_waiter) + (SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database())"_s;
            QVERIFY(waitUntil([&] { return number(waits) == 1; }));
            m_network->stall();
        }
        // Once, because the machine may be busy: nothing else than the signal can have ended it.
        send(*waiting, SIGTERM);
        QElapsedTimer taken;
        taken.start();
        QVERIFY(waiting->waitForFinished(4'000));
        qInfo() << "ended after" << taken.elapsed() << "ms";
        const bool bySignal = waiting->exitStatus() == QProcess::CrashExit && waiting->exitCode() == SIGTERM;
        QVERIFY2(
            bySignal || waiting->exitCode() == 128 + SIGTERM, waiting->readAllStandardError().constData());
        if (holder)
            Lockctl::finish(*holder);
    }

    void aSignalEndsTheRelease()
    {
        const auto run = running({}, u"cat"_s);
        m_network->stall();
        run->closeWriteChannel();
        QVERIFY(waitUntil([&] { return test::childrenOf(run->processId(), "sh").isEmpty(); }));
        send(*run, SIGTERM);
        const auto answer = Lockctl::finish(*run);
        VERIFY_CODE(1, answer);
        QVERIFY2(answer.err.contains(u"stays in the lock table"_s), answer.allOutput());
    }

private:
    Lockctl by(const db::ServerUrl& url) const { return Lockctl(url.toString(), m_server->password()); }
    /// Through the network; its command has begun once this returns. `script` begins with "echo here".
    std::unique_ptr<QProcess> running(const QStringList& options, const QString& script) const
    {
        auto process = by(m_network->url())
                           .start(Lockctl::words("run nightly") + options
                               + Lockctl::words("-- sh -c %1", u"echo here; "_s + script));
        if (!process->waitForReadyRead(30'000))
            qWarning("%s", process->readAllStandardError().constData());
        return process;
    }
    qint64 number(const QString& sql) const
    {
        qint64 first = 0;
        std::ignore =
            test::runSql(*m_witness, sql, {}, [&first](const db::Row& row) { first = row.int64(0); });
        return first;
    }
    qint64 entries() const { return number(u"SELECT count(*) FROM lockscope.lock_entry"_s); }
    static void send(QProcess& process, int signal)
    {
        ::kill(static_cast<pid_t>(process.processId()), signal);
    }

    TestServer* m_server = nullptr; ///< listing the rows starts none
    db::ServerUrl m_url;
    std::unique_ptr<db::Connection> m_witness;
    std::unique_ptr<FaultyNetwork> m_network;
};

LOCKSCOPE_TEST_AT_ONCE(tst_LockctlCut)

} // namespace tst_LockctlCut
#include "tst_LockctlCut.moc"
