// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingNotes.h"
#include "core/record/RecordingSearch.h"
#include "core/record/StoredEvents.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_RecordingSearch {

using namespace lockscope;
using namespace lockscope::record;
using test::SnapshotBuilder;

constexpr int last = 300; // seconds: several key frames

constexpr auto at = &SnapshotBuilder::at;

/// 51 comes at second 20 and goes after 250, its statements with other values each second; 63 is there at
/// second 100 only, and waits for public.orders.
static SnapshotPtr seen(int second)
{
    SnapshotBuilder s(second);
    s.session(40, "reports").user("eve").idle();
    if (second >= 20 && second <= 250) {
        const QByteArray statement =
            "UPDATE orders SET paid = true WHERE id = " + QByteArray::number(1'000'000 + second);
        s.session(51, "billing").user("ann", "app01").idleInTransaction(10).running(statement.constData());
        s.holds(51, "public.orders", "RowExclusiveLock", 5);
    }
    if (second == 100) {
        s.session(63, "till").user("bob", "shop7").running("SELECT count(*) FROM orders");
        s.waits(63, "public.orders", "AccessExclusiveLock", 1);
    }
    return s.take();
}

static QString secondsOf(ServerTime time)
{
    return QString::number((time - at(0)).count() / 1'000'000);
}

/// Searches a text, with the first and the last snapshot that has it.
class tst_RecordingSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const QString path = m_folder.filePath(u"shop.lockscope"_s);
        {
            const auto writer = test::writeRecording(path);
            for (int second = 0; second <= last; ++second)
                QVERIFY(writer->append(seen(second), at(second)));
        }
        QVERIFY(addNote(path, {u"Orders are indexed"_s, at(120)}, std::chrono::seconds(1)));
        m_reader = test::readRecording(path);
    }
    void cleanupTestCase() { m_reader.reset(); }

    void eachIsFoundWithItsTimes_data()
    {
        test::addColumns<QString, QStringList>("text", "lines");
        test::row("a user", "ann", QStringList{u"user ann 20 250"_s});
        test::row("in whatever case", "ANN", QStringList{u"user ann 20 250"_s});
        test::row("a host, seen once", "shop7", QStringList{u"host shop7 100 100"_s});
        test::row("a program that is there all the time", "report", QStringList{u"program reports 0 300"_s});
        test::row("a program that blocked", "billing", QStringList{u"program billing 20 250"_s});
        test::row("a table, its statements, a note", "orders",
            QStringList{u"statement UPDATE orders SET paid = true WHERE id = ? 20 250"_s,
                u"statement SELECT count(*) FROM orders 100 100"_s, u"table public.orders 20 250"_s,
                u"note Orders are indexed 120 120"_s});
        test::row("a pattern", "update%where%",
            QStringList{u"statement UPDATE orders SET paid = true WHERE id = ? 20 250"_s});
        test::row("an underscore is one", "a_n", QStringList());
        test::row("nothing has it", "customers", QStringList());
    }
    void eachIsFoundWithItsTimes()
    {
        QFETCH(QString, text);
        QTEST(found(text), "lines");
    }

    void aLockHasItsHistory()
    {
        const auto all = searchRecording(*m_reader, u"public.orders"_s, 100);
        QVERIFY(all && all->all.size() == 1 && all->all[0].lock);
        QCOMPARE(all->all[0].lock->name, u"public.orders"_s);
        const auto life = m_reader->lockLife(*all->all[0].lock, at(0), at(last), 10);
        QVERIFY(life && !life->isEmpty());
    }

    void moreThanIsRequestedIsCut()
    {
        const auto all = test::orDie(searchRecording(*m_reader, u"orders"_s, 2));
        QCOMPARE(all.all.size(), 2);
        QVERIFY(all.isCut);
        QVERIFY(!searchRecording(*m_reader, u"orders"_s, 4)->isCut);
    }

    void nothingIsNoSearch() { VERIFY_FAILS(ErrorKind::BadInput, searchRecording(*m_reader, {}, 100)); }

    void theLatestOfAKindAreReadWithoutTheOthers()
    {
        const QString path = m_folder.filePath(u"events.lockscope"_s);
        const auto writer = test::writeRecording(path);
        for (int second = 0; second < 10; ++second) {
            QVERIFY(writer->append(seen(second), at(second)));
            const auto kind = second % 2 == 0 ? Event::Kind::Alert : Event::Kind::Mark;
            QVERIFY(writer->add({at(second), kind, QString::number(second)}, at(second)));
        }
        const auto reader = test::readRecording(path);
        const auto latest = [&reader](qint64 maxCount) {
            QStringList texts;
            for (const Event& event :
                reader->latestEvents(Event::Kind::Alert, maxCount).value_or(QList<Event>()))
                texts << (event.isOfReader ? u"note"_s : event.what);
            return texts.join(u' ');
        };
        QCOMPARE(latest(5), u"0 2 4 6 8"_s);
        QCOMPARE(latest(2), u"note 6 8"_s);
        QCOMPARE(missingAmong(*reader->latestEvents(Event::Kind::Alert, 5)), QStringList());
        COMPARE_TEXTS(missingAmong(*reader->latestEvents(Event::Kind::Alert, 2)),
            "There are earlier events of this kind than are read at once: the latest 2 of them are shown.");
    }

private:
    /// "user ann 20 250" for each.
    QStringList found(const QString& text) const
    {
        QStringList lines;
        const auto all = searchRecording(*m_reader, text, 100);
        if (!all)
            return {all.error().toString()};
        for (const FoundText& each : all->all)
            lines << u"%1 %2 %3%4 %5%6"_s.arg(each.what, each.text, each.firstExact ? QString() : u"≤"_s,
                secondsOf(each.first), each.lastExact ? QString() : u"≥"_s, secondsOf(each.last));
        return lines;
    }

    QTemporaryDir m_folder;
    std::unique_ptr<RecordingReader> m_reader;
};

LOCKSCOPE_TEST(tst_RecordingSearch)

} // namespace tst_RecordingSearch
#include "tst_RecordingSearch.moc"
