// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace lockscope::db {

/// Carries the request to cancel from any thread to the statement that runs right now, and never to a later
/// one: a request is accepted only between begin() and end(), and it is the running statement's own thread
/// that acts on it (or `act`, which is called under the lock and so before end() can return).
class CancelGate {
public:
    explicit CancelGate(std::function<void()> act)
        : m_act(std::move(act))
    {
    }

    void begin()
    {
        const MutexLock guard(m_mutex);
        m_inFlight = true;
        m_requested = false;
    }
    void end()
    {
        const MutexLock guard(m_mutex);
        m_inFlight = false;
    }
    /// Any thread.
    void request()
    {
        const MutexLock guard(m_mutex);
        if (!m_inFlight || m_requested)
            return;
        m_requested = true;
        m_act();
        m_change.notifyAll();
    }
    bool requested() const
    {
        const MutexLock guard(m_mutex);
        return m_requested;
    }
    /// Sleeps, but not longer than until the request comes; returns whether it came.
    bool sleep(milliseconds duration)
    {
        const MutexLock lock(m_mutex);
        return m_change.waitFor(
            m_mutex, duration, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_requested; });
    }

private:
    const std::function<void()> m_act;
    mutable Mutex m_mutex;
    ConditionVariable m_change;
    bool m_inFlight LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    bool m_requested LOCKSCOPE_GUARDED_BY(m_mutex) = false;
};

/// A statement in flight: opens the gate and connects it to a stop token for as long as it lives.
class InFlight {
public:
    InFlight(CancelGate& gate, const std::stop_token& stop)
        : m_gate(gate)
    {
        m_gate.begin();
        if (stop.stop_possible())
            m_onStop.emplace(stop, Request{&gate});
    }
    ~InFlight()
    {
        m_onStop.reset(); // waits for a callback that runs
        m_gate.end();
    }
    Q_DISABLE_COPY(InFlight)

private:
    struct Request {
        CancelGate* gate;
        void operator()() const { gate->request(); }
    };
    CancelGate& m_gate;
    std::optional<std::stop_callback<Request>> m_onStop;
};

} // namespace lockscope::db
