// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/SnapshotSource.h"
#include "core/scenario/run/Interleaving.h"
#include "core/scenario/run/PreparedRun.h"
#include "core/scenario/run/ScenarioSession.h"

#include <map>
#include <optional>

namespace lockscope::scenario {

/// The contents of one of a run's tables at some time, for people.
struct TableState {
    QString name;
    QStringList columns;
    std::vector<QStringList> rows; ///< the first ones, in the order of the first column
    bool hasMore = false;
    QString fault; ///< why it can't be read now; empty = it was
    bool operator==(const TableState&) const = default;
};
constexpr int rowsOfTableState = 8;

/// Reads the tables that a run has made, without Lockscope's own, by a connection of its own: on PostgreSQL
/// and SQLite what is committed, on SQL Server what was written, because there a reader would have to wait.
/// One thread.
class TableReader {
public:
    /// Asks nothing before read(). `context` must outlive it.
    explicit TableReader(const RunContext& context);
    ~TableReader();
    Q_DISABLE_COPY_MOVE(TableReader)

    /// Reads them in the order in which they were made. Blocks; a table that somebody keeps locked costs a
    /// quarter of a second and says so.
    Result<std::vector<TableState>> read(const std::stop_token& stop);

private:
    Result<void> connect();
    TableState readOne(const QString& name, const QStringList& columns, const std::stop_token& stop);

    const RunContext& m_context;
    std::unique_ptr<db::Connection> m_connection;
    struct Known {
        QStringList columns;
        std::optional<db::Statement> peek; ///< of these columns
    };
    std::map<QString, Known> m_known;
};

/// Polls the server as the monitor does, by a connection of its own, and shows which sessions can't go on.
/// One thread.
class WaitInspector {
public:
    /// Asks nothing before inspect(). `context` must outlive it.
    explicit WaitInspector(const RunContext& context);

    /// Polls again; the others' results are from then. Blocks.
    Result<void> inspect(const std::stop_token& stop);

    /// The reason why a session can't go on.
    struct Obstacle {
        std::vector<SessionId> blockers; ///< ascending
        QString on; ///< "account row (0,1)"; empty if it is only known that a transaction has to end
    };
    /// Returns the obstacle by the server's own locks.
    std::optional<Obstacle> ofSession(SessionId session) const;
    /// True if somebody has this name in the lock table.
    bool isTaken(const QString& entry) const;
    /// True if somebody waits for it in the lock table.
    bool isWaitedFor(const QString& entry) const;
    /// Describes sessions that don't belong to the run: "psql, session 4711".
    QString describe(SessionId session) const;

private:
    QString rowAwaitedBy(SessionId session) const;
    QString shown(const Resource& resource) const;

    const RunContext& m_context;
    std::unique_ptr<monitor::SnapshotSource> m_source;
    SnapshotPtr m_seen;
};

class SessionThreads;

/// A run whose scheduler is the caller. Of the order, `sessions` 0 means two, or as many as the scenario
/// needs; duration, think and rate mean nothing.
struct StepOrder {
    RunOrder run;
    int rounds = 0; ///< of each session; 0 = one
};

enum class Standing : quint8 {
    Ready, ///< its next step may be run
    Running, ///< its step takes its time: nothing is known that holds it up
    Blocked, ///< its step waits for others
    Over, ///< there is no step left
};

/// One statement of a session's program, as the file has it.
struct ProgramLine {
    QString label;
    QString text;
    bool isAtLast = false; ///< done at the end of each round
};

/// The text of a line of the program when the session executed it in this round.
struct DoneLine {
    QString text; ///< with the values of then; empty = it was not done yet
    QString read; ///< "balance = 5": what it has read or got; may be empty
    bool operator==(const DoneLine&) const = default;
};

struct SteppedView {
    int number = 0; ///< from 1
    QString letter; ///< "A"
    QString role;
    Standing standing = Standing::Ready;
    int round = 1; ///< it is in
    int stepsDone = 0; ///< the one that runs or is blocked counts
    int line = -1; ///< of program(): the step that is next, runs or is blocked; −1 = over
    QString label; ///< of that step
    QString text; ///< of that step, with the values of now
    std::vector<DoneLine> done; ///< by line of program()
    std::vector<int> blockers; ///< sessions of the run, ascending
    QStringList otherBlockers; ///< other blockers: "psql, session 4711"
    QString blockedOn; ///< "account row (0,1)"
    bool hasLimit = false; ///< that step waits a limited time only
    StepOutcome lastOutcome = StepOutcome::Done; ///< of the step before
};

/// Step mode: each session shows its next statement and executes it on request, on its own thread and
/// connection. A step that blocks is shown as blocked, by whom and on what, as the server shows it to a
/// second connection; the others can go on meanwhile. Belongs to one thread; every call that takes a `stop`
/// may block for as long as the server does: not for the GUI thread.
///
/// If the engine lets us, its deadlock detector is set to check at once, so that the victim of a deadlock is
/// always the session that closed the cycle.
class StepRun {
public:
    static Result<std::unique_ptr<StepRun>> start(
        const db::Server& server, const StepOrder& order, const std::stop_token& stop = {});
    /// Cancels what still runs and removes the run's area.
    ~StepRun();
    Q_DISABLE_COPY_MOVE(StepRun)

