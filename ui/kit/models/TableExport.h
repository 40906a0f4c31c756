// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/Report.h"
#include "ui/kit/models/ColumnInfo.h"

#include <QModelIndex>
#include <QString>

class QAbstractItemModel;

namespace lockscope::ui {

/// A model whose rows can leave the window as a table of a report, with typed values: nothing is read back
/// from the texts that it shows.
class ReportSource {
public:
    virtual ~ReportSource() = default;

    virtual const std::vector<ColumnInfo>& columns() const = 0;
    /// Returns the columns of the table of core that has the same rows; none: there is no such table. Columns
    /// of the model with their keys have their values from there.
    virtual std::vector<report::Column> reportColumns() const { return {}; }
    /// Returns the cells of a row in that table; none: the table has no such row.
    virtual std::vector<report::Value> reportCells(const QModelIndex&) const { return {}; }
    /// Returns the value of a cell that does not come from there.
    virtual report::Value ownValue(const QModelIndex& cell) const = 0;
};

/// All rows of a table or a tree, children below their parents.
QModelIndexList allRows(const QAbstractItemModel& model);
/// Sorted as they stand on view from top to bottom.
QModelIndexList inOrder(QModelIndexList rows);
/// Returns one line a row, cells separated by tabs; breaks and tabs inside a cell become blanks. Children of
/// a tree are indented. `columns` are model columns in the order of the text.
QString rowsAsText(const QModelIndexList& rows, const QList<int>& columns);
/// Returns the rows as a table of a report: `columns`, model columns in the order of the table, and behind
/// them those of the source's table that only programs read.
report::Section sectionOf(const ReportSource& source, const QModelIndexList& rows, const QList<int>& columns);
/// Returns INSERT statements into `table`, with cells as in CSV, numbers plain and nothing as NULL.
QString asInsert(const report::Section& section, const QString& table);

} // namespace lockscope::ui
