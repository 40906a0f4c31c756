// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarBars.h"

#include <algorithm>

namespace lockscope::ui {

using record::RecordedSnapshot;

namespace {

constexpr std::size_t leastPixels = 2; ///< of a poll that stands alone
constexpr double headroom = 1.2; ///< above the greatest value, so that its line is seen as such
constexpr double leastTop = 4; ///< waiters: one alone does not fill the height

struct Pixel {
    int waiting = -1; ///< nothing seen
    milliseconds longest{0};
    bool operator==(const Pixel&) const = default;
};

} // namespace

std::vector<TimeBarPiece> piecesOf(const TimeBarRecord& known, const TimeScale& scale, microseconds slowest)
{
    std::vector<Pixel> pixels(static_cast<std::size_t>(std::max(scale.width, 1)));
    // Exactly, as a column of the data is a pixel: no snapshot may slip into the one before.
    const auto pixelOf = [&scale](ServerTime at) {
        const qint64 us = std::clamp(at.us, scale.from, scale.to) - scale.from;
        return static_cast<std::size_t>(us * scale.width / (scale.to - scale.from));
    };
    const QList<RecordedSnapshot>& snapshots = known.snapshots();
    for (qsizetype i = 0; i < snapshots.size(); ++i) {
        const RecordedSnapshot& snapshot = snapshots[i];
        const ServerTime last = TimeBarRecord::lastPoll(snapshot);
        const RecordedSnapshot* const next = i + 1 < snapshots.size() ? &snapshots[i + 1] : nullptr;
        const bool lasts = next && !known.isGapBetween(snapshot, *next) && next->at - last <= slowest;
        const ServerTime end = lasts ? next->at : last;
        if (end.us < scale.from || snapshot.at.us >= scale.to)
            continue;
        const std::size_t first = pixelOf(snapshot.at);
        std::size_t behind = std::max(pixelOf(end) + (lasts ? 0 : leastPixels), first + 1);
        // One that does not last stands in nobody's way.
        if (!lasts && next)
            behind = std::min(behind, std::max(pixelOf(next->at), first + 1));
        behind = std::min(behind, pixels.size());
        for (std::size_t x = first; x < behind; ++x) {
            pixels[x].waiting = std::max(pixels[x].waiting, snapshot.waiting);
            pixels[x].longest = std::max(pixels[x].longest, snapshot.longest.value);
        }
    }
    std::vector<TimeBarPiece> pieces;
    for (std::size_t x = 0; x < pixels.size(); ++x) {
        if (pixels[x].waiting < 0)
            continue;
        if (x > 0 && pixels[x] == pixels[x - 1])
            ++pieces.back().width;
        else
            pieces.push_back({.x = static_cast<int>(x),
                .width = 1,
                .waiting = pixels[x].waiting,
                .longest = pixels[x].longest});
    }
    return pieces;
}

double waitHeight(milliseconds wait, milliseconds longest, const AgeThresholds& thresholds)
{
    const double top = std::max(headroom * double(longest.count()), double(thresholds.amber.count()) * 2);
    return wait.count() <= 0 ? 0 : double(wait.count()) / top;
}

double waitersHeight(int waiting, int maxWaiting)
{
    return waiting / std::max(headroom * maxWaiting, leastTop);
}

} // namespace lockscope::ui
