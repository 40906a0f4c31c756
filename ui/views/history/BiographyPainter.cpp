// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/BiographyPainter.h"

#include "ui/kit/charts/TimeScale.h"
#include "ui/kit/theme/Theme.h"

#include <QPainter>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int widestGutter = 190;
constexpr int laneTickSpace = 76;
constexpr double minBar = 2; // pixels: what was seen once is seen
constexpr auto middleLeft = static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);

} // namespace

BiographyPainter::BiographyPainter(const record::Biography& biography,
    const std::vector<BiographyLane>& lanes, const QPalette& palette, const QFont& font)
    : m_biography(biography)
    , m_lanes(lanes)
    , m_palette(palette)
    , m_font(font)
    , m_small(theme::scaled(font, 0.85))
{
    const QFontMetrics metrics(m_font);
    m_axis = QFontMetrics(m_small).height() + 10;
    m_lane = metrics.height() + 8;
    int widest = 0;
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        QFont written = m_font;
        written.setWeight(m_lanes[i].isHeading ? QFont::DemiBold : QFont::Normal);
        widest = std::max(widest, QFontMetrics(written).horizontalAdvance(m_lanes[i].name));
        for (const qsizetype line : m_lanes[i].lines)
            m_laneOf.insert(line, static_cast<int>(i));
    }
    m_gutter = std::min(widest + 20, widestGutter);
}

QRectF BiographyPainter::barOf(const record::HistoryLine& line, int laneTop, const TimeScale& scale) const
{
    const double left = std::max(scale.xOf(line.from.us), -double(scale.width));
    const double right = std::min(scale.xOf(line.to.us), 2.0 * scale.width);
    return {m_gutter + left, double(laneTop) + 4, std::max(right - left, minBar), double(m_lane) - 8};
}

void BiographyPainter::paintGaps(QPainter& painter, const QRect& area, const TimeScale& scale) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    for (const record::Coverage::Gap& gap : m_biography.coverage.gaps) {
        const auto shown = scale.visible(gap.from.us, gap.to.us);
        if (!shown)
            continue;
        const QRectF band(
            area.left() + shown->left, area.top(), std::max(1.0, shown->width()), area.height());
        painter.fillRect(band, QBrush(colors.border, Qt::DiagCrossPattern));
        painter.setFont(m_small);
        const QString text = u"not recorded"_s;
        if (const QFontMetrics metrics(m_small); metrics.horizontalAdvance(text) + 10 < band.width()) {
            const QRectF label(
                band.left() + 4, area.top() + 2, metrics.horizontalAdvance(text) + 4, metrics.height() + 2);
            painter.fillRect(label, m_palette.color(QPalette::Base));
            painter.setPen(colors.muted);
            painter.drawText(label, static_cast<int>(Qt::AlignCenter), text);
        }
    }
}

void BiographyPainter::paintLine(
    QPainter& painter, const record::HistoryLine& line, int laneTop, const TimeScale& scale) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    const QRectF bar = barOf(line, laneTop, scale);
    if (line.gone) {
        // Between the last poll that saw it and the first that did not.
        const double end = m_gutter + std::min(scale.xOf(line.gone->us), 2.0 * scale.width);
        painter.setPen(QPen(colors.muted, 1, Qt::DotLine));
        painter.drawLine(QPointF(bar.right(), bar.center().y()), QPointF(end, bar.center().y()));
        painter.drawLine(QPointF(end, bar.top() + 3), QPointF(end, bar.bottom() - 3));
    }
    if (line.waited) {
        painter.fillRect(bar, colors.amberFill);
        painter.fillRect(bar, QBrush(colors.amber, Qt::BDiagPattern));
        painter.setPen(colors.amber);
    } else {
        QColor fill = colors.series[0];
        fill.setAlphaF(colors.dark ? 0.55F : 0.35F);
        painter.fillRect(bar, fill);
        painter.setPen(colors.series[0]);
    }
    painter.drawLine(bar.topLeft(), bar.topRight());
    painter.drawLine(bar.bottomLeft(), bar.bottomRight());
    if (line.fromExact)
        painter.drawLine(bar.topLeft(), bar.bottomLeft());
    if (line.gone)
        painter.drawLine(bar.topRight(), bar.bottomRight());
    // A mode is of use where it can be read.
    const double left = std::max(bar.left(), double(m_gutter));
    const QRectF space(left + 4, bar.top(), bar.right() - left - 8, bar.height());
    painter.setFont(m_small);
    if (!line.mode.isEmpty() && QFontMetrics(m_small).horizontalAdvance(line.mode) < space.width()) {
        if (line.waited)
            painter.fillRect(QRectF(space.left() - 2, space.top() + 1,
                                 QFontMetrics(m_small).horizontalAdvance(line.mode) + 4, space.height() - 2),
                colors.amberFill);
        painter.setPen(m_palette.color(QPalette::Text));
        painter.drawText(space, middleLeft, line.mode);
    }
}

