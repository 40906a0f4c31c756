// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFile.h"
#include "core/watch/IncidentWatch.h"
#include "core/watch/Rehearsal.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_IncidentWatch {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::watch;
using test::SnapshotBuilder;

/// As many sessions wait as the test says; less than none: the poll fails.
static auto load(std::shared_ptr<std::atomic<int>> waiting, std::shared_ptr<std::atomic<int>> polls)
{
    return test::sourceOf([waiting = std::move(waiting), polls = std::move(polls)]() -> Result<SnapshotPtr> {
        ++*polls;
        if (*waiting < 0)
            return failure(ErrorKind::Connection, u"No connection."_s);
        SnapshotBuilder s;
        s.session(51, "billing").idleInTransaction(60);
        s.holds(51, "public.orders", "AccessExclusiveLock", 60);
        for (int i = 0; i < *waiting; ++i) {
            s.session(100 + i, "report");
            s.waits(100 + i, "public.orders", "AccessShareLock", 5);
        }
        s.made().takenAt = ownClock(); // the recorder compares it with the time that passes
        return s.take();
    });
}

class tst_IncidentWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_waiting = std::make_shared<std::atomic<int>>(0);
        m_polls = std::make_shared<std::atomic<int>>(0);
        writeRules("'300ms'");
        m_store = *IncidentStore::open(options().store);
        start();
    }
    void cleanup()
    {
        m_incidents.reset();
        m_watch.reset();
        m_store.reset();
    }

    void anIncidentIsReportedOnceAndEndsWithWhatClearedIt()
    {
        *m_waiting = 3;
        QTRY_COMPARE(m_noticesSeen->size(), 1);
        const Notice fired = m_noticesSeen->first().first().value<QList<Notice>>().first();
        QCOMPARE(fired.kind, Notice::Kind::Fired);
        QCOMPARE(fired.incident.cause.server, u"db1:5432"_s);
        QVERIFY(fired.incident.id > 0);
        QCOMPARE(fired.server, u"postgresql://ann@db1/shop"_s);
        QCOMPARE(m_store->firing()->size(), 1);
        *m_waiting = 0;
        QTRY_COMPARE(m_noticesSeen->size(), 2);
        QVERIFY(m_store->firing()->isEmpty());
        const Incident past = m_store->list({})->all.first();
        QCOMPARE(past.clearedBy, u"Nobody waits for 51 billing any more; its transaction goes on."_s);
        QCOMPARE(m_store->steps(past.id)->size(), 2);
    }

    /// A pending incident is shown before it fires, and disappears if it clears.
    void whatIsPendingIsSeenAndClears()
    {
        writeRules("'1m'");
        *m_waiting = 3;
        QTRY_COMPARE(m_incidents->pending().size(), 1);
        QCOMPARE(m_incidents->pending().first().rule, u"blocked sessions"_s);
        QVERIFY(m_incidents->pending().first().left <= 1min);
        QCOMPARE(m_noticesSeen->size(), 0);
        *m_waiting = 0;
        QTRY_VERIFY(m_incidents->pending().isEmpty());
        *m_waiting = 3;
        QTRY_COMPARE(m_incidents->pending().size(), 1);
        QSignalSpy changes(m_incidents.get(), &IncidentWatch::pendingChanged);
        m_watch.reset(); // closed: nobody sees whether it goes on
        QVERIFY(m_incidents->pending().isEmpty());
        QCOMPARE(changes.size(), 1);
    }

    void startedAgainItNeitherRepeatsNorForgets()
    {
        *m_waiting = 3;
        QTRY_COMPARE(m_noticesSeen->size(), 1);
        m_incidents.reset();
        m_watch.reset();
        start();
        const int polls = *m_polls;
        QTRY_VERIFY(*m_polls > polls + 8);
        QCOMPARE(m_noticesSeen->size(), 0);
        QCOMPARE(m_store->firing()->size(), 1);
        *m_waiting = 0;
        QTRY_COMPARE(m_noticesSeen->size(), 1);
        QCOMPARE(m_noticesSeen->first().first().value<QList<Notice>>().first().kind, Notice::Kind::Resolved);
    }

    void aMuteKeepsItQuietUntilItsCeiling()
    {
        Mute mute;
        mute.of = Mute::Of::Program;
        mute.value = mute.shown = u"billing"_s;
        mute.end = Mute::End::Never;
        mute.maxWaiting = 10;
        mute.by = u"ann"_s;
        mute.why = u"we know"_s;
        mute.made = ownClock();
        QVERIFY(m_store->mute(mute));
        *m_waiting = 4;
        QTRY_COMPARE(m_store->firing()->size(), 1);
        VERIFY_CONTAINS(m_store->firing()->first().mutedBy, u"we know"_s);
        const int polls = *m_polls;
        QTRY_VERIFY(*m_polls > polls + 5);
        QCOMPARE(m_noticesSeen->size(), 0);
        *m_waiting = 11;
        QTRY_COMPARE(m_noticesSeen->size(), 1);
        QVERIFY(m_store->firing()->first().mutedBy.isEmpty());
        QCOMPARE(m_store->mutes(ownClock())->first().endedWhy,
            u"11 sessions waited, and the mute was for at most 10"_s);
    }

    void aMuteUntilItIsClearedEndsThen()
    {
        *m_waiting = 3;
        QTRY_COMPARE(m_noticesSeen->size(), 1);
        Mute mute;
        mute.value = m_store->firing()->first().cause.fingerprint();
        mute.end = Mute::End::WhenCleared;
        mute.made = ownClock();
        QVERIFY(m_store->mute(mute));
        *m_waiting = 0;
        QTRY_VERIFY(m_store->mutes(ownClock())->first().ended.isValid());
        QCOMPARE(m_store->mutes(ownClock())->first().endedWhy, u"it was cleared"_s);
    }

    /// Somebody has deleted the file, or moved it.
    void aFileThatIsGoneIsMadeAgain()
    {
        *m_waiting = 3;
        QTRY_COMPARE(m_noticesSeen->size(), 1);
        m_store.reset();
        QVERIFY(QFile::remove(options().store));
        QTRY_VERIFY(QFile::exists(options().store));
        const auto firesAgain = [this] { // the file may be in the making
            auto opened = IncidentStore::open(options().store);
            const auto firing = opened ? (*opened)->firing() : Failure(opened.error());
            if (!firing || firing->size() != 1)
                return false;
            m_store = std::move(*opened);
            return true;
        };
        QTRY_VERIFY(firesAgain());
        *m_waiting = 0;
        QTRY_VERIFY(m_store->firing()->isEmpty());
    }

    void aServerThatIsGoneIsReportedOfAndNothingElseIsCleared()
    {
        *m_waiting = 3;
        QTRY_COMPARE(m_noticesSeen->size(), 1);
        *m_waiting = -1;
        TRY_COMPARE(m_noticesSeen->size(), 2);
        const Notice gone = m_noticesSeen->last().first().value<QList<Notice>>().first();
        QCOMPARE(gone.incident.cause.kind, u"server unreachable"_s);
        VERIFY_CONTAINS(gone.incident.title, u"No connection."_s);
        QCOMPARE(m_store->firing()->size(), 2);
    }

    void otherRulesApplyAsSoonAsTheirFileIsWritten()
    {
        writeRules("'1000s'");
        const int polls = *m_polls;
        TRY_VERIFY(*m_polls > polls + 30);
        *m_waiting = 3;
        const int blocked = *m_polls;
        TRY_VERIFY(*m_polls > blocked + 8);
        QCOMPARE(m_noticesSeen->size(), 0);
        writeRules("3");
        TRY_VERIFY(m_incidents->error());
        VERIFY_CONTAINS(m_incidents->error()->what, u"alerts.json:"_s);
    }

    void noticesWaitForTheirChannels()
    {
        writeRules("'300ms'", "[{'name': 'tell', 'kind': 'program', 'command': ['/bin/false']}]");
        m_incidents.reset();
        m_watch.reset();
        start();
        *m_waiting = 3;
        QTRY_COMPARE(m_noticesSeen->size(), 1);
        QTRY_VERIFY(m_store->queue()->size() == 1 && m_store->queue()->first().failingSince.isValid());
        QCOMPARE(m_store->queue()->first().waiting, 1);
    }

    /// The rehearsal uses the same code on the same snapshots: it finds the same incidents at the same times.
    void aRehearsalFindsInTheRecordingWhatWasFoundLive()
    {
        for (int round = 0; round < 2; ++round) {
            *m_waiting = 3 + round;
            QTRY_COMPARE(m_noticesSeen->size(), 2 * round + 1);
            *m_waiting = 0;
            QTRY_COMPARE(m_noticesSeen->size(), 2 * round + 2);
        }
        m_incidents.reset();
        std::vector<std::unique_ptr<ServerWatch>> watches;
        watches.push_back(std::move(m_watch));
        ServerWatch::finish(watches);
        const auto rehearsed = rehearse(*loadRules(options().rules), {.recording = recording()});
        QVERIFY(rehearsed.has_value());
        QCOMPARE(rehearsed->unreadable, 0);
        QList<Incident> live = m_store->list({})->all;
        std::ranges::reverse(live);
        QCOMPARE(live.size(), 2);
        QCOMPARE(rehearsed->incidents.size(), 2);
        // Live, a snapshot that is followed too fast by the next one is left out.
        const auto isNear = [](ServerTime one, ServerTime other) {
            return std::chrono::abs(one - other) <= 500ms;
        };
        for (int i = 0; i < 2; ++i) {
            const Incident& one = rehearsed->incidents[i];
            QCOMPARE(one.cause, live[i].cause);
            QCOMPARE(one.title, live[i].title);
            QCOMPARE(one.chain, live[i].chain);
            QCOMPARE(one.clearedBy, live[i].clearedBy);
            QVERIFY(isNear(one.since, live[i].since));
            QVERIFY(isNear(one.fired, live[i].fired));
            QVERIFY(isNear(one.resolved, live[i].resolved));
        }
        QCOMPARE(rehearsed->countOf(u"blocked sessions"_s), 2);
        QVERIFY(rehearsed->notTried.contains(u"failing channel"_s));
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(rehearse(defaultRules(), {.recording = recording()}, stop.get_token()).error().kind,
            ErrorKind::Cancelled);
    }

    void aRehearsalFindsOppositeLockOrders()
    {
        test::RecordedPolls recorded;
        for (int second = 0; second < 36; ++second)
            recorded.addPoll(
                second, [second](test::SnapshotBuilder& s) { test::takeInOppositeOrders(s, second % 12); });
        recorded.end();
        Rule rule = *defaultRules().rule(u"opposite lock orders"_s);
        const auto rehearsed = rehearse(RuleSet{{rule}, {}, {}}, recorded.reader(), {.recording = {}});
        QVERIFY(rehearsed.has_value());
        QCOMPARE(rehearsed->incidents.size(), 1);
        VERIFY_CONTAINS(rehearsed->incidents.first().title, u"public.stock"_s);
        QCOMPARE(rehearsed->notTried, QStringList());
        rule.isOn = false;
        QCOMPARE(
            rehearse(RuleSet{{rule}, {}, {}}, recorded.reader(), {.recording = {}})->incidents.size(), 0);
    }

