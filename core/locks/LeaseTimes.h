// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

namespace lockscope::locks {

/// The clock by which a holder judges its own lease: steady, and on Linux it goes on while the machine
/// sleeps, as the server's does.
struct LeaseClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<LeaseClock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
};

/// What becomes of a lease that nobody renews, reckoned from the moment before the last request was sent that
/// the server confirmed. The server's lease began later than that, so it ends later than `lease` says.
///
/// - `renewal`, a third of the lease: it is renewed, and tried again until that is confirmed.
/// - `risk`, two thirds: the holder is warned.
/// - `loss`: the holder is told that it is lost. Before the lease is over by a margin for the round trip and
///   for clocks that don't go alike: a tenth of the lease, but at most 2 s, and at least a five-hundredth.
///   Earlier still for a holder that needs time to stop what the lock protects, but not before `risk`.
struct LeaseTimes {
    LeaseClock::duration renewal;
    LeaseClock::duration risk;
    LeaseClock::duration loss;
    LeaseClock::duration stop; ///< how much of the wanted time to stop there is

    static LeaseTimes of(milliseconds lease, milliseconds wantedStop = milliseconds(0));
};

/// Of a lock that ends with its session: the holder asks the server so often whether it is still there
/// (Grant::beat), and takes the lock for lost when the last question that was answered is so old.
inline constexpr milliseconds beatEvery{3'000};
inline constexpr milliseconds beatLimit{10'000};

} // namespace lockscope::locks
