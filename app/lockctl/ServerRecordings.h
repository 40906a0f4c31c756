// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/Incidents.h"
#include "core/base/Mutex.h"
#include "core/db/Server.h"
#include "core/monitor/SnapshotSource.h"
#include "core/record/Recording.h"

#include <QList>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace lockscope::ctl {

/// What is recorded of each server, and for how long.
struct RecordOrder {
    milliseconds interval{1'000};
    record::Retention retention;
    bool redact = false;
    monitor::ProbeSelection probes;
    alert::Incidents::Settings alerts = {};
    std::optional<milliseconds> length; ///< nothing: until it is stopped; at least one look is taken
};

/// How the recording of one server gets on.
struct RecordState {
    QString server;
    QString path;
    qint64 moments = 0;
    qint64 writes = 0; ///< that reached the disk: moments, and that nothing could be read
    bool isOpen = false; ///< there is a file
    bool hasEnded = false;
    /// When a poll was begun that has not been answered yet.
    std::optional<std::chrono::steady_clock::time_point> asking{};
    QString trouble{}; ///< what can't be read or written at present
};

/// Records several servers at once, each on a thread of its own, with a connection and a file of its own, and
/// with another of each for what the server records of its deadlocks:
/// what happens to one does not concern the others. One thread, that of the owner, who outlives the threads.
class ServerRecordings {
public:
    explicit ServerRecordings(const RecordOrder& order);
    ~ServerRecordings();
    ServerRecordings(const ServerRecordings&) = delete;
    ServerRecordings& operator=(const ServerRecordings&) = delete;

    /// BadInput: the file is another's already.
    Result<void> add(const db::Server& server, const QString& path);
    /// Opens the files; what fails is told, and tried again later. The error, if none could be opened.
    Result<void> open();
    /// Until `stop`, or the order's end.
    void start(const std::stop_token& stop);
    /// Waits for the threads: after the order's end, or `stop`.
    void join();
    /// How they get on, after `atMost` or when something has changed.
    QList<RecordState> states(milliseconds atMost);
    QList<RecordState> states() const;

private:
    struct One;
    struct Shared {
        Mutex mutex;
        ConditionVariable changed;
        bool isNews LOCKSCOPE_GUARDED_BY(mutex) = false;
        QList<RecordState> states LOCKSCOPE_GUARDED_BY(mutex);
    };
    void work(One& one, const std::stop_token& stop);
    Result<void> openOne(One& one);
    void noteAsking(const One& one, std::optional<std::chrono::steady_clock::time_point> since);
    Result<void> look(One& one, const std::stop_token& stop);
    Result<void> pruneUntil(
        One& one, std::chrono::steady_clock::time_point until, const std::stop_token& stop) const;
    Result<void> noteDamage(One& one, const Result<void>& failed);
    static void lookForDeadlocks(One& one);
    Result<void> addDeadlocks(One& one, const Snapshot& snapshot);
    Result<void> addLastDeadlocks(One& one);
    Result<void> writeDeadlocks(One& one, ServerTime now);
    void tell(One& one, const Result<void>& done, bool wrote);

    RecordOrder m_order;
    mutable Shared m_shared;
    std::vector<std::unique_ptr<One>> m_all;
};

} // namespace lockscope::ctl
