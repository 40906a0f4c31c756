// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/EventFinder.h"
#include "core/alert/rules/RuleFile.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/record/SnapshotSearch.h"
#include "core/record/StoredEvents.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace tst_EventFinder {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::alert;
using test::SnapshotBuilder;

constexpr auto at = &SnapshotBuilder::at;

/// 51 holds up 63, who has waited for so long; nobody if less than nothing.
static SnapshotPtr waiting(int second, int waited)
{
    SnapshotBuilder s(second);
    s.session(51, "billing").idleInTransaction(1'000 + second).running("UPDATE orders SET secret = 'x'");
    s.session(63, "report");
    s.holds(51, "public.orders", "AccessExclusiveLock", 1'000 + second);
    if (waited >= 0)
        s.waits(63, "public.orders", "AccessShareLock", waited);
    return s.take();
}

static SnapshotPtr ring(int second, int began)
{
    SnapshotBuilder s(second);
    s.session(51, "billing").transaction(second - began);
    s.session(63, "report").transaction(second - began);
    s.holds(51, "public.orders", "AccessExclusiveLock", second - began);
    s.holds(63, "public.items", "AccessExclusiveLock", second - began);
    s.waits(51, "public.items", "AccessShareLock", second - began);
    s.waits(63, "public.orders", "AccessShareLock", second - began);
    return s.take();
}

/// A report of SQL Server, as a source hands it on.
static deadlock::ReportPtr reportAt(ServerTime when, const char* key, int second = 52)
{
    const auto read = deadlock::readReports(test::twoRowsXml(), u"event files"_s);
    deadlock::DeadlockReport report = *read->first();
    report.participants[1].session = SessionId{second};
    report.time.at = when;
    report.source.eventKey = QString::fromLatin1(key);
    return std::make_shared<deadlock::DeadlockReport>(report);
}

static deadlock::SourcePoll poll(const QList<deadlock::ReportPtr>& reports, qint64 counted, qint64 captured)
{
    deadlock::SourcePoll poll;
    poll.reports = reports;
    poll.counted = counted;
    poll.captured = captured;
    poll.origin = u"event files"_s;
    return poll;
}

static EventFinder withRules()
{
    return EventFinder(u"db1:5432"_s, u"shop"_s, defaultRules());
}

static QJsonObject detailOf(const Event& event)
{
    return QJsonDocument::fromJson(event.detail.toUtf8()).object();
}

class tst_EventFinder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// An incident of the rules is an event when it fires, when it gets worse and when it is resolved.
    void anIncidentIsRecordedOnceAndItsEndOnce()
    {
        EventFinder finder = withRules();
        QList<Event> events;
        QList<Pin> pins;
        for (int second = 0; second < 900; ++second) {
            const auto found = finder.advance(waiting(second, second < 700 ? second : -1), 1s);
            events += found.events;
            pins += found.pins;
        }
        QCOMPARE(events.size(), 3);
        for (const Event& event : events)
            QCOMPARE(event.kind, Event::Kind::Alert);
        QCOMPARE(events[0].at, at(60));
        QCOMPARE(events[0].what,
            u"1 session waits for 51 billing, idle in transaction. A session has waited for 1 min."_s);
        QCOMPARE(detailOf(events[0])[u"state"_s].toString(), u"begins"_s);
        QCOMPARE(events[1].at, at(600));
        QCOMPARE(events[1].what, u"Critical: A session has waited for 10 min."_s);
        QCOMPARE(events[2].at, at(760)); // once it has been clear for a minute, as the incident says
        QCOMPARE(events[2].what,
            u"Resolved after 11 min 40 s: Nobody waits for 51 billing any more; its transaction goes on. At most 1 waited, the longest for 11 min 39 s."_s);
        QCOMPARE(detailOf(events[2])[u"state"_s].toString(), u"ends"_s);
        QCOMPARE(detailOf(events[2])[u"longest_ms"_s].toInt(), 699'000);
        QCOMPARE(tallyOf(events).alerts, 1);
        QVERIFY(events[0].sourceKey != events[2].sourceKey);
        QVERIFY(!events[0].detail.contains(u"secret"_s) && !events[0].what.contains(u"secret"_s));
        // Five minutes before and after, without a hole and nothing twice.
        QCOMPARE(pins.size(), 3);
        QCOMPARE(pins[0].from, at(60 - 300));
        QCOMPARE(pins[0].to, at(60 + 300));
        QCOMPARE(pins[1].from, pins[0].to);
        QCOMPARE(pins[2].from, pins[1].to);
        QCOMPARE(pins[2].to, at(760 + 300));
    }

    /// The time bar leads to waits of the user's threshold, else of the one default.
    void thresholdsAreTheUsersOrTheDefault()
    {
        QSettings settings(test::freshPath(u"lockscope.conf"_s), QSettings::IniFormat);
        QCOMPARE(loadThresholds(settings), LockThresholds());
        QCOMPARE(LandmarkChoice().longWait, LockThresholds().wait.red);
        const LockThresholds thresholds{{2s, 5s}, {7s, 70s}};
        saveThresholds(settings, thresholds);
        QCOMPARE(loadThresholds(settings), thresholds);
        settings.setValue(u"thresholds/waitRed"_s, u"soon"_s);
        settings.setValue(u"thresholds/holdRed"_s, 1);
        QCOMPARE(loadThresholds(settings).wait.red, LockThresholds().wait.red);
        QCOMPARE(loadThresholds(settings).hold.red, thresholds.hold.amber); // never before amber
    }

    /// A program that is started again records the same event by the same key.
    void theKeyIsTheSameForWhoPollsLater()
    {
        EventFinder first = withRules();
        EventFinder second = withRules();
        const auto early = first.advance(waiting(65, 65)).events;
        const auto late = second.advance(waiting(80, 80)).events;
        QCOMPARE(early.size(), 1);
        QCOMPARE(late.size(), 1);
        QCOMPARE(early[0].sourceKey, late[0].sourceKey);
        QCOMPARE(first.advance(ring(100, 99)).events[0].sourceKey,
            second.advance(ring(101, 99)).events[0].sourceKey);
    }

    void aDeadlockIsReportedOnce()
    {
        EventFinder finder;
        QList<Event> events;
        QList<Pin> pins;
        for (int second = 0; second < 5; ++second) {
            const auto news = finder.advance(ring(second, -1));
            events += news.events;
            pins += news.pins;
        }
        QCOMPARE(events.size(), 1);
        QCOMPARE(events[0].kind, Event::Kind::Deadlock);
        QCOMPARE(events[0].what, u"Deadlock: sessions 51, 63 wait for each other in a ring."_s);
        QVERIFY(events[0].detail.contains(u"public.items"_s));
        QCOMPARE(pins.size(), 1);
        // It is over; the next one of the same sessions is another.
        QVERIFY(finder.advance(waiting(10, -1)).events.isEmpty());
        const auto next = finder.advance(ring(20, 15)).events;
        QCOMPARE(next.size(), 1);
        QVERIFY(next[0].sourceKey != events[0].sourceKey);
    }

    /// Rules that are changed count from the next snapshot on.
    void theRulesAreThoseOfTheFile()
    {
        EventFinder finder;
        QVERIFY(finder.advance(waiting(0, 100'000)).events.isEmpty());
        finder.setRules(defaultRules());
        QCOMPARE(finder.advance(waiting(1, 100'000)).events.size(), 1);
    }

    void whatTheServerTellsOfADeadlockIsAnEventAtItsOwnTime()
    {
        EventFinder finder;
        const auto news = finder.note(poll({reportAt(at(7), "one")}, 1, 1), at(30));
        QCOMPARE(news.events.size(), 1);
        QCOMPARE(news.events[0].kind, Event::Kind::Deadlock);
        QCOMPARE(news.events[0].at, at(7));
        VERIFY_STARTS(news.events[0].what, u"Deadlock, reported by the server: Session 5"_s);
        VERIFY_ENDS(news.events[0].what, u"Ended: session 51."_s);
        QVERIFY(!news.events[0].what.contains(u"UPDATE"_s) && !news.events[0].detail.contains(u"UPDATE"_s));
        QCOMPARE(news.events[0].sourceKey, u"report:one"_s); // reading it again records it once
        QCOMPARE(news.pins.size(), 1);
        QCOMPARE(news.reports.size(), 1);
        QCOMPARE(news.reports[0].at, at(7));
        QCOMPARE(news.reports[0].raw, QString::fromUtf8(test::twoRowsXml()));
        QCOMPARE(tallyOf(news.events).deadlocks, 1);
        // A report that is older than all that is kept is dropped.
        QVERIFY(finder.note(poll({reportAt(at(7), "two")}, 1, 1), at(30), at(8)).events.isEmpty());
    }

    void aTimeWithoutAZoneIsThatOfReadingIt()
    {
        deadlock::DeadlockReport report = *reportAt(at(7), "one");
        report.time.isZoneKnown = false;
        const auto news =
            EventFinder().note(poll({std::make_shared<deadlock::DeadlockReport>(report)}, 1, 1), at(30));
        QCOMPARE(news.events[0].at, at(30));
        QCOMPARE(detailOf(news.events[0])[u"time_known"_s].toBool(true), false);
    }

    /// The counter may be ahead of the records by a poll.
    void deadlocksThatWereOnlyCountedAreReportedOnceThatIsSure()
    {
        EventFinder finder;
        QVERIFY(finder.note(poll({}, 0, 0), at(0)).events.isEmpty());
        QVERIFY(finder.note(poll({}, 1, 0), at(30)).events.isEmpty());
        QCOMPARE(finder.note(poll({reportAt(at(29), "one")}, 1, 1), at(60)).events.size(), 1);
        QVERIFY(finder.note(poll({}, 3, 1), at(90)).events.isEmpty());
        const auto news = finder.note(poll({}, 3, 1), at(120));
        QCOMPARE(news.events.size(), 1);
        QCOMPARE(news.events[0].at, at(90)); // since then it is known
        QCOMPARE(news.events[0].what,
            u"2 deadlocks by the server's counter, of which no report was found: 3 counted, 1 captured since recording began."_s);
        QCOMPARE(tallyOf(news.events).deadlocks, 2);
        QVERIFY(finder.note(poll({}, 3, 1), at(150)).events.isEmpty()); // reported already
        QVERIFY(finder.note(poll({}, 4, 1), at(180)).events.isEmpty());
        QCOMPARE(tallyOf(finder.note(poll({}, 4, 1), at(210)).events).deadlocks, 1); // the fourth
    }

    void withoutRecordsACountIsReportedAtOnce()
    {
        EventFinder finder;
        deadlock::SourcePoll counted = poll({}, 1, 0);
        counted.origin.clear();
        const auto news = finder.note(counted, at(30));
        QCOMPARE(news.events.size(), 1);
        QVERIFY(news.events[0].what.contains(u"of which nothing else is known: 1 counted, 0 captured"_s));
        deadlock::SourcePoll blind = counted;
        blind.counted.reset();
        QVERIFY(finder.note(blind, at(60)).events.isEmpty()); // that it can't be counted is no deadlock
    }

    void aBlockedProcessReportIsAnAlert()
    {
        deadlock::DeadlockReport report = *reportAt(at(7), "one");
        report.kind = deadlock::ReportKind::Blocked;
        const auto news =
            EventFinder().note(poll({std::make_shared<deadlock::DeadlockReport>(report)}, 0, 0), at(30));
        QCOMPARE(news.events.size(), 1);
        QCOMPARE(news.events[0].kind, Event::Kind::Alert);
        VERIFY_CONTAINS(news.events[0].what, u" waits for session "_s);
        QVERIFY(news.pins.isEmpty());
        QCOMPARE(tallyOf(news.events).toString(), u"1 alert"_s);
    }

    /// PostgreSQL's log reports each waiter by itself, of a queue of hundreds within a second.
    void aQueueInTheLogIsOneEvent()
    {
        deadlock::DeadlockReport report = *reportAt(at(7), "one");
        report.kind = deadlock::ReportKind::Blocked;
        report.engine = Engine::Postgres;
        QList<deadlock::ReportPtr> waits;
        for (const char* const key : {"one", "two", "three"}) {
            report.source.eventKey = QString::fromLatin1(key);
            waits << std::make_shared<deadlock::DeadlockReport>(report);
        }
        const auto news = EventFinder().note(poll(waits, 0, 0), at(30));
        QCOMPARE(news.events.size(), 1);
        VERIFY_CONTAINS(news.events[0].what, u"2 more wait for the same."_s);
        QCOMPARE(news.reports.size(), 1);
    }

    /// A ring that a poll saw and its report are one deadlock.
    void theSameDeadlockCountsOnce()
    {
        EventFinder finder;
        QList<Event> events = finder.advance(ring(5, 4)).events;
        QCOMPARE(tallyOf(events).deadlocks, 1);
        events += finder.note(poll({reportAt(at(7), "one", 63)}, 1, 1), at(30)).events;
        QCOMPARE(events.size(), 2);
        QCOMPARE(tallyOf(events).deadlocks, 1);
        // Reports of other sessions, and of the same sessions at another time, are new.
        events += finder.note(poll({reportAt(at(7), "two", 52)}, 2, 2), at(60)).events;
        QCOMPARE(tallyOf(events).deadlocks, 2);
        events += finder.note(poll({reportAt(at(500), "three", 63)}, 3, 3), at(510)).events;
        QCOMPARE(tallyOf(events).deadlocks, 3);
        // Seen and not reported: it may be the one that was only counted.
        events += finder.advance(ring(600, 599)).events;
        QCOMPARE(tallyOf(events).deadlocks, 4);
        finder.note(poll({}, 4, 3), at(610));
        const auto counted = finder.note(poll({}, 4, 3), at(640)).events;
        QCOMPARE(counted.size(), 1);
        QCOMPARE(tallyOf(events + counted).deadlocks, 4);
    }

    /// Without sessions, it is unknown which deadlock an event belongs to.
    void eventsWithoutSessionsMayBeTheSame()
    {
        EventFinder finder;
        QList<Event> events = finder.advance(ring(5, 4)).events;
        events +=
            finder.note(poll({reportAt(at(7), "one", 63), reportAt(at(8), "two")}, 2, 2), at(30)).events;
        for (Event& event : events) {
            QJsonObject detail = detailOf(event);
            detail.remove(u"ring"_s);
            detail.remove(u"rings"_s);
            event.detail = QString::fromUtf8(QJsonDocument(detail).toJson());
        }
        QCOMPARE(events.size(), 3);
        QCOMPARE(tallyOf(events).deadlocks, 2);
    }
};

LOCKSCOPE_TEST(tst_EventFinder)

} // namespace tst_EventFinder
#include "tst_EventFinder.moc"
