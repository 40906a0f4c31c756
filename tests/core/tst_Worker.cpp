// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Worker.h"
#include "tests/support/TestProgram.h"

namespace tst_Worker {

using namespace lockscope;

/// A job that goes on until a stop is requested.
class Hanging {
public:
    int operator()(const std::stop_token& stop) const
    {
        m_state->begun = true;
        sleepFor(std::chrono::hours(1), stop);
        m_state->stopped = true;
        return 7;
    }
    bool hasBegun() const { return m_state->begun; }
    bool wasStopped() const { return m_state->stopped; }

private:
    struct State {
        std::atomic<bool> begun = false;
        std::atomic<bool> stopped = false;
    };
    std::shared_ptr<State> m_state = std::make_shared<State>();
};

class tst_Worker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answersInOrderOnTheCallersThread()
    {
        Worker worker;
        QList<int> answers;
        QThread* const here = QThread::currentThread();
        for (int i = 0; i < 3; ++i) {
            worker.ask(
                this, [i, here](const std::stop_token&) { return here == QThread::currentThread() ? -1 : i; },
                [&answers, here](
                    int answer) { answers << (here == QThread::currentThread() ? answer : -2); });
        }
        QVERIFY(answers.isEmpty());
        QTRY_COMPARE(answers, (QList<int>{0, 1, 2}));
    }

    void carriesWhatCanOnlyBeMoved()
    {
        Worker worker;
        std::unique_ptr<int> got;
        worker.ask(
            this, [](const std::stop_token&) { return std::make_unique<int>(3); },
            [&got](std::unique_ptr<int> answer) { got = std::move(answer); });
        QTRY_VERIFY(got);
        QCOMPARE(*got, 3);
    }

    void dropsTheReplyOfWhoIsGone()
    {
        Worker worker;
        bool answered = false;
        bool later = false;
        {
            QObject context;
            worker.ask(
                &context, [](const std::stop_token&) { return 1; }, [&answered](int) { answered = true; });
        }
        worker.ask(
            this, [](const std::stop_token&) { return 1; }, [&later](int) { later = true; });
        QTRY_VERIFY(later);
        QVERIFY(!answered);
    }

    void itsEndStopsWhatRunsAndDropsWhatWaits()
    {
        const Hanging hanging;
        bool answered = false;
        std::atomic<bool> ranLater = false;
        std::atomic<bool> ended = false;
        {
            Worker worker([&ended] { ended = true; });
            worker.ask(this, hanging, [&answered](int) { answered = true; });
            worker.post([&ranLater](const std::stop_token&) { ranLater = true; });
            QTRY_VERIFY(hanging.hasBegun());
        } // would never return if it waited
        QTRY_VERIFY(hanging.wasStopped());
        QTRY_VERIFY(ended);
        QTRY_VERIFY(answered); // it was under way, and who asked lives
        QVERIFY(!ranLater);
    }

    void goesOnAfterACancel()
    {
        const Hanging hanging;
        Worker worker;
        QList<int> answers;
        const auto note = [&answers](int answer) { answers << answer; };
        worker.ask(this, hanging, note);
        worker.ask(
            this, [](const std::stop_token&) { return 1; }, note);
        QTRY_VERIFY(hanging.hasBegun());
        worker.cancel();
        worker.ask(
            this, [](const std::stop_token&) { return 2; }, note);
        QTRY_COMPARE(answers.size(), 2);
        QVERIFY(answers.contains(2) && answers.contains(7) && !answers.contains(1));
    }

    void endsOnItsOwnThread()
    {
        QThread* jobOn = nullptr;
        std::atomic<QThread*> endedOn = nullptr;
        {
            Worker worker([&endedOn] { endedOn = QThread::currentThread(); });
            worker.ask(
                this, [](const std::stop_token&) { return QThread::currentThread(); },
                [&jobOn](QThread* thread) { jobOn = thread; });
            QTRY_VERIFY(jobOn);
        }
        QTRY_VERIFY(endedOn.load());
        QCOMPARE(endedOn.load(), jobOn);
    }

    void oneThatWasNeverUsedEndsQuietly()
    {
        bool ended = false;
        {
            Worker worker([&ended] { ended = true; });
        }
        QVERIFY(!ended);
    }
};

LOCKSCOPE_TEST(tst_Worker)

} // namespace tst_Worker
#include "tst_Worker.moc"
