// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarRecord.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/charts/TimeScale.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using Gap = record::Coverage::Gap;
using record::RecordedSnapshot;

namespace {

constexpr qint64 minEnd = 60'000'000; ///< shown of a recording that has just begun
constexpr double spaceAfterEnd = 0.02; ///< after the last snapshot, for later ones

} // namespace

qint64 TimeBarRange::end() const
{
    return std::max(m_last.us, m_first.us + minEnd);
}

ServerTime TimeBarRange::at(double x) const
{
    return std::clamp(ServerTime{m_scale.at(x)}, m_first, m_last);
}

bool TimeBarRange::set(const TimeScale& scale, bool isWhole)
{
    const TimeScale before = m_scale;
    const qint64 columns = std::max(scale.width, 1);
    const qint64 length = scale.length();
    // As long as it was, it keeps its columns; else a spare one makes up for where the first one begins.
    const bool isKept = length % columns == 0 && !isWhole;
    const qint64 spare = isKept || columns == 1 ? columns : columns - 1;
    const qint64 column = std::max<qint64>(1, (length + spare - 1) / spare);
    m_scale.width = int(columns);
    m_scale.from = floorTo(scale.from, column);
    m_scale.to = m_scale.from + columns * column;
    if (m_scale.to < scale.to && scale.to >= m_last.us) {
        m_scale.from += column; // the user watches the end
        m_scale.to += column;
    }
    m_isSet = true;
    return m_scale != before;
}

bool TimeBarRange::fit()
{
    if (isEmpty())
        return false;
    const qint64 all = end() - m_first.us;
    const bool isAll = !m_requestedLength || m_requestedLength->count() >= all;
    TimeScale scale = m_scale;
    scale.to = end();
    scale.from = isAll ? m_first.us : scale.to - m_requestedLength->count();
    // The whole range grows: it is not divided again for each snapshot.
    if (isAll)
        scale.to += qint64(double(all) * spaceAfterEnd);
    return set(scale, isAll);
}

bool TimeBarRange::setWidth(int pixels)
{
    pixels = std::max(pixels, 1);
    if (pixels == m_scale.width)
        return false;
    m_scale.width = pixels;
    return !isEmpty() && (m_follows ? fit() : set(m_scale)); // columns are others in any case
}

bool TimeBarRange::setSpan(ServerTime first, ServerTime last, bool isLive)
{
    const bool wasEmpty = isEmpty();
    const bool isCut = m_first < first; // the oldest is not kept any more
    m_first = first;
    m_last = std::max(first, last);
    if (wasEmpty || !m_isSet)
        return fit();
    if (!m_follows)
        return false;
    if (isLive && m_last.us > m_scale.to)
        return fit();
    return isCut && !m_requestedLength && fit();
}

bool TimeBarRange::zoom(double factor, double x)
{
    if (isEmpty())
        return false;
    // At the live end it stays there.
    const bool staysLast = m_follows && x >= this->x(m_last) - 12;
    const TimeScale scale =
        m_scale.zoomed(factor, staysLast ? this->x(m_last) : std::clamp<double>(x, 0, m_scale.width), end(),
            m_first.us, shortest.count());
    return show({scale.from}, {scale.to});
}

bool TimeBarRange::move(microseconds by)
{
    if (isEmpty())
        return false;
    const TimeScale scale = m_scale.moved(by.count(), end(), m_first.us);
    return show({scale.from}, {scale.to});
}

bool TimeBarRange::show(ServerTime from, ServerTime to)
{
    if (isEmpty())
        return false;
    const qint64 all = end() - m_first.us;
    const qint64 length =
        std::clamp(qint64((to - from).count()), std::min(qint64(shortest.count()), all), all);
    TimeScale scale = m_scale;
    scale.from = (from.us + to.us - length) / 2;
    scale.to = scale.from + length;
    scale = scale.moved(0, end(), m_first.us);
    m_follows = scale.to >= m_last.us;
    m_requestedLength =
        scale.from <= m_first.us && m_follows ? std::optional<microseconds>() : microseconds(length);
    return m_follows ? fit() : set(scale);
}

bool TimeBarRange::showLast(std::optional<microseconds> length)
{
    m_follows = true;
    m_requestedLength = length;
    return fit();
}

bool TimeBarRange::showEnd()
{
    m_follows = true;
    return fit();
}

bool TimeBarRange::reveal(ServerTime at, bool gently)
{
    if (isEmpty())
        return false;
    const qint64 length = m_scale.length();
    const qint64 margin = length / 20;
    const bool isLeft = at.us < m_scale.from + margin && m_scale.from > m_first.us;
    const bool isRight = at.us > m_scale.to - margin && m_scale.to < m_last.us;
    if (!isLeft && !isRight)
        return false;
    qint64 from = at.us - length / 2;
    if (gently)
        from = isLeft ? at.us - margin * 2 : at.us - length + margin * 2;
    return show({from}, {from + length});
}

