// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <thread>

namespace lockscope::ctl {

/// Hands signals to ordinary code: `onSignal` runs on a thread of the watch's own, once for each signal, for
/// as long as the watch lives. One at a time. A signal that was ignored when it began stays so, as with
/// nohup(1).
class SignalWatch {
public:
    enum class Which {
        End, ///< SIGINT, SIGTERM, SIGHUP
        All, ///< those, and SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGABRT
    };
    struct Signal {
        int number;
        bool fromTerminal; ///< Ctrl+C reaches the whole process group: our children have got it already

        /// The sender asks for an end, not just for something to be done.
        bool isEnd() const;
    };
    /// Asked again and again after a signal, for programs that hang: ends the process at once, with this exit
    /// code, without any destructor.
    using LastResort = std::function<std::optional<int>()>;

    SignalWatch(Which which, std::function<void(Signal)> onSignal, LastResort lastResort);
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

private:
    void work();

    const std::function<void(Signal)> m_onSignal;
    const LastResort m_lastResort;
    std::jthread m_thread;
};

} // namespace lockscope::ctl
