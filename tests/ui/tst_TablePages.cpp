// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdminClient.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotNames.h"
#include "tests/support/Files.h"
#include "tests/support/Picture.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/models/ReportModel.h"
#include "ui/kit/tables/ColumnLayout.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/theme/Theme.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/audit/AuditPage.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/detail/DetailText.h"
#include "ui/views/locks/LocksModel.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/sessions/SessionsModel.h"
#include "ui/views/sessions/SessionsPage.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

namespace tst_TablePages {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// A shop in trouble: 51 forgot to commit, two wait behind it, a job's lock is stale.
SnapshotBuilder shop(int later = 0)
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

struct Desk {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat};
    std::chrono::steady_clock::time_point now{1h};
    AppContext context{settings, nullptr, [this] { return now; }};

    template <class Shown> void show(Shown& shown, SnapshotBuilder builder)
    {
        const SnapshotPtr snapshot = builder.take();
        context.noteSnapshot(*snapshot);
        shown.showSnapshot(snapshot);
    }
};

QStringList column(const QAbstractItemModel& model, int column)
{
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts << model.index(row, column).data().toString();
    return texts;
}

QPushButton* button(const QWidget& page, const QString& start)
{
    for (QPushButton* b : page.findChildren<QPushButton*>()) {
        if (b->text().startsWith(start))
            return b;
    }
    return nullptr;
}

int rowOf(const TableView& view, const QString& columnId, const QString& text)
{
    const int at = view.tableModel().columnOf(columnId);
    return static_cast<int>(column(view.tableModel(), at).indexOf(text));
}

/// As a user has it who presses keys in it.
void focus(TableView& view)
{
    view.window()->show();
    view.setFocus();
    QTRY_VERIFY(view.hasFocus());
}

} // namespace

class tst_TablePages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(*qApp, ThemeMode::Light); }
    void locksTellWhoBlocksWhom();
    void contendedResourcesComeFirstUnlessAColumnSorts();
    void agesRunOnBetweenReadingsAndStopWhenTheDataIsOld();
    void holdersAndWaitersHaveThresholdsOfTheirOwn();
    void groupsKeepHoldersAboveWaitersInQueueOrder();
    void internalLocksAreHiddenButCountedUnlessSomebodyWaits();
    void selectionAndScrollPositionSurviveARefresh();
    void copiesExactlyWhatIsOnView();
    void columnsAndSortOrderComeBack();
    void columnsAreSortedAndMovedByKeys();
    void columnsGiveWayWhereThereIsNoRoom();
    void sessionsAndAuditRecordsFollowTheirKeys();
    void columnsFillTheWidthWithoutScrolling();
    void staleEntriesAreMarkedAndTheirQueueShown();
    void aBadRowIsMarkedAndExplained();
    void theDetailTellsWhatASessionCosts();
    void actsAreRefusedWithAReasonWhereThereIsNoServer();
    void onlyWhatIsSelectedIsActedOn();
    void severalStatementsAreCancelledInOneAct();
    void chainsStandOpenUntilTheUserClosesThem();
    void oldDataIsSaidToBeOldAndKept();
    void emptyTablesSayWhy();
    void filterByColumn();
    void limitationsOfThePageAreShownWithTheirRemedy();
    void dangerNeedsAReasonAndNoButtonIsTheDefault();
    void silenceIsNotCalledDeath();
    void dangerTellsWhatFollows();
    void theInstallationIsToldObjectByObject();
};

void tst_TablePages::locksTellWhoBlocksWhom()
{
    Desk desk;
    LocksModel model(desk.context);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    desk.show(model, shop());
    QCOMPARE(column(model, LocksModel::SessionColumn),
        (QStringList{QStringLiteral("51"), QStringLiteral("63"), QStringLiteral("70"), QStringLiteral("51"),
            QStringLiteral("70")}));
    QCOMPARE(column(model, LocksModel::BlockedBy).at(1), QStringLiteral("51"));
    QCOMPARE(column(model, LocksModel::Blocks).at(0), QStringLiteral("63"));
    QCOMPARE(column(model, LocksModel::BlockedBy).at(2), QStringLiteral("63"));
    QCOMPARE(column(model, LocksModel::State).at(1), QStringLiteral("waiting"));
    desk.show(model, SnapshotBuilder(2));
    QCOMPARE(model.rowCount(), 0);
    QCOMPARE(resets.count(), 0);
}

