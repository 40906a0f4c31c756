// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/TimelinePainter.h"

#include "ui/kit/theme/Theme.h"
#include "ui/views/scenarios/RunText.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int hatchStep = 6;
constexpr int minLabel = 48; ///< pixels, below which a span gets no name
constexpr int lineFlags = static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine;
constexpr int wordsFlags = static_cast<int>(Qt::AlignLeft | Qt::AlignTop) | Qt::TextWordWrap;

QRect barOf(const QRect& lane)
{
    return {lane.x(), lane.y() + 3, lane.width(), lane.height() - 10};
}

/// Lines of our own: not every kind of paper knows brush patterns. Clipped by arithmetic for the same reason.
void hatch(QPainter& painter, const QRect& box, int step, bool rising)
{
    QList<QLineF> lines;
    const double height = box.height();
    // On a grid of the whole picture, so that neighbours fit together.
    for (double foot = std::floor((box.left() - height) / step) * step; foot < box.right() + 1;
         foot += step) {
        const double from = std::max<double>(foot, box.left());
        const double to = std::min<double>(foot + height, box.right() + 1);
        if (from >= to)
            continue;
        const double low = box.top() + height;
        if (rising)
            lines.append({from, low - (from - foot), to, low - (to - foot)});
        else
            lines.append({from, box.top() + (from - foot), to, box.top() + (to - foot)});
    }
    painter.drawLines(lines);
}

QColor waitingColor(const ThemeColors& colors)
{
    return colors.dark ? QColor(0x7f, 0x9a, 0xbd) : QColor(0x70, 0x89, 0xa8);
}

QColor hatchColor(const ThemeColors& colors)
{
    return colors.dark ? QColor(0x2b, 0x39, 0x4c) : QColor(0xe3, 0xea, 0xf3);
}

constexpr int tickSpace = 90;
constexpr int lossEdge = 4; ///< below the axis

QColor inkOn(const QColor& fill)
{
    const double light = 0.299 * fill.redF() + 0.587 * fill.greenF() + 0.114 * fill.blueF();
    return light > 0.55 ? QColor(0x10, 0x14, 0x18) : QColor(Qt::white);
}

constexpr int swatchWidth = 26;

} // namespace

TimelinePainter::TimelinePainter(const Timeline& timeline, const QPalette& palette, const QFont& font)
    : m_timeline(timeline)
    , m_palette(palette)
    , m_font(font)
    , m_small(theme::scaled(font, 0.82))
{
    const QFontMetrics metrics(m_font);
    m_lane = m_leastLane = metrics.height() + 8;
    m_axis = QFontMetrics(m_small).height() + 8;
    for (const TimelineLane& lane : timeline.lanes)
        m_gutter = std::max(m_gutter, metrics.horizontalAdvance(laneName(lane)));
    // In the letters of a presentation, too, a name is whole.
    const int number = QFontMetrics(m_small).horizontalAdvance(u"max 9999"_s) + 18; // of Density
    m_gutter = std::clamp(m_gutter + 18, timeline.losses.empty() ? 60 : std::max(60, number),
        std::max(150, metrics.height() * 9));
}

/// Returns the size of a mark's head: grows with the letters.
double TimelinePainter::markSize() const
{
    return std::max(10.0, QFontMetrics(m_small).height() * 0.7);
}

void TimelinePainter::fitLanes(int space)
{
    const int lanes = std::max(1, static_cast<int>(m_timeline.lanes.size()));
    m_lane = std::clamp(space / lanes, m_leastLane, m_leastLane * 2);
}

QColor TimelinePainter::colorOf(LaneState state) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    const QColor all[]{colors.muted, colors.other, colors.series[0], waitingColor(colors), colors.muted};
    return all[static_cast<std::size_t>(state)];
}

void TimelinePainter::paintPiece(
    QPainter& painter, const QRect& lane, int x, int width, LaneState state) const
{
    const QRect bar = barOf(lane);
    const QColor color = colorOf(state);
    QRect box(x, bar.y(), width, bar.height());
    if (state == LaneState::Working) {
        const int thickness = std::max(4, lane.height() / 6);
        box = QRect(x, bar.center().y() + 1 - thickness / 2, width, thickness);
    }
    if (state == LaneState::Dead) {
        painter.setPen(QPen(color, 1));
        hatch(painter, box, hatchStep, true);
        hatch(painter, box, hatchStep, false);
        return;
    }
    painter.fillRect(box, color);
    if (state == LaneState::Waiting && width > 3) {
        painter.setPen(QPen(hatchColor(theme::colors(m_palette)), 1));
        hatch(painter, box, hatchStep, true);
    }
}

