// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/delegates/CellDelegate.h"

#include "core/base/EnumTable.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QColor>
#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QRectF>
#include <QToolTip>

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

/// Draws `glyph` into the square `box`, in one colour.
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

/// The small triangle of a parent row: pointing down when open.
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

int digitWidth(const QFontMetrics& metrics)
{
    int widest = 0;
    for (char16_t digit = u'0'; digit <= u'9'; ++digit)
        widest = std::max(widest, metrics.horizontalAdvance(QChar(digit)));
    return widest;
}

/// Draws a number so that its digits stand below those of others; cut if it does not fit.
void drawTabular(QPainter& painter, const QRect& rect, const QString& text, const QFontMetrics& metrics)
{
    if (tabularWidth(text, metrics) > rect.width())
        return theme::paintText(painter, rect, text, Qt::ElideRight, Qt::AlignRight | Qt::AlignVCenter);
    const int digit = digitWidth(metrics);
    int x = rect.right() + 1 - tabularWidth(text, metrics);
    for (const QChar c : text) {
        const int width = c.isDigit() ? digit : metrics.horizontalAdvance(c);
        painter.drawText(QRect(x, rect.top(), width, rect.height()),
            static_cast<int>(Qt::AlignHCenter | Qt::AlignVCenter) | Qt::TextSingleLine | Qt::TextDontClip,
            QString(c));
        x += width;
    }
}

/// A cell is one line; the tooltip and the detail pane keep the breaks.
QString oneLine(QString text)
{
    constexpr qsizetype enough = 400;
    text.truncate(enough);
    return text.simplified();
}

} // namespace

QColor toneColor(Tone tone, const QPalette& palette)
{
    const ThemeColors& colors = theme::colors(palette);
    return EnumTable<Tone, QColor>(
        {palette.color(QPalette::Text), colors.muted, colors.ok, colors.amber, colors.red})[tone];
}

QBrush toneFill(Tone tone, const QPalette& palette)
{
    const ThemeColors& colors = theme::colors(palette);
    return tone == Tone::Amber ? QBrush(colors.amberFill) : tone == Tone::Red ? colors.redFill : QBrush();
}

int tabularWidth(const QString& text, const QFontMetrics& metrics)
{
    const int digit = digitWidth(metrics);
    int width = 0;
    for (const QChar c : text)
        width += c.isDigit() ? digit : metrics.horizontalAdvance(c);
    return width;
}

void CellDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(TableModel::EmphasisRole).toBool()) {
        option->font.setBold(true);
        option->fontMetrics = QFontMetrics(option->font);
    }
}

CellLayout CellDelegate::layoutOf(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    CellParts parts;
    parts.outline = index.column() == m_outlineColumn;
    parts.depth = parts.outline ? index.data(TableModel::DepthRole).toInt() : 0;
    parts.glyph = index.data(TableModel::GlyphRole).isValid();
    parts.unit = std::max(14, option.fontMetrics.ascent() + 2);
    parts.rightToLeft = option.direction == Qt::RightToLeft;
    return layoutCell(option.rect, parts);
}

QColor CellDelegate::inkOf(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    if (option.state & QStyle::State_Selected)
        return option.palette.color(QPalette::HighlightedText);
    if (m_faded)
        return theme::colors(option.palette).muted;
    return toneColor(index.data(TableModel::ToneRole).value<Tone>(), option.palette);
}

void CellDelegate::paintLane(
    QPainter* painter, const QStyleOptionViewItem& option, const QVariantList& heights) const
{
    const QRectF lane = QRectF(option.rect).adjusted(6, 3, -6, -3);
    const ThemeColors& colors = theme::colors(option.palette);
    const bool isSelected = option.state & QStyle::State_Selected;
    const QColor ink = isSelected ? option.palette.color(QPalette::HighlightedText)
        : m_faded                 ? colors.muted
                                  : colors.amber;
    const double width = heights.isEmpty() ? 0 : lane.width() / double(heights.size());
    for (qsizetype i = 0; i < heights.size(); ++i) {
        const double height = heights[i].toDouble();
        const bool isKnown = height >= 0;
        const QRectF place(lane.left() + double(i) * width, lane.top(), width, lane.height());
        if (!isKnown) {
            QColor pale = isSelected ? ink : colors.muted;
            pale.setAlpha(110);
            painter->fillRect(place, QBrush(pale, Qt::BDiagPattern));
            continue;
        }
        // Where nobody waits, a line says that it was polled.
        const double tall = std::max(2.0, height * lane.height());
        painter->fillRect(QRectF(place.left(), place.bottom() - tall,
                              std::max(1.0, width - (height > 0 ? 0.5 : 0.0)), tall),
            height > 0 || isSelected ? ink : colors.ok);
    }
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const
{
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    option.text.clear();
    option.icon = {};
    option.features &= ~QStyleOptionViewItem::HasCheckIndicator;
    if (const QVariant rowTone = index.data(TableModel::RowToneRole); rowTone.isValid() && !m_faded)
        option.backgroundBrush = toneFill(rowTone.value<Tone>(), option.palette);
    const QWidget* widget = option.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &option, painter, widget);

    painter->save();
    painter->setFont(option.font);
    paintContent(painter, option, index);
    painter->restore();
}

