// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"

namespace lockscope::monitor {

/// What is asked of single sessions, and only when it is first needed: what the client of a sleeping blocker
/// sent last, and whose pages are waited for. A few at once; what is known is not asked again. Poll thread
/// only.
class SqlServerDetails {
public:
    /// Says what is going to be shown. `facts` tell what this server can be asked.
    void want(const db::SqlServerFacts& facts, const SqlServerSessions& sessions,
        const std::vector<SqlServerWait>& waits);
    /// Look-ups of what was wanted and is not known; empty in the steady state.
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
    QHash<SqlServerPage, QString> m_pages; ///< whose they are; empty: asked for, but not told
    bool m_mayAskPages = false;
};

} // namespace lockscope::monitor
