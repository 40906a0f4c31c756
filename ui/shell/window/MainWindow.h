// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/servers/ServerSession.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/Page.h"
#include "ui/views/settings/Preferences.h"

#include <QHash>
#include <QMainWindow>
#include <QTimer>

#include <functional>

class QMenu;
class QSplitter;

namespace lockscope::watch {
class IncidentWatch;
}

namespace lockscope::ui {

class ActRunner;
class CentralArea;
class DeadlockBook;
class DeadlocksPage;
class DesktopNotifier;
class DetailPane;
class BlockingPage;
class FleetLanes;
class FleetPage;
class Help;
class Histories;
class IncidentBook;
class LocksPage;
class OverviewPage;
class PageStack;
class RecordingOpener;
class Recordings;
class Reopener;
class ServerDialogs;
class ServerDisplay;
class Servers;
class ShownServer;
class SideBar;
class StatusLine;
class TopBar;
class TravelDisplay;
class TravelMark;
class TrayIcon;
class WindowKeys;
struct WatchedServers;

/// Wires servers, pages and panes together; knows no lock. `settings` outlives it.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    struct Options {
        db::PasswordProvider passwords = db::defaultPasswords();
        db::KeychainPtr keychain = db::desktopKeychain(); ///< keeps what the user types
        bool readOnly = false;
        std::optional<milliseconds> interval = {}; ///< for this run; else the user's preference
        std::optional<ThemeMode> theme = {};
        std::optional<bool> hasTray = {}; ///< nothing: as the desktop says
    };

    /// The settings' key for: the user has read that snapshots are recorded.
    static inline const QString recordingAnnounced = QStringLiteral("toldOfRecording");

    MainWindow(QSettings& settings, Options options, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openServer(const db::ServerProfile& profile, bool demo = false);
    /// Opens the servers that were open when the window was closed the last time, if the user has set so.
    void reopenServers();
    /// Opens a recording at that time: as `lockctl` takes it, "5min" before the last; empty: at the last one.
    /// Also one of a team's history: HistoryPlace.
    void openRecording(const QString& place, const QString& at = {});
    /// Reports of deadlocks and logs; a server need not be there.
    void openReports(const QStringList& paths);
    void readPasted(const QString& text);
    /// Shows a ready-made session; for tests and pictures.
    void openSession(ServerSession* session);
    /// False if there is no such page.
    bool showPage(const QString& id, const QString& filter = {});
    QStringList pageIds() const;
    ServerSession* session() const;
    Page* currentPage() const;
    SnapshotPtr snapshot() const; ///< on view; null: none yet
    std::optional<Error> error() const; ///< why none, or no newer one, could be read
    Help& help() const { return *m_help; }

Q_SIGNALS:
    void snapshotShown();

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void assemble();
    void addPages();
    void addDeadlocksPage();
    void addIncidentsPage();
    Page* makeIncidentsPage();
    void addFleetPage();
    Page* makeFleetPage();
    void goToServer(const QString& key, const QString& page, const std::optional<ServerTime>& at);
    void showFleet();
    void showFleetSoon();
    void showAcross();
    void notifyOfIncidents();
    void addTray();
    void addTrayIcon();
    void askToMuteAll();
    void raiseWindow();
    void showIncidentBadge();
    void showIncidentsOnTimeBar();
    void noteIncidentAct(
        const db::ServerProfile& server, const QString& what, qint64 auditId, const QList<Session>& sessions);
    WatchedServers watchedServers() const;
    /// Returns its place. `make` makes the page when somebody looks at it first.
    int addPage(const PageName& name, const QString& iconName, std::function<Page*()> make);
    Page* makeOverview();
    Page* makeLocksPage();
    void connectPage(Page& page);
    void connectActs();
    void connectHistories();
    void connectQuestions();
    void connectBars();
    void connectDialogs();
    void connectServers();
    void addServerActs(QMenu& menu);

    ServerSession::Options openOptions(int row) const;
    /// Opens and shows it; a file later, unless another one is chosen by then. Then calls `then`.
    void openRow(int row, bool demo = false, const std::function<void()>& then = {});
    void showRecording(const OpenedRecording& recording, const QString& at);
    void askForHistory();
    void readRecordedDeadlocks();
    DeadlocksPage& deadlocksPage();
    void sayThatItIsRecorded();
    void showTitle();
    void tryItHere();
    void askToReadTable(const UnreadTable& table);
    void showServer();
    void showServerList();
    void showServerRow(const ServerSession* session);
    QString chapterOnView() const;
    void openRange(bool compares);
    void openHistory(const record::BiographySubject& subject);
    void editPreferences();
    void restoreLayout();
    void saveLayout();
    bool isBusy();
    bool asksToClose();
    void finishClosing();
    void applyPreferences(const Preferences& preferences);
    monitor::ProbeSelection probes() const;

    QSettings& m_settings;
    Options m_options;
    Preferences m_preferences;
    AppContext m_context;
    Servers* m_servers;
    ShownServer* m_shown;
    Recordings* m_recorded;
    Reopener* m_reopener;
    ServerDialogs* m_dialogs;

    TopBar* m_topBar;
    SideBar* m_sideBar;
    StatusLine* m_statusLine;
    TravelMark* m_mark;
    CentralArea* m_centre;
    PageStack* m_pages;
    WindowKeys* m_keys;
    OverviewPage* m_overview = nullptr; ///< this and other pages: null until somebody looks at it
    LocksPage* m_locks = nullptr;
    DeadlockBook* m_deadlocks = nullptr;
    QString m_deadlocksReadFrom; ///< the place of the recording on view, once it was read for them
    FleetPage* m_fleet = nullptr;
    FleetLanes* m_lanes = nullptr; ///< of that page
    BlockingPage* m_blocking = nullptr;
    QString m_otherServer; ///< that the page Blocking points to
    QTimer m_fleetSoon; ///< servers answer one by one
    quint64 m_openings = 0; ///< only the newest is shown
    watch::IncidentWatch* m_incidentWatch = nullptr;
    IncidentBook* m_incidents = nullptr;
    DesktopNotifier* m_notifier = nullptr;
    int m_incidentsPlace = 0; ///< among the pages
    TrayIcon* m_tray = nullptr; ///< null: there is no tray
    QHash<const ServerSession*, ServerTime> m_openedAt; ///< by this machine's clock
    bool m_isClosing = false; ///< as soon as the scenario has stopped and the own locks are released
    DetailPane* m_detail;
    QSplitter* m_splitter;
    ActRunner* m_acts;
    Histories* m_histories;
    TravelDisplay* m_travel = nullptr;
    ServerDisplay* m_display = nullptr; ///< made when a page is on view
    RecordingOpener* m_recordings;
    Help* m_help;
};

} // namespace lockscope::ui
