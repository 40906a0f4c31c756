// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"

#include <QColor>
#include <QWidget>

#include <functional>

class QListWidget;
class QMenu;

namespace lockscope::db {
struct ServerProfile;
}

namespace lockscope::ui {

class ServerSession;

/// Left: the servers with their health, below them the pages.
class SideBar : public QWidget {
    Q_OBJECT

public:
    struct ServerItem {
        QString name;
        QString health; ///< word; "Not open" if there is no session
        AgeLevel level = AgeLevel::Normal;
        bool open = false;
        QString waits{}; ///< "3 wait, 0:41"; empty if nothing is known now
        AgeLevel waitLevel = AgeLevel::Normal;
        QColor color{}; ///< of its environment; invalid if it is unmarked
        QString mark{}; ///< "PRODUCTION · READ-ONLY"
        bool isRecording = false; ///< a file: nothing to edit

        bool operator==(const ServerItem&) const = default;
        /// `session` is null if the server is not open.
        static ServerItem of(
            const db::ServerProfile& profile, const ServerSession* session, const LockThresholds& thresholds);
    };

    explicit SideBar(QWidget* parent = nullptr);

    void setServers(const QList<ServerItem>& servers);
    void setServer(int row, const ServerItem& server); ///< of one that is there
    void setCurrentServer(int row); ///< -1 = none
    /// Sets what adds the acts that concern no server of the list to its menu.
    void setServerActs(std::function<void(QMenu&)> add) { m_addServerActs = std::move(add); }
    void addPage(const QString& title, const QString& iconName, const QString& shortcut);
    void setCurrentPage(int row);
    /// Sets the number of new things there: "2"; `meaning` in words. Empty: none.
    void setPageBadge(int row, const QString& badge, const QString& meaning, AgeLevel level = AgeLevel::Red);

Q_SIGNALS:
    void serverChosen(int row);
    void editServerRequested(int row);
    void removeServerRequested(int row);
    void addServerRequested();
    void pageChosen(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitServers();
    void showServerMenu(const QPoint& at);

    QListWidget* m_servers;
    QListWidget* m_pages;
    std::function<void(QMenu&)> m_addServerActs = [](QMenu&) {};
};

} // namespace lockscope::ui
