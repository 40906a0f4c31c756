// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/OrderWatch.h"

#include "core/base/Sentences.h"

namespace lockscope::order {

using namespace Qt::StringLiterals;

OrderStatePtr stateOf(const OrderOfSnapshots& order)
{
    return std::make_shared<const OrderState>(
        OrderState{.found = potentialDeadlocks(order.order(), Guarded::Included),
            .polls = order.polls(),
            .first = order.first(),
            .last = order.last(),
            .orders = order.order().edges().size(),
            .forgotten = order.order().forgotten(),
            .transactions = order.transactions()});
}

QString transactionsText(const OrderState& state)
{
    const TransactionCounts& counts = state.transactions;
    if (counts.seen == 0)
        return {};
    const auto known = counts.counted(state.first, state.last);
    const qint64 all = known.value_or(counts.seen);
    const qint64 missed = all - counts.followed;
    QString text = known
        ? u"Of about %L1 transactions that the server counted, these polls' among them, %L2 (%3 %) could not be followed: they were over before a second poll."_s
        : u"Of %L1 transactions that were seen, %L2 (%3 %) could not be followed: they were over before a second poll. How many came and went between two polls is unknown."_s;
    text = text.arg(all).arg(missed).arg(missed * 100 / all)
        + u" Their orders count only where a session waited."_s;
    if (counts.unknown > 0)
        text += u" %1 not counted: the transaction was unknown, or there was none."_s.arg(
            counted(counts.unknown, u"new lock was", u"new locks were"));
    return text;
}

bool OrderWatch::put(const Result<SnapshotPtr>& taken)
{
    const MutexLock guard(m_mutex);
    const bool isFirst = m_waiting.empty();
    m_waiting.push_back(taken ? *taken : nullptr);
    if (m_waiting.size() > maxWaiting) {
        // A failed poll must stay before all that follow.
        const bool isGap = !m_waiting[0] || !m_waiting[1];
        m_waiting.pop_front();
        if (isGap)
            m_waiting.front() = nullptr;
    }
    return isFirst;
}

void OrderWatch::work()
{
    std::deque<SnapshotPtr> polls;
    std::vector<qint64> counted;
    {
        const MutexLock guard(m_mutex);
        polls.swap(m_waiting);
        counted.swap(m_counted);
    }
    for (const qint64 perMinute : counted)
        m_order.noteServerCount(perMinute);
    const qint64 before = m_order.polls();
    for (const SnapshotPtr& locksSeen : polls) {
        if (locksSeen)
            m_order.add(locksSeen);
        else
            m_order.markGap();
    }
    if (m_order.polls() > before)
        workOut();
}

void OrderWatch::noteServerCount(qint64 perMinute)
{
    const MutexLock guard(m_mutex);
    m_counted.push_back(perMinute);
}

void OrderWatch::note(const Result<SnapshotPtr>& taken)
{
    put(taken);
    work();
}

/// Computes the findings after a poll.
void OrderWatch::workOut()
{
    const ServerTime at = m_order.last();
    const bool isKnown =
        m_revision == m_order.order().revision() && at >= m_workedOut && at - m_workedOut < atLeastEvery;
    if (isKnown)
        return;
    const OrderStatePtr state = stateOf(m_order);
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
