// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/scenario/run/PreparedRun.h"

#include <set>

namespace lockscope::scenario {

/// Sessions that connect at once. A server that starts 200 of them together has none ready before time is
/// out.
inline constexpr int maxConnecting = 16;

/// The sessions of one run. The thread that made it gives them orders, and learns here when they are carried
/// out. Only the subclasses know whether the sessions are threads or processes.
class SessionPool {
public:
    /// Creates the sessions of a free run. `prepared` must outlive the pool. After `ending` nobody begins a
    /// round. Errors: the program for sessions that are processes is missing, or there is no password.
    static Result<std::unique_ptr<SessionPool>> create(
        const PreparedRun& prepared, const RunOrder& order, std::stop_source ending);
    /// Cancels the sessions that are still there, and waits for them.
    virtual ~SessionPool() = default;
    Q_DISABLE_COPY_MOVE(SessionPool)

    // Orders to all. They return at once; each session is busy until it has carried its order out.
    /// Connects them, some at a time.
    virtual void connectAll() = 0;
    /// Runs them freely, until they end. Only while all are at rest. `start`: time 0 of their logs.
    virtual void begin(Steady::time_point start) = 0;
    /// Begins no new rounds; those that have not come yet don't come any more.
    virtual void endRounds() = 0;
    /// Cancels what they are doing.
    virtual void cancel() = 0;

    bool isBusy(int number) const;
    /// Waits until all are at rest, at most so long; returns whether they are.
    bool waitForRest(milliseconds atMost) const;
    /// Returns how many orders have been carried out.
    quint64 completed() const;
    /// Waits until that is greater than `seen`, at most so long; returns whether it is.
    bool waitForMore(quint64 seen, milliseconds atMost) const;
    /// The first that a session has met: no others begin a round then.
    std::optional<Error> error() const;
    /// Fills in the counts, for the phase that is set.
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

    SessionPool(const PreparedRun& prepared, std::size_t capacity, std::stop_source ending);

    // Any thread.
    void noteBusy(int number);
    void noteRest(int number, const std::optional<Error>& error = {});

    const RunContext& m_context;
    std::vector<std::unique_ptr<Member>> m_members; ///< constant after construction
    std::stop_source m_soft; ///< no new rounds
    mutable Mutex m_mutex;
    std::optional<Error> m_error LOCKSCOPE_GUARDED_BY(m_mutex);

private:
    mutable ConditionVariable m_changed;
    std::set<int> m_busy LOCKSCOPE_GUARDED_BY(m_mutex); ///< numbers of sessions
    quint64 m_completed LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
};

} // namespace lockscope::scenario
