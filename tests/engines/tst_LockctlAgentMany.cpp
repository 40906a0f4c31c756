// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// `lockctl agent` with servers that hang or refuse.

#include "tests/support/AgentBench.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlAgentMany {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockctlAgentMany : public QObject, test::AgentBench {
    Q_OBJECT

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

    /// Thirty servers hang and ten refuse; two are polled at once, and the answering one is polled on time.
    void serversThatHangOrRefuseSlowNobody()
    {
        const SilentPort silent;
        QStringList servers;
        for (int i = 0; i < 30; ++i)
            servers << silent.database(i);
        for (int i = 0; i < 10; ++i)
            servers << u"postgresql://ann@127.0.0.1:1/refused%1"_s.arg(i);
        const auto agent = start(servers << m_url.toString(), ", 'at_once': 2");
        const QString url = metricsUrl(*agent);
        // At first nobody knows that they hang: each holds the place for half a second, once.
        QVERIFY(waitUntil([&] { return polls(url, m_url) > 1; }));
        QElapsedTimer clock;
        clock.start();
        const int before = polls(url, m_url);
        QVERIFY(waitUntil([&] { return polls(url, m_url) >= before + 20; }));
        // Twenty intervals are 4 s; a place that hangs until it times out is held for ten and more.
        QVERIFY2(clock.elapsed() < 9'000, QByteArray::number(clock.elapsed()));
        const QByteArray text = test::httpGet(url).body;
        QCOMPARE(sample(text, up(m_url.toString())), "1"_qba);
        QVERIFY(waitUntil([&] { return sample(test::httpGet(url).body, up(silent.database(7))) == "0"; }));
        QVERIFY(waitUntil([&] { return sample(test::httpGet(url).body, up(servers[35])) == "0"; }));
        Lockctl::terminate(*agent);
    }

    void aReloadThatEndsAServerThatHangsWaitsForNothing()
    {
        const db::ServerUrl other = m_server->freshDatabase();
        FaultyNetwork network(m_url);
        const auto agent = start({network.url().toString(), other.toString()});
        const QString url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return polls(url, network.url()) > 2 && polls(url, other) > 2; }));
        network.stall();
        writeConfig({other.toString()});
        QElapsedTimer clock;
        clock.start();
        hangUp(*agent);
        QByteArray message;
        QVERIFY(waitUntil(
            [&] { return (message += agent->readAllStandardOutput()).contains("was read again"); }));
        QVERIFY2(clock.elapsed() < 2'500, QByteArray::number(clock.elapsed())); // not the 4 s of a last poll
        QVERIFY(sample(test::httpGet(url).body, up(network.url().toString())).isEmpty());
        // Once it is in the file again, it waits only for the end of its predecessor.
        network.mend();
        writeConfig({network.url().toString(), other.toString()});
        hangUp(*agent);
        QVERIFY(waitUntil([&] { return polls(url, network.url()) > 2; }));
        Lockctl::terminate(*agent);
    }

    /// A sampler of the test's own writes down who waits for which table, while the file is read again and
    /// again, each time with other settings and other servers.
    void reloadsUnderLoadLoseNoSnapshot()
    {
        const SilentPort silent;
        const auto agent = start({m_url.toString(), nowhere});
        const QString url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return polls(url, m_url) > 2; }));
        QByteArray message;
        QStringList seen;
        for (int i = 0; i < 8; ++i) {
            showWait(i, [&] {
                const QByteArray more = i % 2 == 0 ? ", 'keep': '2d', 'budget': 5" : ", 'keep': '3d,1G'";
                writeConfig(QStringList{m_url.toString(), i % 2 == 0 ? silent.database(i) : nowhere}, more);
                hangUp(*agent);
            });
            seen << u"public.state%1"_s.arg(i);
            QVERIFY(waitUntil([&] {
                return (message += agent->readAllStandardOutput()).count("was read again") == i + 1;
            }));
        }
        const int polled = polls(url, m_url);
        Lockctl::terminate(*agent);
        const auto reader = test::readRecording(recordingOf(m_url));
        QStringList recorded;
        QVERIFY(reader->history(seen, {1}, {std::numeric_limits<qint64>::max() / 2},
            [&recorded](const record::HistoryLine& line) {
                if (line.waited && !recorded.contains(line.lock))
                    recorded << line.lock;
                return true;
            }));
        recorded.sort();
        QCOMPARE(recorded, seen);
        QVERIFY(reader->span()->frames >= polled);
        const auto segments = reader->segments();
        QVERIFY(segments);
        for (const auto& segment : *segments) // only the end was one: a machine under load may leave gaps
            QCOMPARE(segment.endReason == u"stopped"_s, &segment == &segments->back());
    }

private:
    /// A session waits for another table until the sampler has seen that for as long as the agent polls a few
    /// times. `act` is done meanwhile.
    void showWait(int number, const std::function<void()>& act)
    {
        const QString table = u"state%1"_s.arg(number);
        m_head = std::make_unique<test::Session>(*m_server, m_url);
        QVERIFY(m_head->run(u"CREATE TABLE %1 (id int)"_s.arg(table)) && m_head->run(u"BEGIN"_s));
        QVERIFY(m_head->run(u"LOCK TABLE "_s + table));
        test::Session waiter(*m_server, m_url);
        QVERIFY(waiter.startWaiting(u"SELECT FROM "_s + table));
        act();
        int samples = 0;
        QElapsedTimer clock;
        clock.start();
        QVERIFY(waitUntil([&] {
            samples += waiter.isBlocked() ? 1 : 0;
            return samples > 20 && clock.elapsed() > 1'200;
        }));
        QVERIFY(m_head->run(u"ROLLBACK"_s) && waiter.wait());
    }
};

LOCKSCOPE_TEST(tst_LockctlAgentMany)

} // namespace tst_LockctlAgentMany
#include "tst_LockctlAgentMany.moc"
