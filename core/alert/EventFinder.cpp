// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/EventFinder.h"

#include "core/alert/Event.h"
#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/PostgresReport.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/domain/SnapshotNames.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <map>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

using deadlock::Deadlock;
using deadlock::DeadlockReport;
using deadlock::ReportKind;
using deadlock::ReportPtr;

namespace {

QString detailText(const QJsonObject& detail)
{
    return QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact));
}

/// The same wait, seen by a program that was started again, is the same incident: the oldest wait has an
/// exact start on most servers.
QString keyOf(const Incident& incident)
{
    const ServerTime since =
        incident.cause.kind == u"chain" ? incident.fired - incident.longestWait : incident.fired;
    return u"incident:%1:%2"_s.arg(incident.cause.fingerprint(), QString::number(since.us / 1'000'000));
}

QString waitedText(const Incident& incident)
{
    return incident.worstWaiting == 0
        ? QString()
        : u"At most %1 waited, the longest for %2."_s.arg(
            QString::number(incident.worstWaiting), durationInWords(incident.longestWait));
}

/// A log's last lines are read only once it is sure that they are whole.
constexpr microseconds counterMayBeAhead{10'000'000};

QString keyOf(const DeadlockReport& report)
{
    if (!report.source.eventKey.isEmpty())
        return report.source.eventKey;
    return QString::fromLatin1(
        QCryptographicHash::hash(report.raw.text().toUtf8(), QCryptographicHash::Sha256).toHex());
}

QString sessionOf(const DeadlockReport& report, int participant)
{
    return u"session "_s + report.participants[participant].label();
}

QString deadlockText(const ReportPtr& report, const QList<Deadlock>& deadlocks)
{
    if (deadlocks.isEmpty())
        return u"Deadlock, reported by the server; its report is incomplete."_s;
    QString text = u"Deadlock, reported by the server: %1"_s.arg(deadlock::summaryOf(deadlocks.first()));
    const QStringList victims =
        textOfEach(report->victims, [&](int victim) { return sessionOf(*report, victim); });
    if (!victims.isEmpty())
        text += u" Ended: %1."_s.arg(victims.join(u", "_s));
    if (deadlocks.size() > 1)
        text += u" And %1 more in the same report."_s.arg(deadlocks.size() - 1);
    return text;
}

QString blockedText(const DeadlockReport& report)
{
    if (report.links.isEmpty())
        return u"Blocked-process report of the server."_s;
    const deadlock::Link& link = report.links.first();
    return u"Blocked-process report of the server: %1 waits for %2."_s.arg(
        sessionOf(report, link.waiter), sessionOf(report, link.blocker));
}

/// Tells a wait of PostgreSQL's log. `others`: sessions that wait for the same.
QString loggedWaitText(const DeadlockReport& report, qsizetype others)
{
    const auto waited = report.participants.first().waited;
    const QStringList holders = textOfEach(
        report.links, [&](const deadlock::Link& link) { return report.participants[link.blocker].label(); });
    const QString names = nameList(holders, 5);
    const QString who = holders.isEmpty() ? u"The log does not say which session blocks it."_s
        : holders.size() == 1
        ? u"Session %1 has it."_s.arg(names)
        : u"The sessions %1 have it; the log does not say which of them blocks it."_s.arg(names);
    const QString more =
        others == 0 ? QString() : counted(others, u"more waits for the same.", u"more wait for the same.");
    return sentences(
        {u"Wait in the server's log: %1 waits for %2%3."_s.arg(sessionOf(report, 0),
             report.resources.first().name, waited ? u" for "_s + durationInWords(*waited) : QString()),
            who, more, isRaised(report) ? deadlock::raisedByStatement() : QString()});
}

bool isLoggedWait(const DeadlockReport& report)
{
    return report.kind == ReportKind::Blocked && report.engine == Engine::Postgres;
}

/// The log has an entry for each waiter: those behind the same sessions at one lock, within a while, have one
/// text. What a RAISE wrote stands by itself.
bool isOfOneQueue(const DeadlockReport& one, const DeadlockReport& next)
{
    constexpr microseconds maxPause{60'000'000};
    const auto holders = [](const DeadlockReport& report) {
        return textOfEach(
            report.links, [&](const deadlock::Link& link) { return report.participants[link.blocker].key; });
    };
    const bool isNear = one.time.at && next.time.at && *next.time.at - *one.time.at < maxPause;
    return isNear && one.resources.first().key == next.resources.first().key && holders(one) == holders(next);
}

} // namespace

