// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/AppContext.h"
#include "ui/Preferences.h"
#include "ui/ServerSession.h"
#include "ui/pages/Page.h"

#include <QMainWindow>

class QSplitter;

namespace lockscope::ui {

class ActRunner;
class CentralArea;
class DetailPane;
class Help;
class LocksPage;
class OverviewPage;
class PageStack;
class ScenariosPage;
class ServerDialogs;
class ServerDisplay;
class Servers;
class ShownServer;
class SideBar;
class StatusLine;
class TopBar;
class WindowKeys;

/// Wires servers, pages and panes together; knows no lock. `settings` outlives it.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    struct Options {
        db::PasswordProvider passwords = db::defaultPasswords();
        db::KeychainPtr keychain = db::desktopKeychain(); ///< keeps what the user types
        bool readOnly = false;
        std::optional<milliseconds> interval; ///< for this run; else the user's preference
        std::optional<ThemeMode> theme;
    };

    MainWindow(QSettings& settings, Options options, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openServer(const db::ServerProfile& profile, bool demo = false);
    /// Those that were open when the window was closed the last time, if the user wants that.
    void reopenServers();
    /// Shows a ready-made session; for tests and pictures.
    void openSession(ServerSession* session);
    /// False if there is no such page.
    bool showPage(const QString& id, const QString& filter = {});
    QStringList pageIds() const;
    ServerSession* session() const;
    Page* currentPage() const;
    Help& help() const { return *m_help; }

Q_SIGNALS:
    void snapshotShown();

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void assemble();
    void addPages();
    void addPage(Page* page, const QString& iconName);
    void connectBars();
    void connectServers();

    void openRow(int row, bool demo = false);
    void tryItHere();
    void askToReadTable(const UnreadTable& table);
    void showServer();
    void showServerList();
    QString chapterOnView() const;
    void editPreferences();
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
    ServerDialogs* m_dialogs;

    TopBar* m_topBar;
    SideBar* m_sideBar;
    StatusLine* m_statusLine;
    CentralArea* m_centre;
    PageStack* m_pages;
    WindowKeys* m_keys;
    OverviewPage* m_overview = nullptr;
    LocksPage* m_locks = nullptr;
    ScenariosPage* m_scenarios = nullptr;
    bool m_isClosing = false; ///< as soon as the scenario has stopped and the own locks are released
    DetailPane* m_detail;
    QSplitter* m_splitter;
    ActRunner* m_acts;
    ServerDisplay* m_display = nullptr; ///< made when there are pages
    Help* m_help;
};

} // namespace lockscope::ui
