// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/models/TableExport.h"

#include "core/domain/SnapshotNames.h"
#include "core/report/Cells.h"
#include "ui/kit/models/ColumnInfo.h"
#include "ui/kit/models/TableModel.h"

#include <QAbstractItemModel>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <optional>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using report::csvCell;
using report::markdownCell;

namespace {

const QString atLeast = QStringLiteral("≥ ");

constexpr qsizetype maxRowsOfInsert = 1'000; // SQL Server takes no more at once

/// A column as programs get it; an age that is a lower bound in some row takes two.
struct ExportColumn {
    int column = 0;
    QString title;
    bool age = false;
    bool isBound = false; ///< whether the age is one, instead of the age
};

QList<ExportColumn> exportColumns(
    const QAbstractItemModel& model, const QModelIndexList& rows, const QList<int>& columns)
{
    QList<ExportColumn> result;
    for (const int column : columns) {
        const QString title = model.headerData(column, Qt::Horizontal).toString();
        if (!model.headerData(column, Qt::Horizontal, ageColumnRole).toBool()) {
            result.append({column, title});
            continue;
        }
        result.append({column, title + u" [s]"_s, true});
        const bool anyBound = std::any_of(rows.begin(), rows.end(), [column](const QModelIndex& row) {
            return row.siblingAtColumn(column).data().toString().startsWith(atLeast);
        });
        if (anyBound)
            result.append({column, title + u" is at least"_s, true, true});
    }
    return result;
}

QString exported(const QModelIndex& row, const ExportColumn& column)
{
    const QModelIndex cell = row.siblingAtColumn(column.column);
    const QVariant lines = cell.data(TableModel::LinesRole); // not every model has it
    const QString shown = (lines.isValid() ? lines : cell.data()).toString();
    if (column.isBound)
        return shown.startsWith(atLeast) ? u"true"_s : u"false"_s;
    return machineText(shown, column.age);
}

/// Reads "0.4 s", "12 min 05 s", "3 d 04 h"; gives whole seconds.
std::optional<qint64> secondsOf(const QString& age)
{
    static const QHash<QString, qint64> units{{u"s"_s, 1}, {u"min"_s, 60}, {u"h"_s, 3'600}, {u"d"_s, 86'400}};
    const QStringList words = age.split(u' ');
    qint64 seconds = 0;
    for (qsizetype i = 0; i < words.size(); i += 2) {
        bool isNumber = false;
        const double number = words[i].toDouble(&isNumber);
        const qint64 unit = units.value(words.value(i + 1), 0);
        if (!isNumber || unit == 0)
            return std::nullopt;
        seconds += static_cast<qint64>(number) * unit;
    }
    return seconds;
}

bool isNumber(const QString& text)
{
    static const QRegularExpression number(QStringLiteral("^-?(0|[1-9][0-9]{0,17})$"));
    return number.match(text).hasMatch();
}

QString sqlValue(QString text, bool isNumeric)
{
    if (text.isEmpty())
        return u"NULL"_s;
    if (isNumeric)
        return text;
    // No text of a database can have the character 0.
    return u'\'' + text.remove(QChar::Null).replace(u'\'', u"''"_s) + u'\'';
}

QString sqlName(QString text)
{
    return u'"' + text.replace(u'"', u"\"\""_s) + u'"';
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
        QStringList cells;
        for (const int column : columns) {
            QString text = row.siblingAtColumn(column).data().toString();
            for (const QChar c : {QLatin1Char('\t'), QLatin1Char('\n'), QLatin1Char('\r')})
                text.replace(c, QLatin1Char(' '));
            cells << report::spreadsheetSafe(text);
        }
        result += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return result;
}

QString machineText(const QString& shown, bool age)
{
    static const QRegularExpression moment(
        QStringLiteral("^(\\d{4}-\\d\\d-\\d\\d) (\\d\\d:\\d\\d:\\d\\d) UTC$"));
    if (const auto match = moment.match(shown); match.hasMatch())
        return match.captured(1) + u'T' + match.captured(2) + u'Z';
    if (shown == noValue)
        return {};
    if (!age)
        return shown;
    const auto seconds = secondsOf(shown.startsWith(atLeast) ? shown.sliced(atLeast.size()) : shown);
    return seconds ? QString::number(*seconds) : shown;
}

QString rowsAsCsv(const QAbstractItemModel& model, const QModelIndexList& rows, const QList<int>& columns)
{
    const QList<ExportColumn> all = exportColumns(model, rows, columns);
    const auto line = [&all](const std::function<QString(const ExportColumn&)>& cell) {
        QStringList cells;
        for (const ExportColumn& column : all)
            cells << csvCell(cell(column));
        return cells.join(QLatin1Char(',')) + QStringLiteral("\r\n");
    };
    QString result = line([](const ExportColumn& column) { return column.title; });
    for (const QModelIndex& row : rows)
        result += line([&row](const ExportColumn& column) { return exported(row, column); });
    return result;
}

QString rowsAsMarkdown(
    const QAbstractItemModel& model, const QModelIndexList& rows, const QList<int>& columns)
{
    const auto line = [&columns](const std::function<QString(int)>& cell) {
        QStringList cells;
        for (const int column : columns)
            cells << cell(column);
        return u"| "_s + cells.join(u" | "_s) + u" |\n"_s;
    };
    QString result =
        line([&](int column) { return markdownCell(model.headerData(column, Qt::Horizontal).toString()); });
    result += line([](int) { return u"---"_s; });
    for (const QModelIndex& row : rows)
        result +=
            line([&](int column) { return markdownCell(row.siblingAtColumn(column).data().toString()); });
    return result;
}

QString rowsAsInsert(const QAbstractItemModel& model, const QModelIndexList& rows, const QList<int>& columns,
    const QString& table)
{
    const QList<ExportColumn> all = exportColumns(model, rows, columns);
    QStringList names;
    for (const ExportColumn& column : all)
        names << sqlName(column.title);
    // SQL Server gives all values of a column one type: a number among texts would have the texts converted.
    QList<bool> numeric;
    for (const ExportColumn& column : all)
        numeric << std::all_of(rows.begin(), rows.end(), [&column](const QModelIndex& row) {
            const QString text = exported(row, column);
            return text.isEmpty() || isNumber(text);
        });
    const QString start = u"INSERT INTO %1 (%2) VALUES\n"_s.arg(sqlName(table), names.join(u", "_s));
    QString result;
    for (qsizetype row = 0; row < rows.size(); ++row) {
        QStringList values;
        for (qsizetype i = 0; i < all.size(); ++i)
            values << sqlValue(exported(rows[row], all[i]), numeric[i]);
        const bool isFirst = row % maxRowsOfInsert == 0;
        const bool isLast = row + 1 == rows.size() || (row + 1) % maxRowsOfInsert == 0;
        result += (isFirst ? start : QString()) + u"    ("_s + values.join(u", "_s)
            + (isLast ? u");\n"_s : u"),\n"_s);
    }
    return result;
}

} // namespace lockscope::ui
