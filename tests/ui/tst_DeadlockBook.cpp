// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The list of deadlocks: what is the same event, and what goes when the list is full.

#include "tests/ui/DeadlockDesk.h"
#include "ui/kit/widgets/NoticeBar.h"

namespace tst_DeadlockBook {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// Returns as many deadlocks of other sessions, later than all others.
static QList<DeadlockList::ReportRows> futureRows(int count)
{
    const DeadlockList::ReportRows model = DeadlockList::rowsOfReports({reportAt(u"23:00:00"_s)}).first();
    QList<DeadlockList::ReportRows> all;
    for (int i = 0; i < count; ++i) {
        auto report = std::make_shared<deadlock::DeadlockReport>(*model.report);
        report->time.at = ServerTime{model.report->time.at->us + (i + 1LL) * 86'400'000'000};
        DeadlockRow row = model.rows.front();
        row.deadlock.report = report;
        row.identity.event = u"future%1"_s.arg(i);
        row.identity.sessions = {1'000 + 2 * i, 1'001 + 2 * i};
        row.identity.time = report->time;
        all << DeadlockList::ReportRows{report, {row}};
    }
    return all;
}

/// The server's own report of two rows, a second after that poll.
static std::shared_ptr<deadlock::DeadlockReport> reportAfter(const Snapshot& poll)
{
    auto report = reportAt(u"00:00:00"_s);
    report->engine = poll.engine;
    report->time = {poll.takenAt + microseconds(1'000'000), true, {}};
    return report;
}

/// A report of which three fill the list.
static std::shared_ptr<deadlock::DeadlockReport> longReportAt(
    const QString& time, qint64 length = DeadlockList::maxTextLength / 3)
{
    auto report = reportAt(time);
    report->raw = QString(length, u'x');
    return report;
}

/// Returns the hours of the deadlocks in the list, in its order.
static QString hoursIn(const DeadlockList& list)
{
    QStringList all;
    for (const DeadlockRow& row : list.rows())
        all << row.identity.time.sourceText.left(2);
    return all.join(u' ');
}

class tst_DeadlockBook : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameEventComesOnce()
    {
        DeadlockDesk rig;
        const auto reports = twoRowsReports();
        QCOMPARE(rig.book.add(reports), 1);
        QCOMPARE(rig.book.add(reports), 0);
        QCOMPARE(rig.rows(), 1);
    }

    void formsOfOneEventOfPostgresAreOne()
    {
        const QByteArray text =
            "2026-11-22 03:12:07.123 UTC [4711] ann@shop ERROR:  deadlock detected\n"
            "2026-11-22 03:12:07.123 UTC [4711] ann@shop DETAIL:  Process 4711 waits for ShareLock on transaction 800; blocked by process 4712.\n"
            "\tProcess 4712 waits for ShareLock on transaction 801; blocked by process 4711.\n"
            "\tProcess 4711: UPDATE t SET n = 1\n\tProcess 4712: UPDATE t SET n = 2\n";
        const QByteArray csv =
            "2026-11-22 03:12:07.123 UTC,\"ann\",\"shop\",4711,\"[local]\",6741.1267,3,\"UPDATE\",2026-11-22 03:12:00 UTC,3/7,800,ERROR,40P01,\"deadlock detected\",\"Process 4711 waits for ShareLock on transaction 800; blocked by process 4712.\nProcess 4712 waits for ShareLock on transaction 801; blocked "
            "by process 4711.\nProcess 4711: UPDATE t SET n = 1\nProcess 4712: UPDATE t SET n = 2\",\"See server log for query details.\",,,,,,,\"psql\",\"client backend\",,0\n";
        DeadlockDesk rig;
        const auto read = [](const QByteArray& log) {
            const auto reports = deadlock::readReports(log, u"log"_s);
            return reports ? *reports : QList<deadlock::ReportPtr>();
        };
        QCOMPARE(rig.book.add(read(text)), 1);
        QCOMPARE(rig.book.add(read(csv)), 0);
        // The same two may meet twice in one second: then each form tells it twice.
        const auto later = [](QByteArray log) { return log.replace("07.123", "07.987"); };
        QCOMPARE(rig.book.add(read(later(csv))), 1);
        QCOMPARE(rig.book.add(read(later(text))), 0);
        QCOMPARE(rig.rows(), 2);
    }

    void cycleOfASnapshotComesByItself()
    {
        DeadlockDesk rig;
        const auto snapshot = ringOnShop();
        rig.book.noteSnapshot(*snapshot, u"shop"_s);
        QCOMPARE(rig.rows(), 1);
        rig.book.noteSnapshot(*snapshot, u"shop"_s); // it lasts over several polls
        QCOMPARE(rig.rows(), 1);
        QCOMPARE(rig.book.unseen(), 0); // the page is on view
    }

    void reportOfTheServerReplacesWhatWasSeen()
    {
        DeadlockDesk rig;
        const auto snapshot = ringOnShop();
        rig.book.noteSnapshot(*snapshot, u"shop"_s);
        const auto later = reportAfter(*snapshot);
        // A report of another server is another deadlock.
        auto elsewhere = std::make_shared<deadlock::DeadlockReport>(*later);
        elsewhere->source.eventKey += u"elsewhere"_s;
        QCOMPARE(rig.book.add({elsewhere}, u"calm"_s), 1);
        QCOMPARE(rig.rows(), 2);
        QCOMPARE(rig.book.add({later}, u"shop"_s), 1);
        QCOMPARE(rig.rows(), 2);
        // And the other way round: a poll that comes later shows what was reported.
        DeadlockDesk other;
        QCOMPARE(other.book.add({later}, u"shop"_s), 1);
        other.book.noteSnapshot(*snapshot, u"shop"_s);
        QCOMPARE(other.rows(), 1);
    }

    void otherRingsOfAPollStay()
    {
        DeadlockDesk rig;
        const auto both = std::make_shared<Snapshot>(waitingFromText(
            u"a: 51 Exclusive, 52 ?Exclusive@990; b: 52 Exclusive, 51 ?Exclusive@991; c: 61 Exclusive, 62 ?Exclusive@990; d: 62 Exclusive, 61 ?Exclusive@991"_s));
        rig.book.noteSnapshot(*ringOnShop(), u"shop"_s);
        rig.book.noteSnapshot(*both, u"shop"_s); // one of them was seen before
        QCOMPARE(rig.rows(), 2);
        QCOMPARE(rig.book.add({reportAfter(*both)}, u"shop"_s), 1);
        QCOMPARE(rig.rows(), 2); // 51 and 52 by the server, 61 and 62 as they were seen
    }

    /// Whichever came first.
    void theOldestGoWhenTheListIsFull()
    {
        DeadlockList list;
        const auto add = [&](const QString& time, const QString& event = {}) {
            const auto report = longReportAt(time);
            if (time.isEmpty())
                report->time = {};
            report->source.eventKey += event;
            return list.add(DeadlockList::rowsOfReports({report}));
        };
        for (const QString& time : {u"05:00:00"_s, u"03:00:00"_s, u"04:00:00"_s}) {
            QCOMPARE(add(time).deadlocks, 1);
            QCOMPARE(list.leftOut(), 0);
        }
        QCOMPARE(list.leftOutText(), QString());
        const DeadlockList::Came newest = add(u"06:00:00"_s);
        QCOMPARE(newest.deadlocks, 1);
        QCOMPARE(list.leftOut(), 1);
        QVERIFY(newest.isChange);
        QCOMPARE(hoursIn(list), u"06 05 04"_s);
        // One that is older than all of them is not new in the list, and counted once, however often it
        // comes.
        for (int i = 0; i < 2; ++i) {
            const DeadlockList::Came older = add(u"02:00:00"_s);
            QCOMPARE(older.deadlocks, 0);
            QCOMPARE(list.leftOut(), 2);
            QCOMPARE(older.isChange, i == 0);
            QCOMPARE(hoursIn(list), u"06 05 04"_s);
        }
        // One without a time goes first, of equal times the one that came first.
        const DeadlockList::Came untimed = add({});
        QCOMPARE(untimed.deadlocks, 0);
        QCOMPARE(list.leftOut(), 3);
        QCOMPARE(hoursIn(list), u"06 05 04"_s);
        const DeadlockList::Came equal = add(u"04:00:00"_s, u"again"_s);
        QCOMPARE(equal.deadlocks, 1);
        QCOMPARE(list.leftOut(), 4);
        QCOMPARE(hoursIn(list), u"06 05 04"_s);
        QVERIFY(list.rows().back().identity.event.contains(u"again"_s));
        // One that is in the list again is not left out.
        list.clear();
        QCOMPARE(list.leftOut(), 0);
        for (const QString& time : {u"05:00:00"_s, u"03:00:00"_s, u"04:00:00"_s, u"06:00:00"_s})
            QCOMPARE(add(time).deadlocks, 1);
        QCOMPARE(list.leftOut(), 1);
        list.add(DeadlockList::rowsOfReports({reportAt(u"03:00:00"_s)}), DeadlockList::Cause::OwnAct);
        QCOMPARE(hoursIn(list), u"06 05 03"_s);
        QCOMPARE(list.leftOut(), 1); // 04:00
    }

    /// The user looks for what was just opened.
    void whatIsOpenedIsInTheListAlthoughItIsFull()
    {
        DeadlockDesk rig;
        QCOMPARE(rig.book.addRows(futureRows(DeadlockList::maxReports)).deadlocks, DeadlockList::maxReports);
        QCOMPARE(rig.book.list().leftOut(), 0);
        QCOMPARE(rig.rows(), DeadlockList::maxReports);
        QSignalSpy said(&rig.page, &Page::statusMessage);
        rig.page.pasteText(QString::fromUtf8(twoRowsOf("71")));
        QTRY_COMPARE(said.count(), 1);
        const QString full = u"The list is full: 1 deadlock was dropped. Clear makes space."_s;
        QCOMPARE(said.takeFirst().first().toString(), u"1 new in the list. "_s + full);
        QCOMPARE(rig.rows(), DeadlockList::maxReports);
        QVERIFY(rig.book.list().has(*twoRowsReports(twoRowsOf("71")).first()));
        const auto* report = rig.page.findChild<QPlainTextEdit*>(u"deadlockReport"_s);
        VERIFY_CONTAINS(report->toPlainText(), u"71"_s);
        // It is said when it happens, not each time that something is opened.
        rig.page.pasteText(QString::fromUtf8(twoRowsOf("71")));
        QTRY_COMPARE(said.count(), 1);
        QVERIFY(said.takeFirst().first().toString().endsWith(u"; nothing new."_s));
        // When one comes by itself, the oldest goes, which is said, too.
        QSignalSpy changed(&rig.book, &DeadlockBook::changed);
        QCOMPARE(rig.book.addRows(futureRows(2).mid(1)).deadlocks, 0); // it is known
        QCOMPARE(rig.book.list().leftOut(), 1);
        QCOMPARE(changed.count(), 0);
        rig.book.addRows(futureRows(DeadlockList::maxReports + 1).mid(DeadlockList::maxReports));
        VERIFY_CONTAINS(rig.page.findChild<NoticeBar*>()->text(), u"2 deadlocks were dropped."_s);
        QCOMPARE(changed.count(), 1);
        // Also on a page that was not there then.
        const DeadlocksPage late(rig.context, rig.book);
        for (const DeadlocksPage* page : std::initializer_list<const DeadlocksPage*>{&rig.page, &late})
            VERIFY_CONTAINS(page->countText(), u"list full, 2 dropped"_s);
        // What was opened stays, whatever comes.
        rig.book.add(twoRowsReports());
        QCOMPARE(rig.book.list().leftOut(), 3);
        QCOMPARE(changed.count(), 2);
        QVERIFY(rig.book.list().has(*twoRowsReports(twoRowsOf("71")).first()));
    }

    void whatIsLeftOutIsCountedUpToALimit()
    {
        DeadlockList list;
        list.add(futureRows(2 * DeadlockList::maxReports));
        QCOMPARE(list.leftOut(), DeadlockList::maxReports);
        VERIFY_CONTAINS(list.leftOutText(), u": 10,000 deadlocks were dropped"_s);
        // The first one that is not counted changes the sentence, the next does not.
        for (const QString& time : {u"01:00:00"_s, u"00:30:00"_s})
            QCOMPARE(list.add(DeadlockList::rowsOfReports({reportAt(time)})).isChange, time == u"01:00:00");
        QCOMPARE(list.leftOut(), DeadlockList::maxReports);
        VERIFY_CONTAINS(list.leftOutText(), u": at least 10,000 deadlocks were dropped"_s);
        list.clear();
        QCOMPARE(list.atLeast(), QString());
        // A ring that was left out is no longer, once the server's record of it is in the list.
        const auto seen = ringOnShop();
        list.add(futureRows(DeadlockList::maxReports));
        list.add(DeadlockList::rowsOfReports({deadlock::fromSnapshot(*seen)}, u"shop"_s));
        QCOMPARE(list.leftOut(), 1);
        const auto result = reportAfter(*seen);
        list.add(DeadlockList::rowsOfReports({result}, u"shop"_s), DeadlockList::Cause::OwnAct);
        QVERIFY(list.has(*result));
        QCOMPARE(list.leftOut(), 1); // the oldest of the others
    }

    /// New ones must find a place, however much was opened.
    void whatIsOpenedFillsHalfOfTheList()
    {
        DeadlockList list;
        const auto times = [&list](const QString& time, DeadlockList::Cause cause,
                               qint64 length = DeadlockList::maxTextLength / 3) {
            list.add(DeadlockList::rowsOfReports({longReportAt(time, length)}), cause);
            return hoursIn(list);
        };
        using enum DeadlockList::Cause;
        times(u"01:00:00"_s, OwnAct);
        times(u"02:00:00"_s, OwnAct);
        QCOMPARE(times(u"03:00:00"_s, Watching), u"03 02 01"_s);
        QCOMPARE(times(u"04:00:00"_s, Watching), u"04 03 02"_s);
        QCOMPARE(times(u"05:00:00"_s, Watching), u"05 04 02"_s);
        // One that is in the list already is opened all the same.
        list.clear();
        times(u"01:00:00"_s, Watching);
        times(u"01:00:00"_s, OwnAct);
        times(u"02:00:00"_s, Watching);
        QCOMPARE(times(u"03:00:00"_s, Watching), u"03 02 01"_s);
        QCOMPARE(times(u"04:00:00"_s, Watching), u"04 03 01"_s);
        // One that is too long for that half leaves it to the others.
        list.clear();
        times(u"01:00:00"_s, OwnAct, DeadlockList::maxTextLength / 9);
        times(u"02:00:00"_s, OwnAct, DeadlockList::maxTextLength / 3 * 2);
        QCOMPARE(times(u"03:00:00"_s, Watching), u"03 01"_s);
    }
};

LOCKSCOPE_TEST(tst_DeadlockBook)

} // namespace tst_DeadlockBook
#include "tst_DeadlockBook.moc"
