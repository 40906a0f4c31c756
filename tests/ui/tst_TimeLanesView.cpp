// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/MadeTime.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/charts/TimeLanesView.h"

#include <QtWidgets>

namespace tst_TimeLanesView {

using namespace lockscope;
using namespace lockscope::ui;

constexpr qint64 second = 1'000'000;

/// A hundred seconds, which begin somewhere, in forty lanes.
class Lanes final : public TimeLanesView {
public:
    explicit Lanes(bool isFilled = true)
        : TimeLanesView(u"Lanes"_s, second, nullptr)
    {
        addZooming(u"All of it"_s);
        addPaging();
        resize(gutter + 5 + 1'000, axis + 10 * lane);
        show();
        if (isFilled)
            fill();
    }
    void fill()
    {
        m_isFilled = true;
        showContents(u"forty lanes"_s, true);
    }
    void wheel(QPointF where, int steps, Qt::KeyboardModifiers keys = {})
    {
        QWheelEvent event(where, viewport()->mapToGlobal(where), {}, {0, steps * 120}, Qt::NoButton, keys,
            Qt::NoScrollPhase, false);
        QApplication::sendEvent(viewport(), &event);
    }
    void drag(QPoint from, QPoint to)
    {
        QTest::mousePress(viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(viewport(), (from + to) / 2);
        QTest::mouseMove(viewport(), to);
        QTest::mouseRelease(viewport(), Qt::LeftButton, {}, to);
    }

    static constexpr qint64 begin = 500 * second;
    static constexpr qint64 end = 600 * second;
    static constexpr int gutter = 80;
    static constexpr int axis = 20;
    static constexpr int lane = 20;
    static constexpr int heading = 3;

    QString lastText = u"<b>of others</b>"_s;
    std::vector<std::pair<int, qint64>> clicks;

protected:
    std::optional<Measures> measures() const override
    {
        return m_isFilled ? std::optional(Measures{.gutter = gutter,
                   .axisHeight = axis,
                   .laneHeight = lane,
                   .lanes = 40,
                   .from = begin,
                   .to = end})
                          : std::nullopt;
    }
    void makePainter() override { }
    bool isLane(int which) const override { return which != heading; }
    std::optional<qint64> markedTime() const override { return {}; }
    QString describe(const Place&) const override { return lastText; }
    void clicked(const Place& place) override { clicks.emplace_back(place.lane, place.at); }
    void paint(QPainter&, const QRect&, const QRect&) const override { }

private:
    bool m_isFilled = false;
};

static QPoint inLane(int lane, int x = 500)
{
    return {Lanes::gutter + x, Lanes::axis + lane * Lanes::lane + Lanes::lane / 2};
}

class tst_TimeLanesView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsOffViewHasNoPlace()
    {
        const TimeScale scale{100, 200, 10};
        QVERIFY(!scale.visible(0, 90));
        QVERIFY(!scale.visible(210, 300));
        const auto cut = scale.visible(50, 150, 4);
        QVERIFY(cut);
        QCOMPARE(cut->left, -4.0);
        QCOMPARE(cut->right, 5.0);
        QCOMPARE(scale.visible(150, 999)->right, 10.0);
        QCOMPARE(scale.pixelOf(50), 0);
        QCOMPARE(scale.pixelOf(199), 9);
        QCOMPARE(scale.pixelOf(999), 10);
    }

    void aLongRunHasRoundTimes()
    {
        const QStringList texts = test::textsOf(runTicks({0, 100 * second, 600}, 90), &AxisTick::text);
        QCOMPARE(texts.join(u' '), u"0 15 s 30 s 45 s 60 s 75 s 90 s"_s);
    }

    void allIsShownAtFirst()
    {
        Lanes lanes;
        QCOMPARE(lanes.scale().from, Lanes::begin);
        QCOMPARE(lanes.scale().to, Lanes::end);
        QCOMPARE(lanes.accessibleDescription(), u"forty lanes"_s);
        lanes.resize(700, 300);
        QCOMPARE(lanes.scale().to, Lanes::end);
    }

    void theWheelZoomsWhereTheMouseIs()
    {
        Lanes lanes;
        const double x = 250;
        const qint64 there = lanes.scale().at(x);
        lanes.wheel(inLane(2, 250), 3);
        QVERIFY(lanes.scale().to - lanes.scale().from < 50 * second);
        QVERIFY(std::abs(lanes.scale().at(x) - there) < second / 10);
        for (int i = 0; i < 30; ++i)
            lanes.wheel(inLane(2, 250), 5);
        QCOMPARE(lanes.scale().to - lanes.scale().from, second);
    }

    void nothingIsSeenBeyondBothEnds()
    {
        Lanes lanes;
        lanes.wheel(inLane(2), 4);
        for (int i = 0; i < 100; ++i)
            lanes.wheel(inLane(2), 1, Qt::ShiftModifier);
        QCOMPARE(lanes.scale().from, Lanes::begin);
        for (int i = 0; i < 100; ++i)
            lanes.wheel(inLane(2), -1, Qt::ShiftModifier);
        QCOMPARE(lanes.scale().to, Lanes::end);
        lanes.wheel(inLane(2), -50);
        QCOMPARE(lanes.scale().from, Lanes::begin);
        QCOMPARE(lanes.scale().to, Lanes::end);
    }

    void overTheNamesTheWheelScrolls()
    {
        Lanes lanes;
        const TimeScale before = lanes.scale();
        lanes.wheel({10, 100}, -2);
        QCOMPARE(lanes.verticalScrollBar()->value(), 120);
        QCOMPARE(lanes.scale(), before);
    }

    void draggingMovesAndIsNoClick()
    {
        Lanes lanes;
        lanes.wheel(inLane(2), 4);
        const qint64 before = lanes.scale().from;
        const qint64 length = lanes.scale().to - before;
        lanes.drag(inLane(6, 500), inLane(4, 400));
        QVERIFY(std::abs(lanes.scale().from - before - length / 10) < length / 100);
        QCOMPARE(lanes.scale().to - lanes.scale().from, length);
        QCOMPARE(lanes.verticalScrollBar()->value(), 2 * Lanes::lane);
        QVERIFY(lanes.clicks.empty());
    }

    void aClickReportsLaneAndTime()
    {
        Lanes lanes;
        QTest::mouseClick(lanes.viewport(), Qt::LeftButton, {}, inLane(5, 300));
        QCOMPARE(lanes.clicks.size(), 1U);
        QCOMPARE(lanes.clicks[0].first, 5);
        QVERIFY(std::abs(lanes.clicks[0].second - lanes.scale().at(300)) < second);
        for (const QPoint& nowhere : {inLane(Lanes::heading), QPoint(10, 100), QPoint(300, 5)})
            QTest::mouseClick(lanes.viewport(), Qt::LeftButton, {}, nowhere);
        QCOMPARE(lanes.clicks.size(), 1U);
    }

    void keysZoomAndPage()
    {
        Lanes lanes;
        lanes.setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&lanes));
        QTest::keyClick(&lanes, Qt::Key_Plus);
        const qint64 length = lanes.scale().to - lanes.scale().from;
        QVERIFY(length < 80 * second);
        QTest::keyClick(&lanes, Qt::Key_PageDown);
        QCOMPARE(lanes.scale().to, Lanes::end);
        QTest::keyClick(&lanes, Qt::Key_PageUp);
        QTest::keyClick(&lanes, Qt::Key_PageUp);
        QCOMPARE(lanes.scale().from, Lanes::begin);
        QCOMPARE(lanes.scale().to - lanes.scale().from, length);
        QTest::keyClick(&lanes, Qt::Key_0);
        QCOMPARE(lanes.scale().to, Lanes::end);
    }

