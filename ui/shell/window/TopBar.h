// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "ui/shell/window/SideBar.h"

#include <QToolBar>
#include <QToolButton>

#include <functional>
#include <optional>

class QComboBox;
class QLabel;
class QMenu;

namespace lockscope::ui {

/// Names the server on view, the age of its data and the pace of polls, and has the most common acts.
class TopBar : public QToolBar {
    Q_OBJECT

public:
    explicit TopBar(QWidget* parent = nullptr);

    void showServer(const QString& name, const QString& health, AgeLevel level);
    /// Shows the purpose of the server on view, and that it is read-only; of an opened recording, that it is
    /// one.
    void showMark(const db::ServerProfile& profile, bool isRecording = false);
    /// `time` is the server's, empty while none is known; "LIVE", "PAUSED" … stands before it.
    void showClock(const QString& word, AgeLevel level, const QString& time);
    void setPaused(bool paused);
    void setInterval(milliseconds interval);
    void setServerNames(const QList<SideBar::ServerItem>& servers);
    void setServerName(int row, const SideBar::ServerItem& server); ///< of one that is there
    /// Sets what adds the acts below the servers to their menu.
    void setServerActs(std::function<void(QMenu&)> add) { m_addServerActs = std::move(add); }
    bool isDetailShown() const { return m_detail->isChecked(); }
    void setDetailShown(bool shown);
    void setEnabledForServer(bool enabled);
    /// Polling is not to be steered while something else than its result is on view; empty: it is.
    void setReasonAgainstPolling(const QString& reason);
    /// Empty: there is a time bar.
    void setReasonAgainstTimeBar(const QString& reason);
    bool isTimeBarShown() const { return m_time->isChecked(); }
    void setTimeBarShown(bool shown) { m_time->setChecked(shown); }
    /// Empty: the page on view can be filtered.
    void setReasonAgainstFilter(const QString& reason);
    /// Sets the menu of the button at the end; it stays the caller's.
    void setHelpMenu(QMenu* menu) { m_help->setMenu(menu); }

Q_SIGNALS:
    void serverChosen(int row);
    void pauseToggled(bool paused);
    void refreshRequested();
    void intervalChosen(std::chrono::milliseconds interval);
    void searchRequested();
    void detailToggled(bool shown);
    void timeBarToggled(bool shown);
    void settingsRequested();

private:
    void inkServer(AgeLevel level);
    void setUpMark();
    void setUpRight();
    void arrange();
    void showFilterState();
    void showPollingState();

    QToolButton* m_server;
    QMenu* m_servers;
    std::function<void(QMenu&)> m_addServerActs = [](QMenu&) {};
    db::ServerProfile m_profile; ///< on view
    QLabel* m_mark;
    QAction* m_markShown;
    QToolButton* m_pause;
    QToolButton* m_refresh;
    QComboBox* m_interval;
    QLabel* m_clock;
    QToolButton* m_search;
    QToolButton* m_time;
    QToolButton* m_detail;
    QToolButton* m_settings;
    QToolButton* m_help;
    struct ShownClock {
        QString word;
        AgeLevel level;
        QString time;
    };
    // For another theme.
    AgeLevel m_serverLevel = AgeLevel::Normal;
    std::optional<ShownClock> m_shownClock;
    QString m_reasonAgainstFilter;
    QString m_reasonAgainstPolling;
    bool m_isRecording = false;
    bool m_hasServer = true;
};

} // namespace lockscope::ui
