// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/Coverage.h"
#include "core/record/Recording.h"

#include <QList>

#include <algorithm>
#include <optional>
#include <utility>

namespace lockscope::ui {

/// The data of a time bar for a range that it requested by visibleRangeChanged(from, to, columns).
struct TimeBarData {
    record::Span span; ///< `from` and `to` of that signal; `frames` does not matter
    QList<record::RecordedSnapshot> snapshots; ///< RecordingReader::recordedSnapshots(from, to, columns)
    QList<record::Event> events; ///< RecordingReader::events(from, to)
    QList<record::Coverage::Gap> gaps; ///< coverageOf(reader, from, to); those at the edges may reach beyond
};

/// A range in which nothing was seen, whatever happened.
struct UnseenRange {
    enum class Why : quint8 {
        Nobody, ///< a gap
        TooSlow ///< polls were so rare that a wait can have come and gone between them
    };
    ServerTime from;
    ServerTime to;
    Why why = Why::Nobody;
    QString reason; ///< of Nobody: why it is not recorded; may be empty
    microseconds pause{0}; ///< of TooSlow: from poll to poll
    bool operator==(const UnseenRange&) const = default;
};

/// The known data of the time that a time bar shows. A value.
class TimeBarRecord {
public:
    /// Takes in the requested data: in place of all that is known; or, if `part`, of the data of its range.
    void take(const TimeBarData& data, bool part);
    /// Forgets what is before.
    void forgetBefore(ServerTime from);

    const QList<record::RecordedSnapshot>& snapshots() const { return m_snapshots; }
    const QList<record::Event>& events() const { return m_events; }
    ServerTime from() const { return m_from; } ///< nothing is known of what was before
    ServerTime lastSeen() const { return m_snapshots.isEmpty() ? m_from : lastPoll(m_snapshots.last()); }
    /// Returns them in order of time, within the known data; none before `first` and after `last`. `slowest`:
    /// the time that longer pauses hide is unseen.
    QList<UnseenRange> unseen(ServerTime first, ServerTime last, microseconds slowest) const;

    /// Returns what is drawn at that time: the snapshot, or the worst of several, that began then or before;
    /// null where there is none.
    const record::RecordedSnapshot* at(ServerTime time) const;
    /// Returns the range around it in which somebody waited without a break.
    std::optional<std::pair<ServerTime, ServerTime>> incidentAt(ServerTime time) const;
    /// Returns whether there is a gap between a snapshot and the next one.
    bool isGapBetween(const record::RecordedSnapshot& before, const record::RecordedSnapshot& after) const;
    static ServerTime lastPoll(const record::RecordedSnapshot& snapshot)
    {
        return std::max(snapshot.at, snapshot.last); // a single snapshot may have no `last`
    }

private:
    ServerTime m_from;
    ServerTime m_to;
    QList<record::RecordedSnapshot> m_snapshots;
    QList<record::Event> m_events;
    QList<record::Coverage::Gap> m_gaps; ///< by time; the first and the last may reach beyond what is known
};

/// "Not recorded from 12:04:31 to 12:06:00 (1 min 29 s): the server can't be reached."
QString unseenText(const UnseenRange& unseenRange);
/// Describes a place of a time bar: for a tooltip, one thing a line.
QString placeText(const TimeBarRecord& known, const QList<UnseenRange>& unseen, ServerTime at);
/// Describes the position of the time bar, for users who can't see it: "Sun 22 Nov 12:04:31 UTC: 3 waiting,
/// longest wait 0:41".
QString positionText(
    const TimeBarRecord& known, const QList<UnseenRange>& unseen, std::optional<ServerTime> position);

} // namespace lockscope::ui
