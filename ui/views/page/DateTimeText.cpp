// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/DateTimeText.h"

#include <QLocale>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString dated(const QDateTime& dateTime, const QDateTime& today, const QString& format)
{
    const QString date = dateTime.date() == today.date() ? QString()
        : dateTime.date().year() == today.date().year()  ? u"d MMM "_s
                                                         : u"d MMM yyyy "_s;
    return QLocale::c().toString(dateTime, date + format);
}

} // namespace

QString shortDateTimeText(ServerTime time, const QDateTime& now)
{
    return dated(time.toDateTime(), now.toUTC(), u"HH:mm:ss 'UTC'"_s);
}

QString spanText(const record::Span& span, const QDateTime& now)
{
    const QDateTime first = span.first.toDateTime();
    const QDateTime last = span.last.toDateTime();
    return u"%1 to %2 UTC"_s.arg(dated(first, now.toUTC(), u"HH:mm"_s),
        dated(last, last.date() == first.date() ? first : now.toUTC(), u"HH:mm"_s));
}

const std::vector<std::pair<record::Landmark, QString>>& landmarkNames()
{
    using record::Landmark;
    static const std::vector<std::pair<Landmark, QString>> names{
        {Landmark::Wait, u"the beginning of a wait"_s}, {Landmark::LongWait, u"a wait that turns red"_s},
        {Landmark::Deadlock, u"deadlocks"_s}, {Landmark::Alert, u"alerts"_s}, {Landmark::Act, u"actions"_s},
        {Landmark::Gap, u"the end of a gap"_s}, {Landmark::Note, u"notes"_s}};
    return names;
}

QString landmarksText(record::Landmarks kinds)
{
    QStringList texts;
    for (const auto& [kind, name] : landmarkNames()) {
        if (kinds & kind)
            texts << name;
    }
    return texts.join(u", "_s);
}

} // namespace lockscope::ui
