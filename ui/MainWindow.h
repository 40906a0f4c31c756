// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/AppContext.h"
#include "ui/Preferences.h"
#include "ui/ServerSession.h"
#include "ui/pages/Page.h"

#include <QMainWindow>

class QSplitter;
class QStackedWidget;

namespace lockscope::ui {

class ActRunner;
class DetailPane;
class Help;
class NoticeBar;
class LocksPage;
class OverviewPage;
class ScenariosPage;
class Servers;
class SideBar;
class StartPage;
class StatusLine;
class TopBar;
class ConnectionErrorPage;

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
    /// Shows a ready-made session; for tests and pictures.
    void openSession(ServerSession* session);
    /// False if there is no such page.
    bool showPage(const QString& id, const QString& filter = {});
    QStringList pageIds() const;
    ServerSession* session() const { return m_session; }
    Page* currentPage() const;
    Help& help() const { return *m_help; }

Q_SIGNALS:
    void snapshotShown();

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void addPages();
    void addPage(Page* page, const QString& iconName);
    void connectBars();
    void connectServers();
    void addWindowKey(const QString& text, const QKeySequence& keys, std::function<void()> act);
    void addShortcuts();
    void restoreLayout();
    void saveLayout();

    void openRow(int row);
    void showSession(ServerSession* session);
    void showServerList();
    void showSnapshot();
    void showHealth();
    void showClock();
    void showLimitations();
    void showCurrentPage();
    QString chapterOnView() const;
    void focusFilter();
    void setDetailShown(bool shown);
    void applyPreferences(const Preferences& preferences);

    void tryItHere();
    void editServer(int row); ///< -1 = a new one
    void removeServer(int row);
    void openLockFile();
    void editPreferences();
    monitor::ProbeSelection probes() const;

    QSettings& m_settings;
    Options m_options;
    Preferences m_preferences;
    AppContext m_context;
    Servers* m_servers;
    ServerSession* m_session = nullptr;
    QList<Page*> m_pages;
    QTimer m_ageTimer;

    TopBar* m_topBar;
    SideBar* m_sideBar;
    StatusLine* m_statusLine;
    NoticeBar* m_healthBar;
    NoticeBar* m_limitationBar;
    QStackedWidget* m_centre; ///< start page, trouble, pages
    StartPage* m_start;
    ConnectionErrorPage* m_trouble;
    QStackedWidget* m_pageStack;
    OverviewPage* m_overview = nullptr;
    LocksPage* m_locks = nullptr;
    ScenariosPage* m_scenarios = nullptr;
    bool m_isClosing = false; ///< as soon as the scenario has stopped
    DetailPane* m_detail;
    QSplitter* m_splitter;
    ActRunner* m_acts;
    Help* m_help;
};

} // namespace lockscope::ui
