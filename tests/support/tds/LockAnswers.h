// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/DoubleLockTable.h"
#include "tests/support/tds/DoubleLocks.h"
#include "tests/support/tds/TdsServer.h"

namespace lockscope::test::tds {

/// Answers schema/sqlserver/locks/: what the schema's procedures, application locks and locking hints do, as
/// the double understands them. Lives on the server's thread once it is made; the functions here may be
/// called from any other. Must outlive its server.
class LockAnswers {
public:
    /// `keepsHints` is false for a server that takes locking hints and ignores them.
    explicit LockAnswers(TdsServer& server, bool keepsHints = true);

    QStringList registeredNames();
    // On the server's thread only:
    DoubleLockTable& table(const QString& database);
    DoubleLocks& applicationLocks() { return m_appLocks; }
    /// Of locked tables and rows.
    const DoubleLocks& surrogateLocks() const { return m_rows; }
    /// The database was dropped.
    void forget(const QString& database);

private:
    struct Waiting {
        QString database;
        DoubleLockTable::Request request;
        std::shared_ptr<Reply> reply;
    };

    DoubleClock clock();
    void answerTable();
    void answerAppLocks();
    void answerSurrogates();
    void answerProofs();
    void answerProcedures();

    void acquire(const Request& request, Reply& reply);
    void lookAgain(const QString& database, const QString& name);
    void timeOut(quint64 id);
    void answerOutcome(Reply& reply, const DoubleLockTable::Outcome& outcome, int code);

    void appAcquire(const Request& request, Reply& reply);
    void appAcquireProcedure(const Request& request, Reply& reply);
    QString heldMode(int session, DoubleLocks::Owner owner, const DoubleLocks::Key& key) const;
    void lockSurrogate(const Request& request, Reply& reply, const QString& what, bool mayWait);
    void lockRow(const Session& session, const QString& what, std::chrono::milliseconds timeout,
        DoubleLocks::Answer answer);

    TdsServer& m_server;
    const bool m_keepsHints;
    std::map<QString, DoubleLockTable> m_tables; ///< by database
    DoubleLocks m_appLocks;
    DoubleLocks m_rows; ///< locked tables and rows
    std::map<quint64, Waiting> m_waiting; ///< for lock-table names, in the order of their calls
    quint64 m_lastWaiting = 0;
    QHash<int, QString> m_modeBefore; ///< of a session's latest sp_getapplock
    std::map<std::pair<int, QString>, DoubleLocks::Key>
        m_savepoints; ///< what was locked since, by session and name
    QStringList m_names;
    std::set<std::pair<QString, QString>> m_surrogateTables; ///< by database and quoted name
};

} // namespace lockscope::test::tds
