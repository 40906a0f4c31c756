// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/AlertTables.h"

#include "core/alert/rules/RuleFile.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/record/Recording.h"
#include "core/record/RecordingReader.h"
#include "core/watch/IncidentKeeper.h"

#include <QDir>
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
using report::Column;
using report::Mark;
using report::Report;
using report::Section;
using report::Value;
using enum report::Type;
using enum report::Shown;

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

constexpr milliseconds minAround = std::chrono::seconds(10); ///< shown before and after an incident
constexpr milliseconds maxAround = std::chrono::minutes(5);
constexpr int chartColumns = 120;
constexpr int chartHeight = 80;

/// Bars of how many waited, the worst in each part of the time; with what they mean, for a page without
/// scripts.
QString waitersPicture(const QList<record::RecordedSnapshot>& waiters, const Incident& incident)
{
    const ServerTime from = waiters.first().at;
    const microseconds length = std::max(microseconds(1), waiters.last().at - from);
    const int most =
        std::max(1, std::ranges::max_element(waiters, {}, &record::RecordedSnapshot::waiting)->waiting);
    constexpr int width = 720;
    const auto x = [&](ServerTime at) {
        return double((at - from).count()) / double(length.count()) * width;
    };
    const auto number = [](double value) { return QString::number(value, 'f', 1); };
    QString svg =
        u"<svg viewBox=\"0 0 %1 %2\" width=\"100%\" role=\"img\" aria-label=\"Sessions that waited, at most %3\">"_s
            .arg(width + 10)
            .arg(chartHeight + 20)
            .arg(most);
    const double begin = x(std::max(from, incident.since));
    svg += u"<rect x=\"%1\" y=\"0\" width=\"%2\" height=\"%3\" fill=\"#8884\"/>"_s.arg(
        number(begin), number(std::max(0.0, x(incident.end()) - begin)), number(chartHeight));
    // Each is shown until the next one, but not across a gap.
    const double widest = 3.0 * width / double(waiters.size());
    for (qsizetype i = 0; i < waiters.size(); ++i) {
        const record::RecordedSnapshot& one = waiters[i];
        const double height = double(one.waiting) / most * chartHeight;
        const double until = i + 1 < waiters.size() ? x(waiters[i + 1].at) : width + widest / 3;
        svg +=
            u"<rect x=\"%1\" y=\"%2\" width=\"%3\" height=\"%4\" fill=\"#b5302a\"/>"_s.arg(number(x(one.at)),
                number(chartHeight - height), number(std::min(widest, until - x(one.at))), number(height));
    }
    svg += u"<text x=\"0\" y=\"%1\" font-size=\"12\" fill=\"currentColor\">%2</text>"_s.arg(
        QString::number(chartHeight + 15), report::timeText(from));
    svg +=
        u"<text x=\"%1\" y=\"%2\" font-size=\"12\" text-anchor=\"end\" fill=\"currentColor\">%3</text></svg>"_s
            .arg(QString::number(width), QString::number(chartHeight + 15),
                report::timeText(waiters.last().at));
    return svg;
}

Section waitersSection(const IncidentFile& file)
{
    Section section{.key = u"waiters"_s,
        .title = u"Sessions that waited"_s,
        .columns = {Column(Time, u"at"_s, u"At"_s), Column(Count, u"waiting"_s, u"Waiting"_s),
            Column(Length, u"longest_wait"_s, u"Longest wait"_s).withExact(),
            Column(u"head"_s, u"Worst head blocker"_s).wide(1)},
        .whenEmpty = file.recording.isEmpty() ? u"No recording covers that time."_s
                                              : u"The recording shows no snapshot of that time."_s,
        .shown = ToPrograms};
    for (const record::RecordedSnapshot& one : file.waiters)
        section.rows.push_back(
            {.cells = {one.at, qint64(one.waiting), Value(one.longest.value, one.longest.exact), one.head}});
    return section;
}

/// The same for people: a picture, in text the few figures that matter.
Section waitersForPeople(const IncidentFile& file)
{
    Section section = waitersSection(file);
    section.key += u"_shown"_s;
    section.shown = ToPeople;
    if (file.waiters.isEmpty()) {
        section.rows.clear();
        return section;
    }
    static const QString levels = u" ▁▂▃▄▅▆▇█"_s;
    const int most =
        std::max(1, std::ranges::max_element(file.waiters, {}, &record::RecordedSnapshot::waiting)->waiting);
    QString line;
    for (const record::RecordedSnapshot& one : file.waiters)
        line += levels[(one.waiting * (levels.size() - 1) + most - 1) / most];
    section.picture = {line,
        u"%1 to %2, at most %3"_s.arg(report::timeText(file.waiters.first().at),
            report::timeText(file.waiters.last().at), valueText(alert::Condition::BlockedSessions, most))};
    section.svg = [waiters = file.waiters, incident = file.incident] {
        return waitersPicture(waiters, incident);
    };
    return section;
}

