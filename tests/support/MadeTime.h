// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ui/shell/timetravel/TimeBarRecord.h"

#include <algorithm>
#include <map>

namespace lockscope::test {

/// The times of a recording, without a file:
///
///     MadeTime time = MadeTime::polled(0, 600); // a poll each second, for ten minutes
///     time.wait(300, 340, 5);                   // five wait in those polls
///     time.addPolls(700, 800, 60, 2);           // not recorded before; then once a minute
struct MadeTime {
    ServerTime begin{1'795'348'800'000'000}; ///< 2026-11-22T12:00:00Z, a Sunday
    QList<record::RecordedSnapshot> polls;
    QList<record::Event> events;

    static MadeTime polled(int from, int to, int every = 1)
    {
        MadeTime time;
        time.addPolls(from, to, every);
        return time;
    }

    ServerTime at(int second) const { return begin + std::chrono::seconds(second); }
    ServerTime first() const { return polls.first().at; }
    ServerTime last() const { return polls.last().at; }

    /// Adds polls from second to second (not at the last one), each `every`; another segment is behind a gap.
    void addPolls(int from, int to, int every = 1, int segment = 1)
    {
        for (int second = from; second < to; second += every)
            polls.append({at(second), segment, 20, 100, 0, {}, 0, {}, at(second), at(second), 1});
    }
    /// In the snapshots from one second to another one; their longest wait began with the first.
    void wait(int from, int to, int waiters)
    {
        for (record::RecordedSnapshot& snapshot : polls) {
            if (snapshot.at < at(from) || snapshot.at >= at(to))
                continue;
            snapshot.waiting = waiters;
            snapshot.longest = {std::chrono::duration_cast<milliseconds>(snapshot.at - at(from - 1)), true};
            snapshot.heads = 1;
            snapshot.head = QStringLiteral("51 billing");
        }
    }
    void happened(int second, record::Event::Kind kind, const QString& what)
    {
        events.append({at(second), kind, what});
    }

    /// As RecordingReader::recordedSnapshots gives them.
    QList<record::RecordedSnapshot> recordedSnapshots(ServerTime from, ServerTime to, int columns) const
    {
        const qint64 width = std::max<qint64>(1, (to - from).count() / std::max(1, columns));
        std::map<qint64, record::RecordedSnapshot> found;
        std::map<qint64, int> most;
        for (const record::RecordedSnapshot& snapshot : polls) {
            if (snapshot.at < from || snapshot.at > to)
                continue;
            const qint64 column = (snapshot.at - from).count() / width;
            const auto [place, isNew] = found.try_emplace(column, snapshot);
            record::RecordedSnapshot& worst = place->second;
            if (isNew) {
                most[column] = snapshot.waiting;
                continue;
            }
            worst.segment = std::max(worst.segment, snapshot.segment);
            worst.waiting = std::max(worst.waiting, snapshot.waiting);
            worst.longest = std::max(worst.longest, snapshot.longest);
            worst.last = snapshot.at;
            ++worst.pollCount;
            if (snapshot.waiting >= most[column]) {
                most[column] = snapshot.waiting;
                worst.worst = snapshot.at;
            }
        }
        QList<record::RecordedSnapshot> snapshots;
        for (const auto& each : found)
            snapshots.append(each.second);
        return snapshots;
    }
    /// Between segments, within the range.
    QList<record::Coverage::Gap> gaps(ServerTime from, ServerTime to) const
    {
        QList<record::Coverage::Gap> gaps;
        for (qsizetype i = 1; i < polls.size(); ++i) {
            const ServerTime first = std::max(from, polls[i - 1].at);
            const ServerTime last = std::min(to, polls[i].at);
            if (polls[i].segment != polls[i - 1].segment && first < last)
                gaps.append({first, last});
        }
        if (polls.last().at < to)
            gaps.append({std::max(from, polls.last().at), to});
        return gaps;
    }
    /// Returns the answer for a time bar.
    ui::TimeBarData answer(ServerTime from, ServerTime to, int columns) const
    {
        QList<record::Event> inside;
        std::copy_if(events.cbegin(), events.cend(), std::back_inserter(inside),
            [from, to](const record::Event& event) { return from <= event.at && event.at <= to; });
        return {{from, to, polls.size()}, recordedSnapshots(from, to, columns), inside, gaps(from, to)};
    }

    /// All that a time bar can show: incidents of each level, a long and a short gap, slow polls, marks.
    static MadeTime busyHour()
    {
        using Kind = record::Event::Kind;
        MadeTime time;
        time.addPolls(0, 900);
        time.addPolls(1'200, 2'400, 1, 2);
        time.addPolls(2'412, 3'000, 1, 3);
        time.addPolls(3'000, 3'300, 30, 3);
        time.addPolls(3'300, 3'600, 1, 3);
        time.wait(200, 206, 1);
        time.wait(500, 530, 3);
        time.wait(1'400, 1'480, 12);
        time.wait(1'990, 2'030, 6);
        time.wait(2'500, 2'850, 28);
        time.wait(3'060, 3'150, 4);
        time.wait(3'560, 3'590, 2);
        time.happened(510, Kind::Note, QStringLiteral("Release 41 begins"));
        time.happened(1'470, Kind::Alert, QStringLiteral("Somebody has waited for a minute"));
        time.happened(2'020, Kind::Deadlock, QStringLiteral("63 and 70 waited for each other"));
        time.happened(2'600, Kind::Alert, QStringLiteral("28 wait"));
        time.happened(2'602, Kind::Deadlock, QStringLiteral("64 and 71 waited for each other"));
        time.happened(2'845, Kind::Act, QStringLiteral("ann ended session 51"));
        return time;
    }
};

} // namespace lockscope::test