void TimelinePainter::paintLabel(
    QPainter& painter, const QRect& lane, const TimelineLane& of, const LanePiece& piece) const
{
    if (!piece.span || piece.width < minLabel
        || (piece.state != LaneState::Waiting && piece.state != LaneState::Holding))
        return;
    const QString name = of.subjects.value(static_cast<int>(piece.span->subject));
    const QRect bar = barOf(lane);
    const QFontMetrics metrics(m_small);
    const int left = m_timeline.isStepped() ? 16 : 4; // behind the step's dot
    const QString text = metrics.elidedText(name, Qt::ElideRight, piece.width - left - 4);
    const QRect box(piece.x + left, bar.y(), metrics.horizontalAdvance(text) + 2, bar.height());
    // On its own ground, so that the hatching does not run through the letters.
    painter.fillRect(box.adjusted(-2, 0, 1, 0), colorOf(piece.state));
    painter.setFont(m_small);
    painter.setPen(inkOn(colorOf(piece.state)));
    painter.drawText(box, lineFlags, text);
}

void TimelinePainter::paintSection(
    QPainter& painter, const QRect& lane, int x, int width, bool overlaps) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    const int bottom = lane.bottom() - 1;
    const int height = std::min(lane.height() / 5 + 1, 7);
    if (!overlaps) {
        painter.fillRect(
            QRect(x, bottom - height / 2 + 1, width, height / 2), m_palette.color(QPalette::Text));
        return;
    }
    const QRect box(x, bottom - height + 1, std::max(width, 2), height);
    painter.fillRect(box, colors.red);
    if (width > 5) {
        painter.setPen(QPen(colors.redFill, 1));
        hatch(painter, box, 4, false);
    }
}

void TimelinePainter::paintSections(QPainter& painter, const TimelineLane& lane, const QRect& area,
    const TimeScale& scale, Losses losses) const
{
    for (const PixelRun& run : pixelsOf(lane.sections, scale))
        paintSection(painter, area, area.x() + run.x, run.width, false);
    for (const PixelRun& run : pixelsOf(lane.overlaps, scale)) {
        paintSection(painter, area, area.x() + run.x, run.width, true);
        // Both lanes are lit up, so that the eye finds the pair.
        QColor light = theme::colors(m_palette).red;
        light.setAlphaF(0.22F);
        if (run.width > 2 && losses == Losses::Marked)
            painter.fillRect(QRect(area.x() + run.x, area.y(), run.width, area.height()), light);
    }
}

void TimelinePainter::paintMark(QPainter& painter, const QRect& lane, double x, MarkKind kind) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    const bool isLoss = m_timeline.isLoss(kind);
    const QColor color = isLoss ? colors.red : m_palette.color(QPalette::Text);
    const double size = markSize();
    const QRectF head(x - size / 2, lane.y() + 1, size, size + 1);
    painter.setPen(QPen(color, 1.5));
    painter.drawLine(QPointF(x, head.bottom()), QPointF(x, lane.bottom() - 4));
    painter.setBrush(isLoss ? color : colors.card);
    painter.drawRect(head);
    painter.setBrush(Qt::NoBrush);
    QFont font = m_small;
    font.setPixelSize(static_cast<int>(size) - 1);
    font.setWeight(QFont::Bold);
    painter.setFont(font);
    painter.setPen(isLoss ? inkOn(color) : color);
    painter.drawText(head, static_cast<int>(Qt::AlignCenter) | Qt::TextSingleLine, QString(markLetter(kind)));
}

std::optional<TimelinePainter::Density> TimelinePainter::densityOn(const TimeScale& scale) const
{
    Density density;
    bool isDense = false;
    for (const TimelineLane& lane : m_timeline.lanes) {
        density.lanes.push_back(lossColumnsOf(m_timeline, lane, scale));
        density.maximum = std::max(density.maximum, density.lanes.back().maximum());
        isDense = isDense || density.lanes.back().total() * (markSize() + 1) > scale.width;
    }
    return isDense ? std::optional(std::move(density)) : std::nullopt;
}

