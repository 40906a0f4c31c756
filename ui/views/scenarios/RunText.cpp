// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/RunText.h"

#include "core/base/Sentences.h"
#include "core/sandbox/Sandbox.h"
#include "core/scenario/run/FreeRun.h"
#include "ui/kit/theme/Theme.h"
#include "ui/views/scenarios/ScenarioList.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::Progress;

namespace {

const QString separator = QStringLiteral("  ·  ");

constexpr std::ptrdiff_t maxMarksNamed = 6; ///< in a description

QString kindName(locks::LockKind kind)
{
    static constexpr EnumTable<locks::LockKind> names(
        {u"a row of the lock table", u"an application lock", u"a locked table", u"a locked key"});
    return names[kind].toString();
}

QString spanText(const Timeline& timeline, const TimelineLane& lane, const LaneSpan& span)
{
    const QString subject = lane.subjects.value(static_cast<int>(span.subject));
    const QString length = timeline.lengthText(span.to - span.from);
    switch (span.state) {
    case LaneState::Waiting:
        return span.held > 0 ? u"waits %1 for “%2”, holding %3 already"_s.arg(length, subject).arg(span.held)
                             : u"waits %1 for “%2”"_s.arg(length, subject);
    case LaneState::Holding:
        return span.held > 1
            ? u"works for %1, holding “%2” and %3 more"_s.arg(length, subject).arg(span.held - 1)
            : u"works for %1, holding “%2”"_s.arg(length, subject);
    case LaneState::Working:
        return u"works for %1 without a lock"_s.arg(length);
    case LaneState::Dead:
        return u"is dead for %1"_s.arg(length);
    case LaneState::Away:
        break;
    }
    return u"nothing to do for %1"_s.arg(length);
}

QStringList othersInside(
    const Timeline& timeline, const TimelineLane& lane, const QString& section, qint64 at)
{
    QStringList names;
    for (const TimelineLane& other : timeline.lanes) {
        if (&other == &lane)
            continue;
        const auto inside = std::any_of(other.overlaps.begin(), other.overlaps.end(), [&](const auto& each) {
            return each.from <= at && at < each.to
                && other.subjects.value(static_cast<int>(each.subject)) == section;
        });
        if (inside)
            names << other.sign;
    }
    return names;
}

/// Returns a line for each mark nearby, or their number where they are many.
QStringList marksText(const Timeline& timeline, const TimelineLane& lane, qint64 at, qint64 reach)
{
    QStringList lines;
    const auto isBefore = [](const LaneMark& mark, qint64 time) { return mark.at < time; };
    const auto first = std::lower_bound(lane.marks.begin(), lane.marks.end(), at - reach, isBefore);
    const auto last = std::lower_bound(first, lane.marks.end(), at + reach + 1, isBefore);
    if (last - first > maxMarksNamed)
        lines << u"%1 marks from %2 to %3: zoom in to see each"_s.arg(QString::number(last - first),
            timeline.dateTimeText(first->at), timeline.dateTimeText(std::prev(last)->at));
    for (auto each = first; each != last && last - first <= maxMarksNamed; ++each) {
        const LaneMark& mark = *each;
        const QString subject = lane.subjects.value(static_cast<int>(mark.subject));
        if (mark.kind == MarkKind::Overwrote && mark.other > 0
            && mark.other <= static_cast<int>(timeline.lanes.size())) {
            lines << u"at %1: what session %2 had changed is lost (%3)"_s.arg(timeline.dateTimeText(mark.at),
                timeline.lanes[static_cast<std::size_t>(mark.other) - 1].sign, subject);
            continue;
        }
        lines << (subject.isEmpty()
                ? u"at %1: %2"_s.arg(timeline.dateTimeText(mark.at), markName(mark.kind))
                : u"at %1: %2 (%3)"_s.arg(timeline.dateTimeText(mark.at), markName(mark.kind), subject));
    }
    return lines;
}

template <class Visit> void eachStep(const Timeline& timeline, const QString& role, Visit visit)
{
    const scenario::Variant* variant = timeline.scenario->find(timeline.variant);
    if (!variant)
        return;
    for (const scenario::Role& each : variant->roles)
        if (each.name == role)
            scenario::eachStep(each, visit);
}

} // namespace

