// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// PgBouncer between us and the server. In transaction mode, all that we left in a session of the server would
// soon be somebody else's.
#include "core/admin/ServerAdmin.h"
#include "core/locks/LeaseKeeper.h"
#include "core/locks/LockStrategy.h"
#include "core/locks/QueueReader.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/Lockctl.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/TestProgram.h"

#include <libpq-fe.h>

namespace tst_Pooler {

using namespace lockscope;
using namespace lockscope::test;
using locks::LockKind;
using locks::Outcome;

constexpr auto server = &TestServer::shared;

/// Another client of the pool, which knows nothing of us and sets nothing.
class Neighbour {
public:
    explicit Neighbour(const db::ServerUrl& url)
        : m_pg(PQsetdbLogin(qPrintable(url.host), qPrintable(QString::number(url.port)), nullptr, nullptr,
                   qPrintable(url.database), qPrintable(url.user), qPrintable(server().password())),
            PQfinish)
    {
        if (PQstatus(m_pg.get()) != CONNECTION_OK)
            qFatal("%s", PQerrorMessage(m_pg.get()));
    }
    /// The first column, a line a row, or the error.
    QString operator()(const QString& sql) const
    {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(
            PQexec(m_pg.get(), sql.toUtf8().constData()), PQclear);
        if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
            return QString::fromUtf8(PQresultErrorMessage(result.get()));
        QStringList lines;
        for (int row = 0; row < PQntuples(result.get()); ++row)
            lines << QString::fromUtf8(PQgetvalue(result.get(), row, 0));
        return lines.join(u'\n');
    }
    /// All that a session can have of its own.
    QString session() const
    {
        return (*this)(
            u"SELECT name || '=' || setting FROM pg_settings WHERE name NOT LIKE 'plpgsql.%' UNION ALL SELECT 'prepared ' || name FROM pg_prepared_statements UNION ALL SELECT 'listens ' || c FROM pg_listening_channels() AS c UNION ALL SELECT 'locks ' || l.locktype || l.mode FROM pg_locks AS l WHERE pid = "
            "pg_backend_pid() AND locktype = 'advisory' UNION ALL SELECT 'table ' || relname FROM pg_class WHERE relpersistence = 't' ORDER BY 1"_s);
    }
    /// Returns the differences from `before`; empty if there are none.
    QString changedSince(const QString& before) const
    {
        const QStringList then = before.split(u'\n');
        QStringList changed;
        for (const QString& line : session().split(u'\n'))
            if (!then.contains(line))
                changed << line;
        return changed.join(u", "_s);
    }
    QString writes() const
    {
        return (*this)(u"CREATE TABLE public.written (id int); DROP TABLE public.written; SELECT 'yes'"_s);
    }

private:
    const std::unique_ptr<PGconn, decltype(&PQfinish)> m_pg;
};

/// A database, a pool of one session before it, and a neighbour in the pool.
struct Rig {
    explicit Rig(PgBouncer::Mode mode = PgBouncer::Mode::Transaction, int poolSize = 1,
        TestServer::Schema schema = TestServer::Schema::Install)
        : direct(server().freshDatabase(schema))
        , pooler(server(), mode, poolSize)
        , url(pooler.before(direct))
    {
    }
    std::unique_ptr<db::Connection> connect(db::Purpose purpose = db::Purpose::Lock) const
    {
        return orDie(open(url, purpose));
    }
    static Result<std::unique_ptr<db::Connection>> open(const db::ServerUrl& url, db::Purpose purpose)
    {
        return server().at(url).connect(purpose);
    }
    db::ServerProfile profile() const { return profileOf(url); }
    std::unique_ptr<monitor::SnapshotSource> source() const
    {
        return monitor::makeSnapshotSource({profile(), server().passwords()});
    }
    Lockctl lockctl() const { return Lockctl(url.toString(), server().password()); }

