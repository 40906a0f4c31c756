// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// PostgreSQL's measures beside the locks, and the id of its cluster.

#include "core/monitor/postgres/PostgresSnapshotSource.h"
#include "core/record/RecordingReader.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"

namespace tst_PostgresSurroundings {

using namespace lockscope;
using namespace lockscope::monitor;
using namespace lockscope::test;

/// Polls all the time.
class Asker {
public:
    explicit Asker(std::unique_ptr<db::Connection> connection, bool countsWaits = false)
        : m_connection(std::move(connection))
    {
        m_around.begin(m_connection->serverVersionNumber(), u"\"reader\""_s, countsWaits);
    }
    Surroundings ask()
    {
        std::vector<db::BatchItem> items;
        m_around.addTo(items);
        asked = items.size();
        if (!items.empty())
            m_around.judge(m_connection->executeBatch(items));
        snapshot = {};
        snapshot.takenAt = ServerTime{++m_minutes * 60'000'000};
        snapshot.cost.server = cost;
        return m_around.finish(snapshot);
    }

    size_t asked = 0; ///< questions, the last time
    microseconds cost{0}; ///< of the poll
    Snapshot snapshot;

private:
    std::unique_ptr<db::Connection> m_connection;
    PostgresSurroundings m_around{0ms};
    qint64 m_minutes = 0;
};

/// The server's counts of waits for locks. PostgreSQL 19 has them; for an older one a table of that form is
/// made.
class CountedWaits {
public:
    CountedWaits(TestServer& server, const db::ServerUrl& url)
        : m_server(server)
        , m_url(url)
        , m_areReal(
              test::ask(*server.connect(url), u"SELECT to_regclass('pg_catalog.pg_stat_lock') IS NOT NULL"_s)
              == u"t"_s)
    {
        if (!m_areReal)
            m_server.run(m_url,
                u"SET allow_system_table_mods = on; CREATE TABLE pg_catalog.pg_stat_lock AS SELECT t AS locktype, 0::bigint AS waits, 0::bigint AS wait_time, 0::bigint AS fastpath_exceeded, now() AS stats_reset FROM unnest(ARRAY['relation', 'transactionid', 'applytransaction']) AS t; GRANT SELECT ON pg_catalog.pg_stat_lock TO PUBLIC"_s);
    }
    /// A session waits for a table, longer than deadlock_timeout, and gets it.
    void add()
    {
        if (!m_areReal) {
            m_server.run(m_url,
                u"UPDATE pg_catalog.pg_stat_lock SET waits = waits + 1, wait_time = wait_time + 20 WHERE locktype = 'relation'"_s);
            return;
        }
        m_server.run(m_url, u"CREATE TABLE IF NOT EXISTS public.stock (id int)"_s);
        test::Session holder(m_server, m_url);
        test::Session waiter(m_server, m_url);
        QVERIFY(holder.begin(u"LOCK TABLE public.stock"_s));
        QVERIFY(waiter.run(u"SET deadlock_timeout = '1ms'"_s));
        QVERIFY(waiter.startWaiting(u"TABLE public.stock"_s));
        QTest::qWait(50); // it is longer than 1 ms
        QVERIFY(holder.run(u"COMMIT"_s));
        QVERIFY(waiter.wait());
    }
    void reset()
    {
        m_server.run(m_url,
            m_areReal
                ? u"SELECT pg_stat_reset_shared('lock')"_s
                : u"UPDATE pg_catalog.pg_stat_lock SET waits = 0, wait_time = 0, stats_reset = clock_timestamp()"_s);
    }

private:
    TestServer& m_server;
    db::ServerUrl m_url;
    bool m_areReal;
};

static std::optional<LockCount> countOf(const Surroundings& surroundings, const QString& kind)
{
    const auto found = std::ranges::find(surroundings.lockCounts, kind, &LockCount::kind);
    return found == surroundings.lockCounts.end() ? std::nullopt : std::optional(*found);
}

class tst_PostgresSurroundings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    void thePollBringsThemEveryTenSeconds()
    {
        m_server->run(m_url, u"CREATE TABLE public.stock (id int)"_s);
        test::Session holder(*m_server, m_url);
        test::Session waiter(*m_server, m_url);
        QVERIFY(holder.begin(u"LOCK TABLE public.stock"_s));
        QVERIFY(waiter.startWaiting(u"TABLE public.stock"_s));
        const auto source = makeSnapshotSource(m_server->at(m_url), {.surroundings = true});
        QVERIFY(source->take());
        const Surroundings surroundings = source->surroundings();
        QVERIFY(measureOf(surroundings, measures::active)
            && measureOf(surroundings, measures::active)->value >= 1);
        QVERIFY(measureOf(surroundings, measures::waiting, u"Lock"_s));
        QVERIFY(measureOf(surroundings, measures::waiting, u"Lock"_s)->value >= 1);
        QVERIFY(measureOf(surroundings, measures::autovacuum));
        QCOMPARE(surroundings.cluster,
            test::ask(*m_server->connect(m_url), u"SELECT system_identifier FROM pg_control_system()"_s));
        const auto second = source->take();
        QVERIFY(second);
        QCOMPARE((*second)->cost.roundTrips, 1);
        QVERIFY(source->surroundings().measures.empty());
        QCOMPARE(source->surroundings().cluster, surroundings.cluster);
    }

