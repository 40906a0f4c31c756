// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/scenario/run/ScenarioSession.h"

#include <thread>

namespace lockscope::scenario {

/// Counts the orders that sessions have carried out.
class CompletionSignal {
public:
    void notify();
    quint64 count() const;
    /// Waits until the count is greater than `seen`, at most so long; the count then.
    quint64 wait(quint64 seen, milliseconds atMost) const;

private:
    mutable Mutex m_mutex;
    mutable ConditionVariable m_notified;
    quint64 m_count LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
};

/// The outcome of a step, as far as the race is concerned.
enum class StepOutcome : quint8 {
    Done,
    Denied,
    Victim,
    Conflict,
    DuplicateKey,
    Lost,
    Failed,
    Died,
    Cancelled,
};
QString outcomeKey(StepOutcome outcome); ///< as in files: "done", "deadlock_victim"
std::optional<StepOutcome> outcomeFrom(QStringView key);
QString outcomeText(StepOutcome outcome); ///< for people

/// A session that does one step when it is told to, on a thread and a connection of its own. Orders are given
/// and answers taken by one thread; while isBusy() nothing else may be asked.
class SteppedSession {
public:
    /// `context`, `role` and `signal` must outlive it. Goes through the program `rounds` times.
    SteppedSession(const RunContext& context, const Role& role, int number, QString name, int rounds,
        CompletionSignal& signal);
    ~SteppedSession();
    Q_DISABLE_COPY_MOVE(SteppedSession)

    // Orders. They return at once; the signal counts them when they are carried out.
    void open();
    void step();
    void startOver();
    /// Ends its statement or wait as soon as possible.
    void cancel();

    bool isBusy() const;

    // Answers.
    const std::optional<Error>& error() const { return m_error; }
    bool isOver() const { return m_isOver; } ///< there is no step left
    StepOutcome outcome() const { return m_outcome; } ///< of the last step
    SessionId sessionId() const { return m_sessionId; } ///< of its connection
    bool isInTransaction() const { return m_isInTransaction; }
    int rounds() const { return m_roundsDone; }
    const ScenarioSession& session() const { return m_session; }

    int number() const { return m_session.number(); }
    SessionLog& log() { return m_log; }
    const SessionLog& log() const { return m_log; }

private:
    enum class Task { None, Open, Step, StartOver, Quit };
    void give(Task task);
    void runTasks();
    void carryOut(Task task);
    Result<void> proceed(bool evenIfSeen);
    void noteOutcome(const Counts& before);

    SessionLog m_log;
    ScenarioSession m_session;
    const int m_rounds;
    CompletionSignal& m_signal;

    // Belong to the session's thread while it is busy, else to the one that gives the orders.
    std::optional<Error> m_error;
    bool m_isOver = false;
    StepOutcome m_outcome = StepOutcome::Done;
    SessionId m_sessionId;
    bool m_isInTransaction = false;
    int m_roundsDone = 0;
    std::stop_source m_stop;

    mutable Mutex m_mutex;
    ConditionVariable m_taskChanged;
    Task m_task LOCKSCOPE_GUARDED_BY(m_mutex) = Task::None;
    std::thread m_thread; // the last one: it uses all the others
};

} // namespace lockscope::scenario
