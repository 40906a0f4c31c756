// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Incidents.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/deadlock/Words.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/SessionName.h"

#include <QCryptographicHash>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <map>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

using deadlock::Deadlock;
using deadlock::Report;
using deadlock::ReportKind;
using deadlock::ReportPtr;

namespace {

QString detailText(const QJsonObject& detail)
{
    return QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact));
}

const QString unknownHolder = u"An unknown holder"_s;

/// Names a session and what it does at present: the next transaction of the same session is another one.
QString keyOf(const Snapshot& snapshot, SessionId id)
{
    const Session* session = snapshot.session(id);
    if (!session)
        return QString::number(id.value);
    return u"%1@%2/%3"_s.arg(QString::number(id.value), QString::number(session->started.us),
        QString::number(session->transactionStarted.value_or(ServerTime()).us));
}

QString titleOf(const Snapshot& snapshot, SessionId id)
{
    if (id == unidentifiedHolder)
        return unknownHolder;
    const QString title = sessionTitle(snapshot, id);
    return isPrepared(snapshot, id) ? title.left(1).toUpper() + title.mid(1) : u"Session "_s + title;
}

Age ageAt(ServerTime now, ServerTime since)
{
    return {std::max(milliseconds(0), std::chrono::floor<milliseconds>(now - since)), true};
}

bool isLonger(const Age& a, const Age& b)
{
    return a.value > b.value;
}

/// "It has had it for at most 4 s: the queue is older."
QString inheritedBy(const Snapshot& snapshot, SessionId head)
{
    const Session* session = snapshot.session(head);
    if (!session || !session->waitedUntil)
        return {};
    const auto& heads = snapshot.blocking().heads();
    const auto found = std::ranges::find(heads, head, &BlockingGraph::Head::session);
    if (found == heads.end() || !found->inheritedWithin)
        return {};
    return found->hasWhatItWaitedFor ? u"It "_s + inheritedText(*found) + u": the queue is older."_s
                                     : u"It is "_s + inheritedText(*found) + u": the queue is older."_s;
}

QJsonObject detailOf(const QString& state, const QString& title, int waiting, const Age& longest)
{
    return {{u"state"_s, state}, {u"head"_s, title}, {u"waiting"_s, waiting},
        {u"longest_ms"_s, static_cast<qint64>(longest.value.count())}, {u"longest_exact"_s, longest.exact}};
}

/// A log's last lines are read only once it is sure that they are whole.
constexpr microseconds counterMayBeAhead{10'000'000};

QString keyOf(const Report& report)
{
    if (!report.source.eventKey.isEmpty())
        return report.source.eventKey;
    return QString::fromLatin1(
        QCryptographicHash::hash(report.raw.text().toUtf8(), QCryptographicHash::Sha256).toHex());
}

QString sessionOf(const Report& report, int participant)
{
    return u"session "_s + report.participants[participant].label();
}

QString deadlockText(const ReportPtr& report, const QList<Deadlock>& deadlocks)
{
    if (deadlocks.isEmpty())
        return u"Deadlock, reported by the server; its report is incomplete."_s;
    QString text = u"Deadlock, reported by the server: %1"_s.arg(deadlock::summaryOf(deadlocks.first()));
    QStringList victims;
    for (const int victim : report->victims)
        victims << sessionOf(*report, victim);
    if (!victims.isEmpty())
        text += u" Ended: %1."_s.arg(victims.join(u", "_s));
    if (deadlocks.size() > 1)
        text += u" And %1 more in the same report."_s.arg(deadlocks.size() - 1);
    return text;
}

QString blockedText(const Report& report)
{
    if (report.links.isEmpty())
        return u"Blocked-process report of the server."_s;
    const deadlock::Link& link = report.links.first();
    return u"Blocked-process report of the server: %1 waits for %2."_s.arg(
        sessionOf(report, link.waiter), sessionOf(report, link.blocker));
}

} // namespace

Incidents::IncidentChanges Incidents::advance(const Snapshot& snapshot)
{
    IncidentChanges news;
    addDeadlocks(snapshot, news);
    addAlerts(snapshot, news);
    return news;
}

