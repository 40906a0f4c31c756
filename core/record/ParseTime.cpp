// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/ParseTime.h"

#include "core/base/Duration.h"

#include <QDateTime>
#include <QRegularExpression>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// Reads ISO 8601, as UTC if it names no zone.
QDateTime fromIso(const QString& text)
{
    QDateTime time = QDateTime::fromString(text, Qt::ISODate);
    if (time.timeSpec() == Qt::LocalTime)
        time.setTimeSpec(Qt::UTC);
    return time;
}

/// The latest such time until then.
QDateTime timeOfDay(QTime time, ServerTime latest)
{
    const QDateTime until = latest.toDateTime();
    const QDateTime dateTime(until.date(), time, Qt::UTC);
    return dateTime > until ? dateTime.addDays(-1) : dateTime;
}

} // namespace

Result<ServerTime> parseTime(const QString& text, ServerTime last, TimeEnd end, ServerTime latest)
{
    const QString written = text.trimmed();
    // Minutes as one writes them, too: "5min".
    const QString duration = written.startsWith(u'-') ? written.mid(1) : written;
    if (const auto ago = parseDuration(QString(duration).replace(u"min"_s, u"m"_s)))
        return last - *ago;
    static const QRegularExpression form(
        u"^(?:(?<date>\\d{4}-\\d{2}-\\d{2})[T ]|(?<day>today|yesterday) )?(?<time>(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:[.,](?<fraction>\\d{1,6}))?)?)(?<zone>Z|[+-]\\d{2}(?::?\\d{2})?)?$"_s,
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = form.match(written);
    QDateTime dateTime;
    if (match.hasMatch()) {
        QString clock = match.captured(u"time"_s).section(QRegularExpression(u"[.,]"_s), 0, 0);
        if (clock.size() % 3 == 1) // "3:12"
            clock.prepend(u'0');
        if (const QString date = match.captured(u"date"_s); !date.isEmpty())
            dateTime = fromIso(date + u'T' + clock + match.captured(u"zone"_s).toUpper());
        else if (const QTime time = QTime::fromString(clock, Qt::ISODate); !match.hasCaptured(u"zone"_s)) {
            const QString day = match.captured(u"day"_s).toLower();
            const QDate today = last.toDateTime().date();
            dateTime = day.isEmpty() ? timeOfDay(time, latest.isValid() ? latest : last)
                                     : QDateTime(today.addDays(day == u"yesterday" ? -1 : 0), time, Qt::UTC);
        }
    } else {
        dateTime = fromIso(written); // a date alone
    }
    if (!dateTime.isValid())
        return failure(ErrorKind::BadInput, u"'%1' is no time."_s.arg(text),
            u"Write 2026-11-22T03:12:07Z, 03:12, yesterday 03:12, or 5m for so long before the end."_s);
    const QString fraction = match.captured(u"fraction"_s);
    const ServerTime first =
        ServerTime::fromDateTime(dateTime) + microseconds(fraction.leftJustified(6, u'0').toLongLong());
    if (end == TimeEnd::First)
        return first;
    if (!match.hasMatch())
        return ServerTime::fromDateTime(dateTime.addDays(1)) - microseconds(1);
    qint64 unit = 1'000'000;
    for (qsizetype digit = 0; digit < fraction.size(); ++digit)
        unit /= 10;
    return first + microseconds(unit - 1);
}

} // namespace lockscope::record
