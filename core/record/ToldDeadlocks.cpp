// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What a server's own records tell of its deadlocks, as events: a part of Incidents.

#include "core/deadlock/Words.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/record/Incidents.h"
#include "core/record/RingDetail.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

using deadlock::Deadlock;
using deadlock::Report;
using deadlock::ReportKind;
using deadlock::ReportPtr;

namespace {

/// A log's last lines are read only once it is sure that they are whole.
constexpr microseconds counterMayBeAhead{10'000'000};

QString keyOf(const Report& report)
{
    if (!report.source.eventKey.isEmpty())
        return report.source.eventKey;
    return QString::fromLatin1(
        QCryptographicHash::hash(report.raw.toUtf8(), QCryptographicHash::Sha256).toHex());
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

Incidents::News Incidents::note(const deadlock::SourceLook& look, ServerTime now, ServerTime oldest)
{
    News news;
    for (const ReportPtr& report : look.reports) {
        if (!report->time.at || !report->time.isZoneKnown || *report->time.at >= oldest)
            addReport(report, look.origin, now, news);
    }
    addCounted(look, now, news);
    return news;
}

void Incidents::addReport(const ReportPtr& report, const QString& origin, ServerTime now, News& news)
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
            rings.append(ringDetail(deadlock::identityOf(each)));
        detail.insert(u"rings"_s, rings);
        const QString what = deadlockText(report, deadlocks);
        news.events << Event{at, Event::Kind::Deadlock, what, detailText(detail), u"report:"_s + key};
        pin(at, what, news);
    }
    news.reports << RecordedReport{at, origin, report->raw, key};
}

void Incidents::addCounted(const deadlock::SourceLook& look, ServerTime now, News& news)
{
    if (!look.counted)
        return;
    const Uncaptured before = m_uncaptured;
    const qint64 missing = std::max<qint64>(0, *look.counted - look.captured);
    m_uncaptured = {missing, missing > before.count ? now : before.since};
    // Where there are records, those of this look may tell of it at the next one.
    const bool mayCome = !look.origin.isEmpty();
    const bool isAwaited = mayCome && now - before.since < counterMayBeAhead;
    const qint64 sure = isAwaited ? m_toldUncaptured : mayCome ? std::min(missing, before.count) : missing;
    if (sure <= m_toldUncaptured)
        return;
    const ServerTime at = mayCome ? before.since : now;
    const qint64 fresh = sure - m_toldUncaptured;
    const QString what =
        u"%1 by the server's counter%2: %3 counted, %4 captured since recording began to look."_s.arg(
            fresh == 1 ? u"A deadlock"_s : u"%1 deadlocks"_s.arg(fresh),
            look.origin.isEmpty() ? u", of which nothing else is known"_s
                                  : u", of which no report was found"_s,
            (look.countedIsAtLeast ? u"at least "_s : QString()) + QString::number(*look.counted),
            QString::number(look.captured));
    m_toldUncaptured = sure;
    news.events << Event{at, Event::Kind::Deadlock, what,
        detailText({{u"kind"_s, u"counted"_s}, {u"deadlocks"_s, fresh}, {u"counted"_s, *look.counted},
            {u"captured"_s, look.captured}, {u"origin"_s, look.origin}}),
        {}};
    pin(at, what, news);
}

} // namespace lockscope::record
