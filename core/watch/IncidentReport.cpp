// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/IncidentReport.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/record/RecordingReader.h"
#include "core/record/ServerPlace.h"
#include "core/watch/AlertTables.h"
#include "core/watch/IncidentKeeper.h"

#include <QDir>

#include <algorithm>

namespace lockscope::watch {

using namespace Qt::StringLiterals;

using alert::Incident;
using report::Column;
using report::Report;
using report::Section;
using report::Value;
using enum report::Type;
using enum report::Shown;

namespace {

constexpr milliseconds leastAround = std::chrono::seconds(10); ///< shown before and after an incident
constexpr milliseconds mostAround = std::chrono::minutes(5);
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

Result<void> addRecorded(IncidentFile& file, record::RecordingReader& reader)
{
    const milliseconds around = std::clamp(file.incident.lasted(), leastAround, mostAround);
    const ServerTime from = file.incident.since - around;
    const ServerTime to = file.incident.end() + around;
    auto waiters = reader.recordedSnapshots(from, to, chartColumns);
    if (!waiters)
        return Failure(waiters.error());
    auto events = reader.events(from, to);
    if (!events)
        return Failure(events.error());
    file.waiters = std::move(*waiters);
    using Kind = record::Event::Kind;
    for (const record::Event& event : *events)
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
