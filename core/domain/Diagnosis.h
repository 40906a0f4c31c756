// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope {

/// The reason why a session stands where it stands, and what gets it (and those behind it) going again. Pure:
/// derived from one snapshot, no clock of its own.
struct Diagnosis {
    enum class Kind : quint8 {
        NotSeen, ///< in the locks but not among the sessions: ended meanwhile
        Hidden, ///< our role may not see what it does
        PreparedTransaction, ///< locks without a session: a two-phase commit that nobody finished
        OrphanedTransaction, ///< SQL Server: a distributed transaction without a session
        ServerInternal, ///< SQL Server: deferred recovery, or a latch whose owner is unknown
        DeadlockCycle, ///< waits for itself by way of others
        Waiting, ///< waits for a lock of somebody else
        RollingBack,
        IdleInFailedTransaction,
        IdleInTransaction, ///< the client has the word and keeps its locks meanwhile
        IdleHoldingApplicationLock, ///< no transaction, but a session-level lock
        WaitingForClient, ///< the statement runs, but the client does not take the rows or send the data
        RunningLong, ///< works since longer than the threshold
        Running,
        Idle, ///< holds nothing that matters
        Background, ///< a worker of the server
    };
    Kind kind = Kind::NotSeen;
    milliseconds lasting{0}; ///< the time that it has been so; 0 if unknown
    QString summary{}; ///< one line: "idle in transaction for 6 min: nothing will happen until …"
    QString remedy{}; ///< a sentence or two: what resolves it

    /// `summary` without `lasting`, for where that stands beside it: "idle in transaction: nothing will …".
    QString withoutDuration() const;

    bool operator==(const Diagnosis&) const = default;
};

/// The act that gets those behind a session going, which Diagnosis::remedy explains.
enum class Cure : quint8 {
    Wait, ///< nothing is to be done from outside
    CancelStatement,
    EndSession,
    EndPrepared, ///< COMMIT PREPARED or ROLLBACK PREPARED: there is no session
    GetRights, ///< our role may not see what the session does
};
Cure cureOf(Diagnosis::Kind kind, Engine engine);

/// Diagnoses sessions of one snapshot, which must live as long: the requests are read once for all of them.
class Diagnoser {
public:
    explicit Diagnoser(const Snapshot& snapshot);
    /// `longRunning`: from when on a running statement is called long.
    Diagnosis of(SessionId session, milliseconds longRunning) const;

private:
    Diagnosis byItself(SessionId session, milliseconds longRunning) const;
    Diagnosis waiting(SessionId session) const;
    Diagnosis idle(const Session& session, milliseconds lasting) const;

    const Snapshot& m_snapshot;
    QHash<SessionId, const LockRequest*> m_longestWaits;
    QHash<SessionId, const LockRequest*> m_applicationLocks; ///< held; one that somebody waits for, if any
};

/// Diagnoses one session. Reads all requests: for several use a Diagnoser.
Diagnosis diagnose(const Snapshot& snapshot, SessionId session, milliseconds longRunning);

} // namespace lockscope
