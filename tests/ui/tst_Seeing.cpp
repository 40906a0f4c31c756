// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Important things are visible at a glance: ages and counts are whole at every width, the worst is on top,
// every box of the drawing is connected and legible.

#include "tests/support/CrowdSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Desk.h"
#include "ui/kit/delegates/CellDelegate.h"
#include "ui/shell/window/SideBar.h"
#include "ui/views/blocking/BlockingGraphView.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/overview/HeadBlockerBanner.h"
#include "ui/views/overview/OverviewPage.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_Seeing {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

static std::unique_ptr<Page> makePage(const QString& id, AppContext& context)
{
    if (id == u"locks")
        return std::make_unique<LocksPage>(context);
    if (id == u"sessions")
        return std::make_unique<SessionsPage>(context);
    if (id == u"lock-table")
        return std::make_unique<LockTablePage>(context);
    return std::make_unique<BlockingPage>(context);
}

/// Returns the first cell on view whose number or age is cut; empty if none is.
static QString cutCell(
    const QAbstractItemView& view, const QHeaderView& header, const std::vector<ColumnInfo>& columns)
{
    const auto* delegate = qobject_cast<const CellDelegate*>(view.itemDelegate());
    for (int y = 2; y < view.viewport()->height(); y += 10) {
        const QModelIndex row = view.indexAt({4, y});
        if (!row.isValid())
            continue;
        for (int column = 0; column < header.count(); ++column) {
            const ColumnInfo& info = columns[static_cast<size_t>(column)];
            if (header.isSectionHidden(column) || (!info.number && !info.age))
                continue;
            const QModelIndex cell = row.siblingAtColumn(column);
            QStyleOptionViewItem option;
            option.initFrom(&view);
            option.rect = QRect(0, 0, header.sectionSize(column), 24);
            QFont font = view.font();
            font.setBold(cell.data(TableModel::EmphasisRole).toBool());
            const int room = delegate->layoutOf(option, cell).text.width();
            const QString text = cell.data().toString();
            if (tabularWidth(text, QFontMetrics(font)) > room)
                return u"%1 \"%2\" in %3 px"_s.arg(info.id, text).arg(room);
        }
    }
    return {};
}

static QString cutCell(const Page& page)
{
    if (const auto* table = page.findChild<TableView*>())
        return cutCell(*table, *table->horizontalHeader(), table->tableModel().columns());
    const auto* tree = page.findChild<QTreeView*>();
    const auto* model = qobject_cast<const BlockingTreeModel*>(tree->model());
    return cutCell(*tree, *tree->header(), model->columns());
}

static std::vector<GraphNode*> nodesOf(const BlockingGraphView& view)
{
    std::vector<GraphNode*> nodes;
    for (QGraphicsItem* item : view.scene()->items()) {
        if (auto* node = dynamic_cast<GraphNode*>(item))
            nodes.push_back(node);
    }
    return nodes;
}

static GraphNode* nodeNamed(const BlockingGraphView& view, const QString& name)
{
    for (GraphNode* node : nodesOf(view)) {
        if (node->row().name == name)
            return node;
    }
    return nullptr;
}

/// Returns the style of the line that ends at a box; nothing if there is none.
static std::optional<Qt::PenStyle> lineTo(const BlockingGraphView& view, const GraphNode& node)
{
    const QPointF end = node.pos() + QPointF(0, GraphNode::size.height() / 2);
    for (QGraphicsItem* item : view.scene()->items()) {
        if (const auto* line = dynamic_cast<QGraphicsPathItem*>(item);
            line && line->path().currentPosition() == end)
            return line->pen().style();
    }
    return std::nullopt;
}

