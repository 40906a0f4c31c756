// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/monitor/History.h"

#include <QHash>
#include <QList>
#include <QPointF>
#include <QStringList>

#include <chrono>
#include <functional>

namespace lockscope::ui {

/// Points of one line or band of a chart: x in seconds before the newest sample (negative), y as shown.
struct ChartSeries {
    QString name;
    QList<QPointF> points;
    double latest = 0;
};

/// A range of time without data.
struct ChartGap {
    ServerTime from;
    ServerTime to;
};

/// Returns the time that a chart shows: two minutes at first, then five, ten and fifteen, so that the data
/// fills it.
std::chrono::seconds shownTime(const monitor::History& history);

/// Reduces the `shown` end of `history` to at most two points a pixel: the largest value of each slot of
/// time. Slots are fixed in the server's time, so that the picture does not flicker while it moves.
ChartSeries lineOf(const monitor::History& history, std::chrono::seconds shown, int pixels,
    const QString& name, const std::function<double(const monitor::HistorySample&)>& value);

/// Waiters by table, as *upper edges* of bands that stand on each other: one for each of `names`, of which an
/// empty one has no waiters, then all the rest. All bands have the same x values.
QList<ChartSeries> stackedWaiters(const monitor::History& history, std::chrono::seconds shown, int pixels,
    const QStringList& names, const QString& restName);
/// The `count` names with the most waiters, most first.
QStringList mostWaitedFor(const monitor::History& history, size_t count);

/// Draws measures of one of `kinds`, of several at a time the greatest, in units of `unit`; only where they
/// were read.
ChartSeries lineOfMeasure(
    const monitor::History& history, std::chrono::seconds shown, const QStringList& kinds, double unit = 1);
/// Adds the measures of a kind, without those that have a name.
qint64 sumOfMeasure(const monitor::History& history, std::chrono::seconds shown, const QString& kind);

/// Measures that are drawn as bands: `total`, without a name, is divided into those of `part` by their names.
struct MeasureBands {
    QString total;
    QString part;
};
/// Draws them as stackedWaiters().
QList<ChartSeries> stackedMeasures(const MeasureBands& bands, const monitor::History& history,
    std::chrono::seconds shown, const QStringList& names, const QString& restName);
/// The `count` names with the greatest sums, greatest first.
QStringList greatestMeasures(const QString& part, const monitor::History& history, qsizetype count);

/// Returns the ranges in which polls failed or were paused.
QList<ChartGap> gapsOf(const monitor::History& history);

/// Gives each name one of a chart's colours. A name keeps it for as long as it is shown, whichever others
/// come or go, and gets it back when it returns and nobody else has it by then.
class SeriesSlots {
public:
    explicit SeriesSlots(int count);

    /// The names by colour, empty ones where a colour is free. `names`: at most as many as there are colours.
    const QStringList& place(const QStringList& names);
    void clear();

private:
    QStringList m_names;
    QHash<QString, int> m_former; ///< the colour that a name has or had last
};

} // namespace lockscope::ui
