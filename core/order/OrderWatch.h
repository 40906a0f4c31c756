// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/base/Result.h"
#include "core/order/OrderOfLooks.h"
#include "core/order/PotentialDeadlock.h"

#include <deque>
#include <memory>

namespace lockscope::order {

/// What is known of the order of a server's locks at a moment. Immutable once shared.
struct OrderState {
    Findings found; ///< with those that a gate keeps from happening
    qint64 looks = 0;
    ServerTime first; ///< look
    ServerTime last;
    qint64 orders = 0; ///< pairs whose order was seen
    qint64 forgotten = 0; ///< pairs
};
using OrderStatePtr = std::shared_ptr<const OrderState>;

/// Keeps the order of the locks of one server up to date while it is looked at. note() and work() belong to
/// the thread that notes, put() and state() to any. What it costs is a part of a millisecond for each look
/// with 1,000 locks; the findings are worked out when there is a new order, and else every `atLeastEvery`.
class OrderWatch {
public:
    /// A look, or that one failed, for the next work(). True if nothing else waits for that, so that somebody
    /// has to have it done.
    bool put(const Result<SnapshotPtr>& taken);
    /// Notes what was put, one look after the other, since orders show only between looks; but works out the
    /// findings once. Of more than `mostWaiting` looks the oldest were left out: the others are as looks at
    /// longer intervals, which tell less, and nothing else.
    void work();
    /// put() and work() at once.
    void note(const Result<SnapshotPtr>& taken);
    /// Null: nothing was looked at yet.
    OrderStatePtr state() const;

    /// Between two workings-out: of the server's time.
    static constexpr microseconds atLeastEvery{10'000'000};
    static constexpr std::size_t mostWaiting = 60;

private:
    void workOut(ServerTime at);

    OrderOfLooks m_order; // of the thread that notes, as are the next ones
    qint64 m_looks = 0;
    ServerTime m_first;
    std::optional<quint64> m_revision; ///< that was worked out
    ServerTime m_workedOut;

    mutable Mutex m_mutex;
    OrderStatePtr m_state LOCKSCOPE_GUARDED_BY(m_mutex);
    std::deque<SnapshotPtr> m_waiting LOCKSCOPE_GUARDED_BY(m_mutex); ///< null: a look that failed
};

/// What is known after the last look of `order`.
OrderStatePtr stateOf(const OrderOfLooks& order, qint64 looks, ServerTime first, ServerTime last);

} // namespace lockscope::order
