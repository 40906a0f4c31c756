// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"

#include <QModelIndex>
#include <QString>

class QAbstractItemModel;

namespace lockscope::ui {

/// All rows of a table or a tree, children below their parents.
QModelIndexList allRows(const QAbstractItemModel& model);
/// Sorted as they stand on view from top to bottom.
QModelIndexList inOrder(QModelIndexList rows);
/// Returns one line a row, cells separated by tabs; breaks and tabs inside a cell become blanks. Children of
/// a tree are indented. `columns` are model columns in the order of the text.
QString rowsAsText(const QModelIndexList& rows, const QList<int>& columns);
/// A cell for programs: times as ISO 8601, ages in seconds (beyond an hour by the minute, as they are shown),
/// nothing for what is not known. What is no age or time stays.
QString machineText(const QString& shown, bool age);
/// A table of Markdown; nothing in a cell can format, link or end it.
QString rowsAsMarkdown(
    const QAbstractItemModel& model, const QModelIndexList& rows, const QList<int>& columns);
/// One INSERT statement into `table`, with cells as in CSV, numbers plain and nothing as NULL.
QString rowsAsInsert(const QAbstractItemModel& model, const QModelIndexList& rows, const QList<int>& columns,
    const QString& table);
/// Returns CSV by RFC 4180: a header line, CRLF, quotes only where needed. Cells are machineText; if an age
/// is a lower bound only, a column beside it says which ages are.
QString rowsAsCsv(const QAbstractItemModel& model, const QModelIndexList& rows, const QList<int>& columns);

} // namespace lockscope::ui
