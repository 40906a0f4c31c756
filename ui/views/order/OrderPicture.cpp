// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/OrderPicture.h"

#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"

#include <QPainter>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int pictureMargin = 10;
constexpr int radius = 6;
constexpr double arrowHead = 9; // of an arrow

/// "63 billing waits for it", on the line from `first` to `second`.
QString lineText(const order::Leg& leg)
{
    const QString times = leg.count == 1 ? u"once"_s : u"%1 times"_s.arg(leg.count);
    return leg.waited > 0 ? u"%1, %2, waiting"_s.arg(leg.witness.who(), times)
                          : u"%1, %2"_s.arg(leg.witness.who(), times);
}

} // namespace

OrderPicture::OrderPicture(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(u"orderPicture"_s);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
}

void OrderPicture::show(const std::optional<order::PotentialDeadlock>& found)
{
    m_found = found;
    QStringList words;
    if (found)
        for (const order::Leg& leg : found->legs)
            words << legText(leg);
    setAccessibleName(found ? inOneLine(found->title()) : u"No order is selected"_s);
    setAccessibleDescription(inOneLine(words.join(u' ')));
    updateGeometry();
    update();
}

int OrderPicture::rowHeight() const
{
    return fontMetrics().height() * 5 / 2;
}

QSize OrderPicture::minimumSizeHint() const
{
    const int legs = m_found ? int(m_found->legs.size()) : 2;
    return {360, rowHeight() * (legs + 1) + 2 * pictureMargin};
}

QSize OrderPicture::sizeHint() const
{
    return minimumSizeHint() + QSize(200, 0);
}

void OrderPicture::paintEvent(QPaintEvent*)
{
    if (!m_found || m_found->legs.empty())
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& colors = theme::colors(palette());
    const auto count = int(m_found->legs.size());
    const int height = rowHeight();
    const double column = double(width() - 2 * pictureMargin) / count;
    const auto boxOf = [&](int lock) {
        return QRectF(pictureMargin + lock * column + 6, pictureMargin, column - 12, height * 0.8);
    };
    for (int i = 0; i < count; ++i) {
        const QRectF box = boxOf(i);
        theme::paintBox(painter, box, radius, QPen(colors.border, 1.2), colors.card);
        painter.setPen(QPen(colors.border, 1, Qt::DotLine));
        painter.drawLine(QPointF(box.center().x(), box.bottom()),
            QPointF(box.center().x(), this->height() - pictureMargin));
        painter.setPen(palette().color(QPalette::WindowText));
        theme::paintText(painter, box.adjusted(6, 0, -6, 0), m_found->legs[std::size_t(i)].first,
            Qt::ElideMiddle, Qt::AlignCenter);
    }
    for (int i = 0; i < count; ++i) {
        const order::Leg& leg = m_found->legs[std::size_t(i)];
        const double y = pictureMargin + height * (i + 1.6);
        const QPointF from(boxOf(i).center().x(), y);
        const QPointF to(boxOf((i + 1) % count).center().x(), y);
        const QColor color = colors.series[std::size_t(i) % colors.series.size()];
        painter.setPen(QPen(color, 2, leg.waited > 0 ? Qt::DashLine : Qt::SolidLine));
        const double way = to.x() > from.x() ? 1 : -1;
        painter.drawLine(from, to - QPointF(way * arrowHead, 0));
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawEllipse(from, 4, 4);
        painter.drawPolygon(QPolygonF{to, to + QPointF(-way * arrowHead, -arrowHead / 2),
            to + QPointF(-way * arrowHead, arrowHead / 2)});
        painter.setPen(palette().color(QPalette::WindowText));
        const QRectF space(std::min(from.x(), to.x()) + arrowHead, y - height * 0.75,
            std::abs(to.x() - from.x()) - 2 * arrowHead, height * 0.7);
        theme::paintText(painter, space, lineText(leg), Qt::ElideRight, Qt::AlignHCenter | Qt::AlignBottom);
    }
    theme::paintFocus(painter, *this);
}

} // namespace lockscope::ui
