// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeReport.h"

#include "core/base/Duration.h"

#include <QHash>

#include <algorithm>
#include <cmath>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// Beyond so many standard deviations it is no chance: one in about twenty is all the same.
constexpr double deviations = 2;

using Verdict = RangeChange::Verdict;

/// Given how many there were in all: would they fall so on the two times if nothing had changed?
Verdict verdictOf(qint64 before, qint64 after, const Coverage& coveredBefore, const Coverage& coveredAfter)
{
    const qint64 all = before + after;
    if (all < RangeComparison::minWaits)
        return Verdict::TooLittle;
    const double share = coveredAfter.hours() / (coveredBefore.hours() + coveredAfter.hours());
    const double expected = double(all) * share;
    const double off = (double(after) - expected) / std::sqrt(expected * (1 - share));
    if (std::abs(off) < deviations)
        return Verdict::Same;
    if (off > 0)
        return before == 0 ? Verdict::New : Verdict::More;
    return after == 0 ? Verdict::Gone : Verdict::Less;
}

void rate(RangeChange& change, const Coverage& before, const Coverage& after, bool isEnough)
{
    const auto per = [](double value, const Coverage& coverage) {
        return coverage.hours() > 0 ? std::optional(value / coverage.hours()) : std::nullopt;
    };
    change.perHourBefore = per(double(change.before.count), before);
    change.perHourAfter = per(double(change.after.count), after);
    change.waitedBefore = per(double(change.before.total.count()) / 1e6, before);
    change.waitedAfter = per(double(change.after.total.count()) / 1e6, after);
    if (isEnough)
        change.verdict = verdictOf(change.before.count, change.after.count, before, after);
}

QString tooLittleOf(const Coverage& before, const Coverage& after)
{
    const bool isBefore = before.recorded < RangeComparison::minSeen;
    if (!isBefore && after.recorded >= RangeComparison::minSeen)
        return {};
    const Coverage& which = isBefore ? before : after;
    const QString name = isBefore ? u"earlier"_s : u"later"_s;
    if (which.polls == 0)
        return u"Nothing is recorded of the %1 range: there is nothing to compare."_s.arg(name);
    if (which.polls == 1)
        return u"There was only one poll in the %1 range: that is too little to compare."_s.arg(name);
    return u"Only %1 of the %2 range are recorded: that is too little to compare."_s.arg(
        durationInWords(std::chrono::floor<milliseconds>(which.recorded)), name);
}

QList<RangeChange> sorted(const QHash<QString, RangeChange>& changes)
{
    QList<RangeChange> list = changes.values();
    std::sort(list.begin(), list.end(), [](const RangeChange& a, const RangeChange& b) {
        const auto size = [](const RangeChange& each) {
            return std::pair(std::abs(each.waitedAfter.value_or(0) - each.waitedBefore.value_or(0)),
                std::abs(each.perHourAfter.value_or(0) - each.perHourBefore.value_or(0)));
        };
        return size(a) != size(b) ? size(a) > size(b) : a.name < b.name;
    });
    return list;
}

} // namespace

QString verdictName(RangeChange::Verdict verdict)
{
    switch (verdict) {
    case Verdict::New:
        return u"new"_s;
    case Verdict::Gone:
        return u"gone"_s;
    case Verdict::More:
        return u"more often"_s;
    case Verdict::Less:
        return u"less often"_s;
    case Verdict::Same:
        return u"no clear difference"_s;
    case Verdict::TooLittle:
        break;
    }
    return u"too little to say"_s;
}

RangeComparison compared(const RangeReport& before, const RangeReport& after)
{
    RangeComparison comparison{
        .before = before, .after = after, .tooLittle = tooLittleOf(before.coverage, after.coverage)};
    const bool isEnough = comparison.tooLittle.isEmpty();
    QHash<QString, RangeChange> locks;
    QHash<QString, RangeChange> programs;
    for (const RangeReport* report : {&before, &after}) {
        WaitFigures RangeChange::*side = report == &before ? &RangeChange::before : &RangeChange::after;
        for (const RangeLock& each : report->locks) {
            RangeChange& change = locks[each.lock.key()];
            change.name = each.lock.name;
            change.lock = each.lock;
            change.*side = each.waits;
        }
        for (const RangeParty& each : report->programs) {
            if (each.waits.count == 0)
                continue;
            RangeChange& change = programs[each.name];
            change.name = each.name;
            change.*side = each.waits;
        }
    }
    for (RangeChange& change : locks)
        rate(change, before.coverage, after.coverage, isEnough);
    for (RangeChange& change : programs)
        rate(change, before.coverage, after.coverage, isEnough);
    comparison.locks = sorted(locks);
    comparison.programs = sorted(programs);
    comparison.all.before = before.waits;
    comparison.all.after = after.waits;
    rate(comparison.all, before.coverage, after.coverage, isEnough);
    return comparison;
}

QStringList notesOf(const RangeComparison& comparison)
{
    QStringList notes;
    if (!comparison.tooLittle.isEmpty())
        notes << comparison.tooLittle;
    for (const auto& [name, report] :
        {std::pair(u"Earlier"_s, &comparison.before), std::pair(u"Later"_s, &comparison.after)})
        notes << u"%1: %2"_s.arg(name, notesOf(*report).value(0));
    const microseconds before = comparison.before.coverage.usualPause;
    const microseconds after = comparison.after.coverage.usualPause;
    if (before.count() > 0 && after.count() > 0 && (before > after * 3 / 2 || after > before * 3 / 2))
        notes
            << u"Polls were %1 apart in the earlier range and %2 in the later one: where they are rarer, fewer short waits are seen."_s
                   .arg(shortDuration(before.count()), shortDuration(after.count()));
    if (comparison.tooLittle.isEmpty())
        notes
            << u"Rates are by the time that is recorded. “more often” and “less often” are what chance makes of an unchanged rate once in twenty times or less."_s;
    return notes;
}

} // namespace lockscope::record
