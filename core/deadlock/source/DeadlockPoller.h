// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/base/Backoff.h"
#include "core/base/Mutex.h"
#include "core/db/Server.h"
#include "core/deadlock/source/DeadlockSource.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace lockscope::deadlock {

/// Polls a server's own records of deadlocks at the right times, by a connection of its own: for a thread
/// that does nothing else. Any thread, unless a function says something else.
///
/// A poll is followed by the pause, not by the clock, so that polls never pile up; a long one stretches the
/// pause (a poll fills a twentieth of the time at most; a quarter while there is more to read or a deadlock
/// was just seen). Errors back off up to five minutes. After a refused login there is no poll until
/// pollNow(): a few failures lock an account, so a person has to act.
class DeadlockPoller {
public:
    /// Called on the thread of run() after each poll; must not wait for the code that ends that thread.
    using ResultHandler = std::function<void(Result<SourcePoll>)>;

    /// Returns whether such servers keep records at all.
    static bool isPossible(Engine engine);
    /// `since`: nothing: from now on; else also those records that are there from then on. Null where it is
    /// not possible. Asks nothing yet.
    static std::unique_ptr<DeadlockSource> makeSource(
        db::Connection& connection, std::optional<ServerTime> since = {});

    /// `since` as of makeSource().
    explicit DeadlockPoller(db::Server server, std::optional<ServerTime> since = {});
    Q_DISABLE_COPY_MOVE(DeadlockPoller)

    Engine engine() const { return m_server.engine(); }

    /// Polls until `stop` or finish(). Once, on one thread.
    void run(const std::stop_token& stop, const ResultHandler& tell);

    void setCadence(milliseconds cadence); ///< the pause between polls; 30 s by default; 1 s – 1 h, clamped
    void setPaused(bool paused); ///< no poll of its own accord
    /// A deadlock was just seen (by the monitor): its record stands there in about a second. While paused:
    /// nothing.
    void pollSoon();
    /// Polls at once, because a person asks: also while paused, and after a refused login.
    void pollNow();
    /// Makes run() poll at once for the last time, again while a record is incomplete, and return; without
    /// that poll if the one before failed.
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point due() const LOCKSCOPE_REQUIRES(m_mutex);
    void nudge() LOCKSCOPE_REQUIRES(m_mutex);
    bool waitUntilDue(const std::stop_token& stop) LOCKSCOPE_REQUIRES(m_mutex);
    void pollAgainAfter(milliseconds pause) LOCKSCOPE_REQUIRES(m_mutex)
    {
        m_early.push_back(Clock::now() + pause);
    }
    void note(const Result<SourcePoll>& poll, Backoff& backoff) LOCKSCOPE_REQUIRES(m_mutex);

    const db::Server m_server;
    const std::optional<ServerTime> m_since;

    Mutex m_mutex;
    ConditionVariable m_wake;
    milliseconds m_cadence LOCKSCOPE_GUARDED_BY(m_mutex){30'000};
    bool m_isPaused LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    bool m_isAsked LOCKSCOPE_GUARDED_BY(m_mutex) = false; ///< by a person
    bool m_isFinishing LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    bool m_isFirst LOCKSCOPE_GUARDED_BY(m_mutex) = true;
    bool m_needsPerson LOCKSCOPE_GUARDED_BY(m_mutex) = false; ///< a login was refused
    bool m_isNudged LOCKSCOPE_GUARDED_BY(m_mutex) = false; ///< the thread must check what changed
    std::vector<Clock::time_point> m_early LOCKSCOPE_GUARDED_BY(m_mutex); ///< polls before their time
    std::optional<milliseconds> m_failurePause LOCKSCOPE_GUARDED_BY(m_mutex);
    Clock::duration m_lastDuration LOCKSCOPE_GUARDED_BY(m_mutex){0};
    Clock::time_point m_lastEnd LOCKSCOPE_GUARDED_BY(m_mutex);
    int m_earlyPolls LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
    qint64 m_countedBefore LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
};

/// The limits for reading and keeping a server's records, however many there are and however fast they grow.
struct AllBounds {
    qint64 bytes = qint64(512) << 20; ///< to be read; one poll more than that at most
    qsizetype reports = 10'000; ///< the newest are kept
    /// Characters of what is kept: a session can have the server write reports of megabytes.
    qint64 text = qint64(64) << 20;
    milliseconds pause{600}; ///< for what is being written at the end
    int pauses = 5; ///< at most
};

/// The results of all polls together.
struct AllPolled {
    SourcePoll poll; ///< with what was not read or not kept in `limits`
    /// False: the bounds ended the reading, or what is at the end was not yet whole: there may be more.
    bool isComplete = true;
    qsizetype dropped = 0; ///< reports that were not kept, the oldest
};

/// Polls a server's records up to their present end, by `poll`. Blocks. Fails with the error of a poll, or
/// Cancelled.
Result<AllPolled> pollAll(const std::function<Result<SourcePoll>(const std::stop_token&)>& poll,
    const std::stop_token& stop = {}, const AllBounds& bounds = {});

/// Polls a server's own records of deadlocks every now and then, at the times of DeadlockPoller, on a thread
/// and a connection of its own. This object is of the main thread; nothing here waits, also the destructor
/// returns at once.
class DeadlockWatch : public QObject {
    Q_OBJECT

public:
    /// `since` as of DeadlockPoller::makeSource. Asks nothing before start().
    explicit DeadlockWatch(
        db::Server server, std::optional<ServerTime> since = {}, QObject* parent = nullptr);
    ~DeadlockWatch() override;

    /// Does nothing for engines that keep no records of deadlocks (DeadlockPoller::isPossible).
    void start();
    /// The polls of its thread: sets their pace, and asks for one.
    DeadlockPoller& polls();

    /// Waits for the end of the polls, after DeadlockPoller::finish(); its signals are emitted before this
    /// returns. False if it has not ended by then.
    bool waitForEnd(milliseconds atMost);

    /// The cost of the polls so far, for display.
    struct Cost {
        qint64 polls = 0; ///< those that ended well
        qint64 failures = 0;
        qint64 bytes = 0;
        qint64 roundTrips = 0;
        microseconds server{0}, client{0};
        microseconds lastServer{0}, lastClient{0}; ///< of the latest poll
    };
    Cost cost() const { return m_cost; }
    /// The latest answer's, for receivers that come later than the signal; null before the first.
    const std::optional<Result<SourcePoll>>& latest() const { return m_latest; }

Q_SIGNALS:
    /// Emitted once for each poll; none is left out.
    void polled(const lockscope::Result<lockscope::deadlock::SourcePoll>& poll);

private:
    struct Shared;
    void takeOver();

    // All but the shared state belong to the main thread.
    std::shared_ptr<Shared> m_shared;
    BackgroundThread m_thread;
    Cost m_cost;
    std::optional<Result<SourcePoll>> m_latest;
};

} // namespace lockscope::deadlock
