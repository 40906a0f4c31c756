// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/charts/Series.h"

#include <QComboBox>
#include <QWidget>

class QLayout;

namespace lockscope::ui {

class Card;
class Legend;
class TimeChart;
struct ChartData;

/// The charts of the overview: the last minutes of the server on view.
class OverviewCharts : public QWidget {
    Q_OBJECT

public:
    enum class Chart { Waiters, Longest, Stale, Holders, Sessions };
    Q_ENUM(Chart)

    explicit OverviewCharts(QWidget* parent = nullptr);

    /// The great chart shows one of these.
    enum class Choice { Waiters, Sessions, Transactions, Lag, Counted };
    Q_ENUM(Choice)
    /// All but the great one.
    void setSmallerShown(bool shown);
    /// Borrowed; null = no server.
    void setHistory(const monitor::History* history, bool isPast = false);
    /// Nothing is polled at present: the charts end with the last poll, and say so.
    void setStopped(bool stopped);
    void refresh(); ///< after the history has grown
    void empty();

Q_SIGNALS:
    /// Invalid: where nothing was read.
    void timeChosen(lockscope::ui::OverviewCharts::Chart chart, lockscope::ServerTime time);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QLayout* greatChart();
    QLayout* chartsRow();
    Choice chosen() const { return static_cast<Choice>(m_choice->currentIndex()); }
    QList<TimeChart*> greatCharts() const ///< in the order of Choice
    {
        return {m_waitersChart, m_sessionsChart, m_transactionsChart, m_lagChart, m_countedChart};
    }
    TimeChart* greatOne() const { return greatCharts()[m_choice->currentIndex()]; }
    void showChosen();
    void showWaiters(ChartData& chartData);
    void showSessions(ChartData& chartData);
    void showCounted(ChartData& chartData);
    void showLine(ChartData& chartData);
    void showBands(const ChartData& chartData, const QStringList& names);

    const monitor::History* m_history = nullptr;
    bool m_isStopped = false;
    bool m_isPast = false; ///< it does not end with the present
    Card* m_greatCard;
    QComboBox* m_choice;
    QList<Card*> m_smaller;
    TimeChart* m_waitersChart;
    TimeChart* m_sessionsChart;
    TimeChart* m_transactionsChart;
    TimeChart* m_lagChart;
    TimeChart* m_countedChart; ///< waits that the server has counted
    TimeChart* m_longestChart;
    TimeChart* m_staleChart;
    TimeChart* m_holdersChart;
    Legend* m_legend;
    SeriesSlots m_slots;
    SeriesSlots m_classSlots;
    SeriesSlots m_kindSlots;
};

} // namespace lockscope::ui
