// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/TimeScale.h"

#include <QDateTime>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <array>
#include <utility>

namespace lockscope::ui {

std::optional<TimeScale::Pixels> TimeScale::visible(qint64 begin, qint64 end, double beyond) const
{
    const double left = xOf(begin);
    const double right = xOf(end);
    if (right < 0 || left > width || right < left)
        return std::nullopt;
    return Pixels{std::max(left, -beyond), std::min(right, width + beyond)};
}

TimeScale TimeScale::zoomed(double factor, double x, qint64 end, qint64 begin, qint64 least) const
{
    const qint64 fixed = at(x);
    const qint64 all = std::max<qint64>(end - begin, 1);
    const auto shown = std::clamp(qint64(double(length()) / factor), std::min(least, all), all);
    TimeScale scale = *this;
    scale.from = fixed - qint64(double(shown) * x / width);
    scale.to = scale.from + shown;
    return scale.moved(0, end, begin);
}

TimeScale TimeScale::moved(qint64 by, qint64 end, qint64 begin) const
{
    TimeScale scale = *this;
    scale.from = std::clamp<qint64>(from + by, begin, std::max<qint64>(end - length(), begin));
    scale.to = scale.from + length();
    return scale;
}

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 second = 1'000'000;
constexpr qint64 minute = 60 * second;
constexpr qint64 hour = 60 * minute;
constexpr qint64 day = 24 * hour;

/// Each divides a day, or is made of days: so a multiple of it since 1970 is a round time of day.
constexpr std::array<qint64, 44> strides{1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000, 2'000, 5'000, 10'000,
    20'000, 50'000, 100'000, 200'000, 500'000, second, 2 * second, 5 * second, 10 * second, 15 * second,
    30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour,
    3 * hour, 6 * hour, 12 * hour, day, 2 * day, 4 * day, 8 * day, 16 * day, 32 * day, 64 * day, 128 * day,
    256 * day};

/// Returns the distance of round times with at least so many pixels between them.
qint64 strideOf(const TimeScale& scale, int pixels)
{
    const qint64 least = scale.length() * pixels / std::max(scale.width, 1);
    return *std::lower_bound(strides.begin(), strides.end() - 1, least);
}

/// Returns all multiples of that on view.
std::vector<qint64> multiplesOf(qint64 stride, const TimeScale& scale)
{
    std::vector<qint64> times;
    for (qint64 at = -floorTo(-scale.from, stride); at <= scale.to; at += stride)
        times.push_back(at);
    return times;
}

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
    const qint64 stride = std::max(strideOf(scale, pixels), second);
    std::vector<AxisTick> ticks;
    for (const qint64 at : multiplesOf(stride, scale)) {
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

std::vector<AxisTick> runTicks(const TimeScale& scale, int pixels)
{
    const qint64 stride = strideOf(scale, pixels);
    // All of them in the same unit, that of the last one.
    const auto [unit, name] = scale.to >= second ? std::pair(second, u"s"_s)
        : scale.to >= 1'000                      ? std::pair(qint64(1'000), u"ms"_s)
                                                 : std::pair(qint64(1), u"µs"_s);
    int decimals = 0;
    for (qint64 part = unit; part > 1 && stride % part != 0; part /= 10)
        ++decimals;
    std::vector<AxisTick> ticks;
    for (const qint64 at : multiplesOf(stride, scale))
        ticks.push_back(
            {at, at == 0 ? u"0"_s : u"%1 %2"_s.arg(double(at) / double(unit), 0, 'f', decimals).arg(name)});
    return ticks;
}

std::vector<AxisTick> ticksBefore(std::chrono::seconds shown, const QString& endText)
{
    const TimeScale scale{-microseconds(shown).count(), 0, 3}; // so many steps at most
    std::vector<AxisTick> ticks{{scale.from, u"−%1"_s.arg(-scale.from / minute)}};
    for (const qint64 at : multiplesOf(strideOf(scale, 1), scale)) {
        // The unit stands where there is space for it: at the left end there is none.
        if (at > scale.from && at < 0)
            ticks.push_back({at, (ticks.size() == 1 ? u"−%1 min"_s : u"−%1"_s).arg(-at / minute)});
    }
    ticks.push_back({0, endText});
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
