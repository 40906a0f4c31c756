// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the signs of a timeline mean: the part of TimelinePainter that draws the legend.

#include "ui/scenario/TimelinePainter.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <array>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int swatchWidth = 26;

} // namespace

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
    for (const Lane& lane : m_timeline.lanes) {
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
            static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine, swatch.words);
    });
}

} // namespace lockscope::ui
