// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/SignalWatch.h"

#include <atomic>
#include <stop_token>

namespace lockscope::ctl {

/// Asks what runs to stop when a signal arrives, as long as this lives.
class StopOnSignal {
public:
    std::stop_token token() const { return m_stop.get_token(); }
    /// Which one came; 0 = none. Known before the stop is asked for.
    int signal() const { return m_signal; }
    /// The exit code of what ended by this error, which is told unless a signal was the reason.
    int fail(const Error& error) const { return m_signal != 0 ? exitSignal + m_signal : ctl::fail(error); }

private:
    std::atomic<int> m_signal = 0;
    std::stop_source m_stop;
    const SignalWatch m_watch{[this](const SignalWatch::Signal& received) {
        m_signal = received.number;
        m_stop.request_stop();
    }};
};

} // namespace lockscope::ctl
