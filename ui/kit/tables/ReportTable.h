// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/Report.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/TableView.h"

#include <any>

namespace lockscope::ui {

/// The rows of a table of a report, sorted, filtered and copied like all tables.
class ReportModel : public KeyedTableModel<report::ReportRow, QString> {
    Q_OBJECT

public:
    /// Only the columns of `section` count.
    explicit ReportModel(const report::Section& section, QObject* parent = nullptr);
    /// Shows the rows of a section with the same columns.
    void show(const report::Section& section) { setRows(section.rows); }
    std::vector<report::Column> reportColumns() const override { return m_all; }
    std::vector<report::Value> reportCells(const QModelIndex& row) const override
    {
        return rowAt(row.row()).cells;
    }

protected:
    QString keyOf(const report::ReportRow& row) const override { return row.key; }
    bool same(const report::ReportRow& before, const report::ReportRow& after) const override
    {
        return before.cells == after.cells && before.more == after.more;
    }
    QString text(quint32 row, int column) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QVariant cell(quint32 row, int column, int role) const override;

private:
    const report::Column& columnAt(int column) const { return m_all[m_shown[size_t(column)]]; }
    const report::Value& valueAt(quint32 row, int column) const;

    std::vector<report::Column> m_all; ///< of the section
    std::vector<std::size_t> m_shown; ///< of these, the ones that are for people
};

/// A table of a report with the model of its rows.
class ReportTable : public TableView {
public:
    /// `title` is what assistive programs read. Only the columns of `section` count.
    ReportTable(const QString& name, const QString& title, const report::Section& section, QWidget* parent)
        : TableView(*new ReportModel(section), parent)
    {
        tableModel().setParent(this);
        setObjectName(name);
        setAccessibleName(title);
    }

    const ReportModel& rows() const { return static_cast<const ReportModel&>(tableModel()); }
    /// Shows the rows of a section with the same columns.
    void showRows(const report::Section& section) { static_cast<ReportModel&>(tableModel()).show(section); }
    /// Selects the first row unless one is current.
    void chooseFirst()
    {
        if (currentViewRow() < 0 && rows().rowCount() > 0)
            selectRow(0);
    }
    const report::ReportRow* chosenRow() const ///< null: none is current
    {
        return currentViewRow() < 0 ? nullptr : &rows().rowAt(currentViewRow());
    }
    /// Returns what the current row is about; null: none is current, or it is about something else.
    template <class Item> const Item* chosen() const
    {
        return chosenRow() ? std::any_cast<Item>(&chosenRow()->about) : nullptr;
    }
};

} // namespace lockscope::ui
