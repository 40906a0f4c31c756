// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/ContendedOrder.h"

#include "core/domain/BlockingGraph.h"

#include <algorithm>
#include <tuple>

namespace lockscope {

std::vector<quint32> contendedOrder(const Snapshot& snapshot)
{
    const BlockingGraph& graph = snapshot.blocking();
    QHash<SessionId, size_t> ranks; // of heads; those of rings have none, and come first
    for (size_t i = 0; i < graph.heads().size(); ++i)
        ranks.insert(graph.heads()[i].session, i + 1);
    const auto since = [&snapshot](const LockRequest& wait) { return wait.since.value_or(snapshot.takenAt); };
    QHash<quint32, const LockRequest*> longest;
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        const LockRequest*& known = longest[request.resource];
        if (!known || since(request) < since(*known))
            known = &request;
    }
    struct Contended {
        size_t rank;
        ServerTime since;
        quint32 resource;
    };
    std::vector<Contended> contended;
    for (auto it = longest.cbegin(); it != longest.cend(); ++it) {
        const SessionId head = graph.headOf(snapshot.leaderOf((*it)->session));
        contended.push_back(
            {head.isValid() ? ranks.value(head, 0) : graph.heads().size() + 1, since(**it), it.key()});
    }
    // By the name where all else is equal, so that nothing changes places from poll to poll.
    std::ranges::sort(contended, {}, [&snapshot](const Contended& one) {
        return std::tuple<size_t, ServerTime, const QString&, quint32>(
            one.rank, one.since, snapshot.resources[one.resource].name, one.resource);
    });
    std::vector<quint32> order;
    for (const Contended& one : contended)
        order.push_back(one.resource);
    return order;
}

} // namespace lockscope
