// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QPersistentModelIndex>
#include <QTableView>

#include <functional>

class QMenu;
class QPushButton;
class QSettings;

namespace lockscope::ui {

class CellDelegate;
class ColumnLayout;
class RowClipboard;
class TableModel;

/// The table that every page shows: rows of one height, columns that the user chooses, orders, sizes
/// (until then they fill the width) and sorts by, copying as text and CSV, everything by keyboard. Selection,
/// current row and what is on screen survive each refresh. If the current row goes, none is current.
class TableView : public QTableView {
    Q_OBJECT

public:
    explicit TableView(TableModel& model, QWidget* parent = nullptr);

    TableModel& tableModel() const { return m_model; }

    /// The column with the arrows of a table in two levels, "" = none.
    void setOutlineColumn(const QString& id);
    /// Shown in place of rows: why there are none, and what would bring some.
    void setEmptyState(const QString& title, const QString& hint);
    const QString& emptyTitle() const { return m_emptyTitle; }
    /// A button below that: what brings some; empty = none. With a reason against it, it is grey and says so.
    void setEmptyAction(const QString& text, const QString& reasonAgainst = {});
    /// The data is old.
    void setFaded(bool faded);
    bool isFaded() const { return m_faded; }
    /// A column that exists only at times (the groups); the user can't choose it.
    void setColumnOffered(const QString& id, bool offered);
    /// A column that has nothing to say at present is hidden, unless the user chose it by hand: nobody waits.
    void setColumnEmpty(const QString& id, bool empty);
    /// The same for one that says what the head of the group says.
    void setColumnImplied(const QString& id, bool implied);
    /// Sets the function that adds the page's entries to the context menu of rows.
    void setRowMenu(std::function<void(QMenu&)> fill) { m_fillRowMenu = std::move(fill); }

    QList<int> visibleColumns() const; ///< model columns in visual order
    QList<int> searchedColumns() const; ///< these, and those that are hidden because they say nothing new
    /// The row from which the keyboard goes on; −1 = none.
    int currentViewRow() const { return currentIndex().row(); }
    int chosenViewRow() const; ///< the same, if it is selected: only that is acted on
    void selectRow(int viewRow); ///< and make it current, and scroll to it

    /// Columns and the sort, below `group`.
    void saveLayout(QSettings& settings, const QString& group) const;
    void restoreLayout(QSettings& settings, const QString& group);

    /// All rows on view, columns as shown.
    QString toCsv() const;

    /// Repaints what changes with time alone. No signal of the model: nothing is sorted or laid out again.
    void repaintAges();

Q_SIGNALS:
    void currentRowChanged();
    void detailRequested(); ///< Enter or double click
    void deleteRequested(); ///< Del
    void visibleColumnsChanged();
    void statusMessage(const QString& text);
    void exportRequested();
    void emptyActionTriggered();
    /// Requests only rows with this value, or none with it.
    void filterRequested(const QString& column, const QString& value, bool excluded);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void rowsAboutToBeRemoved(const QModelIndex& parent, int start, int end) override;

private:
    void applyFontMetrics();
    bool clickedArrow(const QPoint& position);
    void addKeys();
    void expandCurrent(bool expanded);
    void rememberTop();
    void restoreTop();
    struct EmptyLayout {
        QRect title;
        QRect hint;
    };
    EmptyLayout emptyLayout() const;
    void placeEmptyAction();

    TableModel& m_model;
    CellDelegate* m_delegate;
    ColumnLayout* m_columns = nullptr;
    RowClipboard* m_clipboard = nullptr;
    QAction* m_collapse = nullptr; ///< work in groups only
    QAction* m_expand = nullptr;
    std::function<void(QMenu&)> m_fillRowMenu;
    QString m_emptyTitle;
    QString m_emptyHint;
    QPushButton* m_emptyAction;
    QPersistentModelIndex m_top; // first row on screen during a refresh
    bool m_faded = false;
};

/// The field for a page's filter. Escape empties it, Enter goes to the rows; filters can be kept.
class FilterBox : public QLineEdit {
    Q_OBJECT

public:
    explicit FilterBox(QWidget& rows, QWidget* parent = nullptr);

    void focus(); ///< with what is in it selected
    /// Offers filters to keep, from now on, under `group` of the settings.
    void keepIn(QSettings& settings, const QString& group);
    QStringList kept() const;

Q_SIGNALS:
    void said(const QString& text); ///< "The filter is kept."

private:
    void keep();
    void forget(const QString& filter);
    void openMenu();

    QAction* m_menuAction;
    QSettings* m_settings = nullptr;
    QString m_group;
};

} // namespace lockscope::ui
