// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timetravel/BiographyView.h"

#include "ui/theme/Theme.h"
#include "ui/timetravel/BiographyPainter.h"
#include "ui/widgets/KeyAction.h"
#include "ui/widgets/ToolTipText.h"

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
constexpr int stillPixels = 4; // the mouse moves that little in a click
constexpr int reachPixels = 4; // round the mouse, in which marks are told
constexpr qint64 closest = 1'000'000; // microseconds on view

} // namespace

BiographyView::BiographyView(QWidget* parent)
    : QAbstractScrollArea(parent)
{
    setObjectName(u"biography"_s);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(u"Who held it and who waited, drawn"_s);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Base);
    addKeys();
}

BiographyView::~BiographyView() = default;

void BiographyView::addKeys()
{
    const auto add = [this](const QString& text, const QList<QKeySequence>& keys, std::function<void()> act) {
        QAction* action = addKey(*this, u"History of a lock"_s, text, keys, std::move(act));
        action->setEnabled(false);
        m_actions.append(action);
        return action;
    };
    m_previous = add(u"The hand-over before"_s, {Qt::Key_P}, [this] { goToHandOver(-1); });
    m_next = add(u"The next hand-over"_s, {Qt::Key_N}, [this] { goToHandOver(1); });
    m_further = add(u"Further away"_s, {Qt::Key_Minus}, [this] { zoom(1 / zoomStep, -1); });
    m_closer = add(u"Closer"_s, {Qt::Key_Plus, Qt::Key_Equal}, [this] { zoom(zoomStep, -1); });
    m_all = add(u"All of it"_s, {Qt::Key_0}, [this] {
        m_showsAll = true;
        layOut();
    });
    add(u"What began before"_s, {Qt::Key_Left}, [this] { step(-1); });
    add(u"What began next"_s, {Qt::Key_Right}, [this] { step(1); });
    add(u"The lane above"_s, {Qt::Key_Up}, [this] { goToLane(-1); });
    add(u"The lane below"_s, {Qt::Key_Down}, [this] { goToLane(1); });
    const auto page = [this](int way) {
        setScale(m_scale.moved(
            way * (m_scale.to - m_scale.from) * 4 / 5, m_biography->to.us, m_biography->from.us));
    };
    add(u"Earlier"_s, {Qt::Key_PageUp}, [page] { page(-1); });
    add(u"Later"_s, {Qt::Key_PageDown}, [page] { page(1); });
    add(u"The first"_s, {Qt::Key_Home}, [this] { step(-static_cast<int>(m_biography->lines.size())); });
    add(u"The last"_s, {Qt::Key_End}, [this] { step(static_cast<int>(m_biography->lines.size())); });
    add(u"Look at that moment"_s, {Qt::Key_Return, Qt::Key_Enter}, [this] { requestMoment(); });
}

void BiographyView::setEmptyText(const QString& title, const QString& hint)
{
    m_emptyTitle = title;
    m_emptyHint = hint;
    if (m_lanes.empty())
        setAccessibleDescription(title + u' ' + hint);
    viewport()->update();
}

void BiographyView::show(BiographyPtr biography, ServerTime around)
{
    m_painter.reset(); // refers to both
    m_biography = std::move(biography);
    m_lanes = m_biography ? lanesOf(*m_biography) : std::vector<BiographyLane>();
    m_around = around;
    m_line = -1;
    m_showsAll = true;
    for (QAction* action : std::as_const(m_actions))
        action->setEnabled(!m_lanes.empty());
    const bool some = m_biography && !m_biography->handOvers.isEmpty();
    m_previous->setEnabled(some);
    m_next->setEnabled(some);
    setAccessibleDescription(
        m_lanes.empty() ? m_emptyTitle + u' ' + m_emptyHint : describeBiography(*m_biography));
    makePainter();
    layOut();
}

void BiographyView::makePainter()
{
    m_painter = m_lanes.empty()
        ? nullptr
        : std::make_unique<BiographyPainter>(*m_biography, m_lanes, palette(), font());
}

void BiographyView::layOut()
{
    if (m_painter) {
        const int room = viewport()->height() - m_painter->axisHeight();
        verticalScrollBar()->setRange(0, std::max(0, m_painter->lanesHeight() - room));
        verticalScrollBar()->setPageStep(std::max(1, room));
        verticalScrollBar()->setSingleStep(m_painter->laneHeight());
        m_scale.width = std::max(50, viewport()->width() - m_painter->gutter() - 6);
        if (m_showsAll) {
            m_scale.from = m_biography->from.us;
            m_scale.to = std::max(m_biography->to.us, m_scale.from + 1);
        }
    } else {
        verticalScrollBar()->setRange(0, 0);
    }
    viewport()->update();
}

int BiographyView::neededHeight() const
{
    return m_painter ? m_painter->axisHeight() + m_painter->lanesHeight() : 0;
}

