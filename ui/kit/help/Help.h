// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <memory>

class QMenu;
class QSettings;
class QWidget;

namespace lockscope::ui {

class HelpWindow;

/// The help of one window: F1, a menu, and the manual in a window of its own, which is made when it is first
/// asked for. Answers the HelpRequests of the window and its dialogs.
class Help : public QObject {
    Q_OBJECT

public:
    /// `chapterOnView` returns the chapter that F1 opens. `settings` outlives it.
    Help(QSettings& settings, QWidget& window, std::function<QString()> chapterOnView);
    ~Help() override;

    /// Returns the menu of the tool bar's button.
    QMenu* menu() const { return m_menu.get(); }
    void open(const QString& chapter);
    /// Returns null until it was opened.
    HelpWindow* manualWindow() const { return m_manual.get(); }

Q_SIGNALS:
    /// The guided tour was chosen in the menu.
    void tourRequested();
    /// The keys of the window are about to be listed: parts that it makes late have some, too.
    void keysRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void listKeys();

    QSettings& m_settings;
    QWidget& m_window;
    std::unique_ptr<QMenu> m_menu;
    std::unique_ptr<HelpWindow> m_manual;
};

} // namespace lockscope::ui
