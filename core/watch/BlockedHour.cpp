// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/BlockedHour.h"

#include "core/record/Coverage.h"
#include "core/record/RecordingReader.h"

#include <algorithm>

namespace lockscope::watch {

namespace {

/// Polls of a second or more apart are all read; of faster ones the worst of each second.
constexpr microseconds mergedPolls{1'000'000};

qint64 minuteOf(ServerTime at)
{
    return at.us / BlockedHour::pieceLength.count();
}

} // namespace

Result<QList<BlockedRange>> blockedRanges(record::RecordingReader& reader, ServerTime from, ServerTime to)
{
    const auto snapshots =
        reader.recordedSnapshots(from, to, static_cast<int>(std::max<qint64>(1, (to - from) / mergedPolls)));
    if (!snapshots)
        return Failure(snapshots.error());
    const auto coverage = record::coverageOf(reader, from, to);
    if (!coverage)
        return Failure(coverage.error());
    QList<BlockedRange> ranges;
    auto gap = coverage->gaps.cbegin();
    for (qsizetype i = 0; i < snapshots->size(); ++i) {
        const record::RecordedSnapshot& one = snapshots->at(i);
        const ServerTime seen = std::max(one.at, one.last);
        const ServerTime next = i + 1 < snapshots->size() ? snapshots->at(i + 1).at : seen;
        while (gap != coverage->gaps.cend() && gap->to <= seen)
            ++gap;
        const bool isBeforeGap = gap != coverage->gaps.cend() && gap->from < next;
        BlockedRange range{one.at, isBeforeGap ? seen : std::max(seen, next), one.waiting};
        if (!ranges.isEmpty() && ranges.last().to == range.from && ranges.last().waiting == range.waiting)
            ranges.last().to = range.to;
        else if (range.from < range.to)
            ranges.append(range);
    }
    return ranges;
}

void BlockedHour::add(const BlockedRange& range)
{
    // Times of a file that somebody made may be anywhere: more than the hour is of no use.
    ServerTime from = std::max(range.from, range.to - length - pieceLength);
    while (from < range.to) {
        const ServerTime end = std::min(range.to, ServerTime{(minuteOf(from) + 1) * pieceLength.count()});
        Piece& piece = m_pieces[minuteOf(from)];
        piece.known += end - from;
        piece.blocked += (end - from) * qint64(std::max(0, range.waiting));
        from = end;
    }
    while (!m_pieces.empty() && m_pieces.begin()->first + pieceCount < m_pieces.rbegin()->first)
        m_pieces.erase(m_pieces.begin());
}

void BlockedHour::add(const BlockedHour& other)
{
    for (const auto& [minute, piece] : other.m_pieces) {
        m_pieces[minute].known += piece.known;
        m_pieces[minute].blocked += piece.blocked;
    }
}

void BlockedHour::noteSnapshot(ServerTime at, int waiting, microseconds longestPause)
{
    const bool isFirst = !m_latest.to.isValid();
    if (!isFirst && at < m_latest.to)
        m_pieces.clear();
    else if (!isFirst && at - m_latest.to <= longestPause)
        add({m_latest.to, at, m_latest.waiting});
    m_latest = {at, at, waiting};
}

BlockedHour::Pieces BlockedHour::until(ServerTime now) const
{
    Pieces pieces{};
    const qint64 last = minuteOf(now);
    for (qint64 i = 0; i < pieceCount; ++i) {
        const qint64 minute = last - pieceCount + 1 + i;
        Piece& piece = pieces[static_cast<size_t>(i)];
        if (const auto found = m_pieces.find(minute); found != m_pieces.end())
            piece = found->second;
        piece.length = minute == last ? now - ServerTime{minute * pieceLength.count()} : pieceLength;
        piece.known = std::min(piece.known, piece.length);
    }
    return pieces;
}

} // namespace lockscope::watch