void CellDelegate::paintContent(
    QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QColor ink = inkOf(option, index);
    const QString text = index.data(Qt::DisplayRole).toString();
    if (const QVariant bar = index.data(TableModel::BarRole); bar.isValid())
        return paintBar(painter, option, bar.toDouble(), text, ink);
    if (const QVariant lane = index.data(TableModel::LaneRole); lane.isValid())
        return paintLane(painter, option, lane.toList());
    const CellLayout layout = layoutOf(option, index);
    if (const QVariant open = index.data(TableModel::ExpandedRole); open.isValid() && !layout.arrow.isEmpty())
        paintArrow(*painter, open.toBool(), layout.arrow, ink);
    if (const QVariant glyph = index.data(TableModel::GlyphRole); glyph.isValid())
        paintGlyph(*painter, glyph.value<Glyph>(), layout.glyph, ink);
    if (const QVariant badge = index.data(TableModel::BadgeRole); badge.isValid() && !text.isEmpty()) {
        const bool isSelected = option.state & QStyle::State_Selected;
        const QVariant fill = index.data(TableModel::FillRole);
        return paintBadge(*painter, layout.text, text, badge.toBool(),
            fill.isValid()   ? badgeColorsIn(fill.value<QColor>())
                : isSelected ? badgeColorsOn(ink)
                             : badgeColors(option.palette, m_faded));
    }
    painter->setPen(ink);
    const auto alignment = static_cast<Qt::Alignment>(option.displayAlignment);
    if (alignment & Qt::AlignRight)
        drawTabular(*painter, layout.text, text, option.fontMetrics);
    else
        painter->drawText(layout.text,
            static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine),
            option.fontMetrics.elidedText(oneLine(text), Qt::ElideRight, layout.text.width()));
}

void CellDelegate::paintBar(QPainter* painter, const QStyleOptionViewItem& option, double used,
    const QString& text, const QColor& ink) const
{
    const BarLayout layout = layoutBar(
        option.rect, used, tabularWidth(text, option.fontMetrics), option.direction == Qt::RightToLeft);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    QColor track = ink;
    track.setAlpha(45);
    const double radius = layout.track.height() / 2.0;
    painter->setBrush(track);
    painter->drawRoundedRect(layout.track, radius, radius);
    if (!layout.fill.isEmpty()) {
        painter->setBrush(ink);
        painter->setClipRect(layout.fill);
        painter->drawRoundedRect(layout.track, radius, radius);
        painter->setClipping(false);
    }
    painter->setPen(ink);
    drawTabular(*painter, layout.text, text, option.fontMetrics);
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& given, const QModelIndex& index) const
{
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    option.rect = QRect(0, 0, 10'000, rowHeight(option.fontMetrics)); // views leave it empty
    const CellLayout layout = layoutOf(option, index);
    const int beside = option.rect.width() - layout.text.width();
    const QString shown = oneLine(index.data(Qt::DisplayRole).toString());
    const bool isBadge = index.data(TableModel::BadgeRole).isValid();
    const int text =
        isBadge ? badgeWidth(shown, option.fontMetrics) : tabularWidth(shown, option.fontMetrics);
    return {text + std::max(beside, 2 * cellPadding) + 4, rowHeight(option.fontMetrics)};
}

bool CellDelegate::helpEvent(
    QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& given, const QModelIndex& index)
{
    if (event->type() != QEvent::ToolTip || !index.isValid())
        return QStyledItemDelegate::helpEvent(event, view, given, index);
    QString tip = index.data(Qt::ToolTipRole).toString();
    if (tip.isEmpty()) {
        QStyleOptionViewItem option = given;
        initStyleOption(&option, index);
        const QString text = index.data(Qt::DisplayRole).toString();
        const bool cut =
            tabularWidth(oneLine(text), option.fontMetrics) > layoutOf(option, index).text.width();
        if (cut || text.contains(QLatin1Char('\n')))
            tip = htmlText(text).replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    }
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event->globalPos(), QStringLiteral("<qt>%1</qt>").arg(tip), view);
    return true;
}

} // namespace lockscope::ui
