// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Conditions.h"
#include "core/metrics/OpenMetrics.h"
#include "core/monitor/Surroundings.h"
#include "core/record/postgres/HistoryUpload.h"

#include <chrono>
#include <map>

namespace lockscope::metrics {

/// All families that there are, without samples, each name once.
class FamilySet {
public:
    FamilySet();
    /// BUG if there is no such family. `labels` must be other ones than those of the family's other samples.
    void add(const char* name, Sample sample);
    const std::vector<MetricFamily>& families() const { return m_families; }

private:
    std::vector<MetricFamily> m_families;
};

/// The figures of one server and what was counted since this program watches it. What is not known has no
/// sample, which is another thing than zero. A value; not thread-safe.
class ServerMetrics {
public:
    using Clock = std::chrono::steady_clock;

    /// The labels of all samples; `server` as Cause::server names it.
    ServerMetrics(QString server, QString database)
        : m_server(std::move(server))
        , m_database(std::move(database))
    {
    }

    /// Takes a poll that was answered; `interval`: the present one between polls. Of a gap no more counts as
    /// waited than of the longest time between two polls that follow on each other.
    void noteSnapshot(
        const SnapshotPtr& snapshot, milliseconds interval, Clock::time_point now = Clock::now());
    void noteMeasures(const std::vector<monitor::Measure>& measures);
    /// Takes the waits that the server has counted by now; none: it does not count, or may not tell.
    void noteLockCounts(const std::vector<monitor::LockCount>& counts);
    /// Takes the number of polls that failed since the last one that was answered, and whether one hangs.
    void noteFailures(int inARow, bool isSilent);
    void setDeadlocks(qint64 sinceStart) { m_deadlocks = sinceStart; }
    void setRecorded(qint64 snapshots, bool isFailing) { m_recorded = {snapshots, isFailing}; }

    /// Takes what becomes of the recording in a team's history; nothing: it goes into none.
    void setUpload(const std::optional<record::UploadState>& upload) { m_upload = upload; }

    void addTo(FamilySet& set, Clock::time_point now = Clock::now()) const;

private:
    Labels labels(Labels more = {}) const;
    void addPolls(FamilySet& set, Clock::time_point now) const;
    void addLocks(FamilySet& set) const;
    void addWaits(FamilySet& set) const;
    void addUpload(FamilySet& set) const;
    void addLockCounts(FamilySet& set) const;
    void countWaits(milliseconds step);

    const QString m_server;
    const QString m_database;
    SnapshotPtr m_snapshot; ///< null: none yet
    std::vector<alert::Chain> m_chains; ///< of that one
    Clock::time_point m_taken{};
    ServerTime m_takenAt; ///< by this machine's clock
    milliseconds m_interval{0};
    qint64 m_answered = 0;
    qint64 m_failed = 0;
    int m_failedInARow = 0;
    bool m_isSilent = false;
    microseconds m_polling{0}; ///< all polls together
    milliseconds m_waited{0};
    milliseconds m_ownWaited{0};
    std::map<QString, qint64> m_measures; ///< by kind, as last read
    std::vector<monitor::LockCount> m_lockCounts; ///< as last read
    std::optional<qint64> m_deadlocks;
    std::optional<std::pair<qint64, bool>> m_recorded;
    std::optional<record::UploadState> m_upload;
};

} // namespace lockscope::metrics
