// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/BarChart.h"

#include "ui/kit/charts/TimeChart.h"
#include "ui/kit/theme/Theme.h"

#include <QEvent>
#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QBarSeries>
#include <QtCharts/QBarSet>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLogValueAxis>
#include <QtCharts/QValueAxis>

#include <algorithm>
#include <cmath>

namespace lockscope::ui {

BarChart::BarChart(const QString& title, Scale scale, QWidget* parent)
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
}

void BarChart::show(const QStringList& categories, const QList<Bars>& bars, bool alarm)
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

void BarChart::applyColors()
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

void BarChart::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        applyColors();
    QChartView::changeEvent(event);
}

} // namespace lockscope::ui
