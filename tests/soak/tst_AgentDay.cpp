// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// An agent for a day, and PostgreSQL with it, whose time runs thirty times as fast: both are the programs as
// they are, and all of their clocks and waits are accelerated. Three servers live, one dies in turn, one
// hangs and one refuses. LOCKSCOPE_SOAK_HOURS and LOCKSCOPE_SOAK_SPEED replace a day and thirty;
// five hours show all of it.

#include "tests/support/AgentBench.h"
#include "tests/support/FastTime.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/TestProgram.h"

namespace tst_AgentDay {

using namespace lockscope;
using namespace lockscope::test;

constexpr double polledEvery = 5; // seconds
constexpr double keptHours = 2;

static double settingOr(const char* name, double otherwise)
{
    return qEnvironmentVariableIsSet(name) ? qgetenv(name).toDouble() : otherwise;
}

/// The resources that the agent uses.
struct Use {
    double memoryMb = 0;
    qsizetype descriptors = 0;
    qsizetype threads = 0;
    double diskMb = 0;
    double pinnedMb = 0; ///< the recording of the server with incidents, whose surroundings stay

    Use orMore(const Use& other) const
    {
        return {std::max(memoryMb, other.memoryMb), std::max(descriptors, other.descriptors),
            std::max(threads, other.threads), std::max(diskMb, other.diskMb),
            std::max(pinnedMb, other.pinnedMb)};
    }
    QByteArray text() const
    {
        return QStringLiteral(
            "%1 MB of memory, %2 descriptors, %3 threads, %4 MB of files and %5 with incidents")
            .arg(memoryMb, 0, 'f', 1)
            .arg(descriptors)
            .arg(threads)
            .arg(diskMb, 0, 'f', 1)
            .arg(pinnedMb, 0, 'f', 1)
            .toUtf8();
    }
};

class tst_AgentDay : public QObject, AgentBench {
    Q_OBJECT

public:
    // By default a test function ends after five minutes.
    tst_AgentDay() { qputenv("QTEST_FUNCTION_TIMEOUT", "28800000"); }

private Q_SLOTS:
    void initTestCase() { m_server = &m_fastServer; }
    void init() { setUp(); }
    void cleanup() { tearDown(); }
    void aDay();

private:
    Use use(const QProcess& agent) const;
    QByteArray answered(const QString& url) const;
    bool isFiring(const QString& url, bool isRequested) const;
    void blockOnce(const QString& url);
    void checkRecording(const db::ServerUrl& url) const;

