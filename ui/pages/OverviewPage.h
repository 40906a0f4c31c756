// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/monitor/History.h"
#include "ui/Preferences.h"
#include "ui/charts/SeriesSlots.h"
#include "ui/pages/Page.h"

class QHBoxLayout;

namespace lockscope::ui {

class Card;
class HeadBlockerBanner;
class Legend;
class TopList;
class TimeChart;
class MetricTile;
class NextHeads;

/// One glance: is anything stuck, since when, and where to look first.
class OverviewPage : public Page {
    Q_OBJECT

public:
    explicit OverviewPage(AppContext& context, QWidget* parent = nullptr);

    /// Borrowed; null = no server. It has the latest snapshot in it before showSnapshot is called.
    void setHistory(const monitor::History* history);
    void setPreferences(const Preferences& preferences);

    void showSnapshot(const SnapshotPtr& snapshot) override;
    QString reasonAgainstFilter() const override;
    void showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Where the rows behind a number are.
    struct Place {
        QString page;
        QString filter;
        DetailSubject subject; ///< shown instead of a filter
    };
    void go(const Place& place);
    static Place placeOf(const std::optional<LockTableKey>& entry, const QString& filter);
    Place placeOfLongestWait() const;
    Place placeOfHolders() const;
    Place placeOfName(const QString& name) const;
    void makeTiles(QHBoxLayout* row);
    QLayout* chartsRow();
    void connectCharts();
    void goToMoment(ServerTime moment, const Place& now);
    AgeLevel staleLevel(int stale) const;
    void showTiles();
    void showCharts();
    void showContended();
    void showOldest();
    void showNothing();

    const monitor::History* m_history = nullptr;
    Preferences m_preferences;
    SnapshotPtr m_snapshot;

    NextHeads* m_nextHeads = nullptr;
    HeadBlockerBanner* m_head;
    MetricTile* m_holders;
    MetricTile* m_waiters;
    MetricTile* m_longest;
    MetricTile* m_stale;
    MetricTile* m_heads;
    Card* m_waitersCard;
    Card* m_longestCard;
    Card* m_staleCard;
    Card* m_holdersCard;
    TimeChart* m_waitersChart;
    TimeChart* m_longestChart;
    TimeChart* m_staleChart;
    TimeChart* m_holdersChart;
    Legend* m_legend;
    SeriesSlots m_slots;
    TopList* m_contended;
    TopList* m_oldest;
    QList<Place> m_contendedPlaces; ///< by row
    QList<Place> m_oldestPlaces;
};

} // namespace lockscope::ui
