// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/TimeLanesView.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int reachPixels = 5;
constexpr int barSteps = 10'000; ///< of the horizontal scroll bar
constexpr int minWidth = 50;
constexpr int rightEdge = 5;

} // namespace

TimeLanesView::TimeLanesView(const QString& keyGroup, qint64 closest, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_keyGroup(keyGroup)
    , m_closest(closest)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Base);
}

// --- what can be done -------------------------------------------------------------------------------

QAction* TimeLanesView::add(const QString& text, const QList<QKeySequence>& keys, std::function<void()> act)
{
    QAction* action = addKey(*this, m_keyGroup, text, keys, std::move(act));
    action->setEnabled(false);
    m_actions.append(action);
    return action;
}

void TimeLanesView::addZooming(const QString& all)
{
    m_zoomActions = {add(u"Further away"_s, {Qt::Key_Minus}, [this] { zoomAtMark(1 / zoomStep); }),
        add(u"Closer"_s, {Qt::Key_Plus, Qt::Key_Equal}, [this] { zoomAtMark(zoomStep); }),
        add(all, {Qt::Key_0}, [this] { showAll(); })};
}

void TimeLanesView::addPaging()
{
    const auto page = [this](int way) { moveBy(way * m_scale.length() * 4 / 5); };
    add(u"Earlier"_s, {Qt::Key_PageUp}, [page] { page(-1); });
    add(u"Later"_s, {Qt::Key_PageDown}, [page] { page(1); });
}

void TimeLanesView::setEmptyText(const QString& title, const QString& hint)
{
    m_emptyTitle = title;
    m_emptyHint = hint;
    if (!measures())
        setAccessibleDescription(title + u' ' + hint);
    viewport()->update();
}

void TimeLanesView::showContents(const QString& description, bool isNew)
{
    makePainter();
    const bool some = measures().has_value();
    for (QAction* action : std::as_const(m_actions))
        action->setEnabled(some);
    setAccessibleDescription(some ? description : m_emptyTitle + u' ' + m_emptyHint);
    m_showsAll = m_showsAll || isNew;
    layOut();
}

// --- which part is on view --------------------------------------------------------------------------

void TimeLanesView::showAll()
{
    m_showsAll = true;
    layOut();
}

/// Scale and scroll bars for the present size.
void TimeLanesView::layOut()
{
    viewport()->update();
    if (const auto before = measures())
        fitLanes(viewport()->height() - before->axisHeight);
    const Measures all = measures().value_or(Measures());
    if (all.lanes > 0) {
        m_scale.width = std::max(minWidth, viewport()->width() - all.gutter - rightEdge);
        const qint64 end = std::max(all.to, all.from + 1);
        if (m_showsAll || m_scale.to > end) {
            m_scale.from = all.from;
            m_scale.to = end;
        }
    }
    setBars(all);
}

void TimeLanesView::setBars(const Measures& all)
{
    m_isSettingBars = true;
    const int space = viewport()->height() - all.axisHeight;
    verticalScrollBar()->setRange(0, std::max(0, all.lanes * all.laneHeight - space));
    verticalScrollBar()->setPageStep(std::max(1, space));
    verticalScrollBar()->setSingleStep(std::max(1, all.laneHeight));
    const double length = std::max<double>(1, double(all.to - all.from));
    const double shown = all.lanes > 0 ? double(m_scale.length()) / length : 1;
    const int page = std::clamp(static_cast<int>(barSteps * shown), 1, barSteps);
    horizontalScrollBar()->setRange(0, barSteps - page);
    horizontalScrollBar()->setPageStep(page);
    horizontalScrollBar()->setSingleStep(std::max(1, page / 20));
    horizontalScrollBar()->setValue(static_cast<int>(double(m_scale.from - all.from) / length * barSteps));
    m_isSettingBars = false;
}

void TimeLanesView::scrollContentsBy(int dx, int)
{
    viewport()->update();
    const auto all = measures();
    if (dx == 0 || m_isSettingBars || !all)
        return;
    const double share = double(horizontalScrollBar()->value()) / barSteps;
    const qint64 from = all->from + static_cast<qint64>(share * double(all->to - all->from));
    m_scale = m_scale.moved(from - m_scale.from, all->to, all->from);
}

void TimeLanesView::setScale(const TimeScale& scale)
{
    const auto all = measures();
    m_scale = scale;
    m_showsAll = all && scale.from <= all->from && scale.to >= all->to;
    layOut();
}

void TimeLanesView::moveBy(qint64 microseconds)
{
    if (const auto all = measures())
        setScale(m_scale.moved(microseconds, all->to, all->from));
}

void TimeLanesView::showRange(qint64 from, qint64 to)
{
    TimeScale range = m_scale;
    range.from = from;
    range.to = to;
    setScale(range);
}

