// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/EngineLockBackends.h"

#include "core/db/AnswerLimits.h"

#include "core/base/Mutex.h"

#include <QJsonObject>
#include <QRandomGenerator>

#include <algorithm>
#include <array>
#include <atomic>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds betweenWakes{100};

using L = QLatin1StringView;

/// Waits for another session that is deciding about the name: then the attempt is made again.
constexpr milliseconds maxGuardWait{5'000};
/// Behind a pooler nobody can be woken.
constexpr milliseconds askAgainEvery{250};
constexpr std::size_t maxStatementsKept = 1'000;
/// An insert has no way not to wait for another one of the same key.
constexpr milliseconds hardlyAnyWait{1};
/// The number of times that a key's row is made again when somebody else removes it while it is waited for.
constexpr int maxRounds = 2'000;
constexpr int maxRoundsWithoutWait = 10;
constexpr milliseconds maxPauseOfRounds{20};
/// Longer identifiers are cut silently (documentation, "Identifiers and Key Words").
constexpr qsizetype maxIdentifierLength = 63;

/// A wait as lock_timeout takes it: 0 = for ever. There is none for "don't wait".
QString lockTimeout(qint64 wait)
{
    return QString::number(std::max<qint64>(wait, 0));
}

/// The end of a wait that takes several statements; −1 = there is none.
class Deadline {
public:
    explicit Deadline(milliseconds wait)
        : m_wait(wait)
        , m_until(LeaseClock::now() + std::max(wait, milliseconds(0)))
    {
    }
    bool isEndless() const { return m_wait < milliseconds(0); }
    bool isOver() const { return !isEndless() && LeaseClock::now() >= m_until; }
    /// Returns more than 0, which would be for ever.
    milliseconds left() const
    {
        if (isEndless())
            return m_wait;
        return std::max(std::chrono::ceil<milliseconds>(m_until - LeaseClock::now()), milliseconds(1));
    }

private:
    const milliseconds m_wait;
    const LeaseClock::time_point m_until;
};

/// Notes what the server says that it has locked.
db::RowSink reading(LockBackend::Locked& locked)
{
    return [&locked](const db::Row& row) {
        locked.thing = row.text(0);
        locked.transaction = row.text(1);
    };
}

AppLockSql makeAppLockSql(LockOwner owner, AcquireMode mode)
{
    const QString suffix = mode == AcquireMode::Shared ? u"_shared"_s : QString();
    const QString level = owner == LockOwner::Transaction ? u"advisory_xact_lock"_s : u"advisory_lock"_s;
    const QString tryLock = u"pg_try_"_s + level + suffix;
    const QString lock = u"pg_"_s + level + suffix;
    const QString unlock = u"pg_advisory_unlock"_s + suffix;
    return {.tryOnce = db::Statement::filled("postgres/app_locks/try", {{L("try"), tryLock}}),
        .wait = db::Statement::filled("postgres/app_locks/wait", {{L("try"), tryLock}, {L("lock"), lock}}),
        .release = db::Statement::filled("postgres/app_locks/release", {{L("unlock"), unlock}}),
        .undo = db::Statement::filled("postgres/app_locks/undo", {{L("unlock"), unlock}}),
        .nativeMode = mode == AcquireMode::Shared ? u"ShareLock"_s : u"ExclusiveLock"_s};
}

// --- Waits in a savepoint ----------------------------------------------------------------------------------

db::BatchItem item(const char* path, std::vector<db::Param> params = {})
{
    return {.statement = &db::Statement::get(path), .params = std::move(params)};
}

Result<void> rollBackToSavepoint(db::Connection& connection)
{
    const std::array undo{
        item("postgres/session/savepoint_rollback"), item("postgres/session/savepoint_release")};
    for (const Result<qint64>& undone : connection.executeBatch(undo))
        LOCKSCOPE_TRY(undone);
    return {};
}

/// Runs `items` inside of a savepoint of the open transaction, so that a wait that ends in an error leaves
/// the transaction alive and nothing locked. `limit` is the lock_timeout meanwhile (see lockTimeout); without
/// it the session's own stays. One round trip if all goes well and nobody can cancel it. Returns the rows of
/// each item.
Result<std::vector<qint64>> runInSavepoint(db::Connection& connection, std::span<const db::BatchItem> items,
    const std::optional<QString>& limit = {}, const std::stop_token& stop = {})
{
    std::vector<db::BatchItem> batch{item("postgres/session/savepoint")};
    if (limit)
        batch.push_back(item("postgres/session/wait_limit", {*limit}));
    const std::size_t first = batch.size();
    batch.insert(batch.end(), items.begin(), items.end());
    if (limit)
        batch.push_back(item("postgres/session/wait_limit_end"));
    // A caller that may cancel keeps the savepoint until it is known whether the lock stays.
    const bool mayBeCancelled = stop.stop_possible();
    if (!mayBeCancelled)
        batch.push_back(item("postgres/session/savepoint_release"));

    auto results = connection.executeBatch(batch, stop);
    LOCKSCOPE_TRY(results.front());
    // The first failure has the reason; the ones after it only say that the transaction waits for its
    // rollback.
    const auto failed = std::ranges::find_if(results, [](const auto& result) { return !result; });
    if (failed != results.end() || stop.stop_requested()) {
        Error error;
        error.kind = ErrorKind::Cancelled;
        if (failed != results.end())
            error = failed->error();
        if (connection.isOpen())
            LOCKSCOPE_TRY(rollBackToSavepoint(connection));
        return Failure(std::move(error));
    }
    if (mayBeCancelled)
        LOCKSCOPE_TRY(connection.execute(db::Statement::get("postgres/session/savepoint_release")));
    std::vector<qint64> rows;
    for (std::size_t i = first; i < first + items.size(); ++i)
        rows.push_back(*results[i]);
    return rows;
}

} // namespace

