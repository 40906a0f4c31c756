// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ui/shell/timetravel/TimeBarRecord.h"

#include <algorithm>
#include <map>

namespace lockscope::test {

/// Time as a recording has it, without a file:
///
///     MadeTime time;
///     time.look(0, 600);                 // a look a second, for ten minutes
///     time.wait(300, 340, 5);            // five wait in those looks
///     time.look(700, 800, 60, 2);        // not recorded before; then once a minute
struct MadeTime {
    ServerTime begin{1'795'348'800'000'000}; ///< 2026-11-22T12:00:00Z, a Sunday
    QList<record::RecordedSnapshot> looks;
    QList<record::Event> events;

    ServerTime at(int second) const { return begin + std::chrono::seconds(second); }
    ServerTime first() const { return looks.first().at; }
    ServerTime last() const { return looks.last().at; }

    /// From second to second (not at the last one), each `every`; another segment is behind a gap.
    void look(int from, int to, int every = 1, int segment = 1)
    {
        for (int second = from; second < to; second += every)
            looks.append({at(second), segment, 20, 100, 0, {}, 0, {}, at(second), at(second), 1});
    }
    /// In the looks from one second to another one; their longest wait began with the first.
    void wait(int from, int to, int waiters)
    {
        for (record::RecordedSnapshot& look : looks) {
            if (look.at < at(from) || look.at >= at(to))
                continue;
            look.waiting = waiters;
            look.longest = {std::chrono::duration_cast<milliseconds>(look.at - at(from - 1)), true};
            look.heads = 1;
            look.head = QStringLiteral("51 billing");
        }
    }
    void happened(int second, record::Event::Kind kind, const QString& what)
    {
        events.append({at(second), kind, what});
    }

    /// As RecordingReader::moments gives them.
    QList<record::RecordedSnapshot> moments(ServerTime from, ServerTime to, int columns) const
    {
        const qint64 width = std::max<qint64>(1, (to - from).count() / std::max(1, columns));
        std::map<qint64, record::RecordedSnapshot> found;
        std::map<qint64, int> most;
        for (const record::RecordedSnapshot& look : looks) {
            if (look.at < from || look.at > to)
                continue;
            const qint64 column = (look.at - from).count() / width;
            const auto [place, isNew] = found.try_emplace(column, look);
            record::RecordedSnapshot& worst = place->second;
            if (isNew) {
                most[column] = look.waiting;
                continue;
            }
            worst.segment = std::max(worst.segment, look.segment);
            worst.waiting = std::max(worst.waiting, look.waiting);
            worst.longest = std::max(worst.longest, look.longest);
            worst.last = look.at;
            ++worst.looks;
            if (look.waiting >= most[column]) {
                most[column] = look.waiting;
                worst.worst = look.at;
            }
        }
        QList<record::RecordedSnapshot> moments;
        for (const auto& each : found)
            moments.append(each.second);
        return moments;
    }
    /// Between segments, within the range.
    QList<record::Coverage::Gap> gaps(ServerTime from, ServerTime to) const
    {
        QList<record::Coverage::Gap> gaps;
        for (qsizetype i = 1; i < looks.size(); ++i) {
            const ServerTime first = std::max(from, looks[i - 1].at);
            const ServerTime last = std::min(to, looks[i].at);
            if (looks[i].segment != looks[i - 1].segment && first < last)
                gaps.append({first, last});
        }
        if (looks.last().at < to)
            gaps.append({std::max(from, looks.last().at), to});
        return gaps;
    }
    /// What a time bar is answered.
    ui::TimeBarData answer(ServerTime from, ServerTime to, int columns) const
    {
        QList<record::Event> inside;
        std::copy_if(events.cbegin(), events.cend(), std::back_inserter(inside),
            [from, to](const record::Event& event) { return from <= event.at && event.at <= to; });
        return {{from, to, looks.size()}, moments(from, to, columns), inside, gaps(from, to)};
    }

    /// All that a time bar can show: incidents of each level, a long and a short gap, slow looks, marks.
    static MadeTime busyHour()
    {
        using Kind = record::Event::Kind;
        MadeTime time;
        time.look(0, 900);
        time.look(1'200, 2'400, 1, 2);
        time.look(2'412, 3'000, 1, 3);
        time.look(3'000, 3'300, 30, 3);
        time.look(3'300, 3'600, 1, 3);
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