void tst_TablePages::contendedResourcesComeFirstUnlessAColumnSorts()
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
            s.holds(id, qPrintable(QStringLiteral("public.t%1").arg(id)), "RowExclusiveLock", 5);
        return s;
    };
    const auto rows = [&](int count) {
        QStringList texts;
        for (int row = 0; row < count; ++row)
            texts << QStringLiteral("%1 %2 %3")
                         .arg(model.index(row, LocksModel::ResourceName).data().toString(),
                             model.index(row, LocksModel::SessionColumn).data().toString(),
                             model.index(row, LocksModel::State).data().toString());
        return texts.join(QStringLiteral(", "));
    };
    desk.show(page, peaceful(0));
    QCOMPARE(rows(2), QStringLiteral("public.t100 100 holding, public.t101 101 holding"));
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
        QStringLiteral(
            "public.t120 120 holding, public.t120 111 waiting, public.t120 112 waiting, public.t130 130 holding, public.t130 110 waiting"));
    QCOMPARE(view.currentIndex().siblingAtColumn(LocksModel::SessionColumn).data().toString(),
        QStringLiteral("120")); // wherever it went
    QCoreApplication::processEvents();
    QCOMPARE(view.indexAt(QPoint(4, 1)).siblingAtColumn(LocksModel::SessionColumn).data().toString(), top);

    view.sortByColumn(LocksModel::ResourceName, Qt::AscendingOrder);
    QCOMPARE(rows(2), QStringLiteral("public.t100 100 holding, public.t101 101 holding"));
    desk.show(page, contended);
    QCOMPARE(rows(2), QStringLiteral("public.t100 100 holding, public.t101 101 holding"));
    view.sortByColumn(-1, Qt::AscendingOrder);
    QCOMPARE(rows(1), QStringLiteral("public.t120 120 holding"));
    desk.show(page, peaceful(4));
    QCOMPARE(rows(2), QStringLiteral("public.t100 100 holding, public.t101 101 holding"));
    QCOMPARE(resets.count(), 0);
}

void tst_TablePages::agesRunOnBetweenReadingsAndStopWhenTheDataIsOld()
{
    Desk desk;
    LocksModel model(desk.context);
    desk.show(model, shop());
    const QModelIndex age = model.index(1, LocksModel::AgeColumn);
    QCOMPARE(age.data().toString(), QStringLiteral("41 s"));
    QVERIFY(model.index(0, LocksModel::AgeColumn).data().toString().startsWith(QStringLiteral("≥")));
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    desk.now += 30s;
    QCOMPARE(age.data().toString(), QStringLiteral("1 min 11 s"));
    desk.context.setClockStopped(true);
    desk.now += 60s;
    QCOMPARE(age.data().toString(), QStringLiteral("1 min 11 s"));
    QCOMPARE(changed.count(), 0);
    QCOMPARE(age.data(TableModel::ToneRole).value<Tone>(), Tone::Red);
    desk.context.setThresholds({.wait = {5min, 10min}});
    QCOMPARE(age.data(TableModel::ToneRole).value<Tone>(), Tone::Normal);
}

void tst_TablePages::holdersAndWaitersHaveThresholdsOfTheirOwn()
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
    // public.orders: held for 6 min 12 s, awaited for 41 s and 12 s; another lock, held for 12 s in peace.
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
    tree.apply(blockingForest(*snapshot));
    const QModelIndex head = tree.index(0, BlockingTreeModel::AgeColumn);
    const QModelIndex waiter = tree.index(0, BlockingTreeModel::AgeColumn, head.siblingAtColumn(0));
    QCOMPARE(head.data(TableModel::ToneRole).value<Tone>(), Tone::Red);
    QCOMPARE(waiter.data(TableModel::ToneRole).value<Tone>(), Tone::Normal);
}

void tst_TablePages::groupsKeepHoldersAboveWaitersInQueueOrder()
{
    Desk desk;
    LocksModel model(desk.context);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    desk.show(model, shop());
    model.setNoiseHidden(true);
    model.setGrouping(LockGrouping::Resource);
    model.sort(LocksModel::Group, Qt::DescendingOrder);
    QCOMPARE(column(model, LocksModel::Group).first(), QStringLiteral("public.orders"));
    QCOMPARE(model.index(0, LocksModel::State).data().toString(), QStringLiteral("1 hold, 2 wait"));
    QCOMPARE(column(model, LocksModel::SessionColumn).mid(1, 3),
        (QStringList{QStringLiteral("51"), QStringLiteral("63"), QStringLiteral("70")}));
    model.setExpanded(0, false);
    desk.show(model, shop(2));
    QCOMPARE(column(model, LocksModel::Group).at(1), QStringLiteral("app lock 'report'"));
    for (const LockGrouping grouping : {LockGrouping::Session, LockGrouping::Mode, LockGrouping::None})
        model.setGrouping(grouping);
    QCOMPARE(model.rowCount(), 4);
}