class tst_Seeing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(*qApp, ThemeMode::Light); }

    void agesAndCountsAreNeverCut_data()
    {
        addColumns<QString, int, int>("page", "width", "sessions");
        for (const char* page : {"locks", "sessions", "lock-table", "blocking"}) {
            for (const int width : {540, 760, 1'040, 1'480, 2'600}) {
                for (const int sessions : {12, 300})
                    QTest::addRow("%s, %d px, %d sessions", page, width, sessions)
                        << QString::fromLatin1(page) << width << sessions;
            }
        }
    }
    void agesAndCountsAreNeverCut()
    {
        FETCH(QString, page, int, width, int, sessions);
        Desk desk;
        const auto shown = makePage(page, desk.context);
        shown->resize(width, 640);
        shown->show();
        QVERIFY(QTest::qWaitForWindowExposed(shown.get()));
        const auto fill = [&](int later) {
            SnapshotBuilder s = crowd(sessions, later);
            s.entry("nightly-export", "ann").lease(90'000, 3'500 + later).queue("bob", 3'590 + later);
            s.entry("stale-for-days", "carl").lease(600, 300'000 + later);
            desk.show(*shown, s);
        };
        fill(0);
        QCOMPARE(cutCell(*shown), QString());
        keepPicture(*shown, u"seeing-%1-%2-%3"_s.arg(page).arg(width).arg(sessions));
        // Ages grow while nothing is read …
        desk.now += 36h;
        Q_EMIT desk.context.tick();
        QCOMPARE(cutCell(*shown), QString());
        // … counts with the next reading, and what is scrolled to counts, too.
        fill(2);
        for (auto* bar : shown->findChildren<QScrollBar*>())
            bar->setValue(bar->maximum());
        QTRY_COMPARE(cutCell(*shown), QString());
    }

    void textsShareWhatIsLeft()
    {
        PageDesk<LocksPage> desk(QSize(1'480, 500));
        desk.show(crowd(40));
        const QHeaderView& header = *desk.page.view().horizontalHeader();
        QCOMPARE(header.length(), desk.page.view().viewport()->width());
        const auto& columns = desk.page.view().tableModel().columns();
        int texts = 0;
        for (int column = 0; column < header.count(); ++column) {
            if (!header.isSectionHidden(column) && columns[static_cast<size_t>(column)].stretch > 0)
                texts += header.sectionSize(column);
        }
        QVERIFY2(texts > header.length() / 2, qPrintable(u"%1 of %2"_s.arg(texts).arg(header.length())));
    }

    void columnsThatSayNothingAreHidden()
    {
        PageDesk<LocksPage> desk(QSize(1'000, 400));
        TableView& view = desk.page.view();
        const auto isHidden = [&](const char* id) {
            return view.isColumnHidden(view.tableModel().columnOf(QLatin1String(id)));
        };
        SnapshotBuilder calm;
        calm.session(51, "billing");
        calm.holds(51, "public.orders", "RowExclusiveLock", 3);
        desk.show(calm);
        QVERIFY(isHidden("blocked-by") && isHidden("blocks"));
        desk.show(crowd(12, 2));
        QVERIFY(!isHidden("blocked-by") && !isHidden("blocks"));
        desk.show(calm); // nothing jumps when a wait is over
        QVERIFY(!isHidden("blocked-by") && !isHidden("blocks"));
        desk.page.showSnapshot(nullptr);
        QVERIFY(isHidden("blocked-by"));
        // It is the page that hides them, not the user: the next window has them when they say something.
        desk.page.saveLayout();
        LocksPage next(desk.context);
        desk.show(next, crowd(12, 4));
        QVERIFY(!next.view().isColumnHidden(next.view().tableModel().columnOf(u"blocked-by"_s)));
    }

    void whatTheGroupSaysIsNotRepeated()
    {
        PageDesk<LocksPage> desk(QSize(1'600, 700)); // room for all of them
        desk.show(crowd(40));
        TableView& view = desk.page.view();
        auto* grouping = desk.page.findChild<QComboBox*>();
        const auto isHidden = [&](const char* id) {
            return view.isColumnHidden(view.tableModel().columnOf(QLatin1String(id)));
        };
        grouping->setCurrentIndex(1);
        QVERIFY(isHidden("resource") && !isHidden("session") && !isHidden("mode"));
        desk.page.setFilter(u"customers"_s); // found all the same
        QVERIFY(view.tableModel().counts().shown > 0);
        desk.page.setFilter({});
        grouping->setCurrentIndex(2);
        QVERIFY(!isHidden("resource") && isHidden("session") && isHidden("program"));
        grouping->setCurrentIndex(3);
        QVERIFY(!isHidden("session") && isHidden("mode"));
        grouping->setCurrentIndex(0);
        for (const char* id : {"resource", "session", "program", "mode"})
            QVERIFY2(!isHidden(id), id);
    }

    void aColumnChosenByHandStays()
    {
        PageDesk<LocksPage> desk;
        QHeaderView& header = *desk.page.view().horizontalHeader();
        const int program = desk.page.view().tableModel().columnOf(u"program"_s);
        header.setSectionHidden(program, true); // by the user: no grouping brings it back
        auto* grouping = desk.page.findChild<QComboBox*>();
        grouping->setCurrentIndex(2);
        grouping->setCurrentIndex(0);
        QVERIFY(header.isSectionHidden(program));
    }

    void theWorstHeadsAreNamedWithTheirNumbers()
    {
        PageDesk<OverviewPage> desk(QSize(1'000, 800));
        const auto* banner = desk.page.findChild<HeadBlockerBanner*>();
        const auto line = [&](const char* name) {
            const auto* button = desk.page.findChild<QToolButton*>(QLatin1String(name));
            return button && button->isVisible() ? button->accessibleName() : QString();
        };
        SnapshotBuilder s;
        const auto head = [&](int id, const char* table, int victims, int age) {
            s.session(id, "program").idleInTransaction(5'000);
            s.holds(id, table, "AccessExclusiveLock", 5'000);
            for (int i = 0; i < victims; ++i) {
                s.session(id * 100 + i, "web");
                s.waits(id * 100 + i, table, "RowExclusiveLock", age);
            }
        };
        head(7, "public.a", 4, 2'400);
        head(8, "public.b", 66, 20);
        head(9, "public.c", 2, 7'300);
        head(10, "public.d", 1, 90);
        s.session(799, "late").running("SELECT 1");
        s.waits(799, "public.a", "RowExclusiveLock", 5);
        desk.show(s);
        VERIFY_STARTS(banner->accessibleName(), u"Session 8 (program) blocks 66 for 20 s."_s);
        VERIFY_CONTAINS(line("nextHead2"), u"Session 7 blocks 5 for 40 min, 1 more in the last minute"_s);
        VERIFY_CONTAINS(line("nextHead3"), u"Session 9 blocks 2 for 2 h 01 min"_s);
        QSignalSpy opened(&desk.page, &Page::showSubject);
        QTest::mouseClick(desk.page.findChild<QToolButton*>(u"nextHead2"_s), Qt::LeftButton);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), u"blocking"_s);
        QCOMPARE(std::get<SessionKey>(opened[0][1].value<DetailSubject>()).id, SessionId{7});
        // The page of chains has them in the same order.
        BlockingPage chains(desk.context);
        desk.show(chains, s);
        const auto* model = chains.findChild<QTreeView*>()->model();
        QStringList order;
        for (int row = 0; row < model->rowCount(); ++row)
            order << model->index(row, 0).data().toString().section(u' ', 0, 0);
        QCOMPARE(order.join(u' '), u"8 7 9 10"_s);
        desk.show(SnapshotBuilder(2));
        QCOMPARE(line("nextHead2"), QString());
    }

    void theHeadlineIsNotCut()
    {
        Desk desk;
        OverviewPage page(desk.context);
        for (const int width : {560, 760, 1'000, 1'480}) {
            page.resize(width, 800);
            page.show();
            desk.show(page, crowd(300));
            const auto* title = page.findChild<QLabel*>(u"headTitle"_s);
            const QString said = title->text().replace(QChar::Nbsp, u' ');
            QVERIFY2(said.contains(u"blocks 195 for 2 h"_s) && !said.contains(u'…'), qPrintable(said));
            QCoreApplication::processEvents();
            QVERIFY2(title->heightForWidth(title->width()) <= title->height()
                    || title->fontMetrics().horizontalAdvance(title->text()) <= title->width(),
                qPrintable(u"at %1 px"_s.arg(width)));
            keepPicture(page, u"seeing-overview-%1"_s.arg(width));
        }
    }

    void treeAndDrawingStandSideBySideOnlyWhereBothFit()
    {
        PageDesk<BlockingPage> desk;
        desk.show(crowd(40));
        const auto* splitter = desk.page.findChild<QSplitter*>();
        const auto* graph = desk.page.findChild<BlockingGraphView*>();
        for (const int width : {540, 900, 1'300, 1'700, 2'600}) {
            desk.page.resize(width, 700);
            QCoreApplication::processEvents();
            keepPicture(desk.page, u"seeing-chains-%1"_s.arg(width));
            if (splitter->orientation() == Qt::Vertical)
                continue;
            QVERIFY(width >= 1'300);
            QVERIFY(graph->width() >= graph->neededWidth());
            QVERIFY(!desk.page.findChild<QTreeView*>()->horizontalScrollBar()->isVisible());
        }
        QCOMPARE(splitter->orientation(), Qt::Horizontal); // at 2,600 pixels
        desk.page.resize(540, 700);
        QCOMPARE(splitter->orientation(), Qt::Vertical);
    }

    void theTreeTellsStatementAndTableOnce()
    {
        PageDesk<BlockingPage> desk(QSize(1'400, 600));
        desk.show(crowd(12));
        const auto* tree = desk.page.findChild<QTreeView*>();
        const QModelIndex head = tree->model()->index(0, 0);
        const QModelIndex victim = tree->model()->index(0, 0, head);
        const auto text = [](const QModelIndex& row, int column) {
            return row.siblingAtColumn(column).data().toString();
        };
        VERIFY_STARTS(text(victim, BlockingTreeModel::WhatColumn), u"UPDATE public.orders"_s);
        QCOMPARE(text(victim, BlockingTreeModel::TargetColumn), text(victim, BlockingTreeModel::TableColumn));
        // Nothing that is shown says what another column says.
        for (const QModelIndex& row : {head, victim}) {
            QStringList shown;
            for (int column = 0; column < tree->model()->columnCount(); ++column) {
                const QString one = text(row, column);
                if (!tree->isColumnHidden(column) && !one.isEmpty())
                    shown << one;
            }
            QCOMPARE(shown.removeDuplicates(), 0);
            const QString what = text(row, BlockingTreeModel::WhatColumn);
            QVERIFY2(!what.contains(u" min"_s) && !what.contains(u"behind"_s), qPrintable(what));
        }
    }

    void everyBoxIsConnected()
    {
        PageDesk<BlockingPage> desk(QSize(1'000, 700));
        SnapshotBuilder s;
        for (const int id : {51, 63, 70, 71})
            s.session(id, "program");
        s.holds(51, "public.orders", "ShareLock", 100);
        s.waits(63, "public.orders", "RowExclusiveLock", 50);
        s.waits(70, "public.orders", "ShareLock", 40); // 51 does not block it, but 63 is ahead
        s.waits(71, "public.orders", "RowExclusiveLock", 30);
        desk.show(s);
        const auto& graph = *desk.page.findChild<BlockingGraphView*>();
        QCOMPARE(nodesOf(graph).size(), size_t(4));
        QCOMPARE(lineTo(graph, *nodeNamed(graph, u"63"_s)), std::optional(Qt::SolidLine));
        QCOMPARE(lineTo(graph, *nodeNamed(graph, u"70"_s)), std::optional(Qt::DashLine));
        QCOMPARE(lineTo(graph, *nodeNamed(graph, u"71"_s)), std::optional(Qt::SolidLine));
        // Heads have a shape of their own.
        QCOMPARE(nodeNamed(graph, u"51"_s)->nodeShape(), GraphNode::Shape::Head);
        QCOMPARE(nodeNamed(graph, u"63"_s)->nodeShape(), GraphNode::Shape::Waiter);
        desk.show(crowd(300, 2));
        for (const GraphNode* node : nodesOf(graph)) {
            const bool isHead = node->nodeShape() == GraphNode::Shape::Head;
            QVERIFY2(isHead != lineTo(graph, *node).has_value(), qPrintable(node->row().name));
        }
    }

    void longQueuesAreFolded()
    {
        PageDesk<BlockingPage> desk(QSize(1'000, 700));
        desk.show(crowd(300));
        auto& graph = *desk.page.findChild<BlockingGraphView*>();
        const int waiters = (300 - 7) * 2 / 3;
        const QString folded = u"+%1"_s.arg(waiters - static_cast<int>(waitersBeforeFold));
        const GraphNode* fold = nodeNamed(graph, folded);
        QVERIFY(fold);
        QCOMPARE(fold->nodeShape(), GraphNode::Shape::Fold);
        QVERIFY(nodesOf(graph).size() < 20);
        QVERIFY(lineTo(graph, *fold));
        // The session that is chosen in the tree is visible in it.
        const QString last = QString::number(1'000'000 + waiters - 1);
        QVERIFY(!nodeNamed(graph, last));
        const auto* builder = desk.page.findChild<QTreeView*>();
        const QModelIndex head = builder->model()->index(0, 0);
        desk.page.findChild<QTreeView*>()->setCurrentIndex(
            builder->model()->index(builder->model()->rowCount(head) - 1, 0, head));
        QVERIFY(fold->isSelected());
        // A click opens it, and it stays open; another one folds it again.
        QSignalSpy chosen(&graph, &BlockingGraphView::chosen);
        graph.scene()->clearSelection();
        nodeNamed(graph, folded)->setSelected(true);
        QTRY_VERIFY(nodeNamed(graph, last));
        QCOMPARE(chosen.count(), 0);
        desk.show(crowd(300, 2));
        QVERIFY(nodeNamed(graph, last));
        graph.scene()->clearSelection();
        GraphNode* open = nodeNamed(graph, u"fold"_s);
        QVERIFY(open);
        open->setSelected(true);
        QTRY_VERIFY(nodeNamed(graph, folded));
    }

    void boxesCanBeReadAtAnyScale()
    {
        PageDesk<BlockingPage> desk(QSize(1'000, 700));
        desk.show(crowd(300));
        auto& graph = *desk.page.findChild<BlockingGraphView*>();
        for (double scale = 0.01; scale < 10; scale *= 1.3) {
            graph.showAsLarge(scale);
            for (const GraphNode* node : nodesOf(graph)) {
                const QStringList lines = node->linesAt(graph.shownScale());
                const bool isReported = lines.first().startsWith(node->row().name);
                QVERIFY2(isReported, qPrintable(u"%1 at %2"_s.arg(lines.join(u'|')).arg(graph.shownScale())));
                // An age is not cut either, nor the number of sessions that it blocks.
                QVERIFY2(lines.size() == 1 || !lines.last().contains(u'…'), qPrintable(lines.last()));
            }
            keepPicture(graph, u"seeing-graph-%1"_s.arg(int(graph.shownScale() * 100)));
        }
        const auto turn = [&](int steps) {
            const QPoint at = graph.viewport()->rect().center();
            QWheelEvent event(at, graph.viewport()->mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton,
                Qt::NoModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(graph.viewport(), &event);
        };
        for (int i = 0; i < 40; ++i)
            turn(-1);
        QCOMPARE(graph.shownScale(), BlockingGraphView::smallestScale);
        for (int i = 0; i < 40; ++i)
            turn(1);
        QCOMPARE(graph.shownScale(), BlockingGraphView::largestScale);
    }

    void theDrawingFitsAndIsReset()
    {
        PageDesk<BlockingPage> desk(QSize(1'000, 700));
        desk.show(crowd(40));
        auto& graph = *desk.page.findChild<BlockingGraphView*>();
        const double fitted = graph.shownScale();
        const auto press = [&](const char* name) {
            auto* button = graph.findChild<QToolButton*>(QLatin1String(name));
            QVERIFY(button && button->isVisible() && !button->accessibleName().isEmpty());
            QTest::mouseClick(button, Qt::LeftButton);
        };
        press("graphLarger");
        QVERIFY(graph.shownScale() > fitted);
        desk.show(crowd(40, 2)); // a refresh leaves it
        QVERIFY(graph.shownScale() > fitted);
        press("graphReset");
        QCOMPARE(graph.shownScale(), 1.0);
        press("graphSmaller");
        QVERIFY(graph.shownScale() < 1);
        press("graphFit");
        QCOMPARE(graph.shownScale(), fitted);
        QVERIFY(QTest::qWaitForWindowActive(&desk.page));
        graph.setFocus();
        QTest::keyClick(&graph, Qt::Key_1);
        QCOMPARE(graph.shownScale(), 1.0);
    }

    void theDrawingFollowsTheSelection()
    {
        PageDesk<BlockingPage> desk(QSize(700, 420));
        SnapshotBuilder s;
        // More chains than are drawn.
        const int chains = BlockingGraphView::maxNodes / 2 + 20;
        for (int head = 1; head <= chains; ++head) {
            const QByteArray table = "public.t" + QByteArray::number(head);
            s.session(head, "program");
            s.session(1'000 + head, "web");
            s.holds(head, table.constData(), "AccessExclusiveLock", 900);
            s.waits(1'000 + head, table.constData(), "RowExclusiveLock", 800 - head);
        }
        desk.show(s);
        auto& graph = *desk.page.findChild<BlockingGraphView*>();
        const auto isOnView = [&](const QString& name) {
            const GraphNode* node = nodeNamed(graph, name);
            return node
                && graph.viewport()->rect().contains(
                    graph.mapFromScene(node->sceneBoundingRect()).boundingRect().adjusted(2, 2, -2, -2));
        };
        QVERIFY(isOnView(u"1"_s)); // begins with the worst head
        const auto* tree = desk.page.findChild<QTreeView*>();
        const auto choose = [&](int row) {
            const QModelIndex head = tree->model()->index(row, 0);
            desk.page.findChild<QTreeView*>()->setCurrentIndex(tree->model()->index(0, 0, head));
        };
        choose(50);
        const QString waiter = tree->currentIndex().data().toString().section(u' ', 0, 0);
        const QString head = tree->currentIndex().parent().data().toString().section(u' ', 0, 0);
        QVERIFY2(isOnView(waiter) && isOnView(head), qPrintable(waiter + u' ' + head));
        // One that is not drawn for its sake is drawn when it is chosen.
        const QString last = tree->model()->index(chains - 1, 0).data().toString().section(u' ', 0, 0);
        QVERIFY(!nodeNamed(graph, last));
        choose(chains - 1);
        QTRY_VERIFY(isOnView(last));
        desk.show(s);
        QTRY_VERIFY(isOnView(last));
    }

    /// No name is cut as long as another column has more than it needs.
    void namesOfLocksAreWhole()
    {
        SnapshotBuilder s;
        s.session(51, "billing").idleInTransaction(60).running("UPDATE orders SET …");
        s.session(63, "web").running(
            "UPDATE shop.orders_of_the_year SET state = 1 WHERE id = 4711 AND n = 12");
        s.holds(51, "shop.orders_of_the_year row (1048,112)", "ExclusiveLock", 60, false, ResourceKind::Row);
        s.waits(63, "shop.orders_of_the_year row (1048,112)", "ExclusiveLock", 50, ResourceKind::Row);
        const auto cut = [](const QAbstractItemView& view, const QHeaderView& header,
                             const QModelIndex& cell) {
            return !header.isSectionHidden(cell.column())
                && view.sizeHintForColumn(cell.column()) > header.sectionSize(cell.column());
        };
        Desk desk;
        for (const int width : {830, 1'080, 1'700}) {
            BlockingPage page(desk.context);
            page.resize(width, 600);
            page.show();
            desk.show(page, s);
            const auto* tree = page.findChild<QTreeView*>();
            const QModelIndex waiter = tree->model()->index(0, 0, tree->model()->index(0, 0));
            QVERIFY2(!cut(*tree, *tree->header(), waiter.siblingAtColumn(BlockingTreeModel::TargetColumn)),
                qPrintable(u"the tree at %1 px"_s.arg(width)));
            QVERIFY(!tree->horizontalScrollBar()->isVisible());
            LocksPage locks(desk.context);
            locks.resize(width, 600);
            locks.show();
            locks.findChild<QComboBox*>()->setCurrentIndex(1);
            desk.show(locks, s);
            const QAbstractItemView& view = locks.view(); // where that is public
            const int group = locks.view().tableModel().columnOf(u"group"_s);
            const int given = locks.view().columnWidth(group);
            QVERIFY2(given >= view.sizeHintForColumn(group),
                qPrintable(u"%1 of %2 px at %3"_s.arg(given).arg(view.sizeHintForColumn(group)).arg(width)));
        }
    }

    /// On PostgreSQL that is a wait for a transaction, whose number says nothing to people.
    void theOldestWaitNamesTheRow()
    {
        SnapshotBuilder s;
        s.session(51, "billing").idleInTransaction(60);
        s.session(63, "web");
        const char* transaction = "transaction 742 (session 51)";
        s.holds(51, transaction, "ExclusiveLock", 60, false, ResourceKind::TransactionId);
        s.holds(63, "public.orders row (0,4)", "ExclusiveLock", 50, false, ResourceKind::Row);
        s.waits(63, transaction, "ShareLock", 50, ResourceKind::TransactionId);
        const SnapshotPtr snapshot = s.take();
        QCOMPARE(oldestWaits(*snapshot, 5, {}).rows.first().detail, u"public.orders row (0,4)"_s);
        PageDesk<SessionsPage> desk;
        desk.page.showSnapshot(snapshot);
        const TableView& view = desk.page.view();
        QStringList awaited;
        for (int row = 0; row < view.model()->rowCount(); ++row)
            awaited << view.model()->index(row, view.tableModel().columnOf(u"waits-for"_s)).data().toString();
        QVERIFY2(awaited.contains(u"public.orders row (0,4)"_s), qPrintable(awaited.join(u'|')));
    }

    void hoveringDoesNotOutshineTheCurrentPage_data()
    {
        addRows<ThemeMode>("mode", {{"light", ThemeMode::Light}, {"dark", ThemeMode::Dark}});
    }
    void hoveringDoesNotOutshineTheCurrentPage()
    {
        QFETCH(ThemeMode, mode);
        theme::apply(*qApp, mode);
        SideBar bar;
        for (const auto* title : {"Overview", "Blocking", "Locks"})
            bar.addPage(QLatin1String(title), u"locks"_s, {});
        bar.setCurrentPage(0);
        bar.resize(180, 400);
        bar.show();
        auto* pages = bar.findChild<QListWidget*>(u"pages"_s);
        const auto centre = [&](int row) {
            const QRect at = pages->visualItemRect(pages->item(row));
            return QPoint(at.right() - 20, at.center().y());
        };
        const QPointF over = centre(1);
        QHoverEvent hover(QEvent::HoverMove, over, pages->viewport()->mapToGlobal(over), over);
        QApplication::sendEvent(pages->viewport(), &hover);
        const QImage picture = bar.grab().toImage();
        const auto colorOf = [&](int row) {
            return picture.pixelColor(
                pages->viewport()->mapTo(&bar, centre(row)) * picture.devicePixelRatio());
        };
        const auto distance = [&](int row) {
            const QColor one = colorOf(row);
            const QColor plain = colorOf(2);
            return std::abs(one.red() - plain.red()) + std::abs(one.green() - plain.green())
                + std::abs(one.blue() - plain.blue());
        };
        theme::apply(*qApp, ThemeMode::Light);
        QVERIFY(distance(1) > 0);
        QVERIFY2(distance(1) * 3 < distance(0) * 2, qPrintable(u"%1 %2"_s.arg(distance(1)).arg(distance(0))));
    }
};

LOCKSCOPE_TEST(tst_Seeing)

} // namespace tst_Seeing
#include "tst_Seeing.moc"
