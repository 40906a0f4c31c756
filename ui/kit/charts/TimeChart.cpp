// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/TimeChart.h"

#include "core/base/Duration.h"
#include "core/base/ServerTime.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QEvent>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QMouseEvent>
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

constexpr double nearEnough = 6; // pixels from a point that stands alone

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
    for (const double factor : {1.0, 2.0, 4.0, 6.0, 8.0, 10.0})
        if (factor * power >= highest)
            return factor * power;
    return highest;
}

QString label(double value, TimeChart::Unit unit)
{
    if (unit == TimeChart::Unit::Count)
        return QString::number(value, 'g', 6);
    return durationInWords(milliseconds(static_cast<qint64>(value * 1'000)));
}

} // namespace

void setUpPlot(QChartView& view, const QString& title, const QMargins& margins)
{
    view.setAccessibleName(title);
    view.setFrameShape(QFrame::NoFrame);
    view.setRenderHint(QPainter::Antialiasing, false);
    view.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view.setBackgroundBrush(Qt::NoBrush);
    view.viewport()->setAutoFillBackground(false);
    view.chart()->setAnimationOptions(QChart::NoAnimation);
    view.chart()->setBackgroundVisible(false);
    view.chart()->setMargins(margins);
    view.chart()->layout()->setContentsMargins(0, 0, 0, 0);
}

TimeChart::TimeChart(Kind kind, Unit unit, const QString& title, QWidget* parent)
    : QChartView(parent)
    , m_kind(kind)
    , m_unit(unit)
    , m_time(new QCategoryAxis(this))
    , m_value(new QCategoryAxis(this))
{
    setUpPlot(*this, title, {6, 8, 18, 0});
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
    QChart* const plot = chart();
    plot->legend()->hide();
    m_time->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    m_value->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    plot->addAxis(m_time, Qt::AlignBottom);
    plot->addAxis(m_value, Qt::AlignLeft);
    for (QCategoryAxis* axis : {m_time, m_value}) {
        axis->setLabelsFont(theme::scaled(0.82));
        axis->setTruncateLabels(false);
        axis->setLineVisible(false);
    }
    m_data.shown = {};
    showTime(ChartData().shown, false);
    scaleTo(0);
    applyColors();
}

void TimeChart::setData(const ChartData& given)
{
    const QList<ChartSeries>& series = given.series;
    ensureBands(static_cast<int>(series.size()));
    showTime(given.shown, given.isPast);
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
    m_data = given;
    // A time that is not shown any more, or of another server or clock, has no values.
    if (m_marked && (pointMarked() < 0 || *m_marked < m_data.newest - microseconds(m_data.shown)))
        mark(-1);
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
        fill.setAlphaF(m_kind == Kind::Line ? 0.22F : 1.0F); // a paler band would be hard to see
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

void TimeChart::showTime(std::chrono::seconds shown, bool isPast)
{
    if (shown == m_data.shown && isPast == m_data.isPast)
        return;
    m_data.shown = shown;
    m_data.isPast = isPast;
    for (const QString& old : m_time->categoriesLabels())
        m_time->remove(old);
    const auto seconds = static_cast<double>(shown.count());
    m_time->setRange(-seconds, 0);
    m_time->setStartValue(-seconds - 1);
    for (const AxisTick& tick : ticksBefore(shown, isPast ? u"then"_s : u"now"_s))
        m_time->append(tick.text, static_cast<double>(tick.at) / 1e6);
}

QStringList TimeChart::timeLabels() const
{
    return m_time->categoriesLabels();
}

TimeScale TimeChart::timeScale() const
{
    return {(m_data.newest - microseconds(m_data.shown)).us, m_data.newest.us,
        std::max(1, qRound(chart()->plotArea().width()))};
}

int TimeChart::pointAt(double x) const
{
    if (m_data.series.isEmpty() || m_data.series.first().points.isEmpty())
        return -1;
    const TimeScale scale = timeScale();
    const ServerTime at{scale.at(x - chart()->plotArea().left())};
    const microseconds reach(scale.at(nearEnough) - scale.from);
    for (const ChartGap& gap : m_data.gaps)
        if (at > gap.from + reach && at < gap.to - reach)
            return -1;
    const QList<QPointF>& points = m_data.series.first().points;
    const double seconds = static_cast<double>((at - m_data.newest).count()) / 1e6;
    const auto nearest = std::ranges::min_element(
        points, {}, [seconds](const QPointF& point) { return std::abs(point.x() - seconds); });
    return at < timeOf(0) - reach ? -1 : static_cast<int>(nearest - points.cbegin());
}

ServerTime TimeChart::timeOf(int point) const
{
    const double seconds = m_data.series.first().points[point].x();
    return m_data.newest + microseconds(static_cast<qint64>(std::llround(seconds * 1e6)));
}

void TimeChart::mark(int point)
{
    m_marked = point < 0 ? std::nullopt : std::optional(timeOf(point));
    setAccessibleDescription(markedText());
    // Names are shown as they are, whatever is in them.
    const QString ofRows = m_marked && *m_marked != m_data.newest
        ? u"<br><i>Only figures of that time are kept, no rows.</i>"_s
        : QString();
    viewport()->setToolTip(m_marked ? u"<qt>%1<br>%2%3</qt>"_s.arg(clockText(*m_marked),
                               htmlText(markedValues().join(u'\n')).replace(u'\n', u"<br>"_s), ofRows)
                                    : QString());
    viewport()->update();
}

/// Returns the first point that is not before the marked time: where points share a pixel, the last one is
/// drawn.
int TimeChart::pointMarked() const
{
    const qsizetype count = m_data.series.isEmpty() ? 0 : m_data.series.first().points.size();
    for (int point = 0; m_marked && point < count; ++point)
        if (timeOf(point) >= *m_marked)
            return point;
    return -1;
}

QStringList TimeChart::markedValues() const
{
    const int point = pointMarked();
    if (point < 0)
        return {};
    QStringList values;
    double below = 0;
    for (const ChartSeries& series : m_data.series) {
        const double edge = series.points.value(point).y();
        if (m_kind == Kind::Line)
            values << label(edge, m_unit);
        else if (edge > below)
            values << u"%1 %2"_s.arg(inOneLine(series.name), label(edge - below, m_unit));
        below = m_kind == Kind::Line ? 0 : edge;
    }
    return values.isEmpty() ? QStringList{m_data.nothing} : values;
}

QString TimeChart::markedText() const
{
    return m_marked ? u"%1: %2"_s.arg(clockText(*m_marked), markedValues().join(u", "_s)) : QString();
}

void TimeChart::choose(int point)
{
    Q_EMIT timeChosen(point < 0 ? ServerTime() : timeOf(point));
}

void TimeChart::mouseMoveEvent(QMouseEvent* event)
{
    mark(pointAt(event->position().x()));
    QChartView::mouseMoveEvent(event);
}

void TimeChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && !m_data.series.isEmpty())
        choose(pointAt(event->position().x()));
    else
        QChartView::mousePressEvent(event);
}

void TimeChart::keyPressEvent(QKeyEvent* event)
{
    const QList<QPointF> points = m_data.series.isEmpty() ? QList<QPointF>() : m_data.series.first().points;
    const int last = static_cast<int>(points.size()) - 1;
    if (last < 0) {
        QChartView::keyPressEvent(event);
        return;
    }
    int at = last;
    while (m_marked && at > 0 && timeOf(at) > *m_marked)
        --at;
    switch (event->key()) {
    case Qt::Key_Left:
        mark(m_marked ? std::max(0, at - 1) : last);
        break;
    case Qt::Key_Right:
        mark(std::min(last, at + 1));
        break;
    case Qt::Key_Home:
        mark(0);
        break;
    case Qt::Key_End:
        mark(last);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(at);
        break;
    default:
        QChartView::keyPressEvent(event);
        return;
    }
    event->accept();
}

void TimeChart::leaveEvent(QEvent* event)
{
    mark(-1);
    QChartView::leaveEvent(event);
}

void TimeChart::focusOutEvent(QFocusEvent* event)
{
    mark(-1);
    QChartView::focusOutEvent(event);
}

void TimeChart::drawForeground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawForeground(painter, rect);
    const QRectF plot = chart()->plotArea();
    const ThemeColors& colors = theme::colors(palette());
    const TimeScale scale = timeScale();
    for (const ChartGap& gap : m_data.gaps) {
        const auto shown = scale.visible(gap.from.us, gap.to.us);
        if (!shown)
            continue;
        const QRectF band(plot.left() + shown->left, plot.top(), shown->width(), plot.height());
        painter->fillRect(band, colors.card);
        painter->fillRect(band, QBrush(colors.border, Qt::BDiagPattern));
    }
    if (m_marked) {
        const double x = plot.left() + scale.xOf(m_marked->us);
        if (x >= plot.left() && x <= plot.right() + 1) {
            painter->setPen(QPen(palette().color(QPalette::WindowText), 1, Qt::DashLine));
            painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        }
    }
    if (!m_data.note.isEmpty()) {
        painter->setPen(palette().color(QPalette::WindowText));
        painter->setFont(theme::scaled(0.92, QFont::DemiBold));
        painter->drawText(plot.adjusted(4, 2, -4, 0), Qt::AlignRight | Qt::AlignTop, m_data.note);
    }
    theme::paintFocus(*painter, *this);
}

void TimeChart::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        applyColors();
    QChartView::changeEvent(event);
}

} // namespace lockscope::ui
