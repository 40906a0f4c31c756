// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Worker.h"
#include "core/db/ServerProfile.h"
#include "core/deadlock/source/DeadlockPoller.h"
#include "core/monitor/History.h"
#include "core/monitor/ServerMonitor.h"
#include "core/order/OrderWatch.h"
#include "core/record/Recorder.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace lockscope::watch {

/// Says where and how a server's snapshots are recorded.
struct RecordOptions {
    QString path{}; ///< empty: the server's file in the account's folder for recordings
    QString program; ///< that records: "lockctl"
    record::RecorderSettings settings = {};
    bool redacts = false; ///< values of statements are left out
};

/// Returns the server as a recording of it names it; which recording that is stays open. Blocks on the disk
/// for a file.
record::Identity identityOf(const db::ServerProfile& profile);

struct WatchOptions {
    QString place = {}; ///< of the server, if it is known: record::serverPlace(), which blocks for a file
    milliseconds interval{2'000};
    double budget = 0.25; ///< the share of the server's time that polls may take
    monitor::ProbeSelection probes = {};
    monitor::LockReading lockReading = monitor::LockReading::Always;
    std::shared_ptr<monitor::PollPlaces> places = {}; ///< shared with other watches; null: there is no limit
    std::optional<RecordOptions> recording = {}; ///< nothing: there is no recorder
    bool readsDeadlocks = true; ///< the server's own records of them
    bool keepsOrder = true; ///< in which order locks are taken
    microseconds history = std::chrono::minutes(15); ///< how far back history() goes
    milliseconds deadlockPause{30'000}; ///< between two readings of the server's records of deadlocks
    /// By the server's time at the first poll: from when on its records are read. Nothing: from then on.
    std::function<std::optional<ServerTime>(ServerTime now)> deadlocksSince = {};
};

/// Watches one server, with or without a window: polls it, records what is seen with its alerts, reads what
/// the server itself records of deadlocks, and keeps the order in which its locks are taken. Belongs to the
/// main thread, which needs an event loop; nothing but waitForEnd() and finish() waits.
class ServerWatch : public QObject {
    Q_OBJECT

public:
    ServerWatch(const db::Server& server, const WatchOptions& options, QObject* parent = nullptr);
    /// Polls what `source` gives. Nothing else is asked of the server.
    ServerWatch(const db::ServerProfile& profile, monitor::ServerMonitor::SourceFactory source,
        const WatchOptions& options, QObject* parent = nullptr);
    ~ServerWatch() override;

    void start();
    /// Makes one poll, because a person asks: also while paused, and after a refused login. If it succeeds,
    /// the server's own records of deadlocks are read again, too, if their login was refused.
    void refreshNow();
    /// Ends polling and recording, for good. Returns at once: a last reading of the server's records of
    /// deadlocks and the writing of all that was seen go on for some seconds.
    void end();
    /// Waits for that, after end(). False if it goes on; call it again until it does not.
    bool waitForEnd(milliseconds atMost);
    /// Ends all of them and waits for that.
    static void finish(const std::vector<std::unique_ptr<ServerWatch>>& watches);

    const db::ServerProfile& profile() const { return m_profile; }
    const record::Identity& identity() const { return m_identity; } ///< identityOf() as it was opened
    const QString& place() const { return m_identity.place; } ///< record::serverPlace() of it
    /// Returns the server for work on other threads; none if it only shows a source.
    const std::optional<db::Server>& server() const { return m_server; }
    monitor::ServerMonitor& monitor() { return m_monitor; }
    const monitor::ServerMonitor& monitor() const { return m_monitor; }
    const monitor::History& history() const { return m_history; }
    const monitor::Figures& figures() const { return m_figures; }
    /// Takes the figures that are recorded of the time before.
    void startHistoryWith(const monitor::History& recorded) { m_history.startWith(recorded); }
    /// Returns null where nothing is ever recorded.
    record::Recorder* recorder() const { return m_recorder.get(); }
    /// Reports damage that a reader of its file has met to the recorder; empty: there is none. Any thread.
    std::function<void(const Error&)> damageSink() const;
    /// Reads the server's own records of deadlocks; null where there are none, or nothing was polled yet.
    const deadlock::DeadlockWatch* deadlocks() const { return m_deadlocks.get(); }
    ServerTime deadlocksSince() const { return m_deadlocksSince; } ///< about when it read them first
    /// Null: nothing is known yet.
    order::OrderStatePtr order() const { return m_order ? m_order->state() : nullptr; }

    /// Time since the latest good snapshot; zero before the first one.
    milliseconds dataAge() const;
    bool isOld() const; ///< paused, failed or silent: what is shown may be over by now

Q_SIGNALS:
    void snapshotChanged(); ///< figures and history are up to date
    void healthChanged();
    /// The server's own records of deadlocks were read: deadlocks()->latest().
    void deadlocksPolled();
    void orderChanged();

protected:
    db::ServerProfile m_profile;

private:
    monitor::ServerMonitor::SourceFactory recorded(monitor::ServerMonitor::SourceFactory source) const;
    void takeSnapshot();
    void takeHealth();
    void tellPace();
    void noteOrder(const Result<SnapshotPtr>& taken);
    void pollDeadlocks(const Snapshot& snapshot);

    const WatchOptions m_options;
    const record::Identity m_identity;
    std::optional<db::Server> m_server;
    std::shared_ptr<record::Recorder> m_recorder;
    monitor::ServerMonitor m_monitor;
    std::unique_ptr<deadlock::DeadlockWatch> m_deadlocks;
    ServerTime m_deadlocksSince;
    bool m_isAsked = false; ///< by a person, since the last snapshot
    std::optional<std::chrono::steady_clock::time_point> m_pollsEndBy; ///< since end()
    std::optional<std::chrono::steady_clock::time_point> m_writingEndsBy; ///< since the last poll
    std::shared_ptr<order::OrderWatch> m_order;
    Worker m_orderWorker;
    monitor::History m_history;
    monitor::Figures m_figures;
};

} // namespace lockscope::watch
