// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/models/TableModel.h"

#include <QRect>
#include <QStyledItemDelegate>

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

/// Draws every cell of a TableModel: outline arrow, glyph, elided text with digits of equal width, lease bar.
/// All rows are of one height. A cut text shows itself whole as a tooltip.
class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// The column with the arrows, −1 = none.
    void setOutlineColumn(int column) { m_outlineColumn = column; }
    int outlineColumn() const { return m_outlineColumn; }
    /// Greys everything out: the data is old.
    void setFaded(bool faded) { m_faded = faded; }

    static int rowHeight(const QFontMetrics& metrics) { return metrics.height() + 9; }
    /// Returns the places of the parts of the cell at `index`; also for clicks on the arrow.
    CellLayout layoutOf(const QStyleOptionViewItem& option, const QModelIndex& index) const;

    void paint(
        QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
        const QModelIndex& index) override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintBar(QPainter* painter, const QStyleOptionViewItem& option, double used, const QString& text,
        const QColor& ink) const;
    void paintLane(QPainter* painter, const QStyleOptionViewItem& option, const QVariantList& heights) const;
    QColor inkOf(const QStyleOptionViewItem& option, const QModelIndex& index) const;

    int m_outlineColumn = -1;
    bool m_faded = false;
};

QColor toneColor(Tone tone, const QPalette& palette); ///< of words
QBrush toneFill(Tone tone, const QPalette& palette); ///< below them; none for what is not alarming

/// Width of `text` when all digits are as wide as the widest; so that numbers of one column stand in columns.
int tabularWidth(const QString& text, const QFontMetrics& metrics);

} // namespace lockscope::ui
