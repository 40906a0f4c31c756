// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/HolderAges.h"

#include <algorithm>

namespace lockscope {

namespace {

/// The waiters for a mode, and the start of their waits; the longest wait first.
struct Waits {
    LockMode mode;
    std::vector<std::pair<ServerTime, SessionId>> queue;

    /// The longest that did not begin before `notBefore`: nobody waits for itself.
    std::optional<ServerTime> longestBehind(SessionId holder, ServerTime notBefore) const
    {
        auto wait = std::ranges::lower_bound(queue, notBefore, {}, &std::pair<ServerTime, SessionId>::first);
        while (wait != queue.end() && wait->second == holder)
            ++wait;
        return wait == queue.end() ? std::nullopt : std::optional(wait->first);
    }
};

/// The waits for one resource, and its holders.
struct ResourceQueues {
    std::vector<Waits> waits; ///< by mode
    QHash<SessionId, std::vector<const LockRequest*>> held; ///< by leader
};

QHash<quint32, ResourceQueues> queuesIn(const Snapshot& snapshot)
{
    QHash<quint32, ResourceQueues> queuesByResource;
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting() || !request.since || !request.sinceExact)
            continue;
        auto& modes = queuesByResource[request.resource].waits;
        auto known = std::ranges::find(modes, request.mode, &Waits::mode);
        if (known == modes.end())
            known = modes.insert(known, {request.mode, {}});
        known->queue.emplace_back(*request.since, snapshot.leaderOf(request.session));
    }
    for (ResourceQueues& queues : queuesByResource)
        for (Waits& waits : queues.waits)
            std::ranges::sort(waits.queue);
    if (queuesByResource.isEmpty())
        return queuesByResource;
    for (const LockRequest& request : snapshot.requests) {
        const auto queues = queuesByResource.find(request.resource);
        if (!request.isWaiting() && queues != queuesByResource.end())
            queues->held[snapshot.leaderOf(request.session)].push_back(&request);
    }
    return queuesByResource;
}
/// Returns whether `holder` may have got this lock past earlier waiters, because it had one that blocked
/// them.
bool mayHaveOvertaken(const LockRequest& holder, SessionId leader, const LockMode& requested,
    const std::vector<const LockRequest*>& held)
{
    return std::ranges::any_of(held, [&](const LockRequest* other) {
        // The leader of a parallel statement comes first.
        const bool isFollower =
            other->mode == holder.mode && (holder.session == leader || other->session == holder.session);
        return !isFollower && !other->mode.compatibleWith(requested);
    });
}

/// The start of the longest wait that this lock alone blocks.
std::optional<ServerTime> longestBehind(
    const LockRequest& holder, SessionId leader, const ResourceQueues& queues, ServerTime notBefore)
{
    const auto& held = *queues.held.constFind(leader);
    std::optional<ServerTime> longest;
    for (const Waits& waits : queues.waits) {
        if (holder.mode.compatibleWith(waits.mode) || mayHaveOvertaken(holder, leader, waits.mode, held))
            continue;
        const auto since = waits.longestBehind(leader, notBefore);
        if (since)
            longest = std::min(longest.value_or(*since), *since);
    }
    return longest;
}

} // namespace

void boundAgesByWaiters(Snapshot& snapshot, const std::vector<ServerTime>& notBefore)
{
    const auto queuesByResource = queuesIn(snapshot);
    if (queuesByResource.isEmpty())
        return;
    for (size_t i = 0; i < snapshot.requests.size(); ++i) {
        LockRequest& request = snapshot.requests[i];
        if (request.isWaiting() || request.sinceExact)
            continue;
        const auto queues = queuesByResource.constFind(request.resource);
        if (queues == queuesByResource.cend())
            continue;
        const auto since = longestBehind(request, snapshot.leaderOf(request.session), *queues,
            i < notBefore.size() ? notBefore[i] : ServerTime());
        if (!since)
            continue;
        ServerTime bound = std::min(request.since.value_or(*since), *since);
        const Session* session = snapshot.session(request.session);
        if (session && session->transactionStarted && request.owner == LockOwner::Transaction)
            bound = std::max(bound, std::min(*session->transactionStarted, request.since.value_or(bound)));
        request.since = bound;
    }
}

} // namespace lockscope
