// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/shell/timetravel/TimeBarStrip.h"

#include <QAction>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double edgePixels = 5; ///< round a mark of the range
constexpr double livePixels = 4; ///< round the right end

} // namespace

double TimeBarStrip::plotX(const QPointF& place) const
{
    const QRect plot = geometryNow().plot;
    return std::clamp(place.x() - plot.x(), 0.0, double(m_visibleRange.scale().width));
}

ServerTime TimeBarStrip::timeAt(double x) const
{
    const TimeScale& scale = m_visibleRange.scale();
    const ServerTime begin{scale.at(std::floor(x))};
    const ServerTime end{scale.at(std::floor(x) + 1) - 1};
    const record::RecordedSnapshot* const snapshot = m_known.at(end);
    const bool isHere = snapshot && snapshot->at >= begin;
    const ServerTime at = !isHere                              ? ServerTime{scale.at(x)}
        : snapshot->pollCount > 1 && snapshot->worst.isValid() ? snapshot->worst
                                                               : snapshot->at;
    return std::clamp(at, m_visibleRange.first(), m_visibleRange.last());
}

TimeBarStrip::Drag TimeBarStrip::dragAt(const QMouseEvent& event) const
{
    if (event.buttons() & Qt::RightButton || event.modifiers().testFlag(Qt::ShiftModifier))
        return Drag::Move;
    if (event.modifiers().testFlag(Qt::ControlModifier))
        return Drag::Zoom;
    const double x = event.position().x() - geometryNow().plot.x();
    if (m_range && std::abs(x - m_visibleRange.x(m_range->first)) <= edgePixels)
        return Drag::RangeBegin;
    if (m_range && std::abs(x - m_visibleRange.x(m_range->second)) <= edgePixels)
        return Drag::RangeEnd;
    return geometryNow().axis().contains(event.position().toPoint()) ? Drag::NewRange : Drag::Position;
}

void TimeBarStrip::choosePlace(double x)
{
    if (m_isLiveAvailable && m_visibleRange.isLastShown()
        && x >= m_visibleRange.x(m_visibleRange.last()) - livePixels) {
        if (m_position)
            Q_EMIT liveRequested();
        return;
    }
    const ServerTime at = timeAt(x);
    if (at != m_position)
        Q_EMIT positionChosen(at);
}

void TimeBarStrip::mousePressEvent(QMouseEvent* event)
{
    if (m_visibleRange.isEmpty() || m_drag != Drag::None)
        return;
    if (event->button() == Qt::LeftButton && rangeLabelNow().contains(event->position().toPoint())) {
        Q_EMIT menuRequested(mapToGlobal(rangeLabelNow().bottomLeft()), m_range->first);
        return;
    }
    if (event->button() != Qt::LeftButton && event->button() != Qt::RightButton)
        return;
    m_drag = dragAt(*event);
    m_pressed = event->position();
    m_rangePressed = m_visibleRange;
    m_hasMoved = false;
    if (m_drag == Drag::Position)
        choosePlace(plotX(event->position()));
}

void TimeBarStrip::dragTo(double x)
{
    const double pressed = plotX(m_pressed);
    switch (m_drag) {
    case Drag::None:
        break;
    case Drag::Position:
        choosePlace(x);
        break;
    case Drag::Move: {
        const qint64 by = m_rangePressed.scale().at(pressed) - m_rangePressed.scale().at(x);
        TimeBarRange moved = m_rangePressed;
        moved.setSpan(m_visibleRange.first(), m_visibleRange.last(), false);
        moved.move(microseconds(by));
        showMoved(std::exchange(m_visibleRange, moved).scale() != moved.scale());
        break;
    }
    case Drag::Zoom:
        m_zoom = Range(m_visibleRange.at(std::min(pressed, x)), m_visibleRange.at(std::max(pressed, x)));
        update();
        break;
    case Drag::NewRange:
        setRange(Range(m_visibleRange.at(std::min(pressed, x)), m_visibleRange.at(std::max(pressed, x))));
        break;
    case Drag::RangeBegin:
        setRange(Range(std::min(m_visibleRange.at(x), m_range->second), m_range->second));
        break;
    case Drag::RangeEnd:
        setRange(Range(m_range->first, std::max(m_visibleRange.at(x), m_range->first)));
        break;
    }
}

void TimeBarStrip::mouseMoveEvent(QMouseEvent* event)
{
    if (m_drag == Drag::None)
        return showCursor(*event);
    if (!m_hasMoved && std::abs(event->position().x() - m_pressed.x()) < stillPixels)
        return;
    if (!m_hasMoved && m_drag == Drag::Move)
        setCursor(Qt::ClosedHandCursor);
    m_hasMoved = true;
    dragTo(plotX(event->position()));
}

