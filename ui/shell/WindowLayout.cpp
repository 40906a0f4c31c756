// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/WindowLayout.h"

#include "ui/shell/PageStack.h"
#include "ui/shell/TopBar.h"

#include <QMainWindow>
#include <QSettings>
#include <QSplitter>

namespace lockscope::ui {

namespace {

const QString geometryKey = QStringLiteral("window/geometry");
const QString panesKey = QStringLiteral("window/splitter");
const QString detailKey = QStringLiteral("window/detail");
const QString pageKey = QStringLiteral("window/page");

} // namespace

void WindowLayout::restore(QMainWindow& window, QSplitter& panes, PageStack& pages, TopBar& topBar) const
{
    window.resize(1280, 800);
    window.restoreGeometry(m_settings.value(geometryKey).toByteArray());
    panes.setSizes({176, 838, 266});
    panes.restoreState(m_settings.value(panesKey).toByteArray());
    topBar.setDetailShown(m_settings.value(detailKey, true).toBool());
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
    m_settings.setValue(pageKey, pages.current().id());
    pages.saveLayout();
}

} // namespace lockscope::ui
