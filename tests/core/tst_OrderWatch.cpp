// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The order of locks is worked out poll by poll, on a thread that may come late.

#include "tests/support/WatchedLocks.h"

namespace tst_OrderWatch {

using namespace lockscope;
using namespace lockscope::order;
using namespace lockscope::test;

class tst_OrderWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Three transactions; one was there at two polls. The server counts 90 in the minute.
    void transactionsThatCouldNotBeFollowedAreCounted()
    {
        Watched server;
        server.takes(51, "public.a").takes(52, "public.b").addPoll();
        server.done(52).addPoll();
        server.takes(53, "public.b").addPoll().addPoll();
        server.done(51).done(53).addPoll();
        QCOMPARE(server.transactions().seen, 3);
        QCOMPARE(server.transactions().followed, 2);
        OrderWatch watch;
        for (const SnapshotPtr& poll : server.polls())
            watch.note(poll);
        watch.note(SnapshotBuilder(20).take()); // nothing new is worked out after some seconds
        const auto text = [&] { return transactionsText(*watch.state()); };
        VERIFY_STARTS(text(), u"Of 3 transactions that were seen, 1 (33 %) could not be followed"_s);
        watch.noteServerCount(1'200);
        watch.noteServerCount(1'800);
        watch.note(SnapshotBuilder(65).take());
        QVERIFY2(text().startsWith(u"Of about 1,600 transactions that the server counted"_s)
                && text().contains(u"1,598 (99 %)"_s),
            qPrintable(text()));
    }

    /// As when the thread that notes has been at other servers meanwhile.
    void pollsThatWaitedAreWorkedOutTogether()
    {
        Watched server;
        goThrough(server, 51, {"public.orders", "public.stock"});
        goThrough(server, 63, {"public.stock", "public.orders"});
        OrderWatch watch;
        QVERIFY(!watch.state());
        QList<bool> wasFirst;
        for (const SnapshotPtr& poll : server.polls())
            wasFirst << watch.put(poll);
        QCOMPARE(wasFirst.count(true), 1);
        QVERIFY(wasFirst.first() && !watch.state());
        watch.work();
        QCOMPARE(watch.state()->polls, server.polls().size());
        QCOMPARE(watch.state()->found.all.size(), 1); // by the changes between two polls that were queued
        watch.work();
        QCOMPARE(watch.state()->polls, server.polls().size());
        QVERIFY(watch.put(server.polls().last()));
    }

    /// Nothing is concluded from one side of a gap to the other, also where looks were left out.
    void tooManyPollsThatWait()
    {
        Watched server;
        server.takes(51, "public.orders").addPoll().takes(51, "public.stock").addPoll();
        goThrough(server, 63, {"public.stock", "public.orders"});
        const auto& polls = server.polls();
        OrderWatch watch;
        watch.note(polls[0]);
        watch.put(Failure(Error{}));
        for (std::size_t i = 0; i < 2 * OrderWatch::maxWaiting; ++i)
            watch.put(polls[1]);
        for (qsizetype i = 2; i < polls.size(); ++i)
            watch.put(polls[i]);
        watch.work();
        QCOMPARE(watch.state()->polls, qint64(OrderWatch::maxWaiting)); // with the first, without the gap
        QVERIFY(watch.state()->found.all.isEmpty());
    }
};

LOCKSCOPE_TEST(tst_OrderWatch)

} // namespace tst_OrderWatch
#include "tst_OrderWatch.moc"
