// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/MomentSearch.h"

#include "core/base/ClockText.h"
#include "core/record/RecordingReader.h"

#include <cstdlib>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// As far as there are so many; nothing: there is none on that side.
Result<std::optional<ServerTime>> step(RecordingReader& reader, ServerTime from, int steps)
{
    std::optional<ServerTime> reached;
    for (int i = 0; i < std::abs(steps); ++i) {
        const ServerTime base = reached.value_or(from);
        const auto next = steps > 0 ? reader.nextMoment(base) : reader.previousMoment(base);
        if (!next)
            return Failure(next.error());
        if (!*next)
            break;
        reached = *next;
    }
    return reached;
}

Result<std::optional<ServerTime>> timeOf(RecordingReader& reader, const MomentWish& wish)
{
    switch (wish.kind) {
    case MomentWish::Kind::At:
        break;
    case MomentWish::Kind::Step:
        return step(reader, wish.from, wish.steps);
    case MomentWish::Kind::NextIncident:
        return reader.nextIncident(wish.from);
    case MomentWish::Kind::PreviousIncident:
        return reader.previousIncident(wish.from);
    case MomentWish::Kind::Last:
        return reader.span().map([](const Span& span) { return std::optional(span.last); });
    }
    return std::optional(wish.from);
}

/// Whether `at` lies in a segment or between two; `taken`: the last look at it or before.
std::optional<Unseen> unseenAt(const QList<Segment>& segments, ServerTime at, ServerTime taken)
{
    const Segment* before = nullptr;
    std::optional<ServerTime> next;
    for (const Segment& segment : segments) {
        if (segment.began <= taken && taken <= segment.seen)
            before = &segment;
        else if (segment.began > at && (!next || segment.began < *next))
            next = segment.began;
    }
    if (!before || at <= before->seen)
        return std::nullopt;
    return Unseen{before->seen, next, before->endReason};
}

QString reasonText(const QString& why)
{
    if (why.isEmpty())
        return u"the program was cut off"_s;
    if (why == "gap"_L1)
        return u"the computer slept, or a clock was set"_s;
    if (why == "stopped"_L1)
        return u"recording was stopped"_s;
    return why.endsWith(u'.') ? why.chopped(1) : why;
}

} // namespace

QString Unseen::toString() const
{
    if (!to)
        return u"Nobody looked after %1."_s.arg(clockText(from));
    return u"Nobody looked between %1 and %2 (%3)."_s.arg(clockText(from), clockText(*to), reasonText(why));
}

Result<FoundMoment> findMoment(RecordingReader& reader, const MomentWish& wish)
{
    const auto at = timeOf(reader, wish);
    if (!at)
        return Failure(at.error());
    if (!*at)
        return FoundMoment{wish.from, SnapshotPtr(), {}};
    FoundMoment found{**at, reader.at(**at), {}};
    if (!found.snapshot) {
        if (found.snapshot.error().kind != ErrorKind::BadInput)
            return Failure(found.snapshot.error());
        return found;
    }
    const auto segments = reader.segments();
    if (!segments)
        return Failure(segments.error());
    found.unseen = unseenAt(*segments, found.at, (*found.snapshot)->takenAt);
    return found;
}

} // namespace lockscope::record