const AppLockSql& AppLockSql::get(LockOwner owner, AcquireMode mode)
{
    using enum LockOwner;
    using enum AcquireMode;
    static const std::array ofSession{makeAppLockSql(Session, Exclusive), makeAppLockSql(Session, Shared)};
    static const std::array ofTransaction{
        makeAppLockSql(Transaction, Exclusive), makeAppLockSql(Transaction, Shared)};
    return (owner == Transaction ? ofTransaction : ofSession)[mode == Shared ? 1 : 0];
}

PostgresLockBackend::PostgresLockBackend(db::Connection& connection, Surrogates surrogates)
    : LockBackend(connection, std::move(surrogates))
{
}

// --- The lock table ----------------------------------------------------------------------------------------

LockBackend::Waiting PostgresLockBackend::waitingOf(const Attempt& attempt) const
{
    if (!attempt.waits)
        return {false, newcomer, db::Param()}; // the function's own, short patience
    // A queued waiter listens for its turn, and in a pooler's session another client would listen.
    const bool queues = canListen();
    const bool forEver = attempt.patience < milliseconds(0);
    const milliseconds patience = forEver ? maxGuardWait : std::min(attempt.patience, maxGuardWait);
    return {queues, queues ? attempt.ticket : newcomer, qint64(patience.count())};
}

/// Anybody may NOTIFY on our channel. The first notification for a ticket wakes us at once, as the real one
/// does; further ones wake us ten times a second at most, and those that came meanwhile count once.
Result<void> PostgresLockBackend::waitForTurn(
    const QString&, qint64 ticket, milliseconds longest, const std::stop_token& stop)
{
    if (!canListen()) {
        sleepFor(std::min(longest, askAgainEvery), stop);
        return {};
    }
    using Clock = std::chrono::steady_clock;
    if (std::exchange(m_wokenFor, ticket) != ticket)
        m_nextWake = {};
    const Clock::time_point start = Clock::now();
    if (start < m_nextWake)
        sleepFor(std::min(longest, std::chrono::ceil<milliseconds>(m_nextWake - start)), stop);
    const auto slept = std::chrono::floor<milliseconds>(Clock::now() - start);
    auto result = m_connection.waitForNotification(std::max(milliseconds(0), longest - slept), stop);
    if (result && *result)
        m_nextWake = Clock::now() + betweenWakes;
    for (int i = 0; result && *result && i < db::maxNotifications; ++i)
        result = m_connection.waitForNotification(milliseconds(0), stop);
    if (!result && result.error().kind != ErrorKind::Cancelled)
        return Failure(result.error());
    return {};
}

