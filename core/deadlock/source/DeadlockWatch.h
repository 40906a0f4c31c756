// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/db/Server.h"
#include "core/deadlock/source/DeadlockSource.h"

#include <QObject>

#include <memory>

namespace lockscope::deadlock {

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
    void setCadence(milliseconds cadence); ///< the pause between polls; 30 s by default; 1 s – 1 h, clamped
    void setPaused(bool paused); ///< no poll of its own accord
    /// A deadlock was just seen (by the monitor): its record stands there in about a second. While paused:
    /// nothing.
    void pollSoon();
    /// Polls at once, because a person asks: also while paused, and after a refused login.
    void pollNow();

    /// Makes one last poll, at once, and then no more; without it if the poll before failed. Returns at once.
    void finish();
    /// Waits for that, after finish(); its signals are emitted before this returns. False if it has not ended
    /// by then.
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