void Incidents::pin(ServerTime at, const QString& why, IncidentChanges& news)
{
    Pin pin{at - m_settings.around, at + m_settings.around, why};
    // What has just been pinned is not pinned again; a clock that was set back has other times.
    if (m_pinnedUntil >= pin.from && m_pinnedUntil <= pin.to)
        pin.from = m_pinnedUntil;
    m_pinnedUntil = pin.to;
    if (pin.from < pin.to)
        news.pins << pin;
}

void Incidents::addDeadlocks(const Snapshot& snapshot, IncidentChanges& news)
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
        news.events << Event{snapshot.takenAt, Event::Kind::Deadlock, what,
            detailText({{u"sessions"_s, all}, {u"ring"_s, ring.toJson()}}), u"ring:"_s + ring.key()};
        pin(snapshot.takenAt, what, news);
    }
    m_rings = std::move(seen);
}

/// Returns the sessions that make others wait too long in this snapshot, by the keys of their sources.
Incidents::Alerts Incidents::alertsOf(const Snapshot& snapshot) const
{
    Alerts alerts;
    const BlockingGraph& graph = snapshot.blocking();
    const auto note = [&alerts](const QString& key, const auto& make, const QString& what, const Age& age) {
        const auto found = alerts.find(key);
        if (found == alerts.end()) {
            Alert alert = make();
            alert.what = what;
            alert.longest = age;
            alerts.insert(key, alert);
        } else if (isLonger(age, found->longest)) {
            found->what = what;
            found->longest = age;
        }
    };
    for (const LockRequest& request : snapshot.requests) {
        const auto age = request.isWaiting() ? snapshot.ageOf(request) : std::nullopt;
        const Session* session = snapshot.session(request.session);
        if (!age || age->value < m_settings.wait || (session && session->own))
            continue;
        const SessionId waiter = snapshot.leaderOf(request.session);
        const SessionId head = graph.headOf(waiter);
        const QString name = snapshot.resourceOf(request).name;
        if (!head.isValid() || (head == waiter && !graph.inCycle(head))) {
            // Nobody can be named.
            note(
                u"lock:"_s + name, [] { return Alert{.title = unknownHolder, .waiting = 1}; }, name, *age);
            continue;
        }
        note(
            u"head:"_s + keyOf(snapshot, head),
            [&] {
                return Alert{.title = titleOf(snapshot, head),
                    .own = inheritedBy(snapshot, head),
                    .waiting = graph.victimsOf(head)};
            },
            name, *age);
    }
    QHash<LockTableKey, int> waiting;
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        if (!waiter.isBad() && !waiter.isExpired(snapshot.takenAt))
            ++waiting[{waiter.table, waiter.name}];
    }
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        if (waiter.isBad() || waiter.isExpired(snapshot.takenAt) || !waiter.registeredAt.isValid())
            continue;
        const Age age = ageAt(snapshot.takenAt, waiter.registeredAt);
        if (age.value < m_settings.wait)
            continue;
        note(
            u"entry:"_s + waiter.table + u'\n' + waiter.name,
            [&] {
                return Alert{.title = u"The holder of lock “%1”"_s.arg(waiter.name),
                    .waiting = waiting.value({waiter.table, waiter.name})};
            },
            waiter.name, age);
    }
    return alerts;
}

