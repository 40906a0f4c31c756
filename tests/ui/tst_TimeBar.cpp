// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The time bar in use: its requests, the mouse, and its texts for screen readers.

#include "tests/ui/TimeBarRig.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/theme/Theme.h"

namespace tst_TimeBar {

using namespace lockscope;
using namespace lockscope::ui;
using record::Event;
using test::MadeTime;
using test::tenMinutes;
using Rig = test::TimeBarRig;

/// The areas that a widget paints.
class Painted : public QObject {
public:
    explicit Painted(QWidget& widget) { widget.installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() == QEvent::Paint)
            region += static_cast<QPaintEvent*>(event)->region();
        return false;
    }
    QRegion region;
};

class tst_TimeBar : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksForWhatIsOnView()
    {
        MadeTime hours = MadeTime::polled(0, 3 * 3'600, 10);
        Rig rig(hours);
        // The last quarter of an hour, in columns as wide as a pixel.
        const Rig::Asked asked = rig.asked.last();
        QCOMPARE(asked.columns, rig.places().plot.width());
        QCOMPARE((asked.to - asked.from).count() % asked.columns, 0);
        QVERIFY(asked.to >= hours.last());
        QVERIFY(asked.to - asked.from >= 15min);
        QVERIFY(asked.to - asked.from < 15min + 5s);
        rig.asked.clear();
        rig.bar->showRange(hours.at(3'600), hours.at(7'200));
        QVERIFY(rig.isAnswered());
        QVERIFY(rig.asked.last().from <= hours.at(3'600));
        QVERIFY(rig.asked.last().to >= hours.at(7'200));
    }

    void asksOnlyForTheEndOfWhatGrows()
    {
        MadeTime hour = MadeTime::polled(0, 3'600);
        Rig rig(hour);
        const Rig::Asked whole = rig.asked.last();
        rig.asked.clear();
        rig.time.addPolls(3'600, 3'700);
        rig.time.wait(3'660, 3'670, 7);
        rig.bar->setSpan(rig.time.first(), rig.time.last());
        QVERIFY(rig.isAnswered());
        const Rig::Asked end = rig.asked.last();
        QVERIFY(end.from > whole.from + 10min);
        QVERIFY(end.from < whole.to);
        // Columns are as wide as before, and begin where those begin.
        const qint64 column = (whole.to - whole.from).count() / whole.columns;
        QCOMPARE((end.to - end.from).count() / end.columns, column);
        QCOMPARE(end.from.us % column, 0);
        // A new event is there, and a click finds it.
        QTest::mouseClick(rig.strip, Qt::LeftButton, {}, rig.onGraph(rig.time.at(3'665)));
        QVERIFY(rig.strip->positionWords().contains(u"7 waiting"_s));
    }

    void staleAnswersOfPartsAreLeft()
    {
        MadeTime hour = tenMinutes();
        Rig rig(hour);
        rig.asked.clear();
        disconnect(rig.bar, &TimeBar::visibleRangeChanged, nullptr, nullptr);
        QList<Rig::Asked> asked;
        connect(
            rig.bar, &TimeBar::visibleRangeChanged, this, [&](ServerTime from, ServerTime to, int columns) {
                asked.append({from, to, columns});
            });
        rig.time.addPolls(600, 1'300);
        rig.bar->setSpan(rig.time.first(), rig.time.last());
        QTRY_VERIFY(!asked.isEmpty());
        const Rig::Asked first = asked.last();
        rig.bar->showRange(rig.time.at(280), rig.time.at(360));
        QTRY_VERIFY(asked.last().from != first.from);
        const Rig::Asked second = asked.last();
        rig.bar->setData(rig.time.answer(first.from, first.to, first.columns));
        rig.bar->setData(rig.time.answer(second.from, second.to, second.columns));
        QTest::mouseClick(rig.strip, Qt::LeftButton, {}, rig.onGraph(rig.time.at(320)));
        QVERIFY(rig.strip->positionWords().contains(u"5 waiting"_s));
    }

    void aClickLeadsToTheWorstSnapshotOfItsPixel()
    {
        MadeTime day = MadeTime::polled(0, 86'400, 10);
        day.wait(40'000, 40'010, 9); // a single poll
        Rig rig(day);
        rig.bar->showRange(day.first(), day.last());
        QVERIFY(rig.isAnswered());
        QTRY_VERIFY(rig.asked.last().from <= day.first());
        QTest::mouseClick(rig.strip, Qt::LeftButton, {}, rig.onGraph(day.at(40'000)));
        QCOMPARE(rig.chosen.last(), day.at(40'000));
        QCOMPARE(rig.bar->position(), day.at(40'000));
    }

    void draggingMovesThePosition()
    {
        Rig rig;
        rig.drag(rig.onGraph(rig.time.at(100)), rig.onGraph(rig.time.at(200)));
        QVERIFY(rig.chosen.size() >= 4);
        QVERIFY(std::is_sorted(rig.chosen.cbegin(), rig.chosen.cend()));
        QVERIFY(rig.chosen.first() - rig.time.at(100) < 2s);
        QVERIFY(rig.chosen.last() - rig.time.at(200) < 2s);
        QVERIFY(!rig.bar->range());
    }

    void theRightEndIsLive()
    {
        Rig rig;
        QVERIFY(rig.button("live")->isChecked());
        QTest::mouseClick(rig.strip, Qt::LeftButton, {}, rig.onGraph(rig.time.at(100)));
        QVERIFY(!rig.button("live")->isChecked());
        QTest::mouseClick(rig.strip, Qt::LeftButton, {}, rig.onGraph(rig.time.last()));
        QCOMPARE(rig.lives, 1);
        QVERIFY(!rig.bar->position());
        QVERIFY(rig.button("live")->isChecked());
        // Pressed while live, it stays what it is.
        rig.button("live")->click();
        QVERIFY(rig.button("live")->isChecked());
        QCOMPARE(rig.lives, 1);
        rig.bar->setPosition(rig.time.at(50));
        rig.button("live")->click();
        QCOMPARE(rig.lives, 2);
    }

    void aFileHasNoLive()
    {
        Rig rig(tenMinutes());
        rig.bar->setLiveAvailable(false);
        rig.bar->setPosition(rig.time.first());
        QVERIFY(rig.isAnswered());
        QVERIFY(!rig.button("live")->isVisible());
        QTest::mouseClick(rig.strip, Qt::LeftButton, {}, rig.onGraph(rig.time.last()));
        QTest::keyClick(rig.strip, Qt::Key_Escape);
        QCOMPARE(rig.lives, 0);
        QCOMPARE(rig.bar->position(), rig.time.last());
    }

    void theLiveEndFollowsUntilOneLooksElsewhere()
    {
        MadeTime hour = MadeTime::polled(0, 3'600);
        Rig rig(hour);
        const auto grow = [&](int to) {
            rig.time.addPolls(int((rig.time.last() - rig.time.first()) / 1s) + 1, to);
            rig.bar->setSpan(rig.time.first(), rig.time.last());
        };
        grow(3'700);
        QVERIFY(rig.bar->visibleRange().second >= rig.time.last());
        rig.bar->setPosition(rig.time.at(3'000));
        const auto before = rig.bar->visibleRange();
        grow(3'800);
        QCOMPARE(rig.bar->visibleRange(), before);
        rig.bar->setPosition({});
        QVERIFY(rig.bar->visibleRange().second >= rig.time.last());
        // Looking elsewhere while live: it stays there, too.
        rig.bar->showRange(rig.time.at(1'000), rig.time.at(1'600));
        const auto elsewhere = rig.bar->visibleRange();
        grow(3'900);
        QCOMPARE(rig.bar->visibleRange(), elsewhere);
        rig.button("live")->click();
        QVERIFY(rig.bar->visibleRange().second >= rig.time.last());
    }

    void aDragOnTheAxisMarksARange()
    {
        Rig rig;
        QSignalSpy changed(rig.bar, &TimeBar::rangeChanged);
        rig.drag(rig.onAxis(rig.time.at(400)), rig.onAxis(rig.time.at(250))); // from right to left, too
        QCOMPARE(changed.count(), 1);
        QVERIFY(rig.bar->range());
        const auto [from, to] = *rig.bar->range();
        QVERIFY(std::chrono::abs(from - rig.time.at(250)) < 2s);
        QVERIFY(std::chrono::abs(to - rig.time.at(400)) < 2s);
        QVERIFY(rig.chosen.isEmpty());
        QVERIFY(!rig.strip->rangeLabelNow().isNull());
    }

    void marksOfARangeAreMoved()
    {
        Rig rig;
        rig.bar->setRange(std::pair(rig.time.at(250), rig.time.at(400)));
        QSignalSpy changed(rig.bar, &TimeBar::rangeChanged);
        rig.drag(rig.onGraph(rig.time.at(400)), rig.onGraph(rig.time.at(500)));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(rig.bar->range()->first, rig.time.at(250));
        QVERIFY(std::chrono::abs(rig.bar->range()->second - rig.time.at(500)) < 3s);
        // A mark can't pass the other one; both at one place are none.
        rig.drag(rig.onGraph(rig.bar->range()->second), rig.onGraph(rig.time.at(100)));
        QVERIFY(!rig.bar->range());
        QCOMPARE(changed.count(), 2);
        QVERIFY(rig.chosen.isEmpty());
    }

    void theRangesMenuDoesWhatItSays()
    {
        Rig rig;
        rig.bar->setRange(std::pair(rig.time.at(250), rig.time.at(400)));
        const auto choose = [&rig](const QString& words) {
            QTest::mouseClick(rig.strip, Qt::LeftButton, {}, rig.strip->rangeLabelNow().center());
            for (auto* menu : rig.bar->findChildren<QMenu*>(u"timeMenu"_s)) {
                if (!menu->isVisible())
                    continue;
                for (QAction* action : menu->actions()) {
                    if (QString(action->text()).remove(u'&') == words) {
                        action->trigger();
                        menu->close();
                        return true;
                    }
                }
                menu->close();
            }
            return false;
        };
        QVERIFY(!choose(u"Save as a clip…"_s)); // nobody does it
        QSignalSpy report(rig.bar, &TimeBar::rangeReportRequested);
        QSignalSpy clip(rig.bar, &TimeBar::clipRequested);
        QSignalSpy compare(rig.bar, &TimeBar::compareRequested);
        QVERIFY(choose(u"What happened in this range"_s));
        QCOMPARE(report.count(), 1);
        QVERIFY(choose(u"Save as a clip…"_s));
        QCOMPARE(clip.count(), 1);
        QVERIFY(choose(u"Compare with another range"_s));
        QCOMPARE(compare.count(), 1);
        QVERIFY(choose(u"Zoom to it"_s));
        QVERIFY(rig.bar->visibleRange().second - rig.bar->visibleRange().first < 160s);
        QTest::keyClick(rig.strip, Qt::Key_F10, Qt::ShiftModifier);
        const auto menus = rig.bar->findChildren<QMenu*>(u"timeMenu"_s);
        QCOMPARE(std::ranges::count_if(menus, [](const QMenu* menu) { return menu->isVisible(); }), 1);
        for (QMenu* menu : menus)
            menu->close();
        QVERIFY(choose(u"Remove the range"_s));
        QVERIFY(!rig.bar->range());
        QVERIFY(rig.chosen.isEmpty());
    }

    void aDoubleClickShowsTheWholeIncident()
    {
        MadeTime hour = MadeTime::polled(0, 3'600);
        hour.wait(3'000, 3'060, 4);
        Rig rig(hour);
        const QPoint place = rig.onGraph(hour.at(3'030));
        QTest::mouseClick(rig.strip, Qt::LeftButton, {}, place);
        QTest::mouseDClick(rig.strip, Qt::LeftButton, {}, place);
        const auto [from, to] = rig.bar->visibleRange();
        QVERIFY(from < hour.at(3'000) && from > hour.at(2'970));
        QVERIFY(to > hour.at(3'060) && to < hour.at(3'090));
    }

    void theWheelZoomsWhereThePointerIs()
    {
        Rig rig;
        const ServerTime at = rig.time.at(200);
        const QPoint place = rig.onGraph(at);
        const auto before = rig.bar->visibleRange();
        rig.wheel(place, 3);
        const auto close = rig.bar->visibleRange();
        QVERIFY((close.second - close.first) * 2 < before.second - before.first);
        // The pixel begins less than a pixel before that time, which is nearly three times as much by now.
        QVERIFY(std::abs(rig.onGraph(at).x() - place.x()) <= 3);
        rig.wheel(place, -20);
        QCOMPARE(rig.bar->visibleRange(), before);
    }

    void shiftAndTheRightButtonMoveWhatIsOnView()
    {
        Rig rig;
        rig.bar->showRange(rig.time.at(200), rig.time.at(300));
        const QPoint from = rig.onGraph(rig.time.at(220));
        rig.drag(from, from + QPoint(200, 0), Qt::RightButton);
        QVERIFY(rig.x(rig.time.at(220)) >= from.x() + 195);
        QVERIFY(rig.x(rig.time.at(220)) <= from.x() + 205);
        rig.drag(from + QPoint(200, 0), from, Qt::LeftButton, Qt::ShiftModifier);
        QVERIFY(std::abs(rig.x(rig.time.at(220)) - from.x()) <= 5);
        QVERIFY(rig.chosen.isEmpty());
        QVERIFY(!rig.bar->range());
    }

    void aMarkLeadsToWhatHappened()
    {
        MadeTime time = tenMinutes();
        time.happened(123, Event::Kind::Deadlock, u"63 and 70 waited for each other"_s);
        Rig rig(time);
        QTest::mouseClick(
            rig.strip, Qt::LeftButton, {}, QPoint(rig.x(time.at(123)) + 3, rig.places().marks.center().y()));
        QCOMPARE(rig.chosen, QList<ServerTime>{time.at(123)});
    }

    void aDragWithCtrlZoomsToWhatItPasses()
    {
        Rig rig;
        rig.drag(rig.onGraph(rig.time.at(200)), rig.onGraph(rig.time.at(300)), Qt::LeftButton,
            Qt::ControlModifier);
        QVERIFY2(rig.chosen.isEmpty() && !rig.bar->range(), "neither the position nor the range is meant");
        const auto [first, last] = rig.bar->visibleRange();
        QVERIFY(first > rig.time.at(190) && first < rig.time.at(210));
        QVERIFY(last > rig.time.at(290) && last < rig.time.at(310));
    }

    void aPositionOutOfSightIsShown()
    {
        MadeTime hours = MadeTime::polled(0, 3 * 3'600);
        Rig rig(hours);
        rig.bar->setPosition(hours.at(1'000)); // an incident, say
        QVERIFY(rig.bar->visibleRange().first < hours.at(1'000));
        QVERIFY(rig.bar->visibleRange().second > hours.at(1'000));
    }

    void nothingRecordedIsSaid()
    {
        Rig rig(MadeTime{});
        QCOMPARE(rig.strip->positionWords(), u"Nothing recorded yet"_s);
        rig.bar->setMessage(u"Not recorded: the disk is full"_s);
        QCOMPARE(rig.strip->accessibleDescription(), u"Not recorded: the disk is full"_s);
        QVERIFY(!rig.button("playTime")->isEnabled());
        // Nothing to choose there.
        QTest::mouseClick(rig.strip, Qt::LeftButton, {}, rig.strip->rect().center());
        QTest::keyClick(rig.strip, Qt::Key_Home);
        rig.wheel(rig.strip->rect().center(), 1);
        QVERIFY(rig.chosen.isEmpty());
        QVERIFY(rig.asked.isEmpty());
    }

    void anotherServerHasNothingOfTheFirst()
    {
        Rig rig;
        rig.bar->setPosition(rig.time.at(320));
        rig.bar->setRange(std::pair(rig.time.at(250), rig.time.at(400)));
        QSignalSpy changed(rig.bar, &TimeBar::rangeChanged);
        rig.bar->clear();
        QVERIFY(!rig.bar->position());
        QVERIFY(!rig.bar->range());
        QCOMPARE(changed.count(), 1);
        QVERIFY(!rig.button("playTime")->isEnabled());
        // This one is another, of another year.
        rig.asked.clear();
        rig.time.begin = rig.time.begin + 365 * 24h;
        for (record::RecordedSnapshot& snapshot : rig.time.polls)
            snapshot.at = snapshot.at + 365 * 24h;
        rig.bar->setSpan(rig.time.first(), rig.time.last());
        QVERIFY(rig.isAnswered());
        QVERIFY(rig.asked.first().to >= rig.time.last());
    }

    void onlyTheLineIsPaintedAnewWhenThePositionMoves()
    {
        Rig rig;
        rig.bar->setPosition(rig.time.at(100));
        QCoreApplication::processEvents();
        Painted painted(*rig.strip);
        rig.bar->setPosition(rig.time.at(105));
        QTRY_VERIFY(!painted.region.isEmpty());
        QVERIFY(painted.region.boundingRect().width() < rig.strip->width() / 2);
        QVERIFY(painted.region.contains(rig.onGraph(rig.time.at(105))));
    }

    /// At the right end the words stay where they are while the line moves.
    void theLineLeavesNothingBehind()
    {
        Rig rig;
        QCoreApplication::processEvents();
        const QPoint before = rig.onGraph(rig.time.last());
        const auto visibleRange = rig.bar->visibleRange();
        Painted painted(*rig.strip);
        rig.bar->setSpan(rig.time.first(), rig.time.last() + 6s);
        QCOMPARE(rig.bar->visibleRange(), visibleRange);
        QTRY_VERIFY(!painted.region.isEmpty());
        QVERIFY(painted.region.contains(before));
        QVERIFY(painted.region.contains(rig.onGraph(rig.time.last() + 6s)));
    }

    void noNewsPaintNothing()
    {
        Rig rig;
        rig.bar->setPosition(rig.time.at(100));
        QCoreApplication::processEvents();
        Painted painted(*rig.strip);
        rig.bar->setSpan(rig.time.first(), rig.time.last());
        rig.bar->setPosition(rig.time.at(100));
        rig.bar->setMessage({});
        rig.bar->setThresholds({});
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
        QVERIFY(painted.region.isEmpty());
    }

    void readersAreToldThePosition()
    {
        Rig rig;
        QAccessibleInterface* const accessible = QAccessible::queryAccessibleInterface(rig.strip);
        QVERIFY(accessible);
        QCOMPARE(accessible->role(), QAccessible::Slider);
        QCOMPARE(accessible->text(QAccessible::Name), u"Time of the recording"_s);
        QCOMPARE(accessible->text(QAccessible::Value), u"Live"_s);
        rig.bar->setPosition(rig.time.at(320));
        QCOMPARE(
            accessible->text(QAccessible::Value), u"Sun 22 Nov 12:05:20 UTC: 5 waiting, longest wait 21 s"_s);
        QCOMPARE(rig.strip->accessibleDescription(), accessible->text(QAccessible::Value));
        QAccessibleValueInterface* const value = accessible->valueInterface();
        QVERIFY(value);
        QCOMPARE(value->currentValue().toDouble(), 320);
        QCOMPARE(value->maximumValue().toDouble(), 599);
        value->setCurrentValue(60.0);
        QCOMPARE(rig.chosen.last(), rig.time.at(60));
        for (const auto* button : rig.bar->findChildren<QToolButton*>())
            QVERIFY2(!button->accessibleName().isEmpty(), qPrintable(button->objectName()));
    }

    void nothingIsCut_data()
    {
        QTest::addColumn<int>("width");
        for (const int width : {460, 580, 760, 1'024, 1'920})
            QTest::addRow("%d", width) << width;
    }
    void nothingIsCut()
    {
        QFETCH(const int, width);
        Rig rig(tenMinutes(), width);
        QList<QWidget*> parts{rig.strip};
        for (auto* button : rig.bar->findChildren<QToolButton*>())
            parts << button;
        QRegion used;
        for (const QWidget* part : parts) {
            const QRect place(part->mapTo(rig.bar, QPoint(0, 0)), part->size());
            QVERIFY2(rig.bar->rect().contains(place), qPrintable(part->objectName()));
            QVERIFY2(!used.intersects(place), qPrintable(part->objectName()));
            QVERIFY2(part->width() >= part->minimumSizeHint().width() || part == rig.strip,
                qPrintable(part->objectName()));
            used += place;
        }
        QVERIFY2(rig.strip->width() >= width / 2, qPrintable(QString::number(rig.strip->width())));
        QVERIFY(rig.bar->height() >= 56 && rig.bar->height() <= 80);
    }

    void pictures_data()
    {
        test::addColumns<int, bool>("width", "isDark");
        for (const int width : {580, 1'024, 1'280, 1'920}) {
            QTest::addRow("timebar-%d-light", width) << width << false;
            QTest::addRow("timebar-%d-dark", width) << width << true;
        }
    }

    /// Saves a picture of all that can be on it: LOCKSCOPE_TEST_PICTURES.
    void pictures()
    {
        FETCH(const int, width, const bool, isDark);
        theme::apply(*qApp, isDark ? ThemeMode::Dark : ThemeMode::Light);
        const MadeTime time = MadeTime::busyHour();
        Rig rig(time, width);
        rig.bar->setPosition(time.at(2'000));
        rig.bar->showRange(time.first(), time.last());
        QVERIFY(rig.isAnswered());
        QTRY_VERIFY(rig.asked.last().from <= time.first());
        rig.bar->setRange(std::pair(time.at(2'450), time.at(2'900)));
        test::keepPicture(rig, QLatin1String(QTest::currentDataTag()));
        rig.bar->setPosition({});
        rig.bar->setRange({});
        rig.bar->showRange(time.at(1'960), time.at(2'080));
        rig.asked.clear();
        QVERIFY(rig.isAnswered());
        rig.bar->setPosition(time.at(2'012));
        test::keepPicture(rig, QLatin1String(QTest::currentDataTag()) + u"-close"_s);
        rig.bar->clear();
        test::keepPicture(rig, QLatin1String(QTest::currentDataTag()) + u"-empty"_s);
        theme::apply(*qApp, ThemeMode::Light);
        QVERIFY(rig.strip->isVisible());
    }
};

LOCKSCOPE_TEST(tst_TimeBar)

} // namespace tst_TimeBar
#include "tst_TimeBar.moc"
