// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/EnumTable.h"
#include "core/db/Connection.h"
#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/domain/Snapshot.h"

#include <array>
#include <chrono>

namespace lockscope::monitor {

/// Knows which of SQL Server's views can be queried, and which right is missing where one can't: each by
/// itself, so that the others go on. A view that is closed to us, or not there, is tried again after some
/// seconds. Poll thread only.
class SqlServerProbes {
public:
    enum Probe : quint8 { LockMemory, WaitingTasks, Sessions, Requests, Connections, Transactions, Locks };

    /// Sets the server's facts and our rights; again after each isTimeToRetry().
    void setFacts(const db::SqlServerFacts& facts);
    const db::SqlServerFacts& facts() const { return m_facts; }
    /// Sets the names to which the server would have to grant: login, and user of the database.
    void setNames(const QString& quotedLogin, const QString& quotedUser);

    static const char* statementOf(Probe probe);
    bool isOpen(Probe probe) const;
    /// "sys.dm_tran_locks" …: those that were read the last time they were asked.
    QStringList viewsRead() const;
    /// True every few seconds while something is missing; to call at the beginning of a poll.
    bool isTimeToRetry();

    /// Keeps what the server answered. True if the poll can go on without this probe.
    bool judge(Probe probe, const Result<qint64>& result);
    /// Returns the statement that lets this login see what other sessions do, and the server's counters.
    QString stateGrant() const;
    /// The statement that gives this login a right.
    QString grantOf(const QString& right) const;
    /// Returns the statement that would allow to show the names of locked objects, in every database.
    QString namesGrant() const;
    /// Adds what is missing, one limitation for all missing rights and one for all missing views.
    void limit(Snapshot& snapshot) const;

private:
    enum class State : quint8 { Open, Forbidden, Missing, FailedOnce };
    using Clock = std::chrono::steady_clock;

    void closeWhatIsKnownToBeMissing();
    QString grant() const;
    QString listed(State state, QString (*text)(Probe)) const;

    db::SqlServerFacts m_facts;
    QString m_login;
    QString m_user;
    std::array<State, enumeratorCount<Probe>> m_states{};
    std::array<QString, enumeratorCount<Probe>> m_failures;
    Clock::time_point m_retriedAt = Clock::now();
};

} // namespace lockscope::monitor
