// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Reports from recordings of a real PostgreSQL server about a range, a lock and a session.

#include "core/admin/ServerAdmin.h"
#include "core/domain/BlockingForest.h"
#include "core/record/LockBiography.h"
#include "core/record/Recorder.h"
#include "tests/support/Lockctl.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_RangeOfServer {

using namespace lockscope;
using test::TestServer;

constexpr auto server = &TestServer::shared;

/// A recording of a database that is polled when the test says so.
class Recorded {
public:
    explicit Recorded(const db::ServerUrl& url, const QString& path)
        : m_source(monitor::makeSnapshotSource(server().at(url), {}))
        , m_path(path)
    {
        m_writer = test::orDie(record::RecordingWriter::open(
            path, {u"test"_s, url.display(), Engine::Postgres, ownClock(), false, u"test"_s}));
    }

    bool addPoll()
    {
        const auto taken = m_source->take({});
        if (!taken)
            return false;
        m_snapshot = *taken;
        m_last = (*taken)->takenAt;
        m_first = m_first.isValid() ? m_first : m_last;
        return m_writer->append(*taken, ownClock()).has_value();
    }
    SnapshotPtr snapshot() const { return m_snapshot; } ///< of the latest poll
    /// The time of the latest poll.
    ServerTime last() const { return m_last; }
    ServerTime first() const { return m_first; }
    std::unique_ptr<record::RecordingReader> reader()
    {
        auto opened = record::RecordingReader::open(m_path);
        return opened ? std::move(*opened) : nullptr;
    }

private:
    static ServerTime ownClock() { return {QDateTime::currentMSecsSinceEpoch() * 1'000}; }

    std::unique_ptr<monitor::SnapshotSource> m_source;
    QString m_path;
    std::unique_ptr<record::RecordingWriter> m_writer;
    SnapshotPtr m_snapshot;
    ServerTime m_first;
    ServerTime m_last;
};

class tst_RangeOfServer : public QObject {
    Q_OBJECT

    /// A range charges the head with all of it; what waited for the others directly is a column.
    static void checkCharge(record::RecordingReader& reader, ServerTime from, ServerTime to, SessionId head)
    {
        const auto report = record::rangeReport(reader, from, to);
        QVERIFY(report);
        const record::RangeHolder& worst = report->holders.front();
        QCOMPARE(worst.party.session, head);
        QCOMPARE(worst.blocked, 14);
        for (const record::RangeHolder& each : report->holders) {
            if (each.party.session == head)
                continue;
            QVERIFY(
                each.madeWait < worst.madeWait / 100); // the end of a hold is known to a poll's milliseconds
            QVERIFY(each.madeWaitDirectly < worst.madeWait);
        }
    }

private Q_SLOTS:
    void aTableIsHandedOver()
    {
        const auto url = server().freshDatabase();
        Recorded recorded(url, m_folder.filePath(u"table.lockscope"_s));
        test::Session ann(server(), url, u"ann"_s);
        test::Session bob(server(), url, u"bob"_s);
        contend(url, recorded, ann, bob);
        const auto reader = recorded.reader();
        QVERIFY(reader);
        const auto report = record::rangeReport(*reader, recorded.first(), recorded.last());
        QVERIFY(report);
        QCOMPARE(report->waits.count, 1);
        QCOMPARE(report->locks.size(), 1);
        QCOMPARE(report->locks.front().lock.name, u"public.orders"_s);
        QCOMPARE(report->waits.worst.party.session, bob.id());
        QVERIFY(report->waits.total.count() > 0); // PostgreSQL states when it began to wait
        QCOMPARE(report->holders.size(), 1);
        QCOMPARE(report->holders.front().party.session, ann.id());
        QCOMPARE(report->holders.front().blocked, 1);
        QCOMPARE(report->coverage.polls, 6);

        const auto lock = test::lockNamed(*reader, u"public.orders"_s);
        const auto result = record::biography(*reader, lock, recorded.first(), recorded.last());
        QVERIFY(result);
        QCOMPARE(result->lines.size(), 3);
        QCOMPARE(result->handOvers.size(), 1);
        const record::HandOver& handOver = result->handOvers.front();
        QVERIFY(handOver.from && handOver.wait);
        QCOMPARE(result->lines[*handOver.from].party.session, ann.id());
        QCOMPARE(result->lines[handOver.to].party.session, bob.id());
        QVERIFY(result->lines[*handOver.wait].fromExact);
        const auto life = record::biography(*reader,
            record::RecordedSession{bob.id(), result->lines[handOver.to].partyStarted}, recorded.first(),
            recorded.last());
        QVERIFY(life);
        const auto ofOrders = std::ranges::count_if(
            life->lines, [](const record::HistoryLine& line) { return line.lock == u"public.orders"_s; });
        QCOMPARE(ofOrders, 2); // waited, held
    }

    void aRowIsWaitedFor()
    {
        const auto url = server().freshDatabase(u"CREATE TABLE public.items (id int PRIMARY KEY)"_s);
        server().run(url, u"INSERT INTO public.items VALUES (1), (2)"_s);
        Recorded recorded(url, m_folder.filePath(u"row.lockscope"_s));
        test::Session ann(server(), url, u"ann"_s);
        test::Session bob(server(), url, u"bob"_s);
        test::Session cid(server(), url, u"cid"_s);
        QVERIFY(ann.begin(u"UPDATE items SET id = 3 WHERE id = 1"_s));
        QVERIFY(bob.startWaiting(u"UPDATE items SET id = 4 WHERE id = 1"_s));
        QVERIFY(cid.startWaiting(u"UPDATE items SET id = 5 WHERE id = 1"_s));
        QVERIFY(recorded.addPoll());
        QVERIFY(recorded.addPoll());
        QVERIFY(ann.run(u"ROLLBACK"_s));
        QVERIFY(bob.wait() && cid.wait());
        QVERIFY(recorded.addPoll());
        const auto reader = recorded.reader();
        const auto report = record::rangeReport(*reader, recorded.first(), recorded.last());
        QVERIFY(report);
        // Bob waits for ann's transaction, cid for the row's place behind bob: both are about the table's
        // rows.
        QCOMPARE(report->locks.size(), 1);
        QCOMPARE(report->locks.front().lock.name, u"public.items rows"_s);
        QCOMPARE(report->locks.front().waits.count, 2);
        QCOMPARE(report->locks.front().waiters, 2);
        const auto isInTheWay = [&report](SessionId session) {
            return std::ranges::any_of(report->holders,
                [session](const record::RangeHolder& each) { return each.party.session == session; });
        };
        QVERIFY(isInTheWay(ann.id()) && isInTheWay(bob.id()) && !isInTheWay(cid.id()));
    }

    /// Ann has a table, bob waits for it and has another one, for which cid waits, who has a third, for which
    /// all others wait; and a queue waits for ann's table after bob. Ann is ended; bob gets that table.
    void theHeadOfAChainIsBlamedAndWhoInheritsIsNot()
    {
        const auto url = server().freshDatabase(TestServer::Schema::Install);
        for (const QString& table : {u"a"_s, u"b"_s, u"c"_s})
            server().run(url, u"CREATE TABLE public.%1 (id int)"_s.arg(table));
        const QString path = m_folder.filePath(u"chain.lockscope"_s);
        Recorded recorded(url, path);
        test::Session ann(server(), url, u"ann"_s);
        test::Session bob(server(), url, u"bob"_s);
        test::Session cid(server(), url, u"cid"_s);
        QVERIFY(ann.begin(u"LOCK TABLE a"_s));
        QVERIFY(bob.begin(u"LOCK TABLE b"_s));
        QVERIFY(bob.startWaiting(u"LOCK TABLE a"_s));
        QVERIFY(cid.begin(u"LOCK TABLE c"_s));
        QVERIFY(cid.startWaiting(u"LOCK TABLE b"_s));
        std::vector<std::unique_ptr<test::Session>> victims;
        for (int i = 0; i < 12; ++i) {
            victims.push_back(std::make_unique<test::Session>(server(), url, u"victim%1"_s.arg(i)));
            victims.back()->start(i < 8 ? u"SELECT count(*) FROM c"_s : u"SELECT count(*) FROM a"_s);
            QVERIFY(victims.back()->waitUntilBlocked());
        }
        QVERIFY(recorded.addPoll());
        QTest::qWait(1'500); // what is measured takes time
        QVERIFY(recorded.addPoll());
        const BlockingGraph::Head head = recorded.snapshot()->blocking().heads().front();
        QCOMPARE(head.session, ann.id());
        QCOMPARE(head.victims, 14);
        QVERIFY(!head.inheritedWithin);
        const ServerTime before = recorded.last();

        const db::ServerProfile profile = test::profileOf(url);
        const auto connection = server().connect(url, {.purpose = db::Purpose::Admin});
        const lockscope::Session shown = *recorded.snapshot()->session(ann.id());
        QVERIFY(admin::ServerAdmin(*connection, profile).endSession(shown, u"OPS-29"_s));
        QVERIFY(bob.wait());
        QVERIFY(recorded.addPoll());
        const BlockingGraph::Head next = recorded.snapshot()->blocking().heads().front();
        QCOMPARE(next.session, bob.id());
        QCOMPARE(next.victims, 13);
        QVERIFY(next.inheritedWithin && *next.inheritedWithin < next.longestWait);
        QVERIFY(next.hasWhatItWaitedFor);
        QCOMPARE(levelOf(next, {.amber = milliseconds(500), .red = *next.inheritedWithin + milliseconds(1)}),
            AgeLevel::Amber);
        VERIFY_STARTS(blocksText(next), u"blocks 13, has had it for at most "_s);

        const auto reader = recorded.reader();
        checkCharge(*reader, recorded.first(), before, ann.id());
        if (QTest::currentTestFailed())
            return;
        // The window's banner, the tree and `lockctl` at that time name the same one.
        QCOMPARE(
            blockingForest(**reader->at(before), LockThresholds().hold.amber).front().row.key.id, ann.id());
        QCOMPARE(
            blockingForest(**reader->at(recorded.last()), LockThresholds().hold.amber).front().row.key.id,
            bob.id());
        const auto range = test::Lockctl{QString()}("range --recording %1 --json", path);
        VERIFY_CODE(0, range);
        QCOMPARE(range.json()[u"holders"][0][u"session"].toInteger(), ann.id().value);
        QVERIFY(bob.run(u"ROLLBACK"_s) && cid.wait() && cid.run(u"ROLLBACK"_s));
        for (const auto& each : victims)
            QVERIFY(each->wait());
    }

    void lockctlTellsTheSame()
    {
        const auto url = server().freshDatabase();
        const QString path = m_folder.filePath(u"ctl.lockscope"_s);
        Recorded recorded(url, path);
        test::Session ann(server(), url, u"ann"_s);
        test::Session bob(server(), url, u"bob"_s);
        contend(url, recorded, ann, bob);
        const test::Lockctl lockctl{QString()};
        const auto range = lockctl("range --recording %1 --json", path);
        VERIFY_CODE(0, range);
        const QJsonObject lock = range.json()[u"locks"][0].toObject();
        QCOMPARE(lock[u"lock"].toString(), u"public.orders"_s);
        QCOMPARE(lock[u"waits"][u"count"].toInteger(), 1);
        QCOMPARE(lock[u"waits"][u"worst"][u"session"].toInteger(), bob.id().value);
        QCOMPARE(range.json()[u"holders"][0][u"session"].toInteger(), ann.id().value);
        QCOMPARE(range.json()[u"seen"][u"polls"].toInteger(), 6);
        const auto text = lockctl("range --recording %1", path);
        QVERIFY2(text.out.contains(u"Locks that were waited for:"_s) && text.out.contains(u"public.orders"_s)
                && text.out.contains(u"shorter waits may be missing"_s),
            text.allOutput());
        const auto history =
            lockctl("history --session %1 --recording %2 --json", QString::number(bob.id().value), path);
        VERIFY_CODE(0, history);
        QVERIFY2(std::ranges::any_of(history.jsonArray(),
                     [](const QJsonValue& line) {
                         return line[u"lock"] == u"public.orders"_s && line[u"what"] == u"waited"_s;
                     }),
            history.allOutput());
        // Too little was seen to compare; wrong options are refused.
        const auto compared = lockctl("compare --recording %1", path);
        VERIFY_CODE(3, compared);
        QVERIFY2(compared.out.contains(u"only one poll in the earlier range"_s), compared.allOutput());
        const auto both = lockctl("history public.orders --session 1 --recording %1", path);
        QCOMPARE(both.code, 2);
        QCOMPARE(lockctl("history --recording %1", path).code, 2);
        QCOMPARE(lockctl("range --recording %1 --from 1s --to 1h", path).code, 2);
        const auto nobody = lockctl("history --session 1 --recording %1", path);
        QVERIFY2(nobody.code == 1 && nobody.isOneLineOfError(), nobody.allOutput());
    }

    /// Without --recording it is the server's file in the account's folder; the server is not asked.
    void lockctlFindsTheServersOwnRecording()
    {
        const auto url = server().freshDatabase();
        const QTemporaryDir state;
        test::Lockctl lockctl(url.toString(), server().password());
        lockctl.set(u"XDG_STATE_HOME"_s, state.path());
        const auto none = lockctl("history public.orders");
        QVERIFY2(none.code == 1 && none.err.contains(u"There is no recording of"_s), none.allOutput());
        server().run(url, u"CREATE TABLE public.orders (id int)"_s);
        test::Session ann(server(), url, u"ann"_s);
        QVERIFY(ann.begin(u"LOCK TABLE orders"_s));
        VERIFY_CODE(0, lockctl("record --for 2s --interval 100ms"));
        lockctl.set(u"LOCKSCOPE_PASSWORD"_s, u"wrong"_s); // nobody asks for it
        const auto history = lockctl("history public.orders --json");
        VERIFY_CODE(0, history);
        QCOMPARE(history.jsonArray().size(), 1);
        QCOMPARE(history.jsonArray()[0][u"session"].toInteger(), ann.id().value);
        const auto range = lockctl("range --json");
        QVERIFY2(range.code == 0 && range.json()[u"waits"][u"count"].toInteger(-1) == 0, range.allOutput());
        // The login makes no difference: the recording is the server's, and goes on when another login
        // records.
        server().run(url, u"CREATE ROLE clerk LOGIN PASSWORD 'c'; GRANT pg_monitor TO clerk"_s);
        auto other = url;
        other.user = u"clerk"_s;
        lockctl.set(u"LOCKSCOPE_SERVER"_s, other.toString());
        lockctl.set(u"LOCKSCOPE_PASSWORD"_s, u"c"_s);
        QCOMPARE(lockctl("history public.orders --json").jsonArray().size(), 1);
        VERIFY_CODE(0, lockctl("record --for 1s --interval 100ms"));
        const auto files = lockctl("recordings list --json").jsonArray();
        QCOMPARE(files.size(), 1);
        lockctl.set(u"LOCKSCOPE_SERVER"_s, url.toString());
        const auto both = lockctl("history public.orders --json").jsonArray();
        QVERIFY(both.size() >= 2); // one line before the gap, and one behind it
        lockctl.unset(u"LOCKSCOPE_SERVER"_s);
        server().run(url, u"DROP ROLE clerk"_s);
        const auto unnamed = lockctl("range");
        QVERIFY2(unnamed.code == 2 && unnamed.isOneLineOfError(), unnamed.allOutput());
    }

private:
    /// Ann has the table, bob waits for it, gets it and goes.
    void contend(const db::ServerUrl& url, Recorded& recorded, test::Session& ann, test::Session& bob);

    QTemporaryDir m_folder;
};

void tst_RangeOfServer::contend(
    const db::ServerUrl& url, Recorded& recorded, test::Session& ann, test::Session& bob)
{
    server().run(url, u"CREATE TABLE public.orders (id int PRIMARY KEY)"_s);
    QVERIFY(recorded.addPoll()); // nobody holds anything
    QVERIFY(ann.begin(u"LOCK TABLE orders IN ACCESS EXCLUSIVE MODE"_s));
    QVERIFY(recorded.addPoll());
    QVERIFY(bob.run(u"BEGIN"_s));
    QVERIFY(bob.startWaiting(u"LOCK TABLE orders IN SHARE MODE"_s));
    QVERIFY(recorded.addPoll());
    QVERIFY(recorded.addPoll());
    QVERIFY(ann.run(u"COMMIT"_s));
    QVERIFY(bob.wait());
    QVERIFY(recorded.addPoll());
    QVERIFY(bob.run(u"COMMIT"_s));
    QVERIFY(recorded.addPoll());
}

LOCKSCOPE_TEST(tst_RangeOfServer)

} // namespace tst_RangeOfServer
#include "tst_RangeOfServer.moc"
