// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ui/shell/window/MainWindow.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace lockscope::test {

/// A test of the main window. Each of its functions has a folder, settings and a window of its own.
class WindowTest : public QObject {
protected:
    void makeFolder()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_settings =
            std::make_unique<QSettings>(m_folder->filePath(QStringLiteral("test.ini")), QSettings::IniFormat);
    }
    /// To be called once there are settings.
    void showWindow(const ui::MainWindow::Options& options, QSize size = {})
    {
        m_window = std::make_unique<ui::MainWindow>(*m_settings, options);
        if (size.isValid())
            m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void dropAll()
    {
        m_window.reset();
        m_settings.reset();
        m_folder.reset();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace lockscope::test
