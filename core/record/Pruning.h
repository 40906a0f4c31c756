// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Numbers.h"
#include "core/record/Recording.h"

#include <QList>

#include <deque>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

namespace lockscope::record {

/// Drops from a recording what is not kept any longer: whole key frames with what follows them. What is
/// pinned stays, unless pins alone are more than is kept: then the oldest go. So does the last one. One
/// thread, that of the database.
///
/// It is done in slices, between which the recording is complete and can be written: a week's file has
/// millions of rows.
class Pruning {
public:
    Pruning(Database& database, Numbers& numbers)
        : m_database(database)
        , m_numbers(numbers)
    {
    }
    Q_DISABLE_COPY(Pruning)

    /// A frame is old that is old by both clocks, the server's and the machine's that recorded: one that is
    /// set forward must not make all old at once. `leftovers`: also searches whole tables for rows that
    /// nothing names any more. Nothing is dropped yet.
    void begin(const Retention& retention, ServerTime taken, ServerTime noted, bool leftovers);
    bool isDone() const { return m_tasks.empty(); }
    /// One slice: some ten milliseconds. An error ends all.
    Result<void> goOn();

private:
    using Task = std::function<Result<void>()>;
    struct Group { // a key frame with what follows it
        qint64 first;
        ServerTime from;
        ServerTime noted;
    };
    /// The data by which the group before this one counts as old.
    using IsOld = std::function<bool(const Group& next)>;
    /// First and last frame.
    using Frames = std::pair<qint64, qint64>;

    Result<std::vector<Group>> groups();
    Result<qint64> usedBytes();
    Result<void> readPinned();
    Result<void> writeKept(TimeRanges kept);
    /// These, in their order, before all that there is to do.
    void doNext(std::initializer_list<Task> tasks);
    Task dropUntil(ServerTime before, ServerTime notedBefore);
    Result<void> planDrop(ServerTime before, const IsOld& isOld);
    Result<void> dropFrames(std::vector<Frames> frames);
    Result<void> planRows(ServerTime until, qint64 oldestKey);
    Result<void> dropSurroundings(ServerTime after, ServerTime until);
    Result<void> dropTexts(qint64 from, qint64 oldestKey);
    Result<void> shrink(qint64 bytes, ServerTime taken);
    Result<void> shrinkPart(std::vector<Group> groups, size_t part, qint64 bytes, ServerTime last);
    Result<void> planPins(qint64 bytes, ServerTime before, ServerTime now);
    Result<void> releasePins(QList<Pin> pins, qint64 bytes, ServerTime now);
    Result<void> giveBack();
    Result<void> planLeftovers();
    Result<void> readUsed(qint64 after);
    Result<void> dropUnused(qint64 from, qint64 until);

    Database& m_database;
    Numbers& m_numbers;
    std::deque<Task> m_tasks;
    TimeRanges m_pinned; // joined
    qint64 m_lastBlock = 0; // whose rows are among the used
};

} // namespace lockscope::record
