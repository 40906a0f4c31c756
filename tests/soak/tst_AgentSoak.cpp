// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// An agent with a hundred servers for an hour, or for LOCKSCOPE_SOAK_MINUTES: eighty answer, of which ten die
// in turn, ten hang and ten refuse. Its file is read again every half a minute. Each is polled once a second,
// or each LOCKSCOPE_SOAK_INTERVAL: memory grows with that ("200ms": 331 MB).

#include "tests/support/AgentBench.h"
#include "tests/support/HundredServers.h"
#include "tests/support/TestProgram.h"

namespace tst_AgentSoak {

using namespace lockscope;
using namespace lockscope::test;

class tst_AgentSoak : public QObject, AgentBench {
    Q_OBJECT

public:
    // By default a test function ends after five minutes.
    tst_AgentSoak() { qputenv("QTEST_FUNCTION_TIMEOUT", "28800000"); }

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }
    void aHundredServers();

private:
    void note(const QByteArray& metrics);

    QList<db::ServerUrl> m_living;
    qint64 m_samples = 0;
    qint64 m_late = 0;
    double m_firstMb = 0;
    double m_lastMb = 0;
};

/// The agent's data about servers that answer is no older than two intervals; half a second is for the
/// reader.
void tst_AgentSoak::note(const QByteArray& metrics)
{
    for (const db::ServerUrl& url : m_living) {
        const QString server = url.toString();
        const QByteArray age = sample(metrics, line("lockscope_snapshot_age_seconds", server));
        const double interval = sample(metrics, line("lockscope_poll_interval_seconds", server)).toDouble();
        ++m_samples;
        m_late += age.isEmpty() || age.toDouble() > 2 * interval + 0.5 ? 1 : 0;
    }
    m_lastMb = sample(metrics, "process_resident_memory_bytes").toDouble() / 1e6;
    QVERIFY2(m_lastMb < 300, QByteArray::number(m_lastMb));
}

void tst_AgentSoak::aHundredServers()
{
    const auto minutes = qEnvironmentVariableIsSet("LOCKSCOPE_SOAK_MINUTES")
        ? qEnvironmentVariableIntValue("LOCKSCOPE_SOAK_MINUTES")
        : 60;
    const QByteArray interval = qEnvironmentVariable("LOCKSCOPE_SOAK_INTERVAL", u"1s"_s).toUtf8();
    HundredServers hundred(*m_server);
    m_living = hundred.living();
    const QStringList& servers = hundred.all();
    const auto writeRound = [&](int round) {
        writeConfig(servers, round % 2 == 0 ? ", 'keep': '1h'" : ", 'keep': '2h,1G'", interval);
    };
    writeRound(0);
    const auto agent = ctl().start("agent %1", configPath());
    const QString url = metricsUrl(*agent);
    QVERIFY(waitUntil([&] {
        const QByteArray text = httpGet(url).body;
        return std::ranges::all_of(
            m_living, [&](const db::ServerUrl& each) { return sample(text, up(each.toString())) == "1"; });
    }));
    const auto cpu = [&] { return sample(httpGet(url).body, "process_cpu_seconds_total").toDouble(); };
    const double cpuBefore = cpu();
    QElapsedTimer clock;
    clock.start();
    for (int round = 0; clock.elapsed() < minutes * 60'000; ++round) {
        hundred.mortal(round).cut();
        QTest::qWait(5'000); // how long a server can't be reached
        agent->readAllStandardOutput();
        agent->readAllStandardError();
        note(httpGet(url).body);
        hundred.mortal(round).mend();
        if (round % 6 == 5) {
            writeRound(round / 6);
            hangUp(*agent);
        }
        if (m_firstMb == 0 && clock.elapsed() > minutes * 15'000)
            m_firstMb = m_lastMb;
    }
    const double cores = (cpu() - cpuBefore) / (double(clock.elapsed()) / 1'000);
    qInfo("%.2f cores, %.0f MB after a quarter of the time, %.0f MB at the end; %lld of %lld ages were late",
        cores, m_firstMb, m_lastMb, static_cast<long long>(m_late), static_cast<long long>(m_samples));
    QVERIFY(cores < 1);
    QVERIFY(m_lastMb < m_firstMb * 1.2);
    QVERIFY(m_late * 100 <= m_samples); // this machine does other things, too
    Lockctl::terminate(*agent);
    QStringList verify{u"recordings"_s, u"verify"_s};
    for (const db::ServerUrl& each : m_living)
        verify << recordingOf(each);
    VERIFY_CODE(0, ctl()(verify));
}

LOCKSCOPE_TEST(tst_AgentSoak)

} // namespace tst_AgentSoak
#include "tst_AgentSoak.moc"
