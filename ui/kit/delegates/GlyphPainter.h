// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/models/CellStyle.h"

#include <QColor>
#include <QRectF>

class QPainter;
class QPalette;

namespace lockscope::ui {

/// Draws `glyph` into the square `box`, in one colour.
void paintGlyph(QPainter& painter, Glyph glyph, const QRectF& box, const QColor& color);
/// The small triangle of a parent row: pointing down when open.
void paintArrow(QPainter& painter, bool open, const QRectF& box, const QColor& color);
/// The colour of a tone on a palette's base.
QColor toneColor(Tone tone, const QPalette& palette);

} // namespace lockscope::ui