// --- Application locks -------------------------------------------------------------------------------------

/// A standby has advisory locks of its own, which nobody on the primary or on another standby respects.
Result<void> PostgresLockBackend::checkApplicationLocks()
{
    if (m_isPrimary)
        return {};
    LOCKSCOPE_TRY(m_connection.execute(db::Statement::get("postgres/app_locks/on_standby"), {},
        [this](const db::Row& row) { m_isPrimary = !row.boolean(0); }));
    if (m_isPrimary)
        return {};
    Failure refused = failure(ErrorKind::Unsupported,
        u"This server is a standby: its application locks exclude nobody who works on the primary."_s,
        u"Connect to the primary, for example with target_session_attrs=read-write and both hosts in the URL."_s);
    refused.value().server = m_connection.url().display();
    return refused;
}

Result<Outcome> PostgresLockBackend::lockApplication(
    const AcquireRequest& request, const std::stop_token& stop)
{
    const AppLockSql& sql = AppLockSql::get(request.owner, request.mode);
    const bool waits = request.wait != milliseconds(0);
    const bool isOfTransaction = request.owner == LockOwner::Transaction;
    Outcome outcome = Outcome::Denied;
    std::vector<db::BatchItem> items{waits
            ? db::BatchItem{.statement = &sql.wait,
                .params = {request.name, lockTimeout(inMilliseconds(request.wait))},
                .sink =
                    [&outcome](const db::Row& row) {
                        outcome = row.int64(0) != 0 ? Outcome::GrantedAfterWait : Outcome::Granted;
                    }}
            : db::BatchItem{
                .statement = &sql.tryOnce, .params = {request.name}, .sink = [&outcome](const db::Row& row) {
                    outcome = row.boolean(0) ? Outcome::Granted : Outcome::Denied;
                }}};
    if (isOfTransaction)
        items.push_back(newMark());
    Result<void> result;
    if (waits && m_connection.inTransaction()) {
        if (auto done = runInSavepoint(m_connection, items, {}, stop); !done)
            result = Failure(done.error());
    } else if (isOfTransaction) {
        // One that must not wait is too short for a cancel: an answer is better than an aborted transaction.
        for (const Result<qint64>& done : m_connection.executeBatch(items))
            if (!done && result)
                result = Failure(done.error());
    } else if (const auto done = m_connection.execute(*items.front().statement, items.front().params,
                   items.front().sink, waits ? stop : std::stop_token());
               !done) {
        result = Failure(done.error());
    }
    if (!result) {
        if (m_connection.isOpen())
            LOCKSCOPE_TRY(undoApplication(request, sql, isGranted(outcome)));
        return endOfWait(result.error(), stop);
    }
    if (isGranted(outcome) && !isOfTransaction)
        ++m_counts[{request.name, request.mode}];
    return outcome;
}

/// A wait that was interrupted just when it was granted may have left the session's lock behind: no savepoint
/// takes that back.
Result<void> PostgresLockBackend::undoApplication(
    const AcquireRequest& request, const AppLockSql& sql, bool isTaken)
{
    if (request.owner != LockOwner::Session)
        return {};
    Result<qint64> undone = 0;
    if (isTaken)
        undone = m_connection.execute(sql.release, {request.name});
    else if (request.wait != milliseconds(0) && !m_counts.contains({request.name, request.mode}))
        undone = m_connection.execute(sql.undo, {request.name, sql.nativeMode});
    return ifDone(undone);
}

