// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/tables/ColumnFit.h"

#include <algorithm>

namespace lockscope::ui {

namespace {

/// Shares `left`, which may be negative, among the columns that `takesPart`. Returns what nobody could give.
template <class TakesPart>
int shareOut(const std::vector<ColumnShare>& columns, std::vector<int>& widths, int left, TakesPart takesPart)
{
    std::vector<char> settled(columns.size(), 0);
    int shares = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
        settled[i] = columns[i].stretch == 0 || !takesPart(columns[i]) ? 1 : 0;
        shares += settled[i] ? 0 : columns[i].stretch;
    }
    // Those that reach their least hand what they can't give to the others.
    for (bool again = shares > 0; again && left != 0;) {
        again = false;
        int missing = left;
        int open = shares;
        for (size_t i = 0; i < columns.size(); ++i) {
            if (settled[i])
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
    return left;
}

} // namespace

std::vector<int> fitColumns(const std::vector<ColumnShare>& columns, int space)
{
    std::vector<int> widths;
    widths.reserve(columns.size());
    int left = space;
    for (const ColumnShare& column : columns) {
        widths.push_back(column.width);
        left -= column.width;
    }
    if (std::ranges::none_of(columns, [](const ColumnShare& column) { return column.stretch > 0; })) {
        if (!widths.empty())
            widths.back() += std::max(0, left);
        return widths;
    }
    for (size_t i = 0; i < columns.size(); ++i) {
        const int more = std::clamp(columns[i].whole - widths[i], 0, std::max(0, left));
        widths[i] += more;
        left -= more;
    }
    if (left < 0)
        left = shareOut(columns, widths, left, [](const ColumnShare& column) { return column.whole == 0; });
    shareOut(columns, widths, left, [](const ColumnShare&) { return true; });
    return widths;
}

} // namespace lockscope::ui