void tst_TablePages::internalLocksAreHiddenButCountedUnlessSomebodyWaits()
{
    Desk desk;
    LocksPage page(desk.context);
    desk.show(page, shop());
    QCOMPARE(page.countText(), QStringLiteral("4 of 5 rows · 1 internal hidden"));
    SnapshotBuilder s = shop();
    s.waits(80, "9/114", "ShareLock", 3, ResourceKind::VirtualTransaction);
    desk.show(page, s);
    QCOMPARE(page.countText(), QStringLiteral("6 of 6 rows"));
}

void tst_TablePages::selectionAndScrollPositionSurviveARefresh()
{
    Desk desk;
    LocksPage page(desk.context);
    page.resize(1000, 400);
    page.show();
    const auto many = [](int first) {
        SnapshotBuilder s;
        for (int id = first; id < 400; ++id) {
            s.session(id, "worker");
            s.holds(id, qPrintable(QStringLiteral("public.t%1").arg(id)), "RowExclusiveLock", 5);
        }
        return s;
    };
    desk.show(page, many(100));
    TableView& view = page.view();
    view.selectRow(rowOf(view, QStringLiteral("session"), QStringLiteral("250")));
    const QString before =
        view.indexAt(QPoint(4, 1)).siblingAtColumn(LocksModel::SessionColumn).data().toString();
    QVERIFY(view.verticalScrollBar()->value() > 0);
    desk.show(page, many(110)); // ten rows above vanish
    QCOMPARE(view.currentIndex().siblingAtColumn(LocksModel::SessionColumn).data().toString(),
        QStringLiteral("250"));
    QCOMPARE(view.selectedViewRows().size(), 1);
    QCoreApplication::processEvents();
    QCOMPARE(view.indexAt(QPoint(4, 1)).siblingAtColumn(LocksModel::SessionColumn).data().toString(), before);
}

void tst_TablePages::copiesExactlyWhatIsOnView()
{
    Desk desk;
    SessionsPage page(desk.context);
    desk.show(page, shop());
    TableView& view = page.view();
    for (const ColumnInfo& info : view.tableModel().columns())
        view.setColumnHidden(view.tableModel().columnOf(info.id),
            info.id != QStringLiteral("session") && info.id != QStringLiteral("statement"));
    focus(view);
    view.selectRow(rowOf(view, QStringLiteral("session"), QStringLiteral("51")));
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(),
        QStringLiteral("51\tUPDATE orders SET state = 'paid' WHERE id = 4711\n"));
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(QApplication::clipboard()->text(),
        QStringLiteral("Session,Statement\r\n51,\"UPDATE orders SET state = 'paid'\nWHERE id = 4711\"\r\n"));
}

void tst_TablePages::columnsAndSortOrderComeBack()
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
    QCOMPARE(
        view.columnWidth(LocksModel::Mode), 333); // sized by hand: the width of the window changes nothing
    QCOMPARE(view.tableModel().sortColumn(), int(LocksModel::AgeColumn));
    QCOMPARE(view.tableModel().sortOrder(), Qt::DescendingOrder);
}

void tst_TablePages::columnsAreSortedAndMovedByKeys()
{
    Desk desk;
    SessionsPage page(desk.context);
    page.resize(1'000, 400);
    page.show();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    desk.show(page, shop());
    TableView& view = page.view();
    view.setFocus();
    view.selectRow(0);
    const auto menuKey = [&] { // as a platform tells of it
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
            const auto plain = [](const QAction* action) { return action->text().remove(QLatin1Char('&')); };
            for (int steps = 0; !menu->activeAction() || plain(menu->activeAction()) != word; ++steps) {
                QVERIFY2(steps < 40, qPrintable(word));
                QTest::keyClick(menu, Qt::Key_Down);
            }
            QTest::keyClick(menu, menu->activeAction()->menu() ? Qt::Key_Right : Qt::Key_Return);
            QCoreApplication::processEvents();
        }
        QTRY_VERIFY(!QApplication::activePopupWidget());
    };
    const QStringList toAges{
        QStringLiteral("Columns"), QStringLiteral("Sort by"), QStringLiteral("Transaction")};
    choose(menuKey, toAges + QStringList{QStringLiteral("Descending")});
    QCOMPARE(view.tableModel().sortColumn(), int(SessionsModel::Transaction));
    QCOMPARE(view.tableModel().sortOrder(), Qt::DescendingOrder);
    choose(shiftF10, toAges + QStringList{QStringLiteral("Ascending")});
    QCOMPARE(view.tableModel().sortOrder(), Qt::AscendingOrder);
    choose(shiftF10, {QStringLiteral("Columns"), QStringLiteral("Sort by"), QStringLiteral("Not sorted")});
    QCOMPARE(view.tableModel().sortColumn(), -1);

    QList<int> order = view.visibleColumns();
    const qsizetype place = order.indexOf(SessionsModel::State);
    choose(shiftF10, {QStringLiteral("Columns"), QStringLiteral("Move right"), QStringLiteral("State")});
    order.swapItemsAt(place, place + 1);
    QCOMPARE(view.visibleColumns(), order);
    choose(shiftF10, {QStringLiteral("Columns"), QStringLiteral("Move left"), QStringLiteral("State")});
    order.swapItemsAt(place, place + 1);
    QCOMPARE(view.visibleColumns(), order);
    choose(shiftF10, {QStringLiteral("Columns"), QStringLiteral("Program")});
    QVERIFY(!view.visibleColumns().contains(SessionsModel::Program));
}

