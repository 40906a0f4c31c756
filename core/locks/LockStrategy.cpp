// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LockStrategy.h"

#include "core/base/Backoff.h"
#include "core/base/EnumTable.h"
#include "core/base/Mutex.h"
#include "core/db/LockTableRows.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/Statement.h"
#include "core/locks/EngineLockBackends.h"
#include "core/locks/GrantState.h"

#include <QRandomGenerator>
#include <QSet>

#include <algorithm>
#include <map>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

/// A registration lasts 10 s (see the schema); this leaves time for a slow server.
constexpr milliseconds renewRegistrationEvery{3'000};
/// A server that restarts is asked again after so long.
constexpr milliseconds firstReopening{100};
constexpr milliseconds lastReopening{2'000};
constexpr milliseconds maxLease = std::chrono::hours(24 * 3650);
/// A program with a name per customer must not grow for ever; registering one again does no harm.
constexpr qsizetype maxNamesKept = 100'000;

QString newToken()
{
    std::array<quint32, 4> random{};
    QRandomGenerator::system()->fillRange(random.data(), random.size());
    return QString::fromLatin1(
        QByteArray::fromRawData(reinterpret_cast<const char*>(random.data()), sizeof(random)).toHex());
}

milliseconds since(LeaseClock::time_point start)
{
    return std::chrono::duration_cast<milliseconds>(LeaseClock::now() - start);
}

Result<LockBackend::Locked> askServer(
    LockBackend& backend, LockKind kind, const AcquireRequest& request, const std::stop_token& stop)
{
    if (kind != LockKind::Application)
        return backend.lockSurrogate(kind, request.name, request.wait, stop);
    LOCKSCOPE_TRY_GET(const auto outcome, backend.lockApplication(request, stop));
    return LockBackend::Locked(outcome, request.name, {});
}

} // namespace

/// Writes names of application locks down at the server, so that the monitor can show them instead of
/// numbers: once for each name, server and process, and only if the schema is there. Failing to do so is no
/// reason to refuse a lock.
class AppLockNames {
public:
    explicit AppLockNames(db::Connection& connection);

    /// Inside a transaction it does nothing: the row would stay invisible and could make others wait.
    void remember(const QString& name);

private:
    /// Names known to be registered at one server. Any thread.
    struct Known {
        Mutex mutex;
        QSet<QString> names LOCKSCOPE_GUARDED_BY(mutex);
    };
    static std::shared_ptr<Known> knownAt(const db::ServerUrl& url);
    const db::Statement& statement(const char* file) const;
    bool isWritable();

    db::Connection& m_connection;
    const std::shared_ptr<Known> m_known;
    std::optional<bool> m_isWritable;
};

AppLockNames::AppLockNames(db::Connection& connection)
    : m_connection(connection)
    , m_known(knownAt(connection.url()))
{
}

std::shared_ptr<AppLockNames::Known> AppLockNames::knownAt(const db::ServerUrl& url)
{
    static Mutex mutex;
    static std::map<QString, std::shared_ptr<Known>> servers LOCKSCOPE_GUARDED_BY(mutex);
    const MutexLock lock(mutex);
    std::shared_ptr<Known>& known = servers[url.toString()];
    if (!known)
        known = std::make_shared<Known>();
    return known;
}

const db::Statement& AppLockNames::statement(const char* file) const
{
    return db::schemaStatement(m_connection.dialect(), file);
}

bool AppLockNames::isWritable()
{
    if (!m_isWritable) {
        bool writable = false;
        const auto asked = m_connection.execute(statement("app_locks/names_writable"), {},
            [&writable](const db::Row& row) { writable = row.boolean(0); });
        m_isWritable = asked && writable && db::usableSchema(m_connection, db::SchemaUse::Calling);
    }
    return *m_isWritable;
}

void AppLockNames::remember(const QString& name)
{
    {
        const MutexLock lock(m_known->mutex);
        if (m_known->names.contains(name))
            return;
    }
    if (m_connection.inTransaction() || !isWritable())
        return;
    if (!m_connection.execute(statement("app_locks/register_name"), {name}))
        return;
    const MutexLock lock(m_known->mutex);
    if (m_known->names.size() >= maxNamesKept)
        m_known->names.clear();
    m_known->names.insert(name);
}

db::Capability capabilityFor(LockKind kind)
{
    switch (kind) {
    case LockKind::Table:
        return db::Capability::LockTables;
    case LockKind::Application:
        return db::Capability::ApplicationLocks;
    case LockKind::LockedTable:
    case LockKind::LockedKey:
        break;
    }
    return db::Capability::SurrogateLocks;
}

Result<std::unique_ptr<LockStrategy>> LockStrategy::create(
    LockKind kind, db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper, Surrogates surrogates)
{
    const db::Capability needed = capabilityFor(kind);
    if (!connection.dialect().can(needed))
        return failure(ErrorKind::Unsupported,
            u"%1 has no such locks."_s.arg(engineName(connection.engine())),
            connection.dialect().reasonAgainst(needed));
    if (needed == db::Capability::SurrogateLocks)
        LOCKSCOPE_TRY(
            testLockHint(connection, kind == LockKind::LockedTable ? Hint::TabLockX : Hint::UpdLock));
    return std::unique_ptr<LockStrategy>(
        new LockStrategy(kind, connection, std::move(keeper), std::move(surrogates)));
}

LockStrategy::LockStrategy(
    LockKind kind, db::Connection& connection, std::shared_ptr<LeaseKeeper> keeper, Surrogates surrogates)
    : m_kind(kind)
    , m_connection(connection)
    , m_keeper(std::move(keeper))
    , m_surrogates(std::move(surrogates))
    , m_backend(LockBackend::create(connection, m_surrogates))
{
    if (kind == LockKind::Application)
        m_names = std::make_unique<AppLockNames>(connection);
}

LockStrategy::~LockStrategy() = default;

Result<void> LockStrategy::prepare(const QString& name)
{
    if (!isSurrogate())
        return {};
    if (auto refused = m_connection.dialect().refuseLockName(name))
        return Failure(std::move(*refused));
    if (auto refused = m_backend->refuseSurrogate(m_kind, name))
        return Failure(std::move(*refused));
    if (m_connection.inTransaction())
        return failure(ErrorKind::BadInput,
            u"A surrogate can't be made inside a transaction: others would wait for its end."_s,
            u"Prepare the lock before the transaction begins."_s);
    LOCKSCOPE_TRY(trustSurrogates());
    return m_backend->prepareSurrogate(m_kind, name);
}

/// Surrogates of the product's own schema are used like all that is in it.
Result<void> LockStrategy::trustSurrogates()
{
    const bool inOurSchema = m_surrogates.schema == Surrogates().schema;
    return inOurSchema ? db::usableSchema(m_connection, db::SchemaUse::Calling) : Result<void>();
}

Result<AcquireResult> LockStrategy::acquire(
    const AcquireRequest& request, const std::stop_token& stop, LossHandler lost)
{
    LOCKSCOPE_TRY(check(request));
    if (stop.stop_requested())
        return AcquireResult{.outcome = Outcome::Cancelled};
    return m_kind == LockKind::Table ? takeEntry(request, stop, std::move(lost))
                                     : takeFromServer(request, stop, std::move(lost));
}

// --- What is refused before anything is sent ---------------------------------------------------------------

Result<void> LockStrategy::check(const AcquireRequest& request) const
{
    if (auto refused = m_connection.dialect().refuseLockName(request.name))
        return Failure(std::move(*refused));
    // What is put for bytes that are no text: different names would become one.
    if (request.name.contains(QChar::ReplacementCharacter))
        return failure(
            ErrorKind::BadInput, u"The lock's name is not valid UTF-8."_s, u"Choose a name that is text."_s);
    if (request.wait < milliseconds(-1))
        return failure(ErrorKind::BadInput, u"A waiting time can't be negative."_s,
            u"Pass 0 for no wait, or -1 for no limit."_s);
    if (m_kind == LockKind::Application)
        return checkApplication(request);
    return isSurrogate() ? checkSurrogate(request) : checkEntry(request);
}

Result<void> LockStrategy::checkEntry(const AcquireRequest& request) const
{
    if (request.mode != AcquireMode::Exclusive)
        return failure(ErrorKind::Unsupported, u"A lock table knows exclusive locks only."_s,
            u"Use an application lock for other modes."_s);
    if (request.lease <= milliseconds(0) || request.lease > maxLease)
        return failure(
            ErrorKind::BadInput, u"A lease must be longer than nothing and shorter than ten years."_s);
    if (m_connection.inTransaction())
        return failure(ErrorKind::BadInput,
            u"A lock-table lock can't be taken inside a transaction: others would not see it."_s,
            u"Take it before the transaction begins, or use an application lock."_s);
    return {};
}

Result<void> LockStrategy::checkApplication(const AcquireRequest& request) const
{
    const db::Dialect& dialect = m_connection.dialect();
    const bool isPlain = request.mode == AcquireMode::Exclusive || request.mode == AcquireMode::Shared;
    if (!isPlain && !dialect.can(db::Capability::UpdateAndIntentModes))
        return failure(ErrorKind::Unsupported, u"The server has no application locks of this mode."_s,
            dialect.reasonAgainst(db::Capability::UpdateAndIntentModes));
    if (request.owner == LockOwner::Other)
        return failure(
            ErrorKind::BadInput, u"An application lock belongs to the session or to the transaction."_s);
    if (request.owner == LockOwner::Session && !dialect.can(db::Capability::SessionLocks))
        return failure(ErrorKind::Unsupported,
            u"A lock of the session can't be taken over this connection."_s,
            dialect.reasonAgainst(db::Capability::SessionLocks));
    if (request.owner == LockOwner::Transaction && !m_connection.inTransaction())
        return failure(ErrorKind::BadInput,
            u"A lock for the transaction was asked for, but no transaction is open."_s,
            u"Begin a transaction first, or take the lock for the session."_s);
    return m_backend->checkApplicationLocks();
}

Result<void> LockStrategy::checkSurrogate(const AcquireRequest& request) const
{
    if (auto refused = m_backend->refuseSurrogate(m_kind, request.name))
        return Failure(std::move(*refused));
    if (request.mode != AcquireMode::Exclusive)
        return failure(ErrorKind::Unsupported, u"Locked tables and keys know exclusive locks only."_s,
            u"Use an application lock for other modes."_s);
    if (!m_connection.inTransaction())
        return failure(ErrorKind::BadInput,
            u"A locked table or key belongs to a transaction, but none is open."_s,
            u"Begin a transaction first, or take an application lock for the session."_s);
    return {};
}

// --- Locks that the server keeps, and waits for -----------------------------------------------------------

Result<AcquireResult> LockStrategy::takeFromServer(
    const AcquireRequest& request, const std::stop_token& stop, LossHandler lost)
{
    if (m_names) {
        m_names->remember(request.name);
    } else if (auto trusted = trustSurrogates(); !trusted) {
        return Failure(trusted.error());
    }
    const auto start = LeaseClock::now();
    const db::LongWait allowed(m_connection, request.wait);
    LOCKSCOPE_TRY_GET(const auto locked, askServer(*m_backend, m_kind, request, stop));
    AcquireResult result{.outcome = locked.outcome, .waited = since(start)};
    if (!isGranted(locked.outcome)) {
        result.heldBy = m_backend->holderOf(m_kind, request.name);
        return result;
    }
    if (locked.thing.isEmpty())
        return failure(
            ErrorKind::Internal, u"The server granted \"%1\", but nothing is locked."_s.arg(request.name));
    AcquireRequest granted = request;
    if (isSurrogate())
        granted.owner = LockOwner::Transaction;
    auto state = std::make_unique<Grant::State>(m_kind, granted, m_backend, m_keeper);
    LOCKSCOPE_TRY(state->noteHolder());
    state->holds.thing = locked.thing;
    state->holds.transaction = locked.transaction;
    state->watch(std::move(lost));
    result.grant = Grant(std::move(state));
    return result;
}

// --- The lock table ---------------------------------------------------------------------------------------

/// One acquire while it runs.
struct LockStrategy::TableWait {
    const AcquireRequest& request;
    const std::stop_token& stop;
    LockBackend& backend;
    const QString token = newToken();
    const LeaseClock::time_point start = LeaseClock::now();
    LeaseClock::time_point attemptSent = start;
    LockBackend::Answer answer{};
    Backoff backoff{firstReopening, lastReopening};

    milliseconds waited() const { return since(start); }
    milliseconds patience() const
    {
        return request.wait < milliseconds(0) ? request.wait
                                              : std::max(request.wait - waited(), milliseconds(0));
    }
    bool isOverdue() const { return request.wait >= milliseconds(0) && waited() >= request.wait; }

    Result<void> attempt()
    {
        attemptSent = LeaseClock::now();
        const qint64 ticket = answer.ticket;
        LOCKSCOPE_TRY_GET(answer,
            backend.attempt({.request = request,
                                .token = token,
                                .waits = request.wait != milliseconds(0),
                                .ticket = ticket,
                                .patience = patience()},
                stop));
        return {};
    }

    /// A waiter goes on waiting when the server is restarted meanwhile, or another one takes over: in a new
    /// session, with the same token, and in its place if the queue is still there.
    Result<void> takeUpAgain(const Error& error)
    {
        Result<void> result = Failure(error);
        while (!result && result.error().kind == ErrorKind::Connection && request.wait != milliseconds(0)
            && !isOverdue() && sleepFor(backoff.next(), stop)) {
            result = backend.connection().reopen();
            if (result)
                result = attempt();
        }
        return result;
    }

    /// A grant without a number can't be distinguished from a later one: it is released, and counts for
    /// nothing.
    Error giveBackUnnumbered() const
    {
        Error error{.kind = ErrorKind::Server,
            .what = u"The lock \"%1\" was granted without a fencing number."_s.arg(request.name),
            .hint =
                u"The triggers of the lock table did not run: somebody has disabled or removed them, or session_replication_role keeps them from it. Install the schema again."_s};
        if (auto left = backend.leave(request.name, token, answer.ticket); !left)
            error.detail = u"Its entry stays until its lease ends: %1"_s.arg(left.error().toString());
        error.server = backend.connection().url().display();
        return error;
    }

    /// Returns a nap up to one millisecond past the time at which the obstacle may end by itself: its holder
    /// or first waiter crashed.
    milliseconds nap() const
    {
        milliseconds nap = std::chrono::duration_cast<milliseconds>(answer.obstacleLasts) + milliseconds(1);
        nap = std::min(nap, renewRegistrationEvery);
        if (request.wait >= milliseconds(0))
            nap = std::min(nap, request.wait - waited());
        return std::max(nap, milliseconds(1));
    }
};

Result<AcquireResult> LockStrategy::takeEntry(
    const AcquireRequest& request, const std::stop_token& stop, LossHandler lost)
{
    TableWait wait{.request = request, .stop = stop, .backend = *m_backend};
    Result<void> result = wait.attempt();
    const bool atOnce = result && wait.answer.taken && !wait.answer.hadToWait;
    while (!wait.answer.taken && !stop.stop_requested()) {
        if (!result) {
            result = wait.takeUpAgain(result.error());
            if (!result)
                break;
            continue;
        }
        if (request.wait == milliseconds(0))
            return AcquireResult{
                .outcome = Outcome::Denied, .waited = wait.waited(), .heldBy = std::move(wait.answer.heldBy)};
        if (wait.answer.isVictim)
            return giveUp(wait, Outcome::DeadlockVictim);
        if (wait.isOverdue())
            return giveUp(wait, Outcome::TimedOut);
        result = m_backend->waitForTurn(request.name, wait.answer.ticket, wait.nap(), stop);
        if (result && !stop.stop_requested())
            result = wait.attempt();
    }
    if (stop.stop_requested())
        return giveUp(wait, Outcome::Cancelled);
    LOCKSCOPE_TRY(result);
    if (wait.answer.taken->fencing < 1)
        return Failure(wait.giveBackUnnumbered());
    AcquireResult granted = grantEntry(wait, std::move(lost));
    granted.outcome = atOnce ? Outcome::Granted : Outcome::GrantedAfterWait;
    return granted;
}

Result<AcquireResult> LockStrategy::giveUp(TableWait& wait, Outcome outcome)
{
    // Whatever the last attempt obtained goes back with the registration.
    LOCKSCOPE_TRY(m_backend->leave(wait.request.name, wait.token, wait.answer.ticket));
    return AcquireResult{
        .outcome = outcome, .waited = wait.waited(), .heldBy = std::move(wait.answer.heldBy)};
}

AcquireResult LockStrategy::grantEntry(TableWait& wait, LossHandler lost)
{
    const LockBackend::Taken& taken = *wait.answer.taken;
    auto state = std::make_unique<Grant::State>(m_kind, wait.request, m_backend, m_keeper);
    WatchedGrant& watched = *state->watched;
    watched.token = wait.token;
    watched.lease = wait.request.lease;
    watched.noteRenewal(wait.attemptSent, taken.expiresAt);
    state->fencing = taken.fencing;
    state->holds.thing =
        u"'%1' in %2, fencing %3"_s.arg(wait.request.name, db::lockTableName(m_connection.engine()))
            .arg(taken.fencing);
    state->acquiredAt = taken.acquiredAt;
    // If the server waited before it granted, only a renewal shows how long the lease lasts by our clock.
    if (LeaseClock::now() >= wait.attemptSent + LeaseTimes::of(wait.request.lease).renewal)
        (void)state->renew();
    state->watch(std::move(lost));
    return AcquireResult{
        .outcome = Outcome::Granted, .grant = Grant(std::move(state)), .waited = wait.waited()};
}

// --- With a transaction of its own ------------------------------------------------------------------------

Result<AcquireResult> acquire(
    LockStrategy& strategy, const AcquireRequest& request, const std::stop_token& stop, LossHandler lost)
{
    db::Connection& connection = strategy.m_connection;
    const bool isOfTransaction = strategy.isSurrogate()
        || (strategy.kind() == LockKind::Application && request.owner == LockOwner::Transaction);
    const bool begins = isOfTransaction && !connection.inTransaction();
    if (begins) {
        LOCKSCOPE_TRY(strategy.prepare(request.name));
        LOCKSCOPE_TRY(connection.begin());
        strategy.m_ownTransaction = connection.transactionNumber();
    }
    auto result = strategy.acquire(request, stop, std::move(lost));
    if (result && isGranted(result->outcome)) {
        if (isOfTransaction && connection.transactionNumber() == strategy.m_ownTransaction)
            result->grant.m_state->ownsTransaction = true;
        return result;
    }
    if (begins && connection.isOpen() && connection.inTransaction())
        if (auto ended = connection.rollback(); !ended && result)
            return Failure(ended.error());
    return result;
}

// --- Requests ----------------------------------------------------------------------------------------------

bool isGranted(Outcome outcome)
{
    return outcome == Outcome::Granted || outcome == Outcome::GrantedAfterWait;
}

QString outcomeName(Outcome outcome)
{
    static constexpr EnumTable<Outcome> names(
        {u"granted", u"granted after waiting", u"denied", u"timed out", u"cancelled", u"deadlock victim"});
    return names[outcome].toString();
}

AcquireRequest LockOptions::request() const
{
    const bool isSurrogate = kind == LockKind::LockedTable || kind == LockKind::LockedKey;
    return {.name = name,
        .mode = mode,
        .owner = isSurrogate ? LockOwner::Transaction : owner,
        .wait = wait,
        .lease = lease,
        .party = party,
        .principal = principal};
}

} // namespace lockscope::locks
