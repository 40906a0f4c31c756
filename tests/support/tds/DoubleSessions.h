// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Tokens.h"

#include <functional>
#include <map>

namespace lockscope::test::tds {

/// The list of sessions, and KILL with its refusals. Not thread-safe: the server's thread.
class DoubleSessions {
public:
    struct Rollback {
        int percent = 0;
        int secondsLeft = 0;
    };
    struct Row {
        int id = 0;
        qint64 startedUs = 0; ///< login_time
        bool isUser = true; ///< is_user_process
        QString login = {};
        QString host = {};
        QString program = {};
        QString status = QStringLiteral("sleeping");
        int openTransactions = 0;
        std::optional<Rollback> rollback = {}; ///< it was killed and undoes its work
    };
    /// The answer of KILL: a refusal, a progress report, or nothing.
    using Word = std::optional<ServerMessage>;
    static constexpr int greatestId = 32'767;

    void add(const Row& row) { m_rows[row.id] = row; }
    void remove(int id) { m_rows.erase(id); }
    Row* find(int id);
    std::vector<Row> rows() const;

    /// A session that may not KILL gets 6102.
    void setMayKill(std::function<bool(int session)> mayKill) { m_mayKill = std::move(mayKill); }
    /// Ends the session, e.g. TdsServer::disconnect. A session that has work to undo stays in the list.
    void onKill(std::function<void(int session)> end) { m_end = std::move(end); }

    Word kill(int by, bool inTransaction, int target);
    Word killStatus(int by, int target);

private:
    Word refusal(int by, int target) const;

    std::map<int, Row> m_rows;
    std::function<bool(int)> m_mayKill;
    std::function<void(int)> m_end;
};

} // namespace lockscope::test::tds
