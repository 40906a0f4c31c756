// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/delegates/GlyphPainter.h"

#include "ui/kit/theme/Theme.h"

#include <QPainter>
#include <QPainterPath>

namespace lockscope::ui {

namespace {

/// All shapes are drawn in a box of 16 × 16.
QPainterPath polygon(std::initializer_list<QPointF> points)
{
    QPainterPath path;
    path.addPolygon(QPolygonF(QList<QPointF>(points)));
    path.closeSubpath();
    return path;
}

void strokeLines(
    QPainter& painter, const QColor& color, std::initializer_list<QPointF> points, double width = 1.8)
{
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(QPolygonF(QList<QPointF>(points)));
}

void drawPadlock(QPainter& painter, const QColor& color, bool closed)
{
    QPainterPath shackle;
    shackle.moveTo(5, 8);
    shackle.lineTo(5, 5.5);
    shackle.arcTo(QRectF(5, 2.5, 6, 6), 180, closed ? -180 : -130);
    if (closed)
        shackle.lineTo(11, 8);
    painter.setPen(QPen(color, 1.6, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(shackle);
    painter.setPen(QPen(color, 1.2));
    painter.setBrush(closed ? QBrush(color) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(3, 7.5, 10, 6.5), 1.5, 1.5);
}

void drawHourglass(QPainter& painter, const QColor& color)
{
    strokeLines(painter, color, {{4, 2.5}, {12, 2.5}}, 1.6);
    strokeLines(painter, color, {{4, 13.5}, {12, 13.5}}, 1.6);
    painter.setPen(QPen(color, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(polygon({{5, 3}, {11, 3}, {8, 8}}));
    painter.setBrush(color);
    painter.drawPath(polygon({{8, 8}, {11, 13}, {5, 13}}));
}

void drawWarning(QPainter& painter, const QColor& color)
{
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(polygon({{8, 2.2}, {14.4, 13.4}, {1.6, 13.4}}));
    strokeLines(painter, color, {{8, 6.4}, {8, 9.4}}, 1.6);
    strokeLines(painter, color, {{8, 11.4}, {8, 11.5}}, 1.8);
}

} // namespace

void paintGlyph(QPainter& painter, Glyph glyph, const QRectF& box, const QColor& color)
{
    if (glyph == Glyph::None || box.isEmpty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(box.topLeft());
    painter.scale(box.width() / 16, box.height() / 16);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    switch (glyph) {
    case Glyph::Holder:
        drawPadlock(painter, color, true);
        break;
    case Glyph::Free:
        drawPadlock(painter, color, false);
        break;
    case Glyph::Waiter:
        drawHourglass(painter, color);
        break;
    case Glyph::Converting:
        strokeLines(painter, color, {{8, 13}, {8, 3.5}});
        strokeLines(painter, color, {{4, 7.5}, {8, 3.5}, {12, 7.5}});
        break;
    case Glyph::Warning:
        drawWarning(painter, color);
        break;
    case Glyph::Running:
        painter.drawPath(polygon({{4.5, 3}, {13, 8}, {4.5, 13}}));
        break;
    case Glyph::Idle:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1.6));
        painter.drawEllipse(QRectF(4, 4, 8, 8));
        break;
    case Glyph::Done:
        strokeLines(painter, color, {{3, 8.5}, {6.5, 12}, {13, 4}});
        break;
    case Glyph::Failed:
        strokeLines(painter, color, {{4, 4}, {12, 12}});
        strokeLines(painter, color, {{12, 4}, {4, 12}});
        break;
    case Glyph::None:
        break;
    }
    painter.restore();
}

void paintArrow(QPainter& painter, bool open, const QRectF& box, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(box.topLeft());
    painter.scale(box.width() / 16, box.height() / 16);
    if (open)
        strokeLines(painter, color, {{4, 6}, {8, 10}, {12, 6}}, 1.6);
    else
        strokeLines(painter, color, {{6, 4}, {10, 8}, {6, 12}}, 1.6);
    painter.restore();
}

QColor toneColor(Tone tone, const QPalette& palette)
{
    const ThemeColors& colors = theme::colors(palette);
    switch (tone) {
    case Tone::Muted:
        return colors.muted;
    case Tone::Good:
        return colors.ok;
    case Tone::Amber:
        return colors.amber;
    case Tone::Red:
        return colors.red;
    case Tone::Normal:
        break;
    }
    return palette.color(QPalette::Text);
}

} // namespace lockscope::ui
