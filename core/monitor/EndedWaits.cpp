// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/EndedWaits.h"

#include "core/domain/WaitTargets.h"

#include <QSet>

#include <utility>

namespace lockscope::monitor {

void EndedWaits::note(Snapshot& snapshot)
{
    const QHash<SessionKey, Wait> before = std::exchange(m_waits, {});
    if (snapshot.waits.empty())
        return;
    const WaitTargets targets(snapshot);
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        const Resource* target = targets.of(request);
        if (const Session* session = snapshot.session(snapshot.leaderOf(request.session)))
            m_waits.insert(session->key(),
                {snapshot.takenAt, target ? target->name : snapshot.resourceOf(request).name});
    }
    QSet<SessionId> blockers;
    for (const WaitEdge& wait : snapshot.waits)
        blockers.insert(wait.blocker);
    for (Session& session : snapshot.sessions) {
        const auto was = before.constFind(session.key());
        if (was == before.cend() || m_waits.contains(session.key()))
            continue;
        m_waits.insert(session.key(), *was);
        if (blockers.contains(session.id)) {
            session.waitedUntil = was->seen;
            session.waitedFor = was->what;
        }
    }
}

} // namespace lockscope::monitor
