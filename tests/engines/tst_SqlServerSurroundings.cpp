// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// SQL Server's measures beside the locks, and the id of its database.

#include "core/monitor/sqlserver/SqlServerProbes.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/MonitorAnswers.h"

namespace tst_SqlServerSurroundings {

using namespace lockscope;
using namespace lockscope::monitor;
using namespace lockscope::test;
using namespace lockscope::test::tds;

const QString family = u"6F9619FF-8B86-D011-B42D-00C04FC964FF"_s;
const QString replica = u"0C8AEB2A-3F0C-4B5E-9C5B-2E6E0D1B7A11"_s;

/// The server's views beside locks and sessions; names of counters are filled up with blanks, as they are
/// there.
struct Around {
    qint64 transactions = 1'000'000;
    qint64 batches = 5'000'000;
    qint64 checkpointPages = 7'000;
    int maxMemory = 4'096;
    bool readsSnapshots = false; ///< READ_COMMITTED_SNAPSHOT
    bool hasFamily = true;
    std::optional<qint64> lag{};
    qint64 connections = 37;
    int maxConnections = 0; ///< as it is set: as many as possible
    qint64 keyWaits = 40; ///< of rows that have a key; there are as many of heaps
    qint64 keyWaitMs = 90'000;
    std::optional<bool> isPrimary{}; ///< nothing: its database is in no availability group

