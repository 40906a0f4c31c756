// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/StoredEvents.h"

#include "core/alert/Rule.h"
#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/record/Damage.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingReader.h"
#include "core/record/Store.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

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
    LOCKSCOPE_TRY(store.run(statement, {values..., maxCount + 1}, add));
    if (isAnyDamaged)
        store.noteDamage(otherChecksum(u"An event of the recording"_s).value());
    return read;
}

/// Counts deadlocks by their events.
class DeadlockTally {
public:
    void add(const Event& event, const QJsonObject& detail)
    {
        const QJsonValue count = detail.value("deadlocks"_L1);
        if (!count.isDouble()) {
            if (const auto ring = deadlock::DeadlockIdentity::fromJson(detail.value("ring"_L1), event.at))
                m_known.add(*ring);
            else
                ++m_unnamed;
            return;
        }
        qint64 left = std::max<qint64>(0, count.toInteger());
        if (detail.value("time_known"_L1).toBool())
            for (const auto& each : detail.value("rings"_L1).toArray())
                if (const auto ring = deadlock::DeadlockIdentity::fromJson(each, event.at);
                    ring && left > 0) {
                    m_known.add(*ring);
                    --left;
                }
        m_vague += left;
    }

    qint64 atLeast() const
    {
        const qint64 seen = m_known.count() - m_known.recordedCount();
        return std::max(m_unnamed + seen, m_known.recordedCount() + std::max(seen, m_vague));
    }

private:
    deadlock::KnownDeadlocks m_known;
    qint64 m_unnamed = 0; ///< seen, of sessions that are not recorded, as in a redacted copy
    qint64 m_vague = 0; ///< recorded by the server; nobody can say which
};

} // namespace

Result<QList<Event>> RecordingReader::events(ServerTime from, ServerTime to)
{
    LOCKSCOPE_TRY_GET(
        auto read, readEvents(*m_store, "recording/recording/events", maxLines, from.us, to.us));
    if (read.hasMore)
        read.events.append(readersNote(read.events.back().at,
            u"There are more events from here on than are read at once: %1 of them are shown."_s.arg(
                read.events.size())));
    return std::move(read.events);
}

Result<QList<Event>> RecordingReader::latestEvents(Event::Kind kind, qint64 maxCount)
{
    LOCKSCOPE_TRY_GET(
        auto read, readEvents(*m_store, "recording/recording/latest_events", maxCount, eventKindName(kind)));
    std::ranges::reverse(read.events);
    if (read.hasMore)
        read.events.prepend(readersNote(read.events.front().at,
            u"There are earlier events of this kind than are read at once: the latest %1 of them are shown."_s
                .arg(read.events.size())));
    return std::move(read.events);
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

Result<QList<RecordedReport>> RecordingReader::reports(ServerTime from, ServerTime to)
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
    LOCKSCOPE_TRY(m_store->run("recording/recording/reports", {from.us, to.us, maxLines + 1}, add));
    if (isDamaged) {
        const Failure damage = otherChecksum(u"A report of a deadlock"_s);
        m_store->noteDamage(damage.value());
        return damage;
    }
    return isTooMuch() ? Result<QList<RecordedReport>>(tooMuch(u"reports of deadlocks"_s)) : reports;
}

Result<QList<Event>> RecordingReader::eventsLike(const QString& pattern, qint64 maxCount)
{
    return m_store->all<Event>(
        "recording/recording/events_like", {pattern, maxCount}, [](const Store::Row& row) {
            return Event{.at = {row.number(0)},
                .kind = kindOfName(row.text(1)),
                .what = row.text(2),
                .detail = row.text(3)};
        });
}

EventTally tallyOf(const QList<Event>& events)
{
    EventTally tally;
    DeadlockTally deadlocks;
    for (const Event& event : events) {
        const QJsonObject detail = QJsonDocument::fromJson(event.detail.toUtf8()).object();
        switch (event.kind) {
        case Event::Kind::Deadlock:
            deadlocks.add(event, detail);
            break;
        case Event::Kind::Alert:
            tally.alerts += detail.value("state"_L1).toString("begins"_L1) == "begins"_L1 ? 1 : 0;
            break;
        case Event::Kind::Act:
            ++tally.acts;
            break;
        case Event::Kind::Failure:
        case Event::Kind::Gap:
        case Event::Kind::Note:
        case Event::Kind::Mark:
            break;
        }
    }
    tally.deadlocks = deadlocks.atLeast();
    return tally;
}

