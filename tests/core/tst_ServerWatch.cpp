// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/ObservationParts.h"
#include "core/watch/ServerStanding.h"
#include "core/watch/ServerWatch.h"
#include "tests/support/Recordings.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_ServerWatch {

using namespace lockscope;
using namespace lockscope::watch;
using test::SnapshotBuilder;

/// Somebody waits since the first poll: a second longer at each.
const auto waitingSource = test::sourceOf([second = 0]() mutable {
    SnapshotBuilder s(++second);
    s.session(51, "billing").transaction(second);
    s.session(63, "report");
    s.holds(51, "public.orders", "AccessExclusiveLock", second);
    s.waits(63, "public.orders", "AccessShareLock", second);
    return s.take();
});

static WatchOptions recordedAt(const QString& path)
{
    WatchOptions options{.interval = 100ms};
    options.recording = RecordOptions{.path = path, .program = u"tst_ServerWatch"_s};
    options.recording->settings.rules = path + u".rules.json"_s;
    test::makeFile(options.recording->settings.rules,
        R"({"rules": [{"name": "long wait", "when": "long wait", "levels": [
        {"severity": "warning", "from": "3s", "for": "0s"}]}]})");
    return options;
}

class tst_ServerWatch : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    /// Without a window, polls are recorded with their alert, and are in the history and in the order.
    void aServerIsPolledRecordedAndAlertedOf()
    {
        const QString path = m_folder.filePath(u"shop.lockscope"_s);
        std::vector<std::unique_ptr<ServerWatch>> watches;
        watches.push_back(
            std::make_unique<ServerWatch>(test::shopProfile(), waitingSource, recordedAt(path)));
        ServerWatch& watch = *watches.front();
        QVERIFY(watch.recorder()->open());
        QVERIFY(watch.recorder()->state().isOpen);
        const QSignalSpy ordered(&watch, &ServerWatch::orderChanged);
        watch.start();
        QTRY_VERIFY(watch.recorder()->state().frames > 4);
        QTRY_VERIFY(!ordered.isEmpty() && watch.order() && watch.order()->polls > 2);
        QCOMPARE(watch.figures().waiters, 1);
        QVERIFY(!watch.isOld());
        ServerWatch::finish(watches);
        const qint64 frames = watch.recorder()->state().frames;
        const auto recorded = test::readRecording(path);
        QCOMPARE(recorded->span()->frames, frames);
        QCOMPARE(recorded->segments()->back().endReason, u"stopped"_s);
        const auto events = recorded->events({1}, {std::numeric_limits<qint64>::max()});
        QVERIFY(events && events->size() == 1);
        QCOMPARE(events->front().kind, record::Event::Kind::Alert);
        QCOMPARE(events->front().at, SnapshotBuilder::start() + 3s);
    }

    /// Fleet shows the number, the severity and the head blocker that the other pages show.
    void aStandingSaysWhatTheSnapshotSays_data()
    {
        test::addColumns<bool, bool, ServerStanding::State>("isInherited", "isRing", "state");
        test::row("long", false, false, ServerStanding::State::Critical);
        test::row("inherited", true, false, ServerStanding::State::Warning);
        test::row("deadlock", false, true, ServerStanding::State::Critical);
    }
    void aStandingSaysWhatTheSnapshotSays()
    {
        FETCH(const bool, isInherited, const bool, isRing, const ServerStanding::State, state);
        const int waited = isRing ? 1 : 700;
        const auto source = test::sourceOf([isInherited, isRing, waited] {
            SnapshotBuilder s;
            s.session(51, "billing").transaction(900);
            s.session(63, "report");
            s.holds(51, "public.orders", "AccessExclusiveLock", 900);
            s.holds(63, "public.items", "AccessExclusiveLock", 900);
            s.waits(63, "public.orders", "AccessShareLock", waited);
            if (isRing)
                s.waits(51, "public.items", "AccessShareLock", waited);
            s.queue(u"free by now"_s, "ann", 1);
            if (isInherited)
                s.made().sessions.front().waitedUntil = s.made().takenAt - 4s;
            return s.take();
        });
        std::vector<std::unique_ptr<ServerWatch>> watches;
        watches.push_back(
            std::make_unique<ServerWatch>(test::shopProfile(), source, WatchOptions{.interval = 100ms}));
        ServerWatch& watch = *watches.front();
        watch.start();
        QTRY_VERIFY(watch.monitor().snapshot());
        const ServerStanding standing = standingOf(&watch, {}, true, LockThresholds());
        QCOMPARE(standing.waiting, std::optional(watch.figures().waiters));
        QCOMPARE(standing.longestWait, std::optional(watch.figures().longestWait));
        QVERIFY2(standing.state == state, qPrintable(standing.reason));
        VERIFY_CONTAINS(standing.reason, u"51 billing"_s);
        // So does the incident that is named, of equal ones.
        QList<alert::Incident> firing(2);
        for (alert::Incident& each : firing)
            each.severity = alert::Severity::Warning;
        firing[0].head.session = SessionId{7};
        firing[0].waiting = 5;
        firing[0].title = u"5 sessions wait for 7 report."_s;
        firing[1].head.session = SessionId{51};
        firing[1].waiting = 1;
        firing[1].title = u"1 session waits for 51 billing."_s;
        const QString named = standingOf(&watch, firing, true, LockThresholds()).reason;
        VERIFY_STARTS(named, firing[1].title);
        ServerWatch::finish(watches);
    }

    /// A port of this machine may lead to any machine, under any name.
    void theMachineOfAPortOfThisOneIsUnknown()
    {
        for (const QString& host : {u"LOCALHOST"_s, u"127.0.0.2"_s, u"db1"_s}) {
            db::ServerProfile profile = test::shopProfile();
            profile.url.host = host;
            const ServerWatch watch(profile, waitingSource, {});
            QCOMPARE(seenServers({&watch}).front().machine, host == u"db1" ? host : QString());
        }
    }

    /// A disk that does not answer must stop nobody who asks later.
    void thePlaceOfAFileIsReadOnce()
    {
        const auto make = [this](const QString& name) {
            QFile file(m_folder.filePath(name));
            return file.open(QIODevice::WriteOnly) ? QFileInfo(file).canonicalFilePath() : QString();
        };
        const QString first = make(u"first.db"_s);
        const QString other = make(u"other.db"_s);
        const QString link = m_folder.filePath(u"locks.db"_s);
        QVERIFY(QFile::link(first, link));
        db::ServerProfile profile = test::shopProfile();
        profile.url = db::ServerUrl::ofFile(link);
        const ServerWatch watch(profile, waitingSource, {});
        QVERIFY(QFile::remove(link) && QFile::link(other, link));
        QCOMPARE(watch.place(), u"sqlite:"_s + first);
        QCOMPARE(seenServers({&watch}).front().place, first);
    }

    /// A file of another server is set aside only in folders where files are found by the server's name.
    void aFileOfAnotherServerGivesWayOnlyInTheOwnFolder()
    {
        const test::Variable state("XDG_STATE_HOME", m_folder.path());
        const QString chosen = m_folder.filePath(u"chosen.lockscope"_s);
        for (const QString& path : {record::recordingPath(test::shopProfile().url), chosen}) {
            const record::Identity other{.id = u"one"_s,
                .server = test::shopProfile().name,
                .engine = Engine::SqlServer,
                .began = SnapshotBuilder::start(),
                .program = u"tst_ServerWatch"_s};
            QVERIFY(record::RecordingWriter::open(path, other));
            const ServerWatch watch(test::shopProfile(), waitingSource, recordedAt(path));
            QCOMPARE(watch.recorder()->open().has_value(), path != chosen);
            QCOMPARE(watch.recorder()->state().setAside.isEmpty(), path == chosen);
        }
        QCOMPARE(test::readRecording(chosen)->identity().engine, Engine::SqlServer);
    }
};

LOCKSCOPE_TEST(tst_ServerWatch)

} // namespace tst_ServerWatch
#include "tst_ServerWatch.moc"
