// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/WaitTotals.h"

#include "core/base/Sentences.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotNames.h"

#include <QSet>

#include <algorithm>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

/// One pass over the requests.
std::vector<SessionWait> findWaits(const Snapshot& snapshot)
{
    std::vector<SessionWait> waits;
    QHash<SessionId, size_t> placeBehind; // 0: not seen yet
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        const Session* const session = snapshot.session(request.session);
        if (session && session->own)
            continue;
        const SessionWait wait{.session = snapshot.leaderOf(request.session),
            .age = snapshot.ageOf(request),
            .request = &request};
        size_t& place = placeBehind[wait.session];
        if (place == 0) {
            waits.push_back(wait);
            place = waits.size();
        } else if (wait.age > waits[place - 1].age) {
            waits[place - 1] = wait;
        }
    }
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        if (!waiter.isWaiting(snapshot.takenAt))
            continue;
        const std::optional<Age> age = knownAge(waiter.registeredAt, snapshot.takenAt);
        // On SQL Server it waits in the server, too, for a second at a time: one wait, as old as its place.
        const size_t place = placeBehind.value(waiter.party.session);
        SessionWait* const same = place == 0 ? nullptr : &waits[place - 1];
        if (same && !same->queued
            && snapshot.resourceOf(*same->request).key.kind == ResourceKind::ApplicationLock) {
            same->queued = &waiter;
            same->age = std::max(same->age, age);
        } else {
            waits.push_back({.session = waiter.party.session, .age = age, .queued = &waiter});
        }
    }
    return waits;
}

} // namespace

const std::vector<SessionWait>& Snapshot::waitingSessions() const
{
    return m_waitingSessions.get([this] { return findWaits(*this); });
}

WaitTotals waitTotals(const Snapshot& snapshot)
{
    constexpr Age atLeastNothing{milliseconds(0), false};
    const std::vector<SessionWait>& waits = snapshot.waitingSessions();
    WaitTotals totals;
    totals.waiters = static_cast<int>(waits.size());
    for (const SessionWait& wait : waits) {
        const Age age = wait.age.value_or(atLeastNothing);
        if (&wait != waits.data() && age <= totals.longestWait)
            continue;
        totals.longestWait = age;
        totals.longestWaiter = wait.session;
    }
    return totals;
}

Harm harmOf(const LockTableQueue& queue, ServerTime now)
{
    Harm harm{.victims = static_cast<int>(queue.size())};
    for (const LockTableWaiter* const waiter : queue) {
        const auto age = knownAge(waiter->registeredAt, now);
        if (age && age->value < joinedWithin)
            ++harm.joined;
        harm.longestWait = std::max(harm.longestWait, age.value_or(Age{}).value);
    }
    return harm;
}

LockTableQueue worstQueue(const Snapshot& snapshot)
{
    std::vector<LockTableQueue> queues;
    QHash<LockTableKey, size_t> placeBehind; // 0: not seen yet
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        if (!waiter.isWaiting(snapshot.takenAt))
            continue;
        size_t& place = placeBehind[{waiter.table, waiter.name}];
        if (place == 0) {
            queues.emplace_back();
            place = queues.size();
        }
        queues[place - 1].push_back(&waiter);
    }
    const auto worst = std::ranges::min_element(
        queues, isWorse, [&](const LockTableQueue& queue) { return harmOf(queue, snapshot.takenAt); });
    return worst == queues.end() ? LockTableQueue() : std::move(*worst);
}

QString textWithoutBlocker(int waiters)
{
    return u"%1, and no blocker is seen"_s.arg(counted(waiters, u"session waits", u"sessions wait"));
}

QString reasonWithoutBlocker()
{
    return u"The session that they wait for ended just now, or these rights don't show it."_s;
}

AgeLevel levelOf(const Snapshot& snapshot, const AgeThresholds& wait)
{
    const std::vector<SessionWait>& waits = snapshot.waitingSessions();
    if (waits.empty())
        return AgeLevel::Normal;
    const BlockingGraph& graph = snapshot.blocking();
    AgeLevel level = graph.cycles().empty() ? AgeLevel::Normal : AgeLevel::Red;
    QSet<SessionId> heirs;
    for (const BlockingGraph::Head& head : graph.heads()) {
        if (!head.inheritedWithin)
            continue;
        level = std::max(level, levelOf(head, wait));
        heirs.insert(head.session);
    }
    Harm others;
    for (const SessionWait& each : waits) {
        if (each.request && !heirs.isEmpty() && heirs.contains(graph.headOf(each.session)))
            continue;
        ++others.victims;
        others.longestWait = std::max(others.longestWait, each.age.value_or(Age{}).value);
    }
    return std::max(level, levelOf(others, wait));
}

} // namespace lockscope
