// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timetravel/TimeBarRecord.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using record::Event;
using record::Moment;
using record::Segment;

namespace {

/// A pause this long is not slow any more: looks that were there are not kept.
constexpr microseconds notKept = std::chrono::minutes(10);

/// In place of those of its time. Both are in order.
template <class T> void replace(QList<T>& known, const QList<T>& news, ServerTime from, ServerTime to)
{
    const auto first = std::lower_bound(
        known.begin(), known.end(), from, [](const T& each, ServerTime time) { return each.at < time; });
    const auto last = std::upper_bound(
        first, known.end(), to, [](ServerTime time, const T& each) { return time < each.at; });
    QList<T> all(known.begin(), first);
    all += news;
    std::copy(last, known.end(), std::back_inserter(all));
    known = all;
}

QString reasonOf(const Segment& segment)
{
    if (segment.endReason.isEmpty())
        return u"The program that recorded was cut off."_s;
    if (segment.endReason == u"stopped")
        return u"Recording was stopped."_s;
    return segment.endReason == u"gap" ? QString() : segment.endReason;
}

} // namespace

void TimeBarRecord::take(const TimeBarData& data, bool part)
{
    if (part) {
        replace(m_moments, data.moments, data.span.first, data.span.last);
        replace(m_events, data.events, data.span.first, data.span.last);
        m_to = std::max(m_to, data.span.last);
    } else {
        m_moments = data.moments;
        m_events = data.events;
        m_from = data.span.first;
        m_to = data.span.last;
    }
    m_segments = data.segments;
    std::stable_sort(m_segments.begin(), m_segments.end(),
        [](const Segment& a, const Segment& b) { return a.began < b.began; });
}

void TimeBarRecord::forgetBefore(ServerTime from)
{
    const auto isBefore = [from](const auto& each) { return each.at < from; };
    m_moments.erase(m_moments.begin(), std::find_if_not(m_moments.begin(), m_moments.end(), isBefore));
    m_events.erase(m_events.begin(), std::find_if_not(m_events.begin(), m_events.end(), isBefore));
    m_from = std::max(m_from, from);
}

QList<UnseenStretch> TimeBarRecord::unseen(ServerTime first, ServerTime last, microseconds slowest) const
{
    using Why = UnseenStretch::Why;
    QList<UnseenStretch> found;
    const ServerTime from = std::max(m_from, first);
    const ServerTime to = std::min(m_to, last);
    const auto add = [&](ServerTime begin, ServerTime end, Why why, const QString& reason,
                         microseconds pause) {
        begin = std::max(begin, from);
        end = std::min(end, to);
        if (begin >= end)
            return;
        // Pauses one after the other are one stretch.
        if (UnseenStretch* const before = found.isEmpty() ? nullptr : &found.last(); before
            && before->why == why && before->reason == reason && before->to >= begin && why == Why::TooSlow) {
            before->to = std::max(before->to, end);
            before->pause = std::max(before->pause, pause);
            return;
        }
        found.append({begin, end, why, reason, pause});
    };
    // By the server's clock, which may have gone back: what any segment saw was seen.
    std::optional<Segment> seen;
    for (const Segment& segment : m_segments) {
        if (segment.began > (seen ? seen->seen : first))
            add(seen ? seen->seen : first, segment.began, Why::Nobody, seen ? reasonOf(*seen) : QString(),
                {});
        if (!seen || segment.seen > seen->seen)
            seen = segment;
    }
    if (seen && last - seen->seen > slowest)
        add(seen->seen, last, Why::Nobody, seen->endReason.isEmpty() ? QString() : reasonOf(*seen), {});
    for (qsizetype i = 0; i < m_moments.size(); ++i) {
        const Moment& moment = m_moments[i];
        const ServerTime end = lastLook(moment);
        if (moment.looks > 1) {
            const microseconds pause = (end - moment.at) / (moment.looks - 1);
            if (pause > slowest)
                add(moment.at, end, Why::TooSlow, {}, pause);
        }
        if (i + 1 == m_moments.size() || isGapBetween(moment, m_moments[i + 1]))
            continue;
        const microseconds pause = m_moments[i + 1].at - end;
        if (pause > notKept)
            add(end, m_moments[i + 1].at, Why::Nobody, u"Nothing is kept of this time."_s, {});
        else if (pause > slowest)
            add(end, m_moments[i + 1].at, Why::TooSlow, {}, pause);
    }
    std::stable_sort(found.begin(), found.end(),
        [](const UnseenStretch& a, const UnseenStretch& b) { return a.from < b.from; });
    return found;
}

const Moment* TimeBarRecord::at(ServerTime time) const
{
    const auto next = std::upper_bound(m_moments.begin(), m_moments.end(), time,
        [](ServerTime wanted, const Moment& each) { return wanted < each.at; });
    return next == m_moments.begin() ? nullptr : &*std::prev(next);
}

std::optional<std::pair<ServerTime, ServerTime>> TimeBarRecord::incidentAt(ServerTime time) const
{
    const Moment* const inside = at(time);
    if (!inside || inside->waiting == 0)
        return {};
    const qsizetype place = inside - m_moments.constData();
    qsizetype begin = place;
    while (begin > 0 && m_moments[begin - 1].waiting > 0)
        --begin;
    qsizetype end = place;
    while (end + 1 < m_moments.size() && m_moments[end + 1].waiting > 0)
        ++end;
    // Until it was seen that nobody waits any more.
    const bool goesOn = end + 1 < m_moments.size() && !isGapBetween(m_moments[end], m_moments[end + 1]);
    return std::pair(m_moments[begin].at, goesOn ? m_moments[end + 1].at : lastLook(m_moments[end]));
}

} // namespace lockscope::ui