void BiographyView::setScale(TimeScale scale)
{
    m_scale = scale;
    m_showsAll = scale.from <= m_biography->from.us && scale.to >= m_biography->to.us;
    viewport()->update();
}

/// `x` −1: at what is chosen, else in the middle.
void BiographyView::zoom(double factor, double x)
{
    if (!m_painter)
        return;
    if (x < 0)
        x = m_line >= 0 ? m_scale.xOf(momentOf(*m_biography, m_biography->lines[m_line]).us)
                        : m_scale.width / 2.0;
    setScale(m_scale.zoomed(
        factor, std::clamp<double>(x, 0, m_scale.width), m_biography->to.us, m_biography->from.us, closest));
}

int BiographyView::top() const
{
    return m_painter->axisHeight() - verticalScrollBar()->value();
}

BiographyView::Place BiographyView::placeAt(const QPointF& position) const
{
    Place place;
    if (!m_painter || position.y() < m_painter->axisHeight() || position.x() < m_painter->gutter())
        return place;
    const int lane = (static_cast<int>(position.y()) - top()) / m_painter->laneHeight();
    if (lane < 0 || lane >= static_cast<int>(m_lanes.size())
        || m_lanes[static_cast<std::size_t>(lane)].isHeading)
        return place;
    const qint64 at = m_scale.at(position.x() - m_painter->gutter());
    return {lane, {std::clamp(at, m_biography->from.us, m_biography->to.us)}};
}

microseconds BiographyView::reach() const
{
    return microseconds(std::max<qint64>(1, m_scale.at(reachPixels) - m_scale.from));
}

qsizetype BiographyView::lineAt(const Place& place) const
{
    if (place.lane < 0)
        return -1;
    const microseconds near = reach();
    qsizetype found = -1;
    for (const qsizetype each : m_lanes[static_cast<std::size_t>(place.lane)].lines) {
        const record::HistoryLine& line = m_biography->lines[each];
        if (line.from <= place.at + near && line.to + near >= place.at)
            found = each; // the later one, which is drawn above
    }
    return found;
}

void BiographyView::choose(qsizetype line)
{
    if (!m_painter || line == m_line || line >= m_biography->lines.size())
        return;
    m_line = line;
    if (line >= 0)
        reveal(line);
    viewport()->update();
    Q_EMIT lineChosen(line);
}

/// Scrolls to it if it is out of sight.
void BiographyView::reveal(qsizetype line)
{
    const auto lane = std::ranges::find_if(
        m_lanes, [line](const BiographyLane& each) { return each.lines.contains(line); });
    if (lane == m_lanes.end())
        return;
    const int y = static_cast<int>(lane - m_lanes.begin()) * m_painter->laneHeight();
    const int room = viewport()->height() - m_painter->axisHeight();
    QScrollBar& bar = *verticalScrollBar();
    if (y < bar.value())
        bar.setValue(y);
    else if (y + m_painter->laneHeight() > bar.value() + room)
        bar.setValue(y + m_painter->laneHeight() - room);
    const record::HistoryLine& which = m_biography->lines[line];
    if (which.to.us < m_scale.from || which.from.us > m_scale.to) {
        const qint64 middle = (m_scale.from + m_scale.to) / 2;
        setScale(m_scale.moved(
            momentOf(*m_biography, which).us - middle, m_biography->to.us, m_biography->from.us));
    }
}

QPoint BiographyView::placeOf(qsizetype line) const
{
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        if (!m_lanes[i].lines.contains(line))
            continue;
        const QRectF bar = m_painter->barOf(
            m_biography->lines[line], top() + static_cast<int>(i) * m_painter->laneHeight(), m_scale);
        const double left = std::max(bar.left(), double(m_painter->gutter()));
        const double right = std::min(bar.right(), double(m_painter->gutter() + m_scale.width));
        return QPointF((left + right) / 2, bar.center().y()).toPoint();
    }
    return {};
}

void BiographyView::step(int lines)
{
    const auto last = static_cast<qsizetype>(m_biography->lines.size()) - 1;
    choose(m_line < 0 ? (lines < 0 ? last : 0) : std::clamp<qsizetype>(m_line + lines, 0, last));
}

/// The line of the next lane that is nearest in time.
void BiographyView::goToLane(int way)
{
    const auto now = std::ranges::find_if(
        m_lanes, [this](const BiographyLane& each) { return each.lines.contains(m_line); });
    if (now == m_lanes.end())
        return step(way);
    auto place = static_cast<int>(now - m_lanes.begin()) + way;
    while (place >= 0 && place < static_cast<int>(m_lanes.size())
        && m_lanes[static_cast<std::size_t>(place)].isHeading)
        place += way;
    if (place < 0 || place >= static_cast<int>(m_lanes.size()))
        return;
    const ServerTime at = m_biography->lines[m_line].from;
    const auto& lines = m_lanes[static_cast<std::size_t>(place)].lines;
    choose(*std::ranges::min_element(
        lines, {}, [&](qsizetype each) { return std::abs((m_biography->lines[each].from - at).count()); }));
}

