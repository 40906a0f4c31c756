// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <stop_token>
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
    Q_DISABLE_COPY(SignalWatch)

private:
    void work();

    const std::function<void(Signal)> m_onSignal;
    const LastResort m_lastResort;
    std::jthread m_thread;
};

/// Asks what runs to stop when a signal arrives, as long as this lives. What does not stop in `patience`, or
/// before a second signal, ends with the process: nobody waits for a server that doesn't answer.
class StopOnSignal {
public:
    using Patience = std::chrono::milliseconds;

    /// `atOnce`: what else the signal shall do, on another thread. `lastWords`: before the process ends by
    /// force.
    /// `onHangUp`: what SIGHUP does instead of an end.
    explicit StopOnSignal(Patience patience, std::function<void()> atOnce = {},
        std::function<void()> lastWords = {}, std::function<void()> onHangUp = {})
        : m_patience(patience)
        , m_atOnce(std::move(atOnce))
        , m_lastWords(std::move(lastWords))
        , m_onHangUp(std::move(onHangUp))
    {
    }

    std::stop_token token() const { return m_stop.get_token(); }
    /// Returns the signal that came; 0 = none. Known before the stop is requested.
    int signal() const { return m_signal; }
    /// Returns the exit status for an end by this signal if there was one, else the error.
    Result<ExitStatus> endBy(const Error& error) const
    {
        return m_signal != 0 ? Result<ExitStatus>(exitSignal + m_signal) : Failure(error);
    }
    /// Counts from now on.
    void setPatience(Patience patience) { m_patience = patience; }

private:
    using Clock = std::chrono::steady_clock;
    /// timeout(1), shells and supervisors send a signal to the process and to its group: that is one request.
    static constexpr std::chrono::milliseconds sameRequest{300};

    void note(const SignalWatch::Signal& received)
    {
        if (received.number == SIGHUP && m_onHangUp) {
            m_onHangUp();
            return;
        }
        const auto now = Clock::now();
        if (m_count > 0 && now < m_since + sameRequest)
            return;
        m_signal = received.number;
        if (++m_count > 1)
            return;
        m_since = now;
        m_stop.request_stop();
        if (m_atOnce)
            m_atOnce();
    }
    std::optional<int> forcedEnd() const
    {
        if (m_count == 0 || (m_count < 2 && Clock::now() - m_since < m_patience.load()))
            return std::nullopt;
        if (m_lastWords)
            m_lastWords();
        return exitSignal + m_signal;
    }

    std::atomic<Patience> m_patience;
    const std::function<void()> m_atOnce;
    const std::function<void()> m_lastWords;
    const std::function<void()> m_onHangUp;
    std::atomic<int> m_signal = 0;
    std::stop_source m_stop;
    // of the watch's thread:
    Clock::time_point m_since;
    int m_count = 0; ///< of those that ask for an end
    const SignalWatch m_watch{SignalWatch::Which::End,
        [this](const SignalWatch::Signal& received) { note(received); }, [this] { return forcedEnd(); }};
};

/// For commands that end within a second whatever the network does.
inline constexpr StopOnSignal::Patience briefly{900};
/// For commands that have to put things in order first; a second signal ends them at once.
inline constexpr StopOnSignal::Patience inOrder{10'000};

} // namespace lockscope::ctl
