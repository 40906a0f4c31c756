// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/explore/StepTable.h"

#include "core/base/Duration.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

/// "waits for A: the row …; still waits in the end".
QString resultText(const StepRecord& step)
{
    QStringList parts;
    if (step.isBlocked) {
        const QString letters = sessionLetters(step.blockers);
        const QString by = letters.isEmpty() ? u"waits"_s : u"waits for "_s + letters;
        parts << (step.on.isEmpty() ? by : by + u": "_s + step.on);
    }
    if (!step.isEnded)
        parts << u"still waits in the end"_s;
    else if (step.outcome != StepOutcome::Done)
        parts << outcomeText(step.outcome);
    return parts.join(u"; "_s);
}

} // namespace

report::Section stepsSection(const Interleaving& interleaving)
{
    using report::Column;
    using report::Mark;
    report::Section section{.key = u"steps"_s,
        .columns = {{u"step"_s, u"Step"_s}, Column(u"what"_s, u"What"_s).wide(1),
            Column(u"statement"_s, u"Statement"_s).wide(1), Column(u"result"_s, u"Result"_s).wide(1)}};
    for (const StepRecord& step : interleaving.steps) {
        const bool isDone = step.isEnded && step.outcome == StepOutcome::Done;
        section.rows.push_back(
            {.cells = {step.token(), step.label == step.text ? QString() : step.label, step.text,
                 report::Value(resultText(step), isDone ? Mark::None : Mark::Warning)}});
    }
    return section;
}

report::Section divergencesSection(const std::vector<Divergence>& divergences)
{
    report::Section section{.key = u"divergences"_s,
        .columns = {{report::Type::Count, u"line"_s}, {u"token"_s}, {u"expected"_s}, {u"found"_s}},
        .shown = report::Shown::ToPrograms};
    for (const Divergence& each : divergences)
        section.rows.push_back({.cells = {qint64(each.line), each.token, each.expected, each.found}});
    return section;
}

report::Report reportOf(const ExploreReport& explored)
{
    const Variant& variant = *explored.scenario->find(explored.variant);
    report::Report report{.title = explored.scenario->title,
        .notes = {u"%1 (%2), explored in %3"_s.arg(
                      variant.title, variant.strategy, durationText(explored.duration)),
            explored.verdict},
        .sections = {stepsSection(explored.witness.value_or(Interleaving()))}};
    if (explored.stuck > 0)
        report.notes << u"In %1 of them a session waited that nothing could free any more."_s.arg(
            explored.stuck);
    if (explored.unrepeatable > 0)
        report.notes
            << u"%1 could not be executed: their beginning went otherwise the second time, because time plays a part in it."_s
                   .arg(explored.unrepeatable);
    if (explored.witness)
        report.sections.front().code = {toText(*explored.witness)};
    return report;
}

report::Report reportOf(const ReplayReport& replayed)
{
    return {.title = replayed.scenario->title,
        .notes = {replayed.verdict},
        .sections = {stepsSection(replayed.happened), divergencesSection(replayed.divergences)}};
}

} // namespace lockscope::scenario
