// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"

namespace lockscope::monitor {

/// Details of single sessions that are requested only when they are first needed: the last command of a
/// sleeping blocker's client, and the owners of pages that are waited for. A few at once; known ones are not
/// requested again. Poll thread only.
class SqlServerDetails {
public:
    /// Sets what is going to be shown. `facts` say what this server can be asked.
    void request(const db::SqlServerFacts& facts, const SqlServerSessions& sessions,
        const std::vector<SqlServerWait>& waits);
    /// Returns look-ups for needed details that are unknown; empty in the steady state.
    std::vector<db::BatchItem> lookUps();
    void fillIn(std::vector<Session>& sessions) const;

private:
    struct InputBuffer {
        SleepingBlocker of;
        bool asked = false;
        QString text;
    };
    struct PageWait {
        SessionId session;
        SqlServerPage page;
    };

    std::vector<InputBuffer> m_inputBuffers; ///< of the blockers of this poll
    std::vector<PageWait> m_pageWaits; ///< of this poll
    QHash<SqlServerPage, QString> m_pages; ///< their tables; empty: requested, but unknown
    bool m_mayAskPages = false;
};

} // namespace lockscope::monitor
