// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/SeenOrders.h"

#include "core/order/Muted.h"

namespace lockscope::watch {

std::optional<std::vector<alert::OppositeOrder>> ordersOf(const order::OrderStatePtr& state)
{
    if (!state)
        return std::nullopt;
    const QSet<QString> muted = order::mutedIds().value_or(QSet<QString>());
    std::vector<alert::OppositeOrder> orders;
    for (const order::PotentialDeadlock& each : state->found.all)
        if (!muted.contains(each.id))
            orders.push_back({each.id, each.title(), each.database, each.count()});
    return orders;
}

} // namespace lockscope::watch