void tst_TablePages::columnsGiveWayWhereThereIsNoRoom()
{
    Desk desk;
    LocksModel model(desk.context);
    TableView view(model);
    desk.show(model, shop());
    view.resize(1'100, 400);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const QList<int> all = view.visibleColumns();
    QVERIFY(all.contains(model.columnOf(QStringLiteral("statement"))));
    const QString csv = view.toCsv();
    view.resize(600, 400); // beside the detail, in the smallest window
    QTRY_COMPARE(view.horizontalScrollBar()->maximum(), 0);
    const QList<int> left = view.visibleColumns();
    for (const char* id : {"state", "age", "mode", "resource", "session", "blocked-by"})
        QVERIFY2(left.contains(model.columnOf(QLatin1String(id))), id);
    QVERIFY(!left.contains(model.columnOf(QStringLiteral("statement"))));
    // They are looked into and copied all the same, and come back.
    QVERIFY(view.searchedColumns().contains(model.columnOf(QStringLiteral("statement"))));
    QCOMPARE(view.toCsv(), csv);
    view.saveLayout(desk.settings, QStringLiteral("t"));
    QVERIFY(desk.settings.value(QStringLiteral("t/statement/shown")).toBool());
    view.resize(1'100, 400);
    QTRY_COMPARE(view.visibleColumns(), all);
    // One that is chosen comes at once, and stays.
    view.resize(560, 400);
    const int statement = model.columnOf(QStringLiteral("statement"));
    QTRY_VERIFY(!view.visibleColumns().contains(statement));
    QMenu menu;
    view.findChild<ColumnLayout*>()->addTo(menu);
    for (QAction* action : menu.actions()) {
        if (action->text() == QLatin1String("Statement"))
            action->trigger();
    }
    QVERIFY(view.visibleColumns().contains(statement));
}

void tst_TablePages::sessionsAndAuditRecordsFollowTheirKeys()
{
    const auto strict = QAbstractItemModelTester::FailureReportingMode::QtTest;
    Desk desk;
    SessionsModel sessions(desk.context);
    QAbstractItemModelTester sessionsTester(&sessions, strict);
    QSignalSpy sessionResets(&sessions, &QAbstractItemModel::modelReset);
    sessions.sort(SessionsModel::Waits, Qt::DescendingOrder);
    desk.show(sessions, shop());
    const int before = static_cast<int>(column(sessions, SessionsModel::Id).indexOf(QStringLiteral("70")));
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
    QCOMPARE(seventy.data().toString(), QStringLiteral("70"));
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
        return admin::AuditRecord{id, SnapshotBuilder::start(), QStringLiteral("ann"),
            QStringLiteral("desk4"), QStringLiteral("release"), QStringLiteral("nightly"),
            QStringLiteral("OPS-%1").arg(id), QStringLiteral("{}"), QStringLiteral("done")};
    };
    audit.show(audited({record(8), record(7)}));
    const QPersistentModelIndex seven = audit.index(1, audit.columnOf(QStringLiteral("reason")));
    audit.show(audited({record(9), record(8), record(7)}));
    QCOMPARE(seven.row(), 2);
    QCOMPARE(seven.data().toString(), QStringLiteral("OPS-7"));
    audit.show(audited({record(9)}));
    QVERIFY(!seven.isValid());
    QCOMPARE(audit.rowCount(), 1);
    QCOMPARE(auditResets.count(), 0);
}

/// At 1280 pixels with the side bar and the detail pane, the page has about 830.
void tst_TablePages::columnsFillTheWidthWithoutScrolling()
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
                qPrintable(QStringLiteral("%1 at %2").arg(page->id()).arg(width)));
            keepPicture(*page, QStringLiteral("%1-%2").arg(page->id()).arg(width));
            int used = 0;
            for (const int column : view.visibleColumns())
                used += view.columnWidth(column);
            QCOMPARE(used, view.viewport()->width());
        }
    }
}

