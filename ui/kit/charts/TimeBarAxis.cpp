// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/TimeBarAxis.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <array>

namespace lockscope::ui {

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
    return QLocale::c().toString(QDateTime::fromMSecsSinceEpoch(at.us / 1'000, Qt::UTC), format);
}

} // namespace

QString dayText(ServerTime at)
{
    return text(at, u"ddd d MMM");
}

std::vector<AxisTick> axisTicks(const TimeScale& scale, int pixels)
{
    const auto wanted = qint64(scale.leastStride(pixels));
    const auto* const found = std::lower_bound(strides.begin(), strides.end(), wanted);
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

} // namespace lockscope::ui
