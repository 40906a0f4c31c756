// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/LockOrder.h"
#include "core/order/Look.h"

#include <functional>
#include <optional>
#include <span>

namespace lockscope::order {

/// Tells from looks, one after another, in which order locks were taken:
///
/// - Who waits for a lock has had all that it holds before: it does one thing at a time.
/// - What a session has newly was taken after what it has had since the look before: for certain if its time
///   is known, or if the transaction is the same and keeps its locks; else as far as looks can tell.
/// - Two that are both new: nobody knows, and nothing is counted, unless both times are known.
///
/// After a gap (another server's look, time that goes back, a look that is not whole) it begins anew. It asks
/// no server. One thread.
class OrderOfLooks {
public:
    /// `everyStep`: nothing happens between two looks but one step of one session.
    explicit OrderOfLooks(bool everyStep = false)
        : m_isEveryStep(everyStep)
    {
    }

    /// `step`: of which step of a scenario a session's new locks are, if any.
    using StepName = std::function<QString(SessionKey)>;
    void add(Look look, const StepName& step = {});
    void add(const SnapshotPtr& snapshot) { add(m_reader.read(snapshot)); }
    /// The next look follows on nothing.
    void markGap() { m_before = {}; }

    const LockOrder& order() const { return m_order; }
    ServerTime lastLook() const { return m_before.at; }

private:
    using Locks = std::span<const SeenLock>;
    /// What one session has, and had at the look before.
    struct OfSession {
        Locks now;
        Locks before;
        bool isOneTransaction = false; ///< at both looks
    };
    void keepDeduced(Look& look) const;
    void addSession(const Look& look, const OfSession& session, const StepName& step);
    static LockOrder::Step stepTo(const Look& look, const SeenLock& second);
    std::optional<Evidence> evidenceOf(
        const Look& look, const OfSession& session, const SeenLock& first, const SeenLock& second) const;

    const bool m_isEveryStep;
    LookReader m_reader;
    Look m_before;
    LockOrder m_order;
};

} // namespace lockscope::order
