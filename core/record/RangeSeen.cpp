// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"
#include "core/record/RangeReport.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// Stretches in which somebody looked, without overlaps; a clock that is set back makes some.
std::vector<RangeSeen::Gap> seenStretches(const QList<Segment>& segments, ServerTime from, ServerTime to)
{
    std::vector<RangeSeen::Gap> stretches;
    for (const Segment& segment : segments) {
        if (segment.seen >= from && segment.began <= to)
            stretches.push_back({std::max(segment.began, from), std::min(segment.seen, to)});
    }
    std::sort(stretches.begin(), stretches.end(),
        [](const RangeSeen::Gap& a, const RangeSeen::Gap& b) { return a.from < b.from; });
    std::vector<RangeSeen::Gap> merged;
    for (const RangeSeen::Gap& each : stretches) {
        if (!merged.empty() && each.from <= merged.back().to)
            merged.back().to = std::max(merged.back().to, each.to);
        else
            merged.push_back(each);
    }
    return merged;
}

QString inWords(microseconds length)
{
    return length < std::chrono::seconds(1) ? shortDuration(length.count())
                                            : durationInWords(std::chrono::round<milliseconds>(length));
}

} // namespace

Result<RangeSeen> rangeSeen(RecordingReader& reader, ServerTime from, ServerTime to)
{
    const auto segments = reader.segments(from, to);
    if (!segments)
        return Failure(segments.error());
    const auto looks = reader.looks(from, to);
    if (!looks)
        return Failure(looks.error());
    RangeSeen seen;
    seen.length = to - from;
    seen.looks = static_cast<qint64>(looks->size());
    const auto stretches = seenStretches(*segments, from, to);
    ServerTime until = from;
    for (const RangeSeen::Gap& each : stretches) {
        if (each.from > until)
            seen.gaps.append({until, each.from});
        seen.seen += each.to - each.from;
        until = each.to;
    }
    if (until < to)
        seen.gaps.append({until, to});

    std::vector<microseconds> pauses;
    auto stretch = stretches.begin();
    for (size_t i = 1; i < looks->size(); ++i) {
        const ServerTime before = (*looks)[i - 1];
        const ServerTime now = (*looks)[i];
        while (stretch != stretches.end() && stretch->to < now)
            ++stretch;
        if (stretch != stretches.end() && before >= stretch->from) // no gap between
            pauses.push_back(now - before);
    }
    if (!pauses.empty()) {
        const auto middle = pauses.begin() + static_cast<std::ptrdiff_t>((pauses.size() - 1) / 2);
        std::nth_element(pauses.begin(), middle, pauses.end());
        seen.usualPause = *middle;
        seen.longestPause = *std::max_element(pauses.begin(), pauses.end());
    }
    return seen;
}

QString atLeastText(microseconds length)
{
    if (length.count() <= 0)
        return u"≥ 0 s"_s;
    return u"≥ "_s
        + (length < std::chrono::minutes(1) ? shortDuration(length.count())
                                            : formatDuration(std::chrono::floor<milliseconds>(length)));
}

QStringList notesOf(const RangeReport& report)
{
    const RangeSeen& seen = report.seen;
    if (seen.looks == 0)
        return {u"Nobody looked in this time: nothing is known of it."_s};
    QStringList notes;
    const auto percent = seen.length.count() > 0 ? 100 * seen.seen.count() / seen.length.count() : 100;
    notes << (seen.gaps.isEmpty() ? u"All of it was seen."_s
                                  : u"%1 of %2 were seen (%3 %)."_s.arg(
                                      inWords(seen.seen), inWords(seen.length), QString::number(percent)));
    if (!seen.gaps.isEmpty()) {
        microseconds longest{0};
        for (const RangeSeen::Gap& gap : seen.gaps)
            longest = std::max(longest, gap.to - gap.from);
        notes << (seen.gaps.size() == 1 ? u"Nobody looked for %1."_s.arg(inWords(longest))
                                        : u"Nobody looked in %1 stretches, the longest of %2."_s.arg(
                                            QString::number(seen.gaps.size()), inWords(longest)));
    }
    if (seen.usualPause.count() > 0) {
        notes
            << u"Looks were %1 apart: shorter waits may not have been seen, and each wait may have been that much longer."_s
                   .arg(inWords(seen.usualPause));
        if (seen.longestPause > 3 * seen.usualPause)
            notes << u"The longest pause between two looks was %1."_s.arg(inWords(seen.longestPause));
    }
    const WaitFigures& waits = report.waits;
    if (waits.cut > 0)
        notes << u"%1 of %2 waits reach beyond an end of the range: of them counts what lies in it."_s
                     .arg(waits.cut)
                     .arg(waits.count);
    if (waits.open > 0)
        notes << u"Of %1 waits nobody saw the end."_s.arg(waits.open);
    return notes;
}

} // namespace lockscope::record