Section rulesSection(const Incident& incident)
{
    Section section{.key = u"rules"_s,
        .title = u"Rules that fired"_s,
        .columns = {Column(u"rule"_s, u"Rule"_s), Column(u"severity"_s, u"Severity"_s),
            Column(Time, u"since"_s, u"Since"_s), Column(u"why"_s, u"Why"_s).wide(1)}};
    for (const alert::Symptom& symptom : incident.symptoms)
        section.rows.push_back(
            {.cells = {symptom.rule, severityValue(symptom.severity), symptom.since, symptom.text}});
    return section;
}

Section stepsSection(const QList<IncidentStep>& steps)
{
    Section section{.key = u"history"_s,
        .title = u"History"_s,
        .columns = {Column(Time, u"at"_s, u"At"_s, u"By the clock of the machine that watched"_s),
            Column(u"what"_s, u"What happened"_s).wide(1)}};
    for (const IncidentStep& step : steps)
        section.rows.push_back({.cells = {step.at, step.what}});
    return section;
}

Section eventsSection(const IncidentFile& file)
{
    Section section{.key = u"events"_s,
        .title = u"Acts, gaps and notes of that time"_s,
        .columns = {Column(Time, u"at"_s, u"At"_s), Column(u"kind"_s, u"Kind"_s),
            Column(u"what"_s, u"What happened"_s).wide(1)},
        .whenEmpty = file.recording.isEmpty() ? u"No recording covers that time."_s
                                              : u"No act, gap or note of that time is recorded."_s};
    for (const record::Event& event : file.events)
        section.rows.push_back({.cells = {event.at, record::eventKindName(event.kind), event.what}});
    return section;
}

void addFacts(Report& report, const Incident& incident, bool withStatements)
{
    const auto add = [&report](const Column& column, const Value& value) {
        if (!value.isNothing())
            report.facts.push_back({column, value});
    };
    const auto text = [](const QString& shown) { return shown.isEmpty() ? Value() : Value(shown); };
    add(Column(Count, u"id"_s, u"Incident"_s), incident.id);
    add(Column(u"severity"_s, u"Severity"_s), alert::severityName(incident.worst));
    add(Column(u"server"_s, u"Server"_s), text(incident.cause.server));
    add(Column(u"database"_s, u"Database"_s), text(incident.cause.database));
    add(Column(u"resource"_s, u"About"_s), text(incident.cause.resource));
    add(Column(Time, u"since"_s, u"Since"_s), incident.since);
    add(Column(Time, u"resolved"_s, u"Resolved"_s), incident.resolved);
    add(Column(Length, u"lasted"_s, u"Lasted"_s), Value(microseconds(incident.lasted())));
    if (incident.worstWaiting > 0) {
        add(Column(Count, u"worst_waiting"_s, u"Most sessions that waited"_s), qint64(incident.worstWaiting));
        add(Column(Time, u"worst_at"_s, u"Most waited at"_s), incident.worstAt);
        add(Column(Length, u"longest_wait"_s, u"Longest wait"_s), Value(microseconds(incident.longestWait)));
        add(Column(Length, u"waited"_s, u"Waited together"_s), Value::atLeast(incident.waited));
    }
    add(Column(u"head"_s, u"Head blocker"_s), text(incident.head.title));
    add(Column(u"head_doing"_s, u"It is"_s), text(incident.head.doing));
    add(Column(u"head_elsewhere"_s, u"On another server"_s), text(incident.head.elsewhere));
    if (withStatements)
        add(Column(Code, u"statement"_s, u"Its statement"_s), text(incident.head.statement));
    add(Column(u"cleared_by"_s, u"Cleared by"_s), text(incident.clearedBy));
    add(Column(u"remedy"_s, u"What resolves it"_s),
        text(incident.isFiring() ? incident.head.remedy : QString()));
    add(Column(u"muted_by"_s, u"No notice"_s), text(incident.mutedBy));
    add(Column(u"acknowledged_by"_s, u"Acknowledged by"_s), text(incident.acknowledgedBy));
}

