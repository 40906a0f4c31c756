// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Every kind of lock by every kind of way to the server: a held lock is not reported as lost, a lost one is
// reported soon, and a lock that can't be taken says why.
#include "core/locks/Lock.h"
#include "core/locks/WatchedGrant.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/Presets.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_PoolerLocks {

using namespace lockscope;
using namespace lockscope::test;
using locks::LockKind;
using Clock = std::chrono::steady_clock;

/// The way to the server.
enum class Way { Direct, Session, UnknownSession, Transaction, Statement };
constexpr std::array ways{Way::Direct, Way::Session, Way::UnknownSession, Way::Transaction, Way::Statement};
static const char* nameOf(Way way)
{
    static constexpr std::array names{"direct", "session", "session, not said", "transaction", "statement"};
    return names[std::size_t(way)];
}

enum class Fault { BackendKilled, PoolerKilled, PoolerStopped, LinkCut, ServerRestarted };

/// An event of a pooler, by itself or by its administrator's command.
enum class Doing { EndIdleSessions, EndIdleTransactions, Reconnect, Pause, Reload };

/// Returns whether such a lock can be taken by that way.
static bool isPossible(Way way, const LockCase& kind)
{
    if (way == Way::Direct || way == Way::Session || kind.kind == LockKind::Table)
        return true;
    return way != Way::Statement && kind.owner == LockOwner::Transaction;
}

/// A lock that is held, and the time when it was reported as lost.
struct Held {
    explicit Held(locks::Lock theLock)
        : lock(std::move(theLock))
    {
        lock.onLost(locks::LossHandler([this](locks::LossReason) { lostAt = Clock::now(); }));
    }
    bool isLost() const { return lostAt.load() != Clock::time_point(); }

    std::atomic<Clock::time_point> lostAt{Clock::time_point()};
    locks::Lock lock;
};

/// A server, a pooler before it if there is one, and a network over which both are reached.
struct Rig {
    /// `settings` are the pooler's.
    explicit Rig(Way way, const QString& settings = {}, int poolSize = 20)
        : server(TestServer::replicating())
        , direct(server.freshDatabase())
    {
        db::ServerUrl reached = server.overTcp(direct);
        if (way != Way::Direct) {
            const PgBouncer::Mode mode = way == Way::Transaction ? PgBouncer::Mode::Transaction
                : way == Way::Statement                          ? PgBouncer::Mode::Statement
                                                                 : PgBouncer::Mode::Session;
            pooler = std::make_unique<PgBouncer>(server, mode, poolSize, settings);
            reached = pooler->overTcp(direct);
        }
        network = std::make_unique<FaultyNetwork>(reached);
        url = network->url();
        if (way == Way::Session)
            url.options.insert(u"pooler"_s, u"session"_s);
    }
    auto acquire(const LockCase& kind, const db::ServerUrl& by, milliseconds wait = 0ms) const
    {
        locks::LockOptions options;
        options.name = QString::fromLatin1(kind.name);
        options.kind = kind.kind;
        options.owner = kind.owner;
        options.wait = wait;
        return locks::acquire(server.at(by), options);
    }
    /// Returns all possible lockCases, held at the same time.
    std::vector<std::unique_ptr<Held>> holdAll(
        Way way, const std::function<bool(const LockCase&)>& which) const
    {
        std::vector<std::unique_ptr<Held>> held;
        for (const LockCase& kind : lockCases) {
            if (!isPossible(way, kind) || !which(kind))
                continue;
            held.push_back(std::make_unique<Held>(orDie(acquire(kind, url))));
        }
        return held;
    }

    TestServer server;
    const db::ServerUrl direct;
    std::unique_ptr<PgBouncer> pooler;
    std::unique_ptr<FaultyNetwork> network;
    db::ServerUrl url;
};

class tst_PoolerLocks : public QObject {
    Q_OBJECT

