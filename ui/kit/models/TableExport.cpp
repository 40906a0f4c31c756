// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/models/TableExport.h"

#include "core/base/Sentences.h"
#include "core/report/Report.h"
#include "core/report/Writer.h"

#include <QAbstractItemModel>
#include <QRegularExpression>

#include <algorithm>
#include <functional>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t maxRowsOfInsert = 1'000; // SQL Server takes no more at once

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
    return u'\'' + text.replace(u'\'', u"''"_s) + u'\'';
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

report::Section sectionOf(const ReportSource& source, const QModelIndexList& rows, const QList<int>& columns)
{
    constexpr size_t none = ~size_t(0);
    struct Origin {
        int column = -1; ///< of the model
        size_t place = none; ///< in the table of core
    };
    const std::vector<report::Column> known = source.reportColumns();
    report::Section section;
    std::vector<Origin> origins;
    for (const int column : columns) {
        const ColumnInfo& info = source.columns()[size_t(column)];
        const QString key = QString(info.id).replace(u'-', u'_');
        const auto found = std::ranges::find(known, key, &report::Column::key);
        const bool isKnown = found != known.end();
        report::Column& added = section.columns.emplace_back(
            isKnown ? *found : report::Column(info.age ? report::Type::Length : info.type, key));
        added.title = info.title;
        if (added.shown != report::Shown::ToPeople)
            added.shown = report::Shown::Always;
        origins.push_back({column, isKnown ? size_t(found - known.begin()) : none});
    }
    for (size_t i = 0; i < known.size(); ++i) {
        if (known[i].shown != report::Shown::ToPrograms
            || std::ranges::find(origins, i, &Origin::place) != origins.end())
            continue;
        origins.push_back({.place = i});
        section.columns.push_back(known[i]);
    }
    for (const QModelIndex& row : rows) {
        const std::vector<report::Value> cells = source.reportCells(row);
        report::ReportRow made;
        for (size_t i = 0; i < origins.size(); ++i) {
            const auto& [column, place] = origins[i];
            made.cells.push_back(place != none && !cells.empty() ? cells[place]
                    : column >= 0 ? source.ownValue(row.siblingAtColumn(column))
                                  : report::Value());
            if (place == none && !made.cells.back().isExact)
                section.columns[i].showsExactness = true;
        }
        section.rows.push_back(std::move(made));
    }
    return section;
}

QString asInsert(const report::Section& section, const QString& table)
{
    // SQL Server gives all values of a column one type: a number among texts would have the texts converted.
    QStringList names;
    std::vector<QStringList> values(section.rows.size());
    const auto add = [&](const QString& name, const std::function<QString(const report::ReportRow&)>& text) {
        names << sqlName(name);
        const QStringList texts = textOfEach(section.rows, text);
        const bool isNumeric =
            std::ranges::all_of(texts, [](const QString& each) { return each.isEmpty() || isNumber(each); });
        for (size_t row = 0; row < values.size(); ++row)
            values[row] << sqlValue(texts[qsizetype(row)], isNumeric);
    };
    for (size_t i = 0; i < section.columns.size(); ++i) {
        const report::Column& column = section.columns[i];
        add(column.name(), [&](const report::ReportRow& row) { return programText(column, row.cells[i]); });
        if (column.showsExactness)
            add(column.name() + u"_exact"_s,
                [i](const report::ReportRow& row) { return exactnessText(row.cells[i]); });
    }
    const QString start = u"INSERT INTO %1 (%2) VALUES\n"_s.arg(sqlName(table), names.join(u", "_s));
    QString result;
    for (size_t row = 0; row < values.size(); ++row) {
        const bool isFirst = row % maxRowsOfInsert == 0;
        const bool isLast = row + 1 == values.size() || (row + 1) % maxRowsOfInsert == 0;
        result += (isFirst ? start : QString()) + u"    ("_s + values[row].join(u", "_s)
            + (isLast ? u");\n"_s : u"),\n"_s);
    }
    return result;
}

} // namespace lockscope::ui
