// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// HolderWatch: what successive polls show of the holders of rows, with gaps and pauses, in several time
// zones, and of rows that don't say when they were taken.

#include "core/monitor/FrameworkProbe.h"
#include "tests/support/TestProgram.h"

namespace tst_HolderWatch {

using namespace lockscope;
using frameworks::RowLock;
using Verdict = HolderLife::Verdict;
using Sessions = std::vector<Session>;

const ServerTime start{1'800'000'000'000'000};
const QString address = u"10.0.0.5"_s;

static Session session(qint64 id, const QString& from = address, std::chrono::seconds began = -1h)
{
    Session one;
    one.id = SessionId{id};
    one.started = start + began;
    one.user = u"app"_s;
    one.program = u"JDBC"_s;
    one.host = one.address = from;
    one.state = SessionState::IdleInTransaction;
    return one;
}

static Session idle(Session session)
{
    session.state = SessionState::Idle;
    return session;
}

static Session of(Session session, const QString& program)
{
    session.program = program;
    return session;
}

/// A lock as Liquibase keeps it: its holder needs a session, and the row names its machine.
static RowLock changelogLock(std::chrono::seconds taken = -10min)
{
    RowLock row;
    row.entry.name = u"changelog lock"_s;
    row.entry.acquiredAt = start + taken;
    row.signs.namesHolder = true;
    row.signs.holderText = u"build-7 (%1)"_s.arg(address);
    row.signs.holder.host = u"build-7"_s;
    row.signs.holder.address = address;
    row.signs.keepsSession = true;
    row.signs.taken = PossibleTime{row.entry.acquiredAt, row.entry.acquiredAt};
    return row;
}

static RowLock withoutTaking(RowLock row)
{
    row.entry.acquiredAt = {};
    row.signs.taken.reset();
    return row;
}

/// A lock as ShedLock keeps it, at a time by the clock of a program `zone` ahead of UTC.
static RowLock shedLock(const QString& name, const QString& holder, std::chrono::minutes zone,
    std::chrono::seconds taken, std::chrono::seconds until)
{
    RowLock row;
    row.entry.name = name;
    row.signs.namesHolder = true;
    row.signs.holderText = holder;
    const auto written = [zone](std::chrono::seconds at) {
        return (start + at + std::chrono::duration_cast<microseconds>(zone)).us;
    };
    row.zoneless = {written(taken), written(until), {}, {written(until)}, false};
    return row;
}

/// Polls of one table, as FrameworkProbe makes them.
class Polls {
public:
    explicit Polls(std::optional<QTimeZone> configuredZone = {})
        : m_configuredZone(std::move(configuredZone))
    {
    }

    /// Returns the held locks, by name.
    QMap<QString, RowLock> poll(std::chrono::seconds at, std::vector<RowLock> rows,
        const Sessions& sessions = {}, bool isComplete = true, SessionsSeen seen = SessionsSeen::All)
    {
        const ServerTime now = start + at;
        QMap<QString, RowLock> held;
        m_watch.begin(rows, isComplete, m_configuredZone, now);
        for (RowLock& row : rows) {
            m_watch.addTo(row, sessions, seen == SessionsSeen::All);
            row.readZoneless(m_watch.zoneOf(row), {}, now);
            if (!row.isHeld(now))
                continue;
            HolderJudgement judged = judgeHolder(row.signs, sessions, seen, now);
            m_watch.note(row, judged);
            row.entry.holderLife = std::move(judged.life);
            held.insert(row.entry.name, row);
        }
        m_watch.end(now);
        return held;
    }
    HolderLife life(std::chrono::seconds at, const RowLock& row, const Sessions& sessions,
        SessionsSeen seen = SessionsSeen::All)
    {
        return poll(at, {row}, sessions, true, seen).value(row.entry.name).entry.holderLife;
    }
    /// The table could not be read.
    void fail(std::chrono::seconds at) { poll(at, {}, {}, false); }

private:
    const std::optional<QTimeZone> m_configuredZone;
    monitor::HolderWatch m_watch;
};

#define COMPARE_VERDICT(life, expected)                                                                      \
    do {                                                                                                     \
        const HolderLife judged = life;                                                                      \
        QVERIFY2(judged.verdict == (expected), qPrintable(verdictText(judged)));                             \
    } while (false)

class tst_HolderWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itIsGoneWhenNothingOfItsProgramIsSeenForLong()
    {
        Polls polls;
        const RowLock row = changelogLock();
        COMPARE_VERDICT(polls.life(0s, row, {session(51)}), Verdict::Works);
        for (const auto at : {2s, 4s, 10s, 16s})
            COMPARE_VERDICT(polls.life(at, row, {}), Verdict::Unknown);
        const HolderLife gone = polls.life(18s, row, {});
        COMPARE_VERDICT(gone, Verdict::Gone);
        QVERIFY2(gone.evidence.join(u' ').contains(u"was at work when last seen, 18 s ago"_s),
            qPrintable(verdictText(gone)));
        COMPARE_VERDICT(polls.life(1h, row, {}), Verdict::Gone); // what was proven stays so
        COMPARE_VERDICT(polls.life(1h + 2s, row, {session(60, address, 1h)}), Verdict::Unknown);
    }

    void aTieDoesNotOutliveATimeThatWasNotWatched_data()
    {
        QTest::addColumn<bool>("isPolled");
        test::row("no poll: the monitor was paused, or the machine slept", false);
        test::row("polls that could not read the table", true);
    }
    void aTieDoesNotOutliveATimeThatWasNotWatched()
    {
        QFETCH(const bool, isPolled);
        Polls polls;
        const RowLock row = changelogLock();
        COMPARE_VERDICT(polls.life(0s, row, {session(51)}), Verdict::Works);
        for (auto at = 2s; isPolled && at < 60s; at += 2s)
            polls.fail(at);
        for (const auto at : {60s, 62s, 90s, 91s, 120s}) {
            const HolderLife life = polls.life(at, row, {});
            COMPARE_VERDICT(life, Verdict::Unknown);
            QVERIFY2(!life.evidence.join(u' ').contains(u"ended"_s), qPrintable(verdictText(life)));
        }
    }

    void aSessionThatIsThereAfterAGapIsTiedAgain()
    {
        Polls polls;
        const RowLock row = changelogLock();
        COMPARE_VERDICT(polls.life(0s, row, {session(51)}), Verdict::Works);
        COMPARE_VERDICT(polls.life(1h, row, {session(51)}), Verdict::Works);
        COMPARE_VERDICT(polls.life(1h + 2s, row, {}), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(1h + 9s, row, {}), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(1h + 17s, row, {}), Verdict::Gone);
    }

    void whatWasNotWatchedIsNotWithoutItsProgram_data()
    {
        QTest::addColumn<SessionsSeen>("between");
        test::row("no poll", SessionsSeen::All);
        test::row("polls that may not see all sessions", SessionsSeen::Some);
    }
    void whatWasNotWatchedIsNotWithoutItsProgram()
    {
        QFETCH(const SessionsSeen, between);
        Polls polls;
        const RowLock row = changelogLock();
        COMPARE_VERDICT(polls.life(0s, row, {session(51)}), Verdict::Works);
        COMPARE_VERDICT(polls.life(2s, row, {}), Verdict::Unknown);
        for (auto at = 4s; between != SessionsSeen::All && at < 60s; at += 2s)
            COMPARE_VERDICT(polls.life(at, row, {}, between), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(60s, row, {}), Verdict::Unknown); // it may have had one in between
        COMPARE_VERDICT(polls.life(70s, row, {}), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(76s, row, {}), Verdict::Gone);
    }

    void aPoolersNextSessionIsThatOfALivingHolder()
    {
        Polls polls;
        const RowLock row = changelogLock();
        COMPARE_VERDICT(polls.life(0s, row, {session(51)}), Verdict::Works);
        COMPARE_VERDICT(polls.life(2s, row, {}), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(4s, row, {session(52, address, 3s)}), Verdict::Unknown);
        for (auto at = 6s; at < 60s; at += 2s) // and that one's end proves no more than the first one's
            COMPARE_VERDICT(polls.life(at, row, {}), Verdict::Unknown);
    }

    void whatMayBeOfItsProgramPutsTheProofOff()
    {
        Polls polls;
        const RowLock row = changelogLock();
        const Session other = of(session(60, u"10.0.0.9"_s, -2h), u"psql"_s); // may be of another address
        COMPARE_VERDICT(polls.life(0s, row, {session(51), other}), Verdict::Works);
        for (auto at = 2s; at < 40s; at += 2s)
            COMPARE_VERDICT(polls.life(at, row, {other}), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(40s, row, {}), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(50s, row, {}), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(54s, row, {}), Verdict::Gone);
    }

    void siblingsOfASessionThatEndedAtWorkAreUnknown()
    {
        Polls polls;
        const RowLock row = changelogLock();
        const Sessions pool{session(51), idle(session(52)), idle(session(53))};
        COMPARE_VERDICT(polls.life(0s, row, pool), Verdict::Works);
        for (auto at = 2s; at < 60s; at += 2s) {
            const HolderLife life = polls.life(at, row, {pool[1], pool[2]});
            COMPARE_VERDICT(life, Verdict::Unknown);
            QVERIFY2(life.evidence.join(u' ').contains(u"was at work when last seen"_s),
                qPrintable(verdictText(life)));
        }
        // They were there before: that they end, too, is no sign of life of it.
        for (auto at = 60s; at < 74s; at += 2s)
            COMPARE_VERDICT(polls.life(at, row, {}), Verdict::Unknown);
        COMPARE_VERDICT(polls.life(74s, row, {}), Verdict::Gone);
    }

    void anIdleOneOfAPoolTellsNothing()
    {
        Polls polls;
        const RowLock row = changelogLock();
        COMPARE_VERDICT(polls.life(0s, row, {session(51), idle(session(52))}), Verdict::Works);
        COMPARE_VERDICT(polls.life(2s, row, {session(51)}), Verdict::Works);
        COMPARE_VERDICT(polls.life(4s, row, {idle(session(51))}), Verdict::Works);
        for (auto at = 6s; at < 60s; at += 2s)
            COMPARE_VERDICT(polls.life(at, row, {}), Verdict::Unknown); // it was idle, as well
    }

    void aLockThatWasTakenAgainInheritsNothing()
    {
        Polls polls;
        COMPARE_VERDICT(polls.life(0s, changelogLock(), {session(51)}), Verdict::Works);
        for (auto at = 2s; at < 20s; at += 2s)
            (void)polls.life(at, changelogLock(), {});
        COMPARE_VERDICT(polls.life(20s, changelogLock(), {}), Verdict::Gone);
        COMPARE_VERDICT(polls.life(22s, changelogLock(21s), {}), Verdict::Unknown);
    }

    void aRowThatDoesNotTellWhenItWasTakenIsNeverGone()
    {
        // A lock that was released and taken again between two polls looks the same.
        Polls polls;
        RowLock row = withoutTaking(changelogLock());
        row.signs.holder.session = SessionId{51};
        row.signs.heartbeat = start - 5min;
        COMPARE_VERDICT(polls.life(0s, row, {session(51)}), Verdict::Works);
        for (auto at = 2s; at < 60s; at += 2s) {
            const HolderLife life = polls.life(at, row, {});
            COMPARE_VERDICT(life, Verdict::Unknown);
            QVERIFY2(!life.evidence.join(u' ').contains(u"has ended"_s), qPrintable(verdictText(life)));
        }
    }

    void rowsThatAreAlikeTellNothing()
    {
        Polls polls;
        const std::vector<RowLock> both{changelogLock(), changelogLock()};
        (void)polls.poll(0s, both, {session(51)});
        for (auto at = 2s; at < 60s; at += 2s)
            COMPARE_VERDICT(polls.poll(at, both).first().entry.holderLife, Verdict::Unknown);
    }

    // Zones: a program in New York is 5 h behind UTC, one in Berlin 1 h ahead.

    void aZoneCountsForItsHolderAlone()
    {
        const RowLock there = shedLock(u"there"_s, u"ny"_s, -5h, -1min, 30min);
        const RowLock over = shedLock(u"over"_s, u"berlin"_s, 1h, -10min, -20s);
        Polls polls;
        QVERIFY(polls.poll(0s, {there}).value(u"there"_s).signs.dependsOnZone);
        const auto seen = polls.poll(2s, {there, shedLock(u"taken"_s, u"berlin"_s, 1h, 1s, 10min), over});
        QVERIFY(seen.contains(u"taken"_s) && !seen.value(u"taken"_s).signs.dependsOnZone);
        QVERIFY(!seen.contains(u"over"_s)); // of the same program
        QVERIFY(seen.contains(u"there"_s)); // by Berlin's zone it was given back hours ago
        QVERIFY(seen.value(u"there"_s).signs.dependsOnZone);
    }

    void whatALockInTheEastLeavesPossibleCountsForItsHolderAlone()
    {
        const auto seen = Polls().poll(0s,
            {shedLock(u"here"_s, u"berlin"_s, 1h, -1s, 10min),
                shedLock(u"there"_s, u"ny"_s, -5h, -1min, 30min)});
        QVERIFY(seen.contains(u"here"_s) && seen.contains(u"there"_s));
    }

    void programsOfOneNameInTwoZonesLeaveTheirZoneUnknown()
    {
        const RowLock before = shedLock(u"before"_s, u"web"_s, -5h, -1min, 30min);
        const RowLock berlin = shedLock(u"berlin"_s, u"web"_s, 1h, 1s, 30min);
        const RowLock there = shedLock(u"there"_s, u"web"_s, -5h, 3s, 30min);
        Polls polls;
        (void)polls.poll(0s, {before});
        (void)polls.poll(2s, {before, berlin});
        const auto seen = polls.poll(4s, {before, berlin, there});
        QCOMPARE(seen.size(), 3);
        QVERIFY(seen.value(u"before"_s).signs.dependsOnZone);
        QVERIFY(!seen.value(u"berlin"_s).signs.dependsOnZone); // each was seen by itself
        QVERIFY(!seen.value(u"there"_s).signs.dependsOnZone);
    }

    void theDatabasesDigitsCountForTheirRowAlone()
    {
        RowLock ofDatabase = shedLock(u"exact"_s, u"web"_s, 0h, -1min, 10min);
        ofDatabase.zoneless.isOfDatabase = true;
        const RowLock there = shedLock(u"there"_s, u"web"_s, -5h, -1min, 30min);
        const auto seen = Polls().poll(0s, {ofDatabase, there});
        QVERIFY(seen.contains(u"exact"_s) && !seen.value(u"exact"_s).signs.dependsOnZone);
        QVERIFY(seen.contains(u"there"_s) && seen.value(u"there"_s).signs.dependsOnZone);
        // Against a zone that was set, too, which is that of the others.
        const auto set = Polls(QTimeZone("America/New_York")).poll(0s, {ofDatabase, there});
        QCOMPARE(set.value(u"exact"_s).entry.expiresAt.value().us, (start + 10min).us);
        QCOMPARE(set.value(u"there"_s).entry.expiresAt.value().us, (start + 30min).us);
    }

    void aClockThatIsAheadHidesNoShortLock_data()
    {
        test::addRows<std::chrono::minutes>("ahead",
            {{"3 min", 3min}, {"9 min", 9min}, {"1 h: a zone further east", 60min},
                {"1 h 9 min: a clock in a zone further east", 69min}});
    }
    void aClockThatIsAheadHidesNoShortLock()
    {
        QFETCH(const std::chrono::minutes, ahead);
        QVERIFY(Polls().poll(0s, {shedLock(u"short"_s, u"web"_s, ahead, -5s, 30s)}).contains(u"short"_s));
    }

    void aShortLockThatWasGivenBackMinutesAgoIsNotInDoubt()
    {
        for (const auto ago : {1min, 5min, 9min, 15min, 30min, 45min})
            QVERIFY(Polls().poll(0s, {shedLock(u"short"_s, u"web"_s, 0h, -ago - 1s, -ago)}).isEmpty());
    }

    void howLongItsLocksLastMovesTimesWithoutAZone()
    {
        FrameworkRow row;
        row.expires = FrameworkTime{.column = u"last"_s, .clocks = {}, .after = 70s};
        RowLock lock = shedLock(u"a"_s, u"web"_s, 0h, -1h, -50min);
        lock.zoneless.mustBeToCome.clear();
        lock.take({.interval = {}, .deadAfter = {}, .lockAtMostFor = 2h, .zone = {}}, row);
        const auto seen = Polls(QTimeZone::utc()).poll(0s, {lock});
        QCOMPARE(seen.value(u"a"_s).entry.expiresAt.value().us, (start - 50min - 70s + 2h).us);
        QVERIFY(seen.value(u"a"_s).entry.holderLife.evidence.contains(
            u"Its locks last 2 h, as set for this server."_s));
    }

    void aProgramsClockMayGoWrong()
    {
        // Its zone is known, and its clock goes 30 s ahead: a session that began after the lock may be that
        // of the program started again.
        RowLock row = changelogLock();
        row.entry.acquiredAt = {};
        row.signs.taken.reset();
        row.zoneless.since = (start - 30s).us;
        COMPARE_VERDICT(
            Polls(QTimeZone::utc()).life(0s, row, {session(51, address, -45s)}), Verdict::Unknown);
        COMPARE_VERDICT(Polls(QTimeZone::utc()).life(0s, row, {session(51, address, -91s)}), Verdict::Works);
        // Seen to be taken, between two polls of the server's clock, it is the server's clock that counts.
        Polls polls(QTimeZone::utc());
        row.zoneless.since = (start + 20s).us;
        (void)polls.poll(0s, {});
        COMPARE_VERDICT(polls.life(2s, row, {session(51, address, -5s)}), Verdict::Works);
    }
};

LOCKSCOPE_TEST(tst_HolderWatch)

} // namespace tst_HolderWatch
#include "tst_HolderWatch.moc"
