// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timetravel/MomentText.h"

#include <QLocale>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QDateTime asDate(ServerTime moment)
{
    return QDateTime::fromMSecsSinceEpoch(moment.us / 1'000, Qt::UTC);
}

QString dated(const QDateTime& moment, const QDateTime& today, const QString& format)
{
    const QString date = moment.date() == today.date() ? QString()
        : moment.date().year() == today.date().year()  ? u"d MMM "_s
                                                       : u"d MMM yyyy "_s;
    return QLocale::c().toString(moment, date + format);
}

} // namespace

QString momentText(ServerTime moment, const QDateTime& now)
{
    return dated(asDate(moment), now.toUTC(), u"HH:mm:ss"_s);
}

QString spanText(const record::Span& span, const QDateTime& now)
{
    const QDateTime first = asDate(span.first);
    const QDateTime last = asDate(span.last);
    return u"%1 to %2"_s.arg(dated(first, now.toUTC(), u"HH:mm"_s),
        dated(last, last.date() == first.date() ? first : now.toUTC(), u"HH:mm"_s));
}

} // namespace lockscope::ui