private:
    IncidentOptions options() const
    {
        return {m_folder->filePath(u"incidents.sqlite"_s), m_folder->filePath(u"alerts.json"_s)};
    }
    QString recording() const { return m_folder->filePath(u"shop.lockscope"_s); }

    void writeRules(const QByteArray& hold, const QByteArray& channels = "[]")
    {
        QByteArray text =
            "{'rules': [{'name': 'blocked sessions', 'when': 'blocked sessions', 'levels': [{'severity': 'warning', 'from': 3, 'for': HOLD}], 'keep_firing_for': '300ms'},{'name': 'server unreachable', 'when': 'server unreachable', 'levels': [{'severity': 'critical', 'from': '1s'}]},"
            "{'name': 'long wait', 'when': 'long wait', 'on': false, 'levels': [{'severity': 'warning', 'from': '60s'}]},{'name': 'waited time', 'when': 'waited time', 'on': false, 'levels': [{'severity': 'warning', 'from': 60}]}], 'channels': ";
        text.replace("HOLD", hold).append(channels + "}").replace('\'', '"');
        test::makeFile(options().rules, text);
    }

    void start()
    {
        WatchOptions watched{.interval = 100ms};
        watched.recording = RecordOptions{.path = recording(), .program = u"tst_IncidentWatch"_s};
        m_watch = std::make_unique<ServerWatch>(test::shopProfile(), load(m_waiting, m_polls), watched);
        m_incidents = std::make_unique<IncidentWatch>(options());
        m_incidents->add(m_watch.get());
        m_noticesSeen = std::make_unique<QSignalSpy>(m_incidents.get(), &IncidentWatch::notified);
        m_watch->start();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::shared_ptr<std::atomic<int>> m_waiting;
    std::shared_ptr<std::atomic<int>> m_polls;
    std::unique_ptr<ServerWatch> m_watch;
    std::unique_ptr<IncidentWatch> m_incidents;
    std::unique_ptr<IncidentStore> m_store;
    std::unique_ptr<QSignalSpy> m_noticesSeen;
};

LOCKSCOPE_TEST(tst_IncidentWatch)

} // namespace tst_IncidentWatch
#include "tst_IncidentWatch.moc"