EventFinder::Found EventFinder::advance(
    const SnapshotPtr& snapshot, milliseconds interval, const std::vector<monitor::Measure>& measures)
{
    Found found;
    addDeadlocks(*snapshot, found);
    Observation seen{.server = m_server, .at = snapshot->takenAt};
    if (interval.count() > 0)
        seen.interval = interval;
    seen.database = m_database;
    seen.snapshot = snapshot;
    seen.measures = measures;
    for (const IncidentChange& change : m_engine.advance(seen))
        addIncident(change, found);
    return found;
}

void EventFinder::pin(ServerTime at, const QString& why, Found& found)
{
    Pin pin{.from = at - around, .to = at + around, .why = why};
    // What has just been pinned is not pinned again; a clock that was set back has other times.
    if (m_pinnedUntil >= pin.from && m_pinnedUntil <= pin.to)
        pin.from = m_pinnedUntil;
    m_pinnedUntil = pin.to;
    if (pin.from < pin.to)
        found.pins << pin;
}

void EventFinder::addDeadlocks(const Snapshot& snapshot, Found& found)
{
    QList<deadlock::DeadlockIdentity> seen;
    const deadlock::ReportPtr report = deadlock::fromSnapshot(snapshot);
    for (const deadlock::Deadlock& each :
        report ? deadlock::deadlocksOf(report) : QList<deadlock::Deadlock>()) {
        const deadlock::DeadlockIdentity ring = deadlock::identityOf(each);
        seen << ring;
        if (std::ranges::any_of(m_rings, [&ring](const auto& known) { return isSameDeadlock(known, ring); }))
            continue;
        std::map<SessionId, QJsonObject> sessions;
        for (const deadlock::Link& link : each.links()) {
            const deadlock::Participant& one = each.participant(link.waiter);
            sessions.insert({one.session,
                QJsonObject{{u"session"_s, one.session.value}, {u"user"_s, one.user},
                    {u"program"_s, one.program}, {u"waits_for"_s, each.resource(link.resource).name}}});
        }
        std::vector<SessionId> ids;
        QJsonArray all;
        for (const auto& [id, session] : sessions) {
            ids.push_back(id);
            all.append(session);
        }
        const QString what =
            u"Deadlock: sessions %1 wait for each other in a ring."_s.arg(sessionNames(snapshot, ids));
        found.events << Event{.at = snapshot.takenAt,
            .kind = Event::Kind::Deadlock,
            .what = what,
            .detail = detailText({{u"sessions"_s, all}, {u"ring"_s, ring.toJson()}}),
            .sourceKey = ringKey + ring.key()};
        pin(snapshot.takenAt, what, found);
    }
    m_rings = std::move(seen);
}

void EventFinder::addIncident(const IncidentChange& change, Found& found)
{
    const Incident& incident = change.incident;
    const QString fingerprint = incident.cause.fingerprint();
    const auto add = [&](ServerTime at, const QString& state, const QString& what, const QString& key) {
        found.events << Event{.at = at,
            .kind = Event::Kind::Alert,
            .what = what,
            .detail = detailText({{u"state"_s, state}, {u"severity"_s, severityName(incident.worst)},
                {u"head"_s, incident.head.title}, {u"waiting"_s, incident.worstWaiting},
                {u"longest_ms"_s, static_cast<qint64>(incident.longestWait.count())},
                {u"incident"_s, fingerprint}}),
            .sourceKey = key};
        pin(at, what, found);
    };
    switch (change.kind) {
    case IncidentChange::Kind::Fired:
        m_keys.insert(fingerprint, keyOf(incident));
        add(incident.fired, u"begins"_s,
            incident.title.contains(incident.reason) ? incident.title
                                                     : sentences({incident.title, incident.reason}),
            m_keys.value(fingerprint));
        break;
    case IncidentChange::Kind::Escalated:
        add(incident.seen, u"worse"_s, u"Critical: "_s + incident.reason,
            m_keys.value(fingerprint) + u":critical"_s);
        break;
    case IncidentChange::Kind::Changed:
        break;
    case IncidentChange::Kind::Resolved:
        add(incident.resolved, u"ends"_s,
            sentences({u"Resolved after %1: "_s.arg(durationInWords(incident.lasted())) + incident.clearedBy,
                waitedText(incident)}),
            m_keys.take(fingerprint) + u":end"_s);
        break;
    }
}

EventFinder::Found EventFinder::note(const deadlock::SourcePoll& poll, ServerTime now, ServerTime oldest)
{
    Found found;
    std::vector<QList<ReportPtr>> queues;
    for (const ReportPtr& report : poll.reports) {
        const bool isOld = report->time.at && report->time.isZoneKnown && *report->time.at < oldest;
        if (isOld)
            continue;
        if (!isLoggedWait(*report) || isRaised(*report)) {
            addReport(report, poll.origin, now, found);
            continue;
        }
        const auto queue = std::ranges::find_if(
            queues, [&](const QList<ReportPtr>& each) { return isOfOneQueue(*each.last(), *report); });
        if (queue == queues.end())
            queues.push_back({report});
        else
            *queue << report;
    }
    for (const QList<ReportPtr>& reports : queues)
        addReport(reports.first(), poll.origin, now, found, reports.size() - 1);
    addCounted(poll, now, found);
    return found;
}

