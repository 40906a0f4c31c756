// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/WaitTotals.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/theme/Theme.h"
#include "ui/views/blocking/BlockingGraphView.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/blocking/BlockingTreeModel.h"

namespace tst_BlockingPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// 51 (billing) blocks 63 (web), behind which 70 (report) waits; 80 (mailer) blocks 81 (archive).
static SnapshotBuilder twoChains(int later = 0)
{
    SnapshotBuilder s(later);
    s.session(51, "billing").idleInTransaction(372 + later);
    s.session(63, "web").transaction(41 + later);
    s.session(70, "report").transaction(12 + later);
    s.session(80, "mailer").idleInTransaction(30 + later);
    s.session(81, "archive").transaction(9 + later);
    s.holds(51, "public.orders", "AccessExclusiveLock", 372 + later);
    s.waits(63, "public.orders", "AccessExclusiveLock", 41 + later);
    s.holds(63, "public.items", "AccessExclusiveLock", 41 + later);
    s.waits(70, "public.items", "AccessExclusiveLock", 12 + later);
    s.holds(80, "public.mails", "AccessExclusiveLock", 30 + later);
    s.waits(81, "public.mails", "AccessExclusiveLock", 9 + later);
    return s;
}

/// `count` pairs, each a chain of its own.
static SnapshotBuilder manyChains(int first, int count)
{
    SnapshotBuilder s;
    for (int i = first; i < first + count; ++i) {
        const QByteArray name = QByteArray("public.t") + QByteArray::number(i);
        s.session(1'000 + i, "holder");
        s.session(2'000 + i, "waiter");
        s.holds(1'000 + i, name, "AccessExclusiveLock", 500);
        s.waits(2'000 + i, name, "AccessExclusiveLock", 400 - i); // the lower, the more harm
    }
    return s;
}

/// The tree of chains has all functions of a table.
class tst_BlockingPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(*qApp, ThemeMode::Light); }
    void init()
    {
        m_settings.clear();
        open();
    }

    void whoMatchesKeepsItsChain()
    {
        show(twoChains());
        QCOMPARE(shownSessions(), u"51 63 70 80 81"_s);
        QCOMPARE(m_page->countText(), u"5 sessions in 2 chains"_s);
        QSignalSpy counts(m_page.get(), &Page::countTextChanged);
        m_page->focusFilter();
        QVERIFY(filterBox()->hasFocus());
        QTest::keyClicks(filterBox(), u"web"_s);
        QCOMPARE(shownSessions(), u"51 63 70"_s);
        keepPicture(*m_page, u"blocking-filtered"_s);
        QCOMPARE(m_page->countText(), u"5 sessions in 2 chains · 2 filtered out"_s);
        QVERIFY(counts.count() > 0);
        m_page->setFilter(u"session:archive"_s);
        QCOMPARE(shownSessions(), u"80 81"_s);
        show(twoChains(2)); // a refresh changes nothing of it
        QCOMPARE(shownSessions(), u"80 81"_s);

        m_page->setFilter(u"nobody"_s);
        QCOMPARE(shownSessions(), QString());
        auto* empty = m_page->findChild<QLabel*>(u"blockingEmpty"_s);
        QVERIFY(empty->isVisible() && empty->text().contains(u"No session matches the filter"_s));
        keepPicture(*m_page, u"blocking-empty"_s);
        QVERIFY(!m_page->canExportCsv());
        QTest::keyClick(filterBox(), Qt::Key_Escape);
        QCOMPARE(shownSessions(), u"51 63 70 80 81"_s);
        QVERIFY(tree()->hasFocus());
    }

    /// No chain, but waits: that is no calm.
    void waitsWithoutABlockerAreSaid()
    {
        const auto* empty = m_page->findChild<QLabel*>(u"blockingEmpty"_s);
        SnapshotBuilder s;
        s.session(63, "web");
        show(s);
        VERIFY_CONTAINS(empty->text(), u"No session blocks another one"_s);
        SnapshotBuilder partial = s;
        partial.limitation(Limitation::Kind::Failed, "The lock table could not be read.", "");
        show(partial);
        VERIFY_CONTAINS(empty->text(), u"No session is seen blocking another one"_s);
        s.waits(63, "public.orders", "AccessExclusiveLock", 90);
        show(s);
        QVERIFY(empty->isVisible());
        VERIFY_CONTAINS(empty->text(), textWithoutBlocker(1));
        VERIFY_CONTAINS(empty->text(), u"state:waiting"_s); // there they are
        VERIFY_CONTAINS(empty->text(), theme::levelSign(AgeLevel::Red));
        QVERIFY(!empty->text().contains(u"No session blocks"_s));
    }

    /// Between two polls, too: tree and drawing must not tell different ages.
    void agesOfTheDrawingGoOn()
    {
        show(twoChains());
        auto* graph = m_page->findChild<BlockingGraphView*>();
        const auto ageOf63 = [graph] {
            for (QGraphicsItem* item : graph->scene()->items()) {
                const auto* node = dynamic_cast<GraphNode*>(item);
                if (node && node->row().key.id.value == 63)
                    return node->linesAt(1).last().section(u' ', -2);
            }
            return QString();
        };
        QCOMPARE(ageOf63(), u"41 s"_s);
        graph->setNow(twoChains().take()->takenAt + 5s);
        QCOMPARE(ageOf63(), u"46 s"_s);
    }

    /// A past time gets no further snapshot that could show it.
    void thresholdsCountAtOnce()
    {
        show(twoChains());
        m_context.setClockStopped(true);
        const auto tone = [this] {
            const QAbstractItemModel* model = tree()->model();
            return model->index(0, BlockingTreeModel::AgeColumn, model->index(0, 0))
                .data(TableModel::ToneRole)
                .value<Tone>();
        };
        const auto picture = [this] {
            return m_page->findChild<BlockingGraphView*>()->viewport()->grab().toImage();
        };
        m_context.setThresholds({.wait = {10s, 30s}, .hold = {15s, 5min}});
        QCOMPARE(tone(), Tone::Red);
        const QImage before = picture();
        m_context.setThresholds({.wait = {1h, 2h}, .hold = {1h, 2h}});
        QCOMPARE(tone(), Tone::Normal);
        QVERIFY(picture() != before);
        QCOMPARE(shownSessions(), u"51 63 70 80 81"_s);
    }

    void onlyChainsWithTheValueOfACell()
    {
        show(twoChains());
        const QModelIndex mailer = tree()->model()->index(1, 0);
        QVERIFY(mailer.data().toString().contains(u"80"_s));
        tree()->setCurrentIndex(mailer);
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(), QPoint());
        QCoreApplication::sendEvent(tree(), &asked);
        const auto menus = tree()->findChildren<QMenu*>(Qt::FindDirectChildrenOnly);
        QVERIFY(!menus.isEmpty());
        const auto actions = menus.last()->actions();
        const auto only = std::ranges::find_if(
            actions, [](const QAction* action) { return action->text().startsWith(u"Only session “"_s); });
        QVERIFY(only != actions.end());
        (*only)->trigger();
        QCOMPARE(shownSessions(), u"80 81"_s);
        menus.last()->close();
    }

    void anUnknownColumnIsReported()
    {
        show(twoChains());
        QSignalSpy said(m_page.get(), &Page::statusMessage);
        m_page->setFilter(u"usr:web"_s);
        QCOMPARE(said.count(), 1);
        QVERIFY(said.first().first().toString().contains(u"“usr”"_s));
        QVERIFY(m_page->findChild<QLabel*>(u"blockingEmpty"_s)->text().contains(u"“usr”"_s));
    }

    void whatMatchesIsSeenInAClosedChain()
    {
        show(twoChains());
        tree()->setCurrentIndex(tree()->model()->index(0, 0));
        QTest::keyClick(tree(), Qt::Key_Left);
        QCOMPARE(shownSessions(), u"51 80 81"_s);
        m_page->setFilter(u"report"_s);
        QCOMPARE(shownSessions(), u"51 63 70"_s);
        m_page->setFilter({});
        QCOMPARE(shownSessions(), u"51 80 81"_s); // closed as before
    }

    void copiesAndExportsTheChains()
    {
        show(twoChains());
        for (int column = 0; column < tree()->model()->columnCount(); ++column)
            tree()->setColumnHidden(column,
                column != BlockingTreeModel::SessionColumn && column != BlockingTreeModel::BlockedByColumn);
        tree()->setFocus();
        tree()->selectAll();
        QTest::keyClick(tree(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(),
            u"51  billing\t\n  63  web\t51\n    70  report\t63\n80  mailer\t\n  81  archive\t80\n"_s);
        tree()->selectionModel()->select(
            tree()->model()->index(1, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        QTest::keyClick(tree(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QApplication::clipboard()->text(),
            u"session,blocked_by,framework,session_id,program,level\r\n80  mailer,,,80,mailer,0\r\n"_s);

        QVERIFY(m_page->canExportCsv());
        tree()->collapseAll();
        const QString path = m_folder.filePath(u"chains.csv"_s);
        QSignalSpy said(m_page.get(), &Page::statusMessage);
        m_page->writeCsv(path);
        QVERIFY(said.wait()); // it is written on another thread
        QCOMPARE(QString::fromUtf8(readFile(path)),
            u"session,blocked_by,framework,session_id,program,level\r\n51  billing,,,51,billing,0\r\n63  web,51,,63,web,1\r\n"
            "70  report,63,,70,report,2\r\n80  mailer,,,80,mailer,0\r\n81  archive,80,,81,archive,1\r\n"_s);
        QVERIFY(said.first().first().toString().startsWith(u"5 rows"_s));
    }

    void columnsComeBack()
    {
        QHeaderView* header = tree()->header();
        header->moveSection(header->visualIndex(BlockingTreeModel::AgeColumn), 0); // and no width changed
        header->setSectionHidden(BlockingTreeModel::ModeColumn, true);
        header->setSectionHidden(BlockingTreeModel::BlockedByColumn, false);
        m_page->saveLayout();
        open();
        header = tree()->header();
        QCOMPARE(header->visualIndex(BlockingTreeModel::AgeColumn), 0);
        QVERIFY(header->isSectionHidden(BlockingTreeModel::ModeColumn));
        QVERIFY(!header->isSectionHidden(BlockingTreeModel::BlockedByColumn));
        QVERIFY(!tree()->horizontalScrollBar()->isVisible()); // they fill the width still
        QCOMPARE(tree()->treePosition(), int(BlockingTreeModel::AgeColumn));
        tree()->setColumnWidth(BlockingTreeModel::WhatColumn, 333);
        m_page->saveLayout();
        open();
        QCOMPARE(tree()->columnWidth(BlockingTreeModel::WhatColumn), 333);
    }

    void theColumnMenuIsReachedByKey()
    {
        show(twoChains());
        tree()->setFocus();
        QTest::keyClick(tree(), Qt::Key_F10, Qt::ShiftModifier);
        QTRY_VERIFY(QApplication::activePopupWidget());
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QStringList texts;
        for (const QAction* action : menu->actions())
            texts << action->text().remove(u'&');
        QVERIFY2(
            texts.contains(u"Columns"_s) && texts.contains(u"Copy rows"_s), qPrintable(texts.join(u'|')));
        menu->close();
    }

    void whatIsReadStaysWhereItIs()
    {
        m_page->resize(830, 600);
        show(manyChains(10, 60));
        QScrollBar* bar = tree()->verticalScrollBar();
        QVERIFY(bar->maximum() > 0);
        bar->setValue(bar->maximum() / 2 + 7); // in the middle of a row
        const auto top = [this] { return tree()->indexAt(QPoint(4, 1)); };
        const QString text = top().siblingAtColumn(0).data().toString();
        const int cutOff = tree()->visualRect(top()).y();
        show(manyChains(0, 70)); // ten chains on top
        QCOMPARE(top().siblingAtColumn(0).data().toString(), text);
        QCOMPARE(tree()->visualRect(top()).y(), cutOff);
        show(manyChains(14, 56)); // and fourteen fewer
        QCOMPARE(top().siblingAtColumn(0).data().toString(), text);
        bar->setValue(0);
        show(manyChains(0, 70)); // at the very top the worst is to be seen
        QVERIFY(top().siblingAtColumn(0).data().toString().startsWith(u"1000 "_s));
    }

private:
    void open()
    {
        m_page.reset();
        m_page = std::make_unique<BlockingPage>(m_context);
        m_page->resize(900, 600);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }
    void show(SnapshotBuilder builder)
    {
        const SnapshotPtr snapshot = builder.take();
        m_context.noteSnapshot(*snapshot);
        m_page->showSnapshot(snapshot);
    }
    QTreeView* tree() const { return m_page->findChild<QTreeView*>(u"blockingTree"_s); }
    QLineEdit* filterBox() const { return m_page->findChild<QLineEdit*>(); }
    /// Returns the sessions from top to bottom, without those in closed chains.
    QString shownSessions() const
    {
        QStringList sessions;
        for (QModelIndex at = tree()->model()->index(0, 0); at.isValid(); at = tree()->indexBelow(at))
            sessions << at.siblingAtColumn(0).data().toString().section(u' ', 0, 0);
        return sessions.join(u' ');
    }

    QTemporaryDir m_folder;
    QSettings m_settings{m_folder.filePath(u"s.ini"_s), QSettings::IniFormat};
    AppContext m_context{m_settings};
    std::unique_ptr<BlockingPage> m_page;
};

LOCKSCOPE_TEST(tst_BlockingPage)

} // namespace tst_BlockingPage
#include "tst_BlockingPage.moc"
