// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/Series.h"

#include <algorithm>

namespace lockscope::ui {

using monitor::History;
using monitor::HistorySample;

namespace {

/// Calls `slot(begin, end)` for each run of samples that share one pixel.
template <class Slot> void forEachSlot(const History& history, int pixels, Slot slot)
{
    const auto& samples = history.samples();
    const qint64 width = std::max<qint64>(1, history.span().count() / std::max(1, pixels));
    auto begin = samples.cbegin();
    while (begin != samples.cend()) {
        const qint64 number = begin->at.us / width;
        const auto end = std::find_if(begin, samples.cend(),
            [&](const HistorySample& sample) { return sample.at.us / width != number; });
        slot(begin, end);
        begin = end;
    }
}

double secondsBefore(ServerTime at, ServerTime newest)
{
    return static_cast<double>((at - newest).count()) / 1e6;
}

} // namespace

ChartSeries lineOf(const History& history, int pixels, const QString& name,
    const std::function<double(const HistorySample&)>& value)
{
    ChartSeries series;
    series.name = name;
    if (history.samples().empty())
        return series;
    const ServerTime newest = history.samples().back().at;
    series.latest = value(history.samples().back());
    forEachSlot(history, pixels, [&](auto begin, auto end) {
        double highest = 0;
        for (auto it = begin; it != end; ++it)
            highest = std::max(highest, value(*it));
        series.points.append({secondsBefore(std::prev(end)->at, newest), highest});
    });
    return series;
}

QList<ChartSeries> stackedWaiters(const History& history, int pixels, size_t top, const QString& restName)
{
    const std::vector<quint32> names = history.topNames(top);
    QList<ChartSeries> bands(static_cast<qsizetype>(names.size()) + 1);
    for (size_t i = 0; i < names.size(); ++i)
        bands[static_cast<qsizetype>(i)].name = history.name(names[i]);
    bands.last().name = restName;
    if (history.samples().empty())
        return bands;
    const ServerTime newest = history.samples().back().at;
    const auto countsOf = [&](const HistorySample& sample) {
        std::vector<int> counts(names.size() + 1, 0);
        int rest = sample.waiters;
        for (const auto& [name, waiters] : sample.byName) {
            const auto place = std::find(names.begin(), names.end(), name);
            if (place == names.end())
                continue;
            counts[static_cast<size_t>(place - names.begin())] = waiters;
            rest -= waiters;
        }
        counts.back() = std::max(0, rest);
        return counts;
    };
    forEachSlot(history, pixels, [&](auto begin, auto end) {
        const auto fullest = std::max_element(
            begin, end, [](const HistorySample& a, const HistorySample& b) { return a.waiters < b.waiters; });
        const std::vector<int> counts = countsOf(*fullest);
        const double x = secondsBefore(std::prev(end)->at, newest);
        int sum = 0;
        for (size_t i = 0; i < counts.size(); ++i) {
            sum += counts[i];
            bands[static_cast<qsizetype>(i)].points.append({x, static_cast<double>(sum)});
        }
    });
    const std::vector<int> latest = countsOf(history.samples().back());
    for (size_t i = 0; i < latest.size(); ++i)
        bands[static_cast<qsizetype>(i)].latest = latest[i];
    return bands;
}

QList<ChartGap> gapsOf(const History& history)
{
    QList<ChartGap> gaps;
    const auto& samples = history.samples();
    for (size_t i = 1; i < samples.size(); ++i) {
        if (samples[i].afterGap) {
            gaps.append({secondsBefore(samples[i - 1].at, samples.back().at),
                secondsBefore(samples[i].at, samples.back().at)});
        }
    }
    return gaps;
}

} // namespace lockscope::ui
