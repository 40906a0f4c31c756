// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>

namespace lockscope::ui {

/// The places of a table cell's parts. Pure: no painter, no style.
struct CellParts {
    int depth = 0; ///< 1 below a parent
    bool outline = false; ///< the column that carries the arrows: text of all rows aligns behind them
    bool glyph = false;
    int unit = 16; ///< size of arrow and glyph
    bool rightToLeft = false;
};

struct CellLayout {
    QRect arrow; ///< empty outside the outline column
    QRect glyph; ///< empty if there is none
    QRect text;
};

inline constexpr int cellPadding = 8;
inline constexpr int cellGap = 6;

CellLayout layoutCell(const QRect& cell, const CellParts& parts);

/// A lease as a bar with its text beside it.
struct BarLayout {
    QRect track;
    QRect fill; ///< within the track; its whole width when the lease is used up
    QRect text;
};

/// `used`: 0 = just taken, 1 = stale; values beyond are clamped.
BarLayout layoutBar(const QRect& cell, double used, int textWidth, bool rightToLeft = false);

} // namespace lockscope::ui