/// Paints each from the lane of the former holder down, or up, to that of the new one.
void BiographyPainter::paintHandOvers(
    QPainter& painter, const QRect& area, int top, const TimeScale& scale) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    for (const record::HandOver& handOver : m_biography.handOvers) {
        const double x = m_gutter + scale.xOf(handOver.at.us);
        if (x < m_gutter || x > m_gutter + scale.width)
            continue;
        const qsizetype before = handOver.from.value_or(handOver.wait.value_or(handOver.to));
        const double from = top + m_laneOf.value(before) * m_lane + m_lane / 2.0;
        const double to = top + m_laneOf.value(handOver.to) * m_lane + m_lane / 2.0;
        if (std::max(from, to) < area.top() || std::min(from, to) > area.bottom())
            continue;
        painter.setPen(QPen(colors.accent, 1.5));
        painter.drawLine(QPointF(x, from), QPointF(x, to));
        const double way = to >= from ? -1 : 1;
        painter.setBrush(colors.accent);
        painter.setPen(Qt::NoPen);
        const QPointF head[] = {{x, to}, {x - 4, to + way * 6}, {x + 4, to + way * 6}};
        painter.drawPolygon(head, 3);
    }
}

void BiographyPainter::paintLanes(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    painter.save();
    painter.setClipRect(area);
    const QRect lanes(area.left() + m_gutter, std::max(area.top(), top), scale.width,
        std::min(area.bottom() - std::max(area.top(), top) + 1, static_cast<int>(m_lanes.size()) * m_lane));
    painter.setClipRect(QRect(area.left() + m_gutter, area.top(), scale.width, area.height()));
    paintGaps(painter, lanes, scale);
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const int y = top + static_cast<int>(i) * m_lane;
        if (y + m_lane < area.top() || y > area.bottom())
            continue;
        for (const qsizetype each : m_lanes[i].lines) {
            const record::HistoryLine& line = m_biography.lines[each];
            if (line.from.us <= scale.to && line.gone.value_or(line.to).us >= scale.from)
                paintLine(painter, line, y, scale);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing);
    paintHandOvers(painter, area, top, scale);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setClipRect(area);
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const BiographyLane& lane = m_lanes[i];
        const int y = top + static_cast<int>(i) * m_lane;
        if (y + m_lane < area.top() || y > area.bottom())
            continue;
        painter.setPen(colors.grid);
        painter.drawLine(area.left(), y + m_lane - 1, area.left() + m_gutter + scale.width, y + m_lane - 1);
        QFont font = m_font;
        if (lane.isHeading)
            font.setWeight(QFont::DemiBold);
        painter.setFont(font);
        painter.setPen(lane.isHeading ? colors.muted : m_palette.color(QPalette::Text));
        const QRect name(area.left() + (lane.isHeading ? 6 : 12), y, m_gutter - 16, m_lane);
        theme::paintText(painter, name, lane.name, Qt::ElideMiddle);
    }
    painter.restore();
}

void BiographyPainter::paintAxis(
    QPainter& painter, const QRect& area, const TimeScale& scale, ServerTime around) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    painter.fillRect(area, m_palette.color(QPalette::Base));
    painter.setFont(m_small);
    painter.setPen(colors.muted);
    paintTicks(painter, area, m_gutter, scale, axisTicks(scale, laneTickSpace));
    if (around.us >= scale.from && around.us <= scale.to) {
        const double x = area.left() + m_gutter + scale.xOf(around.us);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colors.red);
        const QPointF mark[] = {{x, double(area.bottom()) + 1}, {x - 5, double(area.bottom()) - 6},
            {x + 5, double(area.bottom()) - 6}};
        painter.drawPolygon(mark, 3);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    painter.setPen(colors.border);
    painter.drawLine(area.left(), area.bottom(), area.right(), area.bottom());
}

} // namespace lockscope::ui
