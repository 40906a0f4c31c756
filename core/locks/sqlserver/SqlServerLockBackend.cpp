// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/sqlserver/SqlServerLockBackend.h"

#include "core/base/SleepFor.h"
#include "core/db/sqlserver/SqlServerConnection.h"

#include <QUuid>

#include <algorithm>

namespace lockscope::locks {

using Steady = std::chrono::steady_clock;

namespace {

constexpr milliseconds lookEvery{100}; ///< where nothing wakes a waiter of the lock table
constexpr milliseconds askAgainAfter{50}; ///< on Babelfish, for an application lock
/// Longer identifiers are cut silently (Microsoft's documentation, "Database Identifiers").
constexpr qsizetype longestIdentifier = 128;

/// What sp_getapplock returns, and so do the statements of surrogates.
enum Code {
    GrantedAtOnce = 0,
    GrantedAfterWaiting = 1,
    TimedOut = -1,
    Cancelled = -2,
    DeadlockVictim = -3,
    Refused = -999
};

QString modeName(AcquireMode mode)
{
    switch (mode) {
    case AcquireMode::Exclusive:
        return QStringLiteral("Exclusive");
    case AcquireMode::Shared:
        return QStringLiteral("Shared");
    case AcquireMode::Update:
        return QStringLiteral("Update");
    case AcquireMode::IntentShared:
        return QStringLiteral("IntentShared");
    case AcquireMode::IntentExclusive:
        break;
    }
    return QStringLiteral("IntentExclusive");
}

QString ownerName(LockOwner owner)
{
    return owner == LockOwner::Transaction ? QStringLiteral("Transaction") : QStringLiteral("Session");
}

Failure cancelled()
{
    return failure(ErrorKind::Cancelled, QStringLiteral("The wait was cancelled."));
}

} // namespace

// --- The lock table ----------------------------------------------------------------------------------------

LockBackend::Waiting SqlServerLockBackend::waitingOf(const Attempt& attempt) const
{
    return {qint64(attempt.patience.count()),
        attempt.ticket == newcomer ? db::Param(std::monostate()) : db::Param(attempt.ticket)};
}

Result<void> SqlServerLockBackend::waitForTurn(
    const QString&, qint64, milliseconds longest, const std::stop_token& stop)
{
    sleepFor(std::min(longest, lookEvery), stop);
    return {};
}

// --- Application locks -------------------------------------------------------------------------------------

Result<LockBackend::Locked> SqlServerLockBackend::lockApplication(
    const AcquireRequest& request, const std::stop_token& stop)
{
    const bool waits = request.wait != milliseconds(0);
    const bool waitsByItself = !db::SqlServerConnection::factsOf(m_connection).isOtherEngine();
    qint64 code = Refused; // may have come before an error
    const auto result = waitsByItself ? askForApplication(request, inMilliseconds(request.wait), stop, code)
                                      : askAgainAndAgain(request, stop, code);

    // Babelfish keeps a lock of a transaction until its end: who was faster than the cancel has it.
    const bool isForGood = !waitsByItself && request.owner == LockOwner::Transaction && code >= 0;
    if (waits && stop.stop_requested() && !isForGood) {
        if (!m_connection.isOpen())
            return Failure(result ? failure(ErrorKind::Connection, QStringLiteral("The connection is gone."))
                                  : Failure(result.error()));
        if (auto undone = undoApplication(request, code >= 0); !undone)
            return Failure(undone.error());
        return cancelled();
    }
    if (!result)
        return Failure(result.error());
    switch (code) {
    case GrantedAtOnce:
    case GrantedAfterWaiting:
        return Locked{true, code == GrantedAfterWaiting};
    case TimedOut:
        if (!waits)
            return Locked{};
        return failure(ErrorKind::Timeout, QStringLiteral("The wait was too long."));
    case Cancelled:
        return cancelled();
    case DeadlockVictim:
        return failure(ErrorKind::Deadlock, QStringLiteral("The wait was chosen to end a deadlock."));
    default:
        break;
    }
    return failure(ErrorKind::Server,
        QStringLiteral("sp_getapplock refused the lock \"%1\" (code %2).").arg(request.name).arg(code),
        QStringLiteral("Check that the principal \"%1\" exists and that this login is a member of it.")
            .arg(request.principal));
}

/// What the server answers becomes the code.
Result<qint64> SqlServerLockBackend::askForApplication(
    const AcquireRequest& request, qint64 timeout, const std::stop_token& stop, qint64& code)
{
    // One that must not wait is too short for a cancel: an answer is better.
    return m_connection.execute(
        db::Statement::get("sqlserver/app_locks/acquire"),
        {request.name, modeName(request.mode), ownerName(request.owner), timeout, request.principal},
        [&code](const db::Row& row) { code = row.int64(0); }, timeout == 0 ? std::stop_token() : stop);
}

/// Babelfish: a wait of the server's own could not be cancelled, and would not tell that it was one.
Result<qint64> SqlServerLockBackend::askAgainAndAgain(
    const AcquireRequest& request, const std::stop_token& stop, qint64& code)
{
    const auto start = Steady::now();
    for (bool isFirst = true;; isFirst = false) {
        auto asked = askForApplication(request, 0, {}, code);
        if (code == GrantedAtOnce && !isFirst)
            code = GrantedAfterWaiting;
        const bool isOver = request.wait.count() >= 0 && Steady::now() - start >= request.wait;
        if (!asked || code != TimedOut || isOver || !sleepFor(askAgainAfter, stop))
            return asked;
    }
}

/// A wait that was interrupted in the very moment of its grant may have left the lock behind. What was held
/// before stays.
Result<void> SqlServerLockBackend::undoApplication(const AcquireRequest& request, bool isTaken)
{
    // The server may have ended the transaction with the cancel, and the lock with it.
    const bool isTransaction = request.owner == LockOwner::Transaction;
    const auto undone = m_connection.execute(
        db::Statement::get(isTaken ? "sqlserver/app_locks/release" : "sqlserver/app_locks/undo"),
        {request.name, ownerName(request.owner), request.principal});
    if (!undone && !(isTransaction && m_connection.isOpen()))
        return Failure(undone.error());
    return {};
}

Result<bool> SqlServerLockBackend::unlockApplication(const AcquireRequest& request)
{
    bool wasHeld = false;
    const auto result = m_connection.execute(db::Statement::get("sqlserver/app_locks/release"),
        {request.name, ownerName(LockOwner::Session), request.principal},
        [&wasHeld](const db::Row& row) { wasHeld = row.boolean(0); });
    if (!result)
        return Failure(result.error());
    return wasHeld;
}

QString SqlServerLockBackend::sessionLivenessLock()
{
    if (m_mark)
        return *m_mark;
    const QString wanted =
        QStringLiteral("lockscope session ") + QUuid::createUuid().toString(QUuid::WithoutBraces);
    qint64 answer = -1;
    const auto marked = m_connection.execute(db::Statement::get("sqlserver/locks/mark"), {wanted},
        [&answer](const db::Row& row) { answer = row.int64(0); });
    m_mark = marked && answer >= 0 ? wanted : QString();
    return *m_mark;
}

// --- Surrogates --------------------------------------------------------------------------------------------

std::optional<Error> SqlServerLockBackend::refuseSurrogate(LockKind kind, const QString& name) const
{
    if (kind == LockKind::LockedTable)
        if (auto refused = refuseTableOf(
                name, [](const QString& text) { return text.size(); }, longestIdentifier, "characters"))
            return refused;
    if (!name.endsWith(u' '))
        return std::nullopt;
    return failure(ErrorKind::BadInput, QStringLiteral("The lock name \"%1\" ends with a space.").arg(name),
        QStringLiteral("SQL Server compares names without spaces at their end: it would be the same lock as "
                       "the name without."))
        .value();
}

Result<void> SqlServerLockBackend::prepareSurrogate(LockKind kind, const QString& name)
{
    if (kind == LockKind::LockedTable)
        return prepareTable(name);
    if (auto made = m_connection.execute(ofKeys("sqlserver/surrogates/key_add"), {name}); !made)
        return Failure(made.error());
    return {};
}

Result<LockBackend::Locked> SqlServerLockBackend::lockSurrogate(
    LockKind kind, const QString& name, milliseconds wait, const std::stop_token& stop)
{
    using L = QLatin1StringView;
    const bool waits = wait != milliseconds(0);
    // SET LOCK_TIMEOUT takes no parameter.
    const std::pair<L, QString> timeout(L("timeout"), QString::number(inMilliseconds(wait)));
    const db::Dialect& dialect = m_connection.dialect();
    const auto statement = kind == LockKind::LockedTable
        ? db::Statement::filled("sqlserver/surrogates/table_lock", {{L("table"), tableOf(name)}, timeout})
        : db::Statement::filled("sqlserver/surrogates/key_lock",
            {{L("table"), dialect.quoted(m_surrogates.schema, m_surrogates.keyTable)},
                {L("key"), dialect.quoted(m_surrogates.keyColumn)}, timeout});
    const QString savepoint = QStringLiteral("lockscope %1").arg(++m_waits);
    std::vector<db::Param> params;
    if (kind == LockKind::LockedKey)
        params.emplace_back(name);
    params.emplace_back(waits);
    params.emplace_back(savepoint);
    qint64 code = TimedOut;
    const auto result = m_connection.execute(
        statement, std::span<const db::Param>(params), [&code](const db::Row& row) { code = row.int64(0); },
        waits ? stop : std::stop_token());
    if (waits && stop.stop_requested()) {
        // The server may have ended the transaction with the cancel, and the lock with it.
        if (m_connection.isOpen() && m_connection.inTransaction())
            (void)m_connection.execute(db::Statement::get("sqlserver/surrogates/undo"), {savepoint});
        return cancelled();
    }
    if (!result)
        return Failure(result.error());
    if (code < 0 && waits)
        return failure(ErrorKind::Timeout, statement.whatFailed());
    return Locked{code >= 0, code == GrantedAfterWaiting};
}

} // namespace lockscope::locks
