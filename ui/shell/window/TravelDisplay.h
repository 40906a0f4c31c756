// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/timetravel/TimeBarFeed.h"
#include "ui/shell/timetravel/TravelHistory.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

namespace lockscope::ui {

class AppContext;
class CentralArea;
class OverviewPage;
class ServerSession;
class ShownServer;
class StatusLine;
class TopBar;
class TravelMark;

/// Keeps mark, time bar and charts at the time on view. To be made before the object that gives snapshots to
/// the pages: the charts' history is there before the snapshot.
class TravelDisplay : public QObject {
    Q_OBJECT

public:
    struct Parts {
        AppContext& context;
        ShownServer& shown;
        TopBar& topBar;
        StatusLine& statusLine;
        CentralArea& centre;
        TravelMark& mark;
    };
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
