// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/RunText.h"

#include "core/base/Sentences.h"
#include "core/sandbox/Sandbox.h"
#include "core/scenario/run/FreeRun.h"
#include "ui/kit/theme/Theme.h"
#include "ui/views/scenarios/ScenarioList.h"
#include "ui/views/scenarios/Timeline.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::Progress;

namespace {

const QString separator = QStringLiteral("  ·  ");

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

} // namespace lockscope::ui
