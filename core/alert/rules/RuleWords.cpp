// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFile.h"

#include "core/base/EnumTable.h"

#include <QRegularExpression>

#include <algorithm>
#include <optional>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr int allDays = 0x7f;
constexpr int wholeDay = 24 * 60;
constexpr int maxDaysAhead = 370;

QString dayText(int day)
{
    QString text = dayNames()[day];
    text[0] = text[0].toUpper();
    return text;
}

/// "Mon–Fri", "Mon, Wed"; empty for all.
QString daysText(int days)
{
    QStringList parts;
    for (int day = 0; day < 7; ++day) {
        int last = day;
        while (last < 7 && (days >> last & 1) != 0)
            ++last;
        const int length = last - day;
        if (length >= 3)
            parts << dayText(day) + u'–' + dayText(last - 1);
        else
            for (int each = day; each < last; ++each)
                parts << dayText(each);
        day += std::max(0, length - 1);
    }
    return days == allDays ? QString() : parts.join(u", "_s);
}

std::optional<int> minuteOf(const QString& text)
{
    static const QRegularExpression clock(u"^([0-9]{1,2})(?::([0-9]{2}))?$"_s);
    const auto match = clock.match(text);
    const int hour = match.captured(1).toInt();
    const int minute = match.captured(2).toInt();
    if (!match.hasMatch() || minute > 59 || hour * 60 + minute > wholeDay)
        return std::nullopt;
    return hour * 60 + minute;
}

/// "fri", "mon-fri", "sat-mon".
std::optional<int> daysOf(const QString& from, const QString& to)
{
    // The first three letters are enough: "Monday".
    const auto indexOf = [](const QString& word) {
        const bool isWord = std::ranges::all_of(word, [](QChar each) { return each.isLetter(); });
        return isWord ? dayNames().indexOf(word.left(3)) : qsizetype(-1);
    };
    const auto first = int(indexOf(from));
    const auto last = int(indexOf(to));
    if (first < 0 || last < 0)
        return std::nullopt;
    int days = 0;
    for (int day = first;; day = (day + 1) % 7) {
        days |= 1 << day;
        if (day == last)
            return days;
    }
}

Result<TimeRange> rangeOf(const QString& text)
{
    const auto bad = [](const QString& word) {
        return failure(ErrorKind::BadInput, u"“%1” is no day of the week and no range of times."_s.arg(word),
            u"Mon–Fri 22:00–06:00; Sat, Sun"_s);
    };
    static const QRegularExpression gap(u"[\\s,]+"_s);
    TimeRange range{.days = 0};
    bool hasTime = false;
    for (const QString& word : text.split(gap, Qt::SkipEmptyParts)) {
        const QStringList ends = word.split(u'-');
        if (ends.size() > 2)
            return bad(word);
        if (const auto days = daysOf(ends.first(), ends.last())) {
            range.days |= *days;
            continue;
        }
        const auto from = minuteOf(ends.first());
        const auto to = minuteOf(ends.last());
        if (!from || !to || ends.size() != 2 || hasTime)
            return bad(word);
        hasTime = true;
        range.from = *from;
        range.to = *to;
    }
    range.days = range.days == 0 ? allDays : range.days;
    return range;
}

} // namespace

QString minuteText(int minute)
{
    return u"%1:%2"_s.arg(minute / 60, 2, 10, QChar(u'0')).arg(minute % 60, 2, 10, QChar(u'0'));
}

const QStringList& dayNames()
{
    static const QStringList names{u"mon"_s, u"tue"_s, u"wed"_s, u"thu"_s, u"fri"_s, u"sat"_s, u"sun"_s};
    return names;
}

const QStringList& channelKinds()
{
    static constexpr EnumTable<ChannelSettings::Kind> kinds({u"webhook", u"mail", u"program", u"journal"});
    static const QStringList list = kinds.list();
    return list;
}

const QStringList& webhookForms()
{
    static constexpr EnumTable<ChannelSettings::Form> forms(
        {u"own", u"alertmanager", u"slack", u"teams", u"pagerduty"});
    static const QStringList list = forms.list();
    return list;
}

QString timesText(const std::vector<TimeRange>& times)
{
    QStringList parts;
    for (const TimeRange& range : times) {
        const QString days = daysText(range.days);
        const bool isWhole = range.from == 0 && range.to == wholeDay;
        const QString clock =
            isWhole && !days.isEmpty() ? QString() : minuteText(range.from) + u'–' + minuteText(range.to);
        parts << (days.isEmpty() || clock.isEmpty() ? days + clock : days + u' ' + clock);
    }
    return parts.join(u"; "_s);
}

Result<std::vector<TimeRange>> parseTimes(const QString& text)
{
    static const QRegularExpression dash(u"\\s*[-–—]\\s*"_s);
    std::vector<TimeRange> times;
    for (const QString& part : text.toLower().replace(dash, u"-"_s).split(u';', Qt::SkipEmptyParts)) {
        if (part.trimmed().isEmpty())
            continue;
        LOCKSCOPE_TRY_GET(const auto range, rangeOf(part));
        times.push_back(range);
    }
    return times;
}

QList<std::pair<QDateTime, QDateTime>> nextTimes(
    const MaintenanceWindow& window, const QDateTime& now, int count)
{
    QList<std::pair<QDateTime, QDateTime>> found;
    const auto add = [&](QDateTime from, QDateTime to) {
        if (window.from)
            from = std::max(from, window.from->toLocalTime());
        if (window.to)
            to = to.isValid() ? std::min(to, window.to->toLocalTime()) : window.to->toLocalTime();
        if (!to.isValid() || (from < to && now < to))
            found << std::pair(from, to);
    };
    const QDateTime begin = window.from ? std::max(*window.from, now).toLocalTime() : now.toLocalTime();
    if (window.scope.times.empty()) {
        add(window.from ? window.from->toLocalTime() : now, {});
        return found;
    }
    for (int ahead = -1; ahead < maxDaysAhead && found.size() < count; ++ahead) {
        const QDate day = begin.date().addDays(ahead);
        const auto at = [&day](int minute) {
            return QDateTime(day.addDays(minute / wholeDay), QTime(minute % wholeDay / 60, minute % 60));
        };
        for (const TimeRange& range : window.scope.times)
            if ((range.days >> (day.dayOfWeek() - 1) & 1) != 0)
                add(at(range.from), at(range.from < range.to ? range.to : range.to + wholeDay));
        std::ranges::sort(found);
    }
    return found.mid(0, count);
}

} // namespace lockscope::alert
