// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/models/ColumnInfo.h"

#include <algorithm>

namespace lockscope::ui {

QVariant headerOf(const ColumnInfo& column, int role)
{
    switch (role) {
    case Qt::DisplayRole:
        return column.title;
    case Qt::ToolTipRole:
        return column.tip.isEmpty() ? QVariant() : column.tip;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue<Qt::Alignment>(
            (column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::InitialSortOrderRole: // who sorts numbers looks for the greatest
        return column.number ? Qt::DescendingOrder : Qt::AscendingOrder;
    default:
        return {};
    }
}

int columnOf(const std::vector<ColumnInfo>& columns, const QString& id)
{
    const auto found = std::ranges::find(columns, id, &ColumnInfo::id);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

QString columnNamed(const std::vector<ColumnInfo>& columns, const QString& prefix)
{
    const auto plain = [](QString text) { return text.remove(QLatin1Char(' ')).toCaseFolded(); };
    const QString requested = plain(prefix);
    for (const ColumnInfo& column : columns) {
        if (plain(column.id) == requested || plain(column.title) == requested)
            return column.id;
    }
    return {};
}

QString unknownColumnText(const RowFilter& filter, const std::vector<ColumnInfo>& columns)
{
    if (filter.unknownColumns().isEmpty())
        return {};
    QStringList ids;
    for (const ColumnInfo& column : columns)
        ids << column.id;
    return QStringLiteral("There is no column “%1” here: it is looked for as a word. Columns: %2.")
        .arg(filter.unknownColumns().first(), ids.join(QStringLiteral(", ")));
}

namespace {

/// True if an item of the list is the needle, or else has a word that begins with it: "eu" is not in "neu".
bool hasInList(const QString& list, const RowFilter::Term& term)
{
    return std::ranges::any_of(list.split(QLatin1Char(',')), [&term](const QString& each) {
        const QString item = each.trimmed();
        if (term.whole)
            return item.compare(term.needle, Qt::CaseInsensitive) == 0;
        qsizetype at = item.indexOf(term.needle, 0, Qt::CaseInsensitive);
        while (at > 0 && item[at - 1].isLetterOrNumber())
            at = item.indexOf(term.needle, at + 1, Qt::CaseInsensitive);
        return at >= 0;
    });
}

} // namespace

bool matches(const RowFilter& filter, const std::vector<ColumnInfo>& columns, const QList<int>& visible,
    const std::function<QString(int)>& text)
{
    return std::ranges::all_of(filter.terms(), [&](const RowFilter::Term& term) {
        const auto has = [&](int column) {
            const QString value = text(column);
            if (columns[static_cast<size_t>(column)].isList && !term.column.isEmpty())
                return hasInList(value, term);
            return term.whole ? value.compare(term.needle, Qt::CaseInsensitive) == 0
                              : value.contains(term.needle, Qt::CaseInsensitive);
        };
        const bool found = term.column.isEmpty()
            ? std::ranges::any_of(
                visible, [&](int column) { return !columns[static_cast<size_t>(column)].age && has(column); })
            : has(columnOf(columns, term.column));
        return found != term.excluded;
    });
}

} // namespace lockscope::ui
