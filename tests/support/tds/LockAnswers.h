// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/ScriptAnswers.h"

#include <set>

namespace lockscope::test::tds {

/// Answers what takes locks: the schema's procedures and application locks as schema/sqlserver has them, what
/// locking hints do as the double understands them. Lives on the server's thread once it is made; the
/// functions here may be called from any other. Must outlive its server.
class LockAnswers {
public:
    /// `keepsHints` is false for a server that takes locking hints and ignores them.
    explicit LockAnswers(TdsServer& server, bool keepsHints = true);

    QStringList registeredNames();
    // These may be called on the server's thread only:
    DoubleLocks& applicationLocks() { return m_appLocks; }
    /// The locked tables and rows.
    const DoubleLocks& surrogateLocks() const { return m_rows; }
    /// The database was dropped.
    void forget(const QString& database);

private:
    void answerSurrogates();
    void answerProofs();
    ViewTables& tables(const QString& database);

    void lockSurrogate(const Request& request, Reply& reply, const QString& what, bool mayWait);
    void lockRow(const Session& session, const QString& what, std::chrono::milliseconds timeout,
        DoubleLocks::Answer answer);

    TdsServer& m_server;
    const bool m_keepsHints;
    std::map<QString, std::unique_ptr<ViewTables>> m_tables; ///< by database
    DoubleLocks m_appLocks;
    DoubleLocks m_rows; ///< locked tables and rows
    ScriptAnswers m_scripts;
    std::map<std::pair<int, QString>, DoubleLocks::Key>
        m_savepoints; ///< what was locked since, by session and name
    std::set<std::pair<QString, QString>> m_surrogateTables; ///< by database and quoted name
};

} // namespace lockscope::test::tds