    const StepOrder& order() const { return m_order; }
    Engine engine() const { return m_server.engine(); }
    /// Returns the sessions after the last call; by number.
    const std::vector<SteppedView>& sessions() const { return m_views; }
    /// Returns a session's steps that can be run one by one, in the order of the file.
    const std::vector<ProgramLine>& program(int session) const;
    /// The one that step() would do. Only of a session that is Ready.
    const Step& nextStep(int session) const;
    /// The lock that it would acquire, as the server has it; empty: it acquires none by name.
    QString nextLock(int session) const;
    /// Returns the id of a session's connection; another one if it had to connect again.
    SessionId sessionId(int session) const { return m_latest[std::size_t(session) - 1].id; }
    const RunContext& context() const { return m_run->context; }
    /// Returns the steps so far, each with its end where it has one.
    const Interleaving& record() const { return m_record; }
    /// The start of each of its steps and, if it has ended, its end: since the start, by the clock of
    /// reports().
    struct StepTime {
        microseconds begun{0};
        std::optional<microseconds> ended;
    };
    const std::vector<StepTime>& stepTimes() const { return m_times; }
    QString runId() const { return m_run->area->id(); } ///< "run_3f9c…"; another one after each restart
    /// True if no session is ready, and none runs that could make one so.
    bool isOver() const;
    /// Sessions wait, and none is left that could let them go on.
    bool isStuck() const;

    /// Runs the next step of a session that is Ready. Returns when it is done or blocked and everything else
    /// has come to rest, too; after `patience` at the latest (negative: for ever), with what is not known to
    /// be blocked as Running. BadInput if the session is not ready.
    Result<void> step(
        int session, const std::stop_token& stop = {}, milliseconds patience = milliseconds(-1));
    /// Checks those again that run or are blocked: a wait may have come to its end meanwhile.
    Result<void> refresh(const std::stop_token& stop = {}, milliseconds patience = milliseconds(0));
    /// Sets everything as at the start, in a fresh area. After an error only this may be called again.
    Result<void> restart(const std::stop_token& stop = {});
    /// The same, but fast where the engine and the scenario allow it: the tables of the area get back what
    /// they held at the start, and the sessions keep their connections. `seed`: another one from now on.
    Result<void> startOver(quint32 seed, const std::stop_token& stop = {});
    /// Returns the possible draws of the sessions.
    DrawSpace drawSpace() const { return {m_run->roles, m_order.rounds, m_run->context.values}; }
    /// Returns the draws of the sessions since the start.
    std::vector<qint64> draws() const;

    /// Returns how often the rules have been broken so far. Waits don't count by their length, because it is
    /// the caller who takes the time: one that nobody can end any more counts as one that took too long.
    Result<Violations> judge();
    std::vector<SessionReport> reports() const;
    /// Returns the present contents of the run's tables.
    Result<std::vector<TableState>> tables(const std::stop_token& stop = {});

private:
    StepRun(db::Server server, StepOrder order);

    Result<void> open(const std::stop_token& stop);
    void setUpViews();
    void begin();
    Result<void> startAll(const std::stop_token& stop);
    Result<void> settle(const std::stop_token& stop, milliseconds patience);
    Result<bool> inspectWaits(const std::stop_token& stop);
    bool findObstacle(std::size_t at);
    bool findLockObstacle(std::size_t at);
    bool findTableObstacle(std::size_t at);
    bool findFileObstacle(std::size_t at);
    bool hasCycle() const;
    Result<void> noteEnded();
    void showNext(std::size_t at);
    void noteRead(std::size_t at);
    microseconds now() const; ///< since the start
    /// Returns the session at this place of m_views. Only while it is at rest.
    const ScenarioSession& session(std::size_t at) const;
    int sessionBy(SessionId id) const;

    const db::Server m_server;
    StepOrder m_order;
    std::unique_ptr<PreparedRun> m_run;
    std::unique_ptr<WaitInspector> m_waits;
    std::unique_ptr<TableReader> m_tables; ///< once it was asked
    std::vector<SteppedSession> m_steps; ///< of each session
    std::unique_ptr<SessionThreads> m_sessions; ///< they use all of the above
    std::vector<std::vector<ProgramLine>> m_programs;
    std::vector<std::vector<const Step*>> m_lines; ///< beside m_programs
    std::vector<SteppedView> m_views;
    /// The latest step of each session.
    struct Latest {
        std::optional<std::size_t> record; ///< in m_record, while it has not ended
        const Step* step = nullptr;
        int line = -1; ///< of the program
        QString lock; ///< that it acquires: as the server has it
        QString lockText; ///< for people
        Steady::time_point begun;
        SessionId id; ///< of the session before the step
    };
    std::vector<Latest> m_latest;
    QHash<QString, int> m_tableHolders; ///< of lock-table names: the session that got it last
    Interleaving m_record;
    std::vector<StepTime> m_times; ///< beside m_record.steps
    Steady::time_point m_lastBlocked;
    Steady::time_point m_start;
    bool m_isRestorable = false;
};

} // namespace lockscope::scenario
