// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Sessions note by the server's clock the locks that they hold and wait for, and a recorder is killed,
// stopped for a while and ended meanwhile: its recording must agree with each hold and wait. Ten thousand of
// them by default; LOCKSCOPE_SOAK_SIGHTS replaces that.

#include "core/record/RecordingReader.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_RecordingSoak {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;

constexpr int sessions = 24;
constexpr int tables = 12;
// Between a session's clock and its lock, on a busy machine.
constexpr microseconds margin = 150ms;
constexpr ServerTime ever{1};
constexpr ServerTime never{std::numeric_limits<qint64>::max() / 2};

/// One action of a session, between the answers before and after it.
struct Turn {
    qint64 session = 0;
    QString table;
    ServerTime asked; ///< before it asked for the lock
    ServerTime got; ///< when it had it
    ServerTime letGo; ///< before it committed
    ServerTime gone;
};

/// Sessions that take tables for themselves, one after the other, and write their own log.
class Generator {
public:
    Generator(const TestServer& server, const db::ServerUrl& url)
    {
        for (int i = 0; i < sessions; ++i)
            m_threads.emplace_back([this, &server, url, i](const std::stop_token& stop) {
                work(stop, *server.connect(url), unsigned(i));
            });
    }
    std::vector<Turn> end()
    {
        m_threads.clear();
        return std::move(m_log);
    }
    qint64 turns() const { return m_turns; }

private:
    static ServerTime now(db::Connection& connection)
    {
        ServerTime now;
        orDie(runSql(connection, u"SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"_s, {},
            [&now](const db::Row& row) { now = row.time(0); }));
        return now;
    }
    void work(const std::stop_token& stop, db::Connection& connection, unsigned seed)
    {
        std::mt19937 dice(seed);
        const auto pick = [&dice](int least, int most) {
            return std::uniform_int_distribution(least, most)(dice);
        };
        Turn turn;
        static_cast<void>(runSql(connection, u"SELECT pg_backend_pid()"_s, {},
            [&turn](const db::Row& row) { turn.session = row.int64(0); }));
        while (!stop.stop_requested()) {
            turn.table = u"public.t%1"_s.arg(pick(0, tables - 1));
            // Many are as short as a pooled session's, on the same table again and again.
            for (int again = pick(0, 3) == 0 ? pick(2, 6) : 1; again > 0; --again) {
                const auto held = std::chrono::milliseconds(again > 1 ? pick(5, 40) : pick(20, 900));
                orDie(connection.begin());
                turn.asked = now(connection);
                orDie(runSql(connection, u"LOCK TABLE %1"_s.arg(turn.table), {}));
                turn.got = now(connection);
                std::this_thread::sleep_for(held);
                turn.letGo = now(connection);
                orDie(connection.commit());
                turn.gone = now(connection);
                ++m_turns;
                const std::lock_guard lock(m_mutex);
                m_log.push_back(turn);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(pick(0, 300)));
        }
    }

    std::mutex m_mutex;
    std::vector<Turn> m_log;
    std::atomic<qint64> m_turns = 0;
    std::vector<std::jthread> m_threads;
};

/// `lockctl record`, which is killed, stopped and ended.
class StruckRecorder {
public:
    StruckRecorder(const QString& url, const QString& password, QString path)
        : m_lockctl(url, password)
        , m_path(std::move(path))
    {
        begin();
    }
    ~StruckRecorder() { end(SIGINT); }