    /// Each possible lock but the lock table's is had on the direct way.
    static void othersGetAll(const Rig& rig, Way way)
    {
        for (const LockCase& kind : lockCases) {
            if (kind.kind == LockKind::Table || !isPossible(way, kind))
                continue;
            auto next = rig.acquire(kind, rig.direct, 30s);
            // A server that starts again lets nobody in until it has recovered.
            const auto isIn = [&] {
                if (!next)
                    next = rig.acquire(kind, rig.direct, 30s);
                return next.has_value();
            };
            QVERIFY2(waitUntil(isIn, 30s), next ? "" : qPrintable(next.error().toString()));
        }
    }

private Q_SLOTS:
    void initTestCase() { SKIP_FOR(PgBouncer::reasonAgainst()); }

    /// All ways at once: most of the time is waiting.
    void whatIsHeldIsNotReportedLost()
    {
        const auto rigs = rigsOf([](Way) { return true; });
        std::map<Way, std::vector<std::unique_ptr<Held>>> held;
        for (const auto& [way, rig] : rigs) {
            held[way] = rig->holdAll(way, [](const LockCase&) { return true; });
            QVERIFY2(!held[way].empty(), nameOf(way));
        }
        // Longer than a holder hears nothing before it takes its lock for lost.
        std::this_thread::sleep_for(locks::beatLimit + 3s);
        for (const auto& [way, rig] : rigs) {
            for (const auto& each : held[way]) {
                QVERIFY2(!each->isLost() && each->lock.isHeld(), qPrintable(said(way, each->lock)));
                const auto release = each->lock.release();
                QVERIFY2(
                    release, release ? "" : qPrintable(said(way, each->lock) + release.error().toString()));
            }
            held[way].clear();
            for (const LockCase& kind : lockCases)
                if (isPossible(way, kind))
                    QVERIFY2(rig->acquire(kind, rig->direct), kind.name);
        }
    }

    void whatCanNotBeHadSaysWhy_data()
    {
        QTest::addColumn<int>("way");
        for (const Way way : ways)
            QTest::newRow(nameOf(way)) << int(way);
    }
    void whatCanNotBeHadSaysWhy()
    {
        QFETCH(int, way);
        const Rig rig{Way(way)};
        for (const LockCase& kind : lockCases) {
            if (isPossible(Way(way), kind))
                continue;
            const auto refused = rig.acquire(kind, rig.url);
            QVERIFY2(!refused, kind.name);
            const QString text = refused.error().toString();
            QVERIFY2(text.contains(u"pool"_s) && !refused.error().hint.isEmpty(),
                qPrintable(QString::fromLatin1(kind.name) + u": "_s + text));
            QVERIFY2(rig.acquire(kind, rig.direct), kind.name); // nothing is left
        }
    }

