// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMainWindow;
class QSettings;
class QSplitter;

namespace lockscope::ui {

class PageStack;
class TopBar;

/// The window's place, the division of its panes, and the page on view: kept in the settings.
class WindowLayout {
public:
    explicit WindowLayout(QSettings& settings)
        : m_settings(settings)
    {
    }
    void restore(QMainWindow& window, QSplitter& panes, PageStack& pages, TopBar& topBar) const;
    /// Without a server the panes are not as the user has set them.
    void save(const QMainWindow& window, const QSplitter& panes, PageStack& pages, const TopBar& topBar,
        bool hasServer);

private:
    QSettings& m_settings;
};

} // namespace lockscope::ui
