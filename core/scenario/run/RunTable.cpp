// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/RunTable.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;
using report::Mark;
using report::Value;

namespace {

report::Section variantsSection()
{
    using enum report::Type;
    using enum report::Shown;
    using report::Column;
    return {.key = u"variants"_s,
        .columns = {Column(u"title"_s, u"Variant"_s).wide(1),
            Column(u"strategy"_s, u"Strategy"_s).show(OnRequest), {u"outcome"_s, u"Outcome"_s},
            {Number, u"rounds_per_second"_s, u"Rounds/s"_s, u"Whole rounds of all sessions together"_s},
            {Number, u"items_per_second"_s, u"Items/s"_s, u"Items processed by all sessions together"_s},
            {Length, u"p50"_s, u"Wait p50"_s, u"Half of the waits were no longer"_s},
            {Length, u"p95"_s, u"p95"_s, u"95 % of the waits were no longer"_s},
            {Length, u"max"_s, u"Longest"_s, u"The longest wait for a lock"_s},
            {Count, u"violations"_s, u"Violations"_s, u"How often the rules were broken"_s},
            Column(Count, u"tries"_s, u"Tries"_s, u"Rounds that were begun"_s).show(OnRequest),
            Column(u"verdict"_s, u"Verdict"_s).show(OnRequest).wide(1), {u"variant"_s}, {Flag, u"unsafe"_s},
            {Flag, u"broken"_s}, {Count, u"p50_us"_s}, {Count, u"p95_us"_s}, {Count, u"max_us"_s}}};
}

} // namespace

report::Report toReport(const std::vector<std::shared_ptr<const RunReport>>& runs)
{
    report::Report all{
        .title = runs.empty() ? QString() : runs.front()->scenario->title, .sections = {variantsSection()}};
    for (const auto& run : runs) {
        const Variant& variant = *run->scenario->find(run->variant);
        const bool isBroken = run->violations.isBroken();
        const bool hasWaits = run->waits.count() > 0;
        const auto wait = [hasWaits](microseconds length) { return hasWaits ? Value(length) : Value(); };
        const auto us = [hasWaits](microseconds length) {
            return hasWaits ? Value(qint64(length.count())) : Value();
        };
        const microseconds half = run->waits.quantile(0.5);
        const microseconds maximum = run->waits.quantile(0.95);
        const microseconds longest = run->waits.longest();
        Value violations(run->violations.total());
        violations.mark = isBroken ? Mark::Failed : Mark::None;
        std::vector<report::ReportRow>& rows = all.sections.front().rows;
        rows.push_back(
            {.cells = {u"%1 – %2%3"_s.arg(variantLetter(rows.size()), variant.title,
                           variant.isUnsafe ? u" (unsafe)"_s : QString()),
                 Value(variant.isUnsafe ? u"unsafe"_s : variant.strategy,
                     variant.isUnsafe ? Mark::Warning : Mark::None),
                 Value(isBroken ? u"went wrong"_s : u"not observed"_s,
                     isBroken               ? Mark::Failed
                         : variant.isUnsafe ? Mark::Alarm
                                            : Mark::Done),
                 std::optional(run->roundsPerSecond()),
                 run->counts.processed > 0 ? std::optional(run->itemsPerSecond()) : std::nullopt, wait(half),
                 wait(maximum), wait(longest), violations, run->violations.tries, run->verdict, variant.id,
                 Value::flag(variant.isUnsafe), Value::flag(isBroken), us(half), us(maximum), us(longest)},
                .key = variant.id,
                .more = {run->verdict}});
    }
    return all;
}

QString rateText(double perSecond)
{
    return QString::number(perSecond, 'f', perSecond < 10 ? 1 : 0);
}

QStringList countsInWords(const Counts& counts)
{
    QStringList parts;
    const auto add = [&parts](qint64 count, QStringView one, QStringView many = {}) {
        if (count > 0)
            parts << counted(count, one, many);
    };
    add(counts.denied, u"lock denied", u"locks denied");
    add(counts.victims, u"deadlock victim");
    add(counts.conflicts, u"refused write");
    add(counts.duplicates, u"duplicate key");
    add(counts.lost, u"lock that was somebody else's", u"locks that were somebody else's");
    add(counts.failures, u"mistake");
    add(counts.deaths, u"crash", u"crashes");
    return parts;
}

QStringList figuresInWords(const RunReport& run)
{
    QStringList parts{u"%1 rounds/s"_s.arg(rateText(run.roundsPerSecond()))};
    if (run.counts.processed > 0)
        parts << u"%1 items/s"_s.arg(rateText(run.itemsPerSecond()));
    if (run.waits.count() > 0)
        parts << u"waits: half below %1, 95 % below %2, longest %3"_s.arg(
            shortDuration(run.waits.quantile(0.5).count()), shortDuration(run.waits.quantile(0.95).count()),
            shortDuration(run.waits.longest().count()));
    return parts + countsInWords(run.counts);
}

QString variantLetter(std::size_t row)
{
    return QString(QChar(u'A' + static_cast<char16_t>(row % 26)));
}

} // namespace lockscope::scenario
