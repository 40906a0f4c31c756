// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Incidents.h"
#include "core/alert/Thresholds.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/record/EventTally.h"
#include "core/record/SnapshotSearch.h"
#include "tests/support/MadeDeadlock.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace tst_Incidents {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::alert;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using test::SnapshotBuilder;

namespace {

ServerTime at(int second)
{
    return SnapshotBuilder::start() + std::chrono::seconds(second);
}

/// 51 holds up 63, who has waited for so long; nobody if less than nothing.
SnapshotPtr waiting(int second, int waited)
{
    SnapshotBuilder s(second);
    s.session(51, "billing").idleInTransaction(1'000 + second).running("UPDATE orders SET secret = 'x'");
    s.session(63, "report");
    s.holds(51, "public.orders", "AccessExclusiveLock", 1'000 + second);
    if (waited >= 0)
        s.waits(63, "public.orders", "AccessShareLock", waited);
    return s.take();
}

SnapshotPtr ring(int second, int began)
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
deadlock::ReportPtr told(ServerTime when, const char* key, int second = 52)
{
    const auto read = deadlock::readReports(test::twoRowsXml(), u"event files"_s);
    deadlock::Report report = *read->first();
    report.participants[1].session = SessionId{second};
    report.time.at = when;
    report.source.eventKey = QString::fromLatin1(key);
    return std::make_shared<deadlock::Report>(report);
}

deadlock::SourcePoll poll(const QList<deadlock::ReportPtr>& reports, qint64 counted, qint64 captured)
{
    deadlock::SourcePoll poll;
    poll.reports = reports;
    poll.counted = counted;
    poll.captured = captured;
    poll.origin = u"event files"_s;
    return poll;
}

QJsonObject detailOf(const Event& event)
{
    return QJsonDocument::fromJson(event.detail.toUtf8()).object();
}

} // namespace

class tst_Incidents : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLongWaitIsToldOnceAndItsEndOnce()
    {
        Incidents incidents;
        QList<Event> events;
        QList<Pin> pins;
        for (int second = 0; second < 120; ++second) {
            const auto news = incidents.advance(*waiting(second, second < 90 ? second : -1));
            events += news.events;
            pins += news.pins;
        }
        QCOMPARE(events.size(), 2);
        QCOMPARE(events[0].kind, Event::Kind::Alert);
        QCOMPARE(events[0].at, at(60));
        QCOMPARE(events[0].what,
            u"Session 51 billing keeps others waiting for longer than 1 min: 1 waits, the longest for 1 min, for public.orders."_s);
        QCOMPARE(detailOf(events[0])[u"state"_s].toString(), u"begins"_s);
        QCOMPARE(events[1].at, at(90)); // when it was over, not when that was sure
        QCOMPARE(detailOf(events[1])[u"state"_s].toString(), u"ends"_s);
        QCOMPARE(detailOf(events[1])[u"longest_ms"_s].toInt(), 89'000);
        QVERIFY(events[0].sourceKey != events[1].sourceKey);
        QVERIFY(!events[0].detail.contains(u"secret"_s) && !events[0].what.contains(u"secret"_s));
        // Five minutes before and after, without a hole and nothing twice.
        QCOMPARE(pins.size(), 2);
        QCOMPARE(pins[0].from, at(60 - 300));
        QCOMPARE(pins[0].to, at(60 + 300));
        QCOMPARE(pins[1].from, pins[0].to);
        QCOMPARE(pins[1].to, at(90 + 300));
        QCOMPARE(incidents.alerts(), 0);
    }

    /// Window, recorder and time bar alert at one threshold: the user's, else the one default.
    void oneThresholdForAll()
    {
        const QTemporaryDir folder;
        QSettings settings(folder.filePath(u"lockscope.conf"_s), QSettings::IniFormat);
        QCOMPARE(loadThresholds(settings), LockThresholds());
        QCOMPARE(Incidents::settingsBy(loadThresholds(settings)), Incidents::Settings());
        QCOMPARE(LandmarkChoice().longWait, Incidents::Settings().wait);
        const LockThresholds wanted{{2s, 5s}, {7s, 70s}};
        saveThresholds(settings, wanted);
        QCOMPARE(loadThresholds(settings), wanted);
        QCOMPARE(Incidents::settingsBy(loadThresholds(settings)).wait, milliseconds(5'000));
        settings.setValue(u"thresholds/waitRed"_s, u"soon"_s);
        settings.setValue(u"thresholds/holdRed"_s, 1);
        QCOMPARE(loadThresholds(settings).wait.red, LockThresholds().wait.red);
        QCOMPARE(loadThresholds(settings).hold.red, wanted.hold.amber); // never before amber
    }

    void whatFlickersIsOneAlert()
    {
        Incidents incidents;
        int events = 0;
        for (int second = 0; second < 300; ++second) {
            // Another one comes as soon as one has got it; each has waited too long every other second.
            events +=
                static_cast<int>(incidents.advance(*waiting(second, second % 2 ? 70 : 1)).events.size());
        }
        QCOMPARE(events, 1);
        QCOMPARE(incidents.alerts(), 1);
    }

    void anotherTransactionIsAnotherAlert()
    {
        Incidents incidents;
        QSet<QString> keys;
        for (const int began : {0, 1'000, 2'000}) {
            for (int second = began; second < began + 100; ++second) {
                SnapshotBuilder s(second);
                s.session(51, "billing").transaction(second - began);
                s.session(63, "report");
                s.holds(51, "public.orders", "AccessExclusiveLock", second - began);
                s.waits(63, "public.orders", "AccessShareLock", second - began);
                for (const Event& event : incidents.advance(*s.take()).events)
                    keys << event.sourceKey;
            }
        }
        QCOMPARE(keys.size(), 5); // three begin, two end
    }

    /// A program that is started anew tells the same thing by the same key.
    void theKeyIsTheSameForWhoLooksLater()
    {
        Incidents first;
        Incidents second;
        const auto early = first.advance(*waiting(65, 65)).events;
        const auto late = second.advance(*waiting(80, 80)).events;
        QCOMPARE(early.size(), 1);
        QCOMPARE(late.size(), 1);
        QCOMPARE(early[0].sourceKey, late[0].sourceKey);
        QCOMPARE(first.advance(*ring(100, 99)).events[0].sourceKey,
            second.advance(*ring(101, 99)).events[0].sourceKey);
    }

    void aDeadlockIsToldOnce()
    {
        Incidents incidents;
        QList<Event> events;
        QList<Pin> pins;
        for (int second = 0; second < 5; ++second) {
            const auto news = incidents.advance(*ring(second, -1));
            events += news.events;
            pins += news.pins;
        }
        QCOMPARE(events.size(), 1);
        QCOMPARE(events[0].kind, Event::Kind::Deadlock);
        QCOMPARE(events[0].what, u"Deadlock: sessions 51, 63 wait for each other in a ring."_s);
        QVERIFY(events[0].detail.contains(u"public.items"_s));
        QCOMPARE(pins.size(), 1);
        // It is over; the next one of the same sessions is another.
        QVERIFY(incidents.advance(*waiting(10, -1)).events.isEmpty());
        const auto next = incidents.advance(*ring(20, 15)).events;
        QCOMPARE(next.size(), 1);
        QVERIFY(next[0].sourceKey != events[0].sourceKey);
    }

    void everyHeadIsAnAlertOfItsOwn()
    {
        SnapshotBuilder s;
        for (const int head : {51, 52}) {
            const QByteArray name = "public.t" + QByteArray::number(head);
            s.session(head, "billing").transaction(500);
            s.holds(head, name.constData(), "AccessExclusiveLock", 500);
            for (int i = 1; i < 4; ++i) {
                s.session(head * 10 + i, "web").transaction(90);
                s.waits(head * 10 + i, name.constData(), "AccessExclusiveLock", 90 - i);
            }
        }
        Incidents incidents;
        const auto events = incidents.advance(*s.take()).events;
        QCOMPARE(events.size(), 2);
        for (const Event& event : events) {
            QCOMPARE(detailOf(event)[u"waiting"_s].toInt(), 3);
            QCOMPARE(detailOf(event)[u"longest_ms"_s].toInt(), 89'000);
        }
    }

    void aQueueOfALockTableCounts()
    {
        SnapshotBuilder s;
        s.entry("nightly", "ann").lease(600, 300).queue("bob", 61).queue("eve", 5);
        s.entry("hourly", "ann").lease(600, 300).queue("bob", 59);
        Incidents incidents;
        const auto events = incidents.advance(*s.take()).events;
        QCOMPARE(events.size(), 1);
        QCOMPARE(events[0].what,
            u"The holder of lock “nightly” keeps others waiting for longer than 1 min: 2 wait, the longest for 1 min 01 s, for nightly."_s);
    }

    /// A look that could not read the locks does not say that nobody waits.
    void whatCouldNotBeReadIsNotOver()
    {
        Incidents incidents;
        QCOMPARE(incidents.advance(*waiting(0, 100)).events.size(), 1);
        for (int second = 1; second < 60; ++second) {
            SnapshotBuilder s(second);
            s.limitation(Limitation::Kind::Failed, "The locks could not be read.", "");
            QVERIFY(incidents.advance(*s.take()).events.isEmpty());
        }
        QCOMPARE(incidents.alerts(), 1);
    }

    void noThresholdNoAlert()
    {
        Incidents::Settings settings;
        settings.wait = 0ms;
        Incidents incidents(settings);
        QVERIFY(incidents.advance(*waiting(0, 100'000)).events.isEmpty());
        settings.wait = 5s;
        incidents.setSettings(settings);
        QCOMPARE(incidents.advance(*waiting(1, 5)).events.size(), 1);
    }

    void whatTheServerTellsOfADeadlockIsAnEventAtItsOwnTime()
    {
        Incidents incidents;
        const auto news = incidents.note(poll({told(at(7), "one")}, 1, 1), at(30));
        QCOMPARE(news.events.size(), 1);
        QCOMPARE(news.events[0].kind, Event::Kind::Deadlock);
        QCOMPARE(news.events[0].at, at(7));
        QVERIFY2(news.events[0].what.startsWith(u"Deadlock, reported by the server: Session 5"_s),
            qPrintable(news.events[0].what));
        QVERIFY2(news.events[0].what.endsWith(u"Ended: session 51."_s), qPrintable(news.events[0].what));
        QVERIFY(!news.events[0].what.contains(u"UPDATE"_s) && !news.events[0].detail.contains(u"UPDATE"_s));
        QCOMPARE(news.events[0].sourceKey, u"report:one"_s); // whoever reads it again puts it down once
        QCOMPARE(news.pins.size(), 1);
        QCOMPARE(news.reports.size(), 1);
        QCOMPARE(news.reports[0].at, at(7));
        QCOMPARE(news.reports[0].raw, QString::fromUtf8(test::twoRowsXml()));
        QCOMPARE(tallyOf(news.events).deadlocks, 1);
        // What is older than all that is kept is none.
        QVERIFY(incidents.note(poll({told(at(7), "two")}, 1, 1), at(30), at(8)).events.isEmpty());
    }

    void aTimeWithoutAZoneIsThatOfReadingIt()
    {
        deadlock::Report report = *told(at(7), "one");
        report.time.isZoneKnown = false;
        const auto news = Incidents().note(poll({std::make_shared<deadlock::Report>(report)}, 1, 1), at(30));
        QCOMPARE(news.events[0].at, at(30));
        QCOMPARE(detailOf(news.events[0])[u"time_known"_s].toBool(true), false);
    }

    /// The counter may be ahead of the records by a look.
    void deadlocksThatWereOnlyCountedAreToldOnceThatIsSure()
    {
        Incidents incidents;
        QVERIFY(incidents.note(poll({}, 0, 0), at(0)).events.isEmpty());
        QVERIFY(incidents.note(poll({}, 1, 0), at(30)).events.isEmpty());
        QCOMPARE(incidents.note(poll({told(at(29), "one")}, 1, 1), at(60)).events.size(), 1);
        QVERIFY(incidents.note(poll({}, 3, 1), at(90)).events.isEmpty());
        const auto news = incidents.note(poll({}, 3, 1), at(120));
        QCOMPARE(news.events.size(), 1);
        QCOMPARE(news.events[0].at, at(90)); // since then it is known
        QCOMPARE(news.events[0].what,
            u"2 deadlocks by the server's counter, of which no report was found: 3 counted, 1 captured since recording began to look."_s);
        QCOMPARE(tallyOf(news.events).deadlocks, 2);
        QVERIFY(incidents.note(poll({}, 3, 1), at(150)).events.isEmpty()); // told already
        QVERIFY(incidents.note(poll({}, 4, 1), at(180)).events.isEmpty());
        QCOMPARE(tallyOf(incidents.note(poll({}, 4, 1), at(210)).events).deadlocks, 1); // the fourth
    }

    void withoutRecordsACountIsToldAtOnce()
    {
        Incidents incidents;
        deadlock::SourcePoll counted = poll({}, 1, 0);
        counted.origin.clear();
        const auto news = incidents.note(counted, at(30));
        QCOMPARE(news.events.size(), 1);
        QVERIFY(news.events[0].what.contains(u"of which nothing else is known: 1 counted, 0 captured"_s));
        deadlock::SourcePoll blind = counted;
        blind.counted.reset();
        QVERIFY(incidents.note(blind, at(60)).events.isEmpty()); // that it can't be counted is no deadlock
    }

    void aBlockedProcessReportIsAnAlert()
    {
        deadlock::Report report = *told(at(7), "one");
        report.kind = deadlock::ReportKind::Blocked;
        const auto news = Incidents().note(poll({std::make_shared<deadlock::Report>(report)}, 0, 0), at(30));
        QCOMPARE(news.events.size(), 1);
        QCOMPARE(news.events[0].kind, Event::Kind::Alert);
        QVERIFY2(news.events[0].what.contains(u" waits for session "_s), qPrintable(news.events[0].what));
        QVERIFY(news.pins.isEmpty());
        QCOMPARE(tallyOf(news.events).toString(), u"1 alert"_s);
    }

    /// A ring that a look saw and its report are one deadlock.
    void theSameDeadlockCountsOnce()
    {
        Incidents incidents;
        QList<Event> events = incidents.advance(*ring(5, 4)).events;
        QCOMPARE(tallyOf(events).deadlocks, 1);
        events += incidents.note(poll({told(at(7), "one", 63)}, 1, 1), at(30)).events;
        QCOMPARE(events.size(), 2);
        QCOMPARE(tallyOf(events).deadlocks, 1);
        // Of others, and of the same sessions at another time.
        events += incidents.note(poll({told(at(7), "two", 52)}, 2, 2), at(60)).events;
        QCOMPARE(tallyOf(events).deadlocks, 2);
        events += incidents.note(poll({told(at(500), "three", 63)}, 3, 3), at(510)).events;
        QCOMPARE(tallyOf(events).deadlocks, 3);
        // Seen and not told: it may be the one that was only counted.
        events += incidents.advance(*ring(600, 599)).events;
        QCOMPARE(tallyOf(events).deadlocks, 4);
        incidents.note(poll({}, 4, 3), at(610));
        const auto counted = incidents.note(poll({}, 4, 3), at(640)).events;
        QCOMPARE(counted.size(), 1);
        QCOMPARE(tallyOf(events + counted).deadlocks, 4);
    }

    /// Without them nobody can say which deadlock an event is of.
    void eventsWithoutSessionsMayBeTheSame()
    {
        Incidents incidents;
        QList<Event> events = incidents.advance(*ring(5, 4)).events;
        events += incidents.note(poll({told(at(7), "one", 63), told(at(8), "two")}, 2, 2), at(30)).events;
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

LOCKSCOPE_TEST(tst_Incidents)

} // namespace tst_Incidents
#include "tst_Incidents.moc"
