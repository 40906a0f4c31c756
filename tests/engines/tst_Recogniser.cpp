// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The owners of a snapshot's locks: made snapshots, and real advisory locks of a real server.

#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FrameworkFile.h"
#include "core/frameworks/Recogniser.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_Recogniser {

using namespace lockscope;
using namespace lockscope::frameworks;
using namespace lockscope::test;

/// A file with these locks, without the words for people.
static FrameworkPtr framework(const QString& id, const QString& name, const QStringList& locks)
{
    QStringList whole;
    for (const QString& lock : locks)
        whole << u"{\"id\": \"l%1\", \"purpose\": \"p\", \"ends\": \"e\", \"danger\": \"d\", %2}"_s.arg(
            QString::number(whole.size()), lock);
    const QString text =
        u"{\"format\": 1, \"name\": \"%1\", \"about\": \"a\", \"locks\": [%2]}"_s.arg(name, whole.join(u','));
    auto read = orDie(readFrameworkFile(id + u".json"_s, text.toUtf8()));
    return std::make_shared<const Framework>(std::move(read));
}

static QString advisory(const QString& name, const QString& rest)
{
    return u"\"name\": \"%1\", \"kind\": \"advisory key\", \"engines\": [\"postgres\"], %2"_s.arg(name, rest);
}

static QString application(const QString& name, const QString& rest)
{
    return u"\"name\": \"%1\", \"kind\": \"application lock\", \"engines\": [\"sqlserver\"], %2"_s.arg(
        name, rest);
}

static Resource advisoryLock(qint64 key, quint64 part = 1, const QString& database = u"app"_s)
{
    Resource resource;
    resource.key = {
        ResourceKind::ApplicationLock, database == u"app"_s ? 5U : 6U, static_cast<quint64>(key), part, {}};
    resource.database = database;
    resource.name = u"advisory key"_s;
    return resource;
}

static Resource pairLock(qint32 first, qint32 second)
{
    return advisoryLock(
        static_cast<qint64>(quint64(static_cast<quint32>(first)) << 32 | static_cast<quint32>(second)), 2);
}

static Resource appLock(const QString& name)
{
    Resource resource;
    resource.key = {ResourceKind::ApplicationLock, 5, 0, 0, u"0:[%1]:(ea53e177)"_s.arg(name.left(32))};
    resource.database = u"app"_s;
    resource.name = u"app lock '%1'"_s.arg(name);
    resource.named = true;
    return resource;
}

static Resource recognised(Recogniser& recogniser, const Resource& resource)
{
    Snapshot snapshot;
    snapshot.resources.push_back(resource);
    recogniser.recognise(snapshot);
    return snapshot.resources[0];
}