void Incidents::addAlerts(const Snapshot& snapshot, IncidentChanges& news)
{
    const ServerTime now = snapshot.takenAt;
    const Alerts seen = m_settings.wait.count() > 0 ? alertsOf(snapshot) : Alerts();
    for (auto it = seen.cbegin(); it != seen.cend(); ++it) {
        const auto known = m_alerts.find(it.key());
        if (known != m_alerts.end()) {
            known->calm.reset();
            known->waiting = std::max(known->waiting, it->waiting);
            if (isLonger(it->longest, known->longest))
                known->longest = it->longest;
            continue;
        }
        Alert alert = *it;
        // The same wait, seen by a program that was started again, is the same alert. One without an exact
        // start is another one each time.
        const ServerTime since = now - alert.longest.value;
        alert.sourceKey = u"alert:%1:%2"_s.arg(
            it.key(), QString::number((alert.longest.exact ? since : now).us / 1'000'000));
        const QString what = sentences(
            {u"%1 keeps others waiting for longer than %2: %3, the longest for %4%5"_s.arg(alert.title,
                 durationInWords(m_settings.wait),
                 alert.waiting == 1 ? u"1 waits"_s : u"%1 wait"_s.arg(alert.waiting),
                 durationInWords(alert.longest), alert.what.isEmpty() ? QString() : u", for "_s + alert.what),
                alert.own});
        news.events << Event{now, Event::Kind::Alert, what,
            detailText(detailOf(u"begins"_s, alert.title, alert.waiting, alert.longest)), alert.sourceKey};
        pin(now, what, news);
        m_alerts.insert(it.key(), alert);
    }
    // A view that could not be read proves nothing about sessions that don't wait any more.
    const bool isSure = std::none_of(snapshot.limitations.begin(), snapshot.limitations.end(),
        [](const Limitation& limitation) { return limitation.kind == Limitation::Kind::Failed; });
    for (auto it = m_alerts.begin(); isSure && it != m_alerts.end();) {
        if (seen.contains(it.key())) {
            ++it;
            continue;
        }
        if (!it->calm || *it->calm > now)
            it->calm = now;
        if (now - *it->calm < m_settings.calmFor) {
            ++it;
            continue;
        }
        const QString what =
            u"%1: nobody waits that long any more. At most %2 waited, the longest for %3."_s.arg(
                it->title, QString::number(it->waiting), durationInWords(it->longest));
        news.events << Event{*it->calm, Event::Kind::Alert, what,
            detailText(detailOf(u"ends"_s, it->title, it->waiting, it->longest)), it->sourceKey + u":end"_s};
        pin(*it->calm, what, news);
        it = m_alerts.erase(it);
    }
}

Incidents::IncidentChanges Incidents::note(
    const deadlock::SourcePoll& poll, ServerTime now, ServerTime oldest)
{
    IncidentChanges news;
    for (const ReportPtr& report : poll.reports) {
        if (!report->time.at || !report->time.isZoneKnown || *report->time.at >= oldest)
            addReport(report, poll.origin, now, news);
    }
    addCounted(poll, now, news);
    return news;
}

void Incidents::addReport(
    const ReportPtr& report, const QString& origin, ServerTime now, IncidentChanges& news)
{
    // A time of which nobody knows the zone may be hours off: then it is that of reading it.
    const bool isTimed = report->time.at && report->time.isZoneKnown;
    const ServerTime at = isTimed ? *report->time.at : now;
    const QString key = keyOf(*report);
    QJsonObject detail{{u"report"_s, key}, {u"origin"_s, origin}, {u"time_known"_s, isTimed}};
    if (report->kind == ReportKind::Blocked) {
        detail.insert(u"kind"_s, u"blocked"_s);
        news.events << Event{
            at, Event::Kind::Alert, blockedText(*report), detailText(detail), u"report:"_s + key};
    } else {
        const QList<Deadlock> deadlocks = deadlock::deadlocksOf(report);
        detail.insert(u"kind"_s, u"deadlock"_s);
        detail.insert(u"deadlocks"_s, std::max<qint64>(1, deadlocks.size()));
        QJsonArray rings;
        for (const Deadlock& each : deadlocks)
            rings.append(deadlock::identityOf(each).toJson());
        detail.insert(u"rings"_s, rings);
        const QString what = deadlockText(report, deadlocks);
        news.events << Event{at, Event::Kind::Deadlock, what, detailText(detail), u"report:"_s + key};
        pin(at, what, news);
    }
    news.reports << RecordedReport{at, origin, report->raw, key};
}

void Incidents::addCounted(const deadlock::SourcePoll& poll, ServerTime now, IncidentChanges& news)
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
        u"%1 by the server's counter%2: %3 counted, %4 captured since recording began to look."_s.arg(
            fresh == 1 ? u"A deadlock"_s : u"%1 deadlocks"_s.arg(fresh),
            poll.origin.isEmpty() ? u", of which nothing else is known"_s
                                  : u", of which no report was found"_s,
            (poll.countedIsAtLeast ? u"at least "_s : QString()) + QString::number(*poll.counted),
            QString::number(poll.captured));
    m_alertedUncaptured = sure;
    news.events << Event{at, Event::Kind::Deadlock, what,
        detailText({{u"kind"_s, u"counted"_s}, {u"deadlocks"_s, fresh}, {u"counted"_s, *poll.counted},
            {u"captured"_s, poll.captured}, {u"origin"_s, poll.origin}}),
        {}};
    pin(at, what, news);
}

} // namespace lockscope::alert
