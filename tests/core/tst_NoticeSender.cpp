// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/IncidentWatch.h"
#include "tests/support/HttpServer.h"
#include "tests/support/MadeIncidents.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_NoticeSender {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::test;
using namespace lockscope::watch;

static ChannelSettings hookTo(const HttpServer& server, const QString& name = u"hook"_s)
{
    ChannelSettings settings;
    settings.name = name;
    settings.url = server.url();
    return settings;
}

static NoticeSenderOptions optionsOf(const QString& path)
{
    return {.path = path, .firstPause = 20ms, .longestPause = 50ms, .claim = 2s, .pollInterval = 20ms};
}

static QStringList keysOf(const HttpServer::Request& request)
{
    QStringList keys;
    for (const auto& each : QJsonDocument::fromJson(request.body)[u"notices"_s].toArray())
        keys << each[u"key"_s].toString();
    return keys;
}

static QStringList keysOf(const QList<HttpServer::Request>& requests)
{
    QStringList keys;
    for (const HttpServer::Request& each : requests)
        keys << keysOf(each);
    return keys;
}

static QByteArray headerOf(const HttpServer& server, qsizetype request)
{
    return server.requests().value(request).headers.value("idempotency-key");
}

const HttpServer::Answer never{.bytes = {}, .closes = false};

