// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/OverviewCharts.h"

#include "ui/charts/Card.h"
#include "ui/charts/Series.h"
#include "ui/charts/TimeChart.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::HistorySample;

namespace {

constexpr int chartNames = 5;

} // namespace

OverviewCharts::OverviewCharts(QWidget* parent)
    : QWidget(parent)
    , m_waitersCard(new Card(u"Waiters by table or lock"_s, this))
    , m_waitersChart(new TimeChart(
          TimeChart::Kind::Stacked, TimeChart::Unit::Count, u"Waiters by table or lock"_s, this))
    , m_legend(new Legend(this))
    , m_slots(chartNames)
{
    auto* split = new QHBoxLayout;
    split->setSpacing(12);
    split->addWidget(m_waitersChart, 1);
    split->addWidget(m_legend);
    m_waitersCard->body()->addLayout(split);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    column->addWidget(m_waitersCard, 4);
    column->addLayout(chartsRow(), 3);
    for (const auto& [chart, which] :
        {std::pair(m_waitersChart, Chart::Waiters), std::pair(m_longestChart, Chart::Longest),
            std::pair(m_staleChart, Chart::Stale), std::pair(m_holdersChart, Chart::Holders)}) {
        connect(chart, &TimeChart::momentChosen, this,
            [this, which = which](ServerTime moment) { Q_EMIT momentChosen(which, moment); });
    }
}

QLayout* OverviewCharts::chartsRow()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    const auto make = [&](const QString& title, TimeChart::Unit unit, TimeChart*& chart) {
        auto* card = new Card(title, this);
        chart = new TimeChart(TimeChart::Kind::Line, unit, title, this);
        card->body()->addWidget(chart);
        row->addWidget(card, 1);
        m_smaller.append(card);
    };
    make(u"Longest wait"_s, TimeChart::Unit::Duration, m_longestChart);
    make(u"Stale entries"_s, TimeChart::Unit::Count, m_staleChart);
    make(u"Locks held"_s, TimeChart::Unit::Count, m_holdersChart);
    return row;
}

void OverviewCharts::setSmallerShown(bool shown)
{
    for (Card* card : std::as_const(m_smaller))
        card->setVisible(shown);
    static_cast<QBoxLayout*>(layout())->setStretch(1, shown ? 3 : 0);
}

void OverviewCharts::setHistory(const monitor::History* history, bool isPast)
{
    m_history = history;
    m_isPast = isPast;
    m_slots.clear();
    refresh();
}

void OverviewCharts::refresh()
{
    if (!m_history)
        return;
    ChartData chartData;
    chartData.gaps = gapsOf(*m_history);
    chartData.isPast = m_isPast;
    chartData.shown = shownTime(*m_history);
    chartData.newest = m_history->samples().empty() ? ServerTime() : m_history->samples().back().at;
    const auto line = [&](TimeChart* chart, auto value) {
        chartData.series = {lineOf(*m_history, chartData.shown, chart->plotPixels(), QString(), value)};
        chart->setData(chartData);
    };
    line(m_longestChart,
        [](const HistorySample& s) { return static_cast<double>(s.longestWait.value.count()) / 1e3; });
    line(m_staleChart, [](const HistorySample& s) { return s.stale; });
    line(m_holdersChart, [](const HistorySample& s) { return s.holders; });

    const QStringList names = m_slots.place(mostWaitedFor(*m_history, chartNames));
    chartData.series =
        stackedWaiters(*m_history, chartData.shown, m_waitersChart->plotPixels(), names, u"all others"_s);
    const QList<ChartSeries>& shown = chartData.series;
    m_waitersChart->setData(chartData);
    m_waitersCard->setTitle((m_isPast ? u"Waiters by table or lock, %1 minutes before"_s
                                      : u"Waiters by table or lock, last %1 minutes"_s)
                                .arg(chartData.shown.count() / 60));
    QList<Legend::Entry> entries;
    for (int i = 0; i < shown.size(); ++i) {
        const bool rest = i == shown.size() - 1;
        if (shown[i].name.isEmpty() || (rest && names.contains(QString())))
            continue;
        entries.append({m_waitersChart->seriesColor(i, static_cast<int>(shown.size())), shown[i].name,
            QString::number(shown[i].latest)});
    }
    m_legend->setEntries(entries);
    m_waitersCard->setNote(m_history->samples().empty()
            ? QString()
            : (m_isPast ? u"%1 then"_s : u"%1 now"_s).arg(m_history->samples().back().waiters));
}

void OverviewCharts::empty()
{
    for (TimeChart* chart : {m_waitersChart, m_longestChart, m_staleChart, m_holdersChart})
        chart->setData({});
    m_legend->setEntries({});
    m_waitersCard->setNote({});
}

void OverviewCharts::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    refresh();
}

void OverviewCharts::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

} // namespace lockscope::ui
