// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarText.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "ui/kit/charts/TimeScale.h"
#include "ui/kit/theme/Theme.h"
#include "ui/shell/timetravel/TimeBarMarks.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using record::Event;
using record::RecordedSnapshot;

namespace {

constexpr int linesOfEvents = 6;

const UnseenRange* unseenAt(const QList<UnseenRange>& unseen, ServerTime at)
{
    const auto found = std::find_if(unseen.begin(), unseen.end(),
        [at](const UnseenRange& each) { return each.from < at && at < each.to; });
    return found == unseen.end() ? nullptr : &*found;
}

QString pollText(const RecordedSnapshot& snapshot)
{
    if (snapshot.pollCount < 2)
        return u"%1: %2"_s.arg(clockText(snapshot.at), waitingText(snapshot));
    return u"%1 to %2, the worst of %3 polls: %4"_s.arg(clockText(snapshot.at),
        clockText(TimeBarRecord::lastPoll(snapshot)), QString::number(snapshot.pollCount),
        waitingText(snapshot));
}

} // namespace

QString maximumText(const QString& value, AgeLevel level)
{
    return value.isEmpty() ? u"–"_s : theme::withSign(level, u"max "_s + value);
}

QString waitingText(const RecordedSnapshot& snapshot)
{
    if (snapshot.waiting == 0)
        return u"nobody waited"_s;
    return u"%1 waiting, longest wait %2"_s.arg(
        QString::number(snapshot.waiting), snapshot.longest.toString());
}

QString unseenText(const UnseenRange& unseenRange)
{
    const bool isOfOneDay = dayText(unseenRange.from) == dayText(unseenRange.to);
    const auto timeText = [isOfOneDay](ServerTime at) {
        return isOfOneDay ? clockText(at) : u"%1 %2"_s.arg(dayText(at), clockText(at));
    };
    const QString when = u"from %1 to %2 (%3)"_s.arg(timeText(unseenRange.from), timeText(unseenRange.to),
        lengthInWords(unseenRange.to - unseenRange.from));
    if (unseenRange.why == UnseenRange::Why::TooSlow)
        return u"Polled only every %1 %2: what came and went between was not seen."_s.arg(
            lengthInWords(unseenRange.pause), when);
    const QString what = u"Not recorded %1"_s.arg(when);
    return what + (unseenRange.reason.isEmpty() ? u"."_s : u": %1."_s.arg(inOneLine(unseenRange.reason)));
}

QString placeText(const TimeBarRecord& known, const QList<UnseenRange>& unseen, ServerTime at)
{
    const UnseenRange* const blind = unseenAt(unseen, at);
    if (blind && blind->why == UnseenRange::Why::Nobody)
        return unseenText(*blind);
    const RecordedSnapshot* const snapshot = known.at(at);
    if (!snapshot)
        return {};
    QStringList lines{pollText(*snapshot)};
    if (snapshot->waiting > 0 && !snapshot->head.isEmpty())
        lines << u"Held up most: %1"_s.arg(inOneLine(snapshot->head));
    lines << u"%1, %2"_s.arg(counted(snapshot->sessions, u"session"), counted(snapshot->locks, u"lock"));
    if (blind)
        lines << unseenText(*blind);
    return lines.join(u'\n');
}

QString eventsText(const QList<Event>& events, qsizetype first, qsizetype count)
{
    QStringList lines;
    int others = 0;
    for (qsizetype i = first; i < first + count; ++i) {
        if (!hasMark(events[i].kind))
            continue;
        if (lines.size() < linesOfEvents)
            lines << u"%1 %2: %3"_s.arg(
                clockText(events[i].at), record::eventKindName(events[i].kind), inOneLine(events[i].what));
        else
            ++others;
    }
    if (others > 0)
        lines << u"and %1 more"_s.arg(others);
    return lines.join(u'\n');
}

QString positionText(
    const TimeBarRecord& known, const QList<UnseenRange>& unseen, std::optional<ServerTime> position)
{
    if (!position)
        return u"Live"_s;
    const QString when = u"%1 %2 UTC"_s.arg(dayText(*position), clockText(*position));
    const UnseenRange* const blind = unseenAt(unseen, *position);
    if (blind && blind->why == UnseenRange::Why::Nobody)
        return u"%1: not recorded"_s.arg(when);
    const RecordedSnapshot* const snapshot = known.at(*position);
    return snapshot ? u"%1: %2"_s.arg(when, waitingText(*snapshot)) : when;
}

} // namespace lockscope::ui