    const double m_hours = settingOr("LOCKSCOPE_SOAK_HOURS", 24);
    const double m_speed = settingOr("LOCKSCOPE_SOAK_SPEED", 30);
    const FastTime m_time{m_speed};
    FastServer m_fastServer{m_time};
    FastServer m_others{m_time}; ///< each of a server's databases would see the same waits
};

Use tst_AgentDay::use(const QProcess& agent) const
{
    const QString own = u"/proc/%1/"_s.arg(agent.processId());
    Use use;
    use.memoryMb =
        contentOf(own + u"statm"_s).split(' ').value(1).toDouble() * double(sysconf(_SC_PAGESIZE)) / 1e6;
    use.descriptors = QDir(own + u"fd"_s).entryList(QDir::System | QDir::AllEntries).size();
    use.threads = QDir(own + u"task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
    const QDir recordings(m_folder->filePath(u"state/lockscope/recordings"_s));
    for (const QFileInfo& file : recordings.entryInfoList(QDir::Files))
        (file.filePath().startsWith(recordingOf(m_url)) ? use.pinnedMb : use.diskMb) +=
            double(file.size()) / 1e6;
    return use;
}

/// Its time-outs are short here.
QByteArray tst_AgentDay::answered(const QString& url) const
{
    QByteArray text;
    const bool isAnswered = waitUntil([&] { return !(text = httpGet(url).body).isEmpty(); });
    return isAnswered ? text : QByteArray();
}

bool tst_AgentDay::isFiring(const QString& url, bool isRequested) const
{
    const QByteArray text = answered(url);
    const auto count = [&](const char* severity) {
        return sample(text,
            "lockscope_incidents_firing" + quoted("{server='") + record::causeServer(m_url).toUtf8()
                + quoted("',severity='") + severity + quoted("'}"));
    };
    const auto warning = count("warning");
    const auto critical = count("critical");
    return !warning.isEmpty() && !critical.isEmpty()
        && (warning.toInt() + critical.toInt() > 0) == isRequested;
}

/// Three sessions wait until the incident fires, and it is over.
void tst_AgentDay::blockOnce(const QString& url)
{
    QVERIFY(m_head->begin(u"LOCK TABLE orders"_s));
    for (const auto& waiter : m_waiters)
        waiter->start(u"SELECT FROM orders"_s);
    for (const auto& waiter : m_waiters)
        QVERIFY(waiter->waitUntilBlocked());
    QVERIFY2(waitUntil([&] { return isFiring(url, true); }), answered(url));
    QVERIFY(unblock());
    for (const auto& waiter : m_waiters)
        QVERIFY(waiter->wait());
    QVERIFY2(waitUntil([&] { return isFiring(url, false); }), answered(url));
}

/// Its polls have their intervals, for as long as it is kept. The time around incidents is pinned.
void tst_AgentDay::checkRecording(const db::ServerUrl& url) const
{
    const auto reader = record::RecordingReader::open(recordingOf(url));
    QVERIFY(reader);
    const auto span = (*reader)->span();
    QVERIFY(span);
    const double hours = double((span->last - span->first).count()) / 3.6e9;
    QVERIFY2(hours < keptHours + 0.5 || url == m_url, QByteArray::number(hours));
    QVERIFY2(hours > std::min(keptHours, m_hours) * 0.8, QByteArray::number(hours));
    std::optional<record::Poll> before;
    int count = 0;
    int late = 0;
    int early = 0;
    const ServerTime from = std::max(span->first, span->last - microseconds(qint64(keptHours * 3.6e9)));
    QVERIFY((*reader)->polls(from, span->last, [&](const record::Poll& poll) {
        const double seconds = before ? double((poll.taken - before->taken).count()) / 1e6 : polledEvery;
        early += seconds < 0.9 * polledEvery ? 1 : 0;
        late += seconds > 2 * polledEvery ? 1 : 0;
        before = poll;
        ++count;
    }));
    qInfo("%s: %d polls of %.1f h, %d early, %d late", qPrintable(url.database), count, hours, early, late);
    QCOMPARE(early, 0);
    QVERIFY(late * 50 <= count); // this machine does other things, too: for a blink they are seconds here
    const auto segments = (*reader)->segments();
    QVERIFY(segments);
    for (const auto& segment : *segments)
        QCOMPARE(segment.endReason == u"stopped"_s, &segment == &segments->back());
}

void tst_AgentDay::aDay()
{
    const SilentPort silent;
    const QList<db::ServerUrl> living{m_url, m_others.freshDatabase(), m_others.freshDatabase()};
    FaultyNetwork mortal(m_others.freshDatabase());
    QStringList servers{mortal.url().toString(), silent.database(1), nowhere};
    for (const db::ServerUrl& url : living)
        servers << url.toString();
    writeConfig(servers, ", 'budget': 25, 'keep': '2h'", "5s");
    Lockctl lockctl = ctl();
    m_time.applyTo(lockctl);
    const auto agent = lockctl.start("agent %1", configPath());
    const QString url = metricsUrl(*agent);
    QVERIFY(waitUntil([&] { return polls(url, living.last()) > 0 && polls(url, m_url) > 0; }));
    block(3);
    QVERIFY(unblock());
    for (const auto& waiter : m_waiters)
        QVERIFY(waiter->wait());
    QVERIFY(waitUntil([&] { return isFiring(url, false); }));
    const QByteArray counted = "lockscope_incidents_total" + quoted("{server='")
        + record::causeServer(m_url).toUtf8() + quoted("'}");
    const int incidentsBefore = sample(answered(url), counted).toInt();
    QList<int> pollsBefore;
    for (const db::ServerUrl& each : living)
        pollsBefore << polls(url, each);
    QElapsedTimer clock;
    clock.start();
    const auto hoursGone = [&] { return double(clock.elapsed()) * m_speed / 3.6e6; };
    Use early; // the most until all that is kept is there
    Use late; // the most at the end
    int made = 0;
    for (; hoursGone() < m_hours; ++made) {
        mortal.cut();
        blockOnce(url);
        if (QTest::currentTestFailed())
            return;
        mortal.mend();
        agent->readAllStandardOutput();
        agent->readAllStandardError();
        QTest::qWait(3'000); // the pace of the day
        if (hoursGone() < std::max(m_hours / 4, keptHours * 1.5))
            early = early.orMore(use(*agent));
        else if (hoursGone() > m_hours * 3 / 4)
            late = late.orMore(use(*agent));
    }
    const double seconds = hoursGone() * 3'600;
    qInfo("%.1f h; at first %s; at last %s; %d incidents", hoursGone(), early.text().constData(),
        late.text().constData(), made);
    QCOMPARE(sample(answered(url), counted).toInt() - incidentsBefore, made);
    for (qsizetype i = 0; i < living.size(); ++i) {
        const double share = (polls(url, living[i]) - pollsBefore[i]) * polledEvery / seconds;
        qInfo("%s: %.3f of the polls", qPrintable(living[i].database), share);
        QVERIFY(share > 0.9 && share < 1.01);
    }
    QVERIFY(late.memoryMb < early.memoryMb * 1.15);
    QVERIFY(late.descriptors <= early.descriptors && late.threads <= early.threads);
    QVERIFY(late.diskMb < early.diskMb * 1.3);
    QVERIFY(late.pinnedMb - early.pinnedMb < 0.064 * made);
    Lockctl::terminate(*agent);
    for (const db::ServerUrl& each : living)
        checkRecording(each);
}

LOCKSCOPE_TEST(tst_AgentDay)

} // namespace tst_AgentDay
#include "tst_AgentDay.moc"
