// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The time bar by keys: moving, marking a range, playing.

#include "tests/ui/TimeBarRig.h"
#include "ui/kit/widgets/WidgetParts.h"

namespace tst_TimeBarKeys {

using namespace lockscope;
using namespace lockscope::ui;
using test::MadeTime;
using Rig = test::TimeBarRig;

class tst_TimeBarKeys : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keysDoIt_data()
    {
        test::addColumns<Qt::Key, QString>("key", "said");
        test::row("Left", Qt::Key_Left, "step -1");
        test::row("Right", Qt::Key_Right, "step 1");
        test::row("P", Qt::Key_P, "landmark before");
        test::row("N", Qt::Key_N, "landmark next");
        test::row("Space", Qt::Key_Space, "play 1");
        test::row("Escape", Qt::Key_Escape, "live");
        test::row("Return", Qt::Key_Return, "report");
    }
    void keysDoIt()
    {
        QFETCH(const Qt::Key, key);
        Rig rig;
        rig.bar->setPosition(rig.time.at(320));
        rig.bar->setRange(std::pair(rig.time.at(250), rig.time.at(400)));
        QStringList said;
        connect(rig.bar, &TimeBar::stepRequested, this, [&](int count) { said << u"step %1"_s.arg(count); });
        connect(rig.bar, &TimeBar::landmarkRequested, this,
            [&](bool next) { said << (next ? u"landmark next"_s : u"landmark before"_s); });
        connect(
            rig.bar, &TimeBar::playRequested, this, [&](double speed) { said << u"play %1"_s.arg(speed); });
        connect(rig.bar, &TimeBar::liveRequested, this, [&] { said << u"live"_s; });
        connect(rig.bar, &TimeBar::rangeReportRequested, this, [&] { said << u"report"_s; });
        QTest::keyClick(rig.strip, key);
        QTEST(said.join(u", "_s), "said");
    }

    void keysThatMove()
    {
        Rig rig;
        QTest::keyClick(rig.strip, Qt::Key_Home);
        QCOMPARE(rig.bar->position(), rig.time.first());
        QTest::keyClick(rig.strip, Qt::Key_Right, Qt::ShiftModifier);
        const ServerTime small = *rig.bar->position();
        QVERIFY(small - rig.time.first() > 20s && small - rig.time.first() < 40s);
        QTest::keyClick(rig.strip, Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(*rig.bar->position() - small > 100s);
        QTest::keyClick(rig.strip, Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(*rig.bar->position(), small);
        QTest::keyClick(rig.strip, Qt::Key_End);
        QCOMPARE(rig.bar->position(), rig.time.last());
        rig.bar->setPosition(rig.time.at(320));
        QTest::keyClick(rig.strip, Qt::Key_I);
        QVERIFY(rig.bar->visibleRange().second - rig.bar->visibleRange().first < 70s);
        QTest::keyClick(rig.strip, Qt::Key_0);
        QVERIFY(rig.bar->visibleRange().first <= rig.time.first());
        const auto all = rig.bar->visibleRange();
        QTest::keyClick(rig.strip, Qt::Key_Plus);
        QVERIFY(rig.bar->visibleRange().second - rig.bar->visibleRange().first < all.second - all.first);
        QTest::keyClick(rig.strip, Qt::Key_Minus);
        QTest::keyClick(rig.strip, Qt::Key_Minus);
        QCOMPARE(rig.bar->visibleRange(), all);
    }

    void keysMarkARange()
    {
        Rig rig;
        rig.bar->setPosition(rig.time.at(200));
        QTest::keyClick(rig.strip, Qt::Key_BracketLeft);
        QCOMPARE(rig.bar->range(), std::pair(rig.time.at(200), rig.time.last()));
        rig.bar->setPosition(rig.time.at(400));
        QTest::keyClick(rig.strip, Qt::Key_BracketRight);
        QCOMPARE(rig.bar->range(), std::pair(rig.time.at(200), rig.time.at(400)));
    }

    void itsSpaceDoesNotPauseTheWindow()
    {
        Rig rig;
        int pauses = 0;
        addKey(
            rig, u"Window"_s, u"Pause"_s, {Qt::Key_Space}, [&pauses] { ++pauses; }, Qt::WindowShortcut);
        QSignalSpy plays(rig.bar, &TimeBar::playRequested);
        rig.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&rig));
        QTest::keyClick(rig.window()->windowHandle(), Qt::Key_Space);
        QCOMPARE(plays.count(), 1);
        QCOMPARE(pauses, 0);
    }

    void playingIsAskedFor()
    {
        Rig rig;
        rig.bar->setPosition(rig.time.at(100));
        QSignalSpy plays(rig.bar, &TimeBar::playRequested);
        QTest::keyClick(rig.strip, Qt::Key_Period);
        QTest::keyClick(rig.strip, Qt::Key_Period);
        QCOMPARE(plays.count(), 0); // it stands still: chosen for later
        rig.button("playTime")->click();
        QCOMPARE(plays.last().first().toDouble(), 5);
        rig.bar->setPlaying(5);
        QTest::keyClick(rig.strip, Qt::Key_Period);
        QCOMPARE(plays.last().first().toDouble(), 10);
        rig.bar->setPlaying(10);
        rig.button("playTime")->click();
        QCOMPARE(plays.last().first().toDouble(), 0);
        rig.bar->setPlaying(0);
        rig.button("playTime")->click();
        QCOMPARE(plays.last().first().toDouble(), 10);
    }

    void playingWhileLiveBeginsWithWhatIsOnView()
    {
        MadeTime hour = MadeTime::polled(0, 3'600);
        Rig rig(hour);
        const ServerTime from = rig.bar->visibleRange().first;
        QSignalSpy plays(rig.bar, &TimeBar::playRequested);
        rig.button("playTime")->click();
        QCOMPARE(rig.bar->position(), from);
        QCOMPARE(plays.count(), 1);
    }
};

LOCKSCOPE_TEST(tst_TimeBarKeys)

} // namespace tst_TimeBarKeys
#include "tst_TimeBarKeys.moc"
