// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/LanePieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace lockscope::ui {

namespace {

constexpr qint64 columnPixels = 4; ///< of LossColumns

/// The pixel that is being filled, and how long each state lasted in it.
class PixelSum {
public:
    explicit PixelSum(std::vector<LanePiece>& pieces)
        : m_pieces(pieces)
    {
    }

    void add(int x, double share, const LaneSpan& span)
    {
        if (x != m_x)
            flush();
        m_x = x;
        m_shares[static_cast<std::size_t>(span.state)] += share;
        m_only = m_count++ == 0 ? &span : nullptr;
    }
    void flush()
    {
        if (m_count > 0) {
            const auto maximum = std::max_element(m_shares.begin() + 1, m_shares.end());
            put({.x = m_x,
                .width = 1,
                .state = static_cast<LaneState>(maximum - m_shares.begin()),
                .span = m_only});
        }
        m_shares.fill(0);
        m_count = 0;
    }
    void put(const LanePiece& piece)
    {
        LanePiece* const last = m_pieces.empty() ? nullptr : &m_pieces.back();
        if (last && last->x + last->width == piece.x && last->state == piece.state
            && last->span == piece.span)
            last->width += piece.width;
        else
            m_pieces.push_back(piece);
    }

private:
    std::vector<LanePiece>& m_pieces;
    int m_x = -1;
    std::array<double, enumeratorCount<LaneState>> m_shares{};
    int m_count = 0;
    const LaneSpan* m_only = nullptr;
};

} // namespace

std::vector<LanePiece> piecesOf(std::span<const LaneSpan> spans, const TimeScale& scale)
{
    std::vector<LanePiece> pieces;
    PixelSum pixel(pieces);
    auto span = std::lower_bound(spans.begin(), spans.end(), scale.from,
        [](const LaneSpan& each, qint64 from) { return each.to <= from; });
    for (; span != spans.end() && span->from < scale.to; ++span) {
        const double left = scale.xOf(std::max(span->from, scale.from));
        const double right = scale.xOf(std::min(span->to, scale.to));
        const int first = std::min(int(left), scale.width - 1);
        const int last = std::min(int(std::ceil(right)) - 1, scale.width - 1);
        if (first >= last) {
            pixel.add(first, right - left, *span);
            continue;
        }
        pixel.add(first, first + 1 - left, *span);
        pixel.flush();
        if (last - first > 1)
            pixel.put({.x = first + 1, .width = last - first - 1, .state = span->state, .span = &*span});
        pixel.add(last, right - last, *span);
    }
    pixel.flush();
    return pieces;
}

std::vector<PixelRun> pixelsOf(std::span<const SectionSpan> sections, const TimeScale& scale)
{
    std::vector<PixelRun> runs;
    for (const SectionSpan& section : sections) {
        if (section.from >= scale.to)
            break;
        if (section.to <= scale.from)
            continue;
        const int first = scale.pixelOf(section.from);
        const int last =
            std::clamp(int(std::ceil(scale.xOf(std::min(section.to, scale.to)))) - 1, first, scale.width - 1);
        if (!runs.empty() && first <= runs.back().x + runs.back().width)
            runs.back().width = std::max(runs.back().width, last + 1 - runs.back().x);
        else
            runs.push_back({first, last + 1 - first});
    }
    return runs;
}

int LossColumns::total() const
{
    return std::accumulate(counts.begin(), counts.end(), 0);
}

int LossColumns::maximum() const
{
    return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

LossColumns lossColumnsOf(const Timeline& timeline, const TimelineLane& lane, const TimeScale& scale)
{
    LossColumns columns;
    columns.length = std::max<qint64>(1, scale.length() * columnPixels / std::max(1, scale.width));
    columns.first = scale.from / columns.length;
    columns.counts.resize(static_cast<std::size_t>(scale.to / columns.length - columns.first + 1));
    const auto count = [&](qint64 at) {
        if (at >= scale.from && at <= scale.to)
            ++columns.counts[static_cast<std::size_t>(at / columns.length - columns.first)];
    };
    for (const LaneMark& mark : lane.marks)
        if (timeline.isLoss(mark.kind))
            count(mark.at);
    for (const SectionSpan& overlap : lane.overlaps)
        count(overlap.from);
    return columns;
}

} // namespace lockscope::ui
