// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/models/ColumnInfo.h"

#include <QModelIndex>
#include <QObject>

#include <functional>

class QAbstractItemView;
class QAction;
class QContextMenuEvent;
class QMenu;

namespace lockscope::ui {

class ColumnLayout;
class ReportSource;

/// Copies the rows that are selected in a table or a tree, as text, CSV, Markdown or INSERT, with the columns
/// on view in their order: by menu and by keys (Ctrl+C, Ctrl+Shift+C); and opens that menu (Shift+F10).
class RowClipboard : public QObject {
    Q_OBJECT

public:
    /// `view` owns this and has its model, which is `source`, and its selection model already; `columns`
    /// belongs to it.
    RowClipboard(QAbstractItemView& view, const ReportSource& source, ColumnLayout& columns);

    /// Returns the place in the help that lists the keys of tables.
    static QString tableKeys();
    /// The parts of the menu of a row that a view brings.
    struct RowMenu {
        const std::vector<ColumnInfo>& columns;
        std::function<void(QMenu&)> fill; ///< the acts of the page; may be empty
        std::function<void(bool expanded)> setAllExpanded{}; ///< empty: the rows have no levels
    };
    /// Opens the menu of the row at the mouse, or of the current one below it: acts, copying, filters,
    /// levels, columns. It deletes itself when it is closed.
    void openRowMenu(const QContextMenuEvent& event, const RowMenu& parts);
    void copyAsText();
    void copyAsCsv();
    void copyAsMarkdown();
    void copyAsInsert();
    /// Returns all rows, those in closed nodes of a tree too.
    QString allAsCsv() const;

Q_SIGNALS:
    void said(const QString& text); ///< "3 rows copied."
    void exportRequested();
    /// Requests only the rows with that value in a column, or all others.
    void filterRequested(const QString& column, const QString& value, bool excluded);

private:
    void openMenu();
    void addCopying(QMenu& menu);
    void addValueFilters(QMenu& menu, const QModelIndex& cell, const std::vector<ColumnInfo>& columns);
    void updateActions();
    QModelIndexList selectedRows() const; ///< as they stand
    report::Section tableOf(const QModelIndexList& rows) const;
    void copy(const QString& text);

    QAbstractItemView& m_view;
    const ReportSource& m_source;
    ColumnLayout& m_columns;
    QList<QAction*> m_copying; ///< as text, CSV, Markdown and INSERT
};

} // namespace lockscope::ui
