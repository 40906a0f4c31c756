// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/BiographyView.h"

#include "ui/views/history/BiographyPainter.h"

#include <QPainter>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 closestUs = 1'000'000; // microseconds on view

} // namespace

BiographyView::BiographyView(QWidget* parent)
    : TimeLanesView(u"History of a lock"_s, closestUs, parent)
{
    setObjectName(u"biography"_s);
    setAccessibleName(u"Who held it and who waited, drawn"_s);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    addKeys();
}

BiographyView::~BiographyView() = default;

void BiographyView::addKeys()
{
    m_previous = add(u"The hand-over before"_s, {Qt::Key_P}, [this] { goToHandOver(-1); });
    m_next = add(u"The next hand-over"_s, {Qt::Key_N}, [this] { goToHandOver(1); });
    addZooming(u"All of it"_s);
    add(u"What began before"_s, {Qt::Key_Left}, [this] { step(-1); });
    add(u"What began next"_s, {Qt::Key_Right}, [this] { step(1); });
    add(u"The lane above"_s, {Qt::Key_Up}, [this] { goToLane(-1); });
    add(u"The lane below"_s, {Qt::Key_Down}, [this] { goToLane(1); });
    addPaging();
    add(u"The first"_s, {Qt::Key_Home}, [this] { step(-static_cast<int>(m_biography->lines.size())); });
    add(u"The last"_s, {Qt::Key_End}, [this] { step(static_cast<int>(m_biography->lines.size())); });
    add(u"Show that time"_s, {Qt::Key_Return, Qt::Key_Enter}, [this] { requestTime(); });
}

void BiographyView::show(BiographyPtr biography, ServerTime around)
{
    m_painter.reset(); // refers to both
    m_biography = std::move(biography);
    m_lanes = m_biography ? lanesOf(*m_biography) : std::vector<BiographyLane>();
    m_around = around;
    m_line = -1;
    showContents(m_lanes.empty() ? QString() : describeBiography(*m_biography), true);
    const bool some = m_biography && !m_biography->handOvers.isEmpty();
    m_previous->setEnabled(some);
    m_next->setEnabled(some);
}

void BiographyView::makePainter()
{
    m_painter = m_lanes.empty()
        ? nullptr
        : std::make_unique<BiographyPainter>(*m_biography, m_lanes, palette(), font());
}

std::optional<TimeLanesView::Measures> BiographyView::measures() const
{
    if (!m_painter)
        return std::nullopt;
    return Measures{.gutter = m_painter->gutter(),
        .axisHeight = m_painter->axisHeight(),
        .laneHeight = m_painter->laneHeight(),
        .lanes = static_cast<int>(m_lanes.size()),
        .from = m_biography->from.us,
        .to = m_biography->to.us};
}

std::optional<qint64> BiographyView::markedTime() const
{
    if (m_line < 0)
        return std::nullopt;
    return timeOfLine(m_biography->lines[m_line], m_biography->from).us;
}

int BiographyView::laneWith(qsizetype line) const
{
    const auto lane = std::ranges::find_if(
        m_lanes, [line](const BiographyLane& each) { return each.lines.contains(line); });
    return lane == m_lanes.end() ? -1 : static_cast<int>(lane - m_lanes.begin());
}

qsizetype BiographyView::lineAt(const Place& place) const
{
    const ServerTime at{place.at};
    const microseconds near(reach());
    qsizetype found = -1;
    for (const qsizetype each : laneOf(place.lane).lines) {
        const record::HistoryLine& line = m_biography->lines[each];
        if (line.from <= at + near && line.to + near >= at)
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
    const int lane = laneWith(line);
    if (lane < 0)
        return;
    revealLane(lane);
    const record::HistoryLine& which = m_biography->lines[line];
    if (which.to.us < scale().from || which.from.us > scale().to)
        moveBy(timeOfLine(which, m_biography->from).us - (scale().from + scale().to) / 2);
}

QPoint BiographyView::placeOf(qsizetype line) const
{
    const int lane = laneWith(line);
    if (lane < 0)
        return {};
    const QRectF bar =
        m_painter->barOf(m_biography->lines[line], top() + lane * m_painter->laneHeight(), scale());
    const double left = std::max(bar.left(), double(m_painter->gutter()));
    const double right = std::min(bar.right(), double(m_painter->gutter() + scale().width));
    return QPointF((left + right) / 2, bar.center().y()).toPoint();
}

void BiographyView::step(int lines)
{
    const auto last = static_cast<qsizetype>(m_biography->lines.size()) - 1;
    choose(m_line < 0 ? (lines < 0 ? last : 0) : std::clamp<qsizetype>(m_line + lines, 0, last));
}

/// The line of the next lane that is nearest in time.
void BiographyView::goToLane(int way)
{
    const int now = laneWith(m_line);
    if (now < 0)
        return step(way);
    const int lanes = static_cast<int>(m_lanes.size());
    int lane = now + way;
    while (lane >= 0 && lane < lanes && !isLane(lane))
        lane += way;
    if (lane < 0 || lane >= lanes)
        return;
    const ServerTime at = m_biography->lines[m_line].from;
    choose(*std::ranges::min_element(laneOf(lane).lines, {},
        [&](qsizetype each) { return std::abs((m_biography->lines[each].from - at).count()); }));
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

void BiographyView::requestTime()
{
    if (m_line >= 0)
        Q_EMIT timeTravelRequested(timeOfLine(m_biography->lines[m_line], m_biography->from));
}

void BiographyView::clicked(const Place& place)
{
    choose(lineAt(place));
    Q_EMIT timeTravelRequested({place.at});
}

QString BiographyView::describe(const Place& place) const
{
    return describeTime(*m_biography, laneOf(place.lane), {place.at}, microseconds(reach()));
}

void BiographyView::paint(QPainter& painter, const QRect& axis, const QRect& lanes) const
{
    m_painter->paintLanes(painter, lanes, top(), scale());
    if (const int lane = laneWith(m_line); lane >= 0) {
        painter.save();
        painter.setClipRect(QRect(m_painter->gutter(), lanes.top(), scale().width + 2, lanes.height()));
        painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), 2));
        painter.setBrush(Qt::NoBrush);
        const int y = top() + lane * m_painter->laneHeight();
        painter.drawRect(m_painter->barOf(m_biography->lines[m_line], y, scale()).adjusted(-2, -2, 2, 2));
        painter.restore();
    }
    m_painter->paintAxis(painter, axis, scale(), m_around);
}

} // namespace lockscope::ui