Result<bool> PostgresLockBackend::unlockApplication(const AcquireRequest& request)
{
    bool wasHeld = false;
    LOCKSCOPE_TRY(m_connection.execute(AppLockSql::get(LockOwner::Session, request.mode).release,
        {request.name}, [&wasHeld](const db::Row& row) { wasHeld = row.boolean(0); }));
    const auto count = m_counts.find({request.name, request.mode});
    if (count != m_counts.end() && --count->second == 0)
        m_counts.erase(count);
    return wasHeld;
}

// --- Surrogates --------------------------------------------------------------------------------------------

std::optional<Error> PostgresLockBackend::refuseSurrogate(LockKind kind, const QString& name) const
{
    if (kind == LockKind::LockedKey)
        return std::nullopt;
    return refuseTableOf(
        name, [](const QString& text) { return text.toUtf8().size(); }, maxIdentifierLength, "bytes");
}

Result<void> PostgresLockBackend::prepareSurrogate(LockKind kind, const QString& name)
{
    return kind == LockKind::LockedTable ? prepareTable(name) : prepareKey(name);
}

Result<LockBackend::Locked> PostgresLockBackend::lockSurrogate(
    LockKind kind, const QString& name, milliseconds wait, const std::stop_token& stop)
{
    return kind == LockKind::LockedTable ? lockTable(name, wait, stop) : lockKey(name, wait, stop);
}

const PostgresLockBackend::TableSql& PostgresLockBackend::tableSql(const QString& name)
{
    const auto known = m_tableSql.find(name);
    if (known != m_tableSql.end())
        return known->second;
    if (m_tableSql.size() >= maxStatementsKept)
        m_tableSql.clear();
    const std::pair<L, QString> table(L("table"), tableOf(name));
    return m_tableSql
        .emplace(name,
            TableSql{db::Statement::filled("postgres/surrogates/table_try", {table}),
                db::Statement::filled("postgres/surrogates/table_wait", {table})})
        .first->second;
}

Result<LockBackend::Locked> PostgresLockBackend::lockTable(
    const QString& name, milliseconds wait, const std::stop_token& stop)
{
    const TableSql& sql = tableSql(name);
    Locked granted(Outcome::Granted);
    const db::BatchItem held{.statement = &db::Statement::get("postgres/surrogates/table_held"),
        .params = {tableOf(name)},
        .sink = reading(granted)};
    const db::BatchItem mark = newMark();
    const std::array tryOnce{db::BatchItem{.statement = &sql.tryOnce}, held, mark};
    // Too short for a cancel: an answer is better.
    const auto tried = runInSavepoint(m_connection, tryOnce);
    if (tried)
        return granted;
    if (!db::Dialect::isLockTimeout(tried.error()))
        return asLocked(endOfWait(tried.error(), stop));
    if (wait == milliseconds(0))
        return Locked(Outcome::Denied);
    const std::array waiting{db::BatchItem{.statement = &sql.wait}, held, mark};
    if (auto waited = runInSavepoint(m_connection, waiting, lockTimeout(inMilliseconds(wait)), stop); !waited)
        return asLocked(endOfWait(waited.error(), stop));
    granted.outcome = Outcome::GrantedAfterWait;
    return granted;
}

const PostgresLockBackend::KeySql& PostgresLockBackend::keySql()
{
    if (!m_keySql)
        m_keySql.emplace(KeySql{.reach = ofKeys("postgres/surrogates/key_reach"),
            .tryOnce = ofKeys("postgres/surrogates/key_try"),
            .add = ofKeys("postgres/surrogates/key_add"),
            .wait = ofKeys("postgres/surrogates/key_wait"),
            .noWait = ofKeys("postgres/surrogates/key_nowait"),
            .holder = ofKeys("postgres/surrogates/key_holder")});
    return *m_keySql;
}