/// Paints a bar for each column: the more was lost there, the higher.
void TimelinePainter::paintDensity(QPainter& painter, const LossColumns& columns, int maximum,
    const QRect& area, const TimeScale& scale) const
{
    constexpr int minBar = 3; ///< one loss beside hundreds is seen
    const QColor red = theme::colors(m_palette).red;
    for (std::size_t i = 0; i < columns.counts.size(); ++i) {
        if (columns.counts[i] == 0)
            continue;
        const qint64 begin = (columns.first + static_cast<qint64>(i)) * columns.length;
        const int left = scale.pixelOf(begin);
        const int right = scale.pixelOf(begin + columns.length);
        const int height = std::max(minBar, columns.counts[i] * (area.height() - 3) / maximum);
        painter.fillRect(area.x() + left, area.bottom() - height, std::max(1, right - left - 1), height, red);
    }
}

void TimelinePainter::paintMarks(QPainter& painter, const TimelineLane& lane, const QRect& area,
    const TimeScale& scale, Losses losses) const
{
    const auto first = std::lower_bound(lane.marks.begin(), lane.marks.end(), scale.from,
        [](const LaneMark& each, qint64 from) { return each.at < from; });
    const auto last = std::upper_bound(
        first, lane.marks.end(), scale.to, [](qint64 to, const LaneMark& each) { return to < each.at; });
    const ThemeColors& colors = theme::colors(m_palette);
    int ticked = -1;
    int lit = -1;
    for (auto mark = first; mark != last; ++mark) {
        const int x = scale.pixelOf(mark->at);
        const bool isLoss = m_timeline.isLoss(mark->kind);
        if (std::exchange(isLoss ? lit : ticked, x) == x || (isLoss && losses == Losses::Counted))
            continue;
        // A loss has the whole height: it is seen from the last row.
        if (isLoss)
            painter.fillRect(QRect(area.x() + x, area.y() + 1, 2, area.height() - 2), colors.red);
        else
            painter.fillRect(QRect(area.x() + x, area.bottom() - 9, 1, 5), m_palette.color(QPalette::Text));
    }
    if (losses == Losses::Counted)
        return;
    double free = -markSize(); // the heads before end there
    for (auto mark = first; mark != last; ++mark) {
        const double x = scale.xOf(mark->at);
        if (x < free)
            continue;
        paintMark(painter, area, area.x() + x, mark->kind);
        free = x + markSize() + 1;
    }
}

void TimelinePainter::paintLane(QPainter& painter, const TimelineLane& lane, const QRect& area,
    const TimeScale& scale, Losses losses) const
{
    for (const LanePiece& piece : piecesOf(lane.spans, scale)) {
        paintPiece(painter, area, area.x() + piece.x, piece.width, piece.state);
        LanePiece placed = piece;
        placed.x += area.x();
        paintLabel(painter, area, lane, placed);
    }
    paintSections(painter, lane, area, scale, losses);
    paintMarks(painter, lane, area, scale, losses);
    if (lane.isCut && !lane.spans.empty() && lane.spans.back().to < scale.to) {
        const int x = std::max(0, int(scale.xOf(lane.spans.back().to)) + 6);
        painter.setFont(m_small);
        painter.setPen(theme::colors(m_palette).muted);
        theme::paintText(painter, area.adjusted(x, 0, 0, 0), u"log full: not known from here on"_s);
    }
}

void TimelinePainter::paintLanes(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto density = densityOn(scale);
    const int first = std::max(0, (area.top() - top) / m_lane);
    const int count = static_cast<int>(m_timeline.lanes.size());
    for (int i = first; i < count && top + i * m_lane <= area.bottom(); ++i) {
        const TimelineLane& lane = m_timeline.lanes[static_cast<std::size_t>(i)];
        const QRect row(area.x(), top + i * m_lane, area.width(), m_lane);
        if (i % 2 == 1)
            painter.fillRect(row, m_palette.color(QPalette::AlternateBase));
        painter.setFont(m_font);
        const bool isHurt = !lane.overlaps.empty()
            || std::any_of(lane.marks.begin(), lane.marks.end(),
                [this](const LaneMark& mark) { return m_timeline.isLoss(mark.kind); });
        painter.setPen(!isHurt ? m_palette.color(QPalette::Text) : colors.red);
        theme::paintText(painter, QRect(area.x() + 8, row.y(), m_gutter - 14, m_lane), laneName(lane));
        const QRect place(area.x() + m_gutter, row.y(), scale.width, m_lane);
        paintLane(painter, lane, place, scale, density ? Losses::Counted : Losses::Marked);
        if (density)
            paintDensity(
                painter, density->lanes[static_cast<std::size_t>(i)], density->maximum, place, scale);
    }
    if (m_timeline.isStepped())
        paintSteps(painter, area, top, scale);
    painter.fillRect(QRect(area.x() + m_gutter - 1, area.y(), 1, area.height()), colors.border);
}

