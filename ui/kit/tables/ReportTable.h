// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/models/ReportModel.h"
#include "ui/kit/tables/TableView.h"

#include <any>

namespace lockscope::ui {

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
