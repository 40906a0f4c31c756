// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/Rule.h"

#include <QObject>

#include <memory>
#include <optional>

class QMenu;
class QSystemTrayIcon;
class QWidget;

namespace lockscope::ui {

/// The program's icon in the desktop's tray, with a dot in the colour of the worst incident that needs
/// somebody, and a menu. To be made only where there is a tray. A window that is closed can go on there.
class TrayIcon : public QObject {
    Q_OBJECT

public:
    explicit TrayIcon(QWidget& window);
    ~TrayIcon() override;

    /// True: to close the window hides it, and only Quit of the menu ends the program.
    void setKeepsWindow(bool keeps) { m_keepsWindow = keeps; }
    void showWindow();

    /// `count` incidents need somebody; nothing: they can't be read.
    void show(std::optional<int> count, std::optional<alert::Severity> worst);
    QMenu& menu() const { return *m_menu; }
    QString toolTip() const;

Q_SIGNALS:
    void muteRequested(); ///< of all, for an hour

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void quit();

    QWidget& m_window;
    bool m_keepsWindow = false;
    bool m_quits = false;
    std::unique_ptr<QMenu> m_menu;
    QSystemTrayIcon* m_icon;
};

} // namespace lockscope::ui