/// Paints which session did each step.
void TimelinePainter::paintSteps(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const
{
    constexpr double radius = 3.5;
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_timeline.steps.size(); ++i) {
        const double x = scale.xOf(static_cast<qint64>(i) * Timeline::stepLength);
        if (x < 0 || x > scale.width)
            continue;
        painter.fillRect(
            QRectF(area.x() + m_gutter + x, area.y(), 1, area.height()), theme::colors(m_palette).grid);
        const double middle = top + (m_timeline.steps[i].session - 0.5) * m_lane;
        painter.setPen(QPen(m_palette.color(QPalette::Base), 1.5));
        painter.setBrush(m_palette.color(QPalette::Text));
        painter.drawEllipse(QPointF(area.x() + m_gutter + x + radius + 4, middle - 2), radius, radius);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Each step's name above it, as far as there is space.
void TimelinePainter::paintStepAxis(QPainter& painter, const QRect& area, const TimeScale& scale) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    const double step = scale.xOf(scale.from + Timeline::stepLength);
    int free = 0;
    for (std::size_t i = 0; i < m_timeline.steps.size(); ++i) {
        const int x = static_cast<int>(scale.xOf(static_cast<qint64>(i) * Timeline::stepLength));
        if (x < free || x >= scale.width)
            continue;
        const QString& token = m_timeline.steps[i].token;
        const int width = QFontMetrics(m_small).horizontalAdvance(token) + 6;
        free = x + std::max(width, static_cast<int>(step) / 2);
        painter.fillRect(QRect(area.x() + m_gutter + x, area.bottom() - 4, 1, 5), colors.muted);
        painter.setPen(m_palette.color(QPalette::Text));
        painter.drawText(
            QRect(area.x() + m_gutter + x + 3, area.y(), width, area.height() - 3), lineFlags, token);
    }
}

/// Paints where something was lost; and, beside the axis, how much the highest bars stand for.
void TimelinePainter::paintLossEdge(QPainter& painter, const QRect& area, const TimeScale& scale) const
{
    const QColor red = theme::colors(m_palette).red;
    int last = -1;
    for (auto loss = std::lower_bound(m_timeline.losses.begin(), m_timeline.losses.end(), scale.from);
         loss != m_timeline.losses.end() && *loss <= scale.to; ++loss) {
        const int x = std::min(scale.pixelOf(*loss), scale.width - 1);
        if (x != std::exchange(last, x))
            painter.fillRect(QRect(area.x() + m_gutter + x, area.bottom() - lossEdge + 1, 2, lossEdge), red);
    }
    if (const auto density = densityOn(scale)) {
        painter.setPen(red);
        theme::paintText(painter, QRect(area.x() + 8, area.y(), m_gutter - 14, area.height() - 3),
            u"max %1"_s.arg(density->maximum));
    }
}

void TimelinePainter::paintAxis(QPainter& painter, const QRect& area, const TimeScale& scale) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    painter.fillRect(area, colors.card);
    painter.setFont(m_small);
    painter.fillRect(QRect(area.x(), area.bottom(), area.width(), 1), colors.border);
    paintLossEdge(painter, area, scale);
    if (m_timeline.isStepped())
        return paintStepAxis(painter, area, scale);
    painter.setPen(colors.muted);
    paintTicks(painter, area, m_gutter, scale, runTicks(scale, tickSpace));
}