/// Without a unique index each would insert, and lock, a row of his own. That of the product's own table is
/// trusted with its schema.
Result<void> PostgresLockBackend::checkKeyTable()
{
    if (m_isKeyUnique || m_surrogates.areOurs())
        return {};
    const QString table = m_connection.dialect().quoted(m_surrogates.schema, m_surrogates.keyTable);
    LOCKSCOPE_TRY(m_connection.execute(db::Statement::get("postgres/surrogates/key_unique"),
        {table, m_surrogates.keyColumn}, [this](const db::Row& row) { m_isKeyUnique = row.boolean(0); }));
    if (m_isKeyUnique)
        return {};
    return failure(ErrorKind::BadInput,
        u"The table %1 can't keep surrogate keys: the same key could be there twice, and two would hold it."_s
            .arg(table),
        u"Make its column %1 the primary key, or unique by an index of its own."_s.arg(
            m_surrogates.keyColumn));
}

Result<void> PostgresLockBackend::prepareKey(const QString& key)
{
    LOCKSCOPE_TRY(checkKeyTable());
    LOCKSCOPE_TRY(m_connection.begin());
    const std::array items{db::BatchItem{.statement = &keySql().add, .params = {key}}};
    const auto made = runInSavepoint(m_connection, items, lockTimeout(hardlyAnyWait.count()));
    auto ended = m_connection.commit();
    // Another session is just making it, or has it: acquire will wait for that session.
    if (!made && made.error().kind != ErrorKind::Timeout)
        return Failure(made.error());
    return ended;
}

/// SKIP LOCKED waits for no row, but it would for a session that has locked the table. The row itself is not
/// locked in the savepoint: it would bear the number of that, and nobody could find out whose it is. One
/// round trip, too short for a cancel. Returns the number of rows that were locked.
Result<qint64> PostgresLockBackend::tryKey(const db::BatchItem& tryOnce, const db::BatchItem& mark)
{
    const std::array batch{item("postgres/session/savepoint"),
        item("postgres/session/wait_limit", {lockTimeout(hardlyAnyWait.count())}),
        db::BatchItem{.statement = &keySql().reach}, item("postgres/session/wait_limit_end"),
        item("postgres/session/savepoint_release"), tryOnce, mark};
    constexpr std::size_t released = 4;
    auto results = m_connection.executeBatch(batch);
    const auto failed = std::ranges::find_if(results, [](const auto& result) { return !result; });
    if (failed == results.end())
        return *results[released + 1];
    if (results.front() && !results[released] && m_connection.isOpen())
        LOCKSCOPE_TRY(rollBackToSavepoint(m_connection));
    return Failure(failed->error());
}

/// An administrator may remove rows that nobody has locked, also while somebody waits for one: a waiter that
/// waited in vain makes the row again. So it goes on until a row was found and locked.
Result<LockBackend::Locked> PostgresLockBackend::lockKey(
    const QString& key, milliseconds wait, const std::stop_token& stop)
{
    LOCKSCOPE_TRY(checkKeyTable());
    const KeySql& sql = keySql();
    Locked granted(Outcome::Granted);
    const db::BatchItem mark = newMark();
    const bool waits = wait != milliseconds(0);
    const auto tried =
        tryKey(db::BatchItem{.statement = &sql.tryOnce, .params = {key}, .sink = reading(granted)}, mark);
    if (!tried && (!waits || !db::Dialect::isLockTimeout(tried.error())))
        return asLocked(endOfAttempt(tried.error(), waits, stop));
    // No row: somebody has it, or it is not there yet.
    if (tried && *tried > 0)
        return granted;
    const Deadline deadline(waits ? wait : hardlyAnyWait);
    for (int round = 1; round <= maxRounds; ++round) {
        const std::array items{db::BatchItem{.statement = &sql.add, .params = {key}},
            db::BatchItem{
                .statement = waits ? &sql.wait : &sql.noWait, .params = {key}, .sink = reading(granted)},
            mark};
        const auto locked = runInSavepoint(m_connection, items, lockTimeout(inMilliseconds(deadline.left())),
            waits ? stop : std::stop_token());
        if (!locked)
            return asLocked(endOfAttempt(locked.error(), waits, stop));
        const bool isAdded = locked->at(0) > 0;
        if (locked->at(1) > 0) {
            const bool hadToWait = round > 1 ? waits : !isAdded;
            granted.outcome = hadToWait ? Outcome::GrantedAfterWait : Outcome::Granted;
            return granted;
        }
        if (isAdded) // by the table's own rules, or its triggers
            break;
        if (!waits && round >= maxRoundsWithoutWait)
            return Locked(Outcome::Denied);
        if (waits && deadline.isOver())
            return Locked(Outcome::TimedOut);
        if (!sleepFor(std::min(milliseconds(round), maxPauseOfRounds), stop))
            return Locked(Outcome::Cancelled);
    }
    return failure(ErrorKind::Server,
        u"The key \"%1\" can't be locked: its row does not stay in the table."_s.arg(key),
        u"Look which program, trigger or rule removes rows of %1, or changes them."_s.arg(
            m_connection.dialect().quoted(m_surrogates.schema, m_surrogates.keyTable)));
}

