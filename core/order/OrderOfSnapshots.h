// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/LockOrder.h"
#include "core/order/LockSnapshot.h"

#include <functional>
#include <optional>
#include <span>

namespace lockscope::order {

/// Finds, poll by poll, the order in which locks were taken:
///
/// - A session that waits for a lock has had all that it holds before: it does one thing at a time.
/// - A new lock of a session was taken after those that it has had since the poll before: for certain if its
///   time is known, or if the transaction is the same and keeps its locks; else as far as polls can show.
/// - Two that are both new: the order is unknown, and nothing is counted, unless both times are known.
///
/// After a gap (another server's poll, time that goes back, an incomplete poll) it begins again. It asks
/// no server. One thread.
class OrderOfSnapshots {
public:
    /// `everyStep`: between two polls there is only one step of one session.
    explicit OrderOfSnapshots(bool everyStep = false)
        : m_isEveryStep(everyStep)
    {
    }

    /// `step`: of which step of a scenario a session's new locks are, if any.
    using StepName = std::function<QString(SessionKey)>;
    void add(LockSnapshot locksSeen, const StepName& step = {});
    void add(const SnapshotPtr& snapshot) { add(m_reader.read(snapshot)); }
    /// The next poll follows on nothing.
    void markGap() { m_before = {}; }

    const LockOrder& order() const { return m_order; }
    ServerTime lastPoll() const { return m_before.at; }

private:
    using Locks = std::span<const SeenLock>;
    /// The locks of one session, at this poll and at the one before.
    struct OfSession {
        Locks now;
        Locks before;
        bool isOneTransaction = false; ///< at both polls
    };
    void keepDeduced(LockSnapshot& locksSeen) const;
    void addSession(const LockSnapshot& locksSeen, const OfSession& session, const StepName& step);
    static LockOrder::Step stepTo(const LockSnapshot& locksSeen, const SeenLock& second);
    std::optional<Evidence> evidenceOf(const LockSnapshot& locksSeen, const OfSession& session,
        const SeenLock& first, const SeenLock& second) const;

    const bool m_isEveryStep;
    LockSnapshotReader m_reader;
    LockSnapshot m_before;
    LockOrder m_order;
};

} // namespace lockscope::order
