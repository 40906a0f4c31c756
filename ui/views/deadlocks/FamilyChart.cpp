// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/FamilyChart.h"

#include "core/domain/SnapshotNames.h"
#include "ui/kit/theme/Theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxBars = 60;
constexpr double widestBar = 48;

struct AxisStep {
    microseconds length;
    QLatin1StringView name;
};
constexpr std::array axisSteps{AxisStep{std::chrono::minutes(1), "minute"_L1},
    AxisStep{std::chrono::hours(1), "hour"_L1}, AxisStep{std::chrono::days(1), "day"_L1},
    AxisStep{std::chrono::days(7), "week"_L1}, AxisStep{std::chrono::days(30), "30 days"_L1},
    AxisStep{std::chrono::days(365), "365 days"_L1}};

/// "2026-11-21 03:12 UTC".
QString minuteText(ServerTime time)
{
    return dateTimeText(time).remove(16, 3);
}

} // namespace

FamilySpan FamilySpan::of(const QList<deadlock::Family>& families)
{
    std::optional<ServerTime> first;
    std::optional<ServerTime> last;
    for (const deadlock::Family& family : families) {
        if (family.first)
            first = first ? std::min(*first, *family.first) : *family.first;
        if (family.last)
            last = last ? std::max(*last, *family.last) : *family.last;
    }
    FamilySpan span;
    if (!first)
        return span;
    for (const AxisStep& step : axisSteps) {
        span.step = step.length;
        // Bars begin at whole minutes, hours and days.
        span.from = {floorTo(first->us, step.length.count())};
        span.count = int(std::min<qint64>((*last - span.from) / step.length + 1, maxBars));
        if (*last < span.from + step.length * maxBars)
            break;
    }
    return span;
}

QString FamilySpan::stepName() const
{
    const auto found = std::find_if(
        axisSteps.begin(), axisSteps.end(), [this](const AxisStep& each) { return each.length == step; });
    return found == axisSteps.end() ? QString() : QString(found->name);
}

FamilyChart::FamilyChart(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(u"familyChart"_s);
    setAccessibleName(u"Deadlocks of the family over time"_s);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
}

void FamilyChart::show(const std::optional<deadlock::Family>& family, const FamilySpan& span)
{
    m_family = family;
    m_span = span;
    m_counts = family ? deadlock::countsOver(*family, span.from, span.step, span.count) : QList<int>();
    describe();
    update();
}

void FamilyChart::setDate(const std::optional<ServerTime>& date)
{
    m_date = date;
    describe();
    update();
}

void FamilyChart::describe()
{
    QString text;
    if (m_family && m_date) {
        const auto [before, after] = m_family->around(*m_date);
        text = u"Before %1: %2, from then on: %3."_s.arg(dateTimeText(*m_date)).arg(before).arg(after);
    } else if (m_family) {
        text = u"%1 in all."_s.arg(m_family->members.size());
    }
    setAccessibleDescription(text);
}

QRectF FamilyChart::plot() const
{
    const int line = fontMetrics().height();
    return QRectF(rect()).adjusted(6, line + 6, -6, -line - 6);
}

int FamilyChart::barAt(double x) const
{
    const QRectF area = plot();
    if (m_counts.isEmpty() || x < area.left() || x > area.right())
        return -1;
    const ServerTime at{timeScale().at(x - area.left())};
    return std::min(int((at - m_span.from) / m_span.step), int(m_counts.size()) - 1);
}

void FamilyChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColors& colors = theme::colors(palette());
    const QRectF area = plot();
    painter.setPen(colors.muted);
    if (!m_family || m_counts.isEmpty()) {
        painter.drawText(rect(), Qt::AlignCenter,
            m_family ? u"None of its reports names a time."_s : u"Select a family: it is drawn over time."_s);
        return;
    }
    const int highest = std::max(1, *std::max_element(m_counts.cbegin(), m_counts.cend()));
    painter.drawText(QRectF(area.left(), 0, area.width(), area.top()), Qt::AlignLeft | Qt::AlignVCenter,
        u"for each %1, at most %2"_s.arg(m_span.stepName()).arg(highest));
    const double width = area.width() / double(m_counts.size());
    for (qsizetype bar = 0; bar < m_counts.size(); ++bar) {
        const double height = area.height() * m_counts[bar] / highest;
        const double drawn = std::min(width, widestBar);
        const QRectF shape(
            area.left() + width * double(bar) + (width - drawn) / 2, area.bottom() - height, drawn, height);
        painter.fillRect(width > 3 ? shape.adjusted(1, 0, -1, 0) : shape, colors.series[0]);
    }
    painter.setPen(colors.border);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setPen(colors.muted);
    const QRectF foot(area.left(), area.bottom(), area.width(), height() - area.bottom());
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, minuteText(m_span.from));
    painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, minuteText(startOf(int(m_counts.size()))));
    paintDate(painter, area);
    theme::paintFocus(painter, *this);
}

void FamilyChart::paintDate(QPainter& painter, const QRectF& area) const
{
    if (!m_date)
        return;
    const ThemeColors& colors = theme::colors(palette());
    const auto [before, after] = m_family->around(*m_date);
    const double x = area.left() + std::clamp(timeScale().xOf(m_date->us), 0.0, area.width());
    painter.setPen(QPen(colors.accent, 2, Qt::DashLine));
    painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.bottom()));
    painter.drawText(QRectF(area.left(), 0, area.width(), area.top()), Qt::AlignRight | Qt::AlignVCenter,
        u"before: %1, from then on: %2"_s.arg(before).arg(after));
}

void FamilyChart::mousePressEvent(QMouseEvent* event)
{
    if (const int bar = barAt(event->position().x()); bar >= 0 && event->button() == Qt::LeftButton)
        Q_EMIT dateChosen(startOf(bar));
}

void FamilyChart::mouseMoveEvent(QMouseEvent* event)
{
    if (const int bar = barAt(event->position().x()); bar >= 0 && event->buttons().testFlag(Qt::LeftButton))
        Q_EMIT dateChosen(startOf(bar));
}

void FamilyChart::keyPressEvent(QKeyEvent* event)
{
    const bool isLeft = event->key() == Qt::Key_Left;
    if (m_counts.isEmpty() || (!isLeft && event->key() != Qt::Key_Right)) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int last = int(m_counts.size());
    int bar = isLeft ? last : 0; // without a date: from the other end
    if (m_date)
        bar = std::clamp(int((*m_date - m_span.from) / m_span.step) + (isLeft ? -1 : 1), 0, last);
    Q_EMIT dateChosen(startOf(bar));
}

bool FamilyChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int bar = barAt(help->pos().x());
    if (bar < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(),
            u"%1 from %2 on, for one %3. A click divides before and after here."_s.arg(m_counts[bar])
                .arg(dateTimeText(startOf(bar)), m_span.stepName()),
            this);
    return true;
}

} // namespace lockscope::ui