    Picture picture() const
    {
        Picture picture;
        const auto counter = [](const QString& object, const QString& name, const QString& instance,
                                 qint64 value, int type = 272'696'576) -> Values {
            return {
                object.leftJustified(128), name.leftJustified(128), instance.leftJustified(128), value, type};
        };
        picture.more.push_back({u"sys.dm_os_performance_counters"_s,
            {u"object_name"_s, u"counter_name"_s, u"instance_name"_s, u"cntr_value"_s, u"cntr_type"_s},
            {counter(u"MSSQL$SHOP:Databases"_s, u"Transactions/sec"_s, u"orders"_s, 17),
                counter(u"MSSQL$SHOP:Databases"_s, u"Transactions/sec"_s, u"_Total"_s, transactions),
                counter(u"MSSQL$SHOP:SQL Statistics"_s, u"Batch Requests/sec"_s, {}, batches),
                counter(u"MSSQL$SHOP:Buffer Manager"_s, u"Checkpoint pages/sec"_s, {}, checkpointPages),
                counter(u"MSSQL$SHOP:General Statistics"_s, u"User Connections"_s, {}, connections, 65'792),
                counter(u"MSSQL$SHOP:Locks"_s, u"Lock Waits/sec"_s, u"_Total"_s, 2 * keyWaits + 1),
                counter(u"MSSQL$SHOP:Locks"_s, u"Lock Waits/sec"_s, u"Key"_s, keyWaits),
                counter(u"MSSQL$SHOP:Locks"_s, u"Lock Waits/sec"_s, u"RID"_s, keyWaits),
                counter(u"MSSQL$SHOP:Locks"_s, u"Lock Waits/sec"_s, u"Object"_s, 0),
                counter(u"MSSQL$SHOP:Locks"_s, u"Lock Waits/sec"_s, u"OIB"_s, 1),
                counter(u"MSSQL$SHOP:Locks"_s, u"Lock Wait Time (ms)"_s, u"Key"_s, keyWaitMs),
                counter(u"MSSQL$SHOP:Locks"_s, u"Number of Deadlocks/sec"_s, u"Key"_s, 3),
                counter(u"MSSQL$SHOP:Locks"_s, u"Lock Requests/sec"_s, u"Key"_s, 1'000'000),
                counter(u"MSSQL$SHOP:Locks"_s, u"Average Wait Time (ms)"_s, u"Key"_s, 17, 1'073'874'176),
                counter(u"MSSQL$SHOP:Transactions"_s, u"Transactions"_s, {}, 3, 65'792)}});
        picture.more.push_back({u"sys.configurations"_s,
            {u"configuration_id"_s, u"name"_s, u"value_in_use"_s},
            {{1'544, u"max server memory (MB)"_s, maxMemory}, {103, u"user connections"_s, maxConnections},
                {1'569, u"blocked process threshold (s)"_s, 0}}});
        picture.more.push_back({u"sys.databases"_s,
            {u"database_id"_s, u"name"_s, u"is_read_committed_snapshot_on"_s,
                u"snapshot_isolation_state_desc"_s, u"recovery_model_desc"_s, u"delayed_durability_desc"_s,
                u"compatibility_level"_s},
            {{5, u"orders"_s, readsSnapshots, u"OFF"_s, u"FULL"_s, u"DISABLED"_s, 160}}});
        if (hasFamily)
            picture.more.push_back({u"sys.database_recovery_status"_s, {u"database_id"_s, u"family_guid"_s},
                {{5, QUuid::fromString(family)}}});
        if (lag) {
            picture.more.push_back({u"sys.dm_hadr_database_replica_states"_s,
                {u"database_id"_s, u"replica_id"_s, u"is_local"_s, u"secondary_lag_seconds"_s},
                {{5, QUuid::fromString(replica), false, *lag}, {6, QUuid::fromString(replica), false, 1},
                    {5, QUuid::fromString(family), true, Value()}}});
            picture.more.push_back({u"sys.availability_replicas"_s,
                {u"replica_id"_s, u"replica_server_name"_s}, {{QUuid::fromString(replica), u"SQL02"_s}}});
        }
        if (isPrimary)
            picture.more.push_back({u"sys.dm_hadr_database_replica_states"_s,
                {u"database_id"_s, u"replica_id"_s, u"is_local"_s, u"is_primary_replica"_s},
                {{5, QUuid::fromString(family), true, *isPrimary},
                    {6, QUuid::fromString(family), true, !*isPrimary}}});
        return picture;
    }
};

/// One waits for a lock, one for a disk, one computes and one sleeps.
static Picture busy(Picture picture)
{
    for (const int id : {61, 63, 70, 72})
        picture.session(id, "shop");
    picture.sessions.front().sleeping(60'000);
    for (const auto& [id, wait] :
        {std::pair(63, u"LCK_M_IX"_s), std::pair(70, u"PAGEIOLATCH_SH"_s), std::pair(72, QString())})
        picture.request(id, "UPDATE", 1'000).waitType = wait;
    return picture;
}

/// Polls all the time.
class Asker {
public:
    explicit Asker(const Picture& picture)
        : m_answers(m_server)
    {
        m_answers.show(picture);
        m_connection = test::orDie(db::Server::at(urlOf(m_server), [this](const QString&) -> Result<QString> {
            return passwordOf(m_server);
        }).connect());
        facts.productVersion = u"16.0.4135.4"_s;
        facts.engineEdition = 3;
        facts.rights = {u"VIEW SERVER PERFORMANCE STATE"_s};
        m_probes.setNames(u"[ann]"_s, u"[ann]"_s);
        m_around.begin();
    }
    void show(const Picture& picture) { m_answers.show(picture); }
    Surroundings ask()
    {
        m_probes.setFacts(facts);
        std::vector<db::BatchItem> items;
        m_around.addTo(items, m_probes);
        asked = items.size();
        if (!items.empty())
            m_around.judge(m_connection->executeBatch(items));
        snapshot = {};
        snapshot.takenAt = ServerTime{++m_halfMinutes * 30'000'000};
        return m_around.finish(snapshot, m_probes, database);
    }
    QStringList missing() const
    {
        QStringList texts;
        for (const Limitation& limit : snapshot.limitations)
            texts << limit.what + u' ' + limit.remedy;
        return texts;
    }

    db::SqlServerFacts facts;
    quint32 database = 5;
    size_t asked = 0; ///< questions, the last time
    Snapshot snapshot;

private:
    TdsServer m_server;
    MonitorAnswers m_answers;
    std::unique_ptr<db::Connection> m_connection;
    SqlServerProbes m_probes;
    SqlServerSurroundings m_around{0ms};
    qint64 m_halfMinutes = 0;
};

class tst_SqlServerSurroundings : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void thePollBringsThemEveryTenSeconds()
    {
        TdsServer server;
        MonitorAnswers answers(server);
        answers.show(busy(Around().picture()));
        const db::ServerProfile profile = test::profileOf(urlOf(server));
        const auto source = makeSnapshotSource(
            {profile, [&server](const QString&) -> Result<QString> { return passwordOf(server); }},
            {.surroundings = true});
        VERIFY_DONE(source->take());
        const Surroundings surroundings = source->surroundings();
        QCOMPARE(measureOf(surroundings, measures::active)->value, 3);
        for (const QString& name : {u"Lock"_s, u"Buffer IO"_s, measures::running})
            QVERIFY2(measureOf(surroundings, measures::waiting, name)
                    && measureOf(surroundings, measures::waiting, name)->value == 1,
                qPrintable(name));
        QCOMPARE(surroundings.cluster, family.toLower());
        QVERIFY(source->take());
        const auto third = source->take();
        QVERIFY(third);
        QCOMPARE((*third)->cost.roundTrips, 1);
        QVERIFY(source->surroundings().measures.empty());
        QCOMPARE(source->surroundings().cluster, surroundings.cluster);
    }

    void countersAreOfTheTimeBetween()
    {
        Around around;
        Asker asker(around.picture());
        QVERIFY(!measureOf(asker.ask(), measures::transactions)); // since when, is not known yet
        around.transactions += 300;
        around.batches += 1'000;
        around.checkpointPages += 64;
        asker.show(around.picture());
        const Surroundings surroundings = asker.ask();
        QCOMPARE(measureOf(surroundings, measures::transactions)->value, 600); // in half a minute
        QCOMPARE(measureOf(surroundings, measures::batches)->value, 2'000);
        QCOMPARE(measureOf(surroundings, measures::checkpointPages)->value, 64);
        asker.show(Around{.transactions = 5, .batches = 5, .checkpointPages = 5}.picture()); // a restart
        QVERIFY(!measureOf(asker.ask(), measures::transactions));
    }

    /// Counts by the kind of resource, in the usual words; since the start, despite the names of the
    /// counters.
    void waitsThatTheServerCountsAreReported()
    {
        Around around;
        Asker asker(around.picture());
        Surroundings surroundings = asker.ask();
        QVERIFY(!measureOf(surroundings, measures::lockWaits)); // since when, is not known yet
        QVERIFY(surroundings.lockCounts
            == (std::vector<LockCount>{{u"row"_s, 80, 90'000ms, {}, 3, 0}, {u"table"_s, 0, {}, {}, {}, 0},
                {u"OIB"_s, 1, {}, {}, {}, 0}}));
        around.keyWaits += 2;
        around.keyWaitMs += 700;
        asker.show(around.picture());
        surroundings = asker.ask();
        QCOMPARE(measureOf(surroundings, measures::lockWaits)->value, 4);
        QCOMPARE(measureOf(surroundings, measures::lockWaits, u"row"_s)->value, 4);
        QVERIFY(!measureOf(surroundings, measures::lockWaits, u"table"_s));
        QCOMPARE(measureOf(surroundings, measures::lockWaitTime)->value, 700);
        asker.show(Around{.keyWaits = 1, .keyWaitMs = 5}.picture()); // a restart
        QVERIFY(!measureOf(asker.ask(), measures::lockWaits));
    }

    void aChangedSettingIsReported()
    {
        Around around;
        Asker asker(around.picture());
        QVERIFY(asker.ask().changed.empty());
        around.maxMemory = 8'192;
        around.readsSnapshots = true;
        asker.show(around.picture());
        const Surroundings surroundings = asker.ask();
        QVERIFY(surroundings.changed
            == (std::vector<ChangedSetting>{{u"max server memory (MB)"_s, u"4096"_s, u"8192"_s},
                {u"READ_COMMITTED_SNAPSHOT"_s, u"OFF"_s, u"ON"_s}}));
        QCOMPARE(measureOf(surroundings, measures::setting, u"READ_COMMITTED_SNAPSHOT"_s)->text, u"ON"_s);
        QVERIFY(asker.ask().changed.empty());
    }

    void replicasThatAreBehindAreNamed()
    {
        Asker asker(Around{.lag = 42}.picture());
        QCOMPARE(measureOf(asker.ask(), measures::replicationLag, u"SQL02"_s)->value, 42'000);
    }

    void connectionsAndTheirLimitAreKnown()
    {
        Asker asker(Around().picture());
        Surroundings surroundings = asker.ask();
        QCOMPARE(measureOf(surroundings, measures::connections)->value, 37);
        QCOMPARE(measureOf(surroundings, measures::maxConnections)->value, 32'767); // of any server
        asker.show(Around{.connections = 99, .maxConnections = 100}.picture());
        surroundings = asker.ask();
        QCOMPARE(measureOf(surroundings, measures::connections)->value, 99);
        QCOMPARE(measureOf(surroundings, measures::maxConnections)->value, 100);
        // The service has limits of its own.
        for (const int edition : {5, 8}) {
            asker.facts.engineEdition = edition;
            QVERIFY(!measureOf(asker.ask(), measures::maxConnections));
        }
    }

    void aReplicaThatIsPromotedIsReported()
    {
        Asker asker(Around().picture());
        QVERIFY(!measureOf(asker.ask(), measures::replica)); // in no availability group
        asker.show(Around{.isPrimary = false}.picture());
        QCOMPARE(measureOf(asker.ask(), measures::replica)->value, 1);
        asker.show(Around{.isPrimary = true}.picture());
        QCOMPARE(measureOf(asker.ask(), measures::replica)->value, 0);
    }

    /// Each refusal would cost the server something, and asking again changes nothing.
    void aMissingRightIsSaidAndNotAskedForAgain()
    {
        Picture picture = busy(Around().picture());
        picture.closedViews = {u"sys.dm_os_performance_counters"_s, u"sys.dm_hadr_database_replica_states"_s};
        Asker asker(picture);
        asker.facts.rights.clear();
        const Surroundings surroundings = asker.ask();
        QVERIFY(!measureOf(surroundings, measures::connections)
            && !measureOf(surroundings, measures::replica)); // and not none
        QCOMPARE(surroundings.cluster, family.toLower());
        QCOMPARE(asker.snapshot.limitations.size(), size_t(1));
        QCOMPARE(asker.snapshot.limitations.front().kind, Limitation::Kind::MissingPermission);
        const QString text = asker.missing().first();
        for (const QString& part :
            {u"active sessions"_s, u"transactions, batches, checkpoints and connections"_s,
                u"GRANT VIEW SERVER PERFORMANCE STATE TO [ann];"_s})
            VERIFY_CONTAINS(text, part);
        const size_t first = asker.asked;
        asker.ask();
        QCOMPARE(asker.asked, first - 5); // nor which database it is
        asker.facts.rights = {u"VIEW SERVER PERFORMANCE STATE"_s}; // it was given
        asker.show(busy(Around().picture()));
        QVERIFY(measureOf(asker.ask(), measures::active));
        QCOMPARE(asker.missing(), QStringList());
    }

    void aDatabaseThatMayNotBeSeenIsNotKnown()
    {
        Asker asker(Around{.hasFamily = false}.picture());
        QCOMPARE(asker.ask().cluster, QString());
        VERIFY_CONTAINS(asker.missing().join(u'\n'), u"GRANT VIEW ANY DATABASE TO [ann];"_s);
    }

    /// Each server has such a database, made from the same files.
    void aSystemDatabaseTellsNoServer()
    {
        Asker asker(Around().picture());
        asker.database = 1;
        QCOMPARE(asker.ask().cluster, QString());
    }

    void otherEnginesAreNotAsked()
    {
        Asker asker(Around().picture());
        asker.facts.babelfishVersion = u"4.3.0"_s;
        QVERIFY(asker.ask().measures.empty());
        QCOMPARE(asker.asked, size_t(0));
        QCOMPARE(asker.missing(), QStringList());
    }

    void waitsHaveTheCategoriesOfTheServer_data()
    {
        QTest::addColumn<QString>("category");
        const auto row = [](const char* wait, const QString& category) { QTest::newRow(wait) << category; };
        row("LCK_M_SCH_M", u"Lock"_s);
        row("LATCH_EX", u"Latch"_s);
        row("PAGELATCH_UP", u"Buffer Latch"_s);
        row("WRITELOG", u"Tran Log IO"_s);
        row("LOGMGR_QUEUE", u"Idle"_s);
        row("LOGMGR_FLUSH", u"Tran Log IO"_s);
        row("CXPACKET", u"Parallelism"_s);
        row("BROKER_RECEIVE_WAITFOR", u"User Wait"_s);
        row("BROKER_TO_FLUSH", u"Service Broker"_s);
        row("HADR_SYNC_COMMIT", u"Replication"_s);
        row("HADR_THROTTLE_LOG_RATE_GOVERNOR", u"Log Rate Governor"_s);
        row("RESOURCE_SEMAPHORE", u"Memory"_s);
        row("RESOURCE_SEMAPHORE_QUERY_COMPILE", u"Compilation"_s);
        row("SOMETHING_NEW", u"Unknown"_s);
    }
    void waitsHaveTheCategoriesOfTheServer()
    {
        QFETCH(QString, category);
        QCOMPARE(waitCategoryOf(QString::fromUtf8(QTest::currentDataTag())), category);
    }
};

LOCKSCOPE_TEST(tst_SqlServerSurroundings)

} // namespace tst_SqlServerSurroundings
#include "tst_SqlServerSurroundings.moc"
