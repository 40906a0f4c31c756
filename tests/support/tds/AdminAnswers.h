// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/DoubleSessions.h"
#include "tests/support/tds/ScriptAnswers.h"

#include <memory>

namespace lockscope::test::tds {

/// Answers the statements of administration by running them: on the double's sessions, lock table and audit.
class AdminAnswers {
public:
    struct Audit {
        qint64 id = 0;
        QString who;
        QString origin;
        QString act;
        QString target;
        QString reason;
        QString before;
        QString outcome;
    };
    /// A row of the lock table.
    struct Entry {
        struct Person {
            QString owner;
            QString host;
            QString program;
            qint64 processId = 0;
            int session = 0;
        };
        QString name;
        QString token;
        qint64 fencing = 0;
        qint64 acquiredUs = 0;
        qint64 expiresUs = 0;
        Person holder;
    };
    class Entries {
    public:
        explicit Entries(ViewTables& tables)
            : m_tables(tables)
        {
        }
        /// Puts an entry there, as an older program or another machine would have left it.
        void put(const Entry& entry);
        bool entry(const QString& name) const; ///< whether there is one

    private:
        ViewTables& m_tables;
    };
    /// The state, for the server's thread: see change().
    struct State {
        explicit State(TdsServer& server);
        ViewTables tables;
        DoubleSessions sessions;
        Entries table;
        DoubleLocks appLocks;
        QStringList strangersTriggers; ///< of every user's table
        QStringList unitsOfWork; ///< of orphaned distributed transactions
        bool auditInstalled = true;
        bool auditClosed = false; ///< nobody may write it
        bool mayKill = true;
        int workToUndo =
            0; ///< percent done of the rollback that a session killed from now on begins with; 0 = none
        qint64 nowUs = 0; ///< 0 = this computer's clock
        QStringList killed;
    };

    /// Clients that log in are in the list of sessions, too.
    explicit AdminAnswers(TdsServer& server);

    /// Looks at the state or changes it, on the server's thread.
    void change(const std::function<void(State&)>& change);
    std::vector<Audit> audit(); ///< in the order of their ids
    QStringList killed(); ///< what was given to KILL

private:
    void followSessions(); ///< keeps the list of them
    void answerStatements();

    TdsServer& m_server;
    std::shared_ptr<State> m_state;
    std::shared_ptr<ScriptAnswers> m_scripts;
};

} // namespace lockscope::test::tds