/// Facts are for programs; people get them as a table.
Section factsForPeople(const std::vector<report::Fact>& facts)
{
    Section section{.key = u"incident_shown"_s,
        .columns = {Column(u"fact"_s, u"Incident"_s), Column(Code, u"value"_s, u"What is known"_s).wide(1)},
        .shown = ToPeople};
    for (const report::Fact& fact : facts)
        section.rows.push_back({.cells = {fact.column.title, report::shownText(fact.column, fact.value)}});
    return section;
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

FiringIncidents::FiringIncidents(const QList<Incident>& incidents, const QList<Mute>& mutes)
{
    for (const Incident& each : incidents)
        if (needsSomebody(each, mutes))
            m_byServer[each.cause.server] << each;
}

QList<Incident> FiringIncidents::of(const QString& place) const
{
    QList<Incident> all = m_byServer.value(record::causeServer(place));
    const QString own = record::causeDatabase(place);
    all.removeIf([&own](const Incident& each) {
        return !each.cause.database.isEmpty() && !own.isEmpty() && each.cause.database != own;
    });
    return all;
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
    const auto text = [&now](const auto& each) { return spanText(each.first, each.second, now); };
    return textOfEach(alert::nextTimes(window, now, count), text).join(u"; "_s);
}

Result<void> addRecorded(IncidentFile& file, record::RecordingReader& reader)
{
    const milliseconds around = std::clamp(file.incident.lasted(), minAround, maxAround);
    const ServerTime from = file.incident.since - around;
    const ServerTime to = file.incident.end() + around;
    LOCKSCOPE_TRY_GET(auto waiters, reader.recordedSnapshots(from, to, chartColumns));
    LOCKSCOPE_TRY_GET(auto events, reader.events(from, to));
    file.waiters = std::move(waiters);
    using Kind = record::Event::Kind;
    for (const record::Event& event : events)
        if (event.kind != Kind::Alert && event.kind != Kind::Note)
            file.events << event;
    return {};
}

void addOwnRecording(IncidentFile& file)
{
    for (const QString& path : record::ownRecordings(QDir::Time)) {
        const auto reader = record::RecordingReader::open(path);
        if (!reader || causeServer((*reader)->identity().place) != file.incident.cause.server)
            continue;
        const auto span = (*reader)->span();
        if (!span || span->first > file.incident.end() || span->last < file.incident.since)
            continue;
        if (addRecorded(file, **reader) && !file.waiters.isEmpty()) {
            file.recording = path;
            return;
        }
    }
}

Report toReport(const IncidentFile& file, bool withStatements)
{
    const Incident& incident = file.incident;
    Report report{.title = u"Incident %1: %2"_s.arg(incident.id).arg(incident.title)};
    if (!incident.reason.isEmpty())
        report.notes << incident.reason;
    if (incident.isFiring())
        report.notes << u"It still fires."_s;
    addFacts(report, incident, withStatements);
    Section chain{.key = u"chain"_s,
        .title = u"The chain when most waited"_s,
        .columns = {Column(u"line"_s, u"Session"_s)},
        .whenEmpty = u"Nobody waited."_s};
    for (const QString& line : incident.chain)
        chain.rows.push_back({.cells = {line}});
    chain.picture = incident.chain;
    report.sections = {factsForPeople(report.facts), waitersForPeople(file), waitersSection(file), chain,
        rulesSection(incident), stepsSection(file.steps), eventsSection(file)};
    if (!file.similar.isEmpty()) {
        Section similar{.key = u"similar"_s,
            .title = u"Similar incidents"_s,
            .columns = {Column(Count, u"id"_s, u"Incident"_s), Column(Time, u"since"_s, u"Since"_s),
                Column(Length, u"lasted"_s, u"Lasted"_s), Column(u"title"_s, u"What"_s).wide(1),
                Column(u"cleared_by"_s, u"Cleared by"_s).wide(1)}};
        for (const Incident& each : file.similar)
            similar.rows.push_back({.cells = {each.id, each.since, Value(microseconds(each.lasted())),
                                        each.title, each.clearedBy}});
        report.sections.push_back(similar);
    }
    report.closing = {file.recording.isEmpty()
            ? u"No recording of this account covers that time: only the incident itself is known."_s
            : u"Recorded in %1."_s.arg(file.recording),
        u"Times are of the server's clock in UTC, but for the history. Lockscope %1."_s.arg(file.version)};
    return report;
}

} // namespace lockscope::watch
