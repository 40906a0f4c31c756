// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/VariantModel.h"

#include "ui/views/scenarios/Timeline.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> variantColumns()
{
    return {
        {QStringLiteral("variant"), u"Variant"_s, {}, 250, true, false, false, 1},
        {QStringLiteral("strategy"), u"Strategy"_s, {}, 104, false, false, false, 1},
        {QStringLiteral("outcome"), u"Outcome"_s, {}, 124, true},
        {QStringLiteral("rounds"), u"Rounds/s"_s, u"Whole rounds of all sessions together"_s, 72, true, true},
        {QStringLiteral("items"), u"Items/s"_s, u"Items processed by all sessions together"_s, 64, true,
            true},
        {QStringLiteral("p50"), u"Wait p50"_s, u"Half of the waits were no longer"_s, 70, true, true},
        {QStringLiteral("p95"), u"p95"_s, u"95 % of the waits were no longer"_s, 64, true, true},
        {QStringLiteral("max"), u"Longest"_s, u"The longest wait for a lock"_s, 66, true, true},
        {QStringLiteral("violations"), u"Violations"_s, u"How often the rules were broken"_s, 76, true, true},
        {QStringLiteral("tries"), u"Tries"_s, u"Rounds that were begun"_s, 60, false, true},
        {QStringLiteral("verdict"), u"Verdict"_s, {}, 260, false},
    };
}

qint64 usOf(const scenario::RunReport& report, int column)
{
    switch (column) {
    case VariantModel::Half:
        return report.waits.quantile(0.5).count();
    case VariantModel::Most:
        return report.waits.quantile(0.95).count();
    default:
        return report.waits.longest().count();
    }
}

} // namespace

QString outcomeText(const scenario::RunReport& report)
{
    return report.violations.isBroken() ? u"went wrong"_s : u"not observed"_s;
}

QString variantLetter(std::size_t row)
{
    return QString(QChar(u'A' + static_cast<char16_t>(row % 26)));
}

QString rateText(double perSecond)
{
    return QString::number(perSecond, 'f', perSecond < 10 ? 1 : 0);
}

VariantModel::VariantModel(QObject* parent)
    : KeyedTableModel(variantColumns(), parent)
{
}

void VariantModel::show(const std::vector<RunReportPtr>& reports)
{
    setRows(reports);
}

const scenario::Variant& VariantModel::variantOf(quint32 row) const
{
    return *rows()[row]->scenario->find(rows()[row]->variant);
}

QString VariantModel::text(quint32 row, int column) const
{
    const scenario::RunReport& report = *rows()[row];
    switch (column) {
    case Title:
        return variantOf(row).isUnsafe
            ? u"%1 – %2 (unsafe)"_s.arg(variantLetter(row), variantOf(row).title)
            : QStringLiteral("%1 – %2").arg(variantLetter(row), variantOf(row).title);
    case Strategy:
        return variantOf(row).isUnsafe ? u"unsafe"_s : variantOf(row).strategy;
    case Outcome:
        return outcomeText(report);
    case Rounds:
        return rateText(report.roundsPerSecond());
    case Items:
        return report.counts.processed > 0 ? rateText(report.itemsPerSecond()) : QString();
    case Half:
    case Most:
    case Longest:
        return report.waits.count() > 0 ? shortDuration(usOf(report, column)) : QString();
    case Violations:
        return QString::number(report.violations.total());
    case Tries:
        return QString::number(report.violations.tries);
    case Verdict:
        return report.verdict;
    default:
        return {};
    }
}

SortKey VariantModel::sortKey(quint32 row, int column) const
{
    const scenario::RunReport& report = *rows()[row];
    switch (column) {
    case Rounds:
        return qRound64(report.roundsPerSecond() * 1'000);
    case Items:
        return qRound64(report.itemsPerSecond() * 1'000);
    case Half:
    case Most:
    case Longest:
        return report.waits.count() > 0 ? SortKey(usOf(report, column)) : SortKey();
    case Violations:
        return report.violations.total();
    case Tries:
        return report.violations.tries;
    default:
        return text(row, column);
    }
}

QVariant VariantModel::cell(quint32 row, int column, int role) const
{
    const scenario::RunReport& report = *rows()[row];
    const bool isBroken = report.violations.isBroken();
    if (column == Outcome && role == GlyphRole)
        return QVariant::fromValue(isBroken ? Glyph::Failed
                : variantOf(row).isUnsafe   ? Glyph::Warning
                                            : Glyph::Done);
    if ((column == Outcome || (column == Violations && isBroken)) && role == ToneRole)
        return QVariant::fromValue(isBroken ? Tone::Red : variantOf(row).isUnsafe ? Tone::Amber : Tone::Good);
    if (column == Strategy && role == ToneRole && variantOf(row).isUnsafe)
        return QVariant::fromValue(Tone::Amber);
    if (role == Qt::ToolTipRole)
        return report.verdict;
    return {};
}

} // namespace lockscope::ui
