// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/FreeRun.h"
#include "ui/views/scenarios/Timeline.h"

namespace lockscope::ui {

using RunReportPtr = std::shared_ptr<const scenario::RunReport>;

/// "812 rounds/s  ·  waits: half below 3 ms, …  ·  4 locks denied". `withTitle`: says of which variant.
QString figuresText(const scenario::RunReport& report, bool withTitle);
/// A race went wrong, could have gone wrong and was not observed to, or can't.
enum class VerdictKind { Broken, NotObserved, Held };
VerdictKind verdictKind(const scenario::RunReport& report);
/// Says what came out of several variants: "1 of 5 variants lost 3157 payments", and which ones those are.
struct ComparisonText {
    QString headline;
    QString words;
    QString figures;
    VerdictKind kind = VerdictKind::Held; ///< the worst of them
};
/// `reports` in the order of their letters; not empty.
ComparisonText comparisonText(const std::vector<RunReportPtr>& reports);
/// "225 rounds  ·  6 of 8 sessions wait"; `requested`: how many sessions there shall be.
QString progressText(const scenario::Progress& progress, int requested);

/// "⚠ UNSAFE – Read, then write", "Lock the row while reading (row lock)".
QString variantLabel(const scenario::Variant& variant);

/// Returns why it can't be run there; empty if it can.
QString reasonAgainst(const scenario::Scenario& scenario, Engine engine);

/// "3 visitor", "C visitor".
QString laneName(const TimelineLane& lane);
/// Describes what a session did at a time, the lock that it waited for or held, for how long, by which
/// statement; with the events within `reach` microseconds of it and the other sessions in its critical
/// section. Several lines.
QString describeTime(const Timeline& timeline, const TimelineLane& lane, qint64 at, qint64 reach);
/// The whole in a few sentences, for those who can't see it.
QString describeTimeline(const Timeline& timeline);
/// The statement or lock by which a session of that role gets `subject`; empty if it is not known.
QString lockingStep(const Timeline& timeline, const QString& role, const QString& subject);

} // namespace lockscope::ui
