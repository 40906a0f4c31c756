// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/VariantModel.h"

#include "ui/scenario/Timeline.h"

#include <QCoreApplication>

namespace lockscope::ui {

namespace {

std::vector<ColumnInfo> variantColumns()
{
    const auto tr = [](const char* text) { return VariantModel::tr(text); };
    return {
        {QStringLiteral("variant"), tr("Variant"), {}, 250, true, false, false, 1},
        {QStringLiteral("strategy"), tr("Strategy"), {}, 104, false, false, false, 1},
        {QStringLiteral("outcome"), tr("Outcome"), {}, 124, true},
        {QStringLiteral("rounds"), tr("Rounds/s"), tr("Whole rounds of all sessions together"), 72, true,
            true},
        {QStringLiteral("items"), tr("Items/s"), tr("Items processed by all sessions together"), 64, true,
            true},
        {QStringLiteral("p50"), tr("Wait p50"), tr("Half of the waits were no longer"), 70, true, true},
        {QStringLiteral("p95"), tr("p95"), tr("95 % of the waits were no longer"), 64, true, true},
        {QStringLiteral("max"), tr("Longest"), tr("The longest wait for a lock"), 66, true, true},
        {QStringLiteral("violations"), tr("Violations"), tr("How often the rules were broken"), 76, true,
            true},
        {QStringLiteral("tries"), tr("Tries"), tr("Rounds that were begun"), 60, false, true},
        {QStringLiteral("verdict"), tr("Verdict"), {}, 260, false},
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
    return report.judgement.isBroken() ? QCoreApplication::translate("Variant", "went wrong")
                                       : QCoreApplication::translate("Variant", "not observed");
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
            ? tr("%1 – %2 (unsafe)").arg(variantLetter(row), variantOf(row).title)
            : QStringLiteral("%1 – %2").arg(variantLetter(row), variantOf(row).title);
    case Strategy:
        return variantOf(row).isUnsafe ? tr("unsafe") : variantOf(row).strategy;
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
        return QString::number(report.judgement.total());
    case Tries:
        return QString::number(report.judgement.tries);
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
        return report.judgement.total();
    case Tries:
        return report.judgement.tries;
    default:
        return text(row, column);
    }
}

QVariant VariantModel::cell(quint32 row, int column, int role) const
{
    const scenario::RunReport& report = *rows()[row];
    const bool isBroken = report.judgement.isBroken();
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
