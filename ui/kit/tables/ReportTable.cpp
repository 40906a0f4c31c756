// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/tables/ReportTable.h"

#include "core/base/EnumTable.h"
#include "core/base/ShownText.h"
#include "ui/kit/widgets/ToolTipText.h"

namespace lockscope::ui {

namespace {

using report::Mark;
using report::Shown;

int widthOf(const report::Column& column)
{
    switch (column.type) {
    case report::Type::Count:
        return 66;
    case report::Type::Number:
        return 72;
    case report::Type::Length:
        return 84;
    case report::Type::Time:
        return 170;
    default:
        return column.share > 0 ? 90 + 40 * column.share : 110;
    }
}

std::vector<ColumnInfo> columnsOf(const report::Section& section)
{
    std::vector<ColumnInfo> columns;
    for (const report::Column& each : section.columns)
        if (each.shown != Shown::ToPrograms)
            columns.push_back({.id = each.key,
                .title = each.title,
                .tip = each.meaning,
                .width = widthOf(each),
                .shown = each.shown == Shown::Always,
                .number = each.isNumber(),
                .stretch = each.share,
                .yields = each.yields,
                .isName = each.isWhole});
    return columns;
}

Tone toneOf(const report::Value& value)
{
    using enum Tone;
    static constexpr EnumTable<Mark, Tone> tones(
        {Normal, Muted, Good, Amber, Normal, Amber, Good, Amber, Red});
    const Tone tone = tones[value.mark];
    return tone == Normal && value.isNothing() ? Muted : tone;
}

Glyph glyphOf(Mark mark)
{
    using enum Glyph;
    static constexpr EnumTable<Mark, Glyph> glyphs(
        {None, None, None, None, Holder, Waiter, Done, Warning, Failed});
    return glyphs[mark];
}

} // namespace

ReportModel::ReportModel(const report::Section& section, QObject* parent)
    : KeyedTableModel(columnsOf(section), parent)
    , m_all(section.columns)
{
    for (std::size_t i = 0; i < m_all.size(); ++i)
        if (m_all[i].shown != Shown::ToPrograms)
            m_shown.push_back(i);
}

const report::Value& ReportModel::valueAt(quint32 row, int column) const
{
    return rows()[row].cells[m_shown[static_cast<std::size_t>(column)]];
}

QString ReportModel::text(quint32 row, int column) const
{
    return shownText(columnAt(column), valueAt(row, column), report::TimeForm::Spaced);
}

SortKey ReportModel::sortKey(quint32 row, int column) const
{
    const report::Value& value = valueAt(row, column);
    if (value.order)
        return *value.order;
    if (const auto* number = std::get_if<qint64>(&value.data))
        return *number;
    if (const auto* number = std::get_if<double>(&value.data))
        return qRound64(*number * 1'000);
    const QString shown = value.isNothing() ? QString() : text(row, column);
    return shown.isEmpty() ? SortKey() : SortKey(shown);
}

QVariant ReportModel::cell(quint32 row, int column, int role) const
{
    const report::Value& value = valueAt(row, column);
    const Tone tone = toneOf(value);
    const Glyph glyph = glyphOf(value.mark);
    switch (role) {
    case GlyphRole:
        return glyph == Glyph::None ? QVariant() : QVariant::fromValue(glyph);
    case ToneRole:
        return tone == Tone::Normal ? QVariant() : QVariant::fromValue(tone);
    case Qt::ToolTipRole: {
        QStringList lines = rows()[row].more;
        for (QString& line : lines)
            line = inOneLine(line); // names must not begin lines of their own
        return lines.isEmpty() ? QVariant() : QVariant(toolTipText(lines.join(u'\n')));
    }
    default:
        return {};
    }
}

} // namespace lockscope::ui
