// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"

#include <QRegularExpression>

#include <array>
#include <cmath>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

struct Unit {
    QStringView name;
    qint64 ms;
};

constexpr std::array<Unit, 5> units{{
    {u"d", 86'400'000},
    {u"h", 3'600'000},
    {u"m", 60'000},
    {u"s", 1'000},
    {u"ms", 1},
}};

constexpr double longestMs = 10'000.0 * 86'400'000.0;

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
    if (total > longestMs)
        return refused();
    return milliseconds(std::llround(total));
}

QString durationText(milliseconds duration)
{
    qint64 rest = duration.count();
    QString text;
    for (const Unit& unit : units) {
        if (rest >= unit.ms)
            text.append(QString::number(rest / unit.ms)).append(unit.name);
        rest %= unit.ms;
    }
    return text.isEmpty() ? u"0s"_s : text;
}

} // namespace lockscope
