// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/HolderAges.h"

#include <algorithm>

namespace lockscope {

namespace {

/// The two longest waits for a mode, of different sessions: nobody waits for itself.
struct LongestWaits {
    LockMode mode;
    SessionId session;
    ServerTime since;
    std::optional<ServerTime> sinceOfAnother;

    void add(SessionId waiter, ServerTime begin)
    {
        if (waiter == session) {
            since = std::min(since, begin);
        } else if (begin < since) {
            sinceOfAnother = since;
            since = begin;
            session = waiter;
        } else {
            sinceOfAnother = std::min(sinceOfAnother.value_or(begin), begin);
        }
    }
    std::optional<ServerTime> behind(SessionId holder) const
    {
        return holder == session ? sinceOfAnother : std::optional(since);
    }
};

QHash<quint32, std::vector<LongestWaits>> waitsByResource(const Snapshot& snapshot)
{
    QHash<quint32, std::vector<LongestWaits>> waits;
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting() || !request.since || !request.sinceExact)
            continue;
        const SessionId waiter = snapshot.leaderOf(request.session);
        auto& modes = waits[request.resource];
        const auto known = std::ranges::find(modes, request.mode, &LongestWaits::mode);
        if (known == modes.end())
            modes.push_back({request.mode, waiter, *request.since, std::nullopt});
        else
            known->add(waiter, *request.since);
    }
    return waits;
}

} // namespace

void boundAgesByWaiters(Snapshot& snapshot, const std::vector<bool>& grantSeen)
{
    const auto waits = waitsByResource(snapshot);
    if (waits.isEmpty())
        return;
    for (size_t i = 0; i < snapshot.requests.size(); ++i) {
        LockRequest& request = snapshot.requests[i];
        if (request.isWaiting() || request.sinceExact || (i < grantSeen.size() && grantSeen[i]))
            continue;
        const auto behind = waits.constFind(request.resource);
        if (behind == waits.cend())
            continue;
        const SessionId holder = snapshot.leaderOf(request.session);
        std::optional<ServerTime> bound = request.since;
        for (const LongestWaits& wait : *behind) {
            const auto since = wait.behind(holder);
            if (since && !request.mode.compatibleWith(wait.mode))
                bound = std::min(bound.value_or(*since), *since);
        }
        const Session* session = snapshot.session(request.session);
        if (bound && session && session->transactionStarted && request.owner == LockOwner::Transaction)
            bound = std::max(*bound, std::min(*session->transactionStarted, request.since.value_or(*bound)));
        request.since = bound;
    }
}

} // namespace lockscope