void tst_TablePages::staleEntriesAreMarkedAndTheirQueueShown()
{
    Desk desk;
    LockTableModel model(desk.context);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    desk.show(model, shop());
    QCOMPARE(column(model, LockTableModel::Name),
        (QStringList{QStringLiteral("best-sellers"), QStringLiteral("nightly-export"), QStringLiteral("bob"),
            QStringLiteral("carol"), QStringLiteral("customers/4711")}));
    QCOMPARE(column(model, LockTableModel::State),
        (QStringList{QStringLiteral("held"), QStringLiteral("stale"), QStringLiteral("next"),
            QStringLiteral("waits, no. 2"), QStringLiteral("held")}));
    QCOMPARE(model.staleCount(), 1);
    QCOMPARE(model.index(4, LockTableModel::Lease).data().toString(), QStringLiteral("4 min 40 s left"));
    desk.now += 281s; // time alone makes one stale
    QCOMPARE(model.staleCount(), 2);
}

void tst_TablePages::aBadRowIsMarkedAndExplained()
{
    Desk desk;
    LockTableModel model(desk.context);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    auto snapshot = std::make_shared<Snapshot>(*SnapshotBuilder(shop()).take());
    LockTableEntry bad;
    bad.table = QStringLiteral("lockscope.lock_entry");
    bad.name = QStringLiteral("a bad one");
    bad.expiresAt = ServerTime{253'402'300'799'999'999};
    bad.badRow = QStringLiteral("acquired_at is infinity, expires_at is infinity");
    snapshot->entries.insert(snapshot->entries.begin(), bad);
    desk.context.noteSnapshot(*snapshot);
    model.showSnapshot(snapshot);
    const auto cell = [&model](int column) { return model.index(0, column); };
    QCOMPARE(cell(LockTableModel::Name).data().toString(), bad.name);
    QCOMPARE(cell(LockTableModel::State).data().toString(), QStringLiteral("bad row"));
    QCOMPARE(cell(LockTableModel::AgeColumn).data().toString(), noValue);
    QCOMPARE(cell(LockTableModel::State).data(TableModel::ToneRole).value<Tone>(), Tone::Amber);
    QVERIFY(cell(LockTableModel::State).data(Qt::ToolTipRole).toString().contains(bad.badRow));
    QCOMPARE(model.staleCount(), 1);
    const DetailText told = detailOf(LockTableKey{bad.table, bad.name}, *snapshot, desk.context.thresholds());
    QVERIFY(told.state.contains(bad.badRow));
}

void tst_TablePages::theDetailTellsWhatASessionCosts()
{
    Desk desk;
    auto snapshot = std::make_shared<Snapshot>(*SnapshotBuilder(shop()).take());
    lockscope::Session& session = snapshot->sessions.front();
    session.workOfStatement = {milliseconds(250), 4'000, 11, 0};
    session.workSinceLogin = {milliseconds(90'000), 1'234'567, 20, 3};
    session.memoryGrant = 5 * 1024 * 1024;
    session.logUsed = 1536;
    session.openTransactions = 2;
    session.isolation = QStringLiteral("serializable");
    session.host = QStringLiteral("app01");
    session.address = QStringLiteral("10.0.0.1");
    session.waitResource = QStringLiteral("dbo.orders page 5:1:4711");
    session.statement = QStringLiteral("UPDATE orders");
    session.inputBuffer = QStringLiteral("EXECUTE dbo.Pay @order = 4711");
    const auto tell = [&] { return detailOf(session.key(), *snapshot, desk.context.thresholds()); };
    const QString text = tell().toPlainText();
    for (const QString& line : {QStringLiteral("CPU\tnow 250ms, before 1m30s"),
             QStringLiteral("Pages read\tnow 4,000, before 1,234,567"),
             QStringLiteral("Pages written\tnow 0, before 3"), QStringLiteral("Memory grant\t5.0 MB"),
             QStringLiteral("Log used\t1.5 kB"), QStringLiteral("Open transactions\t2"),
             QStringLiteral("Isolation\tserializable"), QStringLiteral("Address\t10.0.0.1"),
             QStringLiteral("Waits at\tdbo.orders page 5:1:4711"),
             QStringLiteral("EXECUTE dbo.Pay @order = 4711")})
        QVERIFY2(text.contains(line), qPrintable(line + QLatin1Char('\n') + text));
    // What is not told, or is told already, takes no room.
    session.inputBuffer = session.statement;
    session.workOfStatement = {};
    session.address = session.host;
    QVERIFY(tell().toPlainText().contains(QStringLiteral("CPU\t1m30s since login")));
    for (const QString& heading : {QStringLiteral("Sent last"), QStringLiteral("Address")})
        QVERIFY2(!tell().toPlainText().contains(heading), qPrintable(heading));
}

void tst_TablePages::actsAreRefusedWithAReasonWhereThereIsNoServer()
{
    Desk desk;
    LockTablePage page(desk.context);
    desk.show(page, shop());
    page.view().selectRow(0);
    QSignalSpy acts(&page, &Page::requestAct);
    QSignalSpy words(&page, &Page::statusMessage);
    QPushButton* release = button(page, QStringLiteral("Release"));
    QVERIFY(!release->isEnabled());
    QCOMPARE(release->toolTip(), QStringLiteral("No server is connected."));
    focus(page.view());
    QTest::keyClick(&page.view(), Qt::Key_Delete);
    QCOMPARE(acts.count(), 0);
    QCOMPARE(words.count(), 1);
}

/// The keyboard goes on from a row also where none is selected: Esc has taken the selection back, or the
/// focus has just come. That row is nobody's choice.
void tst_TablePages::onlyWhatIsSelectedIsActedOn()
{
    Desk desk;
    admin::ServerAdminClient client(db::Server{}); // asked for nothing here
    desk.context.setServer({}, nullptr, &client);
    SessionsPage page(desk.context);
    desk.show(page, shop());
    QSignalSpy acts(&page, &Page::requestAct);
    focus(page.view());
    page.view().selectRow(rowOf(page.view(), u"session"_s, u"51"_s));
    QPushButton* end = button(page, u"End"_s);
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

void tst_TablePages::severalStatementsAreCancelledInOneAct()
{
    Desk desk;
    admin::ServerAdminClient client(db::Server{}); // asked for nothing here
    desk.context.setServer({}, nullptr, &client);
    SessionsPage page(desk.context);
    desk.show(page, shop());
    QSignalSpy acts(&page, &Page::requestAct);
    QPushButton* cancel = button(page, u"Cancel"_s);
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

void tst_TablePages::chainsStandOpenUntilTheUserClosesThem()
{
    Desk desk;
    BlockingPage page(desk.context);
    page.resize(830, 500);
    page.show();
    auto* tree = page.findChild<QTreeView*>(QStringLiteral("blockingTree"));
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
    desk.show(page, queue(0, 51, {52, 53}));
    QVERIFY(tree->isExpanded(head()));
    QVERIFY(!tree->horizontalScrollBar()->isVisible());

    // The first waiter gets the lock: the other moves below it.
    desk.show(page, queue(1, 52, {53}));
    QVERIFY(head().data().toString().startsWith(QStringLiteral("52")));
    QVERIFY(tree->isExpanded(head()));

    tree->setCurrentIndex(head());
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Left);
    QVERIFY(!tree->isExpanded(head()));
    desk.show(page, queue(2, 52, {53, 54, 55}));
    QVERIFY(!tree->isExpanded(head()));
    QTest::keyClick(tree, Qt::Key_Right);
    QVERIFY(tree->isExpanded(head()));
}

void tst_TablePages::oldDataIsSaidToBeOldAndKept()
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

void tst_TablePages::emptyTablesSayWhy()
{
    Desk desk;
    LocksPage page(desk.context);
    QCOMPARE(page.view().emptyTitle(), QStringLiteral("No server is shown"));
    desk.show(page, SnapshotBuilder());
    QCOMPARE(page.view().emptyTitle(), QStringLiteral("Nobody holds or waits for a lock"));
    desk.show(page, shop());
    page.setFilter(QStringLiteral("nothing like it"));
    QCOMPARE(page.view().emptyTitle(), QStringLiteral("No row matches the filter"));
}

void tst_TablePages::filterByColumn()
{
    Desk desk;
    LocksPage page(desk.context);
    desk.show(page, shop());
    page.setFilter(QStringLiteral("session:63"));
    QCOMPARE(page.countText(), QStringLiteral("1 of 5 rows · 1 internal hidden · 3 filtered out"));
}

void tst_TablePages::limitationsOfThePageAreShownWithTheirRemedy()
{
    Desk desk;
    LockTablePage page(desk.context);
    SnapshotBuilder s;
    s.limitation(Limitation::Kind::MissingSchema, "There is no lock table yet.", "Run: lockctl install");
    desk.show(page, s);
    QCOMPARE(page.view().emptyTitle(), QStringLiteral("There is no lock table yet."));
    auto* install = page.findChild<QPushButton*>(QStringLiteral("emptyAction"));
    QVERIFY(!install->isHidden());
    QVERIFY(!install->isEnabled()); // no server to act on
    desk.show(page, shop());
    QVERIFY(install->isHidden());
}

void tst_TablePages::dangerNeedsAReasonAndNoButtonIsTheDefault()
{
    Desk desk;
    const SnapshotPtr snapshot = shop().take();
    DangerDialog dialog(desk.settings);
    dialog.setText(describeEnd(*snapshot->session(SessionId{51}), snapshot.get(), snapshot->takenAt));
    dialog.show();
    QSignalSpy confirmed(&dialog, &DangerDialog::confirmed);
    QPushButton* act = button(dialog, QStringLiteral("End"));
    for (const QPushButton* each : dialog.findChildren<QPushButton*>())
        QVERIFY2(!each->isDefault() && !each->autoDefault(), qPrintable(each->text()));
    QVERIFY(!act->isEnabled());
    auto* reason = dialog.findChild<QComboBox*>();
    QTest::keyClicks(reason, QStringLiteral("  "));
    QVERIFY(!act->isEnabled());
    QTest::keyClicks(reason, QStringLiteral("OPS-17 stuck"));
    QVERIFY(act->isEnabled());
    keepPicture(dialog, QStringLiteral("danger"));
    QTest::mouseClick(act, Qt::LeftButton);
    QCOMPARE(confirmed.count(), 1);
    QCOMPARE(confirmed.first().first().toString(), QStringLiteral("OPS-17 stuck"));
    DangerDialog next(desk.settings);
    QCOMPARE(next.findChild<QComboBox*>()->itemText(0), QStringLiteral("OPS-17 stuck"));
    QCOMPARE(next.reason(), QString());
}

void tst_TablePages::silenceIsNotCalledDeath()
{
    auto taken = std::make_shared<Snapshot>(*shop().take());
    LockTableEntry& entry = taken->entries[1];
    entry.expiresAt = taken->takenAt - 3min;
    entry.party.session = SessionId{13246};
    entry.party.host = QStringLiteral("app02");
    entry.holderLife = lifeOfWriter(entry, nullptr, SessionsSeen::All, taken->takenAt);
    taken->entryWaiters[0].expiresAt = taken->takenAt - 1min;
    const QString gone = QStringLiteral("Session 13246 is gone.");
    // In the row …
    Desk desk;
    LockTableModel model(desk.context);
    model.showSnapshot(taken);
    const int row = model.find({{entry.table, entry.name}, 0});
    const auto cell = [&](int column) { return model.index(row, column).data().toString(); };
    QCOMPARE(cell(LockTableModel::LifeColumn), QStringLiteral("silent"));
    QCOMPARE(cell(LockTableModel::EvidenceColumn), gone);
    // … in the detail, which says of nobody that it has probably gone …
    const DetailText detail =
        detailOf(LockTableKey{entry.table, entry.name}, *taken, desk.context.thresholds());
    QVERIFY2(detail.toPlainText().contains(gone), qPrintable(detail.toPlainText()));
    QVERIFY2(!detail.toPlainText().contains(QStringLiteral("probably")), qPrintable(detail.toPlainText()));
    // … and in both dialogs.
    const auto factsOf = [](const DangerText& text) {
        QStringList facts;
        for (const DangerText::Fact& fact : text.facts)
            facts << fact.name + QStringLiteral(": ") + fact.value;
        return facts.join(QLatin1Char('\n'));
    };
    const DangerText release = describeRelease(entry, taken.get(), taken->takenAt);
    QVERIFY2(factsOf(release).contains(QStringLiteral("Evidence: ") + gone), qPrintable(factsOf(release)));
    QVERIFY(factsOf(release).contains(QStringLiteral("Its program: silent")));
    const QString follows = release.consequences.join(QLatin1Char(' '));
    QVERIFY2(follows.contains(QStringLiteral("if it still works, two work at once")), qPrintable(follows));
    const DangerText purge = describePurge({entry}, taken.get(), taken->takenAt);
    QVERIFY2(factsOf(purge).contains(gone), qPrintable(factsOf(purge)));
    QVERIFY(purge.consequences.join(QLatin1Char(' '))
                .contains(QStringLiteral("does not prove that its holder has ended")));
}

void tst_TablePages::dangerTellsWhatFollows()
{
    const SnapshotPtr snapshot = shop().take();
    const DangerText release = describeRelease(snapshot->entries[1], snapshot.get(), snapshot->takenAt);
    QCOMPARE(release.title, QStringLiteral("Release “nightly-export”"));
    QCOMPARE(release.consequences.first(),
        QStringLiteral("bob, nightly-job on app02 (process 4711) gets it next; 1 more stay in the queue."));
    const DangerText end = describeEnd(*snapshot->session(SessionId{51}), snapshot.get(), snapshot->takenAt);
    const QString all = end.consequences.join(QLatin1Char(' '));
    QVERIFY2(all.contains(QStringLiteral("Its transaction of 6 min 12 s is rolled back at once")),
        qPrintable(all));
    QVERIFY(all.contains(QStringLiteral("One lock is freed: public.orders.")));
    QVERIFY(all.contains(QStringLiteral("2 sessions wait for it")));
    QVERIFY2(all.contains(QStringLiteral("as far as is known now")), qPrintable(all));
    // SQL Server undoes change by change.
    Snapshot there = *snapshot;
    there.engine = Engine::SqlServer;
    lockscope::Session session = *snapshot->session(SessionId{51});
    session.logUsed = 3'000'000;
    const QString slow = describeEnd(session, &there, there.takenAt).consequences.join(QLatin1Char(' '));
    QVERIFY2(slow.contains(QStringLiteral("as long as the work did")), qPrintable(slow));
    QVERIFY2(slow.contains(QStringLiteral("2.9 MB of log")), qPrintable(slow));
    // A cancelled statement aborts its transaction: whoever waits for it goes on as if it had ended.
    session.state = SessionState::Active;
    const QString cancelled =
        describeCancel(session, snapshot.get(), snapshot->takenAt).consequences.join(QLatin1Char(' '));
    for (const char* told : {"its locks are free at once", "savepoint", "advisory", "as far as is known now"})
        QVERIFY2(cancelled.contains(QLatin1String(told)), qPrintable(cancelled));
    // "Cancel" beside "Cancel statement" would be either of the two.
    Desk desk;
    DangerDialog dialog(desk.settings);
    dialog.setText(describeCancel(session, snapshot.get(), snapshot->takenAt));
    QVERIFY(
        button(dialog, u"Keep it running"_s) && !button(dialog, u"Cancel"_s)->text().endsWith(u"Cancel"_s));
    dialog.showFailure({ErrorKind::Server, u"No."_s, {}, {}, {}, {}});
    QVERIFY(button(dialog, u"Keep it running"_s));
    session.state = SessionState::IdleInTransaction;
    const QStringList idle = describeCancel(session, snapshot.get(), snapshot->takenAt).consequences;
    QCOMPARE(idle.size(), 1);
    QVERIFY2(idle.first().contains(QStringLiteral("change nothing")), qPrintable(idle.first()));
}

void tst_TablePages::theInstallationIsToldObjectByObject()
{
    const DangerText text =
        describeInstall(QString::fromUtf8(readFile(QStringLiteral(":/schema/postgres/install.sql"))),
            QStringLiteral("shop@db1"), QStringLiteral("ann"));
    QStringList facts;
    for (const DangerText::Fact& fact : text.facts)
        facts << fact.name + QStringLiteral(": ") + fact.value;
    QVERIFY2(facts.contains(QStringLiteral("Schema: lockscope")), qPrintable(facts.join(QLatin1Char('\n'))));
    const QString tables = facts.filter(QStringLiteral("Tables: ")).join(QLatin1Char(' '));
    for (const char* name : {"lockscope.lock_entry", "lockscope.lock_waiter", "lockscope.audit_log"})
        QVERIFY2(tables.contains(QLatin1String(name)), qPrintable(tables));
    QVERIFY(facts.filter(QStringLiteral("Functions: "))
                .first()
                .contains(QStringLiteral("lockscope.acquire_lock")));
    const QString roles = facts.filter(QStringLiteral("Roles: ")).join(QLatin1Char(' '));
    for (const char* name : {"lockscope_reader", "lockscope_operator", "lockscope_admin"})
        QVERIFY2(roles.contains(QLatin1String(name)), qPrintable(roles));
    Desk desk;
    DangerDialog dialog(desk.settings);
    dialog.setText(text);
    keepPicture(dialog, QStringLiteral("install"));
    QVERIFY(button(dialog, QStringLiteral("Install"))->isEnabled()); // no reason: there is no audit yet
    QVERIFY(dialog.findChild<QComboBox*>()->isHidden());
}

LOCKSCOPE_TEST(tst_TablePages)

} // namespace tst_TablePages
#include "tst_TablePages.moc"