    void withoutTheRightTheClusterIsNotKnown()
    {
        m_server->run(m_url, u"REVOKE EXECUTE ON FUNCTION pg_catalog.pg_control_system() FROM PUBLIC"_s);
        const auto source = makeSnapshotSource(m_server->at(m_server->asRole(m_url)), {.surroundings = true});
        const auto taken = source->take();
        QVERIFY(taken);
        QVERIFY(std::ranges::any_of((*taken)->limitations, [](const Limitation& limit) {
            return limit.kind == Limitation::Kind::MissingPermission
                && limit.remedy.startsWith(u"GRANT EXECUTE ON FUNCTION pg_catalog.pg_control_system() TO "_s);
        }));
        QCOMPARE(source->surroundings().cluster, QString());
        QVERIFY(measureOf(source->surroundings(), measures::active));
    }

    void countersAreOfTheTimeBetween()
    {
        Asker asker(m_server->connect(m_url));
        QVERIFY(!measureOf(asker.ask(), measures::commits)); // since when, is not known yet
        m_server->run(m_url, u"CHECKPOINT"_s);
        QVERIFY(waitUntil([&] {
            const auto checkpoints = measureOf(asker.ask(), measures::checkpoints);
            return checkpoints && checkpoints->value > 0;
        }));
        QVERIFY(waitUntil([&] {
            m_server->run(m_url, u"SELECT 1"_s);
            const auto commits = measureOf(asker.ask(), measures::commits);
            return commits && commits->value > 0;
        }));
    }

    /// The counts are read in the round trip of a poll, and only every ten seconds.
    void waitsThatTheServerCountsAreReported()
    {
        CountedWaits waits(*m_server, m_url);
        const auto source = makeSnapshotSource(m_server->at(m_server->asRole(m_url)), {.surroundings = true});
        QVERIFY(source->take());
        const auto before = countOf(source->surroundings(), u"table"_s);
        QVERIFY(before && before->fastPathExceeded);
        QVERIFY(countOf(source->surroundings(), u"applytransaction"_s)); // no kind of ours has it
        QVERIFY(!measureOf(source->surroundings(), measures::lockWaits)); // since when, is not known yet
        const auto second = source->take();
        QVERIFY(second);
        QCOMPARE((*second)->cost.roundTrips, 1);
        QVERIFY(source->surroundings().lockCounts.empty());

        Asker asker(m_server->connect(m_url), true);
        const auto first = countOf(asker.ask(), u"table"_s);
        waits.add();
        Surroundings surroundings;
        QVERIFY(waitUntil([&] { // the server adds them up now and then
            surroundings = asker.ask();
            return countOf(surroundings, u"table"_s)->waits > first->waits;
        }));
        QCOMPARE(measureOf(surroundings, measures::lockWaits, u"table"_s)->value, 1);
        QCOMPARE(measureOf(surroundings, measures::lockWaits)->value, 1);
        QVERIFY(measureOf(surroundings, measures::lockWaitTime)->value > 0);
        QCOMPARE(measureOf(asker.ask(), measures::lockWaits)->value, 0);
        waits.reset();
        QVERIFY(waitUntil([&] { // what came since the poll before is not known
            surroundings = asker.ask();
            return !measureOf(surroundings, measures::lockWaits);
        }));
        QCOMPARE(countOf(surroundings, u"table"_s)->waits, 0);
        QCOMPARE(measureOf(asker.ask(), measures::lockWaits)->value, 0);
    }

    /// The server is asked once for a connection, with the other queries there; no notice appears.
    void aServerThatDoesNotCountIsNotAsked()
    {
        const auto there = u"SELECT to_regclass('pg_catalog.pg_stat_lock') IS NOT NULL"_s;
        if (test::ask(*m_server->connect(m_url), there) == u"t"_s)
            QSKIP("This server counts.");
        const auto source = makeSnapshotSource(m_server->at(m_url), {.surroundings = true});
        const auto taken = source->take();
        QVERIFY(taken && (*taken)->limitations.empty());
        QVERIFY(source->surroundings().lockCounts.empty());
        QVERIFY(!measureOf(source->surroundings(), measures::lockWaits));
        // A table of that name that is another one doesn't count.
        m_server->run(m_url, u"CREATE TABLE public.pg_stat_lock (locktype text)"_s);
        m_server->run(m_url,
            u"SET allow_system_table_mods = on; CREATE TABLE pg_catalog.pg_stat_lock (locktype text, waits bigint)"_s);
        const auto other = makeSnapshotSource(m_server->at(m_url), {.surroundings = true});
        const auto again = other->take();
        QVERIFY(again && (*again)->limitations.empty());
        QVERIFY(other->surroundings().lockCounts.empty());
    }

