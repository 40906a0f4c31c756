// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/TimeChart.h"

#include "core/base/Duration.h"
#include "ui/theme/Theme.h"

#include <QEvent>
#include <QGraphicsLayout>
#include <QtCharts/QAreaSeries>
#include <QtCharts/QCategoryAxis>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLineSeries>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double shownSeconds = 15 * 60;

/// The next value that divides into few round steps.
double roundTop(double highest, TimeChart::Unit unit)
{
    static constexpr std::array durations{10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1'200.0, 1'800.0, 3'600.0,
        7'200.0, 14'400.0, 43'200.0, 86'400.0};
    if (unit == TimeChart::Unit::Duration) {
        const auto* const found = std::lower_bound(durations.begin(), durations.end(), highest);
        return found == durations.end() ? std::ceil(highest / 86'400) * 86'400 : *found;
    }
    if (highest <= 4)
        return 4;
    const double power = std::pow(10.0, std::floor(std::log10(highest)));
    for (const double factor : {1.0, 2.0, 4.0, 6.0, 8.0, 10.0}) {
        if (factor * power >= highest)
            return factor * power;
    }
    return highest;
}

QString label(double value, TimeChart::Unit unit)
{
    if (unit == TimeChart::Unit::Count)
        return QString::number(value, 'g', 6);
    return formatDuration(milliseconds(static_cast<qint64>(value * 1'000)));
}

} // namespace

TimeChart::TimeChart(Kind kind, Unit unit, QWidget* parent)
    : QChartView(parent)
    , m_kind(kind)
    , m_unit(unit)
    , m_time(new QCategoryAxis(this))
    , m_value(new QCategoryAxis(this))
{
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing, false);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QChart* const plot = chart();
    plot->legend()->hide();
    plot->setAnimationOptions(QChart::NoAnimation);
    plot->setBackgroundVisible(false);
    plot->setMargins(QMargins(6, 8, 18, 0));
    plot->layout()->setContentsMargins(0, 0, 0, 0);
    setBackgroundBrush(Qt::NoBrush);
    viewport()->setAutoFillBackground(false);

    m_time->setRange(-shownSeconds, 0);
    m_time->setStartValue(-shownSeconds - 1);
    m_time->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    m_time->append(u"−15"_s, -shownSeconds);
    m_time->append(u"−10"_s, -600);
    m_time->append(u"−5"_s, -300);
    m_time->append(u"now"_s, 0);
    m_value->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    plot->addAxis(m_time, Qt::AlignBottom);
    plot->addAxis(m_value, Qt::AlignLeft);
    for (QCategoryAxis* axis : {m_time, m_value}) {
        axis->setLabelsFont(theme::scaled(0.82));
        axis->setTruncateLabels(false);
        axis->setLineVisible(false);
    }
    scaleTo(0);
    applyColors();
}

void TimeChart::setData(const QList<ChartSeries>& series, const QList<ChartGap>& gaps)
{
    ensureBands(static_cast<int>(series.size()));
    double highest = 0;
    for (qsizetype i = 0; i < m_bands.size(); ++i) {
        // Fewer names than before: the spare bands stay, without points.
        const QList<QPointF> upper = i < series.size() ? series[i].points : QList<QPointF>();
        for (const QPointF& point : upper)
            highest = std::max(highest, point.y());
        QList<QPointF> lower = i > 0 && i - 1 < series.size() ? series[i - 1].points : upper;
        if (m_kind == Kind::Line || i == 0) {
            for (QPointF& point : lower)
                point.setY(0);
        }
        m_bands[i].upper->replace(upper);
        m_bands[i].lower->replace(upper.isEmpty() ? QList<QPointF>() : lower);
    }
    scaleTo(highest);
    m_gaps = gaps;
    viewport()->update();
}

int TimeChart::plotPixels() const
{
    return std::max(50, static_cast<int>(chart()->plotArea().width()));
}

QColor TimeChart::seriesColor(int index, int count) const
{
    const ThemeColors& colors = theme::colors(palette());
    if (m_kind == Kind::Stacked && index == count - 1)
        return colors.other;
    return colors.series[static_cast<size_t>(index) % colors.series.size()];
}

void TimeChart::ensureBands(int count)
{
    if (m_bands.size() >= count)
        return;
    while (m_bands.size() < count) {
        Band band{new QLineSeries(this), new QLineSeries(this), nullptr};
        band.area = new QAreaSeries(band.upper, band.lower);
        chart()->addSeries(band.area);
        band.area->attachAxis(m_time);
        band.area->attachAxis(m_value);
        m_bands.append(band);
    }
    applyColors();
}

void TimeChart::applyColors()
{
    const ThemeColors& colors = theme::colors(palette());
    for (QCategoryAxis* axis : {m_time, m_value}) {
        axis->setLabelsColor(colors.muted);
        axis->setGridLinePen(QPen(colors.grid, 1));
    }
    m_time->setGridLineVisible(false);
    const int count = static_cast<int>(m_bands.size());
    for (int i = 0; i < count; ++i) {
        const QColor color = seriesColor(i, count);
        QColor fill = color;
        fill.setAlphaF(m_kind == Kind::Line ? 0.22F : 0.85F);
        m_bands[i].area->setBrush(fill);
        m_bands[i].area->setPen(m_kind == Kind::Line ? QPen(color, 1.6) : QPen(Qt::NoPen));
    }
}

void TimeChart::scaleTo(double highest)
{
    const double top = roundTop(highest, m_unit);
    if (top == m_top)
        return;
    m_top = top;
    for (const QString& old : m_value->categoriesLabels())
        m_value->remove(old);
    m_value->setRange(0, top);
    m_value->setStartValue(-1);
    for (const double part : {0.0, 0.5, 1.0})
        m_value->append(label(top * part, m_unit), top * part);
}

void TimeChart::drawForeground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawForeground(painter, rect);
    const QRectF plot = chart()->plotArea();
    const ThemeColors& colors = theme::colors(palette());
    for (const ChartGap& gap : m_gaps) {
        const double left = plot.right() + gap.from / shownSeconds * plot.width();
        const double right = plot.right() + gap.to / shownSeconds * plot.width();
        const QRectF band(
            std::max(left, plot.left()), plot.top(), right - std::max(left, plot.left()), plot.height());
        painter->fillRect(band, theme::colors(palette()).card);
        painter->fillRect(band, QBrush(colors.border, Qt::BDiagPattern));
    }
}

void TimeChart::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        applyColors();
    QChartView::changeEvent(event);
}

} // namespace lockscope::ui
