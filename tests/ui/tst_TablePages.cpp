// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/Writer.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/ui/Desk.h"
#include "ui/kit/tables/ColumnLayout.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/theme/Theme.h"
#include "ui/views/audit/AuditPage.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/detail/DetailText.h"
#include "ui/views/fleet/FleetModel.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_TablePages {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// All rows and columns as they leave the window.
template <class Model> static report::Section exported(const Model& model)
{
    QList<int> columns;
    for (int each = 0; each < model.columnCount(); ++each)
        columns << each;
    return sectionOf(model, allRows(model), columns);
}

/// Returns these columns of a table as programs read them, in whatever order its rows are.
static QStringList programRows(const report::Section& section, const std::vector<report::Column>& columns)
{
    QStringList rows;
    for (const report::ReportRow& row : section.rows) {
        QStringList cells;
        for (const report::Column& each : columns) {
            const auto found = std::ranges::find(section.columns, each.name(), &report::Column::name);
            cells << (found == section.columns.end()
                    ? each.key + u" is missing"_s
                    : programText(*found, row.cells[size_t(found - section.columns.begin())]));
        }
        rows << cells.join(u',');
    }
    rows.sort();
    return rows;
}

class tst_TablePages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(*qApp, ThemeMode::Light); }

    void locksTellWhoBlocksWhom()
    {
        Desk desk;
        LocksModel model(desk.context);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        desk.show(model, shop());
        COMPARE_TEXTS(column(model, LocksModel::SessionColumn), "51", "63", "70", "51", "70");
        QCOMPARE(column(model, LocksModel::BlockedBy).at(1), u"51"_s);
        QCOMPARE(column(model, LocksModel::Blocks).at(0), u"63"_s);
        QCOMPARE(column(model, LocksModel::BlockedBy).at(2), u"63"_s);
        QCOMPARE(column(model, LocksModel::State).at(1), u"waiting"_s);
        desk.show(model, SnapshotBuilder(2));
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(resets.count(), 0);
    }

    void contendedResourcesComeFirstUnlessAColumnSorts()
    {
        Desk desk;
        LocksPage page(desk.context);
        page.findChild<QComboBox*>()->setCurrentIndex(static_cast<int>(LockGrouping::None));
        page.resize(1000, 300);
        page.show();
        TableView& view = page.view();
        TableModel& model = view.tableModel();
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        const auto peaceful = [](int later) {
            SnapshotBuilder s(later);
            for (int id = 100; id < 140; ++id)
                s.session(id, "worker");
            for (int id = 100; id < 140; ++id)
                s.holds(id, qPrintable(u"public.t%1"_s.arg(id)), "RowExclusiveLock", 5);
            return s;
        };
        const auto rows = [&](int count) {
            QStringList texts;
            for (int row = 0; row < count; ++row)
                texts << u"%1 %2 %3"_s.arg(cell(model, row, LocksModel::ResourceName),
                    cell(model, row, LocksModel::SessionColumn), cell(model, row, LocksModel::State));
            return texts.join(u", "_s);
        };
        desk.show(page, peaceful(0));
        QCOMPARE(rows(2), u"public.t100 100 holding, public.t101 101 holding"_s);
        view.selectRow(20);
        view.verticalScrollBar()->setValue(10 * view.rowHeight(0));
        const QString top =
            view.indexAt(QPoint(4, 1)).siblingAtColumn(LocksModel::SessionColumn).data().toString();

        // Two resources become contended; the one that is waited for longer goes on top.
        SnapshotBuilder contended = peaceful(2);
        contended.waits(110, "public.t130", "AccessExclusiveLock", 1);
        contended.waits(111, "public.t120", "AccessExclusiveLock", 9);
        contended.waits(112, "public.t120", "RowExclusiveLock", 4);
        desk.show(page, contended);
        QCOMPARE(rows(5),
            u"public.t120 120 holding, public.t120 111 waiting, public.t120 112 waiting, public.t130 130 holding, public.t130 110 waiting"_s);
        QCOMPARE(view.currentIndex().siblingAtColumn(LocksModel::SessionColumn).data().toString(),
            u"120"_s); // wherever it went
        QCoreApplication::processEvents();
        QCOMPARE(
            view.indexAt(QPoint(4, 1)).siblingAtColumn(LocksModel::SessionColumn).data().toString(), top);

        view.sortByColumn(LocksModel::ResourceName, Qt::AscendingOrder);
        QCOMPARE(rows(2), u"public.t100 100 holding, public.t101 101 holding"_s);
        desk.show(page, contended);
        QCOMPARE(rows(2), u"public.t100 100 holding, public.t101 101 holding"_s);
        view.sortByColumn(-1, Qt::AscendingOrder);
        QCOMPARE(rows(1), u"public.t120 120 holding"_s);
        desk.show(page, peaceful(4));
        QCOMPARE(rows(2), u"public.t100 100 holding, public.t101 101 holding"_s);
        QCOMPARE(resets.count(), 0);
    }

    void agesRunOnBetweenReadingsAndStopWhenTheDataIsOld()
    {
        Desk desk;
        LocksModel model(desk.context);
        desk.show(model, shop());
        const QModelIndex age = model.index(1, LocksModel::AgeColumn);
        QCOMPARE(age.data().toString(), u"41 s"_s);
        QVERIFY(cell(model, 0, LocksModel::AgeColumn).startsWith(u"≥"_s));
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        desk.now += 30s;
        QCOMPARE(age.data().toString(), u"1 min 11 s"_s);
        desk.context.setClockStopped(true);
        desk.now += 60s;
        QCOMPARE(age.data().toString(), u"1 min 11 s"_s);
        QCOMPARE(changed.count(), 0);
        QCOMPARE(age.data(TableModel::ToneRole).value<Tone>(), Tone::Red);
        desk.context.setThresholds({.wait = {5min, 10min}});
        QCOMPARE(age.data(TableModel::ToneRole).value<Tone>(), Tone::Normal);
    }

    void holdersAndWaitersHaveThresholdsOfTheirOwn()
    {
        Desk desk;
        desk.context.setThresholds({.wait = {10s, 30s}, .hold = {15s, 5min}});
        LocksModel locks(desk.context);
        SessionsModel sessions(desk.context);
        LockTableModel table(desk.context);
        desk.show(locks, shop());
        desk.show(sessions, shop());
        desk.show(table, shop());
        const auto tone = [](const QAbstractItemModel& model, int row, int column) {
            return model.index(row, column).data(TableModel::ToneRole).value<Tone>();
        };
        // public.orders: held for 6 min 12 s; two wait, for 41 s and 12 s; another lock, held for 12 s in
        // peace.
        QCOMPARE(tone(locks, 0, LocksModel::AgeColumn), Tone::Red);
        QCOMPARE(tone(locks, 1, LocksModel::AgeColumn), Tone::Red);
        QCOMPARE(tone(locks, 2, LocksModel::AgeColumn), Tone::Amber);
        QCOMPARE(tone(locks, 4, LocksModel::AgeColumn), Tone::Normal);
        QCOMPARE(tone(sessions, 0, SessionsModel::Transaction), Tone::Red);
        QCOMPARE(tone(sessions, 1, SessionsModel::Waits), Tone::Red);
        QCOMPARE(tone(table, 0, LockTableModel::AgeColumn), Tone::Amber); // held for 1 min 35 s
        QCOMPARE(tone(table, 2, LockTableModel::AgeColumn), Tone::Red); // waits for 1 min 05 s
        QCOMPARE(tone(table, 4, LockTableModel::AgeColumn), Tone::Amber); // held for 20 s

        desk.context.setThresholds({.wait = {1h, 2h}, .hold = {1min, 6min}});
        for (const int waiter : {1, 2})
            QCOMPARE(tone(locks, waiter, LocksModel::AgeColumn), Tone::Normal);
        QCOMPARE(tone(locks, 0, LocksModel::AgeColumn), Tone::Red);
        QCOMPARE(tone(sessions, 0, SessionsModel::State), Tone::Red); // idle in its transaction
        QCOMPARE(tone(sessions, 1, SessionsModel::Waits), Tone::Normal);
        QCOMPARE(tone(table, 2, LockTableModel::AgeColumn), Tone::Normal);
        QCOMPARE(tone(table, 0, LockTableModel::AgeColumn), Tone::Amber);

        BlockingTreeModel tree(desk.context);
        const auto snapshot = std::make_shared<Snapshot>(*shop().take());
        for (lockscope::Session& session : snapshot->sessions)
            session.stateSince = session.transactionStarted;
        tree.apply(blockingForest(*snapshot, LockThresholds().hold.amber), snapshot->takenAt);
        const QModelIndex head = tree.index(0, BlockingTreeModel::AgeColumn);
        const QModelIndex waiter = tree.index(0, BlockingTreeModel::AgeColumn, head.siblingAtColumn(0));
        QCOMPARE(head.data(TableModel::ToneRole).value<Tone>(), Tone::Red);
        QCOMPARE(waiter.data(TableModel::ToneRole).value<Tone>(), Tone::Normal);
    }

    void groupsKeepHoldersAboveWaitersInQueueOrder()
    {
        Desk desk;
        LocksModel model(desk.context);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        desk.show(model, shop());
        model.setNoiseHidden(true);
        model.setGrouping(LockGrouping::Resource);
        model.sort(LocksModel::Group, Qt::DescendingOrder);
        QCOMPARE(column(model, LocksModel::Group).first(), u"public.orders"_s);
        QCOMPARE(cell(model, 0, LocksModel::State), u"1 hold, 2 wait"_s);
        COMPARE_TEXTS(column(model, LocksModel::SessionColumn).mid(1, 3), "51", "63", "70");
        model.setExpanded(0, false);
        desk.show(model, shop(2));
        QCOMPARE(column(model, LocksModel::Group).at(1), u"app lock 'report'"_s);
        for (const LockGrouping grouping : {LockGrouping::Session, LockGrouping::Mode, LockGrouping::None})
            model.setGrouping(grouping);
        QCOMPARE(model.rowCount(), 4);
    }

    void internalLocksAreHiddenButCountedUnlessSomebodyWaits()
    {
        Desk desk;
        LocksPage page(desk.context);
        desk.show(page, shop());
        QCOMPARE(page.countText(), u"4 of 5 rows · 1 internal hidden"_s);
        SnapshotBuilder s = shop();
        s.waits(80, "9/114", "ShareLock", 3, ResourceKind::VirtualTransaction);
        desk.show(page, s);
        QCOMPARE(page.countText(), u"6 of 6 rows"_s);
    }

    void selectionAndScrollPositionSurviveARefresh()
    {
        PageDesk<LocksPage> desk(QSize(1000, 400));
        const auto many = [](int first) {
            SnapshotBuilder s;
            for (int id = first; id < 400; ++id) {
                s.session(id, "worker");
                s.holds(id, qPrintable(u"public.t%1"_s.arg(id)), "RowExclusiveLock", 5);
            }
            return s;
        };
        desk.show(many(100));
        TableView& view = desk.page.view();
        view.selectRow(rowOf(view, u"session"_s, u"250"_s));
        const QString before =
            view.indexAt(QPoint(4, 1)).siblingAtColumn(LocksModel::SessionColumn).data().toString();
        QVERIFY(view.verticalScrollBar()->value() > 0);
        desk.show(many(110)); // ten rows above vanish
        QCOMPARE(view.currentIndex().siblingAtColumn(LocksModel::SessionColumn).data().toString(), u"250"_s);
        QCOMPARE(view.selectionModel()->selectedRows().size(), 1);
        QCoreApplication::processEvents();
        QCOMPARE(
            view.indexAt(QPoint(4, 1)).siblingAtColumn(LocksModel::SessionColumn).data().toString(), before);
    }

    void copiesExactlyWhatIsOnView()
    {
        Desk desk;
        SessionsPage page(desk.context);
        desk.show(page, shop());
        TableView& view = page.view();
        for (const ColumnInfo& info : view.tableModel().columns())
            view.setColumnHidden(
                view.tableModel().columnOf(info.id), info.id != u"session"_s && info.id != u"statement"_s);
        focus(view);
        view.selectRow(rowOf(view, u"session"_s, u"51"_s));
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(
            QApplication::clipboard()->text(), u"51\tUPDATE orders SET state = 'paid' WHERE id = 4711\n"_s);
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QApplication::clipboard()->text(),
            u"session,statement\r\n51,UPDATE orders SET state = 'paid' WHERE id = 4711\r\n"_s);
    }

    void columnsAndSortOrderComeBack()
    {
        Desk desk;
        QList<int> order;
        {
            LocksPage page(desk.context);
            TableView& view = page.view();
            view.setColumnHidden(LocksModel::Host, false);
            view.setColumnHidden(LocksModel::Program, true);
            view.setColumnWidth(LocksModel::Mode, 333);
            QHeaderView* header = view.horizontalHeader();
            header->moveSection(header->visualIndex(LocksModel::Mode), 0);
            header->moveSection(header->visualIndex(LocksModel::Host), 2);
            order = view.visibleColumns();
            QCOMPARE(order.first(), int(LocksModel::Mode));
            QVERIFY(order.indexOf(LocksModel::Host) < order.indexOf(LocksModel::State));
            view.sortByColumn(LocksModel::AgeColumn, Qt::DescendingOrder);
            page.saveLayout();
        }
        LocksPage page(desk.context);
        TableView& view = page.view();
        QVERIFY(!view.isColumnHidden(LocksModel::Host));
        QVERIFY(view.isColumnHidden(LocksModel::Program));
        QCOMPARE(view.columnWidth(LocksModel::Mode), 333);
        QCOMPARE(view.visibleColumns(), order);
        page.resize(700, 300);
        page.show();
        QCOMPARE(view.columnWidth(LocksModel::Mode),
            333); // sized by hand: the width of the window changes nothing
        QCOMPARE(view.tableModel().sortColumn(), int(LocksModel::AgeColumn));
        QCOMPARE(view.tableModel().sortOrder(), Qt::DescendingOrder);
    }

    void columnsAreSortedAndMovedByKeys()
    {
        PageDesk<SessionsPage> desk(QSize(1'000, 400));
        QVERIFY(QTest::qWaitForWindowActive(&desk.page));
        desk.show(shop());
        TableView& view = desk.page.view();
        view.setFocus();
        view.selectRow(0);
        const auto menuKey = [&] { // as a platform sends it
            QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(), QPoint());
            QApplication::sendEvent(&view, &event);
        };
        const auto shiftF10 = [&] { QTest::keyClick(&view, Qt::Key_F10, Qt::ShiftModifier); };
        const auto choose = [&](const auto& askForMenu, const QStringList& path) {
            askForMenu();
            QTRY_VERIFY(QApplication::activePopupWidget());
            for (const QString& word : path) {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                QVERIFY(menu);
                const auto plain = [](const QAction* action) {
                    return action->text().remove(QLatin1Char('&'));
                };
                for (int steps = 0; !menu->activeAction() || plain(menu->activeAction()) != word; ++steps) {
                    QVERIFY2(steps < 40, qPrintable(word));
                    QTest::keyClick(menu, Qt::Key_Down);
                }
                QTest::keyClick(menu, menu->activeAction()->menu() ? Qt::Key_Right : Qt::Key_Return);
                QCoreApplication::processEvents();
            }
            QTRY_VERIFY(!QApplication::activePopupWidget());
        };
        const QStringList toAges{u"Columns"_s, u"Sort by"_s, u"Transaction"_s};
        choose(menuKey, toAges + QStringList{u"Descending"_s});
        QCOMPARE(view.tableModel().sortColumn(), int(SessionsModel::Transaction));
        QCOMPARE(view.tableModel().sortOrder(), Qt::DescendingOrder);
        choose(shiftF10, toAges + QStringList{u"Ascending"_s});
        QCOMPARE(view.tableModel().sortOrder(), Qt::AscendingOrder);
        choose(shiftF10, {u"Columns"_s, u"Sort by"_s, u"Not sorted"_s});
        QCOMPARE(view.tableModel().sortColumn(), -1);

        QList<int> order = view.visibleColumns();
        const qsizetype place = order.indexOf(SessionsModel::State);
        choose(shiftF10, {u"Columns"_s, u"Move right"_s, u"State"_s});
        order.swapItemsAt(place, place + 1);
        QCOMPARE(view.visibleColumns(), order);
        choose(shiftF10, {u"Columns"_s, u"Move left"_s, u"State"_s});
        order.swapItemsAt(place, place + 1);
        QCOMPARE(view.visibleColumns(), order);
        choose(shiftF10, {u"Columns"_s, u"Program"_s});
        QVERIFY(!view.visibleColumns().contains(SessionsModel::Program));
    }

    void columnsGiveWayWhereThereIsNoRoom()
    {
        Desk desk;
        LocksModel model(desk.context);
        TableView view(model);
        desk.show(model, shop());
        view.resize(1'100, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QList<int> all = view.visibleColumns();
        QVERIFY(all.contains(model.columnOf(u"statement"_s)));
        const QString csv = view.toCsv();
        view.resize(600, 400); // beside the detail, in the smallest window
        QTRY_COMPARE(view.horizontalScrollBar()->maximum(), 0);
        const QList<int> left = view.visibleColumns();
        for (const char* id : {"state", "age", "mode", "resource", "session", "blocked-by"})
            QVERIFY2(left.contains(model.columnOf(QLatin1String(id))), id);
        QVERIFY(!left.contains(model.columnOf(u"statement"_s)));
        // They are looked into and copied all the same, and come back.
        QVERIFY(view.searchedColumns().contains(model.columnOf(u"statement"_s)));
        QCOMPARE(view.toCsv(), csv);
        view.saveLayout(desk.settings, u"t"_s);
        QVERIFY(desk.settings.value(u"t/statement/shown"_s).toBool());
        view.resize(1'100, 400);
        QTRY_COMPARE(view.visibleColumns(), all);
        // One that is chosen comes at once, and stays.
        view.resize(560, 400);
        const int statement = model.columnOf(u"statement"_s);
        QTRY_VERIFY(!view.visibleColumns().contains(statement));
        QMenu menu;
        view.findChild<ColumnLayout*>()->addTo(menu);
        for (QAction* action : menu.actions()) {
            if (action->text() == QLatin1String("Statement"))
                action->trigger();
        }
        QVERIFY(view.visibleColumns().contains(statement));
    }

    /// At 1280 pixels with the side bar and the detail pane, the page has about 830.
    void columnsFillTheWidthWithoutScrolling()
    {
        Desk desk;
        LocksPage locks(desk.context);
        LockTablePage table(desk.context);
        SessionsPage sessions(desk.context);
        AuditPage audit(desk.context);
        for (TablePage* page : std::initializer_list<TablePage*>{&locks, &table, &sessions, &audit}) {
            for (const int width : {830, 1'000, 1'600}) {
                page->resize(width, 400);
                page->show();
                desk.show(*page, shop());
                const TableView& view = page->view();
                QVERIFY2(!view.horizontalScrollBar()->isVisible(),
                    qPrintable(u"%1 at %2"_s.arg(page->id()).arg(width)));
                keepPicture(*page, u"%1-%2"_s.arg(page->id()).arg(width));
                int used = 0;
                for (const int column : view.visibleColumns())
                    used += view.columnWidth(column);
                QCOMPARE(used, view.viewport()->width());
            }
        }
    }

    void whatLeavesTheWindowIsWhatLockctlPrints()
    {
        Desk desk;
        LocksModel locks(desk.context);
        LockTableModel table(desk.context);
        const SnapshotPtr snapshot = shop().take();
        desk.context.noteSnapshot(*snapshot);
        locks.showSnapshot(snapshot);
        table.showSnapshot(snapshot);
        desk.now += 7s; // ages go on in the window
        report::Section printed = report::locksSection(*snapshot);
        for (const LockRequest* request : report::lockRequests(*snapshot, true))
            printed.rows.push_back(report::lockRow(*snapshot, *request));
        QCOMPARE(programRows(exported(locks), printed.columns), programRows(printed, printed.columns));
        const report::Section entries = report::entriesSection(*snapshot);
        QCOMPARE(programRows(exported(table), entries.columns), programRows(entries, entries.columns));
        SessionsModel sessions(desk.context);
        sessions.showSnapshot(snapshot);
        report::Section all = report::sessionsSection();
        for (const report::SessionRow& row : report::sessionRows(*snapshot))
            all.rows.push_back(report::sessionRow(row, snapshot->takenAt));
        all.columns.pop_back(); // how many locks it holds stands before their names in the window
        QCOMPARE(programRows(exported(sessions), all.columns), programRows(all, all.columns));
        VERIFY_CONTAINS(programRows(exported(locks), printed.columns).join(u'\n'), u"waiting,41000,"_s);
        const auto forest = blockingForest(*snapshot, LockThresholds().hold.amber);
        BlockingTreeModel tree(desk.context);
        tree.apply(forest, snapshot->takenAt);
        const report::Section blocking = report::toReport(*snapshot, forest).sections.front();
        QCOMPARE(programRows(exported(tree), blocking.columns), programRows(blocking, blocking.columns));
        QCOMPARE(blocking.rows.size(), size_t(3));
        FleetModel fleet;
        const db::ServerProfile server = profileOf("postgresql://ops@db1/shop", u"shop"_s);
        watch::ServerStanding standing;
        standing.waiting = 2;
        standing.longestWait = Age{milliseconds(41'000), true};
        fleet.showServers({{.key = u"shop"_s, .profile = server, .standing = standing}});
        report::Section servers = watch::standingsSection();
        servers.rows.push_back(watch::standingRow(server, standing, {}));
        QCOMPARE(programRows(exported(fleet), servers.columns), programRows(servers, servers.columns));
    }
};

LOCKSCOPE_TEST(tst_TablePages)

} // namespace tst_TablePages
#include "tst_TablePages.moc"
