// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/ComparisonPanel.h"

#include "ui/charts/Card.h"
#include "ui/scenario/BarChart.h"
#include "ui/theme/Theme.h"
#include "ui/widgets/TableView.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace lockscope::ui {

namespace {

const QString layoutGroup = QStringLiteral("pages/scenarios/comparison");

} // namespace

ComparisonPanel::ComparisonPanel(QSettings& settings, QWidget* parent)
    : QWidget(parent)
    , m_model(new VariantModel(this))
    , m_throughput(new BarChart(tr("Throughput"), BarChart::Scale::Linear, this))
    , m_waits(new BarChart(tr("Waits"), BarChart::Scale::Logarithmic, this))
    , m_violations(new BarChart(tr("Violations"), BarChart::Scale::Linear, this))
    , m_table(new TableView(*m_model, this))
{
    auto* charts = new QHBoxLayout;
    charts->setSpacing(8);
    const auto add = [&](const QString& title, const QString& note, BarChart* chart, int share) {
        auto* card = new Card(title, this);
        card->setNote(note);
        card->body()->addWidget(chart, 1);
        charts->addWidget(card, share);
    };
    add(tr("Throughput"), tr("per second"), m_throughput, 3);
    add(tr("Waits"), tr("ms, powers of ten"), m_waits, 4);
    add(tr("Violations"), tr("the less, the better"), m_violations, 3);
    m_table->setObjectName(QStringLiteral("variantTable"));
    m_table->setAccessibleName(tr("Variants"));
    m_table->setEmptyState(tr("No variant has run yet"),
        tr("“Compare variants” runs all of them, one after the other, with the same seed."));
    m_table->restoreLayout(settings, layoutGroup);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 8, 0, 0);
    column->setSpacing(8);
    column->addLayout(charts, 3);
    column->addWidget(m_table, 2);
    m_table->setMinimumHeight(90);
    connect(m_table, &TableView::currentRowChanged, this, [this] {
        if (const int row = m_table->currentViewRow(); row >= 0)
            Q_EMIT chosen(m_model->rowAt(row)->variant);
    });
    connect(m_table, &TableView::statusMessage, this, &ComparisonPanel::statusMessage);
    connect(m_table, &TableView::exportRequested, this, &ComparisonPanel::exportRequested);
}

void ComparisonPanel::show(const std::vector<RunReportPtr>& reports)
{
    m_model->show(reports);
    QStringList names;
    BarChart::Bars speed;
    BarChart::Bars half{tr("half below"), {}};
    BarChart::Bars most{tr("95 % below"), {}};
    BarChart::Bars longest{tr("longest"), {}};
    BarChart::Bars violations;
    const bool hasItems = std::any_of(
        reports.begin(), reports.end(), [](const RunReportPtr& each) { return each->counts.processed > 0; });
    for (const RunReportPtr& report : reports) {
        names << variantLetter(static_cast<std::size_t>(names.size()));
        speed.values << (hasItems ? report->itemsPerSecond() : report->roundsPerSecond());
        half.values << double(report->waits.quantile(0.5).count()) / 1e3;
        most.values << double(report->waits.quantile(0.95).count()) / 1e3;
        longest.values << double(report->waits.longest().count()) / 1e3;
        violations.values << double(report->judgement.total());
    }
    m_throughput->show(names, {speed});
    m_waits->show(names, {half, most, longest});
    m_violations->show(names, {violations}, true);
}

void ComparisonPanel::saveLayout(QSettings& settings) const
{
    m_table->saveLayout(settings, layoutGroup);
}

QSize ComparisonPanel::chartsSize() const
{
    return {1'080, 260};
}

void ComparisonPanel::paintCharts(QPainter& painter, const QRectF& area) const
{
    constexpr double titleHeight = 24;
    const double width = area.width() / 3;
    int place = 0;
    for (BarChart* chart : {m_throughput, m_waits, m_violations}) {
        const QRectF box(area.x() + place++ * width, area.y(), width, area.height());
        painter.setFont(theme::scaled(1.0, QFont::DemiBold));
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(box.adjusted(8, 4, -8, 0), static_cast<int>(Qt::AlignLeft | Qt::AlignTop),
            chart->accessibleName());
        chart->scene()->render(&painter, box.adjusted(0, titleHeight, 0, 0), {}, Qt::KeepAspectRatio);
    }
}

} // namespace lockscope::ui
