// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/OrderWatch.h"

namespace lockscope::order {

OrderStatePtr stateOf(const OrderOfLooks& order, qint64 looks, ServerTime first, ServerTime last)
{
    return std::make_shared<const OrderState>(OrderState{potentialDeadlocks(order.order(), Guarded::Told),
        looks, first, last, order.order().edges().size(), order.order().forgotten()});
}

void OrderWatch::note(const Result<SnapshotPtr>& taken)
{
    if (!taken) {
        m_order.markGap();
        return;
    }
    const ServerTime at = (*taken)->takenAt;
    m_order.add(*taken);
    m_first = m_looks++ == 0 ? at : m_first;
    const bool isKnown =
        m_revision == m_order.order().revision() && at >= m_workedOut && at - m_workedOut < atLeastEvery;
    if (isKnown)
        return;
    const OrderStatePtr state = stateOf(m_order, m_looks, m_first, at);
    m_revision = m_order.order().revision();
    m_workedOut = at;
    const MutexLock guard(m_mutex);
    m_state = state;
}

OrderStatePtr OrderWatch::state() const
{
    const MutexLock guard(m_mutex);
    return m_state;
}

} // namespace lockscope::order
