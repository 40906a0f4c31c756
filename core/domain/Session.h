// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Id.h"
#include "core/domain/ServerTime.h"

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

struct SessionKey {
    SessionId id;
    ServerTime started;

    auto operator<=>(const SessionKey&) const = default;
};
inline size_t qHash(const SessionKey& key, size_t seed = 0) noexcept
{
    return qHashMulti(seed, key.id.value, key.started.us);
}

/// Stands for whoever holds a lock on a server that tells that it is held, but not by whom. No server uses
/// this id.
inline constexpr SessionId untoldHolder{-6};

struct Session {
    SessionId id;
    /// Login time, as the server tells it: with `id` it names this session and no later one. To be shown it
    /// is loggedIn().
    ServerTime started;
    microseconds startedAhead{0}; ///< SQL Server tells local time, which is ahead of UTC by so much
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
    std::optional<double> percentDone; ///< of a rollback under way, where the engine tells
    std::optional<milliseconds> timeLeft; ///< its estimated rest
    /// SQL Server: a distributed transaction that lost its session; only this name ends it. `id` is negative.
    QString unitOfWork;
    bool own = false; ///< one of this monitor's own connections: excluded from views by default
    bool system = false; ///< not a user's session: may never be ended

    SessionKey key() const { return {id, started}; }
    ServerTime loggedIn() const { return started.isValid() ? started - startedAhead : started; }
    bool operator==(const Session&) const = default;
};

} // namespace lockscope
