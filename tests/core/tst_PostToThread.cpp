// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/PostToThread.h"
#include "tests/support/TestProgram.h"

namespace tst_PostToThread {

using namespace lockscope;

class tst_PostToThread : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsLaterOnTheContextsThread()
    {
        QObject context;
        QThread* ranOn = nullptr;
        postTo(&context, [&] { ranOn = QThread::currentThread(); });
        QVERIFY(!ranOn);
        QTRY_VERIFY(ranOn);
        QCOMPARE(ranOn, context.thread());
    }

    void carriesValuesBetweenThreadsInOrder()
    {
        QObject context;
        std::vector<int> received; // this thread only
        std::jthread sender([&context, &received] {
            for (int i = 0; i < 1000; ++i)
                postTo(
                    &context, [&received, value = std::make_shared<int>(i)] { received.push_back(*value); });
        });
        QTRY_COMPARE(received.size(), size_t(1000));
        for (int i = 0; i < 1000; ++i)
            QCOMPARE(received[static_cast<size_t>(i)], i);
    }

    void dropsWhatComesTooLate()
    {
        auto context = std::make_unique<QObject>();
        QObject later;
        const auto value = std::make_shared<int>(1);
        bool ran = false;
        bool laterRan = false;
        postTo(context.get(), [&ran, value] { ran = true; });
        context.reset();
        postTo(&later, [&laterRan] { laterRan = true; });
        QTRY_VERIFY(laterRan);
        QVERIFY(!ran);
        QCOMPARE(value.use_count(), 1L); // the call was thrown away, not kept
    }
};

LOCKSCOPE_TEST(tst_PostToThread)

} // namespace tst_PostToThread
#include "tst_PostToThread.moc"
