// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/WindowLayout.h"

#include "ui/shell/window/PageStack.h"
#include "ui/shell/window/TopBar.h"

#include <QMainWindow>
#include <QScreen>
#include <QSettings>
#include <QSplitter>

#include <algorithm>

namespace lockscope::ui {

namespace {

const QString geometryKey = QStringLiteral("window/geometry");
const QString panesKey = QStringLiteral("window/splitter");
const QString detailKey = QStringLiteral("window/detail");
const QString timeBarKey = QStringLiteral("window/timeBar");
const QString pageKey = QStringLiteral("window/page");

constexpr QSize windowSize(1280, 800);
constexpr int sideBarWidth = 176;
constexpr int narrowestDetail = 220;
/// The frame that the window manager draws round the window; unknown before it is shown.
constexpr QSize titleBar(8, 36);

/// A window larger than the screen hides its end: the status line, and the dialogs' buttons.
void fitScreen(QMainWindow& window)
{
    if (window.isMaximized() || window.isFullScreen())
        return;
    const QSize space = window.screen()->availableGeometry().size() - titleBar;
    window.resize(window.size().boundedTo(space));
}

} // namespace

void WindowLayout::restore(QMainWindow& window, QSplitter& panes, PageStack& pages, TopBar& topBar) const
{
    window.resize(windowSize);
    window.restoreGeometry(m_settings.value(geometryKey).toByteArray());
    fitScreen(window);
    // The page has more use for what a small screen has.
    const int detail = std::clamp(window.width() / 5, narrowestDetail, 266);
    panes.setSizes({sideBarWidth, window.width() - sideBarWidth - detail, detail});
    panes.restoreState(m_settings.value(panesKey).toByteArray());
    topBar.setDetailShown(m_settings.value(detailKey, true).toBool());
    topBar.setTimeBarShown(m_settings.value(timeBarKey, true).toBool());
    if (!pages.show(m_settings.value(pageKey).toString()))
        pages.show(pages.ids().first());
}

void WindowLayout::save(
    const QMainWindow& window, const QSplitter& panes, PageStack& pages, const TopBar& topBar, bool hasServer)
{
    m_settings.setValue(geometryKey, window.saveGeometry());
    if (hasServer)
        m_settings.setValue(panesKey, panes.saveState());
    m_settings.setValue(detailKey, topBar.isDetailShown());
    m_settings.setValue(timeBarKey, topBar.isTimeBarShown());
    m_settings.setValue(pageKey, pages.current().id());
    pages.saveLayout();
}

} // namespace lockscope::ui
