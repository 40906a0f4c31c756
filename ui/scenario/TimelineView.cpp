// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/TimelineView.h"

#include "ui/scenario/TimelinePainter.h"
#include "ui/scenario/TimelineText.h"
#include "ui/theme/Theme.h"
#include "ui/widgets/KeyAction.h"

#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double zoomStep = 1.4;
constexpr double stillPixels = 4; ///< the mouse moves that little in a click
constexpr int reachPixels = 5; ///< round the mouse, in which marks are told
constexpr int barSteps = 10'000; ///< of the horizontal scroll bar

} // namespace

TimelineView::TimelineView(QWidget* parent)
    : QAbstractScrollArea(parent)
{
    setObjectName(QStringLiteral("timeline"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(u"Timeline of the sessions"_s);
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Base);
    addKeys();
}

TimelineView::~TimelineView() = default;

void TimelineView::addKeys()
{
    const auto add = [this](const QString& text, const QList<QKeySequence>& keys, std::function<void()> act) {
        QAction* action = addKey(*this, u"Timeline"_s, text, keys, std::move(act));
        action->setEnabled(false);
        m_actions.append(action);
        return action;
    };
    m_previousLoss = add(u"Where something was lost before"_s, {Qt::Key_P}, [this] { goToLoss(-1); });
    m_nextLoss = add(u"Where something was lost next"_s, {Qt::Key_N}, [this] { goToLoss(1); });
    m_further = add(u"Further away"_s, {Qt::Key_Minus}, [this] { zoomAtChosen(1 / zoomStep); });
    m_closer = add(u"Closer"_s, {Qt::Key_Plus, Qt::Key_Equal}, [this] { zoomAtChosen(zoomStep); });
    m_all = add(u"The whole run"_s, {Qt::Key_0}, [this] { showAll(); });
    add(u"What the session did before"_s, {Qt::Key_Left}, [this] { goToSpan(-1); });
    add(u"What it did next"_s, {Qt::Key_Right}, [this] { goToSpan(1); });
    add(u"The session above"_s, {Qt::Key_Up}, [this] { goToLane(m_lane - 1); });
    add(u"The session below"_s, {Qt::Key_Down}, [this] { goToLane(m_lane + 1); });
    add(u"Earlier"_s, {Qt::Key_PageUp}, [this] { turnPage(-1); });
    add(u"Later"_s, {Qt::Key_PageDown}, [this] { turnPage(1); });
    add(u"The beginning"_s, {Qt::Key_Home}, [this] { choose(std::max(m_lane, 0), 0); });
    add(u"The end"_s, {Qt::Key_End}, [this] { choose(std::max(m_lane, 0), m_timeline->end); });
    add(u"The locks of the session"_s, {Qt::Key_Return, Qt::Key_Enter}, [this] { requestLocks(); });
}

void TimelineView::zoomAtChosen(double factor)
{
    zoom(factor, m_lane >= 0 ? m_scale.xOf(m_at) : m_scale.width / 2.0);
}

void TimelineView::goToLane(int lane)
{
    const int last = static_cast<int>(m_timeline->lanes.size()) - 1;
    choose(std::clamp(lane, 0, last), m_lane < 0 ? m_scale.from : m_at);
}

void TimelineView::turnPage(int step)
{
    setScale(m_scale.moved(step * (m_scale.to - m_scale.from) * 4 / 5, m_timeline->end));
}

void TimelineView::setEmptyText(const QString& title, const QString& hint)
{
    m_emptyTitle = title;
    m_emptyHint = hint;
    if (!m_timeline)
        setAccessibleDescription(title + QLatin1Char(' ') + hint);
    viewport()->update();
}

void TimelineView::show(TimelinePtr timeline)
{
    const bool isSame = timeline && m_timeline && timeline->runId == m_timeline->runId;
    m_timeline = std::move(timeline);
    for (QAction* action : std::as_const(m_actions))
        action->setEnabled(m_timeline != nullptr);
    if (!isSame) {
        m_lane = -1;
        m_at = 0;
        m_showsAll = true;
    }
    makePainter();
    setAccessibleDescription(
        m_timeline ? describeTimeline(*m_timeline) : m_emptyTitle + QLatin1Char(' ') + m_emptyHint);
    layOut();
    viewport()->update();
}

void TimelineView::makePainter()
{
    m_painter = m_timeline ? std::make_unique<TimelinePainter>(*m_timeline, palette(), font()) : nullptr;
}

void TimelineView::showAll()
{
    m_showsAll = true;
    layOut();
    viewport()->update();
}

/// Scroll bars and scale for the present size.
void TimelineView::layOut()
{
    m_isSettingBars = true;
    if (!m_painter) {
        horizontalScrollBar()->setRange(0, 0);
        verticalScrollBar()->setRange(0, 0);
        m_isSettingBars = false;
        return;
    }
    const qint64 end = std::max<qint64>(m_timeline->end, 1);
    const int room = viewport()->height() - m_painter->axisHeight();
    m_painter->fitLanes(room);
    m_scale.width = std::max(50, viewport()->width() - m_painter->gutter() - 4);
    if (m_showsAll || m_scale.to > end) {
        m_scale.from = 0;
        m_scale.to = end;
    }
    const int lanes = static_cast<int>(m_timeline->lanes.size()) * m_painter->laneHeight();
    verticalScrollBar()->setRange(0, std::max(0, lanes - room));
    verticalScrollBar()->setPageStep(std::max(1, room));
    verticalScrollBar()->setSingleStep(m_painter->laneHeight());
    const double shown = double(m_scale.to - m_scale.from) / double(end);
    const int page = std::clamp(int(barSteps * shown), 1, barSteps);
    horizontalScrollBar()->setRange(0, barSteps - page);
    horizontalScrollBar()->setPageStep(page);
    horizontalScrollBar()->setSingleStep(std::max(1, page / 20));
    horizontalScrollBar()->setValue(int(double(m_scale.from) / double(end) * barSteps));
    m_isSettingBars = false;
}

void TimelineView::scrollContentsBy(int dx, int)
{
    if (dx != 0 && !m_isSettingBars && m_timeline) {
        const qint64 length = m_scale.to - m_scale.from;
        m_scale.from = qint64(double(horizontalScrollBar()->value()) / barSteps * double(m_timeline->end));
        m_scale.to = m_scale.from + length;
        m_scale = m_scale.moved(0, m_timeline->end);
    }
    viewport()->update();
}

void TimelineView::setScale(const TimeScale& scale)
{
    m_scale = scale;
    m_showsAll = m_timeline && scale.from == 0 && scale.to >= m_timeline->end;
    layOut();
    viewport()->update();
}

void TimelineView::zoom(double factor, double x)
{
    if (m_timeline)
        setScale(m_scale.zoomed(factor, std::clamp<double>(x, 0, m_scale.width), m_timeline->end));
}

int TimelineView::neededHeight() const
{
    if (!m_timeline)
        return 0;
    const TimelinePainter least(*m_timeline, palette(), font());
    return least.axisHeight() + static_cast<int>(m_timeline->lanes.size()) * least.laneHeight();
}

int TimelineView::top() const
{
    return m_painter->axisHeight() - verticalScrollBar()->value();
}

TimelineView::Place TimelineView::placeAt(const QPointF& position) const
{
    Place place;
    if (!m_painter || position.y() < m_painter->axisHeight() || position.x() < m_painter->gutter())
        return place;
    const int lane = (int(position.y()) - top()) / m_painter->laneHeight();
    if (lane < 0 || lane >= static_cast<int>(m_timeline->lanes.size()))
        return place;
    place.lane = lane;
    place.at = std::clamp<qint64>(m_scale.at(position.x() - m_painter->gutter()), 0, m_timeline->end);
    return place;
}

QString TimelineView::descriptionOfChosen() const
{
    if (m_lane < 0)
        return {};
    return describeMoment(*m_timeline, m_timeline->lanes[static_cast<std::size_t>(m_lane)], m_at,
        std::max<qint64>(1, m_scale.at(reachPixels) - m_scale.from));
}

void TimelineView::choose(int lane, qint64 at)
{
    if (!m_timeline || lane < 0 || lane >= static_cast<int>(m_timeline->lanes.size()))
        return;
    m_lane = lane;
    m_at = std::clamp<qint64>(at, 0, m_timeline->end);
    const int y = lane * m_painter->laneHeight();
    const int room = viewport()->height() - m_painter->axisHeight();
    QScrollBar* const bar = verticalScrollBar();
    if (y < bar->value())
        bar->setValue(y);
    else if (y + m_painter->laneHeight() > bar->value() + room)
        bar->setValue(y + m_painter->laneHeight() - room);
    if (m_at < m_scale.from || m_at > m_scale.to)
        setScale(m_scale.moved(m_at - (m_scale.from + m_scale.to) / 2, m_timeline->end));
    const QString words = descriptionOfChosen();
    setAccessibleDescription(words);
    Q_EMIT chosen(words);
    viewport()->update();
}

/// To the next or the previous span of the marked session.
void TimelineView::goToSpan(int step)
{
    if (!m_timeline || m_timeline->lanes.empty())
        return;
    const int lane = std::max(m_lane, 0);
    const auto& spans = m_timeline->lanes[static_cast<std::size_t>(lane)].spans;
    if (m_lane < 0 || spans.empty())
        return choose(lane, m_scale.from);
    const auto next = std::upper_bound(
        spans.begin(), spans.end(), m_at, [](qint64 at, const LaneSpan& span) { return at < span.from; });
    auto index = next - spans.begin() - 1; // the one that m_at is in or behind
    index = std::clamp<std::ptrdiff_t>(index + step, 0, std::ssize(spans) - 1);
    choose(lane, spans[static_cast<std::size_t>(index)].from);
}

void TimelineView::goToLoss(int step)
{
    if (!m_timeline)
        return;
    // All of them in order of time; the marked place is somewhere between.
    std::vector<Place> places;
    for (std::size_t lane = 0; lane < m_timeline->lanes.size(); ++lane) {
        for (const SectionSpan& overlap : m_timeline->lanes[lane].overlaps)
            places.push_back({int(lane), overlap.from});
        for (const LaneMark& mark : m_timeline->lanes[lane].marks)
            if (m_timeline->isLoss(mark.kind))
                places.push_back({int(lane), mark.at});
    }
    if (places.empty()) {
        Q_EMIT chosen(u"Nothing was lost that could be shown here."_s);
        return;
    }
    const auto before = [](const Place& a, const Place& b) {
        return std::tie(a.at, a.lane) < std::tie(b.at, b.lane);
    };
    std::sort(places.begin(), places.end(), before);
    const Place now{m_lane, m_lane < 0 ? -1 : m_at};
    auto found = step > 0 ? std::upper_bound(places.begin(), places.end(), now, before)
                          : std::lower_bound(places.begin(), places.end(), now, before);
    if (step > 0)
        found = found == places.end() ? places.begin() : found;
    else
        found = found == places.begin() ? std::prev(places.end()) : std::prev(found);
    choose(found->lane, found->at);
}

void TimelineView::requestLocks()
{
    if (m_lane < 0)
        return;
    const Lane& lane = m_timeline->lanes[static_cast<std::size_t>(m_lane)];
    const LaneSpan span = spanAt(lane, m_at, m_timeline->end);
    Q_EMIT locksRequested(lane.number, lane.subjects.value(static_cast<int>(span.subject)));
}

// --- events -----------------------------------------------------------------------------------------

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void TimelineView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        makePainter();
        layOut();
        viewport()->update();
    }
    QAbstractScrollArea::changeEvent(event);
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    if (!m_painter || delta.isNull()) {
        event->ignore();
        return;
    }
    event->accept();
    const bool sideways =
        event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(delta.x()) > std::abs(delta.y());
    // Over the names it scrolls through the sessions.
    if (event->position().x() < m_painter->gutter()) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - delta.y() / 2);
    } else if (sideways) {
        const int way = delta.x() != 0 ? delta.x() : delta.y();
        setScale(m_scale.moved(
            qint64(-double(way) / 120 * 0.15 * double(m_scale.to - m_scale.from)), m_timeline->end));
    } else {
        zoom(std::pow(zoomStep, double(delta.y()) / 120), event->position().x() - m_painter->gutter());
    }
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_drag = event->pos();
    m_hasMoved = false;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_drag || !m_timeline)
        return;
    const QPoint way = event->pos() - *m_drag;
    if (!m_hasMoved && way.manhattanLength() < stillPixels)
        return;
    if (!m_hasMoved)
        viewport()->setCursor(Qt::ClosedHandCursor);
    m_hasMoved = true;
    m_drag = event->pos();
    verticalScrollBar()->setValue(verticalScrollBar()->value() - way.y());
    setScale(
        m_scale.moved(-qint64(way.x() * double(m_scale.to - m_scale.from) / m_scale.width), m_timeline->end));
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    viewport()->unsetCursor();
    if (!m_drag || event->button() != Qt::LeftButton)
        return;
    m_drag.reset();
    const Place place = placeAt(event->position());
    if (!m_hasMoved && place.lane >= 0)
        choose(place.lane, place.at);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Place place = placeAt(event->position());
    if (place.lane < 0)
        return;
    choose(place.lane, place.at);
    requestLocks();
}