namespace {

/// Replaces those of its time. Both are in order.
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

/// Replaces those of its time. Both have some that reach beyond it.
void replaceGaps(QList<Gap>& known, const QList<Gap>& news, ServerTime from, ServerTime to)
{
    if (!news.isEmpty()) {
        from = std::min(from, news.first().from);
        to = std::max(to, news.last().to);
    }
    QList<Gap> all;
    const auto add = [&all](const Gap& gap) {
        Gap* const last = all.isEmpty() ? nullptr : &all.back();
        const bool goesOn =
            last && last->to == gap.from && last->reason == gap.reason && last->detail == gap.detail;
        if (goesOn)
            last->to = gap.to;
        else if (gap.from < gap.to)
            all.append(gap);
    };
    for (Gap gap : std::as_const(known)) {
        gap.to = std::min(gap.to, from);
        add(gap);
    }
    for (const Gap& gap : news)
        add(gap);
    for (Gap gap : std::as_const(known)) {
        gap.from = std::max(gap.from, to);
        add(gap);
    }
    known = all;
}

const UnseenRange* unseenAt(const QList<UnseenRange>& unseen, ServerTime at)
{
    const auto found = std::find_if(unseen.begin(), unseen.end(),
        [at](const UnseenRange& each) { return each.from < at && at < each.to; });
    return found == unseen.end() ? nullptr : &*found;
}

/// "3 waiting, longest wait 0:41", "nobody waited".
QString waitingText(const RecordedSnapshot& snapshot)
{
    if (snapshot.waiting == 0)
        return u"nobody waited"_s;
    return u"%1 waiting, longest wait %2"_s.arg(
        QString::number(snapshot.waiting), snapshot.longest.toString());
}

QString pollText(const RecordedSnapshot& snapshot)
{
    if (snapshot.pollCount < 2)
        return u"%1: %2"_s.arg(clockText(snapshot.at), waitingText(snapshot));
    return u"%1 to %2, the worst of %3 polls: %4"_s.arg(clockText(snapshot.at),
        clockText(TimeBarRecord::lastPoll(snapshot)), QString::number(snapshot.pollCount),
        waitingText(snapshot));
}

} // namespace

void TimeBarRecord::take(const TimeBarData& data, bool part)
{
    if (part) {
        replace(m_snapshots, data.snapshots, data.span.first, data.span.last);
        replace(m_events, data.events, data.span.first, data.span.last);
        replaceGaps(m_gaps, data.gaps, data.span.first, data.span.last);
        m_to = std::max(m_to, data.span.last);
    } else {
        m_snapshots = data.snapshots;
        m_events = data.events;
        m_gaps = data.gaps;
        m_from = data.span.first;
        m_to = data.span.last;
    }
}

void TimeBarRecord::forgetBefore(ServerTime from)
{
    const auto isBefore = [from](const auto& each) { return each.at < from; };
    m_snapshots.erase(
        m_snapshots.begin(), std::find_if_not(m_snapshots.begin(), m_snapshots.end(), isBefore));
    m_events.erase(m_events.begin(), std::find_if_not(m_events.begin(), m_events.end(), isBefore));
    m_gaps.erase(m_gaps.begin(),
        std::find_if_not(m_gaps.begin(), m_gaps.end(), [from](const Gap& each) { return each.to <= from; }));
    m_from = std::max(m_from, from);
}

QList<UnseenRange> TimeBarRecord::unseen(ServerTime first, ServerTime last, microseconds slowest) const
{
    using Why = UnseenRange::Why;
    QList<UnseenRange> found;
    const ServerTime from = std::max(m_from, first);
    const ServerTime to = std::min(m_to, last);
    const auto add = [&](ServerTime begin, ServerTime end, Why why, const QString& reason,
                         microseconds pause) {
        // A gap that goes on beyond what is known keeps its own times.
        begin = std::max(begin, why == Why::Nobody ? first : from);
        end = std::min(end, why == Why::Nobody ? last : to);
        if (begin >= end)
            return;
        // Pauses one after the other are one range.
        if (UnseenRange* const before = found.isEmpty() ? nullptr : &found.last(); before
            && before->why == why && before->reason == reason && before->to >= begin && why == Why::TooSlow) {
            before->to = std::max(before->to, end);
            before->pause = std::max(before->pause, pause);
            return;
        }
        found.append({.from = begin, .to = end, .why = why, .reason = reason, .pause = pause});
    };
    for (const Gap& gap : m_gaps) {
        // Until the next poll the last one is no gap yet.
        if (gap.to < m_to || std::min(gap.to, last) - gap.from > slowest)
            add(gap.from, gap.to, Why::Nobody, gap.why(), {});
    }
    for (qsizetype i = 0; i < m_snapshots.size(); ++i) {
        const RecordedSnapshot& snapshot = m_snapshots[i];
        const ServerTime end = lastPoll(snapshot);
        if (snapshot.pollCount > 1) {
            const microseconds pause = (end - snapshot.at) / (snapshot.pollCount - 1);
            if (pause > slowest)
                add(snapshot.at, end, Why::TooSlow, {}, pause);
        }
        if (i + 1 == m_snapshots.size() || isGapBetween(snapshot, m_snapshots[i + 1]))
            continue;
        const microseconds pause = m_snapshots[i + 1].at - end;
        if (pause > slowest)
            add(end, m_snapshots[i + 1].at, Why::TooSlow, {}, pause);
    }
    std::stable_sort(found.begin(), found.end(),
        [](const UnseenRange& a, const UnseenRange& b) { return a.from < b.from; });
    return found;
}

