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

/// The times of a lease that is not renewed, counted from just before the last request was sent that
/// the server confirmed. The server's lease began later than that, so it ends later than `lease` says.
///
/// - `renewal`, a third of the lease: it is renewed, and tried again until that is confirmed.
/// - `risk`, two thirds: the holder is warned.
/// - `loss`: the holder hears that it is lost. Before the lease ends by a margin for the round trip and
///   for clocks that don't go alike: a tenth of the lease, but at most 2 s, and at least a five-hundredth.
///   Earlier still for a holder that needs time to stop what the lock protects, but not before `risk`.
struct LeaseTimes {
    LeaseClock::duration renewal;
    LeaseClock::duration risk;
    LeaseClock::duration loss;
    LeaseClock::duration stop; ///< as much of the requested time to stop as there is

    static LeaseTimes of(milliseconds lease, milliseconds requestedStop = milliseconds(0));
};

/// For a lock that ends with its session: the interval at which the holder asks the server whether it is
/// still there (Grant::beat), and the age of the last answered request after which the lock counts as lost.
inline constexpr milliseconds beatEvery{3'000};
inline constexpr milliseconds beatLimit{10'000};

} // namespace lockscope::locks