    void aLossIsReportedSoon_data()
    {
        QTest::addColumn<int>("fault");
        row("backend killed", int(Fault::BackendKilled));
        row("pooler killed", int(Fault::PoolerKilled));
        row("pooler stopped", int(Fault::PoolerStopped));
        row("link cut", int(Fault::LinkCut));
        row("server restarted", int(Fault::ServerRestarted));
    }
    void aLossIsReportedSoon()
    {
        QFETCH(int, fault);
        // A holder that hears nothing waits for beatLimit; all others learn it by their next question.
        const bool isSilent = Fault(fault) == Fault::PoolerStopped;
        const bool isOfPooler = isSilent || Fault(fault) == Fault::PoolerKilled;
        const milliseconds limit = isSilent ? locks::beatLimit + 4s : locks::beatEvery + 4s;
        struct Struck {
            std::vector<std::unique_ptr<Held>> held;
            std::vector<std::unique_ptr<Held>> entry;
            Clock::time_point at;
        };
        const auto rigs = rigsOf([&](Way way) { return way != Way::Direct || !isOfPooler; });
        std::map<Way, Struck> all;
        for (const auto& [way, rig] : rigs) {
            Struck& struck = all[way];
            struck.held =
                rig->holdAll(way, [](const LockCase& kind) { return kind.kind != LockKind::Table; });
            struck.entry =
                rig->holdAll(way, [](const LockCase& kind) { return kind.kind == LockKind::Table; });
            const auto possible = std::ranges::count_if(
                lockCases, [way = way](const LockCase& kind) { return isPossible(way, kind); });
            QCOMPARE(qsizetype(struck.held.size() + struck.entry.size()), qsizetype(possible));
            QCOMPARE(struck.entry.size(), std::size_t(1));
        }
        for (const auto& [way, rig] : rigs) {
            all[way].at = Clock::now();
            strike(*rig, Fault(fault));
        }
        for (const auto& [way, rig] : rigs) {
            Struck& struck = all[way];
            for (const auto& each : struck.held) {
                QVERIFY2(
                    waitUntil([&] { return each->isLost(); }, limit * 2), qPrintable(said(way, each->lock)));
                const auto took = each->lostAt.load() - struck.at;
                QVERIFY2(took < limit,
                    qPrintable(u"%1: %2 ms"_s.arg(said(way, each->lock))
                                   .arg(std::chrono::ceil<milliseconds>(took).count())));
                QVERIFY(!each->lock.isHeld());
            }
            QVERIFY(!struck.entry.front()->isLost()); // its row is still there, and its lease is long
        }
        for (const auto& [way, rig] : rigs) {
            Struck& struck = all[way];
            if (isSilent) {
                // The server kept them all the while: nobody else has them before they are released.
                ::kill(pid_t(rig->pooler->processId()), SIGCONT);
                for (const auto& each : struck.held)
                    each->lock.abandon();
            }
            othersGetAll(*rig, way);
            if (QTest::currentTestFailed())
                return;
            if (rig->pooler)
                rig->pooler->kill(); // nobody waits for what can't come
            for (auto* each : {&struck.held, &struck.entry})
                for (const auto& one : *each)
                    one->lock.abandon();
        }
    }

    /// A session at work in the server keeps its lock, but for transactions that do nothing for too long.
    void whatThePoolerDoesByItself_data()
    {
        QTest::addColumn<int>("doing");
        row("server_idle_timeout", int(Doing::EndIdleSessions));
        row("idle_transaction_timeout", int(Doing::EndIdleTransactions));
        row("RECONNECT", int(Doing::Reconnect));
        row("PAUSE", int(Doing::Pause));
        row("RELOAD", int(Doing::Reload));
    }
    void whatThePoolerDoesByItself()
    {
        QFETCH(int, doing);
        // Shorter than the holder's questions are apart.
        const auto rigs = rigsOf([](Way way) { return way != Way::Direct; },
            Doing(doing) == Doing::EndIdleSessions           ? u"server_idle_timeout = 1"_s
                : Doing(doing) == Doing::EndIdleTransactions ? u"idle_transaction_timeout = 1"_s
                                                             : QString());
        std::map<Way, std::vector<std::unique_ptr<Held>>> held;
        for (const auto& [way, rig] : rigs) {
            held[way] = rig->holdAll(way, [](const LockCase&) { return true; });
            act(*rig, Doing(doing));
        }
        std::this_thread::sleep_for(locks::beatEvery + 2s); // a holder has asked by then
        for (const auto& [way, rig] : rigs) {
            for (const auto& each : held[way]) {
                const bool isIdleTransaction = Doing(doing) == Doing::EndIdleTransactions
                    && caseOf(each->lock.name()).owner == LockOwner::Transaction;
                if (isIdleTransaction) {
                    QVERIFY2(waitUntil([&] { return each->isLost(); }, locks::beatLimit),
                        qPrintable(said(way, each->lock)));
                    continue;
                }
                QVERIFY2(!each->isLost() && each->lock.isHeld(), qPrintable(said(way, each->lock)));
                const auto release = each->lock.release();
                QVERIFY2(
                    release, release ? "" : qPrintable(said(way, each->lock) + release.error().toString()));
            }
            for (const LockCase& kind : lockCases)
                if (isPossible(way, kind))
                    QVERIFY2(rig->acquire(kind, rig->url), kind.name);
        }
    }