void BiographyView::goToHandOver(int way)
{
    const ServerTime at = m_line >= 0 ? m_biography->lines[m_line].from
        : way > 0                     ? ServerTime{m_biography->from.us - 1}
                                      : ServerTime{m_biography->to.us + 1};
    const auto& all = m_biography->handOvers;
    if (way > 0) {
        const auto next =
            std::ranges::find_if(all, [&](const record::HandOver& each) { return each.at > at; });
        if (next != all.end())
            choose(next->to);
    } else {
        const auto before = std::find_if(
            all.rbegin(), all.rend(), [&](const record::HandOver& each) { return each.at < at; });
        if (before != all.rend())
            choose(before->to);
    }
}

void BiographyView::requestMoment()
{
    if (m_line >= 0)
        Q_EMIT momentRequested(momentOf(*m_biography, m_biography->lines[m_line]));
}

// --- events -----------------------------------------------------------------------------------------

void BiographyView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void BiographyView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        makePainter();
        layOut();
    }
    QAbstractScrollArea::changeEvent(event);
}

void BiographyView::scrollContentsBy(int, int)
{
    viewport()->update();
}

void BiographyView::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    if (!m_painter || delta.isNull()) {
        event->ignore();
        return;
    }
    event->accept();
    const bool sideways =
        event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(delta.x()) > std::abs(delta.y());
    if (event->position().x() < m_painter->gutter()) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - delta.y() / 2);
    } else if (sideways) {
        const int way = delta.x() != 0 ? delta.x() : delta.y();
        setScale(
            m_scale.moved(static_cast<qint64>(-double(way) / 120 * 0.15 * double(m_scale.to - m_scale.from)),
                m_biography->to.us, m_biography->from.us));
    } else {
        zoom(std::pow(zoomStep, double(delta.y()) / 120),
            std::max(0.0, event->position().x() - m_painter->gutter()));
    }
}

void BiographyView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_drag = event->pos();
    m_hasMoved = false;
}

void BiographyView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_drag || !m_painter)
        return;
    const QPoint way = event->pos() - *m_drag;
    if (!m_hasMoved && way.manhattanLength() < stillPixels)
        return;
    if (!m_hasMoved)
        viewport()->setCursor(Qt::ClosedHandCursor);
    m_hasMoved = true;
    m_drag = event->pos();
    verticalScrollBar()->setValue(verticalScrollBar()->value() - way.y());
    setScale(m_scale.moved(-static_cast<qint64>(way.x() * double(m_scale.to - m_scale.from) / m_scale.width),
        m_biography->to.us, m_biography->from.us));
}

void BiographyView::mouseReleaseEvent(QMouseEvent* event)
{
    viewport()->unsetCursor();
    if (!m_drag || event->button() != Qt::LeftButton)
        return;
    m_drag.reset();
    const Place place = placeAt(event->position());
    if (m_hasMoved || place.lane < 0)
        return;
    choose(lineAt(place));
    Q_EMIT momentRequested(place.at);
}

bool BiographyView::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Place place = placeAt(help->pos());
    const QString text = place.lane < 0
        ? QString()
        : describeMoment(*m_biography, m_lanes[static_cast<std::size_t>(place.lane)], place.at, reach());
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), toolTipText(text), viewport());
    return true;
}

void BiographyView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (!m_painter) {
        const QRect all = viewport()->rect().adjusted(16, 8, -16, -8);
        painter.setFont(theme::scaled(1.1, QFont::DemiBold));
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(all, static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap,
            m_emptyHint.isEmpty() ? m_emptyTitle : m_emptyTitle + u'\n' + m_emptyHint);
        return;
    }
    const int axis = m_painter->axisHeight();
    m_painter->paintLanes(
        painter, QRect(0, axis, viewport()->width(), viewport()->height() - axis), top(), m_scale);
    if (m_line >= 0) {
        const auto lane = std::ranges::find_if(
            m_lanes, [this](const BiographyLane& each) { return each.lines.contains(m_line); });
        const int y = top() + static_cast<int>(lane - m_lanes.begin()) * m_painter->laneHeight();
        painter.save();
        painter.setClipRect(QRect(m_painter->gutter(), axis, m_scale.width + 2, viewport()->height()));
        painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(m_painter->barOf(m_biography->lines[m_line], y, m_scale).adjusted(-2, -2, 2, 2));
        painter.restore();
    }
    m_painter->paintAxis(painter, QRect(0, 0, viewport()->width(), axis), m_scale, m_around);
}

} // namespace lockscope::ui
