// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/Statement.h"
#include "core/locks/LockBackend.h"

#include <chrono>
#include <map>

namespace lockscope::db {
class SqliteConnection;
}

namespace lockscope::locks {

/// The statements of an application lock, for one owner and mode.
struct AppLockSql {
    db::Statement tryOnce;
    db::Statement wait;
    db::Statement release; ///< session owner only: the others end with their transaction
    db::Statement undo; ///< session owner only
    QString nativeMode; ///< as pg_locks shows it

    /// `mode` is Exclusive or Shared.
    static const AppLockSql& get(LockOwner owner, AcquireMode mode);
};

/// Lock table: waiters sleep until a notification names their ticket. Behind a pooler in transaction mode
/// they don't queue: they ask again and again, and the first to ask has it.
///
/// Application locks are advisory locks (documentation, chapter "Advisory Locks"), locked tables LOCK TABLE …
/// IN ACCESS EXCLUSIVE MODE, locked keys SELECT … FOR UPDATE of the key's row, which is made if it is not
/// there. A wait that fails never aborts the caller's transaction.
class PostgresLockBackend final : public LockBackend {
public:
    PostgresLockBackend(db::Connection& connection, Surrogates surrogates);

    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;

    Result<void> checkApplicationLocks() override;
    Result<Outcome> lockApplication(const AcquireRequest& request, const std::stop_token& stop) override;
    Result<bool> unlockApplication(const AcquireRequest& request) override;

    std::optional<Error> refuseSurrogate(LockKind kind, const QString& name) const override;
    Result<void> prepareSurrogate(LockKind kind, const QString& name) override;
    Result<Locked> lockSurrogate(
        LockKind kind, const QString& name, milliseconds wait, const std::stop_token& stop) override;
    std::optional<LockOwnerInfo> holderOf(LockKind kind, const QString& name) override;
    Result<Holding> holdingTransaction(const std::stop_token& stop) override;
    Result<std::vector<GrantPtr>> lostSessions(
        std::span<const GrantPtr> watched, const std::stop_token& stop) override;

private:
    struct TableSql {
        db::Statement tryOnce;
        db::Statement wait;
    };
    struct KeySql {
        db::Statement reach;
        db::Statement tryOnce;
        db::Statement add;
        db::Statement wait;
        db::Statement noWait;
        db::Statement holder;
    };

    bool canListen() const { return m_connection.dialect().can(db::Capability::Notifications); }
    db::BatchItem newMark();
    Result<Outcome> endOfAttempt(const Error& error, bool hasWaited, const std::stop_token& stop) const;
    Waiting waitingOf(const Attempt& attempt) const override;
    Result<void> undoApplication(const AcquireRequest& request, const AppLockSql& sql, bool isTaken);
    Result<void> prepareKey(const QString& key);
    Result<void> checkKeyTable();
    Result<qint64> tryKey(const db::BatchItem& tryOnce, const db::BatchItem& mark);
    Result<Locked> lockTable(const QString& name, milliseconds wait, const std::stop_token& stop);
    Result<Locked> lockKey(const QString& key, milliseconds wait, const std::stop_token& stop);
    const TableSql& tableSql(const QString& name);
    const KeySql& keySql();

    qint64 m_wokenFor = 0; ///< ticket
    std::chrono::steady_clock::time_point m_nextWake; ///< not before, for that ticket
    bool m_isPrimary = false; ///< known for sure; a primary never becomes a standby under a session
    /// Counts how often this connection holds a session-owned name, by name and mode.
    std::map<std::pair<QString, AcquireMode>, int> m_counts;
    std::map<QString, TableSql> m_tableSql; ///< by name
    std::optional<KeySql> m_keySql;
    bool m_isKeyUnique = false; ///< known for sure
};

/// Lock table: an attempt includes the whole wait: see AcquireLock in schema/sqlserver/install.sql for how a
/// waiter sleeps inside the server.
///
/// Application locks: sp_getapplock and sp_releaseapplock with all they offer (Microsoft's documentation of
/// both). Names are compared binary; the same name may be taken several times, in several modes. On Babelfish
/// (4.3) the wait is ours, which asks 20 times a second: in no order, and the server sees no deadlock; give
/// such waits a limit.
///
/// Locked tables: TABLOCKX, HOLDLOCK; locked keys: UPDLOCK, HOLDLOCK, ROWLOCK on the key's row, which is made
/// if it is not there. One statement tries and then waits, in one round trip. Their names are compared as the
/// database compares them.
///
/// A wait that ends without a grant leaves an open transaction alive, but a deadlock or a cancel may roll it
/// back: the server decides. The holder of a refused lock is not reported: finding it out means to enumerate
/// all locks of the server.
class SqlServerLockBackend final : public LockBackend {
public:
    SqlServerLockBackend(db::Connection& connection, Surrogates surrogates)
        : LockBackend(connection, std::move(surrogates))
    {
    }

