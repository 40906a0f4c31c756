// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/IncidentTable.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/watch/IncidentStore.h"

namespace lockscope::watch {

using namespace Qt::StringLiterals;

using alert::Incident;
using alert::Mute;
using alert::Severity;
using report::Mark;
using report::Value;

namespace {

/// The severity now; of one that is over the worst that it had.
Value severityCell(const Incident& incident)
{
    if (!incident.isFiring())
        return Value(u"was "_s + alert::severityName(incident.worst), Mark::Muted);
    return severityValue(incident.severity);
}

QString handlingText(const Incident& incident, const QList<Mute>& mutes)
{
    QStringList texts;
    if (!incident.acknowledgedBy.isEmpty())
        texts << u"acknowledged by %1"_s.arg(incident.acknowledgedBy);
    if (const Mute* mute = incident.isFiring() ? alert::muteOf(mutes, incident) : nullptr)
        texts << u"muted %1"_s.arg(alert::endText(*mute));
    return texts.join(u", "_s);
}

QString ceilingText(const Mute& mute)
{
    QStringList limits;
    if (mute.maxWaiting)
        limits << counted(*mute.maxWaiting, u"waiting session");
    if (mute.maxWait)
        limits << u"a wait of %1"_s.arg(durationInWords(*mute.maxWait));
    return limits.isEmpty() ? QString() : u"up to "_s + limits.join(u" and "_s);
}

QString ofText(const Mute& mute)
{
    switch (mute.of) {
    case Mute::Of::Fingerprint:
        return u"cause"_s;
    case Mute::Of::Family:
        return u"deadlock family"_s;
    case Mute::Of::Rule:
    case Mute::Of::Server:
    case Mute::Of::Program:
        break;
    }
    return alert::muteOfName(mute.of);
}

} // namespace

Value severityValue(Severity severity)
{
    return Value(alert::severityName(severity), severity == Severity::Critical ? Mark::Failed : Mark::Alarm);
}

bool needsSomebody(const Incident& incident, const QList<Mute>& mutes)
{
    return incident.isFiring() && incident.acknowledgedBy.isEmpty() && !alert::muteOf(mutes, incident);
}

report::Section incidentsSection(const QList<Incident>& incidents, const QList<Mute>& mutes)
{
    using enum report::Type;
    using enum report::Shown;
    using report::Column;
    report::Section section{.key = u"incidents"_s,
        .columns = {Column(Count, u"id"_s, u"Number"_s).show(OnRequest),
            Column(u"severity"_s, u"Severity"_s, u"Now; of an incident that is over the worst"_s),
            Column(u"title"_s, u"Incident"_s).wide(8).whole(), Column(u"server"_s, u"Server"_s),
            Column(Time, u"since"_s, u"Since"_s, u"When it began, by the server's clock"_s).yield(5),
            Column(Length, u"lasted"_s, u"Lasts"_s, u"Until it was resolved, or the last poll"_s),
            Column(Count, u"waiting"_s, u"Waiting"_s, u"Sessions that wait at the last poll"_s),
            Column(Count, u"worst_waiting"_s, u"Worst"_s, u"Most sessions that waited at once"_s).yield(4),
            Column(Length, u"waited"_s, u"Cost"_s, u"The time that all sessions have waited together"_s)
                .yield(2),
            Column(u"rules"_s, u"Rules"_s, u"The rules that fire, or did"_s).wide(1).yield(6),
            Column(u"handling"_s, u"Seen by"_s, u"Who has acknowledged it, and whether it is muted"_s)
                .wide(1)
                .yield(3)}};
    for (const Incident& each : incidents) {
        const QString title = each.title.isEmpty() ? each.cause.kind : each.title;
        const bool isOfWaits = each.worstWaiting > 0; // else nobody counted them
        section.rows.push_back(
            {.cells = {each.id, severityCell(each), title, each.cause.server, each.since,
                 Value(each.lasted()), each.isFiring() && isOfWaits ? Value(qint64(each.waiting)) : Value(),
                 isOfWaits ? Value(qint64(each.worstWaiting)) : Value(), Value::atLeast(each.waited),
                 each.rules().join(u", "_s), handlingText(each, mutes)},
                .key = QString::number(each.id),
                .more = {sentences({title, each.reason, each.isFiring() ? QString() : each.clearedBy})},
                .rowTime = each.worstAt.isValid() ? each.worstAt : each.since,
                .about = each});
    }
    return section;
}

QString leftOutText(const ListedIncidents& listed)
{
    if (listed.leftOut == 0)
        return {};
    return u"only the latest %1, without %2"_s.arg(
        counted(ListedIncidents::maxOver, u"that is over", u"that are over"),
        counted(listed.leftOut, u"earlier one"));
}

report::Section mutesSection(const QList<Mute>& mutes)
{
    using enum report::Type;
    using enum report::Shown;
    using report::Column;
    report::Section section{.key = u"mutes"_s,
        .columns = {Column(Count, u"id"_s, u"Number"_s).show(OnRequest),
            Column(u"state"_s, u"State"_s, u"In force, or how it ended"_s).wide(2),
            Column(u"of"_s, u"Of"_s, u"Incidents of one cause, rule, server, program or deadlock family"_s),
            Column(u"value"_s, u"Muted"_s).wide(3), Column(u"end"_s, u"Until"_s).wide(1),
            Column(u"ceiling"_s, u"Ceiling"_s, u"Beyond it the mute ends by itself"_s).wide(1).yield(3),
            Column(u"why"_s, u"Why"_s).wide(2), Column(u"by"_s, u"By"_s).wide(1).yield(1),
            Column(Time, u"made"_s, u"Made"_s, u"By this machine's clock"_s).yield(2)}};
    for (const Mute& each : mutes) {
        const bool isOver = each.ended.isValid();
        section.rows.push_back(
            {.cells = {each.id,
                 isOver ? Value(u"ended: "_s + each.endedWhy, Mark::Muted) : Value(u"in force"_s),
                 ofText(each), each.shown.isEmpty() ? each.value : each.shown, alert::endText(each),
                 ceilingText(each), each.why, each.by, each.made},
                .key = QString::number(each.id),
                .about = each});
    }
    return section;
}

} // namespace lockscope::watch
