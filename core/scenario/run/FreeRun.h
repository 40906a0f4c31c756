// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "core/report/Report.h"
#include "core/scenario/run/Judge.h"

#include <QJsonObject>

#include <memory>
#include <thread>

namespace lockscope::scenario {

/// The kind of a run's sessions, beside their connections. Processes take longer to come, share nothing but
/// the server, and crash for good when a scenario crashes its program: the server finds the client gone.
enum class SessionsAre { Threads, Processes };

inline constexpr milliseconds endless = milliseconds::max();

struct RunOrder {
    ScenarioPtr scenario;
    QString variant; ///< its id; empty = the first unsafe one
    int sessions = 0; ///< 0 = the scenario's own number
    milliseconds duration{0}; ///< 0 = the scenario's own; endless = until it is stopped, without events
    milliseconds think{0}; ///< between the rounds of a session
    double rate = 0; ///< rounds a second of each session; 0 = as fast as it can
    quint32 seed = 1; ///< of draws and thinking times
    QHash<QString, QString> parameters; ///< as text; those that are not here have their defaults
    SessionsAre sessionsAre = SessionsAre::Threads; ///< only of runs, not of steps
    QString
        sessionProgram; ///< of processes; empty = "lockscope-session" beside this program, else on the PATH
};

struct RunReport;

struct Progress {
    enum class Phase { Preparing, Running, Ending };
    Phase phase = Phase::Preparing;
    milliseconds elapsed{0}; ///< of the running
    milliseconds duration{0};
    Counts counts;
    int sessions = 0; ///< that are connected
    int plannedSessions = 0; ///< sessions that there shall be
    int waiting = 0; ///< of these, for a lock
    /// Returns the events of the sessions until now, for pictures: a report without violations. Copies all
    /// events. Only inside the handler.
    std::function<RunReport()> soFar;
};
/// Called on the thread that runs, ten times a second.
using ProgressHandler = std::function<void(const Progress&)>;

struct SessionReport {
    int number = 0; ///< from 1
    QString role;
    SessionLog::Copy log;
};

struct RunReport {
    ScenarioPtr scenario;
    QString variant;
    Engine engine = {};
    QString runId; ///< "run_3f9c…"
    quint32 seed = 1;
    SessionsAre sessionsAre = SessionsAre::Threads;
    milliseconds startUp{0}; ///< until all sessions were connected
    milliseconds duration{0}; ///< that it ran, not that it should have
    bool wasStopped = false; ///< before its time, by the caller
    Counts counts;
    WaitHistogram waits; ///< from asking for a lock to the answer
    Violations violations;
    QString verdict;
    std::vector<SessionReport> sessions;
    std::optional<Error> leftBehind; ///< why the run's schema could not be removed; the next run tries again

    double roundsPerSecond() const; ///< whole ones
    double itemsPerSecond() const; ///< processed
};

/// Runs a variant: sessions with a connection and a thread or process each, in an area of their own that is
/// gone afterwards. Before, the remains of runs that crashed are removed. Blocks: not for the GUI thread.
/// After `stop` it returns within a second, with what there was so far. Near the end sessions may finish
/// their round, those that wait or take long are cancelled in the middle of it.
///
/// An error means that nothing can be said: no connection, a mistake in the scenario's SQL, a session's
/// process that somebody has killed.
Result<RunReport> runFreely(const db::Server& server, const RunOrder& order, const std::stop_token& stop = {},
    const ProgressHandler& onProgress = {});

/// The report for programs; without the sessions' events.
QJsonObject toJson(const RunReport& report);

/// Runs of a scenario's variants side by side, in this order.
report::Report toReport(const std::vector<std::shared_ptr<const RunReport>>& runs);
/// Returns one run, with the table of its sessions.
report::Report reportOf(const RunReport& run);
/// Returns the table "sessions" of a run.
report::Section sessionsSection(const RunReport& run);

/// "812", "8.1".
QString rateText(double perSecond);
/// Returns "4 locks denied", "1 crash": those that there are.
QStringList countsInWords(const Counts& counts);
/// Returns "812 rounds/s", "waits: half below 3 ms, …" and the counts.
QStringList figuresInWords(const RunReport& run);

/// Stands for a variant below its bars, where a title is too long.
QString variantLetter(std::size_t row);

/// Real sessions with real locks, so that the first thing a newcomer sees is live contention: the scenario
/// resources/scenarios/demo.json, which runs until this object goes. Its thread starts it again should it
/// fail, for instance because somebody has removed its tables.
class DemoRun {
public:
    /// Installs Lockscope's schema if it is not there. Blocks until all sessions are connected. Unsupported
    /// on engines that the demo is not written for.
    static Result<std::unique_ptr<DemoRun>> start(const db::Server& server);

private:
    DemoRun(const db::Server& server, const RunOrder& order, Result<void>& started);

    std::jthread m_thread; ///< its end removes what the demo has made, and takes a second at most
};

} // namespace lockscope::scenario
