// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Id.h"
#include "core/base/ServerTime.h"

#include <QString>

#include <optional>

namespace lockscope {

enum class SessionState : quint8 {
    Unknown,
    Active,
    Idle,
    IdleInTransaction,
    IdleInFailedTransaction,
    RollingBack,
    Background, ///< a worker of the server itself
    Hidden, ///< we lack the permission to see it
};
QString sessionStateName(SessionState state); ///< "idle in transaction" …
/// "1.5 MB", for people: 1 kB is 1,024 bytes.
QString byteCountText(qint64 bytes);

/// Identifies a session for good: servers use the number again, but not with the same login time.
struct SessionKey {
    SessionId id;
    ServerTime started;

    auto operator<=>(const SessionKey&) const = default;
};
inline size_t qHash(const SessionKey& key, size_t seed = 0) noexcept
{
    return qHashMulti(seed, key.id.value, key.started.us);
}

/// Stands for the holder of a lock where the server shows that the lock is held, but not by which session.
/// No server uses this id.
inline constexpr SessionId unidentifiedHolder{-6};

/// Work that the server has done for a session, as far as the engine counts it.
struct SessionWork {
    std::optional<milliseconds> cpu;
    std::optional<qint64> logicalReads; ///< pages, from memory or disk
    std::optional<qint64> reads; ///< pages from disk
    std::optional<qint64> writes; ///< pages

    bool operator==(const SessionWork&) const = default;
};

/// A session of the server as one snapshot shows it. Times are by the server's clock; an empty text, an empty
/// optional and an invalid id mean that the engine does not give the value.
struct Session {
    SessionId id;
    /// Login time, as the server gives it: with `id` it identifies this session and no later one. Show
    /// loggedIn() instead.
    ServerTime started;
    microseconds startedAhead{0}; ///< `started` minus UTC: SQL Server gives its local time
    SessionState state = SessionState::Unknown;
    QString user;
    QString database;
    QString program;
    QString host; ///< name or address; "local" for a unix socket
    QString statement; ///< the running one, or the last one if idle
    bool statementVisible = true; ///< false: hidden from our role
    QString waitEvent; ///< "Lock: transactionid", "Client: ClientRead"
    std::optional<ServerTime> stateSince;
    std::optional<ServerTime> transactionStarted;
    std::optional<ServerTime> statementStarted;
    SessionId leader; ///< the leader of a parallel group; invalid if none
    std::optional<double> percentDone; ///< 0 to 100, of a rollback or a long command
    std::optional<milliseconds> timeLeft; ///< its estimated rest
    /// SQL Server: a distributed transaction that lost its session; only this name ends it. `id` is negative.
    QString unitOfWork;
    SessionWork workSinceLogin; ///< of the statements that have ended
    SessionWork workOfStatement; ///< of the running statement, so far
    std::optional<qint64> openTransactions; ///< the depth of nested transactions; 0 = none is open
    std::optional<qint64> memoryGrant; ///< bytes, of the running statement
    std::optional<qint64> logUsed; ///< bytes that its open transaction has put into the log
    std::optional<qint64> transactionId; ///< PostgreSQL: it has one once it has written
    std::optional<qint64> snapshotAge; ///< PostgreSQL: in transactions, whose dead rows vacuum must keep
    QString isolation; ///< "read committed"; empty where the engine does not give it
    QString address; ///< of the client's machine, also where `host` is a name
    std::optional<qint64> clientProcess; ///< SQL Server: the client's process id, as its driver sent it
    QString waitResource; ///< the resource of a wait that is not for a lock: "dbo.orders page 5:1:4711"
    /// The client's last command, as it was sent; read only for a sleeping session that blocks others.
    QString inputBuffer;
    /// For a session that blocks others and waited itself before: the last poll that saw it wait, and the
    /// name of the resource that it waited for.
    std::optional<ServerTime> waitedUntil;
    QString waitedFor;
    bool own = false; ///< one of this monitor's own connections: excluded from views by default
    bool system = false; ///< not a user's session: may never be ended

    SessionKey key() const { return {id, started}; }
    ServerTime loggedIn() const { return started.isValid() ? started - startedAhead : started; }
    bool operator==(const Session&) const = default;
};

} // namespace lockscope