class tst_NoticeSender : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(u"incidents.sqlite"_s);
        m_store = std::move(*IncidentStore::open(m_path));
        m_keys = 0;
    }
    void cleanup()
    {
        m_store.reset();
        QVERIFY(BackgroundThread::waitForDetached(patience));
    }

    void theyArriveInTheirOrder()
    {
        const HttpServer server;
        NoticeSender sender({hookTo(server)}, optionsOf(m_path));
        const QSignalSpy delivered(&sender, &NoticeSender::delivered);
        for (int i = 0; i < 3; ++i) {
            queue({u"hook"_s});
            sender.wake();
        }
        QVERIFY(waitUntil([&] { return server.requests().size() == 3; }));
        COMPARE_TEXTS(keysOf(server.requests()), "key 1", "key 2", "key 3");
        QVERIFY(sender.waitUntilSent(patience));
        QCOMPARE(waitingFor(u"hook"_s), 0);
        QVERIFY(waitUntil([&] { return delivered.count() == 3; }));
    }

    void oneChannelDelaysNoOther()
    {
        const HttpServer slow([](const HttpServer::Request&) { return never; });
        const HttpServer fast;
        const NoticeSender sender({hookTo(slow, u"slow"_s), hookTo(fast, u"fast"_s)}, optionsOf(m_path));
        queue({u"slow"_s, u"fast"_s});
        QVERIFY(waitUntil([&] { return slow.requests().size() == 1; }));
        queue({u"slow"_s, u"fast"_s});
        QVERIFY(waitUntil([&] { return fast.requests().size() == 2; }));
        QCOMPARE(waitingFor(u"slow"_s), 2);
    }

    void aFailureIsTriedAgainWithTheSameKey()
    {
        std::atomic<bool> isAway = true;
        const HttpServer server(
            [&](const HttpServer::Request&) { return HttpServer::status(isAway ? 503 : 200); });
        NoticeSender sender({hookTo(server)}, optionsOf(m_path));
        const QSignalSpy failures(&sender, &NoticeSender::failed);
        queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return failures.count() >= 2; }));
        QCOMPARE(failures.first().first().toString(), u"hook"_s);
        QVERIFY(m_store->queue()->first().failingSince.isValid());
        QVERIFY(m_store->queue()->first().lastError.contains(u"503"_s));
        isAway = false;
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        QCOMPARE(keysOf(server.requests()).count(u"key 1"_s), server.requests().size());
        QVERIFY(!m_store->queue()->first().failingSince.isValid());
    }

    void aRefusedOneIsDroppedAndSaidSo()
    {
        const HttpServer server([](const HttpServer::Request& request) {
            return HttpServer::status(request.body.contains("key 1") ? 400 : 200, "invalid_payload");
        });
        const NoticeSender sender({hookTo(server)}, optionsOf(m_path));
        const qint64 incident = queue({u"hook"_s});
        queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        COMPARE_TEXTS(keysOf(server.requests()), "key 1", "key 2");
        const QString step = m_store->steps(incident)->last().what;
        QVERIFY2(step.startsWith(u"hook does not take this notice"_s) && step.contains(u"invalid_payload"_s),
            qPrintable(step));
    }

    /// Ten together are too large for the receiver, or one of them has a fault: the others arrive all the
    /// same.
    void ofSeveralOnlyTheRefusedOneIsDropped()
    {
        const HttpServer server([](const HttpServer::Request& request) {
            const bool isOne = keysOf(request).size() == 1;
            return HttpServer::status(isOne && !request.body.contains("\"key 4\"") ? 200 : 413, "too large");
        });
        for (int i = 0; i < 10; ++i)
            queue({u"hook"_s});
        const NoticeSender sender({hookTo(server)}, optionsOf(m_path));
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        QCOMPARE(keysOf(server.requests().first()).size(), 10);
        QCOMPARE(server.requests().size(), 11);
        QCOMPARE(m_store->queue()->first().dropped, 1);
    }

    /// A notice on which its receiver fails again and again does not hold up the others for ever.
    void whatItsReceiverFailsOnIsGivenUpInTheEnd()
    {
        const HttpServer server([](const HttpServer::Request& request) {
            return HttpServer::status(request.body.contains("key 1") ? 500 : 200, "parse error");
        });
        NoticeSenderOptions options = optionsOf(m_path);
        options.maxRefusals = 4;
        options.refusedFor = 100ms;
        const NoticeSender sender({hookTo(server)}, options);
        const qint64 incident = queue({u"hook"_s});
        queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        const QStringList keys = keysOf(server.requests());
        QVERIFY2(keys.count(u"key 1"_s) >= 4, qPrintable(keys.join(u' ')));
        QCOMPARE(keys.last(), u"key 2"_s);
        const QString step = m_store->steps(incident)->last().what;
        QVERIFY2(
            step.startsWith(u"hook does not take this notice. It was tried "_s) && step.contains(u"500"_s),
            qPrintable(step));
        // A message that was sent since does not hide it.
        const IncidentStore::QueueState state = m_store->queue()->first();
        QVERIFY(!state.failingSince.isValid() && state.lastSent.isValid());
        QCOMPARE(state.dropped, 1);
        QVERIFY(state.droppedAt.isValid() && state.droppedWhy.contains(u"500"_s));
    }

    /// If the receiver can't be reached, nothing is lost, however long that takes.
    void whatCantBeReachedIsNeverGivenUp()
    {
        NoticeSenderOptions options = optionsOf(m_path);
        options.maxRefusals = 2;
        options.refusedFor = 0ms;
        ChannelSettings settings;
        {
            const HttpServer away;
            settings = hookTo(away);
        }
        NoticeSender sender({settings}, options);
        const QSignalSpy failures(&sender, &NoticeSender::failed);
        queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return failures.count() >= 5; }));
        QCOMPARE(waitingFor(u"hook"_s), 1);
    }

    void itWaitsAsLongAsItsReceiverAsks()
    {
        const HttpServer server(
            [](const HttpServer::Request&) { return HttpServer::status(503, {}, "Retry-After: 120\r\n"); });
        NoticeSender sender({hookTo(server)}, optionsOf(m_path));
        const QSignalSpy failures(&sender, &NoticeSender::failed);
        queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return failures.count() == 1; }));
        const ServerTime now = ownClock();
        QVERIFY(m_store->take(u"hook"_s, u"test"_s, now + 100s, now + 101s, 1)->isEmpty());
        QCOMPARE(m_store->take(u"hook"_s, u"test"_s, now + 121s, now + 122s, 1)->size(), 1);
    }

    /// A message that failed may have arrived: later notices do not change it.
    void manyAreOneMessageAndStayIt()
    {
        for (int i = 0; i < 7; ++i)
            queue({u"hook"_s});
        std::atomic<int> answers = 0;
        const HttpServer server(
            [&](const HttpServer::Request&) { return HttpServer::status(++answers < 2 ? 503 : 200); });
        NoticeSenderOptions options = optionsOf(m_path);
        options.firstPause = options.longestPause = 500ms;
        const NoticeSender sender({hookTo(server)}, options);
        QVERIFY(waitUntil([&] { return server.requests().size() == 1; }));
        for (int i = 0; i < 6; ++i)
            queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        QCOMPARE(server.requests().size(), 3);
        QCOMPARE(keysOf(server.requests().at(0)).size(), 7);
        QCOMPARE(keysOf(server.requests().at(1)).size(), 7);
        QCOMPARE(headerOf(server, 1), headerOf(server, 0));
        QCOMPARE(keysOf(server.requests().at(2)).size(), 6);
    }

    void whatIsNotSentYetIsGivenUpAtOnce()
    {
        const HttpServer slow([](const HttpServer::Request&) { return never; });
        QVERIFY(isOncePrompt(100ms, [&]() -> Taken {
            auto sender = std::make_unique<NoticeSender>(std::vector{hookTo(slow)}, optionsOf(m_path));
            const auto before = slow.requests().size();
            queue({u"hook"_s});
            if (!waitUntil([&] { return slow.requests().size() > before; }))
                return failed("not sent");
            const auto asked = std::chrono::steady_clock::now();
            sender.reset();
            if (!BackgroundThread::waitForDetached(patience))
                return failed("not ended");
            return std::chrono::steady_clock::now() - asked;
        }));
        // It is nobody's now, and no failure.
        const ServerTime now = ownClock();
        QVERIFY(!m_store->take(u"hook"_s, u"test"_s, now, now + 1s, 1)->isEmpty());
        QVERIFY(!m_store->queue()->first().failingSince.isValid());
    }

    void twoProgramsSendEachOnce()
    {
        const HttpServer server;
        const NoticeSender one({hookTo(server)}, optionsOf(m_path));
        const NoticeSender two({hookTo(server)}, optionsOf(m_path));
        for (int i = 0; i < 60; ++i)
            queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        QStringList expected;
        for (int i = 1; i <= 60; ++i)
            expected << u"key %1"_s.arg(i);
        QCOMPARE(keysOf(server.requests()), expected);
    }

    void killedBetweenSendingAndNotingItIsSentTwiceWithOneKey()
    {
        QProcess child;
        std::atomic<qint64> process = 0;
        const HttpServer server([&](const HttpServer::Request&) {
            if (const qint64 number = process.exchange(0))
                ::kill(static_cast<pid_t>(number), SIGKILL); // it is here, and not noted there
            return HttpServer::status(200);
        });
        child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        child.start(QCoreApplication::applicationFilePath(), {thisTest(), u"send"_s, m_path, server.url()});
        QVERIFY(child.waitForStarted());
        process = child.processId();
        for (int i = 0; i < 3; ++i)
            queue({u"hook"_s});
        QVERIFY(child.waitForFinished(int(patience.count())));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        QCOMPARE(server.requests().size(), 1);
        QCOMPARE(waitingFor(u"hook"_s), 3);

        const NoticeSender again({hookTo(server)}, optionsOf(m_path));
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        COMPARE_TEXTS(keysOf(server.requests()), "key 1", "key 1", "key 2", "key 3");
        QCOMPARE(headerOf(server, 1), headerOf(server, 0));
    }

    void aMissingSecretLosesNothing()
    {
        const HttpServer server;
        ChannelSettings settings = hookTo(server);
        settings.secret = u"file:"_s + m_folder->filePath(u"key"_s);
        NoticeSender sender({settings}, optionsOf(m_path));
        const QSignalSpy failures(&sender, &NoticeSender::failed);
        queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return failures.count() > 0; }));
        QCOMPARE(waitingFor(u"hook"_s), 1);
        const QString file = makeFile(m_folder->filePath(u"new"_s), "T0KEN", QFileDevice::ReadOwner);
        QVERIFY(QFile::rename(file, m_folder->filePath(u"key"_s)));
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        QCOMPARE(server.requests().value(0).headers.value("authorization"), "Bearer T0KEN");
    }

    void settingsChangeWhileItRuns()
    {
        const HttpServer first;
        const HttpServer second;
        NoticeSender sender({hookTo(first)}, optionsOf(m_path));
        queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return waitingFor(u"hook"_s) == 0; }));
        sender.setChannels({hookTo(second)});
        queue({u"hook"_s});
        QVERIFY(waitUntil([&] { return second.requests().size() == 1; }));
        QCOMPARE(first.requests().size(), 1);
        // A message without a channel waits until there is one.
        sender.setChannels({});
        queue({u"hook"_s});
        sender.setChannels({hookTo(second)});
        QVERIFY(waitUntil([&] { return second.requests().size() == 2; }));
    }