QString figuresText(const scenario::RunReport& report, bool withTitle)
{
    QStringList parts;
    if (report.wasStopped)
        parts << u"stopped after %1"_s.arg(shortDuration(microseconds(report.duration).count()));
    if (withTitle)
        parts << report.scenario->find(report.variant)->title;
    return (parts + scenario::figuresInWords(report)).join(separator);
}

VerdictKind verdictKind(const scenario::RunReport& report)
{
    if (report.violations.isBroken())
        return VerdictKind::Broken;
    const scenario::Variant* variant = report.scenario->find(report.variant);
    return (variant && variant->isUnsafe) || report.violations.tries == 0 ? VerdictKind::NotObserved
                                                                          : VerdictKind::Held;
}

ComparisonText comparisonText(const std::vector<RunReportPtr>& reports)
{
    ComparisonText text;
    QStringList broken; // "A – Read, then write"
    QStringList brief;
    QStringList others;
    QStringList untried; // stopped before there was anything to go wrong
    for (std::size_t i = 0; i < reports.size(); ++i) {
        const scenario::RunReport& report = *reports[i];
        const scenario::Variant& variant = *report.scenario->find(report.variant);
        const QString name = QStringLiteral("%1 – %2").arg(scenario::variantLetter(i), variant.title);
        if (report.violations.isBroken()) {
            broken << name;
            brief << scenario::briefText(report.violations.violations, *report.scenario);
        } else {
            (report.violations.tries == 0 ? untried : others) << name;
        }
        text.kind = std::min(text.kind, verdictKind(report));
    }
    const auto count = static_cast<qsizetype>(reports.size());
    const QString variants = counted(count, u"variant");
    QStringList words;
    if (untried.size() == count) {
        text.headline = u"Nothing was tried with %1"_s.arg(variants);
        untried.clear();
    } else if (broken.isEmpty()) {
        text.headline = u"None of %1 went wrong"_s.arg(variants);
    } else if (broken.size() == 1) {
        text.headline = u"1 of %1 %2"_s.arg(variants, brief.first());
        words << u"It is %1."_s.arg(broken.first());
    } else {
        text.headline = u"%1 of %2 went wrong"_s.arg(broken.size()).arg(variants);
        for (qsizetype i = 0; i < broken.size(); ++i)
            words << QStringLiteral("%1: %2.").arg(broken[i], brief[i]);
    }
    if (!others.isEmpty())
        words << u"Not observed with %1."_s.arg(others.join(QStringLiteral(", ")));
    if (!untried.isEmpty())
        words << u"Nothing was tried with %1."_s.arg(untried.join(QStringLiteral(", ")));
    text.words = words.join(QLatin1Char(' '));
    const scenario::RunReport& first = *reports.front();
    text.figures = u"each with %1 sessions for %2, seed %3"_s.arg(first.sessions.size())
                       .arg(shortDuration(microseconds(first.duration).count()))
                       .arg(first.seed);
    return text;
}

QString progressText(const Progress& progress, int requested)
{
    switch (progress.phase) {
    case Progress::Phase::Preparing:
        return u"%1 of %2 sessions are connected"_s.arg(progress.sessions).arg(requested);
    case Progress::Phase::Ending:
        return u"ending; %1 still there"_s.arg(counted(progress.sessions, u"session is", u"sessions are"));
    case Progress::Phase::Running:
        break;
    }
    const QStringList parts{counted(progress.counts.rounds, u"round"),
        u"%1 of %2 sessions wait"_s.arg(progress.waiting).arg(progress.sessions)};
    return (parts + scenario::countsInWords(progress.counts)).join(separator);
}

QString variantLabel(const scenario::Variant& variant)
{
    if (variant.isUnsafe)
        return u"%1 UNSAFE – %2"_s.arg(theme::levelSign(AgeLevel::Amber), variant.title);
    return variant.title.contains(variant.strategy, Qt::CaseInsensitive)
        ? variant.title
        : u"%1 (%2)"_s.arg(variant.title, variant.strategy);
}

