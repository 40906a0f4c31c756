// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/report/Report.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QSettings;

namespace lockscope::ui {

class ReportModel;
class TableView;

/// A table of items of the rules file, with a line about the file and buttons below it. Each row is about its
/// item.
class ItemListView : public QWidget {
    Q_OBJECT

public:
    TableView& table() const { return *m_table; }
    void saveLayout(QSettings& settings) const;
    void restoreLayout(QSettings& settings);
    /// Says why the table may have no rows: nothing is read. Both empty: it is.
    void setUnread(const QString& title, const QString& hint);

protected:
    /// `id`: the name of the table, of its layout and of its line ("rulesPlace").
    ItemListView(const QString& id, const QString& title, const report::Section& section, QWidget* parent);

    /// Shows the rows; `place` is about the file that they are in, `fileError` why it can't be used.
    void showRows(
        const report::Section& section, const std::optional<Error>& fileError, const QString& place);
    /// Sets the text of the table without rows, once it is read.
    void setEmptyText(const QString& title, const QString& hint);
    /// Shows something else in the line about the file, until there is news of that.
    void showAnswer(const QString& text);
    /// A button at the right end of those before it. `texts`: all that it ever says, the present one first.
    QPushButton* addButton(const char* name, const QStringList& texts);
    template <class Item> const Item* chosen() const ///< null: none is
    {
        return std::any_cast<Item>(about());
    }
    /// "Channels stand in ~/.config/…", or why the file can't be used.
    static QString fileText(const QString& items, const std::optional<Error>& error);
    /// Why nothing can be saved into the file; empty: it can.
    const QString& reasonAgainstSaving() const { return m_reasonAgainst; }
    virtual void updateButtons() = 0;
    virtual void editChosen() = 0;

private:
    const std::any* about() const;

    const QString m_layoutKey;
    ReportModel* m_model;
    TableView* m_table;
    QLabel* m_place;
    QString m_placeShown; ///< the last text about the file
    QString m_emptyTitle;
    QString m_emptyHint;
    QString m_reasonAgainst; ///< why nothing can be saved
    QHBoxLayout* m_foot;
};

} // namespace lockscope::ui
