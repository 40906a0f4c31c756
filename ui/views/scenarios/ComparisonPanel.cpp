// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ComparisonPanel.h"

#include "core/scenario/run/RunTable.h"
#include "ui/kit/charts/BarChart.h"
#include "ui/kit/charts/Card.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QGraphicsLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <QtCharts/QChart>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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
    connect(m_table, &TableView::statusMessage, this, &ComparisonPanel::statusMessage);
    connect(m_table, &TableView::exportRequested, this, &ComparisonPanel::exportRequested);
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