    void aChangedSettingIsReported()
    {
        const auto back = qScopeGuard([this] {
            m_server->run(m_url, u"ALTER SYSTEM RESET log_autovacuum_min_duration"_s);
            m_server->run(m_url, u"SELECT pg_reload_conf()"_s);
        });
        Asker asker(m_server->connect(m_url));
        QCOMPARE(asker.ask().changed.size(), 0u);
        QCOMPARE(asker.asked, 3u);
        asker.ask();
        QCOMPARE(asker.asked, 2u); // settings are many, and were not read again by the server
        m_server->run(m_url, u"ALTER SYSTEM SET log_autovacuum_min_duration = 4711"_s);
        m_server->run(m_url, u"SELECT pg_reload_conf()"_s);
        Surroundings surroundings;
        QVERIFY(waitUntil([&] {
            surroundings = asker.ask();
            return !surroundings.changed.empty();
        }));
        QCOMPARE(surroundings.changed.size(), 1u);
        QCOMPARE(surroundings.changed.front().name, u"log_autovacuum_min_duration"_s);
        QCOMPARE(surroundings.changed.front().now, u"4711 ms"_s);
        QVERIFY(surroundings.changed.front().before != surroundings.changed.front().now);
        QCOMPARE(
            measureOf(surroundings, measures::setting, u"log_autovacuum_min_duration"_s)->text, u"4711 ms"_s);
    }

    /// Each refusal would stand in the server's log.
    void whatIsRefusedIsNotAskedAgain()
    {
        m_server->run(m_url, u"REVOKE SELECT ON pg_catalog.pg_settings FROM PUBLIC"_s);
        Asker asker(m_server->connect(m_server->asRole(m_url)));
        QVERIFY(measureOf(asker.ask(), measures::active));
        QCOMPARE(asker.asked, 3u);
        QCOMPARE(asker.snapshot.limitations.size(), 1u);
        QCOMPARE(asker.snapshot.limitations.front().remedy,
            u"GRANT SELECT ON pg_catalog.pg_settings TO \"reader\";"_s);
        VERIFY_CONTAINS(asker.snapshot.limitations.front().what, u"changed settings"_s);
        QVERIFY(measureOf(asker.ask(), measures::commits)); // the others are
        QCOMPARE(asker.asked, 2u);
    }

    void aSlowServerIsNotAsked()
    {
        Asker asker(m_server->connect(m_url));
        asker.cost = 2s;
        QVERIFY(!asker.ask().measures.empty()); // nobody knew
        QVERIFY(asker.ask().measures.empty());
        QCOMPARE(asker.asked, 0u);
        asker.cost = 1ms;
        asker.ask();
        QVERIFY(!asker.ask().measures.empty());
    }

    void aRangeEndsWithThem()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const test::Lockctl lockctl(m_url.toString(), m_server->password());
        VERIFY_CODE(0, lockctl("record --for 1s --interval 100ms --out %1", path));
        const auto range = lockctl("range --recording %1", path);
        QVERIFY2(range.out.contains(u"\nWas it locks, or was it slow? "_s), range.allOutput());
        const auto json = lockctl("range --recording %1 --json", path);
        QCOMPARE(json.json()[u"surroundings"][u"samples"].toInteger(), 1);
        QVERIFY(!(*record::RecordingReader::open(path))->identity().cluster.isEmpty());
    }

    void theRecordingTellsWhichRightWasMissing()
    {
        m_server->run(m_url, u"REVOKE EXECUTE ON FUNCTION pg_catalog.pg_control_system() FROM PUBLIC"_s);
        const QString path = freshPath(u"r.lockscope"_s);
        const test::Lockctl lockctl(m_server->asRole(m_url).toString(), m_server->password());
        VERIFY_CODE(0, lockctl("record --for 1s --interval 200ms --out %1", path));
        const auto verified = lockctl("recordings verify %1", path);
        QCOMPARE(verified.code, 0);
        QVERIFY2(verified.out.contains(u"which cluster this is"_s)
                && verified.out.contains(u"GRANT EXECUTE ON FUNCTION pg_catalog.pg_control_system() TO"_s),
            verified.allOutput());
        const auto json = lockctl("recordings verify %1 --json", path);
        const auto rights = QJsonDocument::fromJson(json.out.toUtf8())[0][u"missing_rights"].toArray();
        QVERIFY2(std::ranges::any_of(rights,
                     [](const auto& right) {
                         return right.toObject()[u"grant"].toString().contains(u"pg_control_system"_s);
                     }),
            json.allOutput());
    }

private:
    TestServer* m_server = &TestServer::shared();
    db::ServerUrl m_url;
};

LOCKSCOPE_TEST(tst_PostgresSurroundings)

} // namespace tst_PostgresSurroundings
#include "tst_PostgresSurroundings.moc"
