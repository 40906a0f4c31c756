// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/DoubleLockTable.h"
#include "tests/support/tds/DoubleSessions.h"
#include "tests/support/tds/TdsServer.h"

#include <memory>

namespace lockscope::test::tds {

/// Answers the statements of administration: acts on the double's sessions and lock table, keeps an audit.
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
    /// A lock table that was there before Lockscope; by its quoted name.
    struct AttachedRow {
        QString table;
        QString name;
        QString time; ///< as CONVERT with style 121 writes it
        qint64 timeUs = 0;
    };
    /// The state, for the server's thread: see change().
    struct State {
        explicit State(DoubleClock clock)
            : table(std::move(clock))
        {
        }
        DoubleSessions sessions;
        DoubleLockTable table;
        std::vector<AttachedRow> attached;
        QStringList unitsOfWork; ///< of orphaned distributed transactions
        std::vector<Audit> audit; ///< in the order of their ids
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
    std::vector<Audit> audit();
    QStringList killed(); ///< what was given to KILL

private:
    TdsServer& m_server;
    std::shared_ptr<State> m_state;
};

} // namespace lockscope::test::tds
