// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/ServerMonitor.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"

namespace tst_PollPlaces {

using namespace lockscope;
using namespace lockscope::monitor;
using test::waitUntil;

/// Counts the polls under way, and all polls.
struct Count {
    std::atomic<int> now = 0;
    std::atomic<int> atOnce = 0;
    std::atomic<int> polls = 0;
};

/// Answers after a while, or only once it is stopped.
static auto countedSource(Count& count, bool hangs)
{
    return test::sourceOf([&count, hangs](const std::stop_token& stop) {
        count.atOnce = std::max(int(count.atOnce), ++count.now);
        for (int i = 0; hangs ? !stop.stop_requested() : i < 10; ++i)
            std::this_thread::sleep_for(1ms);
        --count.now;
        ++count.polls;
        return std::make_shared<Snapshot>();
    });
}

class Crowd {
public:
    Crowd(int count, const std::shared_ptr<PollPlaces>& places, bool hangs)
    {
        for (int i = 0; i < count; ++i) {
            m_monitors.push_back(std::make_unique<ServerMonitor>(countedSource(m_count, hangs)));
            m_monitors.back()->setInterval(100ms);
            m_monitors.back()->setPlaces(places);
            m_monitors.back()->start();
        }
    }
    ~Crowd()
    {
        m_monitors.clear();
        static_cast<void>(BackgroundThread::waitForDetached(30s));
    }
    const Count& count() const { return m_count; }

private:
    Count m_count;
    std::vector<std::unique_ptr<ServerMonitor>> m_monitors;
};

class tst_PollPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noMorePollsAtOnceThanPlaces()
    {
        const auto places = std::make_shared<PollPlaces>(4, 1h);
        const Crowd crowd(20, places, false);
        QVERIFY(waitUntil([&] { return crowd.count().polls > 60; }));
        QVERIFY(crowd.count().atOnce <= 3);
        places->setCount(12);
        QVERIFY(waitUntil([&] { return crowd.count().atOnce > 4; }));
        QVERIFY(crowd.count().atOnce <= 9);
    }

    /// Servers that hang have all places at first, and none soon after.
    void serversThatHangHoldNoPlace()
    {
        const auto places = std::make_shared<PollPlaces>(4, 20ms);
        const Crowd hanging(20, places, true);
        QVERIFY(waitUntil([&] { return hanging.count().now == 20; }));
        const Crowd living(3, places, false);
        QVERIFY(waitUntil([&] { return living.count().polls > 20; }));
        QCOMPARE(int(hanging.count().now), 20);
    }

    void whoseServersFailedHaveOtherPlaces()
    {
        PollPlaces places(4, 1h);
        const auto failed = places.take(true, {});
        QVERIFY(failed);
        std::stop_source stop;
        std::atomic<bool> isServed = false;
        std::jthread second([&] { isServed = places.take(true, stop.get_token()).has_value(); });
        const auto one = places.take(false, {});
        const auto two = places.take(false, {});
        const auto three = places.take(false, {});
        QVERIFY(one && two && three);
        stop.request_stop();
        second.join();
        QVERIFY(!isServed);
    }

    void firstCameFirstServed()
    {
        PollPlaces places(2, 1h);
        auto held = places.take(false, {});
        std::atomic<int> served = 0;
        std::vector<int> order(3);
        std::vector<std::jthread> threads;
        std::atomic<int> waiting = 0;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&, i] {
                ++waiting;
                const auto place = places.take(false, {});
                order[size_t(served++)] = i;
            });
            QVERIFY(waitUntil([&] { return waiting == i + 1; }));
            std::this_thread::sleep_for(20ms); // from there to the queue
        }
        held.reset();
        threads.clear();
        QCOMPARE(order, (std::vector{0, 1, 2}));
    }
};

LOCKSCOPE_TEST(tst_PollPlaces)

} // namespace tst_PollPlaces
#include "tst_PollPlaces.moc"
