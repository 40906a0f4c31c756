// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/timetravel/TimeBarFeed.h"
#include "ui/shell/timetravel/TravelHistory.h"
#include "ui/shell/window/ServerDisplay.h"

#include <QFrame>
#include <QObject>
#include <QPointer>
#include <QTimer>

class QLabel;
class QPushButton;

namespace lockscope::ui {

class OverviewPage;
class ServerSession;
class TimeTravel;

/// Across the window while a past time is on view: which one, and the way back.
class TravelMark : public QFrame {
    Q_OBJECT

public:
    explicit TravelMark(QWidget* parent = nullptr);

    /// `ago`: how long that was before now; empty if it is not known.
    void show(const TimeTravel& travel, const QString& ago);
    QString text() const; ///< all that it says; empty while hidden

Q_SIGNALS:
    void liveRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* m_time;
    QLabel* m_more;
    QPushButton* m_live;
};

/// Keeps mark, time bar and charts at the time on view. To be made before the object that gives snapshots to
/// the pages: the charts' history is there before the snapshot.
class TravelDisplay : public QObject {
    Q_OBJECT

public:
    using Parts = ServerDisplay::Parts;
    explicit TravelDisplay(const Parts& parts, QObject* parent = nullptr);

    /// Keeps the charts of that page, too; it lives as long as the window.
    void setOverview(OverviewPage& overview);
    /// Asks for a time, and goes there.
    void askForTime();

Q_SIGNALS:
    void timeShown(); ///< another one, or the present again
    void differencesRequested(lockscope::ServerTime first, lockscope::ServerTime second);

private:
    void showPastView();
    void startCharts();
    void refreshCharts();
    void showMark();
    void noteNews();
    void showTimeBar();
    void restoreLandmarks();
    void askForNote(ServerTime at);
    void askForOtherTime(ServerTime first);
    QString ago() const;

    Parts m_parts;
    OverviewPage* m_overview = nullptr; ///< null: nobody has looked at it yet
    TravelHistory m_history;
    TravelHistory m_recorded; ///< of the time before the first poll of the server on view
    QPointer<const ServerSession> m_started; ///< its charts start with that
    QTimer m_atRest; ///< the time on view is, when it ends
    TimeBarFeed m_feed;
    const monitor::History* m_shownHistory = nullptr;
};

} // namespace lockscope::ui
