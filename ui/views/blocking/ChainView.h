// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPersistentModelIndex>
#include <QTreeView>

#include <functional>

class QMenu;

namespace lockscope::ui {

class BlockingTreeModel;
class CellDelegate;
class ColumnLayout;
class RowClipboard;

/// The tree of chains, with what every table of ours can do: columns to choose, order and size, copying as
/// text and CSV, everything by keyboard.
class ChainView : public QTreeView {
    Q_OBJECT

public:
    explicit ChainView(BlockingTreeModel& model, QWidget* parent = nullptr);

    ColumnLayout& columns() const { return *m_columns; }
    RowClipboard& clipboard() const { return *m_clipboard; }
    void setFaded(bool faded); ///< the data is old
    /// Sets the function that adds the page's entries to the context menu of rows.
    void setRowMenu(std::function<void(QMenu&)> fill) { m_fillRowMenu = std::move(fill); }
    void setAllExpanded(bool expanded); ///< emits the signals, as if the user had done it

    /// Round a refresh: at the very top new rows may push in; further down what the user reads stays where it
    /// is.
    void rememberTop();
    void restoreTop();

Q_SIGNALS:
    void deleteRequested(); ///< Del
    void visibleColumnsChanged();
    /// Requests only rows with this value in the column, or all but those.
    void filterRequested(const QString& column, const QString& value, bool excluded);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    bool isOpen(const QModelIndex& parent) const; ///< and all that it stands below

    BlockingTreeModel& m_model;
    CellDelegate* m_delegate;
    ColumnLayout* m_columns = nullptr;
    RowClipboard* m_clipboard = nullptr;
    std::function<void(QMenu&)> m_fillRowMenu;
    QPersistentModelIndex m_top;
    int m_cutOff = 0; ///< pixels of that row that are above the view
};

} // namespace lockscope::ui
