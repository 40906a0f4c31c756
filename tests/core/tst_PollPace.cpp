// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/PollPace.h"
#include "tests/support/TestProgram.h"

namespace tst_PollPace {

using namespace lockscope;
using monitor::PollPace;

class tst_PollPace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPollFillsAQuarterOfTheTime()
    {
        PollPace pace;
        QCOMPARE(pace.pause(1s), 1s);
        for (int i = 0; i < 2; ++i)
            pace.note(100ms, false);
        QCOMPARE(pace.pause(1s), 1s);
        for (int i = 0; i < 2; ++i)
            pace.note(2s, false);
        QCOMPARE(pace.pause(1s), 8s);
        pace.note(10ms, false);
        QCOMPARE(pace.pause(1s), 1s);
    }

    void aBudgetIsASmallerShare()
    {
        PollPace pace;
        pace.setShare(0.01);
        for (int i = 0; i < 2; ++i)
            pace.note(50ms, false);
        QCOMPARE(pace.pause(1s), 5s);
        pace.note(50ms, true);
        QCOMPARE(pace.pause(1s), 3s);
    }

    /// The server hung once: it is polled again as soon as it answers.
    void oneStallLengthensNothing()
    {
        PollPace pace;
        pace.note(5ms, false);
        pace.note(9s, false);
        QCOMPARE(pace.pause(1s), 1s);
        pace.note(5ms, false);
        QCOMPARE(pace.pause(1s), 1s);
    }

    void whileSomebodyWaitsItPollsSoon()
    {
        PollPace pace;
        for (int i = 0; i < 3; ++i)
            pace.note(9s, true);
        QCOMPARE(pace.pause(1s), 3s);
        QCOMPARE(pace.pause(10s), 10s); // as it was asked for
        QCOMPARE(pace.bounded(30s), 3s);
        pace.note(9s, false);
        QCOMPARE(pace.pause(1s), 36s);
        QCOMPARE(pace.bounded(30s), 30s);
    }
};

LOCKSCOPE_TEST(tst_PollPace)

} // namespace tst_PollPace
#include "tst_PollPace.moc"
