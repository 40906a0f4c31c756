// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/LockRig.h"

#include "core/db/SchemaInstaller.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestServer.h"

#include <QTest>

namespace lockscope::test {

using namespace Qt::StringLiterals;

LockRig::LockRig(LockVariant variant)
    : m_variant(variant)
    , m_sqlServer(variant.engine == Engine::SqlServer ? std::make_unique<SqlServerRig>() : nullptr)
{
    if (m_sqlServer) {
        m_url = m_sqlServer->url();
    } else if (variant.engine == Engine::Postgres) {
        m_url = TestServer::shared().freshDatabase();
    } else {
        m_url = fileUrl(m_directory.filePath(u"locks.db"_s));
        orDie(db::installSchema(*connect()));
    }
    m_witness = connect();
}

void addVariants()
{
    using locks::LockKind;
    QTest::addColumn<LockVariant>("variant");
    QTest::newRow("PostgreSQL, lock table") << LockVariant{Engine::Postgres, LockKind::Table};
    QTest::newRow("SQLite, lock table") << LockVariant{Engine::Sqlite, LockKind::Table};
    QTest::newRow("PostgreSQL, application lock of the session")
        << LockVariant{Engine::Postgres, LockKind::Application, LockOwner::Session};
    QTest::newRow("PostgreSQL, application lock of the transaction")
        << LockVariant{Engine::Postgres, LockKind::Application, LockOwner::Transaction};
    QTest::newRow("PostgreSQL, locked table")
        << LockVariant{Engine::Postgres, LockKind::LockedTable, LockOwner::Transaction};
    QTest::newRow("PostgreSQL, locked key")
        << LockVariant{Engine::Postgres, LockKind::LockedKey, LockOwner::Transaction};
}

LockRig fetchedRig()
{
    QFETCH(LockVariant, variant);
    return LockRig(variant);
}

LockRig::~LockRig() = default;

QString LockRig::reasonAgainst(LockVariant variant)
{
    if (variant.engine != Engine::SqlServer)
        return {};
    const QString reason = SqlServerRig::use(variant.driver);
    return reason.isEmpty() ? SqlServerRig::reasonAgainst(variant.kind) : reason;
}

bool LockRig::canName(const QString& name) const
{
    if (!m_variant.isSurrogate())
        return true;
    if (m_variant.engine == Engine::SqlServer && name.endsWith(u' '))
        return false;
    return m_variant.kind != locks::LockKind::LockedTable || name.toUtf8().size() <= 53;
}

db::PasswordProvider LockRig::passwords() const
{
    if (m_sqlServer)
        return m_sqlServer->passwords();
    return m_variant.engine == Engine::Postgres ? TestServer::shared().passwords() : db::fixedPassword({});
}

std::unique_ptr<db::Connection> LockRig::connect(const db::ServerUrl& byThisWay) const
{
    if (m_variant.engine == Engine::Postgres)
        return TestServer::shared().connect(byThisWay);
    return orDie(db::Server::at(byThisWay, passwords()).connect({.createFile = true}));
}

locks::AcquireRequest LockRig::requestFor(const QString& name, milliseconds wait) const
{
    if (m_variant.isSurrogate())
        (void)orDie(locks::LockStrategy::create(m_variant.kind, *connect()))->prepare(name);
    return {.name = name, .owner = m_variant.owner, .wait = wait};
}

qint64 LockRig::number(const QString& sql) const
{
    std::optional<qint64> first;
    orDie(runSql(*m_witness, sql, {}, [&first](const db::Row& row) {
        if (!first)
            first = row.int64(0);
    }));
    return first.value_or(0);
}

void LockRig::run(const QString& sql) const
{
    orDie(m_witness->executeScript(sql.toUtf8()));
}

qint64 LockRig::waiters(const QString& name) const
{
    if (m_sqlServer) {
        if (m_variant.isTable())
            return m_sqlServer->number("rig/table_waiters", {name});
        if (m_variant.isSurrogate())
            return m_sqlServer->number("rig/surrogate_waiters", {});
        if (m_sqlServer->hasLockView())
            return m_sqlServer->number("rig/app_lock_waiters", {name});
        const MutexLock lock(m_mutex);
        const auto longAgo = std::chrono::steady_clock::now() - std::chrono::milliseconds(300);
        return std::ranges::count_if(
            m_askingSince, [longAgo](const auto& one) { return one.second < longAgo; });
    }
    qint64 count = 0;
    orDie(runSql(*m_witness, waitersSql(), {name}, [&count](const db::Row& row) { count = row.int64(0); }));
    return count;
}

void LockRig::noteAsking(const void* who, bool isAsking) const
{
    const MutexLock lock(m_mutex);
    if (isAsking)
        m_askingSince[who] = std::chrono::steady_clock::now();
    else
        m_askingSince.erase(who);
}

bool LockRig::serverWaits() const
{
    return !m_sqlServer || m_variant.kind != locks::LockKind::Application || m_sqlServer->hasLockView();
}

bool LockRig::procedureWaits() const
{
    return !m_sqlServer || !m_sqlServer->isBabelfish();
}

QString LockRig::waitersSql() const
{
    if (m_variant.isTable()) {
        // A waiter that could not be removed from a busy file stays behind as a row, and no longer counts
        // once it has expired.
        const QString live = m_variant.engine == Engine::Sqlite
            ? u" AND expires_at > CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)"_s
            : QString();
        return u"SELECT count(*) FROM %1 WHERE name = $1"_s.arg(waiterTable()) + live;
    }
    // A row's waiters wait for a transaction: the name is nowhere to be seen. The list of locks is asked: a
    // backend's wait event ends and begins again while it goes on waiting. Before it waits, the library tries
    // for a millisecond: that is no waiter.
    if (m_variant.isSurrogate())
        return u"SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND waitstart < clock_timestamp() - interval '20 ms' AND datname = current_database() AND $1::text IS NOT NULL"_s;
    return u"SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objsubid = 1 AND ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)"_s;
}

void LockRig::endSession(qint64 id) const
{
    if (m_sqlServer)
        m_sqlServer->endSession(id);
    else
        (void)number(u"SELECT pg_terminate_backend(%1)::int"_s.arg(id));
}

QString LockRig::entryTable() const
{
    return m_variant.engine == Engine::Postgres ? u"lockscope.lock_entry"_s : u"lockscope_lock_entry"_s;
}

QString LockRig::waiterTable() const
{
    return m_variant.engine == Engine::Postgres ? u"lockscope.lock_waiter"_s : u"lockscope_lock_waiter"_s;
}

Contender::Contender(const LockRig& rig, std::shared_ptr<locks::LeaseKeeper> keeper, db::ServerUrl byThisWay)
    : m_rig(rig)
    , m_keeper(std::move(keeper))
    , m_url(std::move(byThisWay))
    , m_thread([this] { serve(); })
{
    within([](Contender& self) {
        self.connection = self.m_rig.connect(self.m_url);
        self.strategy =
            orDie(locks::LockStrategy::create(self.m_rig.variant().kind, *self.connection, self.m_keeper));
    });
}

Contender::~Contender()
{
    cancel();
    within([](Contender& self) {
        self.grants.clear();
        self.strategy.reset();
        self.connection.reset();
    });
    enqueue({});
    m_thread.join();
}

std::future<LockReply> Contender::ask(locks::AcquireRequest request, locks::LossHandler lost)
{
    m_stop = std::stop_source();
    auto promise = std::make_shared<std::promise<LockReply>>();
    enqueue([this, promise, request = std::move(request), stop = m_stop.get_token(), lost = std::move(lost)] {
        promise->set_value(answer(request, stop, lost));
    });
    return promise->get_future();
}

LockReply Contender::acquire(locks::AcquireRequest request, locks::LossHandler lost)
{
    return soon(ask(std::move(request), std::move(lost)));
}

LockReply Contender::answer(
    const locks::AcquireRequest& request, const std::stop_token& stop, locks::LossHandler lost)
{
    m_rig.noteAsking(this, true);
    auto result = locks::acquire(*strategy, request, stop, std::move(lost));
    m_rig.noteAsking(this, false);
    LockReply reply;
    if (!result) {
        reply.error = result.error();
        return reply;
    }
    reply.outcome = result->outcome;
    reply.heldBy = result->heldBy;
    reply.fencing = result->grant.fencing();
    reply.token = result->grant.token();
    if (locks::isGranted(result->outcome) != result->grant.isHeld())
        qFatal("outcome and grant disagree");
    if (result->grant.isHeld())
        grants.push_back(std::move(result->grant));
    return reply;
}

Result<void> Contender::release()
{
    Result<void> result;
    within([&result](Contender& self) {
        result = self.grants.back().release();
        self.grants.pop_back();
    });
    return result;
}

void Contender::cancel()
{
    m_stop.request_stop();
}

QString Contender::valueOf(const QString& expression)
{
    QString value;
    within([&](Contender& self) { value = test::ask(*self.connection, u"SELECT "_s + expression); });
    return value;
}

void Contender::within(const std::function<void(Contender&)>& act)
{
    std::promise<bool> done;
    enqueue([&] {
        act(*this);
        done.set_value(true);
    });
    soon(done.get_future());
}

void Contender::enqueue(std::function<void()> task)
{
    const MutexLock lock(m_mutex);
    m_tasks.push_back(std::move(task));
    m_changed.notifyOne();
}

void Contender::serve()
{
    for (;;) {
        std::function<void()> task;
        {
            const MutexLock lock(m_mutex);
            m_changed.wait(m_mutex, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return !m_tasks.empty(); });
            task = std::move(m_tasks.front());
            m_tasks.pop_front();
        }
        if (!task)
            return;
        task();
    }
}

} // namespace lockscope::test
