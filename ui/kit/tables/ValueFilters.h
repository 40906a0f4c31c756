// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/models/ColumnInfo.h"

#include <functional>

class QMenu;
class QModelIndex;

namespace lockscope::ui {

/// Adds to the menu of a row: only what has the value of the cell, all but that, and, as noise comes by
/// database and user, all but those of the row. What is chosen is for RowFilter::with().
void addValueFilters(QMenu& menu, const QModelIndex& cell, const std::vector<ColumnInfo>& columns,
    const std::function<void(const QString& column, const QString& value, bool excluded)>& chosen);

} // namespace lockscope::ui
