// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ServerTime.h"

#include "core/base/Duration.h"

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

QString twoDigits(qint64 number)
{
    return u"%1"_s.arg(number, 2, 10, QLatin1Char('0'));
}

} // namespace

QString ServerTime::toIsoString() const
{
    if (!isValid())
        return {};
    using namespace std::chrono;
    const sys_time<microseconds> moment{microseconds(us)};
    const auto day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss time(moment - day);
    return u"%1-%2-%3T%4:%5:%6.%7Z"_s.arg(static_cast<int>(date.year()), 4, 10, QLatin1Char('0'))
        .arg(twoDigits(static_cast<unsigned>(date.month())), twoDigits(static_cast<unsigned>(date.day())),
            twoDigits(time.hours().count()), twoDigits(time.minutes().count()),
            twoDigits(time.seconds().count()),
            u"%1"_s.arg(time.subseconds().count(), 6, 10, QLatin1Char('0')));
}

QString Age::toString() const
{
    return exact ? formatDuration(value) : u"≥ "_s + formatDuration(value);
}

} // namespace lockscope
