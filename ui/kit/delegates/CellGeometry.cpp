// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/delegates/CellGeometry.h"

#include <algorithm>

namespace lockscope::ui {

namespace {

QRect mirrored(const QRect& part, const QRect& cell)
{
    if (part.isEmpty())
        return part;
    return {cell.left() + cell.right() - part.right(), part.top(), part.width(), part.height()};
}

QRect square(int left, const QRect& cell, int size)
{
    return {left, cell.center().y() - size / 2 + 1, size, size};
}

} // namespace

CellLayout layoutCell(const QRect& cell, const CellParts& parts)
{
    CellLayout layout;
    int left = cell.left() + cellPadding;
    if (parts.outline) {
        if (parts.depth == 0)
            layout.arrow = square(left, cell, parts.unit);
        left += parts.unit + cellGap / 2 + parts.depth * parts.unit;
    }
    if (parts.glyph) {
        layout.glyph = square(left, cell, parts.unit);
        left += parts.unit + cellGap;
    }
    const int right = cell.right() - cellPadding;
    layout.text = QRect(left, cell.top(), std::max(0, right - left + 1), cell.height());
    if (parts.rightToLeft) {
        layout.arrow = mirrored(layout.arrow, cell);
        layout.glyph = mirrored(layout.glyph, cell);
        layout.text = mirrored(layout.text, cell);
    }
    return layout;
}

BarLayout layoutBar(const QRect& cell, double used, int textWidth, bool rightToLeft)
{
    constexpr int thickness = 6;
    constexpr int shortest = 24;
    const QRect inner = cell.adjusted(cellPadding, 0, -cellPadding, 0);
    BarLayout layout;
    int track = inner.width() - textWidth - cellGap;
    if (track < shortest)
        track = 0; // too narrow for both: the words matter more
    layout.track = QRect(inner.left(), cell.center().y() - thickness / 2 + 1, track, thickness);
    layout.fill = layout.track;
    layout.fill.setWidth(static_cast<int>(track * std::clamp(used, 0.0, 1.0)));
    const int textLeft = track > 0 ? inner.left() + track + cellGap : inner.left();
    layout.text = QRect(textLeft, cell.top(), std::max(0, inner.right() - textLeft + 1), cell.height());
    if (rightToLeft) {
        layout.track = mirrored(layout.track, cell);
        layout.fill = mirrored(layout.fill, cell);
        layout.text = mirrored(layout.text, cell);
    }
    return layout;
}

} // namespace lockscope::ui
