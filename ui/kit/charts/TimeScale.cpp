// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/TimeScale.h"

#include <QDateTime>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockscope::ui {

TimeScale TimeScale::zoomed(double factor, double x, qint64 end, qint64 begin, qint64 least) const
{
    const qint64 fixed = at(x);
    const qint64 all = std::max<qint64>(end - begin, 1);
    const auto length = std::clamp(qint64(double(to - from) / factor), std::min(least, all), all);
    TimeScale scale = *this;
    scale.from = fixed - qint64(double(length) * x / width);
    scale.to = scale.from + length;
    return scale.moved(0, end, begin);
}

TimeScale TimeScale::moved(qint64 by, qint64 end, qint64 begin) const
{
    const qint64 length = to - from;
    TimeScale scale = *this;
    scale.from = std::clamp<qint64>(from + by, begin, std::max<qint64>(end - length, begin));
    scale.to = scale.from + length;
    return scale;
}

double TimeScale::leastStride(int pixels) const
{
    return double(to - from) * pixels / std::max(width, 1);
}

qint64 TimeScale::tickStep(int pixels) const
{
    const double least = leastStride(pixels);
    const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1.0))));
    double step = power * 10;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) {
            step = factor * power;
            break;
        }
    }
    return std::max<qint64>(qint64(step), 1);
}

QString TimeScale::tickText(qint64 at, int pixels) const
{
    if (at == 0)
        return QStringLiteral("0");
    struct Unit {
        qint64 us;
        QStringView name;
    };
    // All of them in the same unit, that of the last one.
    const Unit unit = to >= 1'000'000 ? Unit{1'000'000, u"s"}
        : to >= 1'000                 ? Unit{1'000, u"ms"}
                                      : Unit{1, u"µs"};
    int decimals = 0;
    for (qint64 part = unit.us; part > 1 && tickStep(pixels) % part != 0; part /= 10)
        ++decimals;
    return QStringLiteral("%1 %2").arg(double(at) / double(unit.us), 0, 'f', decimals).arg(unit.name);
}

std::vector<qint64> TimeScale::multiplesOf(qint64 stride) const
{
    std::vector<qint64> count;
    for (qint64 at = (from + stride - 1) / stride * stride; at <= to; at += stride)
        count.push_back(at);
    return count;
}

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 second = 1'000'000;
constexpr qint64 minute = 60 * second;
constexpr qint64 hour = 60 * minute;
constexpr qint64 day = 24 * hour;

/// Each divides a day, or is made of days: so a multiple of it since 1970 is a round time of day.
constexpr std::array strides{second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute,
    2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour,
    12 * hour, day, 2 * day, 4 * day, 8 * day, 16 * day, 32 * day, 64 * day, 128 * day, 256 * day};

QString text(ServerTime at, QStringView format)
{
    return QLocale::c().toString(at.toDateTime(), format);
}

} // namespace

QString dayText(ServerTime at)
{
    return text(at, u"ddd d MMM");
}

std::vector<AxisTick> axisTicks(const TimeScale& scale, int pixels)
{
    const auto requested = qint64(scale.leastStride(pixels));
    const auto* const found = std::lower_bound(strides.begin(), strides.end(), requested);
    const qint64 stride = found == strides.end() ? strides.back() : *found;
    std::vector<AxisTick> ticks;
    for (const qint64 at : scale.multiplesOf(stride)) {
        const bool isDay = at % day == 0;
        ticks.push_back({at,
            text({at},
                isDay                      ? u"d MMM"
                    : stride % minute == 0 ? u"HH:mm"
                                           : u"HH:mm:ss"),
            isDay});
    }
    return ticks;
}

void paintTicks(QPainter& painter, const QRect& area, int gutter, const TimeScale& scale,
    const std::vector<AxisTick>& ticks)
{
    for (const AxisTick& tick : ticks) {
        const int x = area.x() + gutter + int(scale.xOf(tick.at));
        painter.fillRect(QRect(x, area.bottom() - 4, 1, 5), painter.pen().color());
        const int width = QFontMetrics(painter.font()).horizontalAdvance(tick.text) + 4;
        const int left = std::max(std::min(x - width / 2, area.right() - width), area.left());
        painter.drawText(QRect(left, area.y(), width, area.height() - 5),
            int(Qt::AlignCenter) | Qt::TextSingleLine, tick.text);
    }
}

} // namespace lockscope::ui