    void strike(int which)
    {
        switch (which % 3) {
        case 0:
            end(SIGKILL);
            QTest::qWait(1'500); // each way of being away makes a gap of its own length
            begin();
            break;
        case 1:
            ::kill(pid_t(m_process->processId()), SIGSTOP);
            QTest::qWait(2'500);
            ::kill(pid_t(m_process->processId()), SIGCONT);
            break;
        default:
            end(SIGINT);
            QTest::qWait(2'000);
            begin();
        }
    }

private:
    void begin()
    {
        m_process = m_lockctl.start("record --out %1 --interval 200ms", m_path);
        QVERIFY(m_process->waitForStarted());
    }
    void end(int signal)
    {
        ::kill(pid_t(m_process->processId()), signal);
        m_process->waitForFinished(60'000);
    }

    Lockctl m_lockctl;
    QString m_path;
    std::unique_ptr<QProcess> m_process;
};

struct Verdict {
    qint64 seen = 0; ///< holds and waits that a snapshot lies in
    qint64 unseen = 0;
    qint64 missing = 0;
    qint64 joined = 0;
    qint64 phantoms = 0;
    microseconds maxPollTime{0};
    QStringList examples;

    void note(qint64& count, const QString& what)
    {
        ++count;
        if (examples.size() < 20)
            examples << what;
    }
};

static QString text(const HistoryLine& line)
{
    return u"%1 %2 %3 from %4 to %5"_s.arg(QString::number(line.party.session.value),
        line.waited ? u"waited for"_s : u"held"_s, line.lock, line.from.toIsoString(), line.to.toIsoString());
}

/// The work of one session with one table, as it was and as the recording has it.
struct Case {
    std::vector<std::pair<ServerTime, ServerTime>> true_; ///< certainly in these
    std::vector<std::pair<ServerTime, ServerTime>> at_most; ///< certainly not beyond
    std::vector<HistoryLine> lines;
};

/// Says of each snapshot when it was taken and how long its poll had been going on: it shows what was so at
/// some time of that.
using Polls = std::map<ServerTime, microseconds>;

/// Returns the length of the poll that has this time in it, up to that time.
static microseconds lengthAt(const Polls& polls, ServerTime time)
{
    const auto poll = polls.lower_bound(time);
    return poll == polls.end() || poll->first - poll->second >= time ? microseconds(0) : poll->second;
}

static void judge(const Case& one, const Polls& polls, const QString& what, Verdict& verdict)
{
    std::vector<bool> isReported(one.true_.size(), false);
    for (const HistoryLine& line : one.lines) {
        int meets = 0;
        bool fits = false;
        auto beyond = microseconds::max(); // what of it no true one has
        for (size_t i = 0; i < one.true_.size(); ++i) {
            const ServerTime from = one.at_most[i].first;
            // A line that ends within a poll was seen by that one only, or last by a program that was killed.
            const ServerTime to = one.at_most[i].second + lengthAt(polls, line.to);
            beyond = std::min(beyond, std::max(from - line.from, line.to - to));
            if (line.from > to + margin || line.to < from + -margin)
                continue;
            fits = fits || (line.from >= from && line.to <= to);
            isReported[i] = true;
            // Certainly there, and not only in its margins.
            meets +=
                line.from < one.true_[i].second + -margin && line.to > one.true_[i].first + margin ? 1 : 0;
        }
        if (meets > 1 && !fits)
            verdict.note(verdict.joined, u"joined: "_s + text(line));
        else if (!fits)
            verdict.note(verdict.phantoms,
                u"phantom, %1 ms too long: %2"_s.arg(beyond.count() / 1'000).arg(text(line)));
    }
    for (size_t i = 0; i < one.true_.size(); ++i) {
        auto poll = polls.lower_bound(one.true_[i].first);
        while (poll != polls.end() && poll->first - poll->second < one.true_[i].first)
            ++poll;
        if (poll == polls.end() || poll->first > one.true_[i].second) {
            ++verdict.unseen;
            continue;
        }
        ++verdict.seen;
        if (!isReported[i])
            verdict.note(verdict.missing,
                u"missing: %1 from %2 to %3"_s.arg(
                    what, one.true_[i].first.toIsoString(), one.true_[i].second.toIsoString()));
    }
}

static Verdict compare(const QString& path, const std::vector<Turn>& log)
{
    const auto reader = orDie(RecordingReader::open(path));
    Polls polls;
    QStringList names;
    for (int i = 0; i < tables; ++i)
        names << u"public.t%1"_s.arg(i);
    std::map<std::tuple<qint64, QString, bool>, Case> cases;
    for (const Turn& turn : log) {
        Case& hold = cases[{turn.session, turn.table, false}];
        hold.true_.emplace_back(turn.got, turn.letGo);
        hold.at_most.emplace_back(turn.asked, turn.gone);
        Case& wait = cases[{turn.session, turn.table, true}];
        wait.true_.emplace_back(turn.asked + margin, turn.got + -margin); // or empty: perhaps it was none
        wait.at_most.emplace_back(turn.asked, turn.got);
    }
    for (const Segment& segment : orDie(reader->segments())) {
        orDie(reader->eachFrame(
            segment.number, ever, never, [&polls](const RecordingReader::Frame& frame) -> Result<void> {
                if (!frame.snapshot)
                    return Failure(frame.snapshot.error());
                polls.emplace(frame.taken, (*frame.snapshot)->cost.server);
                return {};
            }));
    }
    orDie(reader->history(names, ever, never, [&cases](const HistoryLine& line) {
        if (line.mode == u"AccessExclusiveLock"_s)
            cases[{line.party.session.value, line.lock, line.waited}].lines.push_back(line);
        return true;
    }));
    Verdict verdict;
    for (const auto& [taken, length] : polls)
        verdict.maxPollTime = std::max(verdict.maxPollTime, length);
    for (const auto& [which, each] : cases)
        judge(each, polls,
            u"%1 %2 %3"_s.arg(QString::number(std::get<0>(which)),
                std::get<2>(which) ? u"waited for"_s : u"held"_s, std::get<1>(which)),
            verdict);
    return verdict;
}

static void check(const Verdict& verdict, const char* when)
{
    qInfo(
        "%s: %lld holds and waits in snapshots (%lld between two): %lld joined, %lld missing, %lld phantoms; the longest poll took %lld ms",
        when, static_cast<long long>(verdict.seen), static_cast<long long>(verdict.unseen),
        static_cast<long long>(verdict.joined), static_cast<long long>(verdict.missing),
        static_cast<long long>(verdict.phantoms), static_cast<long long>(verdict.maxPollTime / 1ms));
    QVERIFY2(verdict.joined == 0 && verdict.missing == 0 && verdict.phantoms == 0,
        qPrintable(verdict.examples.join(u'\n')));
}

class tst_RecordingSoak : public QObject {
    Q_OBJECT

public:
    // By default a test function ends after five minutes.
    tst_RecordingSoak() { qputenv("QTEST_FUNCTION_TIMEOUT", "28800000"); }

private Q_SLOTS:
    void holdsAndWaitsAreAsTheyWere()
    {
        const qint64 requested = qEnvironmentVariableIsSet("LOCKSCOPE_SOAK_SIGHTS")
            ? qEnvironmentVariable("LOCKSCOPE_SOAK_SIGHTS").toLongLong()
            : 10'000;
        const db::ServerUrl url = m_server.freshDatabase();
        for (int i = 0; i < tables; ++i)
            m_server.run(url, u"CREATE TABLE public.t%1 (a int)"_s.arg(i));
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"soak.lockscope"_s);
        std::vector<Turn> log;
        {
            StruckRecorder recorder(url.toString(), m_server.password(), path);
            Generator generator(m_server, url);
            // Every other hold or wait is too short for a snapshot.
            for (int strikes = 0; generator.turns() < requested * 5 / 2; ++strikes) {
                QTest::qWait(8'000); // undisturbed, so that most is recorded
                recorder.strike(strikes);
            }
            log = generator.end();
        }
        const Verdict whole = compare(path, log);
        check(whole, "whole");
        QVERIFY(whole.seen >= requested);

        // A hole between what is pinned and what is young.
        const auto at = [&log](size_t part) { return log[log.size() * part / 10].got.toIsoString(); };
        const Lockctl lockctl(url.toString(), m_server.password());
        VERIFY_CODE(0, lockctl("recordings pin %1 --from %2 --to %3 --why soak", path, at(2), at(3)));
        const auto age =
            std::chrono::duration_cast<std::chrono::seconds>(log.back().gone - log[log.size() * 6 / 10].got);
        VERIFY_CODE(0, lockctl("recordings prune %1 --keep %2 --yes", path, u"%1s"_s.arg(age.count())));
        const Verdict rest = compare(path, log);
        check(rest, "with a hole");
        QVERIFY(rest.seen < whole.seen && rest.seen > whole.seen / 10);
    }

private:
    TestServer m_server{sandbox::Sandbox::Capacity{}};
};

LOCKSCOPE_TEST(tst_RecordingSoak)

} // namespace tst_RecordingSoak
#include "tst_RecordingSoak.moc"
