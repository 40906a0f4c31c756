// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/EventLog.h"
#include "core/scenario/run/PreparedRun.h"

#include <QRandomGenerator>
#include <QSet>

#include <unordered_map>

namespace lockscope::scenario {

/// One session of a run: goes through its role's program a step at a time, with a connection of its own. The
/// caller of step() is the scheduler; runRounds() is one. One thread.
class ScenarioSession {
public:
    /// `context`, `role` and `log` must outlive the session. `number` counts from 1.
    ScenarioSession(
        const RunContext& context, const Role& role, int number, QString sessionName, SessionLog& log);
    ~ScenarioSession() { close(); }
    Q_DISABLE_COPY_MOVE(ScenarioSession)

    Result<void> open();
    /// Releases everything at once; the connection ends.
    void close();

    enum class After {
        Next, ///< there is a next step of this round
        RoundEnded,
        NothingToDo, ///< the round ended, because there was nothing: pause before the next one
        Stopped, ///< by `stop`, in the middle of a round
    };
    /// Runs the next step, waits with it if it has to wait. Errors are only those that make no sense in the
    /// race: a mistake in the SQL, a server that is gone. What the race may bring (deadlock, conflict, lock
    /// not obtained) is noted, and ends the round.
    Result<After> step(const std::stop_token& stop);

    /// Back to before the first round, with the same connection if it is still there, else with a new one:
    /// what was held is given back. The log is left alone.
    Result<void> startOver();

    /// Runs the session freely: does round after round at the run's pace, until the run's `ending` (after the
    /// round that goes on) or `stop` (in the middle of it). `start`: when the run began. `resume`: of the
    /// session, if a program of it has crashed before. After open(); errors as of step().
    Result<void> runRounds(
        Steady::time_point start, const std::stop_token& stop, const std::optional<ResumePoint>& resume = {});

    /// Returns whether the next step is nobody's business but the session's own: neither the server nor
    /// another session can notice it.
    bool nextIsSilent() const;
    /// The next step with the values of now.
    QString nextText() const;
    const Values& values() const { return m_values; }
    /// The name under which the lock table or the server would have what the next step acquires; empty for
    /// other steps.
    QString nextLock() const;
    bool holds(const QString& lock) const; ///< as nextLock() names it
    const std::vector<qint64>& draws() const { return m_draws; } ///< since the start

    const Step& nextStep() const { return (*m_program)[static_cast<std::size_t>(m_at)]; }
    int number() const { return m_number; }
    SessionLog& log() const { return m_log; }
    /// Returns the id of its connection; not valid before open().
    SessionId sessionId() const { return m_connection ? m_connection->sessionId() : SessionId(); }
    bool isInTransaction() const { return m_connection && m_connection->inTransaction(); }

private:
    /// The place to go on, or how the round ended.
    struct Flow {
        enum class Kind { Next, Jump, EndWhole, EndEarly, EndIdle, EndDead, Stop };
        Kind kind = Kind::Next;
        int to = 0;
    };
    using Done = Result<Flow>;

    Done run(const SqlStep& step, const QString& label, const std::stop_token& stop);
    Done run(const TransactionStep& step, const std::stop_token& stop);
    Done run(const AcquireStep& step, const std::stop_token& stop);
    Done run(const ReleaseStep& step);
    Done run(const TakeStep& step);
    Done run(const SettleStep& step);
    Done run(const ThinkStep& step, const std::stop_token& stop);
    Done run(const DrawStep& step);
    Done run(const CriticalStep& step);
    Done run(const ProcessedStep& step);
    Done run(const EachStep& step);
    Done run(const EachEndStep& step);
    Done run(const FailStep& step);
    Done run(const DieStep& step, const std::stop_token& stop);
    static Done run(const EndStep&);
    Done perform(const Step& step, const std::stop_token& stop);

    void goOnAfter(const ResumePoint& resume);
    Result<After> go(const Flow& flow);
    Result<After> endRound(const Flow& flow);
    void leaveCriticalSections();
    void rollBack();
    void noteEndOfTransaction();
    void noteWritten(); ///< for good
    Done explained(const Error& error, const std::stop_token& stop);
    Done notGranted(const AcquireStep& step, locks::Outcome outcome, const QString& name);
    Result<locks::LockStrategy*> strategy(locks::LockKind kind);
    const SqlTemplate::Filled& filled(const SqlTemplate& sql, const QString& label);
    QString shownName(const locks::Grant& grant) const;
    QString fullName(const AcquireStep& step) const;
    QString program() const; ///< as which it appears; empty = as a session of the run
    bool isSteppedMishap() const { return m_number == 1 && m_round <= 1; }
    bool happens(const Amount& oneIn);
    double random(); ///< 0 … 1

    const RunContext& m_context;
    const Role& m_role;
    const int m_number;
    const QString m_sessionName;
    SessionLog& m_log;
    QRandomGenerator m_random;
    qint64 m_drawn = 0; ///< from m_random

    // Released before the connection goes.
    std::unique_ptr<db::Connection> m_connection;
    std::map<locks::LockKind, std::unique_ptr<locks::LockStrategy>> m_strategies;
    std::unordered_map<const TakeStep*, std::unique_ptr<locks::QueueReader>> m_queues;
    QHash<QString, std::shared_ptr<locks::Grant>> m_grants; ///< by the name of the acquire step
    QSet<QString> m_ofTransaction; ///< those of m_grants that end with it
    std::vector<std::shared_ptr<locks::Grant>> m_forgotten; ///< taken again without a release

    std::unordered_map<const SqlTemplate*, SqlTemplate::Filled> m_filled;
    Values m_values;
    std::vector<qint64> m_draws;
    QHash<QString, QStringList> m_lists;
    QHash<QString, qsizetype> m_places; ///< in lists that are gone through
    QStringList m_sections; ///< critical ones that the session is in
    QStringList m_rowLocks; ///< taken by statements of the open transaction
    QStringList m_changedRows; ///< of the open transaction: SqlStep::locksRow
    std::vector<SessionLog::Note> m_written; ///< to be noted when its transaction has committed
    locks::QueueReader* m_reader = nullptr; ///< the reader of m_packet
    std::vector<locks::QueueRow> m_packet;
    const std::vector<Step>* m_program = nullptr;
    int m_at = 0;
    qint64 m_round = 0;
    bool m_inRound = false;
    std::optional<Flow> m_ending; ///< while the last steps are done
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

/// A session that does one step when it is told to, and then those that nobody else can see. startOver()
/// and step() are called on the session's thread; the others by who gives the orders, while the session is at
/// rest.
class SteppedSession {
public:
    /// Goes through the program `rounds` times.
    explicit SteppedSession(int rounds)
        : m_rounds(rounds)
    {
    }

    // Orders: see SessionThreads.
    /// Goes to the first step, at the start and again later.
    Result<void> startOver(ScenarioSession& session, const std::stop_token& stop);
    Result<void> step(ScenarioSession& session, const std::stop_token& stop);

    bool isOver() const { return m_isOver; } ///< there is no step left
    StepOutcome outcome() const { return m_outcome; } ///< of the last step
    int rounds() const { return m_roundsDone; }

private:
    Result<void> proceed(ScenarioSession& session, bool evenIfSeen, const std::stop_token& stop);

    int m_rounds;
    int m_roundsDone = 0;
    bool m_isOver = false;
    StepOutcome m_outcome = StepOutcome::Done;
};

} // namespace lockscope::scenario