QString EventTally::toString() const
{
    QStringList parts;
    const auto add = [&parts](qint64 count, QStringView one) {
        if (count > 0)
            parts << counted(count, one);
    };
    add(deadlocks, u"deadlock");
    add(alerts, u"alert");
    add(acts, u"action");
    return parts.join(u", "_s);
}

void EventTally::addTo(report::Report& report) const
{
    for (const auto& [key, count] : {std::pair(u"events.deadlocks"_s, deadlocks),
             std::pair(u"events.alerts"_s, alerts), std::pair(u"events.acts"_s, acts)})
        report.facts.push_back({{report::Type::Count, key}, count});
    if (const QString text = toString(); !text.isEmpty())
        report.closing << u"In that time: %1."_s.arg(text);
}

QList<RecordedIncident> incidentsAmong(const QList<Event>& events)
{
    QList<RecordedIncident> incidents;
    QHash<QString, qsizetype> firing; // by fingerprint
    for (const Event& event : events) {
        if (event.kind != Event::Kind::Alert)
            continue;
        const QJsonObject detail = QJsonDocument::fromJson(event.detail.toUtf8()).object();
        const QString fingerprint = detail[u"incident"].toString();
        const QString state = detail[u"state"].toString();
        if (fingerprint.isEmpty())
            continue; // a server's own report of a wait
        if (state == u"begins" || !firing.contains(fingerprint)) {
            firing.insert(fingerprint, incidents.size());
            incidents << RecordedIncident{};
        }
        RecordedIncident& incident = incidents[firing.value(fingerprint)];
        if (state == u"begins")
            incident.fired = event.at;
        if (incident.what.isEmpty())
            incident.what = event.what;
        incident.isCritical = incident.isCritical
            || detail[u"severity"].toString() == alert::severityName(alert::Severity::Critical);
        incident.steps << event;
        incident.head = detail[u"head"].toString();
        incident.waiting = std::max(incident.waiting, detail[u"waiting"].toInteger());
        incident.longest = std::max(incident.longest, milliseconds(detail[u"longest_ms"].toInteger()));
        if (state == u"ends") {
            incident.resolved = event.at;
            incident.end = event.what;
            firing.remove(fingerprint);
        }
    }
    std::reverse(incidents.begin(), incidents.end());
    return incidents;
}

report::Section toSection(const QList<RecordedIncident>& incidents)
{
    using enum report::Type;
    using report::Column;
    report::Section section{.key = u"incidents"_s,
        .columns = {{Time, u"fired"_s, u"Fired"_s, u"Empty: it fired before the recording begins."_s},
            Column(Time, u"resolved"_s, u"Resolved"_s, u"Empty: no event records its end."_s).yield(2),
            Column(u"severity"_s, u"Severity"_s, u"The worst that it had."_s),
            Column(u"title"_s, u"Incident"_s).wide(3).whole(),
            Column(u"head"_s, u"Head blocker"_s).wide(1).yield(3),
            {Count, u"waiting"_s, u"Waiting"_s, u"Sessions, at the worst."_s},
            {Length, u"longest"_s, u"Longest wait"_s}, Column(u"end"_s, u"End"_s).wide(2).yield(4)},
        .whenEmpty = u"No incident is recorded in that time."_s};
    for (const RecordedIncident& incident : incidents) {
        const bool isOfWaits = incident.waiting > 0; // else nobody counted them
        section.rows.push_back(
            {.cells = {incident.fired.value_or(ServerTime()), incident.resolved.value_or(ServerTime()),
                 alert::severityName(
                     incident.isCritical ? alert::Severity::Critical : alert::Severity::Warning),
                 incident.what, incident.head, isOfWaits ? report::Value(incident.waiting) : report::Value(),
                 isOfWaits ? report::Value::atLeast(incident.longest) : report::Value(), incident.end}});
    }
    return section;
}

} // namespace lockscope::record
