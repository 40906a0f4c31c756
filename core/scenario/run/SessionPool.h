// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/scenario/run/PreparedRun.h"
#include "core/scenario/run/ScenarioSession.h"
#include "core/scenario/run/SessionProtocol.h"

#include <semaphore>
#include <set>
#include <thread>

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

/// Each session is a thread of this program, which carries out one order after the other.
class SessionThreads final : public SessionPool {
public:
    /// `capacity`: events that the log of each session keeps.
    SessionThreads(
        const PreparedRun& prepared, std::size_t capacity, std::stop_source ending = std::stop_source());
    ~SessionThreads() override;

    void connectAll() override;
    void begin(Steady::time_point start) override;
    void endRounds() override { m_soft.request_stop(); }
    void cancel() override;

    /// Called on the session's thread. `stop` comes with cancel().
    using Order = std::function<Result<void>(ScenarioSession& session, const std::stop_token& stop)>;
    /// Only to a session that is not busy.
    void give(int number, Order order);
    /// Forgets an error from before.
    void giveAll(const Order& order);
    /// Only of a session that is not busy.
    const ScenarioSession& session(int number) const { return thread(number).session; }

private:
    struct SessionThread {
        ScenarioSession session;
        std::stop_source stop{}; ///< of its order
        Order order LOCKSCOPE_GUARDED_BY(&SessionThreads::m_mutex){};
        ConditionVariable given{};
        std::jthread thread{}; ///< the last one: it uses all the others
    };
    SessionThread& thread(int number) const { return *m_threads[std::size_t(number) - 1]; }
    void carryOut(SessionThread& on, const std::stop_token& closing);

    std::counting_semaphore<> m_connecting{maxConnecting};
    std::vector<std::unique_ptr<SessionThread>> m_threads; ///< constant after construction
};

/// Each session is a process of its own (lockscope-session). A thread with an event loop looks after them
/// all; the run never waits for one of them alone.
///
/// A session whose program crashes because the scenario says so gets a new process, which goes on where a
/// thread would. A process that ends by itself or is killed by somebody else is an error of the run: its last
/// events are missing, and a log with gaps must not be judged.
class SessionProcesses final : public SessionPool {
public:
    /// `program`: the path of lockscope-session.
    SessionProcesses(const PreparedRun& prepared, std::size_t capacity, std::stop_source ending,
        QString program, QString password);
    ~SessionProcesses() override;

    void connectAll() override;
    void begin(Steady::time_point start) override;
    void endRounds() override;
    void cancel() override;

private:
    class ProcessSupervisor;
    /// Gives an order to all: has it done by the supervisor, on its thread.
    void giveAll(std::function<void(ProcessSupervisor&)> order);
    SessionTask taskOf(const Member& member) const;

    const QString m_program;
    const QString m_password;
    ProcessSupervisor* m_supervisor = nullptr; ///< on m_thread; constant after construction
    std::thread m_thread;
};

} // namespace lockscope::scenario
