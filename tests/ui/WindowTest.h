// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/ServerMonitor.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "ui/shell/servers/ServerSession.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/MainWindow.h"

namespace lockscope::test {

/// Returns that page of the window, which is made if nobody has looked at it yet.
template <class ShownPage> ShownPage& pageOf(const ui::MainWindow& window)
{
    return static_cast<ShownPage&>(*window.findChild<ui::PageStack*>()->page(ShownPage::pageName.id));
}

/// A test of the main window. Each of its functions has a folder, settings and a window of its own.
class WindowTest : public QObject {
protected:
    void makeFolder()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_settings =
            std::make_unique<QSettings>(m_folder->filePath(QStringLiteral("test.ini")), QSettings::IniFormat);
    }
    /// Puts all that the account keeps (recordings, incidents, the audit) into the folder, too, or into that
    /// part of it.
    void keepState(const QString& part = {})
    {
        m_state = std::make_unique<Variable>("XDG_STATE_HOME", m_folder->filePath(part));
    }
    /// Call it once there are settings.
    void showWindow(const ui::MainWindow::Options& options, QSize size = {})
    {
        m_window = std::make_unique<ui::MainWindow>(*m_settings, options);
        if (size.isValid())
            m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    /// Opens a server and waits for its first snapshot.
    void openServer(const db::ServerUrl& url, const QString& name, const QString& page)
    {
        m_window->openServer(profileOf(url, name));
        QVERIFY(m_window->showPage(page));
        // A file opens once its place is known.
        TRY_VERIFY(m_window->session() && m_window->session()->monitor().snapshot() != nullptr);
    }
    /// Shows a server whose polls return what `take` returns.
    template <class Take> void showServer(Take take)
    {
        openSession([take] { return take(); });
        QTRY_VERIFY(m_window->session()->monitor().snapshot() != nullptr);
    }
    void showUnreachableServer()
    {
        openSession([]() -> Result<SnapshotPtr> {
            return failure(ErrorKind::Connection, QStringLiteral("No route."));
        });
        QTRY_VERIFY(m_window->session()->monitor().lastError());
    }
    /// Opens a server whose polls return what `take` returns.
    template <class Take>
    void openSession(Take take, const db::ServerProfile& profile = profileOf(db::ServerUrl(), u"db1"_s),
        const ui::ServerSession::Options& options = {})
    {
        m_window->openSession(new ui::ServerSession(profile, sourceOf(std::move(take)), options));
    }
    ui::TimeTravel& travel() const { return m_window->findChild<ui::ShownServer*>()->travel(); }
    /// Returns whether the pages show the snapshot of that second of a made recording.
    bool isAt(int second) const
    {
        return m_window->snapshot() && m_window->snapshot()->takenAt == SnapshotBuilder::at(second);
    }
    void goTo(int second) { goTo(second, second); }
    /// Goes to a second for which the recording has the snapshot of the second `shown`.
    void goTo(int second, int shown)
    {
        travel().goTo(SnapshotBuilder::at(second));
        TRY_VERIFY(travel().isOn() && isAt(shown) && !travel().error());
    }
    template <class T> T* child(const char* name) const
    {
        return m_window->findChild<T*>(QLatin1String(name));
    }
    void dropAll()
    {
        m_window.reset();
        m_settings.reset();
        m_state.reset();
        m_folder.reset();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Variable> m_state;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace lockscope::test