void TimeBarStrip::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_drag == Drag::None || event->buttons() != Qt::NoButton)
        return;
    const Drag done = std::exchange(m_drag, Drag::None);
    unsetCursor();
    if (const auto zoom = std::exchange(m_zoom, std::nullopt)) {
        update();
        if (zoom->first < zoom->second)
            showRange(zoom->first, zoom->second);
        return;
    }
    const bool isRange = done == Drag::NewRange || done == Drag::RangeBegin || done == Drag::RangeEnd;
    if (isRange && m_hasMoved) {
        if (m_range && m_range->first == m_range->second)
            m_range.reset(); // nothing is between them
        Q_EMIT rangeChanged();
        update();
    } else if (!m_hasMoved && event->button() == Qt::RightButton) {
        Q_EMIT menuRequested(event->globalPosition().toPoint(), m_visibleRange.at(plotX(event->position())));
    } else if (!m_hasMoved && done != Drag::Position && done != Drag::Move && done != Drag::Zoom) {
        // A click on the axis: goes to the time of the event there, or to the place.
        const double x = plotX(event->position());
        const TimeBarMark* const mark =
            geometryNow().marks.contains(event->position().toPoint()) ? markAt(m_scene.marks, x) : nullptr;
        if (mark)
            choose(m_known.events()[mark->gravest].at);
        else
            choosePlace(x);
    }
}

void TimeBarStrip::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_drag = Drag::None;
    if (event->button() == Qt::LeftButton && !m_visibleRange.isEmpty())
        showIncidentAt(timeAt(plotX(event->position())));
}

void TimeBarStrip::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    if (m_visibleRange.isEmpty() || delta.isNull() || m_drag != Drag::None) {
        event->ignore();
        return;
    }
    event->accept();
    const bool isSideways =
        event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(delta.x()) > std::abs(delta.y());
    if (isSideways) {
        const int way = delta.x() != 0 ? delta.x() : delta.y();
        const double by = -double(way) / 120 * moveStep * double(m_visibleRange.scale().length());
        showMoved(m_visibleRange.move(microseconds(qint64(by))));
    } else {
        zoom(std::pow(zoomStep, double(delta.y()) / 120), plotX(event->position()));
    }
}

void TimeBarStrip::showCursor(const QMouseEvent& event)
{
    if (m_visibleRange.isEmpty())
        return unsetCursor();
    const QPoint place = event.position().toPoint();
    const Drag drag = dragAt(event);
    if (rangeLabelNow().contains(place))
        setCursor(Qt::PointingHandCursor);
    else if (drag == Drag::RangeBegin || drag == Drag::RangeEnd)
        setCursor(Qt::SizeHorCursor);
    else if (drag == Drag::NewRange)
        setCursor(markAt(m_scene.marks, plotX(place)) && geometryNow().marks.contains(place)
                ? Qt::PointingHandCursor
                : Qt::CrossCursor);
    else
        unsetCursor();
}

void TimeBarStrip::showTip(const QPoint& place, const QPoint& onScreen)
{
    const TimeBarGeometry geometry = geometryNow();
    QString words;
    if (m_visibleRange.isEmpty() || m_drag != Drag::None) {
        words.clear();
    } else if (rangeLabelNow().contains(place)) {
        words = u"The range that is marked, and what can be done with it"_s;
    } else if (!geometry.plot.contains(place)) {
        words = geometry.gutter.contains(place)
            ? u"The longest wait and the most waiters of the time on view, not those of now. Times are the server's."_s
            : QString();
    } else {
        const double x = plotX(place);
        const TimeBarMark* const mark = geometry.axis().contains(place) ? markAt(m_scene.marks, x) : nullptr;
        const ServerTime at{m_visibleRange.scale().at(std::floor(x) + 1) - 1};
        const QString incidents = geometry.axis().contains(place)
            ? incidentsText(m_scene.incidents, m_visibleRange.scale(), x)
            : QString();
        if (mark)
            words = eventsText(m_known.events(), mark->first, mark->count)
                + (incidents.isEmpty() ? QString() : u'\n' + incidents);
        else if (geometry.axis().contains(place))
            words = incidents.isEmpty() ? u"Drag here to mark a range"_s : incidents;
        else if (at <= m_visibleRange.last() + microseconds(m_visibleRange.perColumn()))
            words = placeText(m_known, m_scene.unseen, at);
    }
    QToolTip::showText(onScreen, toolTipText(words), this);
}

QAction* TimeBarStrip::actionOf(const QKeyEvent& event) const
{
    const QKeySequence pressed(event.keyCombination());
    for (QAction* action : actions())
        if (action->isEnabled() && action->shortcuts().contains(pressed))
            return action;
    return nullptr;
}

bool TimeBarStrip::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && actionOf(static_cast<QKeyEvent&>(*event))) {
        // The window has uses for some of these keys, too; here they are ours.
        event->accept();
        return true;
    }
    if (event->type() == QEvent::ToolTip) {
        const auto& help = static_cast<QHelpEvent&>(*event);
        showTip(help.pos(), help.globalPos());
        return true;
    }
    return QWidget::event(event);
}

void TimeBarStrip::keyPressEvent(QKeyEvent* event)
{
    if (QAction* const action = actionOf(*event))
        action->trigger();
    else
        QWidget::keyPressEvent(event);
}

} // namespace lockscope::ui
