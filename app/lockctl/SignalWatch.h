// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <thread>

namespace lockscope::ctl {

/// Hands SIGINT, SIGTERM and SIGHUP to ordinary code: `onSignal` runs on a thread of the watch's own, once
/// for each signal, for as long as the watch lives. One at a time.
class SignalWatch {
public:
    struct Signal {
        int number;
        bool fromTerminal; ///< Ctrl+C reaches the whole process group: our children have got it already
    };
    explicit SignalWatch(std::function<void(Signal)> onSignal);
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

private:
    std::function<void(Signal)> m_onSignal;
    std::jthread m_thread;
};

} // namespace lockscope::ctl
