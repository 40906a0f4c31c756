// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/StoredEvents.h"

#include "core/record/Damage.h"
#include "core/record/ReadLimits.h"
#include "core/record/RecordingFile.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

const QString damagedText = u"This event is damaged."_s;
const QString moreText = u"There are more events from here on than are read at once"_s;

Event::Kind kindOfName(const QString& name)
{
    for (const Event::Kind kind : {Event::Kind::Failure, Event::Kind::Gap, Event::Kind::Act,
             Event::Kind::Deadlock, Event::Kind::Alert, Event::Kind::Mark}) {
        if (eventKindName(kind) == name)
            return kind;
    }
    return Event::Kind::Note;
}

} // namespace

Result<QList<Event>> eventsIn(Store& store, ServerTime from, ServerTime to)
{
    QList<Event> events;
    qint64 characters = 0;
    bool more = false;
    bool isAnyDamaged = false;
    const auto add = [&](const Store::Row& row) {
        more = events.size() == maxLines || characters > maxCharacters;
        if (more)
            return false;
        const bool isDamaged = !row.isNull(6)
            && row.number(6) != eventChecksum({row.number(0)}, row.text(2), row.text(3), row.text(4));
        isAnyDamaged = isAnyDamaged || isDamaged;
        if (isDamaged)
            events.append({{row.number(0)}, Event::Kind::Note, damagedText});
        else
            events.append({{row.number(0)}, kindOfName(row.text(2)), row.text(3), row.text(4), row.text(5)});
        characters += events.back().what.size() + events.back().detail.size();
        return true;
    };
    const auto read = store.run("recording/recording/events", {from.us, to.us, maxLines + 1}, add);
    if (!read)
        return Failure(read.error());
    if (isAnyDamaged)
        store.noteDamage(otherChecksum(u"An event of the recording"_s).value());
    if (more)
        events.append({events.back().at, Event::Kind::Note,
            moreText + u": %1 of them are shown."_s.arg(events.size())});
    return events;
}

QStringList missingAmong(const QList<Event>& events)
{
    QStringList missing;
    const auto damaged = std::ranges::count(events, damagedText, &Event::what);
    if (damaged > 0)
        missing << (damaged == 1 ? u"1 event is damaged."_s : u"%L1 events are damaged."_s.arg(damaged));
    if (!events.isEmpty() && events.back().what.startsWith(moreText))
        missing << events.back().what;
    return missing;
}

Result<QList<RecordedReport>> reportsIn(Store& store, ServerTime from, ServerTime to)
{
    QList<RecordedReport> reports;
    qint64 characters = 0;
    bool isDamaged = false;
    const auto isTooMuch = [&] { return reports.size() > maxLines || characters > maxCharacters; };
    const auto add = [&](const Store::Row& row) {
        isDamaged = !row.isNull(4)
            && row.number(4) != eventChecksum({row.number(0)}, u"report"_s, row.text(1), row.text(2));
        if (isDamaged)
            return false;
        const QString key = row.text(3);
        reports.append(
            {{row.number(0)}, row.text(1), row.text(2), key.startsWith("raw:"_L1) ? key.mid(4) : key});
        characters += reports.back().raw.size();
        return !isTooMuch();
    };
    const auto read = store.run("recording/recording/reports", {from.us, to.us, maxLines + 1}, add);
    if (!read)
        return Failure(read.error());
    if (isDamaged) {
        const Failure damage = otherChecksum(u"A report of a deadlock"_s);
        store.noteDamage(damage.value());
        return damage;
    }
    return isTooMuch() ? Result<QList<RecordedReport>>(tooMuch(u"reports of deadlocks"_s)) : reports;
}

Result<QList<Event>> eventsLike(Store& store, const QString& pattern, qint64 maxCount)
{
    QList<Event> events;
    const auto read =
        store.run("recording/recording/events_like", {pattern, maxCount}, [&events](const Store::Row& row) {
            events.append({{row.number(0)}, kindOfName(row.text(1)), row.text(2), row.text(3)});
            return true;
        });
    if (!read)
        return Failure(read.error());
    return events;
}

} // namespace lockscope::record
