// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/TableExport.h"

#include <QAbstractItemModel>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

template <class Cell>
QString joined(const QList<int>& columns, QChar separator, const QString& end, Cell cell)
{
    QString line;
    for (qsizetype i = 0; i < columns.size(); ++i) {
        if (i > 0)
            line += separator;
        line += cell(columns[i]);
    }
    return line + end;
}

QString csvCell(QString text)
{
    text = spreadsheetSafe(text);
    const bool special =
        std::any_of(text.cbegin(), text.cend(), [](QChar c) { return QStringView(u",\"\r\n").contains(c); });
    if (!special)
        return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

/// Its row among its siblings, below those of its ancestors.
QList<int> placeOf(QModelIndex index)
{
    QList<int> place;
    for (; index.isValid(); index = index.parent())
        place.prepend(index.row());
    return place;
}

} // namespace

QString spreadsheetSafe(const QString& text)
{
    static const QRegularExpression number(QStringLiteral("^[+-]?[0-9]+([.,][0-9]+)*( ?%)?$"));
    const bool afterBreak = !text.isEmpty() && QStringView(u"\t\r\n").contains(text.front());
    const QString seen = text.trimmed();
    const bool formula =
        !seen.isEmpty() && QStringView(u"=+-@\uff1d\uff0b\uff0d\uff20").contains(seen.front());
    if (!afterBreak && (!formula || number.match(text).hasMatch()))
        return text;
    return QLatin1Char('\'') + text;
}

QModelIndexList allRows(const QAbstractItemModel& model)
{
    QModelIndexList rows;
    const auto add = [&](const QModelIndex& parent, auto&& self) -> void {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            rows << model.index(row, 0, parent);
            self(rows.last(), self);
        }
    };
    add({}, add);
    return rows;
}

QModelIndexList inOrder(QModelIndexList rows)
{
    std::sort(rows.begin(), rows.end(), [](const QModelIndex& a, const QModelIndex& b) {
        return a.parent() == b.parent() ? a.row() < b.row() : placeOf(a) < placeOf(b);
    });
    return rows;
}

QString rowsAsText(const QModelIndexList& rows, const QList<int>& columns)
{
    QString result;
    for (const QModelIndex& row : rows) {
        result += QString(2 * (placeOf(row).size() - 1), QLatin1Char(' '));
        result += joined(columns, QLatin1Char('\t'), QStringLiteral("\n"), [&](int column) {
            QString text = row.siblingAtColumn(column).data().toString();
            for (const QChar c : {QLatin1Char('\t'), QLatin1Char('\n'), QLatin1Char('\r')})
                text.replace(c, QLatin1Char(' '));
            return spreadsheetSafe(text);
        });
    }
    return result;
}

QString rowsAsCsv(const QAbstractItemModel& model, const QModelIndexList& rows, const QList<int>& columns)
{
    const QString end = QStringLiteral("\r\n");
    QString result = joined(columns, QLatin1Char(','), end,
        [&](int column) { return csvCell(model.headerData(column, Qt::Horizontal).toString()); });
    for (const QModelIndex& row : rows) {
        result += joined(columns, QLatin1Char(','), end,
            [&](int column) { return csvCell(row.siblingAtColumn(column).data().toString()); });
    }
    return result;
}

} // namespace lockscope::ui