    void theScrollBarFollowsAndLeads()
    {
        Lanes lanes;
        QScrollBar& bar = *lanes.horizontalScrollBar();
        QCOMPARE(bar.maximum(), 0);
        lanes.wheel(inLane(2, 0), 4);
        QVERIFY(bar.maximum() > 0);
        QCOMPARE(bar.value(), 0);
        bar.setValue(bar.maximum());
        QVERIFY(Lanes::end - lanes.scale().to < second);
    }

    void namesAreNoMarkup()
    {
        Lanes lanes;
        const auto ask = [&lanes](QPoint where) {
            QHelpEvent event(QEvent::ToolTip, where, lanes.viewport()->mapToGlobal(where));
            QApplication::sendEvent(lanes.viewport(), &event);
        };
        ask(inLane(2));
        QVERIFY(QToolTip::text().contains(u"&lt;b&gt;of others&lt;/b&gt;"));
        lanes.lastText.clear();
        ask(inLane(2));
        QTRY_VERIFY(!QToolTip::isVisible());
    }

    void whileEmptyNothingCanBeDone()
    {
        Lanes lanes(false);
        lanes.setEmptyText(u"No run yet."_s, u"Run a scenario."_s);
        QCOMPARE(lanes.accessibleDescription(), u"No run yet. Run a scenario."_s);
        for (const QAction* action : lanes.actions())
            QVERIFY2(!action->isEnabled(), qPrintable(action->text()));
        lanes.wheel(inLane(2), 4);
        lanes.drag(inLane(2), inLane(5));
        QTest::mouseClick(lanes.viewport(), Qt::LeftButton, {}, inLane(2));
        QVERIFY(lanes.clicks.empty());
        lanes.fill();
        for (const QAction* action : lanes.actions())
            QVERIFY2(action->isEnabled(), qPrintable(action->text()));
    }

    void ticksAreRoundTimes_data()
    {
        test::addColumns<int, int, QString>("from", "to", "ticks");
        test::row("20 seconds", 3, 23, "12:00:05 12:00:10 12:00:15 12:00:20");
        test::row("quarter of an hour", 60, 900, "12:05 12:10 12:15");
        test::row("half a day, over midnight", 0, 43'200 + 3'600, "12:00 15:00 18:00 21:00 *23 Nov");
        test::row("a week", 0, 7 * 86'400, "*23 Nov *25 Nov *27 Nov *29 Nov");
    }
    void ticksAreRoundTimes()
    {
        FETCH(const int, from, const int, to);
        const test::MadeTime time;
        QStringList texts;
        for (const AxisTick& tick : axisTicks({time.at(from).us, time.at(to).us, 400}, 80))
            texts << (tick.isDay ? u'*' + tick.text : tick.text);
        QTEST(texts.join(u' '), "ticks");
    }
};

LOCKSCOPE_TEST(tst_TimeLanesView)

} // namespace tst_TimeLanesView
#include "tst_TimeLanesView.moc"
