// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frameworks/Catalogue.h"
#include "ui/kit/help/HelpBrowser.h"

#include <QObject>
#include <QWidget>

#include <functional>
#include <memory>

class QLineEdit;
class QListWidget;
class QMenu;
class QSettings;
class QSplitter;
class QStackedWidget;
class QTreeWidget;
class QWidget;

namespace lockscope::ui {

class HelpBrowser;

/// The manual: its contents beside the page, a search in all of it, back and forward. A window of its own
/// without a parent, so that it can be read while a dialog waits; it keeps the program from ending no more
/// than a tool tip does.
class HelpWindow : public QWidget {
    Q_OBJECT

public:
    /// `settings` outlives it.
    explicit HelpWindow(QSettings& settings);
    ~HelpWindow() override;

    /// Shows the window with that page: "blocking.md", "window.md#settings". An unknown one leads to the
    /// contents.
    void open(const QString& chapter);
    /// A page that the program makes of itself: the keys, what runs here.
    void setPage(const QString& id, const QString& markdown);
    /// The frameworks whose locks are known: a page that lists them, and below it one for each.
    void setFrameworks(const frameworks::Catalogue& catalogue, const QString& folder);
    const Manual& manual() const { return m_manual; }
    HelpBrowser& browser() const { return *m_browser; }

Q_SIGNALS:
    void keysNeeded(); ///< the page of keys is shown, or a search begins

private:
    QWidget* makeTop();
    void addKeys();
    void fillContents();
    void showWhere();
    void search(const QString& text);

    QSettings& m_settings;
    Manual m_manual;
    QLineEdit* m_search;
    QTreeWidget* m_contents;
    QListWidget* m_hits;
    QStackedWidget* m_left;
    HelpBrowser* m_browser;
    QSplitter* m_splitter;
};

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
