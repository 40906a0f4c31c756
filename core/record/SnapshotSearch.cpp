// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/SnapshotSearch.h"

#include "core/base/Duration.h"
#include "core/record/RecordingReader.h"

#include <array>
#include <cstdlib>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// Steps as far as there are so many; nothing: there is none on that side.
Result<std::optional<ServerTime>> step(RecordingReader& reader, ServerTime from, int steps)
{
    std::optional<ServerTime> reached;
    for (int i = 0; i < std::abs(steps); ++i) {
        const ServerTime base = reached.value_or(from);
        LOCKSCOPE_TRY_GET(
            const auto next, steps > 0 ? reader.nextSnapshotTime(base) : reader.previousSnapshotTime(base));
        if (!next)
            break;
        reached = next;
    }
    return reached;
}

constexpr std::array eventLandmarks{std::pair{Landmark::Deadlock, Event::Kind::Deadlock},
    std::pair{Landmark::Alert, Event::Kind::Alert}, std::pair{Landmark::Act, Event::Kind::Act},
    std::pair{Landmark::Note, Event::Kind::Note}, std::pair{Landmark::Note, Event::Kind::Mark}};

/// The nearest of several times.
class Nearest {
public:
    explicit Nearest(bool isNext)
        : m_isNext(isNext)
    {
    }
    void add(const Result<std::optional<ServerTime>>& found)
    {
        if (!found)
            m_nearest = Failure(found.error());
        else if (m_nearest && *found
            && (!*m_nearest || (m_isNext ? **found < **m_nearest : **found > **m_nearest)))
            m_nearest = *found;
    }
    const Result<std::optional<ServerTime>>& result() const { return m_nearest; }

private:
    bool m_isNext;
    Result<std::optional<ServerTime>> m_nearest = std::optional<ServerTime>();
};

/// Returns where recording goes on after a gap. Where a clock was set there may be none.
Result<std::optional<ServerTime>> endOfGap(RecordingReader& reader, ServerTime from, bool isNext)
{
    for (ServerTime at = from;;) {
        const auto end = isNext ? reader.nextGapEnd(at) : reader.previousGapEnd(at);
        if (!end || !*end)
            return end;
        at = **end;
        LOCKSCOPE_TRY_GET(const auto gap, gapAt(reader, at - microseconds(1)));
        if (gap && gap->from.isValid() && gap->to == at)
            return end;
    }
}

Result<std::optional<ServerTime>> landmark(
    RecordingReader& reader, const SnapshotRequest& request, bool isNext)
{
    const auto waitOf = [&](milliseconds minLength) {
        return isNext ? reader.nextWait(request.from, minLength)
                      : reader.previousWait(request.from, minLength);
    };
    Nearest nearest(isNext);
    if (request.landmarks.kinds & Landmark::Wait)
        nearest.add(waitOf({}));
    if (request.landmarks.kinds & Landmark::LongWait)
        nearest.add(waitOf(request.landmarks.longWait));
    if (request.landmarks.kinds & Landmark::Gap)
        nearest.add(endOfGap(reader, request.from, isNext));
    for (const auto& [kind, event] : eventLandmarks) {
        if (request.landmarks.kinds & kind)
            nearest.add(
                isNext ? reader.nextEvent(request.from, event) : reader.previousEvent(request.from, event));
    }
    return nearest.result();
}

Result<std::optional<ServerTime>> timeOf(RecordingReader& reader, const SnapshotRequest& request)
{
    switch (request.kind) {
    case SnapshotRequest::Kind::At:
        break;
    case SnapshotRequest::Kind::Step:
        return step(reader, request.from, request.steps);
    case SnapshotRequest::Kind::NextLandmark:
    case SnapshotRequest::Kind::PreviousLandmark:
        return landmark(reader, request, request.kind == SnapshotRequest::Kind::NextLandmark);
    case SnapshotRequest::Kind::Last:
        return reader.span().map([](const Span& span) { return std::optional(span.last); });
    }
    return std::optional(request.from);
}

} // namespace

QString FoundSnapshot::gapText() const
{
    if (!gap)
        return {};
    if (!gap->from.isValid())
        return gap->toString() + u" This is the first snapshot."_s;
    const auto age = std::chrono::round<milliseconds>(at - gap->from);
    return gap->toString() + u" This is the last snapshot before, %1 old."_s.arg(durationInWords(age));
}

Result<FoundSnapshot> findSnapshot(RecordingReader& reader, const SnapshotRequest& request)
{
    LOCKSCOPE_TRY_GET(const auto at, timeOf(reader, request));
    if (!at)
        return FoundSnapshot{request.from, SnapshotPtr(), {}};
    FoundSnapshot found{*at, reader.at(*at), {}};
    if (!found.snapshot) {
        if (found.snapshot.error().kind != ErrorKind::BadInput)
            return Failure(found.snapshot.error());
        return found;
    }
    LOCKSCOPE_TRY_GET(found.gap, gapAt(reader, found.at));
    return found;
}

} // namespace lockscope::record
