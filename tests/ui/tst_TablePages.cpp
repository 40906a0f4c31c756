// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdminClient.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotNames.h"
#include "core/report/Writer.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/ui/Desk.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/models/TableExport.h"
#include "ui/kit/tables/ColumnLayout.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/audit/AuditPage.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/detail/DetailText.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_TablePages {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// A shop in trouble: 51 forgot to commit, two wait behind it, a job's lock is stale.
static SnapshotBuilder shop(int later = 0)
{
    SnapshotBuilder s(later);
    s.session(51, "billing")
        .user("anna")
        .idleInTransaction(372 + later)
        .running("UPDATE orders SET state = 'paid'\nWHERE id = 4711");
    s.session(63, "web")
        .user("shop", "web03")
        .transaction(41 + later)
        .running("UPDATE orders SET note = $1 WHERE id = 4711");
    s.session(70, "report").user("ben").transaction(12 + later).running("SELECT * FROM orders FOR UPDATE");
    s.session(80, "web").idle().running("COMMIT");
    s.session(12, "lockscope monitor").own();
    s.session(3, "checkpointer").system();
    s.holds(51, "public.orders", "RowExclusiveLock", 372 + later);
    s.holds(51, "9/114", "ExclusiveLock", 372 + later, false, ResourceKind::VirtualTransaction);
    s.waits(63, "public.orders", "AccessExclusiveLock", 41 + later);
    s.waits(70, "public.orders", "RowExclusiveLock", 12 + later);
    s.holds(70, "app lock 'report'", "ExclusiveLock", 12 + later, true, ResourceKind::ApplicationLock);
    s.entry("best-sellers", "www").lease(600, 95 + later);
    s.entry("nightly-export", "ann")
        .lease(600, 1210 + later)
        .queue("bob", 65 + later)
        .queue("carol", 8 + later);
    s.entry("customers/4711", "phone-17").lease(300, 20 + later);
    return s;
}

static int rowOf(const TableView& view, const QString& columnId, const QString& text)
{
    const int at = view.tableModel().columnOf(columnId);
    return static_cast<int>(column(view.tableModel(), at).indexOf(text));
}

/// All rows and columns as they leave the window.
static report::Section exported(const TableModel& model)
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

