// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/blocking/GraphNode.h"

#include "core/base/ShownText.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/models/FrameworkCells.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QCursor>
#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>
#include <QStringList>
#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace lockscope::ui {

namespace {

constexpr double nodeCorner = 13; // of a head's outline

/// Returns a font that looks as large at this scale as at 1; at larger scales it grows with the rest.
QFont firstFont(double scale)
{
    return theme::scaled(0.95 / std::min(scale, 1.0), QFont::DemiBold);
}

QFont secondFont(double scale)
{
    return theme::scaled(0.85 / std::min(scale, 1.0));
}

QString nodeTip(const BlockingRow& row)
{
    QStringList parts{row.diagnosis.summary, row.diagnosis.remedy};
    if (row.framework)
        parts.prepend(frameworkTip(*row.framework));
    return parts.join(QStringLiteral("\n\n"));
}

} // namespace

GraphNode::GraphNode()
{
    setFlag(ItemIsSelectable);
    setCursor(Qt::PointingHandCursor);
    setZValue(1);
}

void GraphNode::setContent(const BlockingRow& row, Shape shape, AgeLevel level, const QString& word)
{
    if (row == m_row && shape == m_shape && level == m_level && word == m_word)
        return;
    m_row = row;
    m_shape = shape;
    m_level = level;
    m_word = word;
    setToolTip(toolTipText(
        inLines(shape == Shape::Fold ? m_row.name + QLatin1Char(' ') + m_row.program : nodeTip(row))));
    update();
}

QRectF GraphNode::boundingRect() const
{
    return QRectF(QPointF(0, 0), size).adjusted(-2, -2, 8, 8);
}

QPainterPath GraphNode::outline() const
{
    QPainterPath path;
    const QRectF box(QPointF(0, 0), size);
    if (m_shape == Shape::Head) {
        const double middle = box.height() / 2;
        path.addPolygon(QPolygonF{QPointF(nodeCorner, 0), QPointF(box.width() - nodeCorner, 0),
            QPointF(box.width(), middle), QPointF(box.width() - nodeCorner, box.height()),
            QPointF(nodeCorner, box.height()), QPointF(0, middle), QPointF(nodeCorner, 0)});
    } else {
        path.addRoundedRect(box, 6, 6);
    }
    return path;
}

QRectF GraphNode::textArea() const
{
    const double beside = m_shape == Shape::Head ? nodeCorner + 2 : 8;
    return QRectF(QPointF(0, 0), size).adjusted(beside, 3, -beside, -3);
}

QStringList GraphNode::linesAt(double scale) const
{
    const QFontMetricsF first(firstFont(scale));
    const QFontMetricsF second(secondFont(scale));
    const QRectF area = textArea();
    // The lock's framework says more than the program's own name.
    const QString beside = m_row.framework ? m_row.framework->badge() : m_row.program;
    const QString whole = beside.isEmpty() ? m_row.name : m_row.name + QLatin1Char(' ') + beside;
    // The number identifies it: the program goes first.
    const bool fits = first.horizontalAdvance(m_row.name + QStringLiteral(" abc…")) <= area.width();
    QStringList lines{first.elidedText(inOneLine(fits ? whole : m_row.name), Qt::ElideRight, area.width())};
    if (m_word.isEmpty() || first.height() + second.height() > area.height() + 4)
        return lines;
    // The number and the age are never cut: the word before them goes, then the age's smaller unit.
    const QString sign = theme::levelSign(m_level) + QLatin1Char(' ');
    QString word = m_word;
    const auto isTooWide = [&] { return second.horizontalAdvance(sign + word) > area.width(); };
    if (isTooWide())
        word = word.section(
            QLatin1Char(' '), word.section(QLatin1Char(' '), 1, 1) == QStringLiteral("·") ? 2 : 1);
    if (isTooWide() && word.count(QLatin1Char(' ')) >= 3)
        word = word.section(QLatin1Char(' '), 0, -3);
    lines << second.elidedText(sign + word, Qt::ElideRight, area.width());
    return lines;
}

void GraphNode::paintNameAndBadge(QPainter& painter, const QRectF& area, Qt::AlignmentFlag upper) const
{
    const QFontMetricsF metrics(painter.font());
    painter.drawText(area, static_cast<int>(Qt::AlignLeft | upper) | Qt::TextDontClip, inOneLine(m_row.name));
    QRectF space = area;
    space.setLeft(area.left() + metrics.horizontalAdvance(inOneLine(m_row.name) + QLatin1Char(' ')));
    if (upper == Qt::AlignTop)
        space.setHeight(metrics.height());
    const QPalette palette = QGuiApplication::palette();
    paintBadge(painter, space, m_row.framework->badge(), m_row.framework->certain, badgeColors(palette));
}

void GraphNode::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const ThemeColors& colors = theme::colors();
    const QPalette palette = QGuiApplication::palette();
    const QColor ink = colors.text(m_level, palette);
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor edge = m_level == AgeLevel::Normal ? colors.border : ink;
    const double width = m_shape == Shape::Head ? 2.0 : 1.2;
    painter->setPen(QPen(isSelected() ? colors.accent : edge, isSelected() ? 2.8 : width));
    painter->setBrush(colors.fill(m_level));
    if (m_shape == Shape::Fold) {
        for (const double offset : {6.0, 3.0})
            painter->drawPath(outline().translated(offset, offset));
    }
    painter->drawPath(outline());

    const QStringList lines = linesAt(scale);
    const QRectF text = textArea();
    painter->setFont(firstFont(scale));
    painter->setPen(palette.color(QPalette::Text));
    const auto upper = lines.size() == 1 ? Qt::AlignVCenter : Qt::AlignTop;
    if (m_row.framework && lines.first().size() > m_row.name.size())
        paintNameAndBadge(*painter, text, upper);
    else
        painter->drawText(text, static_cast<int>(Qt::AlignLeft | upper) | Qt::TextDontClip, lines.first());
    if (lines.size() == 1)
        return;
    painter->setFont(secondFont(scale));
    painter->setPen(m_level == AgeLevel::Normal ? colors.muted : ink);
    painter->drawText(
        text, static_cast<int>(Qt::AlignLeft | Qt::AlignBottom) | Qt::TextDontClip, inOneLine(lines.last()));
}

} // namespace lockscope::ui