private:
    /// Another incident, with a notice for each of the channels. Returns its number.
    qint64 queue(const QStringList& channels)
    {
        ++m_keys;
        Notice notice = madeNotice();
        notice.key = u"key %1"_s.arg(m_keys);
        notice.incident.cause.resource = notice.key;
        QList<QueuedNotice> notices;
        for (const QString& each : channels)
            notices << QueuedNotice{.channel = each, .notice = notice, .nextTry = {}, .lastError = {}};
        return orDie(m_store->fire(notice.incident, notices, {})).id;
    }
    int waitingFor(const QString& channel) const
    {
        const auto states = m_store->queue();
        for (const IncidentStore::QueueState& each : states.value())
            if (each.channel == channel)
                return each.waiting;
        return 0;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
    std::unique_ptr<IncidentStore> m_store;
    int m_keys = 0;
};

/// A second process, which sends until it is killed.
static std::optional<int> play(const QStringList& arguments)
{
    const qsizetype at = arguments.indexOf(u"send"_s);
    if (at < 0 || arguments.size() != at + 3)
        return std::nullopt;
    ChannelSettings settings;
    settings.name = u"hook"_s;
    settings.url = arguments.at(at + 2);
    const NoticeSender sender({settings}, optionsOf(arguments.at(at + 1)));
    return QCoreApplication::exec();
}

LOCKSCOPE_TEST_WITH_PARTS(tst_NoticeSender, play)

} // namespace tst_NoticeSender
#include "tst_NoticeSender.moc"
