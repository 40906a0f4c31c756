// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/StoredEvents.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/record/Damage.h"
#include "core/record/ReadLimits.h"
#include "core/record/RecordingFile.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

const QString damagedText = u"This event is damaged."_s;

Event::Kind kindOfName(const QString& name)
{
    return enumeratorNamed(name, eventKindName).value_or(Event::Kind::Note);
}

Event readersNote(ServerTime at, const QString& what)
{
    return {.at = at, .kind = Event::Kind::Note, .what = what, .isOfReader = true};
}

struct ReadEvents {
    QList<Event> events;
    bool hasMore = false;
};

/// The limit of the statement is its last value, behind `values`.
template <typename... Values>
Result<ReadEvents> readEvents(Store& store, const char* statement, qint64 maxCount, const Values&... values)
{
    ReadEvents read;
    QList<Event>& events = read.events;
    qint64 characters = 0;
    bool isAnyDamaged = false;
    const auto add = [&](const Store::Row& row) {
        read.hasMore = events.size() == maxCount || characters > maxCharacters;
        if (read.hasMore)
            return false;
        const bool isDamaged = !row.isNull(6)
            && row.number(6) != eventChecksum({row.number(0)}, row.text(2), row.text(3), row.text(4));
        isAnyDamaged = isAnyDamaged || isDamaged;
        if (isDamaged)
            events.append(readersNote({row.number(0)}, damagedText));
        else
            events.append({.at = {row.number(0)},
                .kind = kindOfName(row.text(2)),
                .what = row.text(3),
                .detail = row.text(4),
                .sourceKey = row.text(5)});
        characters += events.back().what.size() + events.back().detail.size();
        return true;
    };
    if (const auto done = store.run(statement, {values..., maxCount + 1}, add); !done)
        return Failure(done.error());
    if (isAnyDamaged)
        store.noteDamage(otherChecksum(u"An event of the recording"_s).value());
    return read;
}

} // namespace

Result<QList<Event>> eventsIn(Store& store, ServerTime from, ServerTime to)
{
    auto read = readEvents(store, "recording/recording/events", maxLines, from.us, to.us);
    if (!read)
        return Failure(read.error());
    if (read->hasMore)
        read->events.append(readersNote(read->events.back().at,
            u"There are more events from here on than are read at once: %1 of them are shown."_s.arg(
                read->events.size())));
    return std::move(read->events);
}

Result<QList<Event>> latestEventsIn(Store& store, Event::Kind kind, qint64 maxCount)
{
    auto read = readEvents(store, "recording/recording/latest_events", maxCount, eventKindName(kind));
    if (!read)
        return Failure(read.error());
    std::ranges::reverse(read->events);
    if (read->hasMore)
        read->events.prepend(readersNote(read->events.front().at,
            u"There are earlier events of this kind than are read at once: the latest %1 of them are shown."_s
                .arg(read->events.size())));
    return std::move(read->events);
}

QStringList missingAmong(const QList<Event>& events)
{
    QStringList missing;
    qint64 damaged = 0;
    for (const Event& event : events) {
        if (event.isOfReader && event.what == damagedText)
            ++damaged;
        else if (event.isOfReader)
            missing << event.what;
    }
    if (damaged > 0)
        missing << counted(damaged, u"event is damaged.", u"events are damaged.");
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
        reports.append({.at = {row.number(0)},
            .origin = row.text(1),
            .raw = row.text(2),
            .key = key.startsWith("raw:"_L1) ? key.mid(4) : key});
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
            events.append({.at = {row.number(0)},
                .kind = kindOfName(row.text(1)),
                .what = row.text(2),
                .detail = row.text(3)});
        });
    return ifDone(read, std::move(events));
}

} // namespace lockscope::record
