// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ComparisonPanel.h"

#include "core/scenario/run/FreeRun.h"
#include "ui/kit/charts/Card.h"
#include "ui/kit/charts/TimeChart.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QGraphicsLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QBarSeries>
#include <QtCharts/QBarSet>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLegend>
#include <QtCharts/QLogValueAxis>
#include <QtCharts/QValueAxis>

#include <algorithm>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

/// One group of bars for each variant. Colours, axis and numbers follow the theme.
class BarChart : public QChartView {
public:
    enum class Scale { Linear, Logarithmic };
    /// `title` is what a reader with no sight hears.
    BarChart(const QString& title, Scale scale, QWidget* parent = nullptr)
        : QChartView(parent)
        , m_series(new QBarSeries(this))
        , m_categories(new QBarCategoryAxis(this))
    {
        setUpPlot(*this, title, {2, 4, 6, 0});
        setFocusPolicy(Qt::NoFocus);
        QChart* const plot = chart();
        plot->legend()->setAlignment(Qt::AlignTop);
        plot->legend()->setMarkerShape(QLegend::MarkerShapeRectangle);
        plot->addSeries(m_series);
        m_series->setBarWidth(0.7);
        plot->addAxis(m_categories, Qt::AlignBottom);
        m_series->attachAxis(m_categories);
        QAbstractAxis* values = nullptr;
        if (scale == Scale::Linear) {
            values = m_linear = new QValueAxis(this);
            m_linear->setLabelFormat(QStringLiteral("%.0f"));
            m_linear->setTickCount(3);
        } else {
            values = m_logarithmic = new QLogValueAxis(this);
            m_logarithmic->setBase(10);
            m_logarithmic->setLabelFormat(QStringLiteral("%g"));
        }
        plot->addAxis(values, Qt::AlignLeft);
        m_series->attachAxis(values);
        for (QAbstractAxis* axis : std::initializer_list<QAbstractAxis*>{m_categories, values}) {
            axis->setLabelsFont(theme::scaled(0.8));
            axis->setLineVisible(false);
        }
        m_categories->setGridLineVisible(false);
        plot->legend()->setFont(theme::scaled(0.8));
        theme::whenRecolored(*this, [this] { applyColors(); });
    }

    struct Bars {
        QString name; ///< of the series, in the legend; empty = no legend
        QList<double> values; ///< one for each category
    };
    /// `alarm`: the bars of these are bad.
    void show(const QStringList& categories, const QList<Bars>& bars, bool alarm = false)
    {
        m_isAlarm = alarm;
        double highest = 0;
        double lowest = 1e12;
        for (const Bars& each : bars) {
            for (const double value : each.values) {
                highest = std::max(highest, value);
                if (value > 0)
                    lowest = std::min(lowest, value);
            }
        }
        // A bar needs a foot below it, where an axis of powers has none.
        const double foot = std::pow(10.0, std::floor(std::log10(std::min(lowest, std::max(highest, 1.0)))));
        m_series->clear();
        QStringList texts;
        for (const Bars& each : bars) {
            auto* set = new QBarSet(each.name);
            for (qsizetype i = 0; i < each.values.size(); ++i) {
                *set << (m_logarithmic ? std::max(each.values[i], foot) : each.values[i]);
                texts << QStringLiteral("%1 %2 %3")
                             .arg(categories.value(i), each.name, QString::number(each.values[i], 'g', 4));
            }
            m_series->append(set);
        }
        m_categories->setCategories(categories);
        if (m_linear) {
            m_linear->setRange(0, highest > 0 ? highest : 1);
            m_linear->applyNiceNumbers();
            m_linear->setLabelFormat(m_linear->max() < 5 ? QStringLiteral("%.1f") : QStringLiteral("%.0f"));
        } else {
            const double top = std::pow(10.0, std::ceil(std::log10(std::max(highest, foot * 1.01))));
            m_logarithmic->setRange(foot, top);
        }
        chart()->legend()->setVisible(bars.size() > 1);
        setToolTip(texts.join(QLatin1Char('\n')));
        setAccessibleDescription(texts.join(QStringLiteral("; ")));
        applyColors();
    }

protected:
    QSize sizeHint() const override { return {240, 150}; }
    QSize minimumSizeHint() const override { return {130, 76}; }

private:
    void applyColors()
    {
        const ThemeColors& colors = theme::colors(palette());
        const auto sets = m_series->barSets();
        for (qsizetype i = 0; i < sets.size(); ++i) {
            // From light to strong: the middle, most, the longest.
            static constexpr std::array order{4, 0, 1};
            const QColor color = m_isAlarm ? colors.red
                : sets.size() == 1         ? colors.series[0]
                                           : colors.series[static_cast<std::size_t>(order[i % order.size()])];
            sets[i]->setColor(color);
            sets[i]->setBorderColor(color);
        }
        for (QAbstractAxis* axis : chart()->axes()) {
            axis->setLabelsColor(colors.muted);
            axis->setGridLineColor(colors.grid);
        }
        chart()->legend()->setLabelColor(palette().color(QPalette::WindowText));
    }

    QBarSeries* m_series;
    QBarCategoryAxis* m_categories;
    QValueAxis* m_linear = nullptr;
    QLogValueAxis* m_logarithmic = nullptr;
    bool m_isAlarm = false;
};

namespace {

constexpr int paperWidth = 1'080;
constexpr int paperHead = 48;
constexpr int paperChartHeight = 250; ///< with their titles
constexpr int paperMargin = 10;
const QString comparisonGroup = QStringLiteral("pages/scenarios/comparison");

} // namespace