    /// A client that gets no session of the server has an error, and nobody else is affected.
    void aFullPoolIsAnError()
    {
        const Rig rig(Way::Transaction, u"query_wait_timeout = 2"_s, 1);
        const LockCase kind = caseOf(u"locked key"_s);
        // Its one session is taken up by the transaction; the keeper asks directly.
        const auto connection = rig.server.at(rig.url).connect().value();
        const auto strategy = locks::LockStrategy::create(kind.kind, *connection).value();
        auto held = locks::acquire(*strategy, {.name = u"n"_s, .owner = kind.owner});
        QVERIFY(held && held->grant.isHeld());
        const auto began = Clock::now();
        const auto refused = rig.acquire(kind, rig.url, 60s);
        VERIFY_FAILS(ErrorKind::Connection, refused);
        VERIFY_CONTAINS(refused.error().toString(), u"query_wait_timeout"_s);
        QVERIFY(Clock::now() - began < 20s);
        QVERIFY(held->grant.beat());
        QVERIFY(held->grant.release());
    }

private:
    static std::map<Way, std::unique_ptr<Rig>> rigsOf(
        const std::function<bool(Way)>& which, const QString& settings = {})
    {
        std::map<Way, std::unique_ptr<Rig>> rigs;
        for (const Way way : ways)
            if (which(way))
                rigs[way] = std::make_unique<Rig>(way, settings);
        return rigs;
    }

    static QString said(Way way, const locks::Lock& lock)
    {
        return u"%1, %2: "_s.arg(QLatin1StringView(nameOf(way)), lock.name());
    }

    static LockCase caseOf(const QString& name)
    {
        return *std::ranges::find_if(
            lockCases, [&](const LockCase& kind) { return name == QLatin1StringView(kind.name); });
    }

    static void act(const Rig& rig, Doing doing)
    {
        switch (doing) {
        case Doing::EndIdleSessions:
        case Doing::EndIdleTransactions:
            return; // by itself
        case Doing::Reconnect:
            return rig.pooler->command("RECONNECT");
        case Doing::Reload:
            return rig.pooler->command("RELOAD");
        case Doing::Pause:
            rig.pooler->command("PAUSE", 2s); // nobody gets a session of the server's meanwhile
            return rig.pooler->command("RESUME");
        }
    }

    static void strike(Rig& rig, Fault fault)
    {
        switch (fault) {
        case Fault::BackendKilled:
            rig.server.run(rig.direct,
                u"SELECT pg_terminate_backend(l.pid) FROM (SELECT DISTINCT pid FROM pg_locks WHERE pid <> pg_backend_pid() AND (locktype = 'advisory' OR mode IN ('AccessExclusiveLock', 'RowShareLock'))) AS l"_s);
            return;
        case Fault::PoolerKilled:
            return rig.pooler->kill();
        case Fault::PoolerStopped:
            ::kill(pid_t(rig.pooler->processId()), SIGSTOP);
            return;
        case Fault::LinkCut:
            return rig.network->cut();
        case Fault::ServerRestarted:
            // After the crash of one of its sessions, the server ends all of them and recovers.
            const auto victim = rig.server.connect(rig.direct);
            ::kill(pid_t(ask(*victim, u"SELECT pg_backend_pid()::text"_s).toInt()), SIGKILL);
        }
    }
};

LOCKSCOPE_TEST_AT_ONCE(tst_PoolerLocks)

} // namespace tst_PoolerLocks
#include "tst_PoolerLocks.moc"
