// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/Series.h"

#include "core/base/Sentences.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace lockscope::ui {

using monitor::History;
using monitor::HistorySample;

namespace {

/// Calls `slot(begin, end)` for each run of samples that share one pixel.
template <class Slot>
void forEachSlot(const History& history, std::chrono::seconds shown, int pixels, Slot slot)
{
    const auto& samples = history.samples();
    const qint64 width = std::max<qint64>(1, microseconds(shown).count() / std::max(1, pixels));
    const ServerTime oldest = samples.back().at - microseconds(shown);
    auto begin = std::find_if(
        samples.cbegin(), samples.cend(), [&](const HistorySample& sample) { return sample.at >= oldest; });
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

/// Calls `reading(sample, x)` for each sample with measures: they are read too rarely to share a pixel.
template <class Reading>
void forEachReading(const History& history, std::chrono::seconds shown, Reading reading)
{
    for (const HistorySample& sample : history.samples()) {
        const double x = secondsBefore(sample.at, history.samples().back().at);
        if (!sample.measures.empty() && x >= -static_cast<double>(shown.count()))
            reading(sample, x);
    }
}

} // namespace

std::chrono::seconds shownTime(const History& history)
{
    using std::chrono::minutes;
    const auto& samples = history.samples();
    const auto known = samples.empty() ? microseconds(0) : samples.back().at - samples.front().at;
    for (const auto time : {minutes(2), minutes(5), minutes(10)})
        if (known <= time)
            return time;
    return minutes(15);
}

QStringList mostWaitedFor(const History& history, size_t count)
{
    return textOfEach(history.topNames(count), [&](quint32 index) { return history.name(index); });
}

ChartSeries lineOf(const History& history, std::chrono::seconds shown, int pixels, const QString& name,
    const std::function<double(const HistorySample&)>& value)
{
    ChartSeries series;
    series.name = name;
    if (history.samples().empty())
        return series;
    const ServerTime newest = history.samples().back().at;
    series.latest = value(history.samples().back());
    forEachSlot(history, shown, pixels, [&](auto begin, auto end) {
        double highest = 0;
        for (auto it = begin; it != end; ++it)
            highest = std::max(highest, value(*it));
        series.points.append({secondsBefore(std::prev(end)->at, newest), highest});
    });
    return series;
}

QList<ChartSeries> stackedWaiters(const History& history, std::chrono::seconds shown, int pixels,
    const QStringList& names, const QString& restName)
{
    QList<ChartSeries> bands(names.size() + 1);
    for (qsizetype i = 0; i < names.size(); ++i)
        bands[i].name = names[i];
    bands.last().name = restName;
    if (history.samples().empty())
        return bands;
    const ServerTime newest = history.samples().back().at;
    const auto countsOf = [&](const HistorySample& sample) {
        std::vector<int> counts(static_cast<size_t>(names.size()) + 1, 0);
        int rest = sample.waiters;
        for (const auto& [name, waiters] : sample.byName) {
            const qsizetype place = names.indexOf(history.name(name));
            if (place < 0)
                continue;
            counts[static_cast<size_t>(place)] = waiters;
            rest -= waiters;
        }
        counts.back() = std::max(0, rest);
        return counts;
    };
    forEachSlot(history, shown, pixels, [&](auto begin, auto end) {
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

ChartSeries lineOfMeasure(
    const History& history, std::chrono::seconds shown, const QStringList& kinds, double unit)
{
    ChartSeries series;
    forEachReading(history, shown, [&](const HistorySample& sample, double x) {
        std::optional<qint64> greatest;
        for (const monitor::Measure& measure : sample.measures)
            if (kinds.contains(measure.kind))
                greatest = std::max(greatest.value_or(measure.value), measure.value);
        if (greatest) {
            series.latest = static_cast<double>(*greatest) / unit;
            series.points.append({x, series.latest});
        }
    });
    return series;
}

qint64 sumOfMeasure(const History& history, std::chrono::seconds shown, const QString& kind)
{
    qint64 sum = 0;
    forEachReading(history, shown, [&](const HistorySample& sample, double) {
        for (const monitor::Measure& measure : sample.measures)
            if (measure.kind == kind && measure.name.isEmpty())
                sum += measure.value;
    });
    return sum;
}

QStringList greatestMeasures(const QString& part, const History& history, qsizetype count)
{
    QHash<QString, qint64> sums;
    for (const HistorySample& sample : history.samples()) {
        for (const monitor::Measure& measure : sample.measures)
            if (measure.kind == part && !measure.name.isEmpty())
                sums[measure.name] += measure.value;
    }
    QStringList names = sums.keys();
    std::ranges::sort(names, [&sums](const QString& a, const QString& b) {
        return sums[a] != sums[b] ? sums[a] > sums[b] : a < b;
    });
    return names.first(std::min(names.size(), count));
}

QList<ChartSeries> stackedMeasures(const MeasureBands& of, const History& history, std::chrono::seconds shown,
    const QStringList& names, const QString& restName)
{
    QList<ChartSeries> bands(names.size() + 1);
    for (qsizetype i = 0; i < names.size(); ++i)
        bands[i].name = names[i];
    bands.last().name = restName;
    forEachReading(history, shown, [&](const HistorySample& sample, double x) {
        std::optional<qint64> rest;
        std::vector<qint64> counts(static_cast<size_t>(bands.size()), 0);
        for (const monitor::Measure& measure : sample.measures) {
            const bool isTotal = measure.name.isEmpty();
            const qsizetype place = measure.kind == of.part && !isTotal ? names.indexOf(measure.name) : -1;
            if (place >= 0)
                counts[static_cast<size_t>(place)] = measure.value;
            else if (measure.kind == of.total && isTotal)
                rest = measure.value;
        }
        if (!rest)
            return;
        for (const qint64 count : counts)
            *rest -= count;
        counts.back() = std::max<qint64>(0, *rest);
        qint64 sum = 0;
        for (qsizetype i = 0; i < bands.size(); ++i) {
            sum += counts[static_cast<size_t>(i)];
            bands[i].latest = static_cast<double>(counts[static_cast<size_t>(i)]);
            bands[i].points.append({x, static_cast<double>(sum)});
        }
    });
    return bands;
}

QList<ChartGap> gapsOf(const History& history)
{
    QList<ChartGap> gaps;
    const auto& samples = history.samples();
    for (size_t i = 1; i < samples.size(); ++i) {
        if (samples[i].afterGap)
            gaps.append({samples[i - 1].at, samples[i].at});
    }
    return gaps;
}

SeriesSlots::SeriesSlots(int count)
    : m_names(count)
{
}

const QStringList& SeriesSlots::place(const QStringList& names)
{
    for (QString& name : m_names)
        if (!names.contains(name))
            name.clear();
    QStringList others;
    for (const QString& name : names) {
        if (m_names.contains(name))
            continue;
        const int former = m_former.value(name, -1);
        if (former >= 0 && m_names[former].isEmpty())
            m_names[former] = name;
        else
            others << name;
    }
    for (const QString& name : others) {
        const qsizetype free = m_names.indexOf(QString());
        if (free < 0)
            break;
        m_names[free] = name;
    }
    // Names come and go for as long as the program runs.
    constexpr qsizetype maxRemembered = 1'000;
    if (m_former.size() > maxRemembered)
        m_former.clear();
    for (int i = 0; i < m_names.size(); ++i)
        if (!m_names[i].isEmpty())
            m_former.insert(m_names[i], i);
    return m_names;
}

void SeriesSlots::clear()
{
    m_names.fill(QString());
    m_former.clear();
}

} // namespace lockscope::ui
