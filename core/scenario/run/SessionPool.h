// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/scenario/run/FreeSession.h"
#include "core/scenario/run/PreparedRun.h"

namespace lockscope::scenario {

/// Sessions that connect at once. A server that starts 200 of them together has none ready before time is
/// out.
inline constexpr int maxConnecting = 16;

/// The sessions of one run, and their messages to the thread that made it. Only the subclasses know whether
/// they are threads or processes.
class SessionPool {
public:
    /// Creates the sessions of the order. `prepared` and `order` must outlive the pool. After `ending` nobody
    /// begins a round. Errors: the program for sessions that are processes is missing, or there is no
    /// password.
    static Result<std::unique_ptr<SessionPool>> create(
        const PreparedRun& prepared, const RunOrder& order, std::stop_source ending);
    /// Cancels the sessions that are still there, and waits for them.
    virtual ~SessionPool() = default;
    Q_DISABLE_COPY_MOVE(SessionPool)

    /// Lets them come, some at a time. Nobody begins before begin(). Does not wait.
    virtual void connectAll() = 0;
    /// `start`: time 0 of their logs.
    virtual void begin(Steady::time_point start) = 0;
    /// Begins no new rounds; those that have not come yet don't come any more.
    virtual void endRounds() = 0;
    /// Cancels the round that runs.
    virtual void cancel() = 0;

    enum class Until { AllConnected, AllGone };
    /// Returns whether it is so within that time. Also ends when a session has met an error.
    bool wait(Until until, milliseconds atMost);
    /// The first that a session has met: the others are told to end then.
    std::optional<Error> error() const;
    void tell(Progress& progress) const;
    /// Returns the reports until now, or of the whole run after all are gone.
    std::vector<SessionReport> reports() const;

protected:
    struct Member {
        Member(const Role& theRole, int theNumber, QString theName, std::size_t capacity)
            : role(theRole)
            , number(theNumber)
            , name(std::move(theName))
            , log(capacity)
        {
        }
        const Role& role;
        const int number; ///< from 1
        const QString name;
        SessionLog log;
    };

    SessionPool(const PreparedRun& prepared, const RunOrder& order, std::stop_source ending);

    // Any thread.
    void noteConnected();
    void noteGone();
    void fail(const Error& error);

    const RunContext& m_context;
    const Pace m_pace;
    std::vector<std::unique_ptr<Member>> m_members; ///< constant after construction
    std::stop_source m_soft; ///< no new rounds
    mutable Mutex m_mutex;
    ConditionVariable m_changed;

private:
    int m_connected LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
    int m_gone LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
    std::optional<Error> m_error LOCKSCOPE_GUARDED_BY(m_mutex);
};

} // namespace lockscope::scenario
