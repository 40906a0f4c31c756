// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The charts of the overview: colours that stay, time that grows, values under the mouse, and the target of a
// click.

#include "core/record/Database.h"
#include "core/record/RangeReport.h"
#include "tests/support/PlainSql.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/charts/Card.h"
#include "ui/kit/charts/Series.h"
#include "ui/kit/charts/TimeChart.h"
#include "ui/shell/timetravel/TravelHistory.h"
#include "ui/views/overview/OverviewPage.h"

#include <QtWidgets>

namespace tst_Charts {

using namespace lockscope;
using namespace lockscope::ui;
using monitor::Figures;
using monitor::History;
using test::SnapshotBuilder;

static Figures waiting(std::initializer_list<std::pair<const char*, int>> byTable, milliseconds longest = 0ms)
{
    Figures figures;
    for (const auto& [name, waiters] : byTable) {
        figures.waitersByTable.emplace_back(QLatin1String(name), waiters);
        figures.waiters += waiters;
    }
    figures.longestWait = {longest, true};
    return figures;
}

/// So many active sessions, of which `locked` wait for locks and one for a disk.
static std::vector<monitor::Measure> measured(qint64 active, qint64 locked, qint64 commits)
{
    namespace measures = monitor::measures;
    return {{measures::active, {}, active}, {measures::waiting, u"Lock"_s, locked},
        {measures::waiting, u"IO"_s, 1}, {measures::waiting, measures::running, active - locked - 1},
        {measures::commits, {}, commits}, {measures::replicationLag, u"standby 1"_s, 4'200},
        {measures::replicationLag, u"standby 2"_s, 300}};
}

class tst_Charts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNameKeepsItsColour()
    {
        SeriesSlots places(3);
        COMPARE_TEXTS(places.place({u"a"_s, u"b"_s, u"c"_s}), "a", "b", "c");
        // The order by waiters changes, but each name stays in its place.
        COMPARE_TEXTS(places.place({u"c"_s, u"b"_s, u"a"_s}), "a", "b", "c");
        COMPARE_TEXTS(places.place({u"c"_s, u"a"_s}), "a", "", "c");
        COMPARE_TEXTS(places.place({u"d"_s, u"c"_s, u"a"_s}), "a", "d", "c");
    }

    void whoReturnsGetsItsColourBack()
    {
        SeriesSlots places(3);
        places.place({u"a"_s, u"b"_s, u"c"_s});
        places.place({u"c"_s});
        COMPARE_TEXTS(places.place({u"x"_s, u"b"_s, u"c"_s}), "x", "b", "c");
        COMPARE_TEXTS(places.place({u"a"_s, u"b"_s, u"c"_s}), "a", "b", "c");
        places.clear();
        COMPARE_TEXTS(places.place({u"c"_s}), "c", "", "");
    }

    void theTimeShownGrows_data()
    {
        test::addColumns<int, int, QStringList>("known", "shown", "labels");
        const QString now = u"now"_s;
        test::row("at first", 0, 120, QStringList{u"−2"_s, u"−1 min"_s, now});
        test::row("two minutes", 120, 120, QStringList{u"−2"_s, u"−1 min"_s, now});
        test::row("a little more", 122, 300, QStringList{u"−5"_s, u"−4 min"_s, u"−2"_s, now});
        test::row("nine minutes", 540, 600, QStringList{u"−10"_s, u"−5 min"_s, now});
        test::row("an hour", 3'600, 900, QStringList{u"−15"_s, u"−10 min"_s, u"−5"_s, now});
    }
    void theTimeShownGrows()
    {
        QFETCH(const int, known);
        History history;
        for (int second = 0; second <= known; second += 2)
            history.append(SnapshotBuilder::start() + std::chrono::seconds(second), waiting({{"a", 1}}));
        QTEST(static_cast<int>(shownTime(history).count()), "shown");
        TimeChart chart(TimeChart::Kind::Line, TimeChart::Unit::Count, u"Waiters"_s);
        ChartData data;
        data.shown = shownTime(history);
        chart.setData(data);
        QTEST(chart.timeLabels(), "labels");
    }

    void onlyWhatIsShownIsDrawn()
    {
        History history;
        for (int second = 0; second <= 600; second += 10)
            history.append(SnapshotBuilder::start() + std::chrono::seconds(second), waiting({{"a", second}}));
        const ChartSeries line =
            lineOf(history, 120s, 10'000, {}, [](const monitor::HistorySample& s) { return s.waiters; });
        QCOMPARE(line.points.size(), 13);
        QCOMPARE(line.points.first(), QPointF(-120, 480));
        QCOMPARE(line.points.last(), QPointF(0, 600));
        // A name that nobody waits for any more keeps its band, without height.
        const auto bands = stackedWaiters(history, 120s, 10'000, {QString(), u"a"_s}, u"others"_s);
        QCOMPARE(bands.size(), 3);
        QCOMPARE(bands[0].points.last(), QPointF(0, 0));
        QCOMPARE(bands[1].points.last(), QPointF(0, 600));
        QCOMPARE(bands[2].points.last(), QPointF(0, 600));
    }

    void theMarkedTimeShowsItsValues()
    {
        History history;
        history.append(
            SnapshotBuilder::start() - 60s, waiting({{"public.orders", 3}, {"<b>nightly</b>", 1}}));
        history.append(SnapshotBuilder::start(), waiting({}));
        SnapshotBuilder builder;
        showWith(history, builder);
        QTest::keyClick(waiters(), Qt::Key_End);
        QCOMPARE(waiters()->markedText(), u"03:12:07: nobody waited"_s);
        QTest::keyClick(waiters(), Qt::Key_Left);
        QCOMPARE(waiters()->markedText(), u"03:11:07: public.orders 3, <b>nightly</b> 1"_s);
        QCOMPARE(waiters()->accessibleDescription(), waiters()->markedText());
        QVERIFY(waiters()->viewport()->toolTip().contains(u"&lt;b&gt;nightly"_s));
        // The mouse is in the middle of the two minutes.
        QTest::keyClick(waiters(), Qt::Key_End);
        const QRectF plot = waiters()->chart()->plotArea();
        QTest::mouseMove(waiters()->viewport(), plot.center().toPoint());
        QTRY_COMPARE(waiters()->markedText().left(9), u"03:11:07:"_s);
    }

    void aTimeThatIsNotShownAnyMoreIsNotMarked()
    {
        History history;
        history.append(SnapshotBuilder::start(), waiting({{"a", 1}}));
        SnapshotBuilder builder;
        showWith(history, builder);
        QTest::keyClick(waiters(), Qt::Key_End);
        QCOMPARE(waiters()->markedText(), u"03:12:07: a 1"_s);
        // The server's clock was set back: the history begins again.
        history.append(SnapshotBuilder::start() - 100s, waiting({{"a", 2}}));
        m_page->setHistory(&history);
        QCOMPARE(waiters()->markedText(), QString());
        QVERIFY(waiters()->viewport()->toolTip().isEmpty());
        QTest::keyClick(waiters(), Qt::Key_End);
        QCOMPARE(waiters()->markedText(), u"03:10:27: a 2"_s);
        // It goes on for longer than is shown.
        for (int minute = 1; minute <= 20; ++minute)
            history.append(SnapshotBuilder::start() - 100s + std::chrono::minutes(minute), waiting({}));
        m_page->setHistory(&history);
        QCOMPARE(waiters()->markedText(), QString());
    }

    void aGapHasNoSnapshot()
    {
        History history;
        history.append(SnapshotBuilder::start() - 100s, waiting({{"a", 1}}));
        history.markGap();
        history.append(SnapshotBuilder::start(), waiting({{"a", 1}}));
        SnapshotBuilder builder;
        showWith(history, builder);
        QSignalSpy messages(m_page.get(), &Page::statusMessage);
        QSignalSpy opened(m_page.get(), &Page::openPage);
        const QRectF plot = waiters()->chart()->plotArea();
        QTest::mouseClick(waiters()->viewport(), Qt::LeftButton, {}, plot.center().toPoint());
        QCOMPARE(messages.count(), 1);
        QCOMPARE(messages.first().first().toString(), u"Nothing was read at that time."_s);
        QVERIFY(opened.isEmpty());
    }

    void aClickOnTheNewestSnapshotOpensItsRows()
    {
        History history;
        history.append(SnapshotBuilder::start() - 60s, waiting({{"a", 1}}));
        history.append(SnapshotBuilder::start(), waiting({{"a", 1}}));
        SnapshotBuilder builder;
        showWith(history, builder);
        QSignalSpy messages(m_page.get(), &Page::statusMessage);
        QSignalSpy opened(m_page.get(), &Page::openPage);
        const QRectF plot = waiters()->chart()->plotArea();
        QTest::mouseClick(
            waiters()->viewport(), Qt::LeftButton, {}, QPoint(int(plot.right()), int(plot.center().y())));
        QCOMPARE(opened.count(), 1);
        QCOMPARE(
            opened.first()[0].toString() + u' ' + opened.first()[1].toString(), u"locks state:waiting"_s);
        QVERIFY(messages.isEmpty());
    }

    void aClickOnAnEarlierSnapshotSaysThatItsRowsAreGone()
    {
        History history;
        history.append(
            SnapshotBuilder::start() - 60s, waiting({{"public.orders", 3}, {"public.items", 1}}, 41s));
        history.append(SnapshotBuilder::start(), waiting({}));
        SnapshotBuilder builder;
        showWith(history, builder);
        QSignalSpy messages(m_page.get(), &Page::statusMessage);
        QSignalSpy opened(m_page.get(), &Page::openPage);
        QTest::keyClick(waiters(), Qt::Key_Home);
        QTest::keyClick(waiters(), Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.first()[1].toString(), u"resource:\"public.orders\""_s);
        QCOMPARE(messages.count(), 1);
        const QString said = messages.first().first().toString();
        VERIFY_STARTS(said,
            u"These rows are the present ones; those of 03:11:07 are not kept, only figures: 4 waited, longest 41 s (3 for public.orders, 1 for public.items)."_s);
        QTest::keyClick(waiters(), Qt::Key_Home);
        QVERIFY(waiters()->viewport()->toolTip().contains(u"Only figures of that time are kept"_s));
        QTest::keyClick(waiters(), Qt::Key_End);
        QVERIFY(!waiters()->viewport()->toolTip().contains(u"Only figures"_s));
    }

    void redIsForWhatHurts()
    {
        History history;
        SnapshotBuilder quiet;
        quiet.session(51, "billing").idleInTransaction(9'000);
        quiet.holds(51, "public.orders", "RowExclusiveLock", 9'000);
        for (int i = 0; i < 20; ++i)
            quiet.entry(qPrintable(u"job %1"_s.arg(i)), "ann").lease(10, 9'000);
        showWith(history, quiet);
        QCOMPARE(levelOf("tileHolders"), AgeLevel::Amber);
        QCOMPARE(levelOf("tileStale"), AgeLevel::Amber);
        quiet.queue(u"job 3"_s, "bob", 5);
        showWith(history, quiet);
        QCOMPARE(levelOf("tileStale"), AgeLevel::Red);
        QCOMPARE(levelOf("tileHolders"), AgeLevel::Amber);
    }

    void whatSurroundsTheLocksIsDrawn()
    {
        History history;
        for (int second = -60; second <= 0; second += 2) {
            const ServerTime at = SnapshotBuilder::start() + std::chrono::seconds(second);
            history.append(at, waiting({}));
            if (second % 10 == 0)
                history.addMeasures(at, measured(6, 4, 800 + second));
        }
        SnapshotBuilder builder;
        showWith(history, builder);
        const QString sessions = u"Active sessions by what they wait for"_s;
        QCOMPARE(newestOf(u"Active sessions"_s, sessions), u"03:12:07: Lock 4, IO 1, running 1"_s);
        QCOMPARE(chart(sessions)->timeLabels(), waiters()->timeLabels());
        QVERIFY(says(u"Active sessions by what they wait for, last 2 minutes"_s));
        QTest::keyClick(chart(sessions), Qt::Key_Left);
        QCOMPARE(chart(sessions)->markedText().left(9), u"03:11:57:"_s); // it is read every ten seconds
        QCOMPARE(newestOf(u"Transactions"_s, u"Transactions per minute"_s), u"03:12:07: 800"_s);
        QVERIFY(says(u"Commits per minute, last 2 minutes"_s));
        QCOMPARE(newestOf(u"Replication lag"_s, u"Replication lag"_s), u"03:12:07: 4 s"_s);
        QVERIFY(says(u"4 s"_s));
        QCOMPARE(newestOf(u"Waits counted by the server"_s, u"Waits counted by the server"_s), QString());
        QVERIFY(says(u"not read"_s));
        // Nothing is left of one that took no part in it.
        history.append(SnapshotBuilder::start() + 10s, waiting({}));
        history.addMeasures(SnapshotBuilder::start() + 10s, {{monitor::measures::active, {}, 0}});
        m_page->setHistory(&history);
        QCOMPARE(newestOf(u"Active sessions"_s, sessions), u"03:12:17: no session was active"_s);
    }

    void waitsThatTheServerCountsAreDrawn()
    {
        namespace measures = monitor::measures;
        History history;
        for (int second = -60; second <= 0; second += 10) {
            const ServerTime at = SnapshotBuilder::start() + std::chrono::seconds(second);
            history.append(at, waiting({})); // polls have seen none of them
            std::vector<monitor::Measure> counted{{measures::lockWaits, {}, second == -20 ? 5 : 0},
                {measures::lockWaitTime, {}, second == -20 ? 9'000 : 0}};
            if (second == -20) {
                counted.push_back({measures::lockWaits, u"table"_s, 2});
                counted.push_back({measures::lockWaits, u"transaction"_s, 3});
            }
            history.addMeasures(at, counted);
        }
        SnapshotBuilder builder;
        showWith(history, builder);
        const QString title = u"Waits counted by the server"_s;
        QCOMPARE(newestOf(title, title), u"03:12:07: no wait ended"_s);
        QVERIFY(says(u"Waits counted by the server, last 2 minutes"_s));
        QVERIFY(says(u"5, 9 s in all"_s));
        QTest::keyClick(chart(title), Qt::Key_Left);
        QTest::keyClick(chart(title), Qt::Key_Left);
        QCOMPARE(chart(title)->markedText(), u"03:11:47: transaction 3, table 2"_s);
    }

    void whatWasNotReadIsNotDrawn()
    {
        History history;
        history.append(SnapshotBuilder::start() - 60s, waiting({}));
        history.append(SnapshotBuilder::start(), waiting({}));
        SnapshotBuilder builder;
        showWith(history, builder);
        QCOMPARE(newestOf(u"Replication lag"_s, u"Replication lag"_s), QString());
        QVERIFY(says(u"not read"_s));
    }

    void thePastHasTheFiguresOfTheRange()
    {
        const QString path = m_folder.filePath(u"r.lockscope"_s);
        {
            const auto writer = test::writeRecording(path);
            for (int second = 0; second <= 120; second += 2) {
                const ServerTime at = SnapshotBuilder::start() + std::chrono::seconds(second);
                monitor::Surroundings around;
                if (second % 10 == 0)
                    around.measures = measured(6, 4, 500 + second);
                QVERIFY(writer->append(SnapshotBuilder(second).take(), at, {}, around));
            }
        }
        const auto reader = test::readRecording(path);
        record::RecordingClient client(path);
        TravelHistory past;
        past.setClient(&client);
        const ServerTime end = SnapshotBuilder::start() + 120s;
        past.show(*reader->at(end));
        const auto commits = [&past] {
            return lineOfMeasure(past.history(), 120s, {monitor::measures::commits});
        };
        QTRY_VERIFY(commits().points.size() >= 12);
        double greatest = 0;
        for (const QPointF& point : commits().points)
            greatest = std::max(greatest, point.y());
        const auto range =
            test::orDie(reader->surroundings(end - 120s, end - 2s).map(record::SlowOrLocked::of));
        QCOMPARE(qint64(greatest), range.maxCommits);
        const auto bands = stackedMeasures({monitor::measures::active, monitor::measures::waiting},
            past.history(), 120s, {u"Lock"_s}, u"others"_s);
        QCOMPARE(bands.first().latest / bands.last().points.last().y(), range.lockPart);
    }

    /// It would look like a time that was not recorded.
    void aPastThatCannotBeReadIsAnError()
    {
        const QString path = m_folder.filePath(u"damaged.lockscope"_s);
        {
            const auto writer = test::writeRecording(path);
            for (int second = 0; second <= 60; second += 2)
                QVERIFY(writer->append(SnapshotBuilder(second).take(), SnapshotBuilder::at(second)));
        }
        const SnapshotPtr end = *test::readRecording(path)->at(SnapshotBuilder::at(60));
        const SnapshotPtr before = *test::readRecording(path)->at(SnapshotBuilder::at(58));
        const QString intact = m_folder.filePath(u"intact.lockscope"_s);
        QVERIFY(QFile::copy(path, intact));
        {
            const auto database = test::orDie(record::Database::open(path, record::Database::Mode::Write));
            QVERIFY(database->script("UPDATE frame SET key_frame = number + 1 WHERE number = 10"));
        }
        record::RecordingClient client(path);
        TravelHistory past;
        QSignalSpy failed(&past, &TravelHistory::failed);
        QSignalSpy changed(&past, &TravelHistory::changed);
        past.setClient(&client);
        past.show(end);
        QTRY_COMPARE(failed.count(), 1);
        VERIFY_CONTAINS(failed.first().first().toString(), u"it is damaged"_s);
        QTRY_VERIFY(past.history().samples().size() >= 29); // the others are there
        QVERIFY(past.history().isDamaged());
        QVERIFY(std::ranges::any_of(past.history().samples(), &monitor::HistorySample::afterGap));
        SnapshotBuilder builder;
        showWith(past.history(), builder);
        QCOMPARE(waiters()->note(), u"A part is damaged"_s);
        // It is said once, however often it is read.
        QTRY_COMPARE(changed.count(), 15); // pieces of a minute
        past.readDamagedAgain();
        QTRY_COMPARE(changed.count(), 16);
        QCOMPARE(failed.count(), 1);
        QVERIFY(past.history().isDamaged());
        // It is read again when the time on view is at rest, not for each that is shown.
        QVERIFY(QFile::remove(path) && QFile::rename(intact, path));
        past.show(before);
        QVERIFY(past.history().isDamaged());
        past.show(end);
        QVERIFY(past.history().isDamaged());
        past.readDamagedAgain();
        QTRY_VERIFY(!past.history().isDamaged());
        QCOMPARE(past.history().samples().size(), size_t(31));
        QVERIFY(std::ranges::none_of(past.history().samples(), &monitor::HistorySample::afterGap));
        QCOMPARE(failed.count(), 1);
    }

    /// The index of the gaps is none: no part of any minute can be read.
    void aPastOfWhichNothingCanBeReadIsSaidOnce()
    {
        const QString path = m_folder.filePath(u"no-gaps.lockscope"_s);
        {
            const auto writer = test::writeRecording(path);
            for (int second = 0; second <= 60; second += 2)
                QVERIFY(writer->append(SnapshotBuilder(second).take(), SnapshotBuilder::at(second)));
        }
        const SnapshotPtr before = *test::readRecording(path)->at(SnapshotBuilder::at(58));
        const SnapshotPtr end = *test::readRecording(path)->at(SnapshotBuilder::at(60));
        {
            const auto sqlite = test::PlainSql::open(db::ServerUrl::ofFile(path), {});
            QVERIFY(sqlite && sqlite->run("PRAGMA writable_schema = ON"));
            QVERIFY(sqlite->run(
                "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'event') WHERE name = 'frame_gap'"));
        }
        record::RecordingClient client(path);
        TravelHistory past;
        QSignalSpy failed(&past, &TravelHistory::failed);
        QSignalSpy changed(&past, &TravelHistory::changed);
        past.setClient(&client);
        past.show(before);
        QTRY_COMPARE(changed.count(), 15); // pieces of a minute
        QCOMPARE(failed.count(), 1);
        VERIFY_CONTAINS(failed.first().first().toString(), u"is damaged"_s);
        QVERIFY(past.history().isDamaged());
        past.show(end);
        QTRY_COMPARE(changed.count(), 16);
        QCOMPARE(failed.count(), 1);
    }

private:
    void showWith(const History& history, SnapshotBuilder& builder)
    {
        m_page = std::make_unique<OverviewPage>(m_context);
        m_page->resize(1'000, 800);
        m_page->setHistory(&history);
        m_page->show();
        const SnapshotPtr snapshot = builder.take();
        m_context.noteSnapshot(*snapshot);
        m_page->showSnapshot(snapshot);
        QVERIFY(waiters());
    }

    TimeChart* chart(const QString& name) const
    {
        for (auto* chart : m_page->findChildren<TimeChart*>()) {
            if (chart->accessibleName() == name)
                return chart;
        }
        return nullptr;
    }
    TimeChart* waiters() const { return chart(u"Waiters by table or lock"_s); }
    /// Returns the newest values of the large chart, for that choice.
    QString newestOf(const QString& choice, const QString& name) const
    {
        m_page->findChild<QComboBox*>(u"chartChoice"_s)->setCurrentText(choice);
        TimeChart* const shown = chart(name);
        if (!shown || !shown->isVisible() || waiters()->isVisible())
            return u"not shown"_s;
        QTest::keyClick(shown, Qt::Key_End);
        return shown->markedText();
    }
    bool says(const QString& text) const
    {
        return std::ranges::any_of(m_page->findChildren<QLabel*>(),
            [&](const QLabel* label) { return label->isVisible() && label->text() == text; });
    }
    AgeLevel levelOf(const char* tile) const
    {
        return m_page->findChild<MetricTile*>(QLatin1String(tile))->level();
    }

    QTemporaryDir m_folder;
    QSettings m_settings{m_folder.filePath(u"s.ini"_s), QSettings::IniFormat};
    AppContext m_context{m_settings};
    std::unique_ptr<OverviewPage> m_page = std::make_unique<OverviewPage>(m_context);
};

LOCKSCOPE_TEST(tst_Charts)

} // namespace tst_Charts
#include "tst_Charts.moc"