const KnownTable jobs{
    .schema = u"public"_s, .table = u"jobs"_s, .id = 16'400, .columns = {u"id"_s, u"owner"_s}};

class tst_Recogniser : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void constantsAreNamed()
    {
        Recogniser recogniser(Engine::Postgres,
            {framework(u"prisma"_s, u"Prisma"_s,
                {advisory(u"migrate"_s, u"\"keys\": [{\"number\": 72707369}]"_s)})});
        recogniser.setFacts({u"app"_s, {u"public"_s}, {}});
        const Resource found = recognised(recogniser, advisoryLock(72707369));
        QVERIFY(found.framework);
        QCOMPARE(found.name, u"Prisma migrate"_s);
        QVERIFY(found.named && found.framework->certain);
        QCOMPARE(found.framework->evidence, u"key 72707369 is Prisma's"_s);
        // The same object at the next poll; another key, or the same number as a pair, is nobody's.
        QCOMPARE(recognised(recogniser, advisoryLock(72707369)).framework, found.framework);
        QVERIFY(!recognised(recogniser, advisoryLock(72707370)).framework);
        QVERIFY(!recognised(recogniser, advisoryLock(72707369, 2)).framework);
        QVERIFY(recognised(recogniser, advisoryLock(72707369, 1, u"other"_s)).framework);
    }

    void namedLocksAreOurs()
    {
        Recogniser recogniser(Engine::Postgres,
            {framework(u"prisma"_s, u"Prisma"_s,
                {advisory(u"migrate"_s, u"\"keys\": [{\"number\": 72707369}]"_s)})});
        recogniser.setFacts({u"app"_s, {}, {}});
        Resource ours = advisoryLock(72707369);
        ours.name = u"app lock 'nightly'"_s;
        ours.named = true;
        const Resource seen = recognised(recogniser, ours);
        QVERIFY(!seen.framework);
        QCOMPARE(seen.name, ours.name);
    }

    void rangesAreLikelyOnly()
    {
        const QString lock =
            u"\"table\": {\"columns\": [\"id\", \"owner\"]}, \"keys\": [{\"number\": {\"hash\": \"java\", \"text\": \"{schema}.{table}\", \"add\": 77431708279161}}, {\"range\": [77429560795513, 77433855762808]}]"_s;
        Recogniser recogniser(
            Engine::Postgres, {framework(u"jobs"_s, u"Jobs"_s, {advisory(u"migration"_s, lock)})});
        recogniser.setFacts({u"app"_s, {u"public"_s}, {jobs}});
        const Resource found = recognised(recogniser, advisoryLock(77431708279170));
        QVERIFY(found.framework && !found.framework->certain);
        QCOMPARE(found.name, u"advisory key"_s); // the numbers stay
        QCOMPARE(found.framework->name, u"migration"_s);
        VERIFY_ENDS(found.framework->evidence, u"as another program may"_s);
        QVERIFY(!recognised(recogniser, advisoryLock(77433855762809)).framework);
    }

    void thirtyTwoBitsNeedATable()
    {
        const QString locks =
            u"\"table\": {\"names\": [\"jobs\"]}, \"keys\": [{\"number\": {\"hash\": \"crc32\", \"text\": \"{database}\", \"bits\": 32, \"signed\": false}}]"_s;
        Recogniser recogniser(
            Engine::Postgres, {framework(u"jobs"_s, u"Jobs"_s, {advisory(u"leader"_s, locks)})});
        const qint64 key = 0xCBF43926; // the well-known one of "123456789"
        recogniser.setFacts({u"123456789"_s, {}, {}});
        const Resource without = recognised(recogniser, advisoryLock(key, 1, u"123456789"_s));
        QVERIFY(without.framework && !without.framework->certain);
        QCOMPARE(without.framework->badge(), u"Jobs?"_s);
        QCOMPARE(without.framework->name, u"leader of 123456789"_s);
        recogniser.setFacts({u"123456789"_s, {}, {jobs}});
        QVERIFY(recognised(recogniser, advisoryLock(key, 1, u"123456789"_s)).framework->certain);
        QVERIFY(!recognised(recogniser, advisoryLock(key)).framework); // of another database
    }

    void plainNumbersNeedTheirTables()
    {
        const QString lock =
            u"\"plain_number\": true, \"requires\": [{\"names\": [\"jobs\"]}], \"keys\": [{\"number\": 1}]"_s;
        Recogniser recogniser(
            Engine::Postgres, {framework(u"jobs"_s, u"Jobs"_s, {advisory(u"leader"_s, lock)})});
        recogniser.setFacts({u"app"_s, {}, {}});
        QVERIFY(!recognised(recogniser, advisoryLock(1)).framework);
        recogniser.setFacts({u"app"_s, {}, {jobs}});
        const Resource found = recognised(recogniser, advisoryLock(1));
        QVERIFY(found.framework && !found.framework->certain);
        QCOMPARE(found.framework->evidence, u"key 1 is one that Jobs uses, as another program may"_s);
        QVERIFY(!found.named);
        QVERIFY(!recognised(recogniser, advisoryLock(1, 1, u"other"_s)).framework);
    }

    void theMostCertainCounts()
    {
        const auto lock = [](const char* keys) {
            return advisory(u"lock"_s, u"\"keys\": ["_s + QString::fromLatin1(keys) + u']');
        };
        Recogniser recogniser(Engine::Postgres,
            {framework(u"wide"_s, u"Wide"_s, {lock("{\"range\": [0, 999999999]}")}),
                framework(u"exact"_s, u"Exact"_s, {lock("{\"number\": 100000}")}),
                framework(u"one"_s, u"One"_s, {lock("{\"number\": 7000000000}")}),
                framework(u"two"_s, u"Two"_s, {lock("{\"number\": 7000000000}")})});
        recogniser.setFacts({u"app"_s, {}, {}});
        const FrameworkMatchPtr match = recognised(recogniser, advisoryLock(100'000)).framework;
        QCOMPARE(match->framework, u"exact"_s);
        QVERIFY(match->certain && match->evidence.contains(u"Wide"_s));
        const FrameworkMatchPtr tied = recognised(recogniser, advisoryLock(7'000'000'000)).framework;
        QVERIFY(!tied->certain && tied->evidence.contains(u"Two"_s));
    }

    void pairsAndParts()
    {
        Recogniser recogniser(Engine::Postgres,
            {framework(u"a"_s, u"Sessions"_s,
                 {advisory(u"session lock"_s,
                     u"\"keys\": [{\"pair\": [-755096828, {\"hash\": \"java\", \"text\": \"{schema}\", \"bits\": 32}]}]"_s)}),
                framework(u"b"_s, u"Repack"_s,
                    {advisory(u"repack"_s,
                        u"\"keys\": [{\"pair\": [16185446, {\"hash\": \"table id\", \"add\": -2147483648, \"bits\": 32}]}, {\"pair\": [16185446, \"any\"]}]"_s)}),
                framework(
                    u"c"_s, u"Names"_s, {advisory(u"lock"_s, u"\"keys\": [{\"decode\": \"ascii7\"}]"_s)}),
                framework(u"d"_s, u"Shards"_s, {advisory(u"shard"_s, u"\"keys\": [{\"objsubid\": 5}]"_s)})});
        recogniser.setFacts({u"app"_s, {u"public"_s}, {jobs}});
        QCOMPARE(recognised(recogniser, pairLock(-755096828, -977423767)).name,
            u"Sessions session lock of public"_s);
        const Resource repacked = recognised(recogniser, pairLock(16185446, 16'400 - 2147483647 - 1));
        QCOMPARE(repacked.framework->name, u"repack of public.jobs"_s);
        QVERIFY(repacked.framework->certain);
        const Resource unknown = recognised(recogniser, pairLock(16185446, 16'401 - 2147483647 - 1));
        QCOMPARE(unknown.framework->name, u"repack"_s);
        QVERIFY(!unknown.framework->certain);
        QCOMPARE(recognised(recogniser, pairLock(-1679399172, 2061500415)).framework->name, u"MyLock"_s);
        QVERIFY(!recognised(recogniser, pairLock(1, 2)).framework);
        QCOMPARE(recognised(recogniser, advisoryLock(102008, 5)).framework->frameworkName, u"Shards"_s);
    }

    void applicationLocksByName()
    {
        Recogniser recogniser(Engine::SqlServer,
            {framework(u"hangfire"_s, u"Hangfire"_s,
                {application(
                     u"distributed lock"_s, u"\"resources\": [{\"pattern\": \"HangFire:(?<name>.+)\"}]"_s),
                    application(u"long"_s,
                        u"\"resources\": [{\"pattern\": \"Company.Product.Maintenance.Window.Of.The.Night\"}, {\"pattern\": \".+\\\\.Suffix\"}]"_s)})});
        recogniser.setFacts({u"app"_s, {}, {}});
        const Resource found = recognised(recogniser, appLock(u"HangFire:locks:schedulepoller"_s));
        QCOMPARE(found.framework->name, u"locks:schedulepoller"_s);
        QCOMPARE(found.name, u"app lock 'HangFire:locks:schedulepoller'"_s); // it said more already
        // The server cuts names at 32 characters.
        const Resource cut = recognised(recogniser, appLock(u"HangFire:lock:recurring-job:nightly"_s));
        QCOMPARE(cut.framework->name, u"lock:recurring-job:nigh…"_s);
        const Resource partial =
            recognised(recogniser, appLock(u"Company.Product.Maintenance.Window.Of.The.Night"_s));
        QVERIFY(partial.framework && !partial.framework->certain);
        // A name whose missing end only might match the pattern belongs to no framework.
        QVERIFY(!recognised(recogniser, appLock(QString(40, u'x'))).framework);
        QVERIFY(!recognised(recogniser, appLock(u"lockscope:orders"_s)).framework);
    }

    void lockscopesOwnAreNobodyElses()
    {
        Recogniser recogniser(Engine::SqlServer,
            {framework(u"all"_s, u"All"_s,
                {application(u"lock"_s, u"\"resources\": [{\"pattern\": \"lockscope.*\"}]"_s)})});
        recogniser.setFacts({u"app"_s, {}, {}});
        for (const QString& own :
            {u"lockscope:orders"_s, u"lockscope guard:orders"_s, u"lockscope installation"_s})
            QVERIFY2(!recognised(recogniser, appLock(own)).framework, qPrintable(own));
        QVERIFY(recognised(recogniser, appLock(u"lockscopes"_s)).framework);
    }

    void tablesCountInTheirModes()
    {
        const std::vector<FrameworkPtr> all = {framework(u"ef"_s, u"EF Core"_s,
            {u"\"name\": \"migration\", \"kind\": \"table\", \"engines\": [\"postgres\", \"sqlserver\"], \"table\": {\"names\": [\"JOBS\"]}, \"modes\": {\"postgres\": [\"AccessExclusiveLock\"], \"sqlserver\": [\"U\"]}"_s})};
        const auto seen = [&](Engine engine, ResourceKey key, QStringView mode) {
            KnownTable table = jobs;
            table.parts = {72057594038910976};
            Recogniser recogniser(engine, all);
            recogniser.setFacts({u"app"_s, {}, {table}});
            Snapshot snapshot;
            Resource resource;
            resource.key = std::move(key);
            resource.database = u"app"_s;
            snapshot.resources.push_back(resource);
            LockRequest request;
            request.mode = LockMode::fromText(engine, mode);
            snapshot.requests.push_back(request);
            recogniser.recognise(snapshot);
            return snapshot.resources[0].framework;
        };
        ResourceKey relation{.kind = ResourceKind::Relation, .database = 5, .entity = 16'400, .text = {}};
        QVERIFY(seen(Engine::Postgres, relation, u"AccessExclusiveLock"));
        QVERIFY(!seen(Engine::Postgres, relation, u"AccessShareLock"));
        ++relation.entity;
        QVERIFY(!seen(Engine::Postgres, relation, u"AccessExclusiveLock"));
        const ResourceKey row{.kind = ResourceKind::Row,
            .database = 5,
            .entity = 72057594038910976,
            .text = u"(8194443284a0)"_s};
        QVERIFY(seen(Engine::SqlServer, row, u"U"));
        QVERIFY(!seen(Engine::SqlServer, row, u"S"));
    }

    /// The numbers as pg_locks shows them.
    void onARealServer()
    {
        TestServer& server = TestServer::shared();
        const db::ServerUrl url = server.freshDatabase();
        const auto holder = server.connect(url);
        ask(*holder,
            u"SELECT pg_advisory_lock(72707369), pg_advisory_lock(-755096828, -977423767), pg_advisory_lock(77433833903597), pg_advisory_lock_shared(-8525285245963000605), pg_advisory_lock(4711)"_s);
        std::vector<FrameworkPtr> all = loadCatalogue({}).frameworks;
        all.push_back(framework(u"negative"_s, u"Negative"_s,
            {advisory(u"lock"_s, u"\"keys\": [{\"number\": -8525285245963000605}]"_s)}));
        Recogniser recogniser(Engine::Postgres, std::move(all));
        recogniser.setFacts({url.database, {u"public"_s},
            {{u"public"_s, u"flyway_schema_history"_s, 16'500,
                {u"installed_rank"_s, u"version"_s, u"checksum"_s, u"installed_by"_s}}}});
        const auto taken = monitor::makeSnapshotSource({profileOf(url), server.passwords()}, {})->take();
        VERIFY_DONE(taken);
        Snapshot snapshot = **taken;
        for (Resource& resource : snapshot.resources) {
            resource.framework = nullptr; // whatever the source made of it
            if (resource.key.kind == ResourceKind::ApplicationLock)
                resource.named = false;
        }
        recogniser.recognise(snapshot);
        QStringList names;
        for (const Resource& resource : snapshot.resources)
            if (resource.framework)
                names << resource.name;
        for (const QString& name : {u"Prisma migrate"_s, u"Liquibase session lock of public"_s,
                 u"Flyway migration of public.flyway_schema_history"_s})
            QVERIFY2(names.contains(name), qPrintable(names.join(u", "_s)));
        QVERIFY2(std::ranges::any_of(names, [](const QString& name) { return name.contains(u"lock"_s); }),
            qPrintable(names.join(u", "_s)));
        QCOMPARE(names.size(), 4);
    }
};

LOCKSCOPE_TEST(tst_Recogniser)

} // namespace tst_Recogniser
#include "tst_Recogniser.moc"
