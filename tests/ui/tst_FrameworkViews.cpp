// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Locks of frameworks in the tables and drawings of the window: their owner, and what is not read of them.

#include "core/report/Writer.h"
#include "tests/ui/FrameworkDesk.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/models/TableExport.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/blocking/BlockingGraphView.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/overview/OverviewPage.h"

namespace tst_FrameworkViews {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

class tst_FrameworkViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_desk.emplace(); }
    void cleanup() { m_desk.reset(); }

    void badgesCanBeRead()
    {
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            const QPalette palette = theme::paletteOf(mode);
            const ThemeColors& colors = theme::colors(palette);
            for (const bool faded : {false, true}) {
                const BadgeColors badge = badgeColors(palette, faded);
                // On a transparent badge the ink stands on what is below it.
                for (const QColor& ground :
                    {palette.color(QPalette::Base), palette.color(QPalette::AlternateBase),
                        palette.color(QPalette::Window), colors.card, colors.amberFill, colors.redFill}) {
                    const QColor below = badge.fill.alpha() == 0 ? ground : badge.fill;
                    if (!faded || (ground != colors.amberFill && ground != colors.redFill)) {
                        QVERIFY2(contrast(badge.ink, below) >= 4.5, qPrintable(ground.name()));
                        QVERIFY2(contrast(badge.frame, ground)
                                >= (ground == colors.amberFill || ground == colors.redFill ? 2.5 : 3.0),
                            qPrintable(u"%1 on %2"_s.arg(badge.frame.name(), ground.name())));
                    }
                }
            }
            QVERIFY(contrast(badgeColorsOn(palette.color(QPalette::HighlightedText)).ink,
                        palette.color(QPalette::Highlight))
                >= 4.5);
        }
    }

    void locksSayWhoseTheyAre()
    {
        LocksModel model(m_desk->context);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.showSnapshot(migration().take());
        COMPARE_TEXTS(column(model, LocksModel::FrameworkColumn), "Prisma", "Prisma", "Prisma", "");
        QCOMPARE(column(model, LocksModel::FrameworkLock).first(), u"migrate"_s);
        const QModelIndex cell = model.index(0, LocksModel::FrameworkColumn);
        QCOMPARE(cell.data(TableModel::BadgeRole), QVariant(true));
        QVERIFY(cell.data(Qt::AccessibleDescriptionRole).toString().contains(u"key 72707369 is Prisma's"_s));
        QVERIFY(cell.data(Qt::ToolTipRole).toString().contains(u"one prisma migrate run"_s));
        QVERIFY(!model.index(3, LocksModel::FrameworkColumn).data(TableModel::BadgeRole).isValid());
        QVERIFY(!cell.siblingAtColumn(LocksModel::ResourceName).data(TableModel::BadgeRole).isValid());
        QCOMPARE(model.frameworkAt(0), prismaMatch());
        QCOMPARE(model.frameworkAt(3), nullptr);

        // Recognised a poll later: the rows change, none comes or goes.
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        QSignalSpy gone(&model, &QAbstractItemModel::rowsRemoved);
        SnapshotBuilder later = migration(true, 2);
        later.belongs("public.orders", liquibaseMatch());
        model.showSnapshot(later.take());
        QCOMPARE(column(model, LocksModel::FrameworkColumn).last(), u"Liquibase"_s);
        QCOMPARE(resets.count() + gone.count(), 0);
    }

    void whatIsNotCertainHasAQuestionMark()
    {
        LocksModel model(m_desk->context);
        model.showSnapshot(migration(false).take());
        const QModelIndex cell = model.index(0, LocksModel::FrameworkColumn);
        QCOMPARE(cell.data().toString(), u"Prisma?"_s);
        QCOMPARE(cell.data(TableModel::BadgeRole), QVariant(false));
        QVERIFY(cell.data(Qt::AccessibleDescriptionRole).toString().startsWith(u"Probably of Prisma"_s));
        FrameworkBadge badge;
        badge.say(prismaMatch(false));
        QCOMPARE(badge.accessibleName(), u"Prisma?"_s);
        QVERIFY(badge.accessibleDescription().contains(u"another program"_s));
        // A dashed frame is another picture than a whole one.
        const auto picture = [](bool isCertain) {
            QImage image(90, 24, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintBadge(painter, image.rect(), u"Prisma"_s, isCertain, badgeColors(QPalette()));
            return image;
        };
        QVERIFY(picture(true) != picture(false));
    }

    void locksAreFilteredAndGrouped()
    {
        LocksPage page(m_desk->context);
        page.findChild<QComboBox*>()->setCurrentIndex(int(LockGrouping::None));
        page.showSnapshot(migration().take());
        const QAbstractItemModel& model = *page.view().model();
        QCOMPARE(model.rowCount(), 4);
        page.setFilter(u"framework:prisma"_s);
        QCOMPARE(model.rowCount(), 3);
        page.setFilter(u"-framework:=Prisma"_s);
        QCOMPARE(model.rowCount(), 1);
        page.setFilter({});
        auto* grouping = page.findChild<QComboBox*>();
        grouping->setCurrentText(u"By framework"_s);
        COMPARE_TEXTS(column(model, LocksModel::Group).filter(QRegularExpression(u"."_s)), "Prisma",
            "No framework is known");
        QCOMPARE(model.rowCount(), 6);
        QCOMPARE(cell(model, 0, LocksModel::State), u"1 hold, 2 wait"_s);
        // Among resources of several frameworks the head of a session's or mode's group is nobody's.
        grouping->setCurrentText(u"By session"_s);
        QVERIFY(column(model, LocksModel::FrameworkColumn).first().isEmpty());
    }

    void whatIsCopiedHasTheFramework()
    {
        LocksPage page(m_desk->context);
        page.showSnapshot(migration(false).take());
        const QAbstractItemModel& model = *page.view().model();
        const QList<int> columns = page.view().visibleColumns();
        const report::Report copied{
            .sections = {sectionOf(page.view().tableModel(), allRows(model), columns)}};
        VERIFY_CONTAINS(rendered(copied, report::Form::Csv), u",Prisma? migrate,migrate,"_s);
        VERIFY_CONTAINS(rendered(copied, report::Form::Markdown), u"| Framework | Its name |"_s);
        QVERIFY(rowsAsText(allRows(model), columns).contains(u"\tPrisma?\tmigrate\t"_s));
        LockTablePage table(m_desk->context);
        table.showSnapshot(rows().take());
        const QString csv = table.view().toCsv();
        VERIFY_CONTAINS(csv, u",Liquibase,gone,\"%1\",,"_s.arg(killed));
        VERIFY_CONTAINS(csv, u",2026-11-21 02:59:12.5"_s);
    }

    void columnsComeWithTheFirstLockAndStay()
    {
        LocksPage page(m_desk->context);
        const auto isShown = [&page] {
            return page.view().visibleColumns().contains(LocksModel::FrameworkColumn);
        };
        QVERIFY(!isShown());
        SnapshotBuilder plain;
        plain.session(80, "web");
        plain.holds(80, "public.orders", "RowExclusiveLock", 5);
        page.showSnapshot(plain.take());
        QVERIFY(!isShown());
        page.showSnapshot(migration().take());
        QVERIFY(isShown());
        page.showSnapshot(plain.take());
        QVERIFY(isShown());
        page.showSnapshot(nullptr);
        QVERIFY(!isShown());
        LockTablePage table(m_desk->context);
        table.showSnapshot(SnapshotBuilder().take());
        QVERIFY(!table.view().visibleColumns().contains(LockTableModel::LifeColumn));
        table.showSnapshot(rows().take());
        QVERIFY(table.view().visibleColumns().contains(LockTableModel::LifeColumn));
    }

    /// Beside the detail, in the smallest window, too.
    void whoseLockItIsGoesLast()
    {
        for (const int width : {1'080, 840, 580}) {
            LockTablePage table(m_desk->context);
            table.resize(width, 500);
            table.show();
            table.showSnapshot(rows().take());
            QTRY_VERIFY(table.view().columnWidth(LockTableModel::Name) > 0);
            QVERIFY2(table.view().visibleColumns().contains(LockTableModel::FrameworkColumn),
                qPrintable(QString::number(width)));
            QVERIFY(table.view().visibleColumns().contains(LockTableModel::AgeColumn));
        }
    }

    void rowsTellHolderAndTimes()
    {
        LockTableModel model(m_desk->context);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.showSnapshot(rows().take());
        COMPARE_TEXTS(column(model, LockTableModel::FrameworkColumn), "", "Liquibase", "ShedLock");
        COMPARE_TEXTS(column(model, LockTableModel::LifeColumn), "", "gone", "unknown");
        QCOMPARE(column(model, LockTableModel::EvidenceColumn), (QStringList{QString(), killed, QString()}));
        QCOMPARE(model.index(1, LockTableModel::LifeColumn).data(Qt::ToolTipRole).toString(),
            u"gone: "_s + killed + u' ' + overturns);
        QCOMPARE(cell(model, 1, LockTableModel::OwnerColumn), u"build-7 (10.0.0.7)"_s);
        // A client's local time is shown as it is stored, and nothing is computed with it.
        QCOMPARE(cell(model, 1, LockTableModel::AgeColumn), u"2026-11-21 02:59"_s);
        QCOMPARE(cell(model, 1, LockTableModel::Acquired), u"2026-11-21 02:59:12.5"_s);
        QCOMPARE(cell(model, 1, LockTableModel::Lease), u"no end"_s);
        QCOMPARE(cell(model, 2, LockTableModel::AgeColumn), u"30 s"_s);
        QVERIFY(model.index(1, LockTableModel::Name).data(TableModel::RowToneRole).isValid());
        QVERIFY(!model.index(2, LockTableModel::Name).data(TableModel::RowToneRole).isValid());
        QVERIFY(model.index(1, LockTableModel::FrameworkColumn).data(TableModel::RowToneRole).isValid());
    }

    void onlyWhatMayBeFreedIsPurged()
    {
        LockTableModel model(m_desk->context);
        SnapshotBuilder s = rows();
        s.entry("old", "bob").lease(60, 90);
        s.entry("import", "").of(shedLockMatch(), "app.shedlock", "app01").lease(60, 90);
        // One that says when it ends, by a clock that can be reckoned with, and compares it.
        FrameworkLock lease = liquibaseLock();
        lease.row.expires = FrameworkTime{u"until"_s, {{Engine::Postgres, FrameworkClock::Utc}}};
        lease.row.compare << u"until"_s;
        s.entry("cache", "").of(madeMatch(u"Laravel"_s, lease), "app.cache_locks", "app01").lease(60, 90);
        model.showSnapshot(s.take());
        QCOMPARE(column(model, LockTableModel::State).filter(u"stale"_s).size(), 3);
        QCOMPARE(model.staleCount(), 2);
    }

    void treeAndDrawingNameTheFramework()
    {
        BlockingPage page(m_desk->context);
        page.resize(1'000, 700);
        page.show();
        page.showSnapshot(migration().take());
        const auto* tree = page.findChild<QTreeView*>(u"blockingTree"_s);
        QVERIFY(!tree->isColumnHidden(BlockingTreeModel::FrameworkColumn));
        const QModelIndex head = tree->model()->index(0, BlockingTreeModel::FrameworkColumn);
        QCOMPARE(head.data().toString(), u"Prisma"_s);
        QCOMPARE(head.data(TableModel::BadgeRole), QVariant(true));
        QVERIFY(tree->model()
                    ->index(0, BlockingTreeModel::WhatColumn)
                    .data()
                    .toString()
                    .contains(u"Prisma migrate"_s));
        bool isDrawn = false;
        for (const QGraphicsItem* item : page.findChild<BlockingGraphView*>()->items()) {
            if (const auto* node = dynamic_cast<const GraphNode*>(item);
                node && node->row().key.id.value == 51) {
                isDrawn = true;
                QCOMPARE(node->linesAt(1).first(), u"51 Prisma"_s);
                QVERIFY(node->toolTip().contains(u"key 72707369"_s));
            }
        }
        QVERIFY(isDrawn);
        page.setFilter(u"framework:prisma"_s);
        QCOMPARE(tree->model()->rowCount(), 1);
        QCOMPARE(chapterOf(*tree), frameworkChapter(u"prisma"_s));
        page.setFilter(u"framework:quartz"_s);
        QCOMPARE(tree->model()->rowCount(), 0);
    }

    void theListsOfTheOverviewHaveBadges()
    {
        OverviewPage page(m_desk->context);
        page.resize(1'280, 800);
        page.show();
        page.showSnapshot(migration().take());
        int shownCount = 0;
        for (const auto* row : page.findChildren<QAbstractButton*>())
            shownCount += row->isVisible() && row->accessibleName().startsWith(u"Prisma: "_s) ? 1 : 0;
        QCOMPARE(shownCount, 3); // one lock, two waits
    }

    void tablesOfOthersAreReportedAndReadOnRequest()
    {
        LockTablePage page(m_desk->context);
        page.resize(900, 500);
        page.show();
        page.showSnapshot(rows().take());
        const auto* notice = page.findChild<NoticeBar*>();
        QVERIFY(notice->text().isEmpty());
        SnapshotBuilder s = rows();
        const UnreadTable table = unreadTable(
            liquibaseMatch(), u"databasechangeloglock"_s, u"mallory"_s, u"mallory is no administrator."_s);
        s.unread(table).unread(unreadTable(shedLockMatch(), u"shedlock"_s, u"mallory"_s));
        page.showSnapshot(s.take());
        for (const QString& message : {u"other.databasechangeloglock"_s, u"Liquibase"_s,
                 u"belongs to mallory"_s, u"no administrator"_s, u"another one like it"_s})
            VERIFY_CONTAINS(notice->text(), message);
        QSignalSpy asked(&page, &LockTablePage::readRequested);
        auto* button = notice->findChild<QPushButton*>(u"noticeAction"_s);
        QCOMPARE(button->text(), u"Read it…"_s);
        button->click();
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first().first().value<UnreadTable>(), table);
        keepPicture(page, u"framework-unread"_s);
        // Allowed, and not read all the same: there is nothing left to allow.
        db::ServerProfile profile;
        profile.approvedTables = {{table.schema, table.table, table.owner}};
        m_desk->context.setServer(profile, nullptr, nullptr);
        page.showSnapshot(s.take());
        VERIFY_CONTAINS(notice->text(), u"other.shedlock"_s); // the other one may be
        QCOMPARE(button->text(), u"Read it…"_s);
        QVERIFY(button->isVisible());
        profile.approvedTables.append({u"other"_s, u"shedlock"_s, u"mallory"_s});
        m_desk->context.setServer(profile, nullptr, nullptr);
        page.showSnapshot(s.take());
        QVERIFY(notice->text().contains(u"other.databasechangeloglock"_s));
        QVERIFY(!button->isVisible());
    }

    void whatRowSecurityHidesIsNotOffered()
    {
        LockTablePage page(m_desk->context);
        page.resize(900, 500);
        page.show();
        SnapshotBuilder s = rows();
        UnreadTable hidden = unreadTable(
            liquibaseMatch(), u"databasechangeloglock"_s, u"mallory"_s, u"It has row security."_s);
        hidden.canBeApproved = false;
        s.unread(hidden);
        page.showSnapshot(s.take());
        const auto* notice = page.findChild<NoticeBar*>();
        const auto* button = notice->findChild<QPushButton*>(u"noticeAction"_s);
        QVERIFY(notice->text().contains(u"row security"_s));
        QVERIFY(!button->isVisible());
        // It is not before one that can be allowed either.
        s.unread(unreadTable(shedLockMatch(), u"shedlock"_s, u"ann"_s));
        page.showSnapshot(s.take());
        VERIFY_CONTAINS(notice->text(), u"other.shedlock"_s);
        QVERIFY(button->isVisible());
    }

    void whereNotAllIsReadNobodySaysThatNothingIsLocked()
    {
        LockTablePage page(m_desk->context);
        page.showSnapshot(SnapshotBuilder().take());
        QCOMPARE(page.view().emptyTitle(), u"No name is locked"_s);
        SnapshotBuilder closed;
        closed.limitation(Limitation::Kind::MissingPermission,
            "The table public.shedlock (ShedLock) can't be read by this role.", "GRANT …");
        page.showSnapshot(closed.take());
        QCOMPARE(page.view().emptyTitle(), u"No row is seen"_s);
        SnapshotBuilder stranger;
        stranger.unread(unreadTable(shedLockMatch(), u"shedlock"_s, u"mallory"_s));
        page.showSnapshot(stranger.take());
        QCOMPARE(page.view().emptyTitle(), u"No row is seen"_s);
    }

    void picturesOfAllSizes()
    {
        SnapshotBuilder s = migration();
        s.entry("nightly", "ann").lease(600, 60);
        s.entry("changelog lock", "")
            .of(liquibaseMatch(), "app.databasechangeloglock", "build-7 (10.0.0.7)",
                {HolderLife::Verdict::Gone, {killed}, overturns})
            .stored({u"1"_s, u"true"_s, u"2026-11-21 02:59:12.5"_s, u"build-7 (10.0.0.7)"_s});
        s.entry("report", "").of(shedLockMatch(), "app.shedlock", "app01", {}).lease(60, 30);
        const SnapshotPtr snapshot = s.take();
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            theme::apply(*qApp, mode);
            for (const QSize& size : {QSize(800, 560), QSize(1'000, 660), QSize(1'600, 940)}) {
                LocksPage locks(m_desk->context);
                LockTablePage table(m_desk->context);
                BlockingPage blocking(m_desk->context);
                OverviewPage overview(m_desk->context);
                for (Page* page : std::initializer_list<Page*>{&locks, &table, &blocking, &overview}) {
                    page->resize(size);
                    page->show();
                    page->showSnapshot(snapshot);
                    QCoreApplication::processEvents();
                    keepPicture(*page,
                        u"framework-%1-%2-%3"_s.arg(page->id()).arg(size.width()).arg(themeModeName(mode)));
                }
                // The name is read whole, or the column has given way to what is locked.
                const auto* view = &locks.view();
                const int at = view->columnWidth(LocksModel::FrameworkColumn);
                QVERIFY(view->isColumnHidden(LocksModel::FrameworkColumn)
                        ? size.width() < 1'600
                        : at >= badgeWidth(u"Prisma"_s, view->fontMetrics()));
            }
        }
        theme::apply(*qApp, ThemeMode::Light);
    }

private:
    std::optional<FrameworkDesk> m_desk;
};

LOCKSCOPE_TEST(tst_FrameworkViews)

} // namespace tst_FrameworkViews
#include "tst_FrameworkViews.moc"
