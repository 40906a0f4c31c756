// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/AlertTables.h"

#include "core/alert/rules/RuleWords.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"

#include <QLocale>
#include <QUrl>

#include <algorithm>

namespace lockscope::watch {

using namespace Qt::StringLiterals;
using alert::ChannelSettings;
using alert::Incident;
using alert::MaintenanceWindow;
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

/// "3 sessions for 30 s, or 25 sessions at once".
QString levelsText(const alert::Rule& rule, Severity severity)
{
    QStringList texts;
    for (const alert::RuleLevel& level : rule.levels)
        if (level.severity == severity)
            texts << alert::valueText(rule.condition, level.from)
                    + (level.hold.count() > 0 ? u" for "_s + durationInWords(level.hold) : QString());
    return texts.join(u", or "_s);
}

/// Without its times.
QString scopeText(const alert::Scope& scope)
{
    QStringList texts;
    for (const auto& [key, list] : alert::scopeLists)
        if (!(scope.*list).isEmpty())
            texts << key.toString() + u' ' + (scope.*list).join(u", "_s);
    return texts.isEmpty() ? u"all"_s : texts.join(u"; "_s);
}

QString withTimes(const QString& scope, const std::vector<alert::TimeRange>& times)
{
    return times.empty() ? scope : scope + u"; "_s + alert::timesText(times);
}

QString kindText(const ChannelSettings& channel)
{
    const QString kind = alert::channelKinds()[qsizetype(channel.kind)];
    return channel.kind == ChannelSettings::Kind::Webhook
        ? u"%1: %2"_s.arg(kind, alert::webhookForms()[qsizetype(channel.form)])
        : kind;
}

/// Returns the receiver, without what may be secret of an address.
QString placeText(const ChannelSettings& channel)
{
    switch (channel.kind) {
    case ChannelSettings::Kind::Webhook:
        if (!channel.url.isEmpty())
            return QUrl(channel.url).toString(QUrl::RemoveQuery);
        return channel.form == ChannelSettings::Form::PagerDuty ? u"events.pagerduty.com"_s
                                                                : u"the address in %1"_s.arg(channel.secret);
    case ChannelSettings::Kind::Mail:
        return u"%1 by %2"_s.arg(
            channel.to.join(u", "_s), channel.url.isEmpty() ? u"sendmail"_s : QUrl(channel.url).host());
    case ChannelSettings::Kind::Program:
        return channel.command.join(u' ');
    case ChannelSettings::Kind::Journal:
        break;
    }
    return u"the systemd journal of this machine"_s;
}

QString usersText(const ChannelSettings& channel, const std::vector<alert::Rule>& rules)
{
    QStringList names;
    qsizetype ofAll = 0;
    for (const alert::Rule& rule : rules) {
        if (rule.channels.contains(channel.name))
            names << rule.name;
        ofAll += rule.channels.isEmpty() ? 1 : 0;
    }
    if (ofAll == qsizetype(rules.size()))
        return u"all rules"_s;
    if (ofAll > 0)
        names << u"all that name no channel"_s;
    return names.join(u", "_s);
}

Value stateValue(const ChannelSettings& channel, const QList<IncidentStore::QueueState>& queue)
{
    const auto state = std::ranges::find(queue, channel.name, &IncidentStore::QueueState::channel);
    if (state == queue.end())
        return {};
    if (state->failingSince.isValid())
        return Value(u"failing for %1: %2"_s.arg(
                         durationInWords(std::chrono::floor<milliseconds>(ownClock() - state->failingSince)),
                         state->lastError),
            Mark::Failed);
    if (state->waiting > 0)
        return Value(counted(state->waiting, u"notice waits", u"notices wait"));
    return Value(state->lastSent.isValid() ? u"delivers"_s : QString(), Mark::Good);
}

QString spanText(const QDateTime& from, const QDateTime& to, const QDateTime& now)
{
    const QLocale english = QLocale::c();
    const auto dayText = [&](const QDateTime& time) {
        return english.toString(
            time, time.date().year() == now.date().year() ? u"ddd d MMM HH:mm"_s : u"ddd d MMM yyyy HH:mm"_s);
    };
    const QString clock = to.isValid() ? english.toString(to, u"HH:mm"_s) : QString();
    const bool isShort = from.secsTo(to) < 24 * 3'600;
    if (from <= now)
        return to.isValid() ? u"now, until %1"_s.arg(now.secsTo(to) < 24 * 3'600 ? clock : dayText(to))
                            : u"now, without end"_s;
    return isShort ? u"%1–%2"_s.arg(dayText(from), clock) : u"%1 – %2"_s.arg(dayText(from), dayText(to));
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

report::Section rulesSection(const std::vector<alert::Rule>& rules)
{
    using enum report::Type;
    using report::Column;
    report::Section section{.key = u"rules"_s,
        .columns = {Column(u"name"_s, u"Rule"_s).wide(2), Column(u"state"_s, u"State"_s),
            Column(u"measures"_s, u"Measures"_s).wide(4).yield(2),
            Column(u"warning"_s, u"Warning from"_s).wide(2),
            Column(u"critical"_s, u"Critical from"_s).wide(3),
            Column(Length, u"keep_firing"_s, u"Keeps firing"_s,
                u"The time that it must have been clear before a level is left"_s)
                .yield(3),
            Column(u"only"_s, u"Applies to"_s).wide(1).yield(1)}};
    for (const alert::Rule& rule : rules) {
        section.rows.push_back(
            {.cells = {rule.name, rule.isOn ? Value(u"on"_s) : Value(u"off"_s, Mark::Muted),
                 QString::fromUtf16(alert::conditionInfo(rule.condition).meaning),
                 levelsText(rule, Severity::Warning), levelsText(rule, Severity::Critical),
                 Value(rule.keepFiring), withTimes(scopeText(rule.scope), rule.scope.times)},
                .key = rule.name,
                .more = {rule.text},
                .about = rule});
    }
    return section;
}

report::Section channelsSection(const std::vector<ChannelSettings>& channels,
    const std::vector<alert::Rule>& rules, const QList<IncidentStore::QueueState>& queue)
{
    using report::Column;
    report::Section section{.key = u"channels"_s,
        .columns = {Column(u"name"_s, u"Channel"_s).wide(1), Column(u"kind"_s, u"Kind"_s),
            Column(u"to"_s, u"Goes to"_s).wide(3),
            Column(u"from"_s, u"From"_s, u"Severity from which on it is sent"_s),
            Column(u"statements"_s, u"Statements"_s, u"Whether texts of statements leave the machine"_s)
                .yield(2),
            Column(u"resolved"_s, u"Ends"_s, u"Whether it is sent that an incident is over"_s).yield(3),
            Column(u"rules"_s, u"Of"_s, u"The rules whose incidents it sends"_s).wide(1).yield(1),
            Column(u"state"_s, u"State"_s).wide(3)}};
    for (const ChannelSettings& each : channels)
        section.rows.push_back(
            {.cells = {each.name, kindText(each), placeText(each), severityName(each.minSeverity),
                 each.sendsStatements ? Value(u"sent"_s, Mark::Warning) : Value(u"left out"_s),
                 each.sendsResolved ? u"sent"_s : u"left out"_s, usersText(each, rules),
                 stateValue(each, queue)},
                .key = each.name,
                .about = each});
    return section;
}

report::Section maintenanceSection(const std::vector<MaintenanceWindow>& windows, const QDateTime& now)
{
    using report::Column;
    report::Section section{.key = u"maintenance"_s,
        .columns = {Column(u"why"_s, u"Why"_s).wide(2), Column(u"only"_s, u"Applies to"_s).wide(2).yield(1),
            Column(u"times"_s, u"Each week"_s).wide(1), Column(u"next"_s, u"Next"_s).wide(1)}};
    for (size_t i = 0; i < windows.size(); ++i) {
        const MaintenanceWindow& window = windows[i];
        const QString next = nextTimesText(window, now, 1);
        section.rows.push_back(
            {.cells = {window.why, scopeText(window.scope), alert::timesText(window.scope.times),
                 next.isEmpty() ? Value(u"over"_s, Mark::Muted) : Value(next)},
                .key = QString::number(i),
                .about = window});
    }
    return section;
}

QString nextTimesText(const MaintenanceWindow& window, const QDateTime& now, int count)
{
    QStringList texts;
    for (const auto& [from, to] : alert::nextTimes(window, now, count))
        texts << spanText(from, to, now);
    return texts.join(u"; "_s);
}

} // namespace lockscope::watch
