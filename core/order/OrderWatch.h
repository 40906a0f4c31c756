// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/base/Result.h"
#include "core/order/OrderOfSnapshots.h"
#include "core/order/PotentialDeadlock.h"

#include <deque>
#include <memory>

namespace lockscope::order {

/// The known order of a server's locks at some time. Immutable once shared.
struct OrderState {
    Findings found; ///< with those that a gate keeps from happening
    qint64 polls = 0;
    ServerTime first; ///< of the first poll
    ServerTime last;
    qint64 orders = 0; ///< pairs whose order was seen
    qint64 forgotten = 0; ///< pairs
    TransactionCounts transactions;
};
using OrderStatePtr = std::shared_ptr<const OrderState>;

/// Says how many transactions were too short for the polls, in sentences; empty: none was seen.
QString transactionsText(const OrderState& state);

/// Keeps the order of the locks of one server up to date while it is polled. note() and work() belong to the
/// thread that notes, put() and state() to any. It costs a part of a millisecond for each poll with 1,000
/// locks; the findings are computed when there is a new order, and else every `atLeastEvery`.
class OrderWatch {
public:
    /// Takes a poll, or its failure, for the next work(). True if nothing else waits for that, so that the
    /// caller has to have it done.
    bool put(const Result<SnapshotPtr>& taken);
    /// Notes the polls that were put, one after the other, since orders show only between polls; but computes
    /// the findings once. Of more than `maxWaiting` polls the oldest are left out: the others are as polls
    /// at longer intervals, which show less, and nothing else.
    void work();
    /// See OrderOfSnapshots. Any thread.
    void noteServerCount(qint64 perMinute);
    /// put() and work() at once.
    void note(const Result<SnapshotPtr>& taken);
    /// Returns null while nothing was polled yet.
    OrderStatePtr state() const;

    /// Between two workings-out: of the server's time.
    static constexpr microseconds atLeastEvery{10'000'000};
    static constexpr std::size_t maxWaiting = 60;

private:
    void workOut();

    OrderOfSnapshots m_order; // of the thread that notes, as are the next ones
    std::optional<quint64> m_revision; ///< that was worked out
    ServerTime m_workedOut;

    mutable Mutex m_mutex;
    OrderStatePtr m_state LOCKSCOPE_GUARDED_BY(m_mutex);
    std::deque<SnapshotPtr> m_waiting LOCKSCOPE_GUARDED_BY(m_mutex); ///< null: a failed poll
    std::vector<qint64> m_counted LOCKSCOPE_GUARDED_BY(m_mutex); ///< by the server, and not noted yet
};

/// Returns the state after the last poll of `order`.
OrderStatePtr stateOf(const OrderOfSnapshots& order);

} // namespace lockscope::order
