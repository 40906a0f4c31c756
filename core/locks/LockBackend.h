// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/locks/WatchedGrant.h"

#include <QJsonArray>

#include <limits>
#include <span>

namespace lockscope::locks {

/// The locks of one engine, one step at a time, for LockStrategy: that has checked what is asked for. Bound
/// to the thread of its connection, which must outlive it.
class LockBackend {
public:
    static std::unique_ptr<LockBackend> create(db::Connection& connection, Surrogates surrogates = {});
    virtual ~LockBackend() = default;
    Q_DISABLE_COPY_MOVE(LockBackend)

    db::Connection& connection() const { return m_connection; }

    // The lock table. Unless an engine overrides it, a routine of the schema (PostgreSQL's functions, SQL
    // Server's procedures) does each step in one round trip.

    /// The ticket of a new waiter: behind all others.
    static constexpr qint64 newcomer = std::numeric_limits<qint64>::max();

    struct Taken {
        qint64 fencing = 0;
        ServerTime acquiredAt;
        ServerTime expiresAt;
    };
    struct Answer {
        std::optional<Taken> taken;
        qint64 ticket = newcomer; ///< our place in the queue, if we wait
        microseconds obstacleLasts{0}; ///< until the holder's lease or the first waiter's registration ends
        std::optional<LockOwnerInfo> heldBy;
        bool hadToWait = false; ///< within the attempt
        bool isVictim = false; ///< the server broke a circle of waiters here
    };
    struct Attempt {
        const AcquireRequest& request;
        const QString& token;
        bool waits = false;
        qint64 ticket = newcomer;
        /// The time that it may still wait, for servers that wait within the attempt (−1 = for ever).
        milliseconds patience{0};
    };

    /// Atomic: takes the name if nobody has it and no live waiter is ahead; else queues us, or keeps our
    /// place, if we wait.
    virtual Result<Answer> attempt(const Attempt& attempt, const std::stop_token& stop);
    /// Gives back whatever an attempt may have left: registration and grant. The next waiter gets its turn.
    virtual Result<void> leave(const QString& name, const QString& token, qint64 ticket);
    /// Returns when it may be our turn, after `longest`, or soon after `stop`.
    virtual Result<void> waitForTurn(
        const QString& name, qint64 ticket, milliseconds longest, const std::stop_token& stop) = 0;
    /// Changed if the row is not ours any more.
    virtual Result<void> release(const QString& name, const QString& token, const std::stop_token& stop);
    /// Returns for how long somebody has had the name; nothing if nobody has it.
    Result<std::optional<microseconds>> ageOfEntry(const QString& name);
    /// The new end of the lease. Changed if the row is not ours any more.
    Result<ServerTime> renew(const QString& name, const QString& token, milliseconds lease);
    /// Returns the grants that have lost their row. One round trip.
    virtual Result<std::vector<GrantPtr>> lostEntries(
        std::span<const GrantPtr> watched, const std::stop_token& stop);

    // Locks that the server keeps for a session or a transaction, and waits for. Unsupported where an engine
    // has none. Without a grant nothing is held, and the transaction is as it was before, unless the engine
    // had to end it. What is no end of a wait stays an error: a statement that an operator has cancelled, or
    // that ran into its own time-out.

    /// Unsupported if this server's application locks exclude nobody.
    virtual Result<void> checkApplicationLocks() { return {}; }
    /// One round trip if the lock is free.
    virtual Result<Outcome> lockApplication(const AcquireRequest& request, const std::stop_token& stop);
    /// One release for one acquire of the session. False if the session does not hold it.
    virtual Result<bool> unlockApplication(const AcquireRequest& request);

    /// Returns nothing if the engine can keep a surrogate of this name apart from all others.
    virtual std::optional<Error> refuseSurrogate(LockKind kind, const QString& name) const;
    virtual Result<void> prepareSurrogate(LockKind kind, const QString& name);
    struct Locked {
        Locked(Outcome without) // NOLINT(google-explicit-constructor): what is not granted holds nothing
            : outcome(without)
        {
        }
        Locked(Outcome how, QString what, QString whose)
            : outcome(how)
            , thing(std::move(what))
            , transaction(std::move(whose))
        {
        }
        Outcome outcome;
        QString thing; ///< see HeldThing
        QString transaction;
    };
    virtual Result<Locked> lockSurrogate(
        LockKind kind, const QString& name, milliseconds wait, const std::stop_token& stop);

    /// Only a help for the reader of a refusal: nothing if it can't be found out.
    virtual std::optional<LockOwnerInfo> holderOf(LockKind, const QString&) { return std::nullopt; }
    /// PostgreSQL: by which `holdingTransaction` tells whether the lock that was granted last is still there,
    /// if it belongs to the transaction. A savepoint that is rolled back takes the lock and the mark with it.
    const QString& mark() const { return m_mark; }
    /// Returns the lock by which others see whether the session lives, where no view shows that to everybody.
    virtual QString sessionLivenessLock() { return {}; }
    /// The session and the transaction of the server's that this connection has right now.
    struct Holding {
        SessionId session;
        ServerTime started;
        ServerTime began; ///< the transaction
        QStringList marks; ///< of the locks that it has
    };
    /// Returns the transaction with its marks; to be called within one, on PostgreSQL. Else empty.
    virtual Result<Holding> holdingTransaction(const std::stop_token&) { return Holding(); }
    /// Returns the grants whose session is known to be gone, asked on another connection. One round trip.
    virtual Result<std::vector<GrantPtr>> lostSessions(std::span<const GrantPtr>, const std::stop_token&)
    {
        return std::vector<GrantPtr>();
    }

protected:
    LockBackend(db::Connection& connection, Surrogates surrogates);

    const db::Statement& statement(const char* file) const; ///< of this engine
    /// Asked once per connection, before anything in the schema is called.
    Result<void> usableSchema();
    /// Reads the blocker from the columns obstacle lasts, owner, host, program, process, session on; all are
    /// NULL if there is none.
    static void readObstacle(Answer& answer, const db::Row& row, int first);

    /// The parameters of locks/acquire about waiting.
    struct Waiting {
        db::Param wait;
        db::Param ticket;
        std::optional<db::Param> patience = {}; ///< PostgreSQL: for a lock of the server's, in ms
    };
    virtual Waiting waitingOf(const Attempt&) const { return {}; }

    /// Returns the outcome of a wait that the server ended with an error; or the error, if it has another
    /// cause.
    Result<Outcome> endOfWait(const Error& error, const std::stop_token& stop) const;
    static Result<Locked> asLocked(const Result<Outcome>& end);
    /// Asks about all in one statement, which is given `asked` as JSON and answers with the places of those
    /// in it that are there: the lost ones are the others.
    Result<std::vector<GrantPtr>> lostOf(std::span<const GrantPtr> watched, const QJsonArray& asked,
        const char* file, const std::stop_token& stop);

    QString tableOf(const QString& name) const; ///< to be locked, quoted
    /// MissingObject if the program's own table is not there: only the product's own are made.
    Result<void> prepareTable(const QString& name);
    /// A name that is longer, with the prefix, would be cut silently.
    std::optional<Error> refuseTableOf(const QString& name, qsizetype (*lengthOf)(const QString&),
        qsizetype longest, const char* unit) const;
    /// `path` with its places {table} and {key} filled in.
    db::Statement ofKeys(const char* path) const;
    /// A wait in milliseconds that fit into an int, −1 = for ever.
    static qint64 inMilliseconds(milliseconds wait);

    db::Connection& m_connection;
    const Surrogates m_surrogates;
    QString m_mark; ///< empty where no server keeps one
};

} // namespace lockscope::locks
