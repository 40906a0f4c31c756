// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace lockscope::ui {

struct ColumnShare {
    int width = 0; ///< the width that it needs
    int stretch = 0; ///< share of the space that is left over or missing; 0 = keeps its width
    int least = 0; ///< never narrower than this, nor than half of what it needs
    int whole = 0; ///< of names: the width of the longest one; 0 = of no names
};

/// Returns widths that fill `space` exactly. Names are whole before other columns get more than they need.
/// If it is too narrow, columns with a stretch give way down to their least, those of names last; the
/// missing rest is left to scrolling. Without any such column the last one grows.
std::vector<int> fitColumns(const std::vector<ColumnShare>& columns, int space);

} // namespace lockscope::ui
