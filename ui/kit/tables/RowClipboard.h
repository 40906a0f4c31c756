// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QModelIndex>
#include <QObject>

#include <functional>

class QAbstractItemView;
class QAction;
class QContextMenuEvent;
class QMenu;

namespace lockscope::ui {

class ColumnLayout;

/// Copies the rows that are selected in a table or a tree, as text, CSV, Markdown or INSERT, with the columns
/// on view in their order: by menu and by keys (Ctrl+C, Ctrl+Shift+C); and opens that menu (Shift+F10).
class RowClipboard : public QObject {
    Q_OBJECT

public:
    /// `view` owns this and has its model and selection model already; `columns` belongs to it.
    RowClipboard(QAbstractItemView& view, ColumnLayout& columns);

    /// Returns the place in the help that lists the keys of tables.
    static QString tableKeys();
    /// A menu of the view, which deletes itself when it is closed: what `fill` puts in, then the copying.
    QMenu* rowMenu(const std::function<void(QMenu&)>& fill);
    /// Adds the entries for rows in levels.
    static void addExpanding(QMenu& menu, const std::function<void(bool expanded)>& setAllExpanded);
    /// Opens the menu with the choice of columns at its end; at the mouse, or below the current row.
    void popUp(QMenu& menu, const QContextMenuEvent& event);
    void copyAsText();
    void copyAsCsv();
    void copyAsMarkdown();
    void copyAsInsert();
    /// Returns all rows, those in closed nodes of a tree too.
    QString allAsCsv() const;

Q_SIGNALS:
    void said(const QString& text); ///< "3 rows copied."
    void exportRequested();

private:
    void openMenu();
    void updateActions();
    QModelIndexList selectedRows() const; ///< as they stand
    void copy(const QString& text);

    QAbstractItemView& m_view;
    ColumnLayout& m_columns;
    QAction* m_copyText;
    QAction* m_copyCsv;
    QAction* m_copyMarkdown;
    QAction* m_copyInsert;
};

} // namespace lockscope::ui