    const db::ServerUrl direct;
    const PgBouncer pooler;
    const db::ServerUrl url;
};

static locks::AcquireRequest requestFor(const QString& name, milliseconds wait = 0ms)
{
    return {.name = name, .wait = wait};
}

static std::unique_ptr<locks::LockStrategy> tableOn(
    db::Connection& connection, std::shared_ptr<locks::LeaseKeeper> keeper = {})
{
    return orDie(locks::LockStrategy::create(LockKind::Table, connection, std::move(keeper)));
}

static bool saysWhatToDo(const Error& error)
{
    return error.kind == ErrorKind::Unsupported && error.toString().contains(u"transaction mode"_s)
        && error.toString().contains(u"connect directly"_s);
}

class tst_Pooler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_FOR(PgBouncer::reasonAgainst()); }

    void itIsNoticed()
    {
        const Rig rig;
        const auto direct = orDie(Rig::open(rig.direct, db::Purpose::Lock));
        QVERIFY(direct->dialect().can(db::Capability::SessionLocks));
        QVERIFY(direct->sessionId().isValid());
        const auto pooled = rig.connect();
        QVERIFY(!pooled->dialect().can(db::Capability::SessionLocks));
        QVERIFY(!pooled->dialect().can(db::Capability::Notifications));
        QVERIFY(!pooled->sessionId().isValid());
    }

    void pollsLeaveNothingBehind()
    {
        const Rig rig;
        const Neighbour neighbour(rig.url);
        const QString before = neighbour.session();
        QVERIFY(before.contains(u"default_transaction_read_only=off"_s));
        const auto source = rig.source();
        const auto first = orDie(source->take());
        QCOMPARE(neighbour.changedSince(before), QString());
        QCOMPARE(neighbour.writes(), u"yes"_s);
        QVERIFY(!first->sessions.empty());
        const auto another = rig.source(); // of another program
        for (int poll = 0; poll < 5; ++poll) {
            QVERIFY(source->take());
            QVERIFY(another->take());
            QCOMPARE(neighbour.changedSince(before), QString());
        }
        QCOMPARE(neighbour.writes(), u"yes"_s);
    }

    void eachStatementHasOurSettings()
    {
        const Rig rig;
        const Neighbour neighbour(rig.url);
        const auto monitor = rig.connect(db::Purpose::Monitor);
        const auto lock = rig.connect(db::Purpose::Lock);
        const auto show = [](db::Connection& connection, const QString& setting) {
            return ask(connection, u"SELECT pg_catalog.current_setting('%1')"_s.arg(setting));
        };
        for (int round = 0; round < 2; ++round) {
            QCOMPARE(show(*monitor, u"search_path"_s), u"pg_catalog, pg_temp"_s);
            QCOMPARE(show(*monitor, u"transaction_read_only"_s), u"on"_s);
            QCOMPARE(show(*monitor, u"statement_timeout"_s), u"10s"_s);
            QCOMPARE(show(*monitor, u"lock_timeout"_s), u"100ms"_s);
            QCOMPARE(show(*lock, u"transaction_read_only"_s), u"off"_s);
            QCOMPARE(show(*lock, u"search_path"_s), u"pg_catalog, pg_temp"_s);
            QVERIFY(lock->begin());
            QCOMPARE(show(*lock, u"search_path"_s), u"pg_catalog, pg_temp"_s);
            QVERIFY(lock->commit());
            QVERIFY(lock->executeScript(
                "DO $$ BEGIN IF current_setting('search_path') <> 'pg_catalog, pg_temp' THEN RAISE 'path'; END IF; END $$"));
            QVERIFY(neighbour(u"SHOW search_path"_s).contains(u"public"_s));
        }
        QVERIFY(!runSql(*monitor, u"CREATE TABLE public.t (id int)"_s));
    }

    void lockTablesWork()
    {
        const Rig rig;
        const Neighbour neighbour(rig.url);
        const QString before = neighbour.session();
        const auto ann = rig.connect();
        const auto bob = rig.connect();
        auto held = orDie(tableOn(*ann)->acquire(requestFor(u"n"_s)));
        QCOMPARE(held.outcome, Outcome::Granted);
        QVERIFY(held.grant.renew());
        QCOMPARE(orDie(tableOn(*bob)->acquire(requestFor(u"n"_s))).outcome, Outcome::Denied);
        QCOMPARE(orDie(tableOn(*bob)->acquire(requestFor(u"n"_s, 100ms))).outcome, Outcome::TimedOut);
        QCOMPARE(neighbour.changedSince(before), QString());
        QVERIFY(held.grant.release());
        auto next = orDie(tableOn(*bob)->acquire(requestFor(u"n"_s, 10s)));
        QVERIFY(locks::isGranted(next.outcome));
        QVERIFY(next.grant.release());
        QCOMPARE(neighbour.changedSince(before), QString());
    }

    void whoWaitsAsksAgain()
    {
        const Rig rig(PgBouncer::Mode::Transaction, 2);
        const auto ann = rig.connect();
        auto held = orDie(tableOn(*ann)->acquire(requestFor(u"n"_s)));
        std::stop_source stop;
        auto waiter = std::async(std::launch::async, [&] {
            const auto bob = rig.connect();
            auto got = orDie(tableOn(*bob)->acquire(requestFor(u"n"_s, 60s)));
            return got.outcome;
        });
        auto cancelled = std::async(std::launch::async, [&] {
            const auto cid = rig.connect();
            return orDie(tableOn(*cid)->acquire(requestFor(u"n"_s, -1ms), stop.get_token())).outcome;
        });
        QCOMPARE(waiter.wait_for(500ms), std::future_status::timeout);
        stop.request_stop();
        QCOMPARE(cancelled.get(), Outcome::Cancelled);
        QVERIFY(held.grant.release());
        QCOMPARE(waiter.get(), Outcome::GrantedAfterWait);
    }

    void theKeeperRenews()
    {
        const Rig rig;
        const Neighbour neighbour(rig.url);
        const QString before = neighbour.session();
        const auto keeper = locks::LeaseKeeper::create(server().at(rig.url));
        const auto ann = rig.connect();
        auto request = requestFor(u"n"_s);
        request.lease = 2s;
        auto held = orDie(tableOn(*ann, keeper)->acquire(request));
        const auto end = held.grant.expiresAt();
        QVERIFY(waitUntil([&] { return held.grant.expiresAt() != end; }));
        QVERIFY(held.grant.isHeld());
        QCOMPARE(neighbour.changedSince(before), QString());
    }

    void whatNeedsASessionIsRefused()
    {
        const Rig rig;
        const auto ann = rig.connect();
        const auto strategy = orDie(locks::LockStrategy::create(LockKind::Application, *ann));
        const auto refused = strategy->acquire(requestFor(u"n"_s));
        QVERIFY(!refused);
        QVERIFY2(saysWhatToDo(refused.error()), qPrintable(refused.error().toString()));
        const auto notified = ann->waitForNotification(0ms);
        QVERIFY(!notified);
        QVERIFY2(saysWhatToDo(notified.error()), qPrintable(notified.error().toString()));
        const auto workload = Rig::open(rig.url, db::Purpose::Workload);
        QVERIFY(!workload);
        QVERIFY2(saysWhatToDo(workload.error()), qPrintable(workload.error().toString()));
    }

    void locksOfATransactionWork()
    {
        const Rig rig(PgBouncer::Mode::Transaction, 2);
        const auto ann = rig.connect();
        const auto bob = rig.connect();
        for (const LockKind kind : {LockKind::Application, LockKind::LockedKey, LockKind::LockedTable}) {
            const auto first = orDie(locks::LockStrategy::create(kind, *ann));
            const auto second = orDie(locks::LockStrategy::create(kind, *bob));
            auto request = requestFor(u"n"_s);
            request.owner = LockOwner::Transaction;
            QVERIFY(second->prepare(u"n"_s));
            QVERIFY(ann->begin());
            auto held = orDie(first->acquire(request));
            QVERIFY(locks::isGranted(held.outcome));
            QVERIFY(bob->begin());
            QCOMPARE(orDie(second->acquire(request)).outcome, Outcome::Denied);
            request.wait = 100ms;
            QCOMPARE(orDie(second->acquire(request)).outcome, Outcome::TimedOut);
            QVERIFY(ann->commit());
            QVERIFY(!held.grant.isHeld());
            QVERIFY(locks::isGranted(orDie(second->acquire(request)).outcome));
            QVERIFY(bob->rollback());
        }
    }

    void aFailedStatementHarmsNobody()
    {
        const Rig rig;
        const Neighbour neighbour(rig.url);
        const QString before = neighbour.session();
        const auto ann = rig.connect();
        const auto bad = sqlStatement(u"SELECT 1 / 0"_s);
        const auto good = sqlStatement(u"SELECT 1"_s);
        const std::array items{db::BatchItem{&good}, db::BatchItem{&bad}, db::BatchItem{&good}};
        const auto results = ann->executeBatch(items);
        QVERIFY(results[0] && !results[1] && results[2]);
        QCOMPARE(results[1].error().nativeCode, u"22012"_s);
        const std::array shared{db::BatchItem{.statement = &good, .withNext = true},
            db::BatchItem{.statement = &bad, .withNext = true}, db::BatchItem{&good}, db::BatchItem{&good}};
        const auto ofShared = ann->executeBatch(shared);
        QVERIFY(ofShared[0] && !ofShared[1] && !ofShared[2] && ofShared[3]);
        QCOMPARE(ofShared[1].error().nativeCode, u"22012"_s);
        QVERIFY(!ann->execute(bad));
        QVERIFY(ann->execute(good));
        QVERIFY(ann->begin());
        QVERIFY(!ann->execute(bad));
        QVERIFY(!ann->commit());
        QVERIFY(!ann->inTransaction());
        QVERIFY(!ann->executeScript("SELECT 1; SELECT 1 / 0"));
        QVERIFY(ann->execute(good));
        QCOMPARE(neighbour.changedSince(before), QString());
    }

    void aStatementIsCancelled()
    {
        const Rig rig;
        const auto ann = rig.connect();
        std::stop_source stop;
        std::jthread stopper([&] {
            const auto observer = server().connect(rig.direct);
            if (!waitUntil([&] {
                    return ask(*observer,
                               u"SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'"_s)
                        == u"1";
                }))
                qWarning("nothing sleeps");
            stop.request_stop();
        });
        VERIFY_FAILS(
            ErrorKind::Cancelled, runSql(*ann, u"SELECT pg_sleep(3600)"_s, {}, {}, stop.get_token()));
        QCOMPARE(ask(*ann, u"SELECT 'next'"_s), u"next"_s);
    }

    void administrationWorks()
    {
        const Rig rig(PgBouncer::Mode::Transaction, 1, TestServer::Schema::None);
        const Neighbour neighbour(rig.url);
        const QString before = neighbour.session();
        const auto boss = rig.connect(db::Purpose::Admin);
        QVERIFY(db::installSchema(*boss));
        QCOMPARE(neighbour.changedSince(before), QString());
        const auto ann = rig.connect();
        auto held = orDie(tableOn(*ann)->acquire(requestFor(u"n"_s)));
        admin::ServerAdmin admin(*boss, rig.profile());
        QVERIFY(admin.releaseEntry(orDie(rig.source()->take())->entries.at(0), u"stuck"_s));
        held.grant.abandon();
        QCOMPARE(orDie(admin.audit()).size(), 1);
        const auto victim = orDie(Rig::open(rig.direct, db::Purpose::Lock));
        const auto seen = orDie(rig.source()->take());
        QVERIFY(admin.endSession(*seen->session(victim->sessionId()), u"stuck"_s));
        QVERIFY(db::uninstallSchema(*boss));
        QCOMPARE(neighbour.changedSince(before), QString());
    }

    void theProgramWorks()
    {
        const Rig rig;
        const Neighbour neighbour(rig.url);
        const QString before = neighbour.session();
        const Lockctl lockctl = rig.lockctl();
        const auto run = [&](const QStringList& arguments) {
            const auto answer = lockctl(arguments);
            if (const QString changed = neighbour.changedSince(before); !changed.isEmpty())
                qFatal("%s left %s", qPrintable(arguments.first()), qPrintable(changed));
            return answer;
        };
        for (const QStringList& arguments : std::initializer_list<QStringList>{{u"install"_s}, {u"list"_s},
                 {u"watch"_s, u"-n"_s, u"3"_s, u"--interval"_s, u"100ms"_s}, {u"tree"_s}, {u"audit"_s},
                 {u"run"_s, u"job"_s, u"--"_s, u"true"_s}}) {
            VERIFY_CODE(0, run(arguments));
        }
        const auto taken = run(Lockctl::words("acquire n --no-wait --json"));
        VERIFY_CODE(0, taken);
        VERIFY_CODE(0, run(Lockctl::words("release n --token %1", taken.json()[u"token"_s].toString())));
        QCOMPARE(neighbour.writes(), u"yes"_s);
    }

    void aPoolerOfSessionsCountsAsOneOfTransactionsUnlessTheUrlSaysSo()
    {
        Rig rig(PgBouncer::Mode::Session, 4);
        const auto unsure = rig.connect();
        QVERIFY(!unsure->dialect().can(db::Capability::SessionLocks));
        QVERIFY(rig.source()->take());

        db::ServerUrl url = rig.url;
        url.options.insert(u"pooler"_s, u"session"_s);
        const auto sure = orDie(Rig::open(url, db::Purpose::Lock));
        QVERIFY(sure->dialect().can(db::Capability::SessionLocks));
        QCOMPARE(ask(*sure, u"SELECT pg_backend_pid()"_s), QString::number(sure->sessionId().value));
        QVERIFY(sure->sessionStarted().isValid());
        const auto strategy = orDie(locks::LockStrategy::create(LockKind::Application, *sure));
        auto held = orDie(strategy->acquire(requestFor(u"n"_s)));
        QVERIFY(held.grant.isHeld());
        const auto table = tableOn(*sure);
        auto entry = orDie(table->acquire(requestFor(u"n"_s, 1s)));
        QVERIFY(entry.grant.release());
        QVERIFY(held.grant.release());

        url.options.insert(u"pooler"_s, u"perhaps"_s);
        VERIFY_FAILS(ErrorKind::BadInput, Rig::open(url, db::Purpose::Lock));
    }

    void whoeverComesNextInAPoolOfSessionsFindsItClean()
    {
        const Rig rig(PgBouncer::Mode::Session, 1);
        const QString before = Neighbour(rig.url).session();
        db::ServerUrl url = rig.url;
        url.options.insert(u"pooler"_s, u"session"_s);
        orDie(Rig::open(url, db::Purpose::Monitor)).reset();
        QCOMPARE(Neighbour(rig.url).changedSince(before), QString());
    }

    void aServerMayBeTreatedAsAPool()
    {
        const Rig rig;
        db::ServerUrl url = rig.direct;
        url.options.insert(u"pooler"_s, u"transaction"_s);
        const auto careful = orDie(Rig::open(url, db::Purpose::Lock));
        QVERIFY(!careful->dialect().can(db::Capability::SessionLocks));
        QVERIFY(tableOn(*careful)->acquire(requestFor(u"n"_s))->grant.release());
    }

    void pollsWorkWhereEachStatementMayGoElsewhere()
    {
        const Rig rig(PgBouncer::Mode::Statement, 2);
        const Neighbour neighbour(rig.url);
        const QString before = neighbour.session();
        const auto source = rig.source();
        QVERIFY(source->take());
        QVERIFY(source->take());
        QCOMPARE(neighbour.changedSince(before), QString());
        const auto ann = rig.connect();
        auto held = orDie(tableOn(*ann)->acquire(requestFor(u"n"_s)));
        QVERIFY(held.grant.release());
        QCOMPARE(neighbour.changedSince(before), QString());
    }
};

LOCKSCOPE_TEST(tst_Pooler)

} // namespace tst_Pooler
#include "tst_Pooler.moc"
