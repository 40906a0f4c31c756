// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/delegates/CellDelegate.h"

#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/delegates/GlyphPainter.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/HtmlText.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace lockscope::ui {

namespace {

int digitWidth(const QFontMetrics& metrics)
{
    int widest = 0;
    for (char16_t digit = u'0'; digit <= u'9'; ++digit)
        widest = std::max(widest, metrics.horizontalAdvance(QChar(digit)));
    return widest;
}

void drawTabular(QPainter& painter, const QRect& rect, const QString& text)
{
    const QFontMetrics metrics = painter.fontMetrics();
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

QBrush rowFill(Tone tone, const QPalette& palette)
{
    const ThemeColors& colors = theme::colors(palette);
    return tone == Tone::Red ? colors.redFill : tone == Tone::Amber ? colors.amberFill : QBrush();
}

/// A cell is one line; the tooltip and the detail pane keep the breaks.
QString oneLine(QString text)
{
    constexpr qsizetype enough = 400;
    text.truncate(enough);
    return text.simplified();
}

} // namespace

int tabularWidth(const QString& text, const QFontMetrics& metrics)
{
    const int digit = digitWidth(metrics);
    int width = 0;
    for (const QChar c : text)
        width += c.isDigit() ? digit : metrics.horizontalAdvance(c);
    return width;
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

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const
{
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    option.text.clear();
    option.icon = {};
    option.features &= ~QStyleOptionViewItem::HasCheckIndicator;
    if (const QVariant rowTone = index.data(TableModel::RowToneRole); rowTone.isValid() && !m_faded)
        option.backgroundBrush = rowFill(rowTone.value<Tone>(), option.palette);
    const QWidget* widget = option.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &option, painter, widget);

    painter->save();
    if (index.data(TableModel::EmphasisRole).toBool()) {
        option.font.setBold(true);
        option.fontMetrics = QFontMetrics(option.font);
    }
    painter->setFont(option.font);
    const QColor ink = inkOf(option, index);
    const QString text = index.data(Qt::DisplayRole).toString();
    const QVariant bar = index.data(TableModel::BarRole);
    if (bar.isValid()) {
        paintBar(painter, option, bar.toDouble(), text, ink);
        painter->restore();
        return;
    }

    const CellLayout layout = layoutOf(option, index);
    if (const QVariant open = index.data(TableModel::ExpandedRole); open.isValid() && !layout.arrow.isEmpty())
        paintArrow(*painter, open.toBool(), layout.arrow, ink);
    if (const QVariant glyph = index.data(TableModel::GlyphRole); glyph.isValid())
        paintGlyph(*painter, glyph.value<Glyph>(), layout.glyph, ink);
    if (const QVariant badge = index.data(TableModel::BadgeRole); badge.isValid() && !text.isEmpty()) {
        const bool isSelected = option.state & QStyle::State_Selected;
        paintBadge(*painter, layout.text, text, badge.toBool(),
            isSelected ? badgeColorsOn(ink) : badgeColors(option.palette, m_faded));
        painter->restore();
        return;
    }
    painter->setPen(ink);
    const auto alignment = static_cast<Qt::Alignment>(option.displayAlignment);
    if (alignment & Qt::AlignRight) {
        const bool fits = tabularWidth(text, option.fontMetrics) <= layout.text.width();
        if (fits)
            drawTabular(*painter, layout.text, text);
        else
            painter->drawText(layout.text, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
                option.fontMetrics.elidedText(text, Qt::ElideRight, layout.text.width()));
    } else {
        painter->drawText(layout.text,
            static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine),
            option.fontMetrics.elidedText(oneLine(text), Qt::ElideRight, layout.text.width()));
    }
    painter->restore();
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
    if (tabularWidth(text, option.fontMetrics) <= layout.text.width())
        drawTabular(*painter, layout.text, text);
    else
        painter->drawText(layout.text, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
            option.fontMetrics.elidedText(text, Qt::ElideRight, layout.text.width()));
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& given, const QModelIndex& index) const
{
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    if (index.data(TableModel::EmphasisRole).toBool()) {
        option.font.setBold(true);
        option.fontMetrics = QFontMetrics(option.font);
    }
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
