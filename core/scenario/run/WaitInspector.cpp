// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/WaitInspector.h"

#include "core/domain/WaitTargets.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

WaitInspector::WaitInspector(const RunContext& context)
    : m_context(context)
{
    monitor::ProbeSelection probes;
    probes.statements = false;
    m_source = monitor::makeSnapshotSource(context.server, probes);
}

Result<void> WaitInspector::inspect(const std::stop_token& stop)
{
    auto taken = m_source->take(stop);
    if (!taken)
        return Failure(taken.error());
    m_seen = std::move(*taken);
    return {};
}

std::optional<WaitInspector::Obstacle> WaitInspector::ofSession(SessionId session) const
{
    if (!m_seen || !session.isValid())
        return std::nullopt;
    std::optional<Obstacle> obstacle;
    for (const WaitEdge& edge : m_seen->waits) {
        if (edge.waiter != session)
            continue;
        if (!obstacle) {
            const Resource& resource = m_seen->resources[edge.resource];
            const bool isTransaction = resource.key.kind == ResourceKind::TransactionId;
            obstacle = {{}, isTransaction ? rowAwaitedBy(session) : shown(resource)};
        }
        obstacle->blockers.push_back(edge.blocker);
    }
    if (obstacle) {
        auto& blockers = obstacle->blockers;
        std::sort(blockers.begin(), blockers.end());
        blockers.erase(std::unique(blockers.begin(), blockers.end()), blockers.end());
    }
    return obstacle;
}

/// Only the first in a row's queue waits for a transaction, and holds its place meanwhile.
QString WaitInspector::rowAwaitedBy(SessionId session) const
{
    const LockRequest* const place = QueuePlaces(*m_seen).of(session);
    return place ? shown(m_seen->resourceOf(*place)) : QString();
}

bool WaitInspector::isTaken(const QString& entry) const
{
    return m_seen
        && std::any_of(m_seen->entries.begin(), m_seen->entries.end(),
            [&entry](const LockTableEntry& each) { return each.name == entry; });
}

bool WaitInspector::isWaitedFor(const QString& entry) const
{
    return m_seen
        && std::any_of(m_seen->entryWaiters.begin(), m_seen->entryWaiters.end(),
            [&entry](const LockTableWaiter& each) { return each.name == entry; });
}

QString WaitInspector::describe(SessionId session) const
{
    const Session* const known = m_seen ? m_seen->session(session) : nullptr;
    const QString program = known && !known->program.isEmpty() ? known->program : u"another program"_s;
    return u"%1, session %2"_s.arg(program).arg(session.value);
}

/// Returns the text without the parts that only keep runs apart.
QString WaitInspector::shown(const Resource& resource) const
{
    QString name = resource.name;
    name.remove(m_context.lockPrefix);
    if (!m_context.schema.isEmpty())
        name.remove(m_context.schema + u'.');
    return name;
}

} // namespace lockscope::scenario
