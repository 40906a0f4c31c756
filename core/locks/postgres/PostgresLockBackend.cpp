// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/postgres/PostgresLockBackend.h"

#include "core/base/SleepFor.h"

#include <QJsonObject>

#include <algorithm>
#include <array>

namespace lockscope::locks {

namespace {

using L = QLatin1StringView;

/// For whoever decides about the name at the moment: then the attempt is made again.
constexpr milliseconds longestGuardWait{5'000};
/// Behind a pooler nobody can be woken.
constexpr milliseconds askAgainEvery{250};
constexpr std::size_t mostStatementsKept = 1'000;
/// An insert can't be told not to wait for another one of the same key.
constexpr milliseconds hardlyAnyWait{1};
/// Longer identifiers are cut silently (documentation, "Identifiers and Key Words").
constexpr qsizetype longestIdentifier = 63;

/// A wait as lock_timeout takes it: 0 = for ever. There is none for "don't wait".
QString lockTimeout(qint64 wait)
{
    return QString::number(std::max<qint64>(wait, 0));
}

AppLockSql makeAppLockSql(LockOwner owner, AcquireMode mode)
{
    const QString suffix = mode == AcquireMode::Shared ? QStringLiteral("_shared") : QString();
    const QString level = owner == LockOwner::Transaction ? QStringLiteral("advisory_xact_lock")
                                                          : QStringLiteral("advisory_lock");
    const QString tryLock = QStringLiteral("pg_try_") + level + suffix;
    const QString lock = QStringLiteral("pg_") + level + suffix;
    const QString unlock = QStringLiteral("pg_advisory_unlock") + suffix;
    return {db::Statement::filled("postgres/app_locks/try", {{L("try"), tryLock}}),
        db::Statement::filled("postgres/app_locks/wait", {{L("try"), tryLock}, {L("lock"), lock}}),
        db::Statement::filled("postgres/app_locks/release", {{L("unlock"), unlock}}),
        db::Statement::filled("postgres/app_locks/undo", {{L("unlock"), unlock}}),
        mode == AcquireMode::Shared ? QStringLiteral("ShareLock") : QStringLiteral("ExclusiveLock")};
}

// --- Waits in a savepoint ----------------------------------------------------------------------------------

db::BatchItem item(const char* path, std::vector<db::Param> params = {})
{
    return {&db::Statement::get(path), std::move(params), {}};
}

Result<void> rollBackToSavepoint(db::Connection& connection)
{
    const std::array undo{
        item("postgres/session/savepoint_rollback"), item("postgres/session/savepoint_release")};
    for (const Result<qint64>& undone : connection.executeBatch(undo))
        if (!undone)
            return Failure(undone.error());
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
    // Who may cancel keeps the savepoint until it is known whether the lock stays.
    const bool mayBeCancelled = stop.stop_possible();
    if (!mayBeCancelled)
        batch.push_back(item("postgres/session/savepoint_release"));

    auto results = connection.executeBatch(batch, stop);
    if (!results.front())
        return Failure(results.front().error());
    // The first failure tells why; the ones after it only say that the transaction waits for its rollback.
    const auto failed =
        std::find_if(results.begin(), results.end(), [](const auto& result) { return !result; });
    if (failed != results.end() || stop.stop_requested()) {
        Error error;
        error.kind = ErrorKind::Cancelled;
        if (failed != results.end())
            error = failed->error();
        if (connection.isOpen())
            if (auto undone = rollBackToSavepoint(connection); !undone)
                return Failure(undone.error());
        return Failure(std::move(error));
    }
    if (mayBeCancelled)
        if (auto kept = connection.execute(db::Statement::get("postgres/session/savepoint_release")); !kept)
            return Failure(kept.error());
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

bool PostgresLockBackend::canListen() const
{
    return m_connection.dialect().can(db::Capability::Notifications);
}

LockBackend::Waiting PostgresLockBackend::waitingOf(const Attempt& attempt) const
{
    if (!attempt.waits)
        return {false, newcomer, db::Param()}; // the function's own, short patience
    // Whoever queues listens for its turn, and in a pooler's session somebody else would listen.
    const bool queues = canListen();
    const bool forEver = attempt.patience < milliseconds(0);
    const milliseconds patience = forEver ? longestGuardWait : std::min(attempt.patience, longestGuardWait);
    return {queues, queues ? attempt.ticket : newcomer, qint64(patience.count())};
}

Result<void> PostgresLockBackend::waitForTurn(
    const QString&, qint64, milliseconds longest, const std::stop_token& stop)
{
    if (!canListen()) {
        sleepFor(std::min(longest, askAgainEvery), stop);
        return {};
    }
    const auto told = m_connection.waitForNotification(longest, stop);
    if (!told && told.error().kind != ErrorKind::Cancelled)
        return Failure(told.error());
    return {};
}

// --- Application locks -------------------------------------------------------------------------------------

/// A standby has advisory locks of its own, which nobody on the primary or on another standby respects.
Result<void> PostgresLockBackend::checkApplicationLocks()
{
    if (m_isPrimary)
        return {};
    const auto asked = m_connection.execute(db::Statement::get("postgres/app_locks/on_standby"), {},
        [this](const db::Row& row) { m_isPrimary = !row.boolean(0); });
    if (!asked)
        return Failure(asked.error());
    if (m_isPrimary)
        return {};
    Failure refused = failure(ErrorKind::Unsupported,
        QStringLiteral(
            "This server is a standby: its application locks exclude nobody who works on the primary."),
        QStringLiteral("Connect to the primary, for example with target_session_attrs=read-write and both "
                       "hosts in the URL."));
    refused.value().server = m_connection.url().display();
    return refused;
}

Result<Outcome> PostgresLockBackend::lockApplication(
    const AcquireRequest& request, const std::stop_token& stop)
{
    const AppLockSql& sql = AppLockSql::get(request.owner, request.mode);
    const bool waits = request.wait != milliseconds(0);
    Outcome outcome = Outcome::Denied;
    const std::array items{waits
            ? db::BatchItem{&sql.wait, {request.name, lockTimeout(inMilliseconds(request.wait))},
                [&outcome](const db::Row& row) {
                    outcome = row.int64(0) != 0 ? Outcome::GrantedAfterWait : Outcome::Granted;
                }}
            : db::BatchItem{&sql.tryOnce, {request.name}, [&outcome](const db::Row& row) {
                                outcome = row.boolean(0) ? Outcome::Granted : Outcome::Denied;
                            }}};
    const db::BatchItem& asked = items.front();
    Result<void> result;
    if (waits && m_connection.inTransaction()) {
        if (auto done = runInSavepoint(m_connection, items, {}, stop); !done)
            result = Failure(done.error());
    } else {
        // One that must not wait is too short for a cancel: an answer is better than an aborted transaction.
        if (auto done = m_connection.execute(
                *asked.statement, asked.params, asked.sink, waits ? stop : std::stop_token());
            !done)
            result = Failure(done.error());
    }
    if (!result) {
        if (m_connection.isOpen())
            if (auto undone = undoApplication(request, sql, isGranted(outcome)); !undone)
                return Failure(undone.error());
        return endOfWait(result.error(), stop);
    }
    if (isGranted(outcome) && request.owner == LockOwner::Session)
        ++m_counts[{request.name, request.mode}];
    return outcome;
}

/// A wait that was interrupted in the very moment of its grant may have left the session's lock behind: no
/// savepoint takes that back.
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
    if (!undone)
        return Failure(undone.error());
    return {};
}

Result<bool> PostgresLockBackend::unlockApplication(const AcquireRequest& request)
{
    bool wasHeld = false;
    const auto result = m_connection.execute(AppLockSql::get(LockOwner::Session, request.mode).release,
        {request.name}, [&wasHeld](const db::Row& row) { wasHeld = row.boolean(0); });
    if (!result)
        return Failure(result.error());
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
        name, [](const QString& text) { return text.toUtf8().size(); }, longestIdentifier, "bytes");
}

Result<void> PostgresLockBackend::prepareSurrogate(LockKind kind, const QString& name)
{
    return kind == LockKind::LockedTable ? prepareTable(name) : prepareKey(name);
}

Result<Outcome> PostgresLockBackend::lockSurrogate(
    LockKind kind, const QString& name, milliseconds wait, const std::stop_token& stop)
{
    return kind == LockKind::LockedTable ? lockTable(name, wait, stop) : lockKey(name, wait, stop);
}

const PostgresLockBackend::TableSql& PostgresLockBackend::tableSql(const QString& name)
{
    const auto known = m_tableSql.find(name);
    if (known != m_tableSql.end())
        return known->second;
    if (m_tableSql.size() >= mostStatementsKept)
        m_tableSql.clear();
    const std::pair<L, QString> table(L("table"), tableOf(name));
    return m_tableSql
        .emplace(name,
            TableSql{db::Statement::filled("postgres/surrogates/table_try", {table}),
                db::Statement::filled("postgres/surrogates/table_wait", {table})})
        .first->second;
}

Result<Outcome> PostgresLockBackend::lockTable(
    const QString& name, milliseconds wait, const std::stop_token& stop)
{
    const TableSql& sql = tableSql(name);
    const std::array tryOnce{db::BatchItem{&sql.tryOnce, {}, {}}};
    // Too short for a cancel: an answer is better.
    const auto tried = runInSavepoint(m_connection, tryOnce);
    if (tried)
        return Outcome::Granted;
    if (!db::Dialect::isLockTimeout(tried.error()))
        return endOfWait(tried.error(), stop);
    if (wait == milliseconds(0))
        return Outcome::Denied;
    const std::array waiting{db::BatchItem{&sql.wait, {}, {}}};
    if (auto waited = runInSavepoint(m_connection, waiting, lockTimeout(inMilliseconds(wait)), stop); !waited)
        return endOfWait(waited.error(), stop);
    return Outcome::GrantedAfterWait;
}

const PostgresLockBackend::KeySql& PostgresLockBackend::keySql()
{
    if (!m_keySql)
        m_keySql.emplace(KeySql{ofKeys("postgres/surrogates/key_try"), ofKeys("postgres/surrogates/key_add"),
            ofKeys("postgres/surrogates/key_wait"), ofKeys("postgres/surrogates/key_nowait"),
            ofKeys("postgres/surrogates/key_holder")});
    return *m_keySql;
}

Result<void> PostgresLockBackend::prepareKey(const QString& key)
{
    if (auto begun = m_connection.begin(); !begun)
        return begun;
    const std::array items{db::BatchItem{&keySql().add, {key}, {}}};
    const auto made = runInSavepoint(m_connection, items, lockTimeout(hardlyAnyWait.count()));
    auto ended = m_connection.commit();
    // Somebody is just making it, or has it: whoever acquires it will wait for him.
    if (!made && made.error().kind != ErrorKind::Timeout)
        return Failure(made.error());
    return ended;
}

Result<Outcome> PostgresLockBackend::lockKey(
    const QString& key, milliseconds wait, const std::stop_token& stop)
{
    const KeySql& sql = keySql();
    // No row: somebody has it, or it is not there yet.
    const auto tried = m_connection.execute(sql.tryOnce, {key});
    if (!tried)
        return endOfWait(tried.error(), stop);
    if (*tried == 1)
        return Outcome::Granted;
    const bool waits = wait != milliseconds(0);
    const std::array items{
        db::BatchItem{&sql.add, {key}, {}}, db::BatchItem{waits ? &sql.wait : &sql.noWait, {key}, {}}};
    const auto locked = runInSavepoint(m_connection, items,
        lockTimeout(inMilliseconds(waits ? wait : hardlyAnyWait)), waits ? stop : std::stop_token());
    if (!locked && !waits && db::Dialect::isLockTimeout(locked.error()))
        return Outcome::Denied;
    if (!locked)
        return endOfWait(locked.error(), stop);
    return locked->front() == 0 ? Outcome::GrantedAfterWait : Outcome::Granted;
}

std::optional<LockOwnerInfo> PostgresLockBackend::holderOf(LockKind kind, const QString& name)
{
    const db::Statement& asked = kind == LockKind::LockedKey ? keySql().holder
        : kind == LockKind::LockedTable ? db::Statement::get("postgres/surrogates/table_holder")
                                        : db::Statement::get("postgres/app_locks/holder");
    std::optional<LockOwnerInfo> holder;
    (void)m_connection.execute(
        asked, {kind == LockKind::LockedTable ? tableOf(name) : name}, [&holder](const db::Row& row) {
            holder = LockOwnerInfo{row.text(0), row.text(1), row.text(2), 0, SessionId{row.int64(3)}};
        });
    return holder;
}

Result<std::vector<GrantPtr>> PostgresLockBackend::lostSessions(
    std::span<const GrantPtr> watched, const std::stop_token& stop)
{
    QJsonArray asked;
    for (const GrantPtr& grant : watched)
        asked.append(
            QJsonObject{{QStringLiteral("id"), asked.size()}, {QStringLiteral("pid"), grant->session.value},
                {QStringLiteral("started"), grant->sessionStarted.us}});
    return lostOf(watched, asked, "locks/live_sessions", stop);
}

} // namespace lockscope::locks
