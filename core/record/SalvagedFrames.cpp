// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/SalvagedFrames.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 farthest = qint64(1) << 59; // microseconds
constexpr qint64 mostFrames = 1'000; // after a key frame; a writer makes one much sooner
// The server's clock may go back by less without a gap.
constexpr microseconds clockTolerance = std::chrono::milliseconds(100);

} // namespace

bool isTold(ServerTime time)
{
    return time.us > 0 && time.us < farthest;
}

SalvagedFrames::SalvagedFrames(Database& to, QHash<qint64, Segment> segments)
    : m_to(to)
    , m_segments(std::move(segments))
{
}

const Segment* SalvagedFrames::of(qint64 segment) const
{
    const auto found = m_segments.constFind(segment);
    return found == m_segments.cend() ? nullptr : &*found;
}

bool SalvagedFrames::isPossible(const Frame& frame) const
{
    if (!isTold(frame.taken) || !isTold(frame.noted) || frame.number < 1 || frame.keyFrame < 1
        || frame.keyFrame > frame.number || frame.number - frame.keyFrame >= mostFrames)
        return false;
    const Segment* const segment = of(frame.segment);
    if (segment)
        return frame.taken >= segment->began - clockTolerance
            && frame.taken <= segment->seen + clockTolerance;
    return !m_last || m_last->segment != frame.segment || frame.taken >= m_last->taken - clockTolerance;
}

std::optional<QString> SalvagedFrames::endBefore(const Frame& frame) const
{
    if (m_isBehindDamage)
        return u"damaged"_s;
    if (frame.number != m_last->number + 1) // also where pins keep some that lie apart
        return u"moments are missing"_s;
    if (frame.segment == m_last->segment)
        return std::nullopt;
    const Segment* const segment = of(m_last->segment);
    return segment ? segment->endReason : u""_s;
}

Result<void> SalvagedFrames::add(const Frame& frame, bool isBehindDamage)
{
    m_isBehindDamage = m_isBehindDamage || isBehindDamage;
    const bool goesOn = m_last && !m_isBehindDamage && m_last->segment == frame.segment
        && m_last->keyFrame == frame.keyFrame && m_last->number + 1 == frame.number;
    if (!isPossible(frame) || (frame.number != frame.keyFrame && !goesOn)) {
        m_isBehindDamage = true;
        return {};
    }
    const auto end = m_last ? endBefore(frame) : u""_s;
    if (end) {
        if (auto ended = endSegment(*end); !ended)
            return ended;
        if (m_isBehindDamage) {
            if (auto told = tellUnread(frame.taken); !told)
                return told;
        }
        if (auto begun = beginSegment(frame); !begun)
            return begun;
    }
    m_isBehindDamage = false;
    m_last = {frame.number, frame.segment, frame.keyFrame, frame.taken, frame.noted, {}};
    ++m_count;
    // Its figures are made anew by who copies it from there.
    auto added = m_to.run("recording/recording/add_frame",
        {frame.number, m_segment, frame.keyFrame, frame.taken.us, frame.noted.us, qint64(0), qint64(0),
            qint64(0), qint64(0), qint64(0), qint64(0), qint64(0), frame.data});
    return added ? m_to.run("recording/recording/go_on", {m_segment, frame.taken.us}) : added;
}

Result<void> SalvagedFrames::end(bool isBehindDamage)
{
    if (!m_last)
        return {};
    m_isBehindDamage = m_isBehindDamage || isBehindDamage;
    ServerTime seen;
    for (const Segment& segment : std::as_const(m_segments)) {
        const bool isLater = segment.number > m_last->segment
            || (segment.number == m_last->segment && segment.seen > m_last->taken);
        m_isBehindDamage = m_isBehindDamage || isLater;
        seen = isLater ? std::max(seen, segment.seen) : seen;
    }
    const Segment* const segment = of(m_last->segment);
    if (auto ended = endSegment(m_isBehindDamage ? u"damaged"_s
                : segment                        ? segment->endReason
                                                 : u""_s);
        !ended || !m_isBehindDamage)
        return ended;
    return tellUnread(seen > m_last->taken ? seen : ServerTime());
}

Result<void> SalvagedFrames::beginSegment(const Frame& frame)
{
    const Segment* const segment = of(frame.segment);
    const QString host = segment ? segment->host : QString();
    auto begun = m_to.run("recording/recording/begin_segment",
        {frame.taken.us, frame.noted.us, u""_s + host, segment ? segment->process : 0});
    m_segment = m_to.lastId();
    return begun;
}

Result<void> SalvagedFrames::endSegment(const QString& reason)
{
    if (m_segment == 0 || reason.isEmpty())
        return {};
    return m_to.run("recording/recording/end_segment", {m_segment, reason});
}

Result<void> SalvagedFrames::tellUnread(ServerTime to)
{
    ServerTime from = m_last ? m_last->taken : ServerTime();
    if (!m_last) {
        for (const Segment& segment : std::as_const(m_segments))
            from = from.isValid() ? std::min(from, segment.began) : segment.began;
    }
    m_unread.append({from < to || !to.isValid() ? from : ServerTime(), to});
    const Event event = damageFrom(from.isValid() ? from : to);
    return m_to.run("recording/recording/add_event",
        {event.at.us, event.at.us, eventKindName(event.kind), event.what, u""_s, Value()});
}

} // namespace lockscope::record
