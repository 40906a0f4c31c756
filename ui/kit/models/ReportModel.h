// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/Report.h"
#include "ui/kit/models/KeyedTableModel.h"

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

} // namespace lockscope::ui