bool TimelineView::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Place place = placeAt(help->pos());
    if (place.lane < 0) {
        QToolTip::hideText();
        return true;
    }
    QToolTip::showText(help->globalPos(),
        describeMoment(*m_timeline, m_timeline->lanes[static_cast<std::size_t>(place.lane)], place.at,
            std::max<qint64>(1, m_scale.at(reachPixels) - m_scale.from)),
        viewport());
    return true;
}

// --- painting ---------------------------------------------------------------------------------------

void TimelineView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (!m_painter)
        return paintEmpty(painter);
    const int axis = m_painter->axisHeight();
    m_painter->paintLanes(
        painter, QRect(0, axis, viewport()->width(), viewport()->height() - axis), top(), m_scale);
    paintChosen(painter);
    m_painter->paintAxis(painter, QRect(0, 0, viewport()->width(), axis), m_scale);
}

void TimelineView::paintChosen(QPainter& painter) const
{
    if (m_lane < 0)
        return;
    const LaneSpan span = spanAt(m_timeline->lanes[static_cast<std::size_t>(m_lane)], m_at, m_timeline->end);
    const int lane = m_painter->laneHeight();
    const double left = std::max(0.0, m_scale.xOf(span.from));
    const double right = std::min<double>(m_scale.width, std::max(m_scale.xOf(span.to), left + 2));
    if (right < 0 || left > m_scale.width)
        return;
    painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(
        QRectF(m_painter->gutter() + left, top() + m_lane * lane + 1, std::max(2.0, right - left), lane - 2));
}

void TimelineView::paintEmpty(QPainter& painter) const
{
    const QRect room = viewport()->rect().adjusted(24, 0, -24, 0);
    QFont title = font();
    title.setPointSizeF(title.pointSizeF() * 1.25);
    title.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(title);
    const int y = std::max(10, room.height() / 2 - metrics.height() - 12);
    constexpr int flags = static_cast<int>(Qt::AlignHCenter | Qt::AlignTop) | Qt::TextWordWrap;
    painter.setFont(title);
    painter.setPen(palette().color(QPalette::Text));
    QRect used;
    painter.drawText(room.adjusted(0, y, 0, 0), flags, m_emptyTitle, &used);
    painter.setFont(font());
    painter.setPen(theme::colors(palette()).muted);
    painter.drawText(QRect(room.x(), used.bottom() + 8, room.width(), room.height()), flags, m_emptyHint);
}

} // namespace lockscope::ui
