// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/ShellTest.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/charts/TimeChart.h"
#include "ui/kit/help/HelpBrowser.h"
#include "ui/kit/help/HelpWindow.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/shell/servers/Recordings.h"
#include "ui/shell/servers/ServerDialogs.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/window/TopBar.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_Shell {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

const ServerTime startOf51 = SnapshotBuilder::start() - std::chrono::hours(1) + 51s;

/// The parts around the pages: the server and its state, and that nothing moves about.
class tst_Shell : public ShellTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { makeShell(); }
    void cleanup() { dropAll(); }

    void aDeadServerShowsNothingOfTheOneBefore()
    {
        show(named(u"alive"_s), std::make_shared<Answers>(oneBlocksOne()));
        auto* clock = child<QLabel>("clock");
        auto* cost = child<QLabel>("pollCost");
        TRY_VERIFY(clock->text().contains(u"LIVE"_s));
        const QRegularExpression time(u"\\d\\d:\\d\\d:\\d\\d"_s);
        VERIFY_CONTAINS(clock->text(), time);
        child<QLabel>("statusMessage")->setText(u"Session 51 was ended."_s);

        const auto dead = std::make_shared<Answers>(oneBlocksOne());
        dead->fail(ErrorKind::Connection, u"Can't connect."_s);
        show(named(u"dead"_s), dead);
        VERIFY_LACKS(clock->text(), u"LIVE"_s);
        VERIFY_LACKS(clock->text(), time);
        QCOMPARE(cost->text(), QString());
        QCOMPARE(child<QLabel>("statusMessage")->text(), QString());
        TRY_VERIFY(clock->text().contains(u"FAILED"_s));
        VERIFY_LACKS(clock->text(), time);
        QVERIFY(child<QToolButton>("server")->text().contains(u"dead"_s));
    }

    void atTheStartOnlyThePageOnViewIsThere()
    {
        const auto made = [this] {
            QStringList ids;
            for (const Page* page : m_window->findChildren<Page*>())
                ids << page->id();
            return ids;
        };
        COMPARE_TEXTS(made(), "overview");
        m_settings->setValue(u"window/page"_s, u"locks"_s); // as it was closed
        makeWindow({});
        COMPARE_TEXTS(made(), "locks");
        QCOMPARE(m_window->pageIds().size(), 11);
        QCOMPARE(child<QListWidget>("pages")->count(), 11);
        m_window->help().open(u"index.md"_s);
        COMPARE_TEXTS(made(), "locks");
        m_window->help().manualWindow()->browser().open(ownpages::keys); // as by a link: of all pages
        QTRY_COMPARE(made().size(), 11);
        VERIFY_CONTAINS(m_window->help().manualWindow()->browser().toPlainText().replace(QChar::Nbsp, u' '),
            u"Present verdict, timeline and steps to a hall; again: back"_s);
        makeWindow({});
        m_window->help().open(ownpages::keys);
        QCOMPARE(made().size(), 11);
        makeWindow({});
        m_window->help().open(u"index.md"_s);
        m_window->help().manualWindow()->findChild<QLineEdit*>(u"helpSearch"_s)->setText(u"hall"_s);
        QCOMPARE(made().size(), 11); // their keys are found
    }

    void aPageThatIsShownFirstHasThePresentRowsAtOnce()
    {
        showTill();
        QVERIFY(!m_window->findChild<LocksPage*>());
        m_window->showPage(u"locks"_s);
        QVERIFY(pageOf<LocksPage>(*m_window).view().model()->rowCount() > 0);
        // A jump filters it, too.
        QVERIFY(!m_window->findChild<SessionsPage*>());
        Q_EMIT m_window->currentPage()->openPage(u"sessions"_s, u"session:63"_s);
        QCOMPARE(m_window->currentPage()->id(), u"sessions"_s);
        const SessionsPage& sessions = pageOf<SessionsPage>(*m_window);
        QCOMPARE(sessions.findChild<QLineEdit*>()->text(), u"session:63"_s);
        QCOMPARE(sessions.view().model()->rowCount(), 1);
    }

    void rowsStayWhileThePointerMovesOverThem()
    {
        const auto answers = std::make_shared<Answers>(oneBlocksOne());
        show(named(u"till"_s), answers);
        m_window->showPage(u"sessions"_s);
        auto& view = static_cast<TablePage*>(m_window->currentPage())->view();
        TRY_COMPARE(view.model()->rowCount(), 2);
        const auto movePointer = [&view] {
            QMouseEvent move(QEvent::MouseMove, QPointF(20, 20),
                view.viewport()->mapToGlobal(QPointF(20, 20)), Qt::NoButton, Qt::NoButton, {});
            QCoreApplication::sendEvent(view.viewport(), &move);
        };
        SnapshotBuilder s;
        for (const int id : {40, 51, 63})
            s.session(id, "billing");
        movePointer();
        answers->show(s.take());
        TRY_VERIFY((movePointer(), m_window->snapshot()->sessions.size() == 3));
        QCOMPARE(view.model()->rowCount(), 2);
        TRY_COMPARE(view.model()->rowCount(), 3); // it rests

        QMenu menu;
        menu.addAction(u"End session…"_s);
        menu.popup(view.viewport()->mapToGlobal(QPoint(20, 20)));
        QTRY_VERIFY(QApplication::activePopupWidget());
        answers->show(oneBlocksOne());
        TRY_VERIFY(m_window->snapshot()->sessions.size() == 2);
        QTest::qWait(300); // rows that wait are tried each 100 ms, and nothing tells of a try in vain
        QCOMPARE(view.model()->rowCount(), 3);
        menu.close();
        TRY_COMPARE(view.model()->rowCount(), 2);
    }

    /// The shown data may be old by now: each place that shows or changes it says so.
    void aServerThatGoesAwayIsOldEverywhere()
    {
        const auto answers = showTill();
        const auto hasTitle = [this](const QString& title) {
            const auto labels = m_window->currentPage()->findChildren<QLabel*>();
            return std::ranges::any_of(
                labels, [&](const QLabel* label) { return label->text().contains(title); });
        };
        const auto* chart = m_window->currentPage()->findChild<TimeChart*>();
        QTRY_COMPARE(chart->timeLabels().last(), u"now"_s);
        QVERIFY(hasTitle(u"Most contended now"_s));

        answers->fail(ErrorKind::Connection, u"The server went away."_s);
        TRY_VERIFY(child<QLabel>("clock")->text().contains(u"FAILED"_s));
        TRY_COMPARE(chart->timeLabels().last(), u"then"_s);
        QVERIFY(hasTitle(u" ago"_s) && !hasTitle(u"Most contended now"_s));
        keepPicture(*m_window, u"dead"_s);
        m_window->showPage(u"sessions"_s);
        auto& view = static_cast<TablePage*>(m_window->currentPage())->view();
        QTRY_VERIFY(view.isFaded());

        answers->recover();
        TRY_VERIFY(!view.isFaded());
        m_window->showPage(u"overview"_s);
        TRY_COMPARE(chart->timeLabels().last(), u"now"_s);
        QVERIFY(hasTitle(u"Most contended now"_s));
    }

    void withoutAServerDeadlocksAreOpenAndEveryEngineIsNamed()
    {
        const auto* connect = child<QAbstractButton>("connectToServer");
        QVERIFY(connect->isVisible());
        for (const QString& engine : {u"PostgreSQL"_s, u"SQL Server"_s})
            VERIFY_CONTAINS(connect->accessibleDescription(), engine);
        m_window->showPage(u"deadlocks"_s);
        QVERIFY(m_window->currentPage()->isVisible());
        m_window->showPage(u"locks"_s);
        QVERIFY(connect->isVisible());
    }

    void productionAndReadOnlyAreSaidEverywhere()
    {
        db::ServerProfile profile = named(u"till"_s);
        auto* mark = child<QLabel>("serverMark");
        show(profile, std::make_shared<Answers>(oneBlocksOne()));
        QVERIFY(!mark->isVisible());
        profile.environment = db::Environment::Production;
        profile.readOnly = true;
        show(profile, std::make_shared<Answers>(oneBlocksOne()));
        QTRY_VERIFY(mark->isVisible());
        QCOMPARE(mark->text(), u"PRODUCTION · READ-ONLY"_s);
        QCOMPARE(mark->grab().toImage().pixelColor(2, 2), environmentColor(db::Environment::Production));
        VERIFY_STARTS(m_window->windowTitle(), u"till · PRODUCTION · READ-ONLY"_s);
        const auto* servers = child<QListWidget>("servers");
        VERIFY_CONTAINS(servers->item(1)->toolTip(), u"PRODUCTION"_s);
        QVERIFY(!servers->item(0)->toolTip().contains(u"PRODUCTION"_s));
        const auto* menu = child<QMenu>("serverMenu");
        VERIFY_CONTAINS(menu->actions()[1]->text(), u"till · PRODUCTION · READ-ONLY – "_s);
        QVERIFY(!menu->actions()[0]->text().contains(u"PRODUCTION"_s));
    }

    /// The row of a server that is paused is left alone by the polls of another one.
    void aPollConcernsItsOwnRowOnly()
    {
        makeWindow({});
        show(profileOf(db::ServerUrl(), u"quiet"_s), std::make_shared<Answers>(oneBlocksOne()));
        m_window->session()->monitor().setPaused(true);
        show(profileOf(db::ServerUrl(), u"busy"_s), std::make_shared<Answers>(oneBlocksOne()));
        auto* servers = child<QListWidget>("servers");
        const auto* menu = child<QMenu>("serverMenu");
        QTRY_VERIFY(servers->item(1)->toolTip().contains(u"1 waits"_s));
        for (const int row : {0, 1}) {
            servers->item(row)->setText(u"untouched"_s);
            menu->actions()[row]->setText(u"untouched"_s);
        }
        QTRY_COMPARE(servers->item(1)->text(), u"busy"_s);
        QVERIFY(menu->actions()[1]->text().contains(u"busy"_s));
        QCOMPARE(servers->item(0)->text(), u"untouched"_s);
        QCOMPARE(menu->actions()[0]->text(), u"untouched"_s);
    }

    void whateverActsNamesItsServer()
    {
        db::ServerProfile profile = profileOf(TestServer::shared().freshDatabase(), u"till"_s);
        profile.environment = db::Environment::Test;
        makeWindow({.passwords = TestServer::shared().passwords()});
        m_window->openServer(profile);
        m_window->showPage(u"lock-table"_s);
        TRY_VERIFY(m_window->session()->monitor().snapshot());
        QPushButton* acquire = buttonIn(*m_window->currentPage(), u"Acquire…"_s);
        QVERIFY(acquire);
        QTRY_VERIFY(acquire->isEnabled());
        QTest::mouseClick(acquire, Qt::LeftButton);
        auto* dialog = m_window->findChild<AcquireDialog*>();
        QVERIFY(dialog);
        auto* strip = dialog->findChild<ServerStrip*>();
        QVERIFY(strip && strip->isVisible());
        QCOMPARE(strip->accessibleName(), u"till · TEST"_s);
        QCOMPARE(strip->width(), dialog->width());
        QCOMPARE(strip->grab().toImage().pixelColor(2, 2), environmentColor(db::Environment::Test));
        keepPicture(*dialog, u"acquire-strip"_s);
        dialog->reject();
    }

    void theWindowFitsItsScreen()
    {
        QVERIFY(m_window->screen()->availableGeometry().contains(m_window->geometry()));
        showTill();
        for (const QString& page : m_window->pageIds()) {
            m_window->showPage(page);
            // 1024×700 less what a window manager draws round it.
            const QSize least = m_window->minimumSizeHint();
            QVERIFY2(least.width() <= 1'016 && least.height() <= 664,
                qPrintable(u"%1: %2×%3"_s.arg(page).arg(least.width()).arg(least.height())));
        }
    }

    void noButtonIsCutOnASmallScreen()
    {
        // The size is that on a screen of 1024×700: the offscreen one is smaller.
        m_window->resize(1'016, 660);
        m_window->findChild<QSplitter*>()->setSizes({176, 620, 220});
        showTill();
        for (const QString& id : {u"sessions"_s, u"locks"_s, u"blocking"_s, u"lock-table"_s}) {
            m_window->showPage(id);
            Page* page = m_window->currentPage();
            page->reveal(DetailSubject(SessionKey{SessionId{51}, startOf51}));
            QCoreApplication::processEvents();
            for (const auto* button : page->findChildren<QPushButton*>()) {
                if (!button->isVisible())
                    continue;
                QVERIFY2(button->width() >= button->minimumSizeHint().width(),
                    qPrintable(id + u": "_s + button->text()));
            }
        }
    }

    void noticesPushNothingAndCanBeDismissed()
    {
        const auto answers = showTill();
        m_window->showPage(u"sessions"_s);
        TableView& view = static_cast<TablePage*>(m_window->currentPage())->view();
        QCoreApplication::processEvents(); // the page gets its layout
        const QPoint before = view.mapTo(m_window.get(), QPoint());
        answers->fail(ErrorKind::Connection, u"The server went away."_s);
        auto* bar = child<NoticeBar>("healthBar");
        TRY_VERIFY(bar->isVisible());
        QCoreApplication::processEvents();
        QCOMPARE(view.mapTo(m_window.get(), QPoint()), before);
        keepPicture(*m_window, u"notice"_s);

        QTest::mouseClick(bar->findChild<QToolButton*>(u"dismissNotice"_s), Qt::LeftButton);
        QVERIFY(!bar->isVisible());
        // The trouble goes on and is not reported again; the next one is.
        m_window->session()->monitor().refreshNow();
        QTest::keyClick(m_window.get(), Qt::Key_1, Qt::ControlModifier);
        QVERIFY(!bar->isVisible());
        answers->recover();
        m_window->session()->monitor().refreshNow();
        TRY_COMPARE(m_window->session()->monitor().health(), monitor::Health::Live);
        answers->fail(ErrorKind::Connection, u"The server went away."_s);
        TRY_VERIFY(bar->isVisible());
    }

    void theDetailPaneGivesItsRoomBack()
    {
        showTill();
        m_window->showPage(u"sessions"_s);
        m_window->resize(1'100, 700);
        auto* pane = m_window->findChild<DetailPane*>();
        auto* pages = m_window->findChild<PageStack*>();
        TableView& view = static_cast<TablePage*>(m_window->currentPage())->view();
        TRY_VERIFY(view.model()->rowCount() >= 2);
        QVERIFY(!pane->isVisible());
        const int wide = pages->width();

        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Down);
        QTRY_VERIFY(pane->isVisible());
        QTRY_VERIFY(pages->width() < wide);
        const QString title = child<QLabel>("detailTitle")->text();
        VERIFY_STARTS(title, u"Session"_s);

        // The setting is of one page, and not of all.
        m_window->showPage(u"locks"_s);
        QTRY_VERIFY(!pane->isVisible());
        QTRY_COMPARE(pages->width(), wide);
        m_window->showPage(u"sessions"_s);
        QTRY_VERIFY(pane->isVisible());
        QCOMPARE(child<QLabel>("detailTitle")->text(), title);

        QTest::keyClick(&view, Qt::Key_Escape);
        QTRY_VERIFY(!pane->isVisible());
        QTRY_COMPARE(pages->width(), wide);
    }

    void theListSaysWhoWaitsOnEachServer()
    {
        show(named(u"busy"_s), std::make_shared<Answers>(oneBlocksOne()));
        SnapshotBuilder calm;
        calm.session(51, "billing");
        const auto answers = std::make_shared<Answers>(calm.take());
        show(named(u"calm"_s), answers);
        const auto* servers = child<QListWidget>("servers");
        // The same holds for the one that is not on view.
        TRY_VERIFY(servers->item(0)->toolTip().contains(QRegularExpression(u"1 waits, [45]\\d s"_s)));
        TRY_VERIFY(servers->item(1)->toolTip().contains(u"nobody waits"_s));
        keepPicture(*m_window, u"servers"_s);
        answers->fail(ErrorKind::Connection, u"The server went away."_s);
        TRY_VERIFY(servers->item(1)->toolTip().contains(u"Failed"_s));
        VERIFY_LACKS(servers->item(1)->toolTip(), u"waits"_s);
    }

    void theServersOfTheLastTimeAreReopened()
    {
        makeWindow({.passwords = TestServer::shared().passwords()});
        for (const QString& name : {u"first"_s, u"second"_s, u"third"_s}) {
            const db::ServerProfile profile = profileOf(TestServer::shared().freshDatabase(), name);
            m_window->openServer(profile);
            m_keychain->write(profile.url.toString(), TestServer::shared().password());
        }
        clickServer(1);
        QCOMPARE(m_window->session()->profile().name, u"second"_s);
        m_window->close();

        makeWindow({});
        QVERIFY(!m_window->session());
        m_window->reopenServers();
        TRY_VERIFY(m_window->session()); // once the window is painted
        QCOMPARE(m_window->session()->profile().name, u"second"_s);
        auto* servers = m_window->findChild<Servers*>();
        QCOMPARE(servers->count(), 3);
        for (int row = 0; row < 3; ++row) {
            TRY_VERIFY(servers->session(row)); // one after the other
            TRY_VERIFY(servers->session(row)->monitor().snapshot());
        }
        // The settings have a switch for that.
        Preferences preferences = Preferences::load(*m_settings);
        preferences.reopen = false;
        preferences.save(*m_settings);
        m_window->close();
        makeWindow({});
        m_window->reopenServers();
        QVERIFY(!m_window->session());
    }

    /// Servers are reopened one by one, and the list is there at once.
    void aServerThatIsRemovedBeforeItIsReopenedStaysAway_data()
    {
        addRows<bool>(
            "isClosed", {{"while the others open", false}, {"and the window is closed again", true}});
    }
    void aServerThatIsRemovedBeforeItIsReopenedStaysAway()
    {
        QFETCH(const bool, isClosed);
        makeWindow({});
        for (const QString& name : {u"first"_s, u"second"_s, u"third"_s}) {
            db::ServerProfile nowhere = named(u"127.0.0.1"_s);
            nowhere.name = name;
            nowhere.url.database = name;
            nowhere.url.port = 1;
            m_window->openServer(nowhere);
        }
        m_window->close();

        makeWindow({});
        m_window->reopenServers();
        auto* servers = m_window->findChild<Servers*>();
        QCOMPARE(servers->count(), 3);
        QVERIFY(!servers->session(0));
        servers->remove(0);
        if (isClosed) {
            m_window->close();
            makeWindow({});
            m_window->reopenServers();
            servers = m_window->findChild<Servers*>();
        }
        for (int row = 0; row < 2; ++row)
            TRY_VERIFY(servers->session(row));
        const auto* reopener = m_window->findChild<Reopener*>();
        TRY_VERIFY(reopener->rest().isEmpty());
        QCOMPARE(servers->count(), 2);
        for (int row = 0; row < 2; ++row)
            QVERIFY(servers->profile(row).name != u"first");
    }

    /// A recording, for instance, is not polled, which would draw it again.
    void anotherThemeLeavesNothingDarkOnDark()
    {
        TopBar bar;
        bar.showServer(u"till"_s, u"Live"_s, AgeLevel::Normal);
        bar.showClock(u"LIVE"_s, AgeLevel::Normal, u"03:12:07"_s);
        bar.show();
        const auto* server = bar.findChild<QToolButton*>(u"server"_s);
        const auto* clock = bar.findChild<QLabel*>(u"clock"_s);
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark, ThemeMode::Light}) {
            theme::apply(*qApp, mode);
            QTRY_COMPARE(
                server->palette().color(QPalette::ButtonText), qApp->palette().color(QPalette::ButtonText));
            TRY_CONTAINS(clock->text(), theme::colors().ok.name());
        }
    }
};

LOCKSCOPE_TEST(tst_Shell)

} // namespace tst_Shell
#include "tst_Shell.moc"