void TimeLanesView::zoom(double factor, double x)
{
    if (const auto all = measures())
        setScale(
            m_scale.zoomed(factor, std::clamp<double>(x, 0, m_scale.width), all->to, all->from, m_closest));
}

void TimeLanesView::zoomAtMark(double factor)
{
    const auto mark = markedTime();
    zoom(factor, mark ? m_scale.xOf(*mark) : m_scale.width / 2.0);
}

/// Scrolls to it if it is out of sight.
void TimeLanesView::revealLane(int lane)
{
    const auto all = measures();
    if (!all)
        return;
    const int y = lane * all->laneHeight;
    const int space = viewport()->height() - all->axisHeight;
    QScrollBar& bar = *verticalScrollBar();
    if (y < bar.value())
        bar.setValue(y);
    else if (y + all->laneHeight > bar.value() + space)
        bar.setValue(y + all->laneHeight - space);
}

int TimeLanesView::top() const
{
    return measures().value_or(Measures()).axisHeight - verticalScrollBar()->value();
}

qint64 TimeLanesView::reach() const
{
    return std::max<qint64>(1, m_scale.at(reachPixels) - m_scale.from);
}

TimeLanesView::Place TimeLanesView::placeAt(const QPointF& position) const
{
    const auto all = measures();
    if (!all || position.y() < all->axisHeight || position.x() < all->gutter)
        return {};
    const int lane = (static_cast<int>(position.y()) - top()) / all->laneHeight;
    if (lane < 0 || lane >= all->lanes || !isLane(lane))
        return {};
    return {lane, std::clamp(m_scale.at(position.x() - all->gutter), all->from, all->to)};
}

// --- events -----------------------------------------------------------------------------------------

void TimeLanesView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void TimeLanesView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        makePainter();
        layOut();
    }
    QAbstractScrollArea::changeEvent(event);
}

void TimeLanesView::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    const auto all = measures();
    if (!all || delta.isNull()) {
        event->ignore();
        return;
    }
    event->accept();
    const bool sideways =
        event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(delta.x()) > std::abs(delta.y());
    if (event->position().x() < all->gutter) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - delta.y() / 2);
    } else if (sideways) {
        const int way = delta.x() != 0 ? delta.x() : delta.y();
        moveBy(static_cast<qint64>(-double(way) / 120 * moveStep * double(m_scale.length())));
    } else {
        zoom(std::pow(zoomStep, double(delta.y()) / 120), event->position().x() - all->gutter);
    }
}

void TimeLanesView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_drag = event->pos();
    m_hasMoved = false;
}

void TimeLanesView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_drag || !measures())
        return;
    const QPoint way = event->pos() - *m_drag;
    if (!m_hasMoved && way.manhattanLength() < stillPixels)
        return;
    if (!m_hasMoved)
        viewport()->setCursor(Qt::ClosedHandCursor);
    m_hasMoved = true;
    m_drag = event->pos();
    verticalScrollBar()->setValue(verticalScrollBar()->value() - way.y());
    moveBy(m_scale.from - m_scale.at(way.x()));
}

void TimeLanesView::mouseReleaseEvent(QMouseEvent* event)
{
    viewport()->unsetCursor();
    if (!m_drag || event->button() != Qt::LeftButton)
        return;
    m_drag.reset();
    const Place place = placeAt(event->position());
    if (!m_hasMoved && place.lane >= 0)
        clicked(place);
}

bool TimeLanesView::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Place place = placeAt(help->pos());
    const QString text = place.lane < 0 ? QString() : describe(place);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), toolTipText(text), viewport());
    return true;
}

// --- painting ---------------------------------------------------------------------------------------

void TimeLanesView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    const auto all = measures();
    if (!all)
        return paintEmpty(painter);
    const QRect whole = viewport()->rect();
    paint(painter, QRect(0, 0, whole.width(), all->axisHeight), whole.adjusted(0, all->axisHeight, 0, 0));
}

void TimeLanesView::paintEmpty(QPainter& painter) const
{
    const QRect space = viewport()->rect().adjusted(24, 0, -24, 0);
    const QFont title = theme::scaled(1.25, QFont::DemiBold);
    const int y = std::max(10, space.height() / 2 - QFontMetrics(title).height() - 12);
    constexpr int flags = static_cast<int>(Qt::AlignHCenter | Qt::AlignTop) | Qt::TextWordWrap;
    painter.setFont(title);
    painter.setPen(palette().color(QPalette::Text));
    QRect used;
    painter.drawText(space.adjusted(0, y, 0, 0), flags, m_emptyTitle, &used);
    painter.setFont(font());
    painter.setPen(theme::colors(palette()).muted);
    painter.drawText(QRect(space.x(), used.bottom() + 8, space.width(), space.height()), flags, m_emptyHint);
}

} // namespace lockscope::ui
