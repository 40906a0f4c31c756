// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/StatementTrail.h"

#include <algorithm>

namespace lockscope::ui {

namespace {
constexpr qsizetype maxSteps = 6; // the present one and five before it
constexpr size_t maxSessions = 2'000; // of more, nobody reads them one by one
} // namespace

void StatementTrail::note(const Snapshot& snapshot)
{
    if (snapshot.sessions.size() > maxSessions) {
        clear();
        return;
    }
    QHash<SessionKey, Steps> next;
    next.reserve(static_cast<qsizetype>(snapshot.sessions.size()));
    for (const Session& session : snapshot.sessions) {
        if (session.own || session.system || !session.statementVisible || session.statement.isEmpty())
            continue;
        Steps steps = m_steps.take(session.key());
        const bool isNew = steps.all.isEmpty() || steps.all.last().statement != session.statement
            || steps.began != session.statementStarted;
        if (isNew)
            steps.all.append(Step{});
        steps.all.last() = {snapshot.takenAt, session.statement, session.state};
        steps.began = session.statementStarted;
        if (steps.all.size() > maxSteps)
            steps.all.removeFirst();
        next.insert(session.key(), steps);
    }
    m_steps = std::move(next); // those who have left are forgotten
}

QList<StatementTrail::Step> StatementTrail::before(const SessionKey& session) const
{
    QList<Step> steps = m_steps.value(session).all;
    if (!steps.isEmpty())
        steps.removeLast();
    std::reverse(steps.begin(), steps.end());
    return steps;
}

} // namespace lockscope::ui
