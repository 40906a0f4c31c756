// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's place, the division of its panes, and the page on view, which the settings keep: a part of
// MainWindow.
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/PageStack.h"
#include "ui/shell/window/TopBar.h"

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

void MainWindow::restoreLayout()
{
    resize(windowSize);
    restoreGeometry(m_settings.value(geometryKey).toByteArray());
    fitScreen(*this);
    // The page has more use for what a small screen has.
    const int detail = std::clamp(width() / 5, narrowestDetail, 266);
    m_splitter->setSizes({sideBarWidth, width() - sideBarWidth - detail, detail});
    m_splitter->restoreState(m_settings.value(panesKey).toByteArray());
    m_topBar->setDetailShown(m_settings.value(detailKey, true).toBool());
    m_topBar->setTimeBarShown(m_settings.value(timeBarKey, true).toBool());
    if (!m_pages->show(m_settings.value(pageKey).toString()))
        m_pages->show(m_pages->ids().first());
}

void MainWindow::saveLayout()
{
    m_settings.setValue(geometryKey, saveGeometry());
    if (session()) // without a server the panes are not as the user has set them
        m_settings.setValue(panesKey, m_splitter->saveState());
    m_settings.setValue(detailKey, m_topBar->isDetailShown());
    m_settings.setValue(timeBarKey, m_topBar->isTimeBarShown());
    m_settings.setValue(pageKey, m_pages->current().id());
    m_pages->saveLayout();
}

} // namespace lockscope::ui