std::optional<LockOwnerInfo> PostgresLockBackend::holderOf(LockKind kind, const QString& name)
{
    const db::Statement& asked = kind == LockKind::LockedKey ? keySql().holder
        : kind == LockKind::LockedTable ? db::Statement::get("postgres/surrogates/table_holder")
                                        : db::Statement::get("postgres/app_locks/holder");
    std::optional<LockOwnerInfo> holder;
    const db::BatchItem question{.statement = &asked,
        .params = {kind == LockKind::LockedTable ? tableOf(name) : name},
        .sink = [&holder](const db::Row& row) {
            holder = LockOwnerInfo{.owner = row.text(0),
                .host = row.text(1),
                .program = row.text(2),
                .session = SessionId{row.int64(3)}};
        }};
    if (kind == LockKind::LockedKey) // it reads the table, which somebody may have locked
        (void)runInSavepoint(m_connection, {&question, 1}, lockTimeout(hardlyAnyWait.count()));
    else
        (void)m_connection.execute(asked, question.params, question.sink);
    return holder;
}

/// Returns the outcome of an attempt that did not wait, or of a wait.
Result<Outcome> PostgresLockBackend::endOfAttempt(
    const Error& error, bool hasWaited, const std::stop_token& stop) const
{
    if (!hasWaited && db::Dialect::isLockTimeout(error))
        return Outcome::Denied;
    return endOfWait(error, stop);
}

/// Returns a mark to be set together with the lock. Several backends may work in one transaction; and nobody
/// can preset it.
db::BatchItem PostgresLockBackend::newMark()
{
    static const QString ours = QString::number(QRandomGenerator::system()->generate64(), 36);
    static std::atomic<quint64> latest = 0;
    m_mark = ours + u'.' + QString::number(++latest);
    return item("postgres/session/mark", {m_mark});
}

Result<LockBackend::Holding> PostgresLockBackend::holdingTransaction(const std::stop_token& stop)
{
    Holding holding;
    const auto asked = m_connection.execute(
        db::Statement::get("postgres/session/holder"), {},
        [&holding](const db::Row& row) {
            holding = {.session = SessionId{row.int64(0)},
                .started = row.time(1),
                .began = row.time(2),
                .marks = row.text(3).split(u' ', Qt::SkipEmptyParts)};
        },
        stop);
    return ifDone(asked, std::move(holding));
}

Result<std::vector<GrantPtr>> PostgresLockBackend::lostSessions(
    std::span<const GrantPtr> watched, const std::stop_token& stop)
{
    QJsonArray asked;
    for (const GrantPtr& grant : watched)
        asked.append(QJsonObject{{u"id"_s, asked.size()}, {u"pid"_s, grant->session.value},
            {u"started"_s, grant->sessionStarted.us}});
    return lostOf(watched, asked, "locks/live_sessions", stop);
}

} // namespace lockscope::locks
