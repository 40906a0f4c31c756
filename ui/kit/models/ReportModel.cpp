// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/models/ReportModel.h"

#include "core/base/ShownText.h"
#include "ui/kit/widgets/ToolTipText.h"

namespace lockscope::ui {

ReportCell textCell(const QString& text)
{
    return {inOneLine(text), {}, Tone::Normal, Glyph::None};
}

SortKey ReportModel::sortKey(quint32 row, int column) const
{
    const ReportCell& cell = cellAt(row, column);
    if (!std::holds_alternative<std::monostate>(cell.sort))
        return cell.sort;
    return cell.text.isEmpty() ? SortKey() : SortKey(cell.text);
}

QVariant ReportModel::cell(quint32 row, int column, int role) const
{
    const ReportCell& cell = cellAt(row, column);
    switch (role) {
    case GlyphRole:
        return cell.glyph == Glyph::None ? QVariant() : QVariant::fromValue(cell.glyph);
    case ToneRole:
        return cell.tone == Tone::Normal ? QVariant() : QVariant::fromValue(cell.tone);
    case Qt::ToolTipRole:
        return rows()[row].tip.isEmpty() ? QVariant() : QVariant(toolTipText(rows()[row].tip));
    default:
        return {};
    }
}

} // namespace lockscope::ui