int TimelinePainter::titleHeight(int width, Head head) const
{
    if (head == Head::None)
        return 0;
    const QFontMetrics title(theme::scaled(m_font, 1.35, QFont::DemiBold));
    const QFontMetrics text(m_font);
    const QRect space(0, 0, width - 16, 10'000);
    return 10 + title.boundingRect(space, wordsFlags, m_timeline.scenario->title).height() + 4
        + text.boundingRect(space, wordsFlags, m_timeline.verdict).height() + 10;
}

QSize TimelinePainter::wholeSize(int width, Head head) const
{
    return {width,
        titleHeight(width, head) + m_axis + static_cast<int>(m_timeline.lanes.size()) * m_lane + 6
            + legendHeight(width) + 8};
}

void TimelinePainter::paintWhole(QPainter& painter, const TimeScale& scale, Head withHead) const
{
    const int width = m_gutter + scale.width + 12;
    const QRect paper(QPoint(0, 0), wholeSize(width, withHead));
    painter.fillRect(paper, m_palette.color(QPalette::Base));
    const int head = titleHeight(width, withHead);
    if (withHead == Head::WithTitle) {
        painter.setPen(m_palette.color(QPalette::Text));
        painter.setFont(theme::scaled(m_font, 1.35, QFont::DemiBold));
        QRect used;
        painter.drawText(QRect(8, 10, width - 16, head), wordsFlags, m_timeline.scenario->title, &used);
        painter.setFont(m_font);
        painter.drawText(
            QRect(8, used.bottom() + 5, width - 16, head), wordsFlags, m_timeline.verdict, nullptr);
    }
    paintAxis(painter, QRect(0, head, width, m_axis), scale);
    const int lanes = static_cast<int>(m_timeline.lanes.size()) * m_lane;
    paintLanes(painter, QRect(0, head + m_axis, width, lanes), head + m_axis, scale);
    paintLegend(painter, QRect(0, head + m_axis + lanes + 6, width, legendHeight(width)));
}

/// One entry of the legend.
struct TimelinePainter::Swatch {
    enum class What { State, Section, Overlap, Mark };
    What what = What::State;
    int which = 0; ///< LaneState or MarkKind
    QString words;
};

QList<TimelinePainter::Swatch> TimelinePainter::swatches() const
{
    QList<Swatch> all;
    std::array<bool, markKinds> marks{};
    bool hasDead = false;
    bool hasSections = false;
    for (const TimelineLane& lane : m_timeline.lanes) {
        for (const LaneMark& mark : lane.marks)
            marks[static_cast<std::size_t>(mark.kind)] = true;
        hasDead = hasDead || std::any_of(lane.spans.begin(), lane.spans.end(), [](const LaneSpan& span) {
            return span.state == LaneState::Dead;
        });
        hasSections = hasSections || !lane.sections.empty();
    }
    for (const LaneState state : {LaneState::Working, LaneState::Holding, LaneState::Waiting})
        all.append({Swatch::What::State, static_cast<int>(state), laneStateName(state)});
    if (hasDead)
        all.append({Swatch::What::State, static_cast<int>(LaneState::Dead), laneStateName(LaneState::Dead)});
    if (hasSections)
        all.append({Swatch::What::Section, 0, u"critical section"_s});
    if (m_timeline.overlapCount() > 0)
        all.append({Swatch::What::Overlap, 0, u"two or more in one critical section"_s});
    for (std::size_t kind = 0; kind < marks.size(); ++kind)
        if (marks[kind])
            all.append({Swatch::What::Mark, static_cast<int>(kind), markName(static_cast<MarkKind>(kind))});
    return all;
}

/// Calls place(swatch, left, top) for each, in as many lines as it takes; returns their height.
template <class Place> int TimelinePainter::placeSwatches(int width, Place place) const
{
    const QFontMetrics metrics(m_small);
    const int line = std::max(metrics.height() + 6, 22);
    int x = 8;
    int y = 0;
    for (const Swatch& swatch : swatches()) {
        const int needs = swatchWidth + 6 + metrics.horizontalAdvance(swatch.words) + 18;
        if (x + needs > width && x > 8) {
            x = 8;
            y += line;
        }
        place(swatch, x, y);
        x += needs;
    }
    return y + line;
}

int TimelinePainter::legendHeight(int width) const
{
    return placeSwatches(width, [](const Swatch&, int, int) {});
}

void TimelinePainter::paintLegend(QPainter& painter, const QRect& area) const
{
    const QFontMetrics metrics(m_small);
    painter.setRenderHint(QPainter::Antialiasing, false);
    placeSwatches(area.width(), [&](const Swatch& swatch, int left, int top) {
        const QRect lane(area.x() + left, area.y() + top, swatchWidth, 22);
        switch (swatch.what) {
        case Swatch::What::State:
            paintPiece(painter, lane.adjusted(0, 2, 0, 2), lane.x(), swatchWidth,
                static_cast<LaneState>(swatch.which));
            break;
        case Swatch::What::Section:
        case Swatch::What::Overlap:
            paintSection(painter, lane.adjusted(0, -8, 0, -8), lane.x(), swatchWidth,
                swatch.what == Swatch::What::Overlap);
            break;
        case Swatch::What::Mark:
            paintMark(
                painter, lane.adjusted(0, 2, 0, 2), lane.center().x(), static_cast<MarkKind>(swatch.which));
            break;
        }
        painter.setFont(m_small);
        painter.setPen(m_palette.color(QPalette::WindowText));
        painter.drawText(
            QRect(lane.right() + 7, lane.y(), metrics.horizontalAdvance(swatch.words) + 4, lane.height()),
            lineFlags, swatch.words);
    });
}

} // namespace lockscope::ui
