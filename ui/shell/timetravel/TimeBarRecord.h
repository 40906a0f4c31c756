// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"
#include "core/record/Coverage.h"
#include "core/record/Recording.h"
#include "ui/kit/charts/TimeScale.h"

#include <QList>

#include <algorithm>
#include <optional>
#include <utility>

namespace lockscope::ui {

/// The range that a time bar shows, of all there is: a column of whole microseconds for each pixel, that
/// begins at a multiple of its width. So a column stands for the same time while the range moves. A value.
class TimeBarRange {
public:
    /// Returns, as all that follow, whether the range is another one now.
    bool setWidth(int pixels);
    bool setSpan(ServerTime first, ServerTime last, bool isLive);
    bool zoom(double factor, double x); ///< closer by `factor`, what is at `x` stays there
    bool move(microseconds by);
    bool show(ServerTime from, ServerTime to);
    bool showLast(std::optional<microseconds> length); ///< nothing: all there is
    bool showEnd(); ///< follows again, as long as it is
    /// Moves so that it is on view, and not at the edge; as little as possible if `gently`.
    bool reveal(ServerTime at, bool gently);

    bool isEmpty() const { return !m_first.isValid(); } ///< there is nothing
    const TimeScale& scale() const { return m_scale; } ///< whole columns; may begin before all there is
    qint64 perColumn() const { return m_scale.length() / std::max(m_scale.width, 1); }
    ServerTime first() const { return m_first; }
    ServerTime last() const { return m_last; }
    bool isLastShown() const { return m_last.us <= m_scale.to; }
    double x(ServerTime at) const { return m_scale.xOf(at.us); }
    ServerTime at(double x) const; ///< within what there is

    static constexpr microseconds shortest = std::chrono::seconds(10); ///< on view, at the closest
    static constexpr microseconds usual = std::chrono::minutes(15); ///< at first

private:
    /// Rounded to whole columns; `isWhole`: nothing of it may be off view.
    bool set(const TimeScale& scale, bool isWhole = false);
    bool fit(); ///< to m_requestedLength
    qint64 end() const; ///< of what can be shown

    ServerTime m_first;
    ServerTime m_last;
    TimeScale m_scale;
    bool m_isSet = false;
    bool m_follows = true; ///< its end stays the last snapshot
    std::optional<microseconds> m_requestedLength = usual; ///< while it follows; nothing: all
};

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