void EventFinder::addReport(
    const ReportPtr& report, const QString& origin, ServerTime now, Found& found, qsizetype others)
{
    // A time of which nobody knows the zone may be hours off: then it is that of reading it.
    const bool isTimed = report->time.at && report->time.isZoneKnown;
    const ServerTime at = isTimed ? *report->time.at : now;
    const QString key = keyOf(*report);
    QJsonObject detail{{u"report"_s, key}, {u"origin"_s, origin}, {u"time_known"_s, isTimed}};
    if (report->kind == ReportKind::Blocked) {
        detail.insert(u"kind"_s, u"blocked"_s);
        found.events << Event{.at = at,
            .kind = Event::Kind::Alert,
            .what = isLoggedWait(*report) ? loggedWaitText(*report, others) : blockedText(*report),
            .detail = detailText(detail),
            .sourceKey = u"report:"_s + key};
    } else {
        const QList<Deadlock> deadlocks = deadlock::deadlocksOf(report);
        detail.insert(u"kind"_s, u"deadlock"_s);
        detail.insert(u"deadlocks"_s, std::max<qint64>(1, deadlocks.size()));
        QJsonArray rings;
        for (const Deadlock& each : deadlocks)
            rings.append(deadlock::identityOf(each).toJson());
        detail.insert(u"rings"_s, rings);
        const QString what = deadlockText(report, deadlocks);
        found.events << Event{.at = at,
            .kind = Event::Kind::Deadlock,
            .what = what,
            .detail = detailText(detail),
            .sourceKey = u"report:"_s + key};
        pin(at, what, found);
    }
    found.reports << RecordedReport{.at = at, .origin = origin, .raw = report->raw, .key = key};
}

void EventFinder::addCounted(const deadlock::SourcePoll& poll, ServerTime now, Found& found)
{
    if (!poll.counted)
        return;
    const Uncaptured before = m_uncaptured;
    const qint64 missing = std::max<qint64>(0, *poll.counted - poll.captured);
    m_uncaptured = {missing, missing > before.count ? now : before.since};
    // Where there are records, those of this poll may contain it at the next one.
    const bool mayCome = !poll.origin.isEmpty();
    const bool isWaitedFor = mayCome && now - before.since < counterMayBeAhead;
    const qint64 sure = isWaitedFor ? m_alertedUncaptured
        : mayCome                   ? std::min(missing, before.count)
                                    : missing;
    if (sure <= m_alertedUncaptured)
        return;
    const ServerTime at = mayCome ? before.since : now;
    const qint64 fresh = sure - m_alertedUncaptured;
    const QString what =
        u"%1 by the server's counter%2: %3 counted, %4 captured since recording began."_s.arg(
            fresh == 1 ? u"A deadlock"_s : u"%1 deadlocks"_s.arg(fresh),
            poll.origin.isEmpty() ? u", of which nothing else is known"_s
                                  : u", of which no report was found"_s,
            (poll.countedIsAtLeast ? u"at least "_s : QString()) + QString::number(*poll.counted),
            QString::number(poll.captured));
    m_alertedUncaptured = sure;
    found.events << Event{.at = at,
        .kind = Event::Kind::Deadlock,
        .what = what,
        .detail = detailText({{u"kind"_s, u"counted"_s}, {u"deadlocks"_s, fresh},
            {u"counted"_s, *poll.counted}, {u"captured"_s, poll.captured}, {u"origin"_s, poll.origin}})};
    pin(at, what, found);
}

QString eventKindName(Event::Kind kind)
{
    static constexpr EnumTable<Event::Kind> names(
        {u"failure", u"gap", u"act", u"deadlock", u"alert", u"note", u"mark"});
    return names[kind].toString();
}

Result<QList<deadlock::ReportPtr>> reportsOf(const RecordedReport& report)
{
    auto read = deadlock::readReports(report.raw.toUtf8(), report.origin);
    if (!read)
        return read;
    for (deadlock::ReportPtr& each : *read) {
        if (each->time.at && each->time.isZoneKnown)
            continue;
        auto timed = std::make_shared<deadlock::DeadlockReport>(*each);
        timed->time.at = report.at;
        timed->time.isZoneKnown = true;
        each = std::move(timed);
    }
    return read;
}

} // namespace lockscope::alert
