// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/FirstSeen.h"

#include "core/domain/BlockingGraph.h"
#include "core/domain/RowDiff.h"

#include <QSet>

#include <algorithm>
#include <utility>

namespace lockscope::monitor {

void FirstSeen::begin(size_t locks, ServerTime takenAt)
{
    m_takenBefore = std::exchange(m_takenAt, takenAt);
    m_before.swap(m_now);
    m_now.clear();
    m_now.reserve(locks);
}

void FirstSeen::note(const ResourceKey& resource, const Holding& holding)
{
    if (m_now.empty() || !(m_now.back().key.resource == resource)) {
        m_firstOfResource = m_now.size();
        m_ofResource.clear();
    }
    m_now.push_back({{resource, holding, equalOnesBefore(holding)}, m_takenAt, m_takenBefore});
}

quint32 FirstSeen::equalOnesBefore(const Holding& holding)
{
    constexpr size_t few = 32;
    const auto first = m_now.cbegin() + static_cast<std::ptrdiff_t>(m_firstOfResource);
    if (m_now.size() - m_firstOfResource < few)
        return static_cast<quint32>(
            std::count_if(first, m_now.cend(), [&](const Row& row) { return row.key.holding == holding; }));
    if (m_ofResource.isEmpty()) {
        for (auto row = first; row != m_now.cend(); ++row)
            ++m_ofResource[row->key.holding];
    }
    return m_ofResource[holding]++;
}

void FirstSeen::settle()
{
    const auto keyOf = [](const Row& row) -> const Key& { return row.key; };
    const auto same = [](const Row&, const Row&) { return true; };
    for (const auto& [was, is] : diffRows(m_before, m_now, keyOf, same).kept) {
        m_now[is].notBefore = m_before[was].notBefore;
        if (m_now[is].key.holding.transaction != 0)
            m_now[is].since = m_before[was].since;
    }
    noteGrants();
}

void FirstSeen::noteGrants()
{
    QMultiHash<SessionId, const Key*> waited; // of a session one or two
    for (const Row& row : m_before) {
        if (row.key.holding.state != RequestState::Granted)
            waited.insert(row.key.holding.session, &row.key);
    }
    if (waited.isEmpty())
        return;
    for (Row& row : m_now) {
        const Holding& is = row.key.holding;
        if (is.state != RequestState::Granted)
            continue;
        const auto [from, to] = waited.equal_range(is.session);
        const bool sawGrant = std::any_of(from, to, [&](const Key* was) {
            return was->holding.transaction == is.transaction && was->holding.mode == is.mode
                && was->resource == row.key.resource;
        });
        if (sawGrant)
            row.notBefore = m_takenAt;
    }
}

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
