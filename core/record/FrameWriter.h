// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/monitor/Surroundings.h"
#include "core/record/LockIntervals.h"
#include "core/record/Numbers.h"
#include "core/record/Recording.h"

#include <map>
#include <utility>
#include <vector>

namespace lockscope::record {

/// Puts snapshots into the tables of a recording, with what follows from them: frames, intervals of locks,
/// figures. All but load() belong into a transaction of the caller's; if that is not committed, this object
/// differs from the file and has to be made again. One thread, that of the database.
class FrameWriter {
public:
    FrameWriter(Database& database, Engine engine, bool redacts)
        : m_database(database)
        , m_numbers(database, engine, redacts)
    {
    }

    /// Goes on at the end of the file. What a program that was cut off has left open ends as it was seen
    /// last.
    Result<void> load();
    /// Begins a segment of the program that polls from now on.
    Result<void> beginSegment(ServerTime taken, ServerTime noted, const QString& host, qint64 process);
    bool isInSegment() const { return m_segment != 0; }
    /// Ends the segment; does nothing if none has begun.
    Result<void> endSegment(const QString& reason);
    /// The end reason of the file's last segment, if that is not known: its writer could not write it any
    /// more.
    Result<void> explainEnd(const QString& reason);
    /// Writes the next snapshot of the segment; `interval`: Poll::interval.
    Result<void> write(const SnapshotPtr& snapshot, ServerTime noted, microseconds interval = {});
    /// Writes measures, each kind and name once.
    Result<void> add(const std::vector<monitor::Measure>& measures, ServerTime taken);
    Result<void> add(const Event& event, ServerTime noted);
    Result<void> add(const RecordedReport& report, ServerTime noted);
    Result<void> add(const Pin& pin);

    const SnapshotPtr& last() const { return m_last; } ///< of this segment
    Numbers& numbers() { return m_numbers; }

private:
    Result<void> addFrame(
        const Snapshot& snapshot, ServerTime noted, microseconds interval, const QByteArray& data);
    Result<void> addIntervals(const std::vector<LockInterval>& intervals);
    Result<void> packIntervals();
    Result<qint64> numberOf(const monitor::Measure& measure);

    Database& m_database;
    Numbers m_numbers;
    LockIntervals m_intervals;
    SnapshotPtr m_last;
    qint64 m_segment = 0; // 0: none has begun
    ServerTime m_lastTaken; // of the last frame, by both clocks
    ServerTime m_lastNoted;
    qint64 m_lastFrame = 0;
    qint64 m_keyFrame = 0;
    qint64 m_lastInterval = 0;
    qint64 m_recentIntervals = 0; // at most: pruning may have dropped some
    std::map<std::pair<QString, QString>, qint64> m_measures; // numbers of kinds and names
};

} // namespace lockscope::record
