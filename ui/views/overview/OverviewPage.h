// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"
#include "core/monitor/History.h"
#include "ui/views/overview/OverviewCharts.h"
#include "ui/views/page/Actions.h"
#include "ui/views/page/Page.h"
#include "ui/views/settings/Preferences.h"

#include <functional>
#include <optional>
#include <vector>

class QHBoxLayout;

namespace lockscope::ui {

class Card;
class HeadBlockerBanner;
class MetricTile;
class NextHeads;
class OverviewCharts;

/// The place of the rows behind a number of the overview.
struct OverviewPlace {
    QString page;
    QString filter;
    DetailSubject subject; ///< shown instead of a filter
};
/// The entry's row; for a lock of the engine, what the filter leaves on the page of locks.
OverviewPlace placeOf(const std::optional<LockTableKey>& entry, const QString& filter);

/// A waiter, for any kind of lock.
struct OverviewWait {
    QString resource; ///< that is waited for
    QString target; ///< the row behind a wait for a transaction, as far as it is known; else as `resource`
    QString who;
    SessionId session;
    Age age;
    std::optional<LockTableKey> entry = {}; ///< of a wait for a name of a lock table
    FrameworkMatchPtr framework = {}; ///< of the lock
};
/// The oldest first.
std::vector<OverviewWait> waitsOf(const Snapshot& snapshot);

/// Rows of a list, and where each leads.
struct OverviewList {
    QList<TopList::Row> rows;
    QList<OverviewPlace> places;
};
OverviewList mostContended(const Snapshot& snapshot, int maximum, const AgeThresholds& thresholds);
OverviewList oldestWaits(const Snapshot& snapshot, int maximum, const AgeThresholds& thresholds);

/// At one glance: is anything stuck, since when, and which session is the most urgent.
class OverviewPage : public Page {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("overview"), QStringLiteral("Overview")};

    explicit OverviewPage(AppContext& context, QWidget* parent = nullptr);

    /// Borrowed; null = no server. It has the latest snapshot in it before showSnapshot is called. `isPast`:
    /// of a past time.
    void setHistory(const monitor::History* history, bool isPast = false);
    void refreshCharts(); ///< there is more history, of the same snapshot
    /// Returns the number of deadlocks of the server on view behind `from`, up to `to`.
    using CountDeadlocks = std::function<int(ServerTime from, ServerTime to)>;
    void setDeadlocks(CountDeadlocks count) { m_countDeadlocks = std::move(count); }
    void setPreferences(const Preferences& preferences);

    void showSnapshot(const SnapshotPtr& snapshot) override;
    QString reasonAgainstFilter() const override;
    void showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) override;

Q_SIGNALS:
    /// The user asks for that time, which is recorded.
    void travelRequested(lockscope::ServerTime time);

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void go(const OverviewPlace& place);
    void fitLists();
    OverviewPlace placeOfLongestWait() const;
    OverviewPlace placeOfHolders() const;
    OverviewPlace placeOfName(const QString& name) const;
    void makeTiles(QHBoxLayout* row);
    void connectCharts();
    void goToTime(ServerTime time, const OverviewPlace& now);
    AgeLevel staleLevel(int stale) const;
    void showTiles();
    void showNothing();
    void showTitles(const std::optional<milliseconds>& dataAge);

    const monitor::History* m_history = nullptr;
    CountDeadlocks m_countDeadlocks;
    Preferences m_preferences;
    SnapshotPtr m_snapshot;

    NextHeads* m_nextHeads = nullptr;
    HeadBlockerBanner* m_head;
    MetricTile* m_holders;
    MetricTile* m_waiters;
    MetricTile* m_longest;
    MetricTile* m_stale;
    MetricTile* m_heads;
    OverviewCharts* m_charts;
    Card* m_contendedCard;
    Card* m_oldestCard;
    bool m_isPast = false;
    TopList* m_contended;
    TopList* m_oldest;
    QList<OverviewPlace> m_contendedPlaces; ///< by row
    QList<OverviewPlace> m_oldestPlaces;
};

} // namespace lockscope::ui
