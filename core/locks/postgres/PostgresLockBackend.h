// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/locks/LockBackend.h"

#include <chrono>
#include <map>

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

} // namespace lockscope::locks
