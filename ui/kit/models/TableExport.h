// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/Report.h"

#include <QModelIndex>
#include <QString>

class QAbstractItemModel;

namespace lockscope::ui {

class ReportSource;

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