ComparisonPanel::Charts::Charts(QWidget* parent)
    : throughput(new BarChart(u"Throughput"_s, BarChart::Scale::Linear, parent))
    , waits(new BarChart(u"Waits"_s, BarChart::Scale::Logarithmic, parent))
    , violations(new BarChart(u"Violations"_s, BarChart::Scale::Linear, parent))
{
}

ComparisonPanel::ComparisonPanel(QSettings& settings, QWidget* parent)
    : QWidget(parent)
    , m_charts(this)
    , m_table(
          new ReportTable(u"variantTable"_s, u"Variants"_s, scenario::toReport({}).sections.front(), this))
{
    auto* charts = withSpacing(new QHBoxLayout, 8);
    const auto add = [&](const QString& title, const QString& note, BarChart* chart, int share) {
        auto* card = new Card(title, this);
        card->setNote(note);
        card->body()->addWidget(chart, 1);
        charts->addWidget(card, share);
    };
    add(u"Throughput"_s, u"per second"_s, m_charts.throughput, 5);
    add(u"Waits"_s, u"ms, powers of ten"_s, m_charts.waits, 8);
    add(u"Violations"_s, {}, m_charts.violations, 5);
    m_table->setEmptyState(u"No variant has run yet"_s,
        u"“Compare variants” runs all of them, one after the other, with the same seed."_s);
    m_table->restoreLayout(settings, comparisonGroup);
    addAll(*withMargins(new QVBoxLayout(this), {0, 8, 0, 0}, 8), {{charts, 3}, {m_table, 2}});
    m_table->setMinimumHeight(64);
    connect(m_table, &TableView::currentRowChanged, this, [this] {
        if (const report::ReportRow* row = m_table->chosenRow())
            Q_EMIT chosen(row->key);
    });
}

void ComparisonPanel::show(const std::vector<RunReportPtr>& reports)
{
    m_reports = reports;
    m_table->showRows(report().sections.front());
    m_charts.show(reports);
}

report::Report ComparisonPanel::report() const
{
    return scenario::toReport(m_reports);
}

void ComparisonPanel::Charts::show(const std::vector<RunReportPtr>& reports)
{
    QStringList names;
    BarChart::Bars speed;
    BarChart::Bars half{u"median"_s, {}};
    BarChart::Bars maximum{u"95 %"_s, {}};
    BarChart::Bars longest{u"longest"_s, {}};
    BarChart::Bars broken;
    const bool hasItems = std::any_of(
        reports.begin(), reports.end(), [](const RunReportPtr& each) { return each->counts.processed > 0; });
    for (const RunReportPtr& report : reports) {
        names << scenario::variantLetter(static_cast<std::size_t>(names.size()));
        speed.values << (hasItems ? report->itemsPerSecond() : report->roundsPerSecond());
        half.values << double(report->waits.quantile(0.5).count()) / 1e3;
        maximum.values << double(report->waits.quantile(0.95).count()) / 1e3;
        longest.values << double(report->waits.longest().count()) / 1e3;
        broken.values << double(report->violations.total());
    }
    throughput->show(names, {speed});
    waits->show(names, {half, maximum, longest});
    violations->show(names, {broken}, true);
}

void ComparisonPanel::saveLayout(QSettings& settings) const
{
    m_table->saveLayout(settings, comparisonGroup);
}

QSize ComparisonPanel::chartsSize() const
{
    const int line = QFontMetrics(theme::scaled(1.0)).height() + 3;
    return {
        paperWidth, paperHead + paperChartHeight + static_cast<int>(m_reports.size()) * line + paperMargin};
}

void ComparisonPanel::paintCharts(QPainter& painter) const
{
    // Those on view have the window's proportions.
    QWidget paper;
    paper.setAttribute(Qt::WA_DontShowOnScreen);
    Charts charts(&paper);
    charts.show(m_reports);
    painter.fillRect(QRect({}, chartsSize()), palette().color(QPalette::Base));
    if (m_reports.empty())
        return;
    painter.setPen(palette().color(QPalette::Text));
    painter.setFont(theme::scaled(1.35, QFont::DemiBold));
    painter.drawText(QRect(paperMargin + 8, 0, paperWidth, paperHead),
        static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), m_reports.front()->scenario->title);
    const int width = (paperWidth - 2 * paperMargin) / 3;
    const int titleHeight = QFontMetrics(theme::scaled(1.1)).height() + 6;
    int x = paperMargin;
    for (BarChart* chart : {charts.throughput, charts.waits, charts.violations}) {
        chart->setGeometry(x, 0, width, paperChartHeight - titleHeight - paperMargin);
        x += width;
    }
    paper.resize(chartsSize());
    paper.show(); // for the charts to take their places
    const auto left = static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    const std::pair<BarChart*, QString> parts[] = {{charts.throughput, u"Throughput, per second"_s},
        {charts.waits, u"Waits, ms in powers of ten"_s}, {charts.violations, u"Violations"_s}};
    for (const auto& [chart, title] : parts) {
        const QRect box(chart->x(), paperHead, width, titleHeight);
        painter.setFont(theme::scaled(1.1, QFont::DemiBold));
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(box.adjusted(8, 0, 0, 0), left, title);
        chart->chart()->layout()->activate();
        chart->scene()->render(&painter, QRectF(QPointF(box.left(), box.bottom()), chart->size()));
    }
    painter.setFont(theme::scaled(1.0));
    const int line = painter.fontMetrics().height() + 3;
    QRect place(
        paperMargin + 8, paperHead + paperChartHeight - paperMargin, paperWidth - 2 * paperMargin, line);
    for (std::size_t i = 0; i < m_reports.size(); ++i, place.translate(0, line))
        painter.drawText(place, left,
            QStringLiteral("%1 – %2").arg(
                scenario::variantLetter(i), m_reports[i]->scenario->find(m_reports[i]->variant)->title));
}

} // namespace lockscope::ui
