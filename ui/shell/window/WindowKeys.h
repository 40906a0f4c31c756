// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QObject>

#include <functional>

class QWidget;

namespace lockscope::ui {

class PageStack;
class ShownServer;
class StatusLine;
class TopBar;
struct PageName;

/// The keys that act wherever the focus is.
class WindowKeys : public QObject {
    Q_OBJECT

public:
    struct Parts {
        ShownServer& shown;
        PageStack& pages;
        TopBar& topBar;
        StatusLine& statusLine;
    };
    WindowKeys(QWidget& window, const Parts& parts);

    /// Returns the keys of a page by its number from 1: Ctrl and the number, 0 for the tenth, L for the next.
    static QKeySequence keysOfPage(int number);
    void addPage(const PageName& page, int number);
    /// Or says why there is nothing to filter.
    void focusFilter();

Q_SIGNALS:
    void timeRequested(); ///< which time to go to is to be asked
    void searchRequested(); ///< of the recording of the server on view

private:
    void add(const QString& text, const QKeySequence& keys, std::function<void()> act);
    void addTravel();
    void refresh();
    void pauseOrPress();
    void exportRows();

    QWidget& m_window;
    Parts m_parts;
};

} // namespace lockscope::ui