/// Gives the view the focus, as for a user who presses keys in it.
static void focus(TableView& view)
{
    view.window()->show();
    view.setFocus();
    QTRY_VERIFY(view.hasFocus());
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
        tree.apply(blockingForest(*snapshot, LockThresholds().hold.amber));
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

    void sessionsAndAuditRecordsFollowTheirKeys()
    {
        const auto strict = QAbstractItemModelTester::FailureReportingMode::QtTest;
        Desk desk;
        SessionsModel sessions(desk.context);
        QAbstractItemModelTester sessionsTester(&sessions, strict);
        QSignalSpy sessionResets(&sessions, &QAbstractItemModel::modelReset);
        sessions.sort(SessionsModel::Waits, Qt::DescendingOrder);
        desk.show(sessions, shop());
        const int before = static_cast<int>(column(sessions, SessionsModel::Id).indexOf(u"70"_s));
        const QPersistentModelIndex seventy = sessions.index(before, SessionsModel::Id);
        SnapshotBuilder later(5);
        later.session(70, "report").transaction(17);
        later.session(90, "new").idle();
        later.session(51, "billing").idleInTransaction(377);
        later.holds(51, "public.orders", "RowExclusiveLock", 377);
        later.waits(70, "public.orders", "RowExclusiveLock", 17);
        desk.show(sessions, later);
        QCOMPARE(sessions.rowCount(), 3);
        QVERIFY(seventy.isValid());
        QCOMPARE(seventy.data().toString(), u"70"_s);
        QCOMPARE(seventy.row(), 0); // the only one that waits
        sessions.showSnapshot(nullptr);
        QCOMPARE(sessions.rowCount(), 0);
        QCOMPARE(sessionResets.count(), 0);

        const auto audited = [](const QList<admin::AuditRecord>& records) {
            return admin::toReport(records).sections.front();
        };
        ReportModel audit(audited({}));
        QAbstractItemModelTester auditTester(&audit, strict);
        QSignalSpy auditResets(&audit, &QAbstractItemModel::modelReset);
        const auto record = [](qint64 id) {
            return admin::AuditRecord{id, SnapshotBuilder::start(), u"ann"_s, u"desk4"_s, u"release"_s,
                u"nightly"_s, u"OPS-%1"_s.arg(id), u"{}"_s, u"done"_s};
        };
        audit.show(audited({record(8), record(7)}));
        const QPersistentModelIndex seven = audit.index(1, audit.columnOf(u"reason"_s));
        audit.show(audited({record(9), record(8), record(7)}));
        QCOMPARE(seven.row(), 2);
        QCOMPARE(seven.data().toString(), u"OPS-7"_s);
        audit.show(audited({record(9)}));
        QVERIFY(!seven.isValid());
        QCOMPARE(audit.rowCount(), 1);
        QCOMPARE(auditResets.count(), 0);
    }

    void anAuditThatIsReadAgainKeepsTheWordOfTheFilter()
    {
        Desk desk;
        AuditPage audit(desk.context);
        desk.show(audit, shop());
        admin::AuditRecord record;
        record.id = 7;
        record.at = SnapshotBuilder::start();
        record.target = u"nightly"_s;
        const QList<admin::AuditRecord> records{record};
        audit.showResult(records);
        QCOMPARE(audit.view().model()->rowCount(), 1);
        audit.setFilter(u"no such word"_s);
        QCOMPARE(audit.view().emptyTitle(), u"No row matches the filter"_s);
        audit.showResult(records);
        QCOMPARE(audit.view().model()->rowCount(), 0);
        QCOMPARE(audit.view().emptyTitle(), u"No row matches the filter"_s);
        audit.setFilter({});
        audit.showResult(Failure(Error{.kind = ErrorKind::Connection, .what = u"The server is gone"_s}));
        QCOMPARE(audit.view().model()->rowCount(), 1); // what was read stays
        audit.showResult(QList<admin::AuditRecord>());
        QCOMPARE(audit.view().emptyTitle(), u"Nothing was done yet"_s);
    }

    void anAuditThatIsNotReadYetIsNotEmpty()
    {
        Desk desk;
        const db::ServerProfile profile = profileOf("postgresql://ops@127.0.0.1:1/shop", u"shop"_s);
        admin::ServerAdminClient client(db::Server{profile, {}});
        const auto gone = qScopeGuard([&desk] { desk.context.setServer({}, nullptr, nullptr); });
        AuditPage audit(desk.context);
        desk.context.setServer(profile, nullptr, &client);
        desk.show(audit, shop());
        QCOMPARE(audit.view().emptyTitle(), u"Reading the audit…"_s);
        audit.showResult(QList<admin::AuditRecord>());
        QCOMPARE(audit.view().emptyTitle(), u"Nothing was done yet"_s);
        QVERIFY(!audit.countText().contains(u"older"_s));
        QList<admin::AuditRecord> many(500);
        for (qsizetype i = 0; i < many.size(); ++i)
            many[i].id = 500 - i;
        audit.showResult(many);
        VERIFY_STARTS(audit.countText(), u"500 of 500 rows · older ones are not read"_s);
        audit.showResult(Failure(Error{.kind = ErrorKind::Connection, .what = u"The server is gone"_s}));
        const auto* notice = audit.findChild<NoticeBar*>();
        VERIFY_CONTAINS(notice->text(), u"The server is gone"_s);
        desk.context.setServer(profile, nullptr, &client); // of another server nothing is known yet
        QCOMPARE(notice->text(), QString());
        QCOMPARE(audit.view().emptyTitle(), u"Reading the audit…"_s);
    }

    void sessionsThatAreHiddenAreCountedWhereNoneIsShown()
    {
        PageDesk<SessionsPage> desk;
        SnapshotBuilder s;
        s.session(3, "checkpointer").system();
        desk.show(s);
        QCOMPARE(desk.page.view().emptyTitle(), u"All sessions are hidden"_s);
        s.session(80, "web").idle();
        desk.show(s);
        QCOMPARE(desk.page.view().model()->rowCount(), 1);
        desk.page.setFilter(u"no such word"_s);
        QCOMPARE(desk.page.view().emptyTitle(), u"No row matches the filter"_s);
        desk.page.setFilter({});
        desk.page.findChild<QCheckBox*>(u"hideIdle"_s)->setChecked(true); // between two polls
        QCOMPARE(desk.page.view().emptyTitle(), u"All sessions are hidden"_s);
        const SessionsPage again(desk.context); // a choice is kept at once, not at an orderly end only
        QVERIFY(again.findChild<QCheckBox*>(u"hideIdle"_s)->isChecked());
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
    }

    void staleEntriesAreMarkedAndTheirQueueShown()
    {
        Desk desk;
        LockTableModel model(desk.context);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        desk.show(model, shop());
        COMPARE_TEXTS(column(model, LockTableModel::Name), "best-sellers", "nightly-export", "bob", "carol",
            "customers/4711");
        COMPARE_TEXTS(column(model, LockTableModel::State), "held", "stale", "next", "waits, no. 2", "held");
        QCOMPARE(model.staleCount(), 1);
        QCOMPARE(cell(model, 4, LockTableModel::Lease), u"4 min 40 s left"_s);
        desk.now += 281s; // time alone makes one stale
        QCOMPARE(model.staleCount(), 2);
    }

    void aBadRowIsMarkedAndExplained()
    {
        Desk desk;
        LockTableModel model(desk.context);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto snapshot = std::make_shared<Snapshot>(*SnapshotBuilder(shop()).take());
        LockTableEntry bad;
        bad.table = u"lockscope.lock_entry"_s;
        bad.name = u"a bad one"_s;
        bad.expiresAt = ServerTime{253'402'300'799'999'999};
        bad.badRow = u"acquired_at is infinity, expires_at is infinity"_s;
        snapshot->entries.insert(snapshot->entries.begin(), bad);
        desk.context.noteSnapshot(*snapshot);
        model.showSnapshot(snapshot);
        const auto cell = [&model](int column) { return model.index(0, column); };
        QCOMPARE(cell(LockTableModel::Name).data().toString(), bad.name);
        QCOMPARE(cell(LockTableModel::State).data().toString(), u"bad row"_s);
        QCOMPARE(cell(LockTableModel::AgeColumn).data().toString(), noValue);
        QCOMPARE(cell(LockTableModel::State).data(TableModel::ToneRole).value<Tone>(), Tone::Amber);
        QVERIFY(cell(LockTableModel::State).data(Qt::ToolTipRole).toString().contains(bad.badRow));
        QCOMPARE(model.staleCount(), 1);
        const DetailText detail =
            detailOf(LockTableKey{bad.table, bad.name}, *snapshot, desk.context.thresholds());
        QVERIFY(detail.state.contains(bad.badRow));
    }

    void theDetailTellsWhatASessionCosts()
    {
        Desk desk;
        auto snapshot = std::make_shared<Snapshot>(*SnapshotBuilder(shop()).take());
        lockscope::Session& session = snapshot->sessions.front();
        session.workOfStatement = {milliseconds(250), 4'000, 11, 0};
        session.workSinceLogin = {milliseconds(90'000), 1'234'567, 20, 3};
        session.memoryGrant = 5 * 1024 * 1024;
        session.logUsed = 1536;
        session.openTransactions = 2;
        session.isolation = u"serializable"_s;
        session.host = u"app01"_s;
        session.address = u"10.0.0.1"_s;
        session.waitResource = u"dbo.orders page 5:1:4711"_s;
        session.statement = u"UPDATE orders"_s;
        session.inputBuffer = u"EXECUTE dbo.Pay @order = 4711"_s;
        const auto tell = [&] { return detailOf(session.key(), *snapshot, desk.context.thresholds()); };
        const QString text = tell().toPlainText();
        for (const QString& line :
            {u"CPU\tnow 250ms, before 1m30s"_s, u"Pages read\tnow 4,000, before 1,234,567"_s,
                u"Pages written\tnow 0, before 3"_s, u"Memory grant\t5.0 MB"_s, u"Log used\t1.5 kB"_s,
                u"Open transactions\t2"_s, u"Isolation\tserializable"_s, u"Address\t10.0.0.1"_s,
                u"Waits at\tdbo.orders page 5:1:4711"_s, u"EXECUTE dbo.Pay @order = 4711"_s})
            QVERIFY2(text.contains(line), qPrintable(line + QLatin1Char('\n') + text));
        // An unknown value, and one that is shown already, takes no space.
        session.inputBuffer = session.statement;
        session.workOfStatement = {};
        session.address = session.host;
        QVERIFY(tell().toPlainText().contains(u"CPU\t1m30s since login"_s));
        for (const QString& heading : {u"Sent last"_s, u"Address"_s})
            QVERIFY2(!tell().toPlainText().contains(heading), qPrintable(heading));
    }

    void actsAreRefusedWithAReasonWhereThereIsNoServer()
    {
        Desk desk;
        LockTablePage page(desk.context);
        desk.show(page, shop());
        page.view().selectRow(0);
        QSignalSpy acts(&page, &Page::requestAct);
        QSignalSpy words(&page, &Page::statusMessage);
        QPushButton* release = buttonIn(page, u"Release"_s);
        QVERIFY(!release->isEnabled());
        QCOMPARE(release->toolTip(), u"No server is connected."_s);
        focus(page.view());
        QTest::keyClick(&page.view(), Qt::Key_Delete);
        QCOMPARE(acts.count(), 0);
        QCOMPARE(words.count(), 1);
    }

    /// The keyboard goes on from a row also where none is selected: Esc has cleared the selection, or the
    /// focus has just come. That row counts as not selected.
    void onlyWhatIsSelectedIsActedOn()
    {
        Desk desk;
        admin::ServerAdminClient client(db::Server{}); // asked for nothing here
        desk.context.setServer({}, nullptr, &client);
        SessionsPage page(desk.context);
        desk.show(page, shop());
        QSignalSpy acts(&page, &Page::requestAct);
        focus(page.view());
        page.view().selectRow(rowOf(page.view(), u"session"_s, u"51"_s));
        QPushButton* end = buttonIn(page, u"End"_s);
        QVERIFY2(end->isEnabled(), qPrintable(end->toolTip()));
        QTest::keyClick(&page.view(), Qt::Key_Escape);
        QVERIFY(page.view().currentViewRow() >= 0);
        QVERIFY(!end->isEnabled());
        QCOMPARE(end->toolTip(), u"Select a row with a session first."_s);
        QTest::keyClick(&page.view(), Qt::Key_Delete);
        QCOMPARE(acts.count(), 0);
        QTest::keyClick(&page.view(), Qt::Key_Space);
        QTest::keyClick(&page.view(), Qt::Key_Delete);
        QCOMPARE(acts.count(), 1);
    }

    void severalStatementsAreCancelledInOneAct()
    {
        Desk desk;
        admin::ServerAdminClient client(db::Server{}); // asked for nothing here
        desk.context.setServer({}, nullptr, &client);
        SessionsPage page(desk.context);
        desk.show(page, shop());
        QSignalSpy acts(&page, &Page::requestAct);
        QPushButton* cancel = buttonIn(page, u"Cancel"_s);
        page.view().selectAll(); // with those that run nothing, and the server's own
        QCOMPARE(cancel->text(), u"Cancel 2 statements…"_s);
        cancel->click();
        QCOMPARE(acts.count(), 1);
        const auto sessions = std::get<CancelStatementsAction>(acts[0][0].value<Action>()).sessions;
        QSet<qint64> ids;
        for (const lockscope::Session& session : sessions)
            ids << session.id.value;
        QCOMPARE(ids, (QSet<qint64>{63, 70}));
        const SnapshotPtr snapshot = shop().take();
        const DangerText text = describeCancels(sessions, snapshot.get(), snapshot->takenAt);
        QCOMPARE(text.title, u"Cancel the statements of 2 sessions"_s);
        QCOMPARE(text.facts.size(), 2);
        QVERIFY(text.consequences.contains(u"Nobody waits for them."_s));
        QVERIFY(text.reasoned);
        page.view().selectRow(rowOf(page.view(), u"session"_s, u"63"_s));
        QCOMPARE(cancel->text(), u"Cancel statement…"_s);
        cancel->click();
        QCOMPARE(std::get<CancelStatementAction>(acts[1][0].value<Action>()).session.id, SessionId{63});
    }

    void chainsStandOpenUntilTheUserClosesThem()
    {
        PageDesk<BlockingPage> desk(QSize(830, 500));
        auto* tree = desk.page.findChild<QTreeView*>(u"blockingTree"_s);
        const auto queue = [](int later, int holder, std::initializer_list<int> waiters) {
            SnapshotBuilder s(later);
            for (int id = 51; id < 60; ++id)
                s.session(id, "web");
            s.holds(holder, "public.orders", "AccessExclusiveLock", 60);
            for (const int waiter : waiters)
                s.waits(waiter, "public.orders", "AccessExclusiveLock", 60 - waiter + later);
            return s;
        };
        const auto head = [tree] { return tree->model()->index(0, 0); };
        desk.show(queue(0, 51, {52, 53}));
        QVERIFY(tree->isExpanded(head()));
        QVERIFY(!tree->horizontalScrollBar()->isVisible());

        // The first waiter gets the lock: the other moves below it.
        desk.show(queue(1, 52, {53}));
        QVERIFY(head().data().toString().startsWith(u"52"_s));
        QVERIFY(tree->isExpanded(head()));

        tree->setCurrentIndex(head());
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_Left);
        QVERIFY(!tree->isExpanded(head()));
        desk.show(queue(2, 52, {53, 54, 55}));
        QVERIFY(!tree->isExpanded(head()));
        QTest::keyClick(tree, Qt::Key_Right);
        QVERIFY(tree->isExpanded(head()));
    }

    void oldDataIsSaidToBeOldAndKept()
    {
        Desk desk;
        SessionsPage page(desk.context);
        desk.show(page, shop());
        const int rows = page.view().tableModel().rowCount();
        page.showHealth(monitor::Health::Silent, std::nullopt, 12s);
        QVERIFY(page.view().isFaded());
        QCOMPARE(page.view().tableModel().rowCount(), rows);
        page.showHealth(monitor::Health::Live, std::nullopt, 0s);
        QVERIFY(!page.view().isFaded());
    }

    void emptyTablesSayWhy()
    {
        Desk desk;
        LocksPage page(desk.context);
        QCOMPARE(page.view().emptyTitle(), u"No server is shown"_s);
        desk.show(page, SnapshotBuilder());
        QCOMPARE(page.view().emptyTitle(), u"Nobody holds or waits for a lock"_s);
        desk.show(page, shop());
        page.setFilter(u"nothing like it"_s);
        QCOMPARE(page.view().emptyTitle(), u"No row matches the filter"_s);
    }

    void filterByColumn()
    {
        Desk desk;
        LocksPage page(desk.context);
        desk.show(page, shop());
        page.setFilter(u"session:63"_s);
        QCOMPARE(page.countText(), u"1 of 5 rows · 1 internal hidden · 3 filtered out"_s);
    }

    void limitationsOfThePageAreShownWithTheirRemedy()
    {
        Desk desk;
        LockTablePage page(desk.context);
        SnapshotBuilder s;
        s.limitation(Limitation::Kind::MissingSchema, "There is no lock table yet.", "Run: lockctl install");
        desk.show(page, s);
        QCOMPARE(page.view().emptyTitle(), u"There is no lock table yet."_s);
        auto* install = page.findChild<QPushButton*>(u"emptyAction"_s);
        QVERIFY(!install->isHidden());
        QVERIFY(!install->isEnabled()); // no server to act on
        desk.show(page, shop());
        QVERIFY(install->isHidden());
    }

    void dangerNeedsAReasonAndNoButtonIsTheDefault()
    {
        Desk desk;
        const SnapshotPtr snapshot = shop().take();
        DangerDialog dialog(desk.settings);
        dialog.setText(describeEnd(*snapshot->session(SessionId{51}), snapshot.get(), snapshot->takenAt));
        dialog.show();
        QSignalSpy confirmed(&dialog, &DangerDialog::confirmed);
        QPushButton* act = buttonIn(dialog, u"End"_s);
        for (const QPushButton* each : dialog.findChildren<QPushButton*>())
            QVERIFY2(!each->isDefault() && !each->autoDefault(), qPrintable(each->text()));
        QVERIFY(!act->isEnabled());
        auto* reason = dialog.findChild<QComboBox*>();
        QTest::keyClicks(reason, u"  "_s);
        QVERIFY(!act->isEnabled());
        QTest::keyClicks(reason, u"OPS-17 stuck"_s);
        QVERIFY(act->isEnabled());
        keepPicture(dialog, u"danger"_s);
        QTest::mouseClick(act, Qt::LeftButton);
        QCOMPARE(confirmed.count(), 1);
        QCOMPARE(confirmed.first().first().toString(), u"OPS-17 stuck"_s);
        DangerDialog next(desk.settings);
        QCOMPARE(next.findChild<QComboBox*>()->itemText(0), u"OPS-17 stuck"_s);
        QCOMPARE(next.reason(), QString());
    }

    void silenceIsNotCalledDeath()
    {
        auto taken = std::make_shared<Snapshot>(*shop().take());
        LockTableEntry& entry = taken->entries[1];
        entry.expiresAt = taken->takenAt - 3min;
        entry.party.session = SessionId{13246};
        entry.party.host = u"app02"_s;
        entry.holderLife = lifeOfWriter(entry, nullptr, SessionsSeen::All, taken->takenAt);
        taken->entryWaiters[0].expiresAt = taken->takenAt - 1min;
        const QString gone = u"Session 13246 is gone."_s;
        // The text is in the row …
        Desk desk;
        LockTableModel model(desk.context);
        model.showSnapshot(taken);
        const int row = model.find({{entry.table, entry.name}, 0});
        const auto cell = [&](int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(cell(LockTableModel::LifeColumn), u"silent"_s);
        QCOMPARE(cell(LockTableModel::EvidenceColumn), gone);
        // … in the detail, which says of nobody that it has probably gone …
        const DetailText detail =
            detailOf(LockTableKey{entry.table, entry.name}, *taken, desk.context.thresholds());
        VERIFY_CONTAINS(detail.toPlainText(), gone);
        VERIFY_LACKS(detail.toPlainText(), u"probably"_s);
        // … and in both dialogs.
        const auto factsOf = [](const DangerText& text) {
            QStringList facts;
            for (const DangerText::Fact& fact : text.facts)
                facts << fact.name + u": "_s + fact.value;
            return facts.join(QLatin1Char('\n'));
        };
        const DangerText release = describeRelease(entry, taken.get(), taken->takenAt);
        VERIFY_CONTAINS(factsOf(release), u"Evidence: "_s + gone);
        QVERIFY(factsOf(release).contains(u"Its program: silent"_s));
        const QString follows = release.consequences.join(QLatin1Char(' '));
        VERIFY_CONTAINS(follows, u"if it still works, two work at once"_s);
        const DangerText purge = describePurge({entry}, taken.get(), taken->takenAt);
        VERIFY_CONTAINS(factsOf(purge), gone);
        QVERIFY(purge.consequences.join(QLatin1Char(' '))
                    .contains(u"does not prove that its holder has ended"_s));
    }

    void dangerTellsWhatFollows()
    {
        const SnapshotPtr snapshot = shop().take();
        const DangerText release = describeRelease(snapshot->entries[1], snapshot.get(), snapshot->takenAt);
        QCOMPARE(release.title, u"Release “nightly-export”"_s);
        QCOMPARE(release.consequences.first(),
            u"bob, nightly-job on app02 (process 4711) gets it next; 1 more stay in the queue."_s);
        const DangerText end =
            describeEnd(*snapshot->session(SessionId{51}), snapshot.get(), snapshot->takenAt);
        const QString all = end.consequences.join(QLatin1Char(' '));
        VERIFY_CONTAINS(all, u"Its transaction of 6 min 12 s is rolled back at once"_s);
        QVERIFY(all.contains(u"One lock is freed: public.orders."_s));
        QVERIFY(all.contains(u"2 sessions wait for it"_s));
        VERIFY_CONTAINS(all, u"as far as is known now"_s);
        // SQL Server undoes change by change.
        Snapshot there = *snapshot;
        there.engine = Engine::SqlServer;
        lockscope::Session session = *snapshot->session(SessionId{51});
        session.logUsed = 3'000'000;
        const QString slow = describeEnd(session, &there, there.takenAt).consequences.join(QLatin1Char(' '));
        VERIFY_CONTAINS(slow, u"as long as the work did"_s);
        VERIFY_CONTAINS(slow, u"2.9 MB of log"_s);
        // A cancelled statement aborts its transaction: its waiters go on as if it had ended.
        session.state = SessionState::Active;
        const QString cancelled =
            describeCancel(session, snapshot.get(), snapshot->takenAt).consequences.join(QLatin1Char(' '));
        for (const char* message :
            {"its locks are free at once", "savepoint", "advisory", "as far as is known now"})
            VERIFY_CONTAINS(cancelled, QLatin1String(message));
        // "Cancel" beside "Cancel statement" would be either of the two.
        Desk desk;
        DangerDialog dialog(desk.settings);
        dialog.setText(describeCancel(session, snapshot.get(), snapshot->takenAt));
        QVERIFY(buttonIn(dialog, u"Keep it running"_s)
            && !buttonIn(dialog, u"Cancel"_s)->text().endsWith(u"Cancel"_s));
        dialog.showFailure({ErrorKind::Server, u"No."_s, {}, {}, {}, {}});
        QVERIFY(buttonIn(dialog, u"Keep it running"_s));
        session.state = SessionState::IdleInTransaction;
        const QStringList idle = describeCancel(session, snapshot.get(), snapshot->takenAt).consequences;
        QCOMPARE(idle.size(), 1);
        VERIFY_CONTAINS(idle.first(), u"change nothing"_s);
    }

    void theInstallationIsReportedObjectByObject()
    {
        const DangerText text = describeInstall(
            QString::fromUtf8(readFile(u":/schema/postgres/install.sql"_s)), u"shop@db1"_s, u"ann"_s);
        QStringList facts;
        for (const DangerText::Fact& fact : text.facts)
            facts << fact.name + u": "_s + fact.value;
        QVERIFY2(facts.contains(u"Schema: lockscope"_s), qPrintable(facts.join(QLatin1Char('\n'))));
        const QString tables = facts.filter(u"Tables: "_s).join(QLatin1Char(' '));
        for (const char* name : {"lockscope.lock_entry", "lockscope.lock_waiter", "lockscope.audit_log"})
            VERIFY_CONTAINS(tables, QLatin1String(name));
        QVERIFY(facts.filter(u"Functions: "_s).first().contains(u"lockscope.acquire_lock"_s));
        const QString roles = facts.filter(u"Roles: "_s).join(QLatin1Char(' '));
        for (const char* name : {"lockscope_reader", "lockscope_operator", "lockscope_admin"})
            VERIFY_CONTAINS(roles, QLatin1String(name));
        Desk desk;
        DangerDialog dialog(desk.settings);
        dialog.setText(text);
        keepPicture(dialog, u"install"_s);
        QVERIFY(buttonIn(dialog, u"Install"_s)->isEnabled()); // no reason: there is no audit yet
        QVERIFY(dialog.findChild<QComboBox*>()->isHidden());
    }
};

LOCKSCOPE_TEST(tst_TablePages)

} // namespace tst_TablePages
#include "tst_TablePages.moc"
