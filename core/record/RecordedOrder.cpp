// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordedOrder.h"

#include "core/record/Coverage.h"

#include <algorithm>
#include <map>

namespace lockscope::record {

using namespace Qt::StringLiterals;

Result<order::OrderStatePtr> RecordedOrder::read(
    RecordingReader& reader, ServerTime from, ServerTime to, const GoOn& goOn)
{
    // All that is known may be older than what is asked for: between the two there is no poll.
    if (!m_order || to < m_order->last() || from > m_order->last()) {
        m_order.emplace();
        m_unreadable = 0;
    }
    const ServerTime begin = std::max(from, m_order->last());
    LOCKSCOPE_TRY_GET(const auto coverage, coverageOf(reader, begin, to));
    takeServerCounts(reader, begin, to);
    for (const Coverage::IntactPart& part : coverage.intactParts) {
        if (part.from != m_order->last())
            m_order->markGap();
        LOCKSCOPE_TRY(reader.eachFrame(part.segment, part.from, part.to,
            [&](const RecordingReader::Frame& frame) { return take(frame, goOn); }));
    }
    return state();
}

/// Reads the server's counts of transactions behind `from`. They only go into a sentence: without them all
/// else is there.
void RecordedOrder::takeServerCounts(RecordingReader& reader, ServerTime from, ServerTime to)
{
    constexpr microseconds atOnce = std::chrono::hours(1);
    for (ServerTime at = from; at < to; at = at + atOnce) {
        const auto read = reader.surroundings(at, std::min(to, at + atOnce));
        if (!read)
            return;
        std::map<ServerTime, std::vector<monitor::Measure>> byTime;
        for (const RecordedMeasure& each : *read)
            if (each.taken > at)
                byTime[each.taken].push_back(each.measure);
        for (const auto& [taken, measures] : byTime)
            if (const auto counted = monitor::transactionsPerMinute(measures))
                m_order->noteServerCount(*counted);
    }
}

Result<void> RecordedOrder::take(const RecordingReader::Frame& frame, const GoOn& goOn)
{
    if (m_order->polls() > 0 && frame.taken <= m_order->last())
        return {};
    if (goOn && !goOn(m_order->polls()))
        return failure(ErrorKind::Cancelled, u"Reading was stopped."_s);
    if (!frame.snapshot) {
        ++m_unreadable;
        m_order->markGap();
        return {};
    }
    m_order->add(*frame.snapshot);
    return {};
}

order::OrderStatePtr RecordedOrder::state() const
{
    return m_order ? order::stateOf(*m_order) : std::make_shared<const order::OrderState>();
}

} // namespace lockscope::record
