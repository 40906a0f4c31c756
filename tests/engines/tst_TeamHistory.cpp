// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A team's history in PostgreSQL has what the watchers' files have, with any failure of its server.

#include "core/record/Coverage.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/Standby.h"
#include "tests/support/TeamHistoryTest.h"

namespace tst_TeamHistory {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;

class tst_TeamHistory : public TeamHistoryTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("LOCKSCOPE_PASSWORD", server().password().toUtf8()); }
    void cleanupTestCase() { qunsetenv("LOCKSCOPE_PASSWORD"); }
    void init() { makeHistory(); }

    void installingTwiceChangesNothing()
    {
        const auto connection = server().connect(m_history);
        const auto again = installHistory(*connection);
        QVERIFY(again);
        QCOMPARE(again->before, db::schemaVersion);
        QCOMPARE(again->after, db::schemaVersion);
        QCOMPARE(askAsOwner(u"SELECT count(*) FROM lockscope_history.schema_version"_s), u"1"_s);
    }

    void aHistoryOfAnotherVersionIsRefused_data()
    {
        addColumns<QString, QString>("change", "versionText");
        for (const int version : {0, 2, 99})
            QTest::addRow("%d", version) << u"UPDATE lockscope_history.schema_version SET version = %1"_s.arg(
                version) << u"version %1"_s.arg(version);
        row("none", "DELETE FROM lockscope_history.schema_version", "no version");
        row("text", "ALTER TABLE lockscope_history.schema_version ALTER version TYPE text USING 'first'",
            "version first");
    }
    void aHistoryOfAnotherVersionIsRefused()
    {
        FETCH(const QString, change, const QString, versionText);
        Watcher watcher(newPath(), u"old"_s, u"shop@db1"_s, 12);
        QVERIFY(watcher.recordPolls(20));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        const auto owner = server().connect(m_history);
        QVERIFY(owner->executeScript(change.toUtf8() + "; DROP VIEW lockscope_history.lock_history"));
        HistoryUpload refused(watcher.path(), asWriter());
        QVERIFY(watcher.recordPolls(1));
        QVERIFY(!refused.finish(patience));
        QVERIFY(refused.state().isRefused());
        const auto installed = installHistory(*owner);
        for (const Error& error : {RecordingReader::open(placeOf(m_reader, u"old"_s)).error(),
                 *refused.state().error, installed.error()}) {
            QCOMPARE(error.kind, ErrorKind::Unsupported);
            VERIFY_ENDS(error.what,
                u"The team's history has %1; this program knows version 1 only."_s.arg(versionText));
            VERIFY_CONTAINS(error.hint, u"Use the Lockscope that installed it"_s);
        }
        QVERIFY(!owner->executeScript(historyScript())); // by hand, too
        QCOMPARE(ask(*owner, u"SELECT count(*) FROM pg_views WHERE viewname = 'lock_history'"_s), u"0"_s);
    }

    void theSameAnswersAsTheFile()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 4);
        QVERIFY(watcher.recordPolls(150));
        QVERIFY(watcher.writer().add(
            {watcher.noted(), Event::Kind::Act, u"A\tsession was ended\\."_s, u"{}"_s, u"a:1"_s},
            watcher.noted()));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        // It goes on.
        QVERIFY(watcher.recordPolls(130));
        Error error;
        error.kind = ErrorKind::Connection;
        error.what = u"No connection."_s;
        QVERIFY(watcher.writer().appendFailure(error, watcher.noted()));
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        QVERIFY(
            watcher.writer().appendFailure(error, watcher.noted() + std::chrono::seconds(1))); // it goes on
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        QVERIFY(watcher.recordPolls(70));
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        QVERIFY(watcher.writer().end(u"stopped"_s));
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        QCOMPARE(upload.state().frames, 350);
        const auto there = read(placeOf(m_reader, u"shop@db1"_s)); // by the server's name
        QVERIFY(there);
        const auto verdict = there->verify();
        QVERIFY(verdict);
        QCOMPARE(verdict->whole, 350);
        QVERIFY(verdict->damaged.isEmpty());
    }

    void manyWatchersOneHistory()
    {
        Watcher ann(newPath(), u"ann"_s, u"shop@db1"_s, 6);
        Watcher bob(newPath(), u"bob"_s, u"bank@db2"_s, 8);
        HistoryUpload annUpload(ann.path(), asWriter());
        HistoryUpload bobUpload(bob.path(), server().at(server().asRole(m_history, writing)));
        for (int i = 0; i < 10; ++i) {
            QVERIFY(ann.recordPolls(10));
            QVERIFY(bob.recordPolls(7));
        }
        QVERIFY(annUpload.finish(patience));
        QVERIFY(bobUpload.finish(patience));
        QCOMPARE(difference(ann), QString());
        QCOMPARE(difference(bob), QString());
        const auto recordings = recordingsOf(server().at(m_reader));
        QVERIFY(recordings);
        QStringList servers;
        for (const HistoryRecording& recording : *recordings)
            servers << recording.identity.server;
        servers.sort();
        COMPARE_TEXTS(servers, "bank@db2", "shop@db1");
        // Of several servers one must be named.
        const auto unsaid = RecordingReader::open(m_reader.toString());
        QVERIFY(!unsaid);
        QVERIFY(unsaid.error().hint.contains(u"bank@db2, shop@db1"_s));
    }

    void aHistoryThatIsAwayIsCaughtUpWith()
    {
        TestServer far(TestServer::replicating());
        const db::ServerUrl url = far.overTcp(far.freshDatabase(TestServer::Schema::None));
        QVERIFY(installHistory(*far.connect(url)));
        FaultyNetwork network(url);
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 10);
        HistoryUpload upload(watcher.path(), far.at(network.url()));
        QVERIFY(watcher.recordPolls(40));
        QVERIFY(upload.finish(patience));
        network.cut();
        QVERIFY(watcher.recordPolls(400));
        QVERIFY(!upload.finish(patience));
        QVERIFY(upload.state().error.has_value());
        QCOMPARE(upload.state().error->kind, ErrorKind::Connection);
        network.mend();
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(
            ask(*far.connect(url), u"SELECT count(*) || ' ' || max(number) FROM lockscope_history.frame"_s),
            u"440 440"_s);
        QVERIFY(!upload.state().error);
    }

    /// The pending snapshots are known all the time, and so are those that can't be sent any more.
    void whatTheFileDroppedMeanwhileIsCounted()
    {
        FaultyNetwork network(m_writer);
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 34);
        HistoryUpload upload(watcher.path(), server().at(network.url()));
        QVERIFY(watcher.recordPolls(40));
        QVERIFY(upload.finish(patience));
        QVERIFY(upload.state().pending);
        QCOMPARE(upload.state().pending->snapshots, 0);
        const auto gapsThere = [this] {
            const auto reader = read(placeOf(m_reader, u"one"_s));
            return coverageOf(*reader, ever, never)->gaps.size();
        };
        const auto gaps = gapsThere();
        network.cut();
        const ServerTime cut = watcher.noted();
        QVERIFY(watcher.recordPolls(400));
        QVERIFY(!upload.finish(patience));
        QVERIFY(upload.state().isAway);
        QCOMPARE(upload.state().pending->snapshots, 400);
        QCOMPARE(upload.state().pending->oldest, cut + std::chrono::seconds(1));
        QVERIFY(watcher.writer().prune({std::chrono::seconds(150), qint64(1) << 30}));
        const auto kept = read(watcher.path())->span()->frames;
        QVERIFY(kept > 100 && kept < 400);
        QVERIFY(waitUntil(
            [&] { return upload.state().pending->snapshots == kept; })); // while it can't be reached
        network.mend();
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(upload.state().skipped, 400 - kept);
        QVERIFY(upload.state().failures > 0);
        const auto there = read(placeOf(m_reader, u"one"_s));
        QVERIFY(there);
        QCOMPARE(there->span()->frames, 40 + kept);
        QVERIFY(gapsThere() > gaps);
    }

    void manyRecordingsShareAFewConnections()
    {
        const auto history = std::make_shared<HistoryConnections>(asWriter());
        std::vector<std::unique_ptr<Watcher>> watchers;
        std::vector<std::unique_ptr<HistoryUpload>> uploads;
        for (int i = 0; i < 60; ++i) {
            watchers.push_back(std::make_unique<Watcher>(
                newPath(), u"id%1"_s.arg(i), u"shop@db%1"_s.arg(i), quint32(100 + i)));
            QVERIFY(watchers.back()->recordPolls(3));
            uploads.push_back(std::make_unique<HistoryUpload>(watchers.back()->path(), history));
        }
        for (const auto& upload : uploads)
            QVERIFY(upload->finish(patience));
        for (const auto& watcher : watchers)
            QVERIFY(watcher->recordPolls(2));
        for (const auto& upload : uploads)
            QVERIFY(upload->finish(patience));
        QCOMPARE(askAsOwner(u"SELECT count(*) || ' ' || sum(last_frame) FROM lockscope_history.recording"_s),
            u"60 300"_s);
        const int connections = askAsOwner(
            u"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lockscope admin history'"_s)
                                    .toInt();
        QVERIFY2(connections >= 1 && connections <= 3, qPrintable(QString::number(connections)));
        QCOMPARE(difference(*watchers.back()), QString());
    }

    /// The login may have one connection, and sixty recordings would have three.
    void aConnectionThatIsRefusedLeavesTheWorkToTheOthers()
    {
        server().run(m_history, u"ALTER ROLE \"%1\" CONNECTION LIMIT 1"_s.arg(m_writer.user));
        const auto history = std::make_shared<HistoryConnections>(asWriter());
        std::vector<std::unique_ptr<Watcher>> watchers;
        std::vector<std::unique_ptr<HistoryUpload>> uploads;
        for (int i = 0; i < 60; ++i) {
            watchers.push_back(std::make_unique<Watcher>(
                newPath(), u"id%1"_s.arg(i), u"shop@db%1"_s.arg(i), quint32(300 + 2 * i)));
            QVERIFY(watchers.back()->recordPolls(2));
            uploads.push_back(std::make_unique<HistoryUpload>(watchers.back()->path(), history));
        }
        QSet<QString> text;
        const auto allHave = [&](qint64 frames) {
            qint64 least = frames;
            for (const auto& upload : uploads) {
                const UploadState state = upload->state();
                if (state.error)
                    text << state.error->toString();
                least = std::min(least, state.frames);
            }
            return least == frames;
        };
        QVERIFY(waitUntil([&] { return allHave(2); }));
        for (int round = 1; round <= 3; ++round) { // it is tried again after a second, and again
            QElapsedTimer clock;
            clock.start();
            for (const auto& watcher : watchers)
                QVERIFY(watcher->recordPolls(1));
            QVERIFY(waitUntil([&] { return allHave(2 + round) && clock.elapsed() > 1'000; }));
        }
        QVERIFY2(text.isEmpty(), qPrintable(text.values().join(u'\n')));
    }

    void aRefusedLoginIsTriedAgainOnlyIfAPersonAsks()
    {
        TestServer far(TestServer::replicating());
        const db::ServerUrl url = far.overTcp(far.freshDatabase(TestServer::Schema::None));
        QVERIFY(installHistory(*far.connect(url)));
        std::atomic<int> asked = 0;
        std::atomic<bool> isRight = false;
        const auto history = std::make_shared<HistoryConnections>(
            db::Server::at(url, [&](const QString& to) -> Result<QString> {
                ++asked;
                return isRight ? far.passwords()(to) : u"wrong"_s;
            }));
        std::vector<std::unique_ptr<Watcher>> watchers;
        std::vector<std::unique_ptr<HistoryUpload>> uploads;
        for (int i = 0; i < 30; ++i) {
            watchers.push_back(std::make_unique<Watcher>(
                newPath(), u"id%1"_s.arg(i), u"shop@db%1"_s.arg(i), quint32(200 + i)));
            QVERIFY(watchers.back()->recordPolls(1));
            uploads.push_back(std::make_unique<HistoryUpload>(watchers.back()->path(), history));
        }
        for (const auto& upload : uploads)
            QVERIFY(!upload->finish(patience));
        QVERIFY(uploads.back()->state().isRefused());
        QCOMPARE(int(asked), 1);
        isRight = true;
        history->retry();
        for (const auto& upload : uploads)
            QVERIFY(upload->finish(patience));
    }

    void aFileThatCantBeReadIsToldFromNone()
    {
        const QString path = newPath();
        HistoryUpload upload(path, asWriter());
        QVERIFY(!upload.finish(patience));
        QVERIFY(upload.state().error && !upload.state().isUnreadable); // there is none yet
        makeFile(path, QByteArray(10'000, 'x'));
        QVERIFY(waitUntil([&] { return upload.state().isUnreadable; }));
        const UploadState state = upload.state();
        VERIFY_CONTAINS(state.error->toString(), path);
        QVERIFY(!state.error->hint.isEmpty() && !state.isAway);
        QVERIFY(QFile::remove(path));
        Watcher watcher(path, u"one"_s, u"shop@db1"_s, 36);
        QVERIFY(watcher.recordPolls(3));
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QVERIFY(!upload.state().error && !upload.state().isUnreadable);
    }

    /// The address may lead to a standby for a while, as in a failover.
    void aHistoryThatTakesNoChangesIsTriedAgain()
    {
        TestServer far(TestServer::replicating());
        const db::ServerUrl url = far.overTcp(far.freshDatabase(TestServer::Schema::None));
        QVERIFY(installHistory(*far.connect(url)));
        Standby standby(far, Standby::Commit::Asynchronous);
        standby.catchUp();
        const db::ServerUrl there = standby.sameDatabase(url);
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 36);
        HistoryUpload upload(watcher.path(), standby.at(there));
        QVERIFY(watcher.recordPolls(10));
        QVERIFY(!upload.finish(patience));
        QCOMPARE(upload.state().error->kind, ErrorKind::ReadOnly);
        QVERIFY(upload.state().isAway);
        QVERIFY(!historyStanding(standby.at(there)));
        standby.promote();
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(ask(*standby.connect(there), u"SELECT count(*) FROM lockscope_history.frame"_s), u"10"_s);
        QVERIFY(historyStanding(standby.at(there)));
    }

    /// Connections also break in the midst of a COPY or COMMIT.
    void connectionsThatBreakLoseAndDoubleNothing()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 12);
        HistoryUpload upload(watcher.path(), asWriter());
        std::atomic<bool> ends = false;
        std::atomic<int> broken = 0;
        std::thread breaker([&] {
            const auto connection = server().connect(m_history);
            while (!ends) {
                const auto killed = runSql(*connection,
                    u"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lockscope admin history' AND state <> 'idle' AND datname = current_database()"_s);
                broken += killed ? static_cast<int>(*killed) : 0;
            }
        });
        bool recorded = true;
        for (int i = 0; i < 200 && recorded && broken < 20; ++i) {
            recorded = watcher.recordPolls(20);
            std::ignore = upload.finish(std::chrono::milliseconds(300)); // it may be cut off
        }
        ends = true;
        breaker.join();
        QVERIFY(recorded);
        QVERIFY(broken > 0);
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(difference(watcher), QString());
        QCOMPARE(askAsOwner(u"SELECT count(*) FROM lockscope_history.frame"_s),
            QString::number(watcher.pollCount()));
    }

    /// The server lacks the last commits, as after a failover.
    void aServerThatForgetsItsLastCommitsGetsThemAgain()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 14);
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(watcher.recordPolls(90));
        QVERIFY(upload.finish(patience));
        const auto owner = server().connect(m_history);
        QVERIFY(owner->executeScript(
            "CREATE SCHEMA kept;CREATE TABLE kept.recording AS TABLE lockscope_history.recording;CREATE TABLE kept.segment AS TABLE lockscope_history.segment;"));
        QVERIFY(watcher.recordPolls(50));
        QVERIFY(upload.finish(patience));
        QVERIFY(owner->executeScript(
            "DELETE FROM lockscope_history.frame WHERE number > 90;DELETE FROM lockscope_history.segment;INSERT INTO lockscope_history.segment TABLE kept.segment;DELETE FROM lockscope_history.lock_interval AS i USING kept.recording AS k WHERE i.number > k.last_interval;"
            "UPDATE lockscope_history.recording AS r SET last_frame = k.last_frame, last_taken_us = k.last_taken_us, last_noted_us = k.last_noted_us, last_key_frame = k.last_key_frame, last_interval = k.last_interval FROM kept.recording AS k WHERE k.key = r.key;"));
        QVERIFY(watcher.recordPolls(50));
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(difference(watcher), QString());
    }

    void whoComesAfterGoesOn()
    {
        const QString path = newPath();
        {
            Watcher watcher(path, u"one"_s, u"shop@db1"_s, 16);
            HistoryUpload upload(path, asWriter());
            QVERIFY(watcher.recordPolls(75));
            QVERIFY(upload.finish(patience));
            QVERIFY(watcher.recordPolls(30)); // nobody brings them there
        } // killed: no end
        Watcher watcher(path, u"of no account"_s, u"shop@db1"_s, 18); // the file has its id
        QVERIFY(watcher.recordPolls(75));
        HistoryUpload upload(path, asWriter());
        QVERIFY(upload.finish(patience));
        const auto file = read(path);
        const auto there = read(placeOf(m_reader, u"one"_s));
        QVERIFY(file && there);
        QCOMPARE(differenceOf(*file, *there), QString());
        QCOMPARE(there->span()->frames, 180);
    }

    void aFileThatIsMadeAnewIsAnotherRecording()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 20);
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(watcher.recordPolls(30));
        QVERIFY(upload.finish(patience));
        for (const QString& end : {u""_s, u"-wal"_s, u"-shm"_s})
            QFile::remove(watcher.path() + end);
        QVERIFY(watcher.recordPolls(10));
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(
            askAsOwner(
                u"SELECT string_agg(last_frame::text, ' ' ORDER BY key) FROM lockscope_history.recording"_s),
            u"30 10"_s);
    }

    void anOlderCopyOfTheFileIsRefused()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 22);
        QVERIFY(watcher.recordPolls(10));
        const QString copy = newPath();
        watcher.stop(); // closes the file, which has all of it then
        QVERIFY(QFile::copy(watcher.path(), copy));
        {
            Watcher again(watcher.path(), u"one"_s, u"shop@db1"_s, 24);
            QVERIFY(again.recordPolls(10));
            HistoryUpload upload(again.path(), asWriter());
            QVERIFY(upload.finish(patience));
        }
        Watcher old(copy, u"one"_s, u"shop@db1"_s, 26);
        QVERIFY(old.recordPolls(30));
        HistoryUpload upload(copy, asWriter());
        QVERIFY(!upload.finish(patience));
        QCOMPARE(upload.state().error->kind, ErrorKind::Changed);
        QCOMPARE(askAsOwner(u"SELECT count(*) FROM lockscope_history.frame"_s), u"20"_s);
    }
};

LOCKSCOPE_TEST(tst_TeamHistory)

} // namespace tst_TeamHistory
#include "tst_TeamHistory.moc"