    /// Only on servers that can't wait inside of a procedure.
    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;

    Result<Outcome> lockApplication(const AcquireRequest& request, const std::stop_token& stop) override;
    Result<bool> unlockApplication(const AcquireRequest& request) override;

    std::optional<Error> refuseSurrogate(LockKind kind, const QString& name) const override;
    Result<void> prepareSurrogate(LockKind kind, const QString& name) override;
    Result<Locked> lockSurrogate(
        LockKind kind, const QString& name, milliseconds wait, const std::stop_token& stop) override;
    /// Returns the name of an application lock that the session holds up to its end, a random one; no right
    /// is needed to see it. Taken with the first watched grant; empty if it could not be taken, and then
    /// nothing is known about the session.
    QString sessionLivenessLock() override;

    Result<std::vector<GrantPtr>> lostEntries(
        std::span<const GrantPtr> watched, const std::stop_token& stop) override;
    Result<std::vector<GrantPtr>> lostSessions(
        std::span<const GrantPtr> watched, const std::stop_token& stop) override;

private:
    Waiting waitingOf(const Attempt& attempt) const override;
    Result<qint64> askForApplication(
        const AcquireRequest& request, qint64 timeout, const std::stop_token& stop, qint64& code);
    Result<qint64> askAgainAndAgain(const AcquireRequest& request, const std::stop_token& stop, qint64& code);
    Result<std::vector<GrantPtr>> lostOfEach(std::span<const GrantPtr> watched, const char* file,
        std::vector<db::Param> (*paramsOf)(const WatchedGrant&), const std::stop_token& stop);
    Result<void> undoApplication(const AcquireRequest& request, bool isTaken);

    quint64 m_waits = 0; ///< so far, for surrogates: names the savepoints
    std::optional<QString> m_mark;
};

/// The uses of a server's locking hints that a strategy needs.
enum class Hint {
    UpdLock, ///< a row that was only read with it can't be read so by another session
    ReadPast, ///< and is skipped by a statement that asks for that
    TabLockX, ///< a table that was only read with it is nobody else's
};

/// Unsupported if the server takes the hint and ignores it: two sessions of our own try it out, once for each
/// server and program, on a table that the schema keeps in the database for that, else on a temporary one.
/// Servers of other kinds than SQL Server have statements of their own instead of hints: nothing is tried
/// there. Opens two connections; may block for their connect time-outs.
Result<void> testLockHint(const db::Connection& connection, Hint hint);

/// Each step is one write transaction of the file. SQLite can't wake anybody, so waiters poll the file's data
/// version. A registration lasts 2 s and is renewed at a third of that, without the cost of a commit that
/// survives a power failure. Another program that writes for long keeps nobody longer than he asked to wait:
/// an attempt that can't get at the file is one that was refused.
class SqliteLockBackend final : public LockBackend {
public:
    SqliteLockBackend(db::Connection& connection, Surrogates surrogates);

    Result<Answer> attempt(const Attempt& attempt, const std::stop_token& stop) override;
    Result<void> leave(const QString& name, const QString& token, qint64 ticket) override;
    Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) override;

private:
    class Patience;

    db::SqliteConnection& file() const;
    Result<Answer> attemptAtFile(const Attempt& attempt, const std::stop_token& stop);
    Result<Answer> attemptInTransaction(const Attempt& attempt, const std::stop_token& stop);
    Result<void> take(Answer& answer, const Attempt& attempt, const std::stop_token& stop);
    Result<qint64> keepPlace(const Attempt& attempt, const std::stop_token& stop);
    Result<void> findObstacle(
        Answer& answer, const QString& name, qint64 ticket, const std::stop_token& stop);
    /// Returns whether there still is a place to renew.
    Result<bool> giveSignOfLife(qint64 ticket, const std::stop_token& stop);
    struct Sight {
        bool mayBeOurTurn = false;
        std::optional<microseconds> obstacleLasts; ///< if somebody changed the file since it was `seen`
    };
    Result<Sight> checkTurn(
        const QString& name, qint64 ticket, std::optional<qint64>& seen, const std::stop_token& stop);
    Result<qint64> dataVersion(const std::stop_token& stop);

    QString m_token; ///< that the waiter will take the name with
    std::chrono::steady_clock::time_point m_renewed; ///< its place in the queue
    bool m_mayBeTaken = false; ///< the latest attempt may have left a row behind
};

} // namespace lockscope::locks
