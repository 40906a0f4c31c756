// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// F1 in each part of the window, and the window that it opens, by keys and clicks.

#include "tests/support/FakeKeychain.h"
#include "tests/support/MadeFrameworks.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/ui/Widgets.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/help/HelpBrowser.h"
#include "ui/kit/help/HelpWindow.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/theme/Theme.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/connect/ConnectDialog.h"
#include "ui/views/page/SessionActs.h"
#include "ui/views/scenarios/StepPanel.h"
#include "ui/views/settings/SettingsDialog.h"

namespace tst_Help {

using namespace lockscope;
using namespace lockscope::ui;
using test::SnapshotBuilder;

/// A session holds what another one waits for.
static SnapshotPtr contention()
{
    SnapshotBuilder s;
    s.session(51, "billing").idleInTransaction(60);
    s.session(63, "web");
    s.holds(51, "public.orders", "AccessExclusiveLock", 60);
    s.waits(63, "public.orders", "AccessExclusiveLock", 12);
    s.holds(51, "advisory lock 72707369", "ExclusiveLock", 60, true, ResourceKind::ApplicationLock);
    s.belongs("advisory lock 72707369", test::prismaMatch());
    s.entry("nightly", "ann").lease(600, 700);
    return s.take();
}

/// Takes what would be opened in the desktop's browser.
class Desktop : public QObject {
    Q_OBJECT

public:
    Desktop() { QDesktopServices::setUrlHandler(u"https"_s, this, "take"); }
    ~Desktop() override { QDesktopServices::unsetUrlHandler(u"https"_s); }
    QList<QUrl> opened;

public Q_SLOTS:
    void take(const QUrl& url) { opened << url; }
};

class tst_Help : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        theme::apply(*qApp, ThemeMode::Light);
        makeFolder();
        showWindow({.keychain = std::make_shared<test::FakeKeychain>()});
    }
    void cleanup() { dropAll(); }

    void f1OpensTheChapterOfEachPage()
    {
        showServer(contention);
        QVERIFY(m_window->pageIds().size() >= 7);
        for (const QString& id : m_window->pageIds()) {
            m_window->showPage(id);
            m_window->activateWindow();
            QTRY_VERIFY(m_window->isActiveWindow());
            m_window->setFocus();
            pressF1();
            QCOMPARE(target(), id + u".md"_s);
            QVERIFY(manual()->isVisible());
            const Manual::Chapter* chapter = manual()->manual().page(id + u".md"_s);
            QCOMPARE(chapter->title(), m_window->currentPage()->title());
            const auto* contents = manual()->findChild<QTreeWidget*>(u"helpContents"_s);
            QCOMPARE(contents->currentItem()->text(0), chapter->title());
            QTRY_VERIFY(browser().hasFocus());
            test::keepPicture(*manual(), u"help-"_s + id);
        }
    }

    void f1OpensTheChapterOfWhatHasTheFocus()
    {
        showServer(contention);
        m_window->showPage(u"locks"_s);
        auto* rows = m_window->currentPage()->findChild<TableView*>();
        rows->setFocus();
        pressF1(rows);
        QCOMPARE(target(), u"locks.md"_s);
        m_window->activateWindow();
        QTRY_VERIFY(m_window->isActiveWindow());
        m_window->showPage(u"scenarios"_s);
        auto* steps = m_window->findChild<StepPanel*>();
        m_window->currentPage()->findChild<QTabWidget*>()->setCurrentWidget(steps);
        auto* text = steps->findChild<QLineEdit*>(u"interleaving"_s);
        text->setFocus();
        QVERIFY(text->hasFocus());
        pressF1(text);
        QCOMPARE(target(), u"scenarios.md#step-by-step"_s);
    }

    void f1OnALockOfAFrameworkOpensItsPage()
    {
        showServer(contention);
        m_window->showPage(u"locks"_s, u"framework:prisma"_s);
        auto* rows = m_window->currentPage()->findChild<TableView*>();
        QTRY_COMPARE(rows->model()->rowCount(), 2); // the resource, and its holder
        rows->selectRow(1);
        rows->setFocus();
        pressF1(rows);
        QCOMPARE(target(), u"framework-prisma.md"_s);
        QVERIFY(browser().toPlainText().contains(u"prisma migrate"_s));
        // The detail's button leads there, too; its other rows to the chapter of the page.
        m_window->activateWindow();
        QTRY_VERIFY(m_window->isActiveWindow());
        manual()->open(u"index.md"_s);
        auto* more = child<QPushButton>("readMore");
        QTRY_VERIFY(more->isVisible());
        more->click();
        QCOMPARE(target(), u"framework-prisma.md"_s);
        m_window->activateWindow();
        m_window->showPage(u"locks"_s, u"-framework:prisma state:waiting"_s);
        QTRY_COMPARE(rows->model()->rowCount(), 2);
        rows->selectRow(1);
        rows->setFocus();
        pressF1(rows);
        QCOMPARE(target(), u"locks.md"_s);
    }

    void f1ExplainsWhyThereIsNothingToSee()
    {
        pressF1();
        QCOMPARE(target(), u"getting-started.md"_s);
        showUnreachableServer();
        QTRY_VERIFY(child<QWidget>("healthBar"));
        m_window->activateWindow();
        QTRY_VERIFY(m_window->isActiveWindow());
        pressF1();
        QTRY_COMPARE(target(), u"connecting.md#when-it-fails"_s);
    }

    void f1OpensTheChapterOfEachDialog()
    {
        {
            ConnectDialog dialog({}, m_window.get(), std::make_shared<test::FakeKeychain>());
            explains(dialog, u"connecting.md#the-dialog"_s);
        }
        {
            SettingsDialog dialog({}, m_window.get());
            explains(dialog, u"window.md#settings"_s);
        }
        {
            AcquireDialog dialog(u"nightly"_s, Engine::Postgres, m_window.get());
            explains(dialog, u"lock-table.md#acquire"_s);
        }
        {
            DangerDialog dialog(*m_settings, m_window.get());
            explains(dialog, u"freeing.md"_s);
        }
        db::Server server;
        server.profile.url.sandbox = true;
        server.resolve = [](const db::Server&) {
            return Result<db::Server>(failure(ErrorKind::Connection, u"No route."_s));
        };
        auto* row = new LockedRowDialog(server, {}, m_window.get()); // deletes itself
        explains(*row, u"locks.md#the-row-behind-a-lock"_s);
        row->close();
    }

    void theManualCanBeReadWhileADialogWaits()
    {
        DangerDialog dialog(*m_settings, m_window.get());
        dialog.open();
        QTRY_VERIFY(dialog.isActiveWindow());
        pressF1(&dialog);
        QVERIFY(manual()->isVisible() && dialog.isVisible());
        QTRY_VERIFY(manual()->isActiveWindow());
        auto* search = manual()->findChild<QLineEdit*>(u"helpSearch"_s);
        search->setFocus();
        QTest::keyClicks(search, u"fencing"_s);
        QCOMPARE(search->text(), u"fencing"_s);
        QTest::keyClick(search, Qt::Key_Escape);
        QTest::keyClick(manual(), Qt::Key_Escape);
        QVERIFY(!manual()->isVisible() && dialog.isVisible());
        // It keeps no program alive.
        QVERIFY(!manual()->testAttribute(Qt::WA_QuitOnClose));
    }

    void theMenuLeadsToTheContentsTheKeysAndAbout()
    {
        auto* button = child<QToolButton>("help");
        QVERIFY(button->isVisible() && button->menu());
        QStringList targets;
        for (QAction* action : button->menu()->actions()) {
            if (action->isSeparator() || action->objectName() == u"guidedTour")
                continue; // the tour is on a page
            action->trigger();
            targets << target();
        }
        QCOMPARE(targets,
            (QStringList{u"getting-started.md"_s, u"paged.md"_s, u"index.md"_s, ownpages::frameworks,
                ownpages::keys, ownpages::about}));
        const QString about = browser().toPlainText();
        for (const QString& fact : {QStringLiteral(LOCKSCOPE_VERSION), QString::fromLatin1(qVersion()),
                 u"GNU General Public License"_s, u"MIT"_s})
            QVERIFY2(about.contains(fact), qPrintable(fact));
        test::keepPicture(*manual(), u"help-about"_s);
    }

    void theKeysListedAreThoseOfTheActions()
    {
        m_window->help().open(ownpages::keys);
        test::keepPicture(*manual(), u"help-keys"_s);
        const QString page = browser().toPlainText().replace(QChar::Nbsp, u' ');
        // Of pages that nobody has looked at, too.
        VERIFY_CONTAINS(page, u"Show the servers as tiles on the whole screen; again: back"_s);
        int count = 0;
        for (const QWidget* window :
            {static_cast<const QWidget*>(m_window.get()), static_cast<const QWidget*>(manual())}) {
            // A shortcut without an action would work and not be listed.
            QVERIFY(window->findChildren<QShortcut*>().isEmpty());
            for (const QAction* action : window->findChildren<QAction*>()) {
                if (action->shortcuts().isEmpty())
                    continue;
                ++count;
                const QString text = action->text().remove(u'&');
                QVERIFY2(!text.isEmpty() && page.contains(u'\n' + text + u'\n'), qPrintable(text));
                for (const QKeySequence& keys : action->shortcuts())
                    QVERIFY2(page.contains(keys.toString(QKeySequence::NativeText)), qPrintable(text));
            }
        }
        QVERIFY2(count > 40, qPrintable(QString::number(count)));
        // Nothing else is listed.
        const QList<KeyGroup> groups = keysOf({m_window.get(), manual()});
        for (const KeyGroup& group : groups) {
            QVERIFY(!group.name.isEmpty());
            for (const KeyRow& row : group.rows) {
                QVERIFY(std::ranges::any_of(groups, [&](const KeyGroup& g) { return g.rows.contains(row); }));
                bool isThere = false;
                for (const QWidget* window :
                    {static_cast<const QWidget*>(m_window.get()), static_cast<const QWidget*>(manual())})
                    for (const QAction* action : window->findChildren<QAction*>())
                        isThere |= action->text().remove(u'&') == row.what && !action->shortcuts().isEmpty()
                            && row.keys.startsWith(action->shortcut().toString(QKeySequence::NativeText));
                QVERIFY2(isThere, qPrintable(row.what));
            }
        }
        QCOMPARE(groups.front().name, u"Window"_s);
    }

    void backAndForwardReturnToTheSamePlace()
    {
        m_window->help().open(u"security.md"_s);
        manual()->resize(900, 400);
        browser().verticalScrollBar()->setValue(300);
        m_window->help().open(u"languages.md#plain-sql"_s);
        QVERIFY(browser().verticalScrollBar()->value() > 0);
        QTRY_VERIFY(manual()->isActiveWindow());
        QTest::keyClick(manual(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(target(), u"security.md"_s);
        QTRY_COMPARE(browser().verticalScrollBar()->value(), 300);
        QTest::keyClick(manual(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(target(), u"languages.md#plain-sql"_s);
        QTest::keyClick(manual(), Qt::Key_Home, Qt::AltModifier);
        QCOMPARE(target(), u"index.md"_s);
    }

    void theContentsLeadToSections()
    {
        m_window->help().open(u"index.md"_s);
        manual()->resize(900, 400);
        auto* contents = manual()->findChild<QTreeWidget*>(u"helpContents"_s);
        QCOMPARE(contents->topLevelItem(0)->text(0), manual()->manual().pages().front().title());
        QTreeWidgetItem* found = nullptr;
        for (QTreeWidgetItem* item :
            contents->findItems(u"The drawing"_s, Qt::MatchExactly | Qt::MatchRecursive))
            found = item;
        QVERIFY(found);
        contents->setCurrentItem(found);
        QCOMPARE(target(), u"blocking.md#the-drawing"_s);
        // The heading stands at the top of the view, if there is so much below it.
        QVERIFY(browser().verticalScrollBar()->value() > 0);
        QVERIFY(found->parent()->isExpanded());
        // A link in the text, too, is followed in the contents.
        m_window->help().open(u"freeing.md"_s);
        QCOMPARE(contents->currentItem()->text(0), u"Freeing a lock"_s);
    }

    void searchingMarksWhatItFinds()
    {
        m_window->help().open(u"index.md"_s);
        QTRY_VERIFY(manual()->isActiveWindow());
        QTest::keyClick(manual(), Qt::Key_F, Qt::ControlModifier);
        auto* search = manual()->findChild<QLineEdit*>(u"helpSearch"_s);
        QVERIFY(search->hasFocus());
        QTest::keyClicks(search, u"pg_signal_backend"_s);
        auto* hits = manual()->findChild<QListWidget*>(u"helpHits"_s);
        QVERIFY(hits->isVisible() && hits->count() >= 2);
        test::keepPicture(*manual(), u"help-search"_s);
        QTest::keyClick(search, Qt::Key_Return);
        const QString first = target();
        QVERIFY(first != u"index.md");
        QCOMPARE(browser().textCursor().selectedText(), u"pg_signal_backend"_s);
        QVERIFY(!browser().extraSelections().isEmpty());
        hits->setCurrentRow(1);
        QVERIFY(target() != first);
        QTest::keyClick(manual(), Qt::Key_F3);
        QCOMPARE(browser().textCursor().selectedText(), u"pg_signal_backend"_s);
        search->setFocus();
        QTest::keyClick(search, Qt::Key_Escape);
        QVERIFY(browser().extraSelections().isEmpty());
        QVERIFY(!hits->isVisible());
        // Another word for a term finds the term, and marks it.
        QTest::keyClicks(search, u"unlock"_s);
        QVERIFY(hits->count() >= 2);
        hits->setCurrentRow(0);
        QVERIFY(!browser().extraSelections().isEmpty());
        search->clear();
        QTest::keyClicks(search, u"zebra"_s);
        QCOMPARE(hits->count(), 1);
        QVERIFY(!(hits->item(0)->flags() & Qt::ItemIsSelectable));
    }

    void linksToElsewhereGoToTheDesktop()
    {
        Desktop desktop;
        m_window->help().open(u"connecting.md"_s);
        Q_EMIT browser().anchorClicked(QUrl(u"https://learn.microsoft.com/sql"_s));
        QCOMPARE(desktop.opened, QList<QUrl>{QUrl(u"https://learn.microsoft.com/sql"_s)});
        QCOMPARE(target(), u"connecting.md"_s);
        Q_EMIT browser().anchorClicked(QUrl(u"rights.md#sql-server"_s));
        QCOMPARE(target(), u"rights.md#sql-server"_s);
        QCOMPARE(desktop.opened.size(), 1);
    }

    void sqlIsShownAsItIs()
    {
        m_window->help().open(u"rights.md"_s);
        Q_EMIT browser().anchorClicked(QUrl(u"../../schema/postgres/install.sql"_s));
        const QString shown = browser().toPlainText();
        const QString first =
            QString::fromUtf8(test::readFile(u":/schema/postgres/install.sql"_s)).section(u'\n', 0, 0);
        QVERIFY2(shown.contains(first) && shown.contains(u"CREATE"_s), qPrintable(shown.left(100)));
        browser().backward();
        QCOMPARE(target(), u"rights.md"_s);
    }

    void aChangeOfThemeKeepsThePlace()
    {
        m_window->help().open(u"languages.md#plain-sql"_s);
        manual()->resize(900, 400);
        QCoreApplication::processEvents();
        browser().scrollToAnchor(u"plain-sql"_s);
        const int place = browser().verticalScrollBar()->value();
        QVERIFY(place > 0);
        theme::apply(*qApp, ThemeMode::Dark);
        QCoreApplication::processEvents();
        QCOMPARE(target(), u"languages.md#plain-sql"_s);
        QCOMPARE(browser().verticalScrollBar()->value(), place);
        test::keepPicture(*manual(), u"help-dark"_s);
    }

    void anUnknownChapterLeadsToTheContents()
    {
        m_window->help().open(u"nothing.md"_s);
        QCOMPARE(target(), u"index.md"_s);
    }

    void longLinesAndPicturesFitIn()
    {
        m_window->help().open(u"overview.md"_s);
        QTRY_VERIFY(manual()->isActiveWindow());
        QTRY_COMPARE(browser().horizontalScrollBar()->maximum(), 0);
        for (const int width : {700, 1'000, 1'600}) {
            manual()->resize(width, 600);
            QCoreApplication::processEvents();
            QCOMPARE(browser().horizontalScrollBar()->maximum(), 0);
        }
    }

private:
    void pressF1(QWidget* in = nullptr) { QTest::keyClick(in ? in : m_window.get(), Qt::Key_F1); }
    HelpWindow* manual() const { return m_window->help().manualWindow(); }
    HelpBrowser& browser() const { return manual()->browser(); }
    QString target() const { return manual() ? browser().target() : u"not open"_s; }
    template <class Dialog> void explains(Dialog& dialog, const QString& chapter)
    {
        dialog.open();
        QTRY_VERIFY(dialog.isActiveWindow());
        pressF1(dialog.focusWidget() ? dialog.focusWidget() : &dialog);
        QCOMPARE(target(), chapter);
        const Manual::Chapter* page = manual()->manual().page(chapter.section(u'#', 0, 0));
        QVERIFY(page);
        const QString anchor = chapter.section(u'#', 1);
        QVERIFY2(anchor.isEmpty()
                || std::ranges::any_of(
                    page->sections, [&](const Manual::Section& section) { return section.anchor == anchor; }),
            qPrintable(chapter));
    }
};

LOCKSCOPE_TEST(tst_Help)

} // namespace tst_Help
#include "tst_Help.moc"