bool TimeBarRecord::isGapBetween(const RecordedSnapshot& before, const RecordedSnapshot& after) const
{
    const auto gap = std::upper_bound(m_gaps.begin(), m_gaps.end(), lastPoll(before),
        [](ServerTime time, const Gap& each) { return time < each.to; });
    return gap != m_gaps.end() && gap->from < after.at;
}

const RecordedSnapshot* TimeBarRecord::at(ServerTime time) const
{
    const auto next = std::upper_bound(m_snapshots.begin(), m_snapshots.end(), time,
        [](ServerTime requested, const RecordedSnapshot& each) { return requested < each.at; });
    return next == m_snapshots.begin() ? nullptr : &*std::prev(next);
}

std::optional<std::pair<ServerTime, ServerTime>> TimeBarRecord::incidentAt(ServerTime time) const
{
    const RecordedSnapshot* const inside = at(time);
    if (!inside || inside->waiting == 0)
        return {};
    const qsizetype place = inside - m_snapshots.constData();
    qsizetype begin = place;
    while (begin > 0 && m_snapshots[begin - 1].waiting > 0)
        --begin;
    qsizetype end = place;
    while (end + 1 < m_snapshots.size() && m_snapshots[end + 1].waiting > 0)
        ++end;
    // Until it was seen that nobody waits any more.
    const bool goesOn = end + 1 < m_snapshots.size() && !isGapBetween(m_snapshots[end], m_snapshots[end + 1]);
    return std::pair(m_snapshots[begin].at, goesOn ? m_snapshots[end + 1].at : lastPoll(m_snapshots[end]));
}

QString unseenText(const UnseenRange& unseenRange)
{
    const bool isOfOneDay = dayText(unseenRange.from) == dayText(unseenRange.to);
    const auto timeText = [isOfOneDay](ServerTime at) {
        return isOfOneDay ? clockText(at) : u"%1 %2"_s.arg(dayText(at), clockText(at));
    };
    const QString when = u"from %1 to %2 (%3)"_s.arg(timeText(unseenRange.from), timeText(unseenRange.to),
        lengthInWords(unseenRange.to - unseenRange.from));
    if (unseenRange.why == UnseenRange::Why::TooSlow)
        return u"Polled only every %1 %2: what came and went between was not seen."_s.arg(
            lengthInWords(unseenRange.pause), when);
    const QString what = u"Not recorded %1"_s.arg(when);
    return what + (unseenRange.reason.isEmpty() ? u"."_s : u": %1."_s.arg(inOneLine(unseenRange.reason)));
}

QString placeText(const TimeBarRecord& known, const QList<UnseenRange>& unseen, ServerTime at)
{
    const UnseenRange* const blind = unseenAt(unseen, at);
    if (blind && blind->why == UnseenRange::Why::Nobody)
        return unseenText(*blind);
    const RecordedSnapshot* const snapshot = known.at(at);
    if (!snapshot)
        return {};
    QStringList lines{pollText(*snapshot)};
    if (snapshot->waiting > 0 && !snapshot->head.isEmpty())
        lines << u"Held up most: %1"_s.arg(inOneLine(snapshot->head));
    lines << u"%1, %2"_s.arg(counted(snapshot->sessions, u"session"), counted(snapshot->locks, u"lock"));
    if (blind)
        lines << unseenText(*blind);
    return lines.join(u'\n');
}

QString positionText(
    const TimeBarRecord& known, const QList<UnseenRange>& unseen, std::optional<ServerTime> position)
{
    if (!position)
        return u"Live"_s;
    const QString when = u"%1 %2 UTC"_s.arg(dayText(*position), clockText(*position));
    const UnseenRange* const blind = unseenAt(unseen, *position);
    if (blind && blind->why == UnseenRange::Why::Nobody)
        return u"%1: not recorded"_s.arg(when);
    const RecordedSnapshot* const snapshot = known.at(*position);
    return snapshot ? u"%1: %2"_s.arg(when, waitingText(*snapshot)) : when;
}

} // namespace lockscope::ui
