// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What PostgreSQL tells of what surrounds the locks, and of which cluster it is.

#include "core/monitor/SnapshotSource.h"
#include "core/monitor/postgres/PostgresSurroundings.h"
#include "core/record/RecordingReader.h"
#include "tests/support/Ask.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/Waiting.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <limits>

namespace tst_PostgresSurroundings {

using namespace lockscope;
using namespace lockscope::monitor;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;
using test::TestServer;
using test::waitUntil;

namespace {

std::optional<Measure> find(const Surroundings& told, const QString& kind, const QString& name = {})
{
    const auto found = std::ranges::find_if(
        told.measures, [&](const Measure& measure) { return measure.kind == kind && measure.name == name; });
    return found == told.measures.end() ? std::nullopt : std::optional(*found);
}

/// Asks all the time.
class Asker {
public:
    explicit Asker(std::unique_ptr<db::Connection> connection)
        : m_connection(std::move(connection))
    {
        m_around.begin(m_connection->serverVersionNumber(), u"\"reader\""_s);
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

} // namespace

class tst_PostgresSurroundings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    void thePollBringsThemEveryTenSeconds()
    {
        m_server->run(m_url, u"CREATE TABLE public.stock (id int)"_s);
        test::Session holder(*m_server, m_url);
        test::Session waiter(*m_server, m_url);
        QVERIFY(holder.run(u"BEGIN"_s) && holder.run(u"LOCK TABLE public.stock"_s));
        waiter.start(u"TABLE public.stock"_s);
        QVERIFY(waiter.waitUntilBlocked());
        const auto source = makeSnapshotSource(m_server->at(m_url), {.surroundings = true});
        const auto first = source->take();
        QVERIFY(first);
        const Surroundings told = source->surroundings();
        QVERIFY(find(told, measures::active) && find(told, measures::active)->value >= 1);
        QVERIFY(find(told, measures::waiting, u"Lock"_s));
        QVERIFY(find(told, measures::waiting, u"Lock"_s)->value >= 1);
        QVERIFY(find(told, measures::autovacuum));
        QCOMPARE(told.cluster,
            test::ask(*m_server->connect(m_url), u"SELECT system_identifier FROM pg_control_system()"_s));
        const auto second = source->take();
        QVERIFY(second);
        QCOMPARE((*second)->cost.roundTrips, 1);
        QVERIFY(source->surroundings().measures.empty());
        QCOMPARE(source->surroundings().cluster, told.cluster);
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
        QVERIFY(find(source->surroundings(), measures::active));
    }

    void countersAreOfTheTimeBetween()
    {
        Asker asker(m_server->connect(m_url));
        QVERIFY(!find(asker.ask(), measures::commits)); // since when, is not known yet
        m_server->run(m_url, u"CHECKPOINT"_s);
        QVERIFY(waitUntil([&] {
            const auto checkpoints = find(asker.ask(), measures::checkpoints);
            return checkpoints && checkpoints->value > 0;
        }));
        QVERIFY(waitUntil([&] {
            m_server->run(m_url, u"SELECT 1"_s);
            const auto commits = find(asker.ask(), measures::commits);
            return commits && commits->value > 0;
        }));
    }

    void aChangedSettingIsTold()
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
        Surroundings told;
        QVERIFY(waitUntil([&] {
            told = asker.ask();
            return !told.changed.empty();
        }));
        QCOMPARE(told.changed.size(), 1u);
        QCOMPARE(told.changed.front().name, u"log_autovacuum_min_duration"_s);
        QCOMPARE(told.changed.front().now, u"4711 ms"_s);
        QVERIFY(told.changed.front().before != told.changed.front().now);
        QCOMPARE(find(told, measures::setting, u"log_autovacuum_min_duration"_s)->text, u"4711 ms"_s);
    }

    /// Each refusal would stand in the server's log.
    void whatIsRefusedIsNotAskedAgain()
    {
        m_server->run(m_url, u"REVOKE SELECT ON pg_catalog.pg_settings FROM PUBLIC"_s);
        Asker asker(m_server->connect(m_server->asRole(m_url)));
        QVERIFY(find(asker.ask(), measures::active));
        QCOMPARE(asker.asked, 3u);
        QCOMPARE(asker.snapshot.limitations.size(), 1u);
        QCOMPARE(asker.snapshot.limitations.front().remedy,
            u"GRANT SELECT ON pg_catalog.pg_settings TO \"reader\";"_s);
        QVERIFY2(asker.snapshot.limitations.front().what.contains(u"changed settings"_s),
            qPrintable(asker.snapshot.limitations.front().what));
        QVERIFY(find(asker.ask(), measures::commits)); // the others are
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
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"r.lockscope"_s);
        const test::Lockctl lockctl(m_url.toString(), m_server->password());
        const auto recorded =
            lockctl({u"record"_s, u"--for"_s, u"1s"_s, u"--interval"_s, u"100ms"_s, u"--out"_s, path});
        QVERIFY2(recorded.code == 0, recorded.told());
        const auto range = lockctl({u"range"_s, u"--recording"_s, path});
        QVERIFY2(range.out.contains(u"\nWas it locks, or was it slow? "_s), range.told());
        const auto json = lockctl({u"range"_s, u"--recording"_s, path, u"--json"_s});
        QCOMPARE(json.json()[u"surroundings"][u"samples"].toInteger(), 1);
        QVERIFY(!(*record::RecordingReader::open(path))->identity().cluster.isEmpty());
    }

    void theRecordingTellsWhichRightWasMissing()
    {
        m_server->run(m_url, u"REVOKE EXECUTE ON FUNCTION pg_catalog.pg_control_system() FROM PUBLIC"_s);
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"r.lockscope"_s);
        const test::Lockctl lockctl(m_server->asRole(m_url).toString(), m_server->password());
        const auto recorded =
            lockctl({u"record"_s, u"--for"_s, u"1s"_s, u"--interval"_s, u"200ms"_s, u"--out"_s, path});
        QVERIFY2(recorded.code == 0, recorded.told());
        const auto verified = lockctl({u"recordings"_s, u"verify"_s, path});
        QCOMPARE(verified.code, 0);
        QVERIFY2(verified.out.contains(u"which cluster this is"_s)
                && verified.out.contains(u"GRANT EXECUTE ON FUNCTION pg_catalog.pg_control_system() TO"_s),
            verified.told());
        const auto json = lockctl({u"recordings"_s, u"verify"_s, path, u"--json"_s});
        const auto rights = QJsonDocument::fromJson(json.out.toUtf8())[0][u"missing_rights"].toArray();
        QVERIFY2(std::ranges::any_of(rights,
                     [](const auto& right) {
                         return right.toObject()[u"grant"].toString().contains(u"pg_control_system"_s);
                     }),
            json.told());
    }

private:
    TestServer* m_server = &TestServer::shared();
    db::ServerUrl m_url;
};

LOCKSCOPE_TEST(tst_PostgresSurroundings)

} // namespace tst_PostgresSurroundings
#include "tst_PostgresSurroundings.moc"
