// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/tables/ColumnFit.h"

#include <algorithm>

namespace lockscope::ui {

std::vector<int> fitColumns(const std::vector<ColumnShare>& columns, int space)
{
    std::vector<int> widths;
    widths.reserve(columns.size());
    int left = space;
    int shares = 0;
    for (const ColumnShare& column : columns) {
        widths.push_back(column.width);
        left -= column.width;
        shares += column.stretch;
    }
    if (shares == 0) {
        if (!widths.empty())
            widths.back() += std::max(0, left);
        return widths;
    }
    // Those that reach their least hand what they can't give to the others.
    std::vector<char> settled(columns.size(), 0);
    for (bool again = true; again && left != 0;) {
        again = false;
        int missing = left;
        int open = shares;
        for (size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].stretch == 0 || settled[i])
                continue;
            int part = missing * columns[i].stretch / open;
            missing -= part;
            open -= columns[i].stretch;
            const int least = std::max(columns[i].width / 2, columns[i].least);
            if (widths[i] + part < least) {
                part = least - widths[i];
                settled[i] = 1;
                shares -= columns[i].stretch;
                again = shares > 0;
            }
            widths[i] += part;
            left -= part;
        }
    }
    return widths;
}

} // namespace lockscope::ui
