// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The icon in the desktop's tray: the program goes on to watch behind a closed window, if the user has chosen
// that.

#include "tests/support/MadeIncidents.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "ui/shell/notify/DesktopNotifier.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/settings/SettingsDialog.h"

#include <QtWidgets>

namespace tst_TrayIcon {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

struct Rig {
    QTemporaryDir home;
    Variable data{"XDG_STATE_HOME", home.path()};
    MadeIncidents made{watch::IncidentStore::ownPath()};
    QSettings settings{home.filePath(u"window.ini"_s), QSettings::IniFormat};
    std::unique_ptr<MainWindow> window;

    ~Rig() { QApplication::setQuitOnLastWindowClosed(true); }
    void open(bool hasTray)
    {
        window = std::make_unique<MainWindow>(settings, MainWindow::Options{.hasTray = hasTray});
        window->show();
    }
    TrayIcon* tray() const { return window->findChild<TrayIcon*>(); }
    QAction* entry(const QString& text) const
    {
        for (QAction* action : tray()->menu().actions())
            if (action->text().remove(u'&').startsWith(text))
                return action;
        return nullptr;
    }
};

class tst_TrayIcon : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itShowsTheWorst()
    {
        Rig rig;
        rig.open(true);
        QTRY_COMPARE(rig.tray()->toolTip(), u"Lockscope: no incident needs attention"_s);
        rig.made.fire(
            MadeIncidents::chain(u"report"_s, ServerTime{ownClock()} - 1min, alert::Severity::Warning));
        QTRY_COMPARE(rig.tray()->toolTip(), u"Lockscope: 1 incident needs attention (warning)"_s);
        rig.made.fire(MadeIncidents::billing(ownClock() - 6min));
        QTRY_COMPARE(
            rig.tray()->toolTip(), u"Lockscope: 2 incidents need attention, the worst is critical"_s);
    }

    void withoutATrayNothingChanges()
    {
        Rig rig;
        rig.settings.setValue(u"window/keepInTray"_s, true);
        rig.open(false);
        QVERIFY(!rig.tray());
        QVERIFY(rig.window->close());
        QVERIFY(QApplication::quitOnLastWindowClosed());
    }

    /// To close the window ends the program, as before, until somebody sets it otherwise.
    void closedItGoesOnOnlyIfThatIsConfigured()
    {
        Rig rig;
        rig.open(true);
        QVERIFY(rig.window->close());
        rig.settings.setValue(u"window/keepInTray"_s, true);
        rig.open(true);
        QVERIFY(!rig.window->close());
        QVERIFY(!rig.window->isVisible());
        QVERIFY(!QApplication::quitOnLastWindowClosed());
        rig.entry(u"Show Lockscope"_s)->trigger();
        QVERIFY(rig.window->isVisible());
        QVERIFY(QApplication::quitOnLastWindowClosed());
        QVERIFY(!rig.window->close());
        rig.entry(u"Quit"_s)->trigger();
        QVERIFY(!rig.window->isVisible());
        QVERIFY(QApplication::quitOnLastWindowClosed());
    }

    void allIsMutedForAnHour()
    {
        Rig rig;
        rig.open(true);
        rig.window->openServer(profileOf("postgresql://ops@127.0.0.1:1/shop", u"shop"_s));
        rig.entry(u"Mute all for 1 h"_s)->trigger();
        auto* question = rig.window->findChild<QInputDialog*>(u"muteAll"_s);
        QVERIFY(question);
        question->setTextValue(u"failover drill"_s);
        question->accept();
        QTRY_VERIFY(rig.made.store().mutes(ownClock())->size() == 1);
        const alert::Mute mute = rig.made.store().mutes(ownClock())->first();
        QCOMPARE(mute.of, alert::Mute::Of::Server);
        QCOMPARE(mute.value, u"localhost:1"_s);
        QCOMPARE(mute.why, u"failover drill"_s);
        QVERIFY(mute.until > ownClock() + 59min && mute.until <= ownClock() + 60min);
    }

    void itIsASetting()
    {
        Preferences preferences;
        SettingsDialog dialog(preferences, nullptr, {});
        QVERIFY(!dialog.preferences().keepInTray && !dialog.preferences().alertSound);
        dialog.findChild<QCheckBox*>(u"keepInTray"_s)->setChecked(true);
        dialog.findChild<QCheckBox*>(u"alertSound"_s)->setChecked(true);
        QSettings settings(freshPath(u"p.ini"_s), QSettings::IniFormat);
        dialog.preferences().save(settings);
        QVERIFY(Preferences::load(settings).keepInTray && Preferences::load(settings).alertSound);
    }
};

LOCKSCOPE_TEST(tst_TrayIcon)

} // namespace tst_TrayIcon
#include "tst_TrayIcon.moc"
