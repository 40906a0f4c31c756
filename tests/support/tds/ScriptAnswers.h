// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/DoubleLocks.h"
#include "tests/support/tds/Fiber.h"
#include "tests/support/tds/TdsServer.h"
#include "tests/support/tds/TsqlScript.h"

namespace lockscope::test::tds {

/// Answers statements of schema/, and calls of its procedures, by running their text on tables. Application
/// locks are the server's own. Lives on the server's thread and must outlive its server.
class ScriptAnswers {
public:
    struct Surroundings {
        std::function<ViewTables&(const Session&)> tables; ///< as they are for this session right now
        std::function<qint64()> nowUs; ///< UTC
        /// The answer of KILL: a refusal, a progress report, or nothing.
        std::function<std::optional<ServerMessage>(const Session&, const QString& target)> kill = {};
        /// The error for a session that may not call a procedure.
        std::function<std::optional<ServerMessage>(const QString& procedure)> refuse = {};
        /// HAS_PERMS_BY_NAME: no value for what is not there; no function: anything
        std::function<std::optional<bool>(const QString& right)> mayDo = {};
    };
    ScriptAnswers(TdsServer& server, DoubleLocks& locks, Surroundings surroundings);

    void answer(const char* schemaPath);
    void answerProcedure(const QString& name);

private:
    /// A script that runs.
    struct Call {
        std::shared_ptr<Session> session;
        std::shared_ptr<Reply> reply;
        DoubleLocks::Ticket ticket = 0; ///< that it waits for
    };
    void run(const Request& request, Reply& reply);
    tsql::ScriptHost hostFor(const std::shared_ptr<Call>& call, Fiber& fiber);
    int getAppLock(Call& call, Fiber& fiber, const tsql::Arguments& arguments);
    int releaseAppLock(const Call& call, Fiber& fiber, const tsql::Arguments& arguments);
    Value appLock(const Session& session, const QString& principal, const QString& name, const QString& mode,
        const QString& owner) const;

    TdsServer& m_server;
    DoubleLocks& m_locks;
    const Surroundings m_surroundings;
    qint64 m_lastNumber = 0; ///< of the sequence
};

} // namespace lockscope::test::tds
