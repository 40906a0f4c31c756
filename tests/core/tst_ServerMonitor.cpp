// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/ServerMonitor.h"
#include "tests/support/TestProgram.h"

#include <condition_variable>

namespace tst_ServerMonitor {

using namespace lockscope;
using namespace lockscope::monitor;

/// The server behind the fake sources: its answers, and whether it answers at all.
class FakeServer : public std::enable_shared_from_this<FakeServer> {
public:
    Result<SnapshotPtr> answer(const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        ++m_polls;
        m_changed.notify_all();
        m_changed.wait(lock, stop, [this] { return !m_hung; });
        if (stop.stop_requested())
            return failure(ErrorKind::Cancelled, u"Cancelled."_s);
        if (m_takes > 0ms) {
            const auto until = std::chrono::steady_clock::now() + m_takes;
            m_changed.wait_until(lock, stop, until, [] { return false; });
        }
        if (m_failing)
            return failure(m_failure, u"The server went away."_s);
        auto snapshot = std::make_unique<Snapshot>();
        snapshot->number = ++m_answers;
        return SnapshotPtr(snapshot.release(), [server = shared_from_this()](const Snapshot* old) {
            server->freed(QThread::currentThread());
            delete old;
        });
    }
    void hang(bool hung)
    {
        const std::lock_guard lock(m_mutex);
        m_hung = hung;
        m_changed.notify_all();
    }
    void fail(bool failing, ErrorKind how = ErrorKind::Connection)
    {
        const std::lock_guard lock(m_mutex);
        m_failing = failing;
        m_failure = how;
    }
    void take(milliseconds duration)
    {
        const std::lock_guard lock(m_mutex);
        m_takes = duration;
    }
    /// Makes connecting a part of the poll.
    void connectFor(milliseconds duration)
    {
        const std::lock_guard lock(m_mutex);
        m_connecting = duration;
    }
    milliseconds connecting() const
    {
        const std::lock_guard lock(m_mutex);
        return m_connecting;
    }
    void freed(QThread* thread)
    {
        const std::lock_guard lock(m_mutex);
        m_freedOn.append(thread);
    }
    /// The threads on which former snapshots were taken apart.
    QList<QThread*> freedOn() const
    {
        const std::lock_guard lock(m_mutex);
        return m_freedOn;
    }
    int polls() const
    {
        const std::lock_guard lock(m_mutex);
        return m_polls;
    }
    void made(const ProbeSelection& probes)
    {
        const std::lock_guard lock(m_mutex);
        m_made.push_back(probes);
    }
    std::vector<ProbeSelection> sourcesMade() const
    {
        const std::lock_guard lock(m_mutex);
        return m_made;
    }
    void sourceEnded()
    {
        const std::lock_guard lock(m_mutex);
        ++m_ended;
    }
    int sourcesEnded() const
    {
        const std::lock_guard lock(m_mutex);
        return m_ended;
    }

private:
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    bool m_hung = false;
    bool m_failing = false;
    ErrorKind m_failure = ErrorKind::Connection;
    milliseconds m_takes{0};
    milliseconds m_connecting{0};
    int m_polls = 0;
    quint64 m_answers = 0;
    int m_ended = 0;
    QList<QThread*> m_freedOn;
    std::vector<ProbeSelection> m_made;
};

class FakeSource : public SnapshotSource {
public:
    explicit FakeSource(std::shared_ptr<FakeServer> server)
        : m_server(std::move(server))
    {
    }
    ~FakeSource() override { m_server->sourceEnded(); }
    Result<SnapshotPtr> take(std::stop_token stop) override { return m_server->answer(stop); }
    std::chrono::steady_clock::duration connectingTook() const override { return m_server->connecting(); }
    Surroundings surroundings() const override
    {
        return {{}, {{measures::active, {}, m_server->polls()}}, {}};
    }

private:
    std::shared_ptr<FakeServer> m_server;
};

static ServerMonitor::SourceFactory sourcesOf(const std::shared_ptr<FakeServer>& server)
{
    return [server](const ProbeSelection& probes) -> Result<std::unique_ptr<SnapshotSource>> {
        server->made(probes);
        return std::make_unique<FakeSource>(server);
    };
}

/// A monitor of such a server.
class Watching : public ServerMonitor {
public:
    Watching(const std::shared_ptr<FakeServer>& server, milliseconds every)
        : ServerMonitor(sourcesOf(server))
    {
        setInterval(every);
    }
};

class tst_ServerMonitor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void firstSnapshotComesWithoutWaitingForTheInterval()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 60s);
        QCOMPARE(monitor.health(), Health::Connecting);
        QSignalSpy changed(&monitor, &ServerMonitor::snapshotChanged);
        monitor.start();
        QTRY_COMPARE(changed.count(), 1);
        QVERIFY(monitor.snapshot());
        QCOMPARE(monitor.snapshot()->number, 1u);
        QCOMPARE(monitor.health(), Health::Live);
    }

    void pollsAgainAfterEachInterval()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 250ms);
        monitor.start();
        QTRY_VERIFY(monitor.snapshot() && monitor.snapshot()->number >= 3);
    }

    /// A pooler, or a server that closes connections, must not be polled less often for that.
    void connectingIsNoPartOfAPollsPace()
    {
        auto server = std::make_shared<FakeServer>();
        server->take(400ms);
        Watching monitor(server, 250ms);
        monitor.start();
        QTRY_VERIFY(monitor.effectiveInterval() >= 1'600ms); // so long is four times a poll
        server->connectFor(390ms);
        monitor.refreshNow();
        QTRY_VERIFY(monitor.effectiveInterval() < 1'000ms);
    }

    void intervalIsClamped()
    {
        ServerMonitor monitor(sourcesOf(std::make_shared<FakeServer>()));
        monitor.setInterval(1ms);
        QCOMPARE(monitor.interval(), 100ms);
        monitor.setInterval(100h);
        QCOMPARE(monitor.interval(), 24h);
    }

    void aShorterIntervalTakesEffectAtOnce()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 60s);
        monitor.start();
        QTRY_VERIFY(monitor.snapshot());
        monitor.setInterval(250ms);
        QTRY_VERIFY(monitor.snapshot()->number >= 2);
    }

    void pausedPollsOnlyWhenAsked()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 250ms);
        monitor.start();
        QTRY_VERIFY(monitor.snapshot());
        monitor.setPaused(true);
        QCOMPARE(monitor.health(), Health::Paused);
        QTest::qWait(300); // a poll that was under way may still come in
        const auto before = monitor.snapshot()->number;
        const int polls = server->polls();
        QTest::qWait(600); // more than two polls' worth
        QCOMPARE(server->polls(), polls);
        monitor.refreshNow();
        QTRY_COMPARE(monitor.snapshot()->number, before + 1);
        QCOMPARE(monitor.health(), Health::Paused);
        QCOMPARE(server->polls(), polls + 1);
        monitor.setPaused(false);
        QTRY_VERIFY(monitor.snapshot()->number >= before + 2);
        QCOMPARE(monitor.health(), Health::Live);
    }

    void refreshNowDoesNotWaitForTheInterval()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 60s);
        monitor.start();
        QTRY_VERIFY(monitor.snapshot());
        monitor.refreshNow();
        QTRY_COMPARE(monitor.snapshot()->number, 2u);
    }

    void anErrorKeepsTheOldSnapshot()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 250ms);
        monitor.start();
        QTRY_VERIFY(monitor.snapshot());
        server->fail(true);
        monitor.refreshNow();
        QTRY_COMPARE(monitor.health(), Health::Failed);
        const SnapshotPtr kept = monitor.snapshot();
        const auto lastGood = monitor.lastGood();
        QVERIFY(kept);
        QCOMPARE(monitor.lastError()->kind, ErrorKind::Connection);
        QSignalSpy changed(&monitor, &ServerMonitor::snapshotChanged);
        const int polls = server->polls();
        QTRY_VERIFY(server->polls() > polls);
        QCOMPARE(changed.count(), 0);
        QCOMPARE(monitor.snapshot(), kept);
        QVERIFY(monitor.lastGood() == lastGood);

        server->fail(false);
        monitor.refreshNow();
        QTRY_COMPARE(monitor.health(), Health::Live);
        QVERIFY(!monitor.lastError());
        QVERIFY(monitor.lastGood() > lastGood);
    }

    void failuresBackOff()
    {
        auto server = std::make_shared<FakeServer>();
        server->fail(true);
        Watching monitor(server, 250ms);
        monitor.start();
        TRY_VERIFY(monitor.effectiveInterval() > 700ms);
        QVERIFY(monitor.effectiveInterval() <= 30s);
        server->fail(false);
        monitor.refreshNow();
        QTRY_COMPARE(monitor.effectiveInterval(), 250ms);
    }

    void aRefusedLogInIsTriedOnceUntilAPersonActs()
    {
        auto refusing = std::make_shared<FakeServer>();
        refusing->fail(true, ErrorKind::Login);
        auto silent = std::make_shared<FakeServer>();
        silent->fail(true);
        ServerMonitor refused(sourcesOf(refusing));
        ServerMonitor lost(sourcesOf(silent));
        for (ServerMonitor* monitor : {&refused, &lost}) {
            monitor->setInterval(250ms);
            monitor->start();
        }
        QTRY_COMPARE(refused.health(), Health::Failed);
        refused.setProbes({});
        refused.setPaused(true);
        refused.setPaused(false);
        // Time enough for others to try again and again.
        QTRY_VERIFY(silent->polls() >= 4);
        QCOMPARE(refusing->polls(), 1);
        QTRY_VERIFY(lost.lastError());
        QVERIFY(lost.lastError()->hint.contains(u"Next attempt within"_s));
        QVERIFY(!refused.lastError()->hint.contains(u"Next attempt"_s));

        refused.refreshNow();
        QTRY_COMPARE(refusing->polls(), 2);
        QTRY_COMPARE(refusing->sourcesEnded(), 1); // a new connection
        refusing->fail(false);
        refused.refreshNow();
        QTRY_COMPARE(refused.health(), Health::Live);
        const int polls = refusing->polls();
        QTRY_VERIFY(refusing->polls() > polls); // as ever
    }

    void aSourceThatCannotBeMadeIsAFailure()
    {
        ServerMonitor monitor([](const ProbeSelection&) -> Result<std::unique_ptr<SnapshotSource>> {
            return failure(ErrorKind::Login, u"No such role."_s);
        });
        monitor.start();
        QTRY_COMPARE(monitor.health(), Health::Failed);
        QCOMPARE(monitor.lastError()->kind, ErrorKind::Login);
        QVERIFY(!monitor.snapshot());
    }

    void aSlowServerStretchesTheInterval()
    {
        auto server = std::make_shared<FakeServer>();
        server->take(150ms);
        Watching monitor(server, 250ms);
        monitor.start();
        QTRY_COMPARE(monitor.health(), Health::Slow);
        QVERIFY(monitor.effectiveInterval() >= 600ms);
        server->take(0ms);
        monitor.refreshNow();
        QTRY_COMPARE(monitor.health(), Health::Live);
        QCOMPARE(monitor.effectiveInterval(), 250ms);
    }

    void connectingSlowlyIsNotHeldAgainstTheServer()
    {
        auto server = std::make_shared<FakeServer>();
        server->take(150ms);
        Watching monitor(server, 60s);
        monitor.start();
        QTRY_VERIFY(monitor.snapshot());
        monitor.setInterval(250ms);
        QCOMPARE(monitor.health(), Health::Live);
        QCOMPARE(monitor.effectiveInterval(), 250ms);
    }

    void aServerThatDoesNotAnswerIsSilent()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 250ms);
        monitor.setSilenceLimit(100ms);
        monitor.start();
        QTRY_VERIFY(monitor.snapshot());
        const SnapshotPtr kept = monitor.snapshot();
        server->hang(true);
        QTRY_COMPARE(monitor.health(), Health::Silent);
        QVERIFY(monitor.snapshot());
        server->hang(false);
        QTRY_VERIFY(monitor.health() != Health::Silent);
        QTRY_VERIFY(monitor.snapshot()->number > kept->number);
    }

    void resultsThatOvertakeEachOtherAreReportedOnce()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 250ms);
        QSignalSpy changed(&monitor, &ServerMonitor::snapshotChanged);
        monitor.start();
        // This thread is busy and does not get round to its events.
        while (server->polls() < 4)
            QThread::msleep(10);
        QCOMPARE(changed.count(), 0);
        QCoreApplication::processEvents();
        QCOMPARE(changed.count(), 1);
        QVERIFY(monitor.snapshot()->number >= 3);
        // Measures are read so rarely that none may be lost.
        QVERIFY(monitor.measures().size() >= 3);
        QCOMPARE(monitor.measures().front().measures.front().value, 1);
    }

    void theOwnersThreadDoesNotTakeSnapshotsApart()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 250ms);
        monitor.start();
        QTRY_VERIFY(server->freedOn().size() >= 3);
        QVERIFY(!server->freedOn().contains(QThread::currentThread()));
    }

    void newProbesMakeANewSource()
    {
        auto server = std::make_shared<FakeServer>();
        Watching monitor(server, 60s);
        monitor.start();
        QTRY_VERIFY(monitor.snapshot());
        monitor.setProbes({.internalLocks = true});
        QTRY_COMPARE(monitor.snapshot()->number, 2u);
        const auto made = server->sourcesMade();
        QCOMPARE(made.size(), 2u);
        QVERIFY(!made[0].internalLocks);
        QVERIFY(made[1].internalLocks);
        QCOMPARE(server->sourcesEnded(), 1);
    }

    void destructionDuringAHungPollReturnsAtOnceAndEndsTheThread()
    {
        auto server = std::make_shared<FakeServer>();
        server->hang(true);
        {
            ServerMonitor monitor(sourcesOf(server));
            monitor.start();
            QTRY_COMPARE(server->polls(), 1);
        } // would never return if it waited: nobody lets the server go on
        QTRY_COMPARE(server->sourcesEnded(), 1);
        QCOMPARE(server->polls(), 1);
    }

    void aMonitorThatNeverStartedIsDestroyedQuietly()
    {
        auto server = std::make_shared<FakeServer>();
        {
            ServerMonitor monitor(sourcesOf(server));
        }
        QCOMPARE(server->polls(), 0);
    }
};

LOCKSCOPE_TEST(tst_ServerMonitor)

} // namespace tst_ServerMonitor
#include "tst_ServerMonitor.moc"
