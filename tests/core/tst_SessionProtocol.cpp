// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The messages between a run and the processes of its sessions: all arrive, and nonsense is refused.

#include "core/scenario/run/SessionProtocol.h"
#include "tests/support/TestProgram.h"

namespace tst_SessionProtocol {

using namespace lockscope;
using namespace lockscope::scenario;
using test::waitUntil;

static SessionTask anyTask()
{
    SessionTask task;
    task.scenario = "{\"id\": \"ä\"}";
    task.variant = u"unsafe"_s;
    task.role = 2;
    task.number = 200;
    task.name = u"run_1/200 cashier"_s;
    task.values = {{u"accounts"_s, qint64(-7)}, {u"name"_s, u"\"Jürgen\""_s}, {u"nothing"_s, db::Param()},
        {u"share"_s, 0.25}, {u"flag"_s, true}, {u"when"_s, ServerTime{5}}};
    task.identifiers = {{u"schema"_s, u"\"lockscope_run_1\""_s}};
    task.url = u"postgresql://ann@host/shop"_s;
    task.password = u"päss\nword"_s;
    task.schema = u"lockscope_run_1"_s;
    task.lockPrefix = u"run_1/"_s;
    task.seed = 4'000'000'000;
    task.pace = {milliseconds(20), 2.5};
    task.resume = ResumePoint{12, 34, true};
    return task;
}

static SessionLog::Copy anyLog()
{
    SessionLog log(3);
    log.note(EventKind::RoundBegin);
    log.note(EventKind::Processed, u"item"_s);
    log.noteWait(microseconds(1'234));
    log.noteWait(microseconds(98'765'432));
    log.note(EventKind::Died);
    log.note(EventKind::RoundEnd); // one too many
    return log.copy();
}

static QByteArray withoutHead(const QByteArray& frame)
{
    return frame.mid(4);
}

class tst_SessionProtocol : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tasksArrive()
    {
        const SessionTask sent = anyTask();
        const auto order = orderFrom(withoutHead(toFrame(SessionOrder(sent))));
        QVERIFY(order);
        const auto& task = std::get<SessionTask>(*order);
        QCOMPARE(task.scenario, sent.scenario);
        QCOMPARE(task.variant, sent.variant);
        QCOMPARE(task.role, sent.role);
        QCOMPARE(task.number, sent.number);
        QCOMPARE(task.name, sent.name);
        QVERIFY(task.values == sent.values);
        QCOMPARE(task.identifiers, sent.identifiers);
        QCOMPARE(task.url, sent.url);
        QCOMPARE(task.password, sent.password);
        QCOMPARE(task.schema, sent.schema);
        QCOMPARE(task.lockPrefix, sent.lockPrefix);
        QCOMPARE(task.seed, sent.seed);
        QVERIFY(task.pace.think == sent.pace.think);
        QCOMPARE(task.pace.rate, sent.pace.rate);
        QVERIFY(task.resume);
        QCOMPARE(task.resume->rounds, 12);
        QCOMPARE(task.resume->draws, 34);
        QVERIFY(task.resume->wasComplete);
    }

    void logsArrive()
    {
        const SessionLog::Copy sent = anyLog();
        const auto news = messageFrom(withoutHead(toFrame(SessionMessage(LogMessage{sent}))));
        QVERIFY(news);
        const SessionLog::Copy& log = std::get<LogMessage>(*news).log;
        QCOMPARE(log.events.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(log.events[i].us, sent.events[i].us);
            QVERIFY(log.events[i].kind == sent.events[i].kind);
            QCOMPARE(log.events[i].subject, sent.events[i].subject);
        }
        QCOMPARE(log.subjects, sent.subjects);
        QCOMPARE(log.dropped, 1);
        QVERIFY(log.latest == EventKind::RoundEnd);
        QCOMPARE(log.counts.rounds, 1);
        QCOMPARE(log.counts.processed, 1);
        QCOMPARE(log.counts.deaths, 1);
        QCOMPARE(log.waits.count(), 2);
        QVERIFY(log.waits.longest() == microseconds(98'765'432));
        QVERIFY(log.waits.quantile(0.5) == sent.waits.quantile(0.5));
    }

    void everyMessageArrives()
    {
        const auto start = Steady::now();
        const auto begin = orderFrom(withoutHead(toFrame(SessionOrder(BeginOrder{start}))));
        QVERIFY(begin && std::get<BeginOrder>(*begin).start == start);
        for (const SessionOrder& order : {SessionOrder(EndRoundsOrder()), SessionOrder(CancelOrder())}) {
            const auto read = orderFrom(withoutHead(toFrame(order)));
            QVERIFY(read && read->index() == order.index());
        }
        for (const SessionMessage& news :
            {SessionMessage(ConnectedMessage()), SessionMessage(FinishedMessage())}) {
            const auto read = messageFrom(withoutHead(toFrame(news)));
            QVERIFY(read && read->index() == news.index());
        }
        const auto crash =
            messageFrom(withoutHead(toFrame(SessionMessage(CrashMessage{{1, 2, false}, milliseconds(30)}))));
        QVERIFY(crash);
        const auto& result = std::get<CrashMessage>(*crash);
        QCOMPARE(result.resume.rounds, 1);
        QCOMPARE(result.resume.draws, 2);
        QVERIFY(!result.resume.wasComplete);
        QVERIFY(result.restart == milliseconds(30));
        const Error error{.kind = ErrorKind::Login,
            .what = u"what"_s,
            .server = u"server"_s,
            .detail = u"detail"_s,
            .hint = u"hint"_s,
            .nativeCode = u"28P01"_s};
        const auto failed = messageFrom(withoutHead(toFrame(SessionMessage(FailedMessage{error}))));
        QVERIFY(failed && std::get<FailedMessage>(*failed).error == error);
    }

    void framesAreCut()
    {
        const QByteArray both =
            toFrame(SessionMessage(LogMessage{anyLog()})) + toFrame(SessionMessage(FinishedMessage()));
        FrameReader reader;
        std::vector<std::size_t> kinds;
        for (const char byte : both) {
            reader.add(QByteArray(1, byte));
            while (const auto frame = reader.next())
                kinds.push_back(messageFrom(*frame).value().index());
        }
        QVERIFY(!reader.isBroken());
        QCOMPARE(kinds, (std::vector<std::size_t>{1, 4}));
        reader.add("Segmentation fault");
        QVERIFY(!reader.next());
        QVERIFY(reader.isBroken());
    }

    void nonsenseIsRefused_data()
    {
        QTest::addColumn<QByteArray>("frame");
        test::row("nothing", QByteArray());
        test::row("text", QByteArray("lockscope-session: error"));
        test::row("an order", withoutHead(toFrame(SessionOrder(anyTask()))));
        test::row("more than a message", withoutHead(toFrame(SessionMessage(FinishedMessage()))) + '\0');
        QByteArray unknown = withoutHead(toFrame(SessionMessage(FinishedMessage())));
        unknown[3] = 77;
        test::row("unknown message", unknown);
        SessionLog::Copy log = anyLog();
        log.events[1].subject = 2;
        test::row("unknown subject", withoutHead(toFrame(SessionMessage(LogMessage{log}))));
        log = anyLog();
        log.events[1].kind = static_cast<EventKind>(99);
        test::row("unknown event", withoutHead(toFrame(SessionMessage(LogMessage{log}))));
    }
    void nonsenseIsRefused()
    {
        QFETCH(QByteArray, frame);
        QVERIFY(!messageFrom(frame));
    }

    void shortenedFramesAreRefused()
    {
        const QByteArray news = withoutHead(toFrame(SessionMessage(LogMessage{anyLog()})));
        for (qsizetype size = 0; size < news.size(); ++size)
            QVERIFY(!messageFrom(news.left(size)));
        const QByteArray order = withoutHead(toFrame(SessionOrder(anyTask())));
        for (qsizetype size = 0; size < order.size(); ++size)
            QVERIFY(!orderFrom(order.left(size)));
    }

    void logsAreAppended()
    {
        SessionLog there(100);
        SessionLog here(4);
        there.note(EventKind::WaitBegin, u"a"_s);
        here.append(there.take());
        QVERIFY(here.latest() == EventKind::WaitBegin);
        there.note(EventKind::Granted, u"a"_s);
        there.note(EventKind::Processed, u"b"_s);
        here.append(there.take());
        // A second program of the session has numbers of its own.
        SessionLog other(100);
        other.note(EventKind::Processed, u"b"_s);
        other.note(EventKind::Processed, u"a"_s);
        other.noteWait(microseconds(7));
        here.append(other.take());
        const SessionLog::Copy log = here.copy();
        COMPARE_TEXTS(log.subjects, "", "a", "b");
        QCOMPARE(log.events.size(), 4U);
        QCOMPARE(log.events[1].subject, 1U);
        QCOMPARE(log.events[3].subject, 2U);
        QCOMPARE(log.dropped, 1);
        QCOMPARE(log.counts.processed, 3);
        QCOMPARE(log.waits.count(), 1);
        QVERIFY(there.take().events.empty());
    }

    void newsAreAwaited()
    {
        SessionLog log(100);
        std::stop_source stop;
        log.note(EventKind::RoundBegin);
        QVERIFY(log.waitForEvents(stop.get_token()));
        std::ignore = log.take();
        std::jthread later([&log] { log.note(EventKind::RoundEnd); });
        QVERIFY(log.waitForEvents(stop.get_token()));
        later.join();
        std::ignore = log.take();
        // A thread that waits already is stopped, too.
        std::atomic<bool> waits = false;
        auto waiter = std::async(std::launch::async, [&] {
            waits = true;
            return log.waitForEvents(stop.get_token());
        });
        const auto inAnyCase = qScopeGuard([&log] { log.note(EventKind::RoundBegin); });
        QVERIFY(waitUntil([&waits] { return waits.load(); }));
        QCOMPARE(waiter.wait_for(milliseconds(20)), std::future_status::timeout); // it waits by now
        stop.request_stop();
        QCOMPARE(waiter.wait_for(test::patience), std::future_status::ready);
        QVERIFY(!waiter.get());
        QVERIFY(!log.waitForEvents(stop.get_token()));
    }
};

LOCKSCOPE_TEST(tst_SessionProtocol)

} // namespace tst_SessionProtocol
#include "tst_SessionProtocol.moc"
