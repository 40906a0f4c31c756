// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/locks/LockBackend.h"

namespace lockscope::locks {

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

} // namespace lockscope::locks
