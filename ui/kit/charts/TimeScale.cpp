// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/TimeScale.h"

#include <algorithm>
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

std::vector<qint64> TimeScale::ticks(int pixels) const
{
    return multiplesOf(tickStep(pixels));
}

std::vector<qint64> TimeScale::multiplesOf(qint64 stride) const
{
    std::vector<qint64> moments;
    for (qint64 at = (from + stride - 1) / stride * stride; at <= to; at += stride)
        moments.push_back(at);
    return moments;
}

} // namespace lockscope::ui
