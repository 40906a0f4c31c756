// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/domain/Thresholds.h"
#include "ui/kit/charts/Series.h"

#include <QComboBox>
#include <QWidget>

class QLayout;
class QLabel;

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

class RankRow;

/// A short list, worst first: name, a line about it, a number with a bar. Rows stay where they are between
/// refreshes; only their contents change. A click says which.
class TopList : public QWidget {
    Q_OBJECT

public:
    struct Row {
        QString name;
        QString detail;
        QString number;
        double part = 0; ///< length of the bar, 0 … 1
        AgeLevel level = AgeLevel::Normal;
        FrameworkMatchPtr framework{}; ///< that it belongs to: a badge before the name
        bool isDetailTime = false; ///< then it is never cut
        bool operator==(const Row&) const = default;
    };

    explicit TopList(int rows, QWidget* parent = nullptr);
    /// `emptyText` is shown if there are none.
    void setRows(const QList<Row>& rows, const QString& emptyText);
    void setMost(int rows); ///< the number of rows that have space, at most that of the constructor
    int most() const { return m_most; }
    int rowHeight() const;
    void setFaded(bool faded); ///< the data is old

Q_SIGNALS:
    void chosen(int row);

private:
    void showRows();

    QList<RankRow*> m_rows;
    QLabel* m_empty;
    int m_filled = 0; ///< the number of rows that were set
    int m_most = 0;
};

} // namespace lockscope::ui
