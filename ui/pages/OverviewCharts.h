// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/monitor/History.h"
#include "ui/charts/SeriesSlots.h"

#include <QWidget>

class QLayout;

namespace lockscope::ui {

class Card;
class Legend;
class TimeChart;

/// The charts of the overview: the last minutes of the server on view.
class OverviewCharts : public QWidget {
    Q_OBJECT

public:
    enum class Chart { Waiters, Longest, Stale, Holders };
    Q_ENUM(Chart)

    explicit OverviewCharts(QWidget* parent = nullptr);

    /// All but that of the waiters.
    void setSmallerShown(bool shown);
    /// Borrowed; null = no server.
    void setHistory(const monitor::History* history, bool isPast = false);
    void refresh(); ///< after the history has grown
    void empty();

Q_SIGNALS:
    /// Invalid: where nothing was read.
    void momentChosen(lockscope::ui::OverviewCharts::Chart chart, lockscope::ServerTime moment);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QLayout* chartsRow();

    const monitor::History* m_history = nullptr;
    bool m_isPast = false; ///< it does not end with the present
    Card* m_waitersCard;
    QList<Card*> m_smaller;
    TimeChart* m_waitersChart;
    TimeChart* m_longestChart;
    TimeChart* m_staleChart;
    TimeChart* m_holdersChart;
    Legend* m_legend;
    SeriesSlots m_slots;
};

} // namespace lockscope::ui
