// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/tables/HeaderStyle.h"

#include "ui/kit/delegates/CellDelegate.h"

#include <QHeaderView>
#include <QStyleOption>

namespace lockscope::ui {

void HeaderStyle::applyTo(QHeaderView& header)
{
    auto* style = new HeaderStyle;
    style->setParent(&header);
    header.setStyle(style);
    header.setFixedHeight(heightFor(header.fontMetrics()));
}

int HeaderStyle::heightFor(const QFontMetrics& metrics)
{
    return CellDelegate::rowHeight(metrics) + 2;
}

/// The label's place is asked of the base style itself, not of its proxy: so it is moved while it is drawn.
void HeaderStyle::drawControl(
    ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
    if (element != CE_HeaderLabel || !header) {
        QProxyStyle::drawControl(element, option, painter, widget);
        return;
    }
    const int missing = cellPadding - pixelMetric(PM_HeaderMargin, option, widget);
    QStyleOptionHeader label = *header;
    const bool right = label.textAlignment.testFlag(Qt::AlignRight);
    label.rect.adjust(right ? 0 : missing, 0, right ? -missing : 0, 0);
    QProxyStyle::drawControl(element, &label, painter, widget);
}

} // namespace lockscope::ui
