// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/Report.h"
#include "ui/kit/models/RowFilter.h"

#include <QVariant>

#include <vector>

namespace lockscope::ui {

struct ColumnInfo {
    QString id; ///< stable: settings, filters and CSV use it
    QString title;
    QString tip{};
    int width = 120; ///< at first, in pixels at 96 dpi
    bool shown = true; ///< at first
    bool number = false; ///< right-aligned, digits of equal width
    bool age = false; ///< its text changes while time passes: repainted by the ticker, not filtered
    int stretch = 0; ///< share of the space that is left over or missing; 0 = always of its width
    int yields = 0; ///< gives way where space is short, the greatest first; 0 = never
    bool isName = false; ///< says what a row is about: is whole before others get more than they need
    bool isList =
        false; ///< words with commas between: a filter takes each by itself, from a word's beginning
    report::Type type = report::Type::Text; ///< of what leaves the window; ages are lengths
};

/// Returns a model's data for the column's header.
QVariant headerOf(const ColumnInfo& column, int role);
int columnOf(const std::vector<ColumnInfo>& columns, const QString& id); ///< -1 if there is none
/// Finds a column by id or title, ignoring case and blanks; for `column:word` filters. Empty if there is
/// none.
QString columnNamed(const std::vector<ColumnInfo>& columns, const QString& prefix);
/// Says that a column which the filter names is none, and which there are; empty if there is nothing to say.
QString unknownColumnText(const RowFilter& filter, const std::vector<ColumnInfo>& columns);
/// `text` returns the text in a column of the row; words without a column are searched in `visible`.
bool matches(const RowFilter& filter, const std::vector<ColumnInfo>& columns, const QList<int>& visible,
    const std::function<QString(int column)>& text);

} // namespace lockscope::ui