QString reasonAgainst(const scenario::Scenario& scenario, Engine engine)
{
    if (scenario.engines.contains(engine))
        return {};
    return u"This scenario does not run on %1. Choose a server with %2%3, or another scenario."_s.arg(
        engineName(engine), enginesText(scenario.engines),
        scenario.engines.contains(sandbox::engine) ? u" – the sandbox is one"_s : QString());
}

QString laneName(const TimelineLane& lane)
{
    return QStringLiteral("%1 %2").arg(lane.sign, lane.role);
}

QString lockingStep(const Timeline& timeline, const QString& role, const QString& subject)
{
    QString statement;
    QStringList locks;
    QString named;
    eachStep(timeline, role, [&](const scenario::Step& step) {
        if (const auto* sql = std::get_if<scenario::SqlStep>(&step.act)) {
            const auto text = sql->sql.find(timeline.engine);
            if (sql->takesLock && step.label == subject && text != sql->sql.end())
                statement = text->second.text();
        } else if (const auto* acquire = std::get_if<scenario::AcquireStep>(&step.act)) {
            const QString kind = kindName(acquire->kind);
            if (!locks.contains(kind))
                locks << kind;
            if (acquire->name.isFixed() && acquire->name.filled({}) == subject)
                named = kind;
        }
    });
    if (!statement.isEmpty())
        return statement;
    return !named.isEmpty() ? named : locks.size() == 1 ? locks.first() : QString();
}

QString describeTime(const Timeline& timeline, const TimelineLane& lane, qint64 at, qint64 reach)
{
    QStringList lines;
    const LaneSpan span = spanAt(lane, at, timeline.end);
    lines << u"%1, from %2: %3"_s.arg(
        laneName(lane), timeline.dateTimeText(span.from), spanText(timeline, lane, span));
    if (const TimelineStep* const step = timeline.stepAt(at))
        lines << QStringLiteral("%1: %2").arg(step->token, step->label);
    if (span.subject != 0 && !span.isRow && !timeline.isStepped()) {
        const QString step =
            lockingStep(timeline, lane.role, lane.subjects.value(static_cast<int>(span.subject)));
        if (!step.isEmpty())
            lines << step;
    }
    for (const SectionSpan& section : lane.sections) {
        if (section.from > at)
            break;
        if (at >= section.to)
            continue;
        const QString name = lane.subjects.value(static_cast<int>(section.subject));
        const QStringList others = othersInside(timeline, lane, name, at);
        lines << (others.isEmpty()
                ? u"in the critical section “%1”"_s.arg(name)
                : u"in the critical section “%1” together with session %2: that must not be"_s.arg(
                    name, others.join(QStringLiteral(", "))));
    }
    lines << marksText(timeline, lane, at, reach);
    if (lane.isCut && !lane.spans.empty() && at > lane.spans.back().to)
        lines << u"The event log was full: what came later is not known."_s;
    return lines.join(QLatin1Char('\n'));
}

QString describeTimeline(const Timeline& timeline)
{
    qint64 longest = 0;
    const TimelineLane* who = nullptr;
    for (const TimelineLane& lane : timeline.lanes) {
        for (const LaneSpan& span : lane.spans) {
            if (span.state == LaneState::Waiting && span.to - span.from > longest) {
                longest = span.to - span.from;
                who = &lane;
            }
        }
    }
    QStringList sentences{timeline.verdict,
        u"%1, %2."_s.arg(
            counted(qint64(timeline.lanes.size()), u"session"), timeline.lengthText(timeline.end))};
    if (who)
        sentences << u"The longest wait was %1, of session %2."_s.arg(
            timeline.lengthText(longest), laneName(*who));
    if (const auto overlaps = timeline.overlapCount(); overlaps > 0)
        sentences << u"%1 another one."_s.arg(counted(
            overlaps, u"stay in a critical section overlaps", u"stays in a critical section overlap"));
    if (!timeline.losses.empty())
        sentences << (timeline.losses.size() == 1
                ? u"Something was lost once, at %1."_s.arg(timeline.dateTimeText(timeline.losses.front()))
                : u"Something was lost %1 times, first at %2."_s.arg(timeline.losses.size())
                      .arg(timeline.dateTimeText(timeline.losses.front())));
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

} // namespace lockscope::ui
