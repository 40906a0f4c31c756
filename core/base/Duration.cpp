// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

struct DurationUnit {
    QStringView name;
    qint64 ms;
};

constexpr std::array<DurationUnit, 5> units{{
    {u"d", 86'400'000},
    {u"h", 3'600'000},
    {u"m", 60'000},
    {u"s", 1'000},
    {u"ms", 1},
}};

constexpr double maxDurationMs = 10'000.0 * 86'400'000.0;

} // namespace

Result<milliseconds> parseDuration(QStringView text)
{
    static const QRegularExpression plain(uR"(^\d{1,15}(\.\d{1,9})?$)"_s);
    static const QRegularExpression part(uR"((\d{1,15}(?:\.\d{1,9})?)(ms|d|h|m|s))"_s);
    const auto refused = [&text] {
        return failure(ErrorKind::BadInput, u"\"%1\" is not a duration."_s.arg(text),
            u"Write it like 10s, 1m30s or 250ms."_s);
    };
    const QString given = text.trimmed().toString();
    double total = 0;
    if (plain.match(given).hasMatch()) {
        total = given.toDouble() * 1'000;
    } else {
        qsizetype at = 0;
        size_t nextUnit = 0;
        while (at < given.size()) {
            const auto match = part.match(
                given, at, QRegularExpression::NormalMatch, QRegularExpression::AnchorAtOffsetMatchOption);
            if (!match.hasMatch())
                return refused();
            size_t unit = nextUnit;
            while (unit < units.size() && units[unit].name != match.capturedView(2))
                ++unit;
            if (unit == units.size())
                return refused();
            total += match.captured(1).toDouble() * static_cast<double>(units[unit].ms);
            nextUnit = unit + 1;
            at = match.capturedEnd();
        }
        if (nextUnit == 0)
            return refused();
    }
    if (total > maxDurationMs)
        return refused();
    return milliseconds(std::llround(total));
}

milliseconds unitLength(QStringView unit)
{
    const auto known = std::ranges::find(units, unit == u"min" ? u"m" : unit, &DurationUnit::name);
    Q_ASSERT(known != units.end());
    return milliseconds(known->ms);
}

QString durationText(milliseconds duration)
{
    qint64 rest = duration.count();
    QString text;
    for (const DurationUnit& unit : units) {
        if (rest >= unit.ms)
            text.append(QString::number(rest / unit.ms)).append(unit.name);
        rest %= unit.ms;
    }
    return text.isEmpty() ? u"0s"_s : text;
}

namespace {

QString inUnits(milliseconds duration, bool saysZero)
{
    // A slightly negative age only means that two readings of the server's clock crossed.
    const qint64 tenths = std::max<qint64>(0, duration.count()) / 100;
    const qint64 seconds = tenths / 10;
    const qint64 minutes = seconds / 60;
    const qint64 hours = minutes / 60;
    const auto two = [saysZero](qint64 big, const QString& bigUnit, qint64 small, const QString& smallUnit) {
        const QString text = u"%1 %2"_s.arg(big).arg(bigUnit);
        return small > 0 || saysZero ? u"%1 %2 %3"_s.arg(text).arg(small, 2, 10, QChar(u'0')).arg(smallUnit)
                                     : text;
    };
    if (seconds < 1)
        return tenths > 0 ? u"0.%1 s"_s.arg(tenths) : u"0 s"_s;
    if (minutes < 1)
        return u"%1 s"_s.arg(seconds);
    if (hours < 1)
        return two(minutes, u"min"_s, seconds % 60, u"s"_s);
    if (hours < 24)
        return two(hours, u"h"_s, minutes % 60, u"min"_s);
    return two(hours / 24, u"d"_s, hours % 24, u"h"_s);
}

} // namespace

QString formatDuration(milliseconds duration)
{
    return inUnits(duration, true);
}

QString durationInWords(milliseconds duration)
{
    return inUnits(duration, false);
}

QString durationInWords(const Age& age)
{
    return (age.exact ? QString() : u"at least "_s) + durationInWords(age.value);
}

QString lengthInWords(microseconds length)
{
    return length.count() > 0 && length < std::chrono::seconds(10)
        ? shortDuration(length.count())
        : durationInWords(std::chrono::round<milliseconds>(length));
}

QString shortDuration(qint64 us)
{
    const auto figure = [](double number, const QString& unit) {
        QString text = QString::number(number, 'f', number < 10 ? 2 : number < 100 ? 1 : 0);
        while (text.contains(u'.') && (text.endsWith(u'0') || text.endsWith(u'.')))
            text.chop(1);
        return text + u' ' + unit;
    };
    if (us == 0)
        return u"0"_s;
    if (us < 1'000)
        return u"%1 µs"_s.arg(us);
    return us < 1'000'000 ? figure(double(us) / 1e3, u"ms"_s) : figure(double(us) / 1e6, u"s"_s);
}

} // namespace lockscope
