// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Locks of frameworks in the window: their owner, in tables, drawing, banner, detail and dialogs.

#include "core/report/Writer.h"
#include "tests/support/MadeFrameworks.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/models/TableExport.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/blocking/BlockingGraphView.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/overview/HeadBlockerBanner.h"
#include "ui/views/overview/OverviewPage.h"

namespace tst_FrameworkViews {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

const char* const key = "advisory lock 72707369";
const QString killed = u"Session 51 (app, JDBC) from build-7 ended while it was watched."_s;
const QString overturns = u"A session of that program from build-7 would overturn this."_s;

static FrameworkMatchPtr prisma(bool isCertain = true)
{
    static const FrameworkMatchPtr certain = test::madeMatch(u"Prisma"_s, test::prismaLock());
    static const FrameworkMatchPtr likely = test::madeMatch(u"Prisma"_s, test::prismaLock(), false);
    return isCertain ? certain : likely;
}

static FrameworkMatchPtr liquibase()
{
    static const FrameworkMatchPtr match = test::madeMatch(u"Liquibase"_s, test::liquibaseLock());
    return match;
}

static FrameworkMatchPtr shedLock()
{
    static const FrameworkMatchPtr match =
        test::madeMatch(u"ShedLock"_s, test::shedLock(), true, u"report"_s);
    return match;
}

/// Prisma migrates and two others wait for it; a web session holds something else.
static SnapshotBuilder migration(bool isCertain = true, int secondsLater = 0)
{
    SnapshotBuilder s(secondsLater);
    s.session(51, "prisma").idle().user("ci", "build-7");
    s.sessions({{63, "prisma"}, {70, "prisma"}, {80, "web"}});
    s.holds(51, key, "ExclusiveLock", 720, true, ResourceKind::ApplicationLock);
    s.waits(63, key, "ExclusiveLock", 130, ResourceKind::ApplicationLock);
    s.waits(70, key, "ExclusiveLock", 90, ResourceKind::ApplicationLock);
    s.holds(80, "public.orders", "RowExclusiveLock", 5);
    s.belongs(key, prisma(isCertain));
    return s;
}

static SnapshotBuilder rows()
{
    SnapshotBuilder s;
    s.entry("nightly", "ann").lease(600, 60);
    s.entry("changelog lock", "")
        .of(liquibase(), "app.databasechangeloglock", "build-7 (10.0.0.7)",
            {HolderLife::Verdict::Gone, {killed}, overturns})
        .stored({u"1"_s, u"true"_s, u"2026-11-21 02:59:12.5"_s, u"build-7 (10.0.0.7)"_s});
    s.entry("report", "").of(shedLock(), "app.shedlock", "app01", {}).lease(60, 30);
    return s;
}

/// Takes the requests for help.
class Helper : public QObject {
public:
    QString chapter;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != HelpRequest::eventType())
            return QObject::eventFilter(watched, event);
        event->accept();
        chapter = static_cast<HelpRequest*>(event)->chapter();
        return true;
    }
};

class tst_FrameworkViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_settings = std::make_unique<QSettings>(m_folder->filePath(u"s.ini"_s), QSettings::IniFormat);
        m_context = std::make_unique<AppContext>(*m_settings);
        m_context->noteSnapshot(*SnapshotBuilder().take());
        m_context->setClockStopped(true);
    }
    void cleanup()
    {
        m_context.reset();
        m_settings.reset();
        m_folder.reset();
    }

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
        LocksModel model(*m_context);
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
        QCOMPARE(model.frameworkAt(0), prisma());
        QCOMPARE(model.frameworkAt(3), nullptr);

        // Recognised a poll later: the rows change, none comes or goes.
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        QSignalSpy gone(&model, &QAbstractItemModel::rowsRemoved);
        SnapshotBuilder later = migration(true, 2);
        later.belongs("public.orders", liquibase());
        model.showSnapshot(later.take());
        QCOMPARE(column(model, LocksModel::FrameworkColumn).last(), u"Liquibase"_s);
        QCOMPARE(resets.count() + gone.count(), 0);
    }

    void whatIsNotCertainHasAQuestionMark()
    {
        LocksModel model(*m_context);
        model.showSnapshot(migration(false).take());
        const QModelIndex cell = model.index(0, LocksModel::FrameworkColumn);
        QCOMPARE(cell.data().toString(), u"Prisma?"_s);
        QCOMPARE(cell.data(TableModel::BadgeRole), QVariant(false));
        QVERIFY(cell.data(Qt::AccessibleDescriptionRole).toString().startsWith(u"Probably of Prisma"_s));
        FrameworkBadge badge;
        badge.say(prisma(false));
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
        LocksPage page(*m_context);
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
        LocksPage page(*m_context);
        page.showSnapshot(migration(false).take());
        const QAbstractItemModel& model = *page.view().model();
        const QList<int> columns = page.view().visibleColumns();
        const report::Report copied{
            .sections = {sectionOf(page.view().tableModel(), allRows(model), columns)}};
        VERIFY_CONTAINS(rendered(copied, report::Form::Csv), u",Prisma? migrate,migrate,"_s);
        VERIFY_CONTAINS(rendered(copied, report::Form::Markdown), u"| Framework | Its name |"_s);
        QVERIFY(rowsAsText(allRows(model), columns).contains(u"\tPrisma?\tmigrate\t"_s));
        LockTablePage table(*m_context);
        table.showSnapshot(rows().take());
        const QString csv = table.view().toCsv();
        VERIFY_CONTAINS(csv, u",Liquibase,gone,\"%1\",,"_s.arg(killed));
        VERIFY_CONTAINS(csv, u",2026-11-21 02:59:12.5"_s);
    }

    void columnsComeWithTheFirstLockAndStay()
    {
        LocksPage page(*m_context);
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
        LockTablePage table(*m_context);
        table.showSnapshot(SnapshotBuilder().take());
        QVERIFY(!table.view().visibleColumns().contains(LockTableModel::LifeColumn));
        table.showSnapshot(rows().take());
        QVERIFY(table.view().visibleColumns().contains(LockTableModel::LifeColumn));
    }

    /// Beside the detail, in the smallest window, too.
    void whoseLockItIsGoesLast()
    {
        for (const int width : {1'080, 840, 580}) {
            LockTablePage table(*m_context);
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
        LockTableModel model(*m_context);
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

    /// Only a verdict that the server proves is red; in the row, in the detail and in the dialog.
    void eachVerdictHasItsColourAndItsText_data()
    {
        using Verdict = HolderLife::Verdict;
        test::addColumns<Verdict, Tone, AgeLevel, QString, QString>(
            "verdict", "tone", "level", "remedy", "risk");
        test::row("works", Verdict::Works, Tone::Good, AgeLevel::Normal, "let it finish",
            "Its holder works, and is not asked");
        test::row("silent", Verdict::Silent, Tone::Amber, AgeLevel::Amber, "which may be its settings",
            "if it still works, its job runs twice");
        test::row(
            "gone", Verdict::Gone, Tone::Red, AgeLevel::Red, "Nobody gives it back: release it", QString());
        test::row("unknown", Verdict::Unknown, Tone::Muted, AgeLevel::Normal, "is unknown",
            "if it still does, its job runs twice");
    }
    void eachVerdictHasItsColourAndItsText()
    {
        using Verdict = HolderLife::Verdict;
        FETCH(const Verdict, verdict, const QString, remedy, const QString, risk);
        SnapshotBuilder s;
        const QString evidence = u"That is how it is known."_s;
        s.entry("changelog lock", "")
            .of(liquibase(), "app.databasechangeloglock", "build-7",
                {verdict, {evidence}, u"That would overturn it."_s});
        const SnapshotPtr snapshot = s.take();
        LockTableModel model(*m_context);
        model.showSnapshot(snapshot);
        QTEST(model.index(0, LockTableModel::LifeColumn).data(TableModel::ToneRole).value<Tone>(), "tone");
        QCOMPARE(cell(model, 0, LockTableModel::EvidenceColumn), evidence);
        const DetailText text =
            detailOf(LockTableKey{u"app.databasechangeloglock"_s, u"changelog lock"_s}, *snapshot, {});
        VERIFY_CONTAINS(text.remedy, remedy);
        QCOMPARE(text.remedy.contains(u"Nobody gives it back"_s), verdict == Verdict::Gone);
        QVERIFY(text.toPlainText().contains(evidence));
        QTEST(text.level, "level");
        const DangerText danger = describeRelease(snapshot->entries[0], snapshot.get(), snapshot->takenAt);
        QVERIFY(std::ranges::any_of(
            danger.facts, [&](const DangerText::Fact& fact) { return fact.value.contains(evidence); }));
        QCOMPARE(danger.consequences.join(u' ').contains(u"runs twice"_s), verdict != Verdict::Gone);
        QVERIFY(danger.consequences.join(u' ').contains(risk));
        HeadBlockerBanner banner(*m_context);
        banner.say(snapshot, {});
        QCOMPARE(banner.findChild<QLabel*>(u"headTitle"_s)->text().contains(u"is gone"_s),
            verdict == Verdict::Gone);
    }

    void onlyWhatMayBeFreedIsPurged()
    {
        LockTableModel model(*m_context);
        SnapshotBuilder s = rows();
        s.entry("old", "bob").lease(60, 90);
        s.entry("import", "").of(shedLock(), "app.shedlock", "app01").lease(60, 90);
        // One that says when it ends, by a clock that can be reckoned with, and compares it.
        FrameworkLock lease = test::liquibaseLock();
        lease.row.expires =
            FrameworkTime{u"until"_s, {{Engine::Postgres, FrameworkClock::Utc}}, milliseconds(0)};
        lease.row.compare << u"until"_s;
        s.entry("cache", "")
            .of(test::madeMatch(u"Laravel"_s, lease), "app.cache_locks", "app01")
            .lease(60, 90);
        model.showSnapshot(s.take());
        QCOMPARE(column(model, LockTableModel::State).filter(u"stale"_s).size(), 3);
        QCOMPARE(model.staleCount(), 2);
    }

    void treeAndDrawingNameTheFramework()
    {
        BlockingPage page(*m_context);
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

    void theBannerSaysWhoRunsIt()
    {
        HeadBlockerBanner banner(*m_context);
        banner.resize(1'100, 70);
        banner.show();
        banner.say(migration().take(), {});
        const auto* title = banner.findChild<QLabel*>(u"headTitle"_s);
        QCOMPARE(title->text(), u"Prisma migrate, run by ci@build-7 for 12 min, blocks 2"_s);
        QVERIFY(banner.accessibleName().contains(u"Session 51 (prisma)"_s));
        auto* badge = banner.findChild<FrameworkBadge*>();
        QVERIFY(badge->isVisible());
        banner.say(migration(false).take(), {});
        QVERIFY(title->text().startsWith(u"Prisma? migrate"_s));
        banner.say(SnapshotBuilder().take(), {});
        QVERIFY(!badge->isVisible());
        // The name that others give themselves is no place for our numbers.
        SnapshotBuilder named;
        named.session(51, "%1 %2").idleInTransaction(200).user("%1", "%2");
        named.session(63, "web");
        named.holds(51, "public.orders", "AccessExclusiveLock", 200);
        named.waits(63, "public.orders", "RowExclusiveLock", 130);
        banner.say(named.take(), {});
        VERIFY_STARTS(title->text(), u"Session 51 (%1 %2) blocks 1 for "_s);
        named.belongs("public.orders", prisma());
        banner.say(named.take(), {});
        QVERIFY2(title->text().contains(u"run by %1@%2 for"_s) && title->text().endsWith(u"blocks 1"_s),
            qPrintable(title->text()));
    }

    /// It holds a framework's lock, but others wait for something else.
    void theBannerBlamesNoLockThatIsInNobodysWay()
    {
        SnapshotBuilder s;
        s.session(51, "prisma").idleInTransaction(60).user("ci", "build-7");
        s.session(63, "web");
        s.holds(51, key, "ExclusiveLock", 720, true, ResourceKind::ApplicationLock);
        s.holds(51, "public.orders", "AccessExclusiveLock", 60);
        s.waits(63, "public.orders", "RowExclusiveLock", 40);
        s.belongs(key, prisma());
        HeadBlockerBanner banner(*m_context);
        banner.say(s.take(), {});
        QVERIFY(
            banner.findChild<QLabel*>(u"headTitle"_s)->text().startsWith(u"Session 51 (prisma) blocks 1"_s));
        QVERIFY(banner.accessibleName().contains(u"It holds Prisma migrate besides."_s));
    }

    void theBannerTellsOfARowLeftBehind()
    {
        HeadBlockerBanner banner(*m_context);
        banner.resize(1'100, 70);
        banner.show();
        banner.say(rows().take(), {});
        const QString title = banner.findChild<QLabel*>(u"headTitle"_s)->text();
        QCOMPARE(title,
            u"Liquibase changelog lock is still locked by build-7 (10.0.0.7) since 2026-11-21 02:59:12, whose program is gone"_s);
        VERIFY_CONTAINS(banner.toolTip(), overturns);
        QSignalSpy asked(&banner, &HeadBlockerBanner::entryRequested);
        banner.findChild<QPushButton*>(u"showChain"_s)->click();
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first().first().value<LockTableKey>(),
            (LockTableKey{u"app.databasechangeloglock"_s, u"changelog lock"_s}));
        // A blocker of a session goes before that.
        SnapshotBuilder s = migration();
        s.entry("changelog lock", "")
            .of(liquibase(), "app.l", "build-7", {HolderLife::Verdict::Gone, {killed}, {}});
        banner.say(s.take(), {});
        QVERIFY(banner.findChild<QLabel*>(u"headTitle"_s)->text().startsWith(u"Prisma"_s));
    }

    void theListsOfTheOverviewHaveBadges()
    {
        OverviewPage page(*m_context);
        page.resize(1'280, 800);
        page.show();
        page.showSnapshot(migration().take());
        int shownCount = 0;
        for (const auto* row : page.findChildren<QAbstractButton*>())
            shownCount += row->isVisible() && row->accessibleName().startsWith(u"Prisma: "_s) ? 1 : 0;
        QCOMPARE(shownCount, 3); // one lock, two waits
    }

    void theDetailSaysWhoseLockItIs()
    {
        const SnapshotPtr snapshot = migration().take();
        const DetailText text = detailOf(snapshot->keyOf(snapshot->requests[1]), *snapshot, {});
        const auto found = std::ranges::find_if(text.sections,
            [](const DetailText::Section& section) { return section.heading == u"Whose lock is this"_s; });
        QVERIFY(found != text.sections.end());
        QCOMPARE(std::ranges::count_if(text.sections,
                     [&](const DetailText::Section& section) { return section.heading == found->heading; }),
            1);
        const QString all = text.toPlainText();
        for (const QString& message : {u"Prisma"_s, u"migrate"_s, u"Lets one prisma migrate run at a time."_s,
                 u"When the session that holds it ends."_s, u"session 51 prisma, ci@build-7"_s,
                 u"63 prisma, 70 prisma"_s, u"Behind a pooler"_s, u"key 72707369 is Prisma's"_s})
            QVERIFY2(all.contains(message), qPrintable(message + u" in "_s + all));
        QCOMPARE(text.helpPage, frameworkChapter(u"prisma"_s));
        // Another lock of a session that holds one of a framework is not explained by that one.
        SnapshotBuilder s = migration();
        s.holds(51, "public.orders", "RowExclusiveLock", 5);
        const SnapshotPtr both = s.take();
        QVERIFY(!detailOf(both->keyOf(both->requests.back()), *both, {}).framework);
        QVERIFY(detailOf(both->sessions.front().key(), *both, {}).framework);
        QVERIFY(detailOf(snapshot->keyOf(snapshot->requests.back()), *snapshot, {}).helpPage.isEmpty());
    }

    void theDetailOfARow()
    {
        const SnapshotPtr snapshot = rows().take();
        const DetailText text =
            detailOf(LockTableKey{u"app.databasechangeloglock"_s, u"changelog lock"_s}, *snapshot, {});
        QCOMPARE(text.title, u"Liquibase changelog lock"_s);
        VERIFY_CONTAINS(
            text.state, u"held by build-7 (10.0.0.7) since 2026-11-21 02:59:12.5; its program is gone"_s);
        const QString all = text.toPlainText();
        for (const QString& message :
            {u"gone"_s, killed, u"liquibase release-locks"_s, u"An update that still runs is not stopped."_s,
                u"leaves no trace here"_s, u"2026-11-21 02:59:12.5, by its program's clock"_s})
            QVERIFY2(all.contains(message), qPrintable(message + u" in "_s + all));
        QVERIFY(!all.contains(u"Gives it back"_s));
        QCOMPARE(text.buttons.size(), 1);
        QCOMPARE(text.vendorCommand, u"liquibase release-locks"_s);
    }

    void aRowThatMustNotBeTouchedHasNoButton()
    {
        const SnapshotPtr snapshot = rows().take();
        const DetailText text = detailOf(LockTableKey{u"app.shedlock"_s, u"report"_s}, *snapshot, {});
        QVERIFY(text.buttons.isEmpty());
        VERIFY_CONTAINS(text.remedy, u"Never delete ShedLock's row"_s);
        // Nothing else leads to the dialog either.
        LockTableEntry entry = snapshot->entries.back();
        QVERIFY(!reasonAgainstFreeing(entry).isEmpty());
        QWidget window;
        db::ServerProfile profile;
        profile.url.sandbox = true;
        AppContext context(*m_settings);
        ActRunner runner(context, &window);
        QSignalSpy refused(&runner, &ActRunner::refused);
        runner.run(ReleaseEntryAction{entry});
        QCOMPARE(refused.count(), 1);
        QVERIFY(!window.findChild<DangerDialog*>());
    }

    void theCommandOfTheFrameworkIsCopied()
    {
        DetailPane pane(*m_context);
        pane.resize(360, 900);
        pane.show();
        pane.showSnapshot(rows().take());
        auto* copy = pane.findChild<QPushButton*>(u"copyVendorCommand"_s);
        QVERIFY(!copy->isVisible());
        pane.setSubject(LockTableKey{u"app.databasechangeloglock"_s, u"changelog lock"_s});
        QVERIFY(copy->isVisible());
        QVERIFY(copy->toolTip().contains(u"Frees it whoever holds it."_s));
        copy->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), u"liquibase release-locks"_s);
        QVERIFY(pane.findChild<FrameworkBadge*>()->isVisible());
        test::keepPicture(pane, u"framework-detail"_s);
        // In the narrowest pane nothing is cut at its edge.
        pane.resize(pane.minimumWidth(), 900);
        const auto* area = pane.findChild<QScrollArea*>();
        QTRY_COMPARE(area->widget()->width(), area->viewport()->width());
        test::keepPicture(pane, u"framework-detail-narrow"_s);
        pane.setSubject(LockTableKey{u"app.shedlock"_s, u"report"_s});
        QVERIFY(!copy->isVisible());
        pane.setSubject(LockTableKey{u"lockscope.lock_entry"_s, u"nightly"_s});
        QVERIFY(!pane.findChild<FrameworkBadge*>()->isVisible());
        QVERIFY(!pane.findChild<QPushButton*>(u"readMore"_s)->isVisible());
        // A name of somebody else is no markup.
        SnapshotBuilder s;
        s.entry("<a href='x'>here</a>", "ann").lease(600, 60);
        pane.showSnapshot(s.take());
        pane.setSubject(LockTableKey{u"lockscope.lock_entry"_s, u"<a href='x'>here</a>"_s});
        const auto* title = pane.findChild<QLabel*>(u"detailTitle"_s);
        QVERIFY(title->text().contains(u"<a href='x'>here</a>"_s));
        QCOMPARE(title->textFormat(), Qt::PlainText);
        QCOMPARE(pane.findChild<QLabel*>(u"detailState"_s)->textFormat(), Qt::PlainText);
    }

    void readMoreAndF1OpenItsPage()
    {
        QWidget window;
        Helper helper;
        window.installEventFilter(&helper);
        auto* pane = new DetailPane(*m_context, &window);
        pane->showSnapshot(rows().take());
        pane->setSubject(LockTableKey{u"app.databasechangeloglock"_s, u"changelog lock"_s});
        auto* more = pane->findChild<QPushButton*>(u"readMore"_s);
        QCOMPARE(more->text(), u"Read more about Liquibase"_s);
        more->click();
        QCOMPARE(helper.chapter, u"framework-liquibase.md"_s);
        QCOMPARE(chapterOf(*more), u"framework-liquibase.md"_s);
        LockTablePage page(*m_context);
        page.showSnapshot(rows().take());
        page.show();
        QCOMPARE(chapterOf(page.view()), u"lock-table.md"_s);
        page.view().selectRow(1);
        QCOMPARE(chapterOf(page.view()), u"framework-liquibase.md"_s);
        page.view().selectRow(0);
        QCOMPARE(chapterOf(page.view()), u"lock-table.md"_s);
        LocksPage locks(*m_context);
        locks.showSnapshot(migration().take());
        locks.show();
        locks.view().selectRow(0);
        QCOMPARE(chapterOf(locks.view()), u"framework-prisma.md"_s);
    }

    void theDialogWarnsBeforeTheButton()
    {
        const SnapshotPtr snapshot = rows().take();
        const DangerText text = describeRelease(snapshot->entries[1], snapshot.get(), snapshot->takenAt);
        QCOMPARE(text.title, u"Release Liquibase changelog lock"_s);
        QCOMPARE(text.warning, u"Liquibase: An update that still runs is not stopped."_s);
        VERIFY_CONTAINS(text.consequences.join(u'\n'), u"locked = false, lockedby = NULL"_s);
        QVERIFY(std::ranges::any_of(
            text.facts, [](const DangerText::Fact& fact) { return fact.value == overturns; }));
        DangerDialog dialog(*m_settings);
        dialog.setText(text);
        dialog.show();
        auto* warning = dialog.findChild<NoticeBar*>(u"warning"_s);
        auto* vendor = dialog.findChild<NoticeBar*>(u"vendorCommand"_s);
        QVERIFY(warning->isVisible() && vendor->isVisible());
        QCOMPARE(vendor->copyable(), u"liquibase release-locks"_s);
        QVERIFY(vendor->text().contains(u"Frees it whoever holds it"_s));
        for (const QPushButton* button : dialog.findChildren<QPushButton*>()) {
            if (button->text() == u"Release"_s)
                QVERIFY(warning->mapTo(&dialog, QPoint()).y() < button->mapTo(&dialog, QPoint()).y());
        }
        test::keepPicture(dialog, u"framework-danger"_s);
        // Our own rows have none of that.
        dialog.setText(describeRelease(snapshot->entries[0], snapshot.get(), snapshot->takenAt));
        QVERIFY(!warning->isVisible() && !vendor->isVisible());
    }

    void endingASessionNamesItsLocksAndTheirDanger()
    {
        SnapshotBuilder s = migration();
        s.holds(51, "public.orders", "RowExclusiveLock", 5);
        const SnapshotPtr snapshot = s.take();
        const DangerText text = describeEnd(snapshot->sessions.front(), snapshot.get(), snapshot->takenAt);
        const QString all = text.consequences.join(u'\n');
        VERIFY_CONTAINS(all, u"2 locks are freed: Prisma migrate (advisory lock 72707369), public.orders"_s);
        QCOMPARE(text.warning, u"Prisma: Behind a pooler the session may be one that other clients use."_s);
        const auto fact = std::ranges::find_if(
            text.facts, [](const DangerText::Fact& one) { return one.name == u"It holds"_s; });
        QVERIFY(fact != text.facts.end());
        QCOMPARE(fact->value, u"Prisma migrate"_s);
        // A waiter does not hold it.
        QVERIFY(!describeEnd(snapshot->sessions[1], snapshot.get(), snapshot->takenAt)
                     .warning.contains(u"Prisma"_s));
    }

    void tablesOfOthersAreReportedAndReadOnRequest()
    {
        LockTablePage page(*m_context);
        page.resize(900, 500);
        page.show();
        page.showSnapshot(rows().take());
        const auto* notice = page.findChild<NoticeBar*>();
        QVERIFY(notice->text().isEmpty());
        SnapshotBuilder s = rows();
        const UnreadTable table{liquibase(), u"other"_s, u"databasechangeloglock"_s, u"mallory"_s,
            u"mallory is no administrator."_s};
        s.unread(table).unread({shedLock(), u"other"_s, u"shedlock"_s, u"mallory"_s, {}});
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
        test::keepPicture(page, u"framework-unread"_s);
        // Allowed, and not read all the same: there is nothing left to allow.
        db::ServerProfile profile;
        profile.approvedTables = {{table.schema, table.table, table.owner}};
        m_context->setServer(profile, nullptr, nullptr);
        page.showSnapshot(s.take());
        VERIFY_CONTAINS(notice->text(), u"other.shedlock"_s); // the other one may be
        QCOMPARE(button->text(), u"Read it…"_s);
        QVERIFY(button->isVisible());
        profile.approvedTables.append({u"other"_s, u"shedlock"_s, u"mallory"_s});
        m_context->setServer(profile, nullptr, nullptr);
        page.showSnapshot(s.take());
        QVERIFY(notice->text().contains(u"other.databasechangeloglock"_s));
        QVERIFY(!button->isVisible());
    }

    void whatRowSecurityHidesIsNotOffered()
    {
        LockTablePage page(*m_context);
        page.resize(900, 500);
        page.show();
        SnapshotBuilder s = rows();
        const UnreadTable hidden{liquibase(), u"other"_s, u"databasechangeloglock"_s, u"mallory"_s,
            u"It has row security."_s, false};
        s.unread(hidden);
        page.showSnapshot(s.take());
        const auto* notice = page.findChild<NoticeBar*>();
        const auto* button = notice->findChild<QPushButton*>(u"noticeAction"_s);
        QVERIFY(notice->text().contains(u"row security"_s));
        QVERIFY(!button->isVisible());
        // It is not before one that can be allowed either.
        s.unread({shedLock(), u"other"_s, u"shedlock"_s, u"ann"_s, {}});
        page.showSnapshot(s.take());
        VERIFY_CONTAINS(notice->text(), u"other.shedlock"_s);
        QVERIFY(button->isVisible());
    }

    void whereNotAllIsReadNobodySaysThatNothingIsLocked()
    {
        LockTablePage page(*m_context);
        page.showSnapshot(SnapshotBuilder().take());
        QCOMPARE(page.view().emptyTitle(), u"No name is locked"_s);
        SnapshotBuilder closed;
        closed.limitation(Limitation::Kind::MissingPermission,
            "The table public.shedlock (ShedLock) can't be read by this role.", "GRANT …");
        page.showSnapshot(closed.take());
        QCOMPARE(page.view().emptyTitle(), u"No row is seen"_s);
        SnapshotBuilder stranger;
        stranger.unread({shedLock(), u"other"_s, u"shedlock"_s, u"mallory"_s, {}});
        page.showSnapshot(stranger.take());
        QCOMPARE(page.view().emptyTitle(), u"No row is seen"_s);
    }

    void picturesOfAllSizes()
    {
        SnapshotBuilder s = migration();
        s.entry("nightly", "ann").lease(600, 60);
        s.entry("changelog lock", "")
            .of(liquibase(), "app.databasechangeloglock", "build-7 (10.0.0.7)",
                {HolderLife::Verdict::Gone, {killed}, overturns})
            .stored({u"1"_s, u"true"_s, u"2026-11-21 02:59:12.5"_s, u"build-7 (10.0.0.7)"_s});
        s.entry("report", "").of(shedLock(), "app.shedlock", "app01", {}).lease(60, 30);
        const SnapshotPtr snapshot = s.take();
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            theme::apply(*qApp, mode);
            for (const QSize& size : {QSize(800, 560), QSize(1'000, 660), QSize(1'600, 940)}) {
                LocksPage locks(*m_context);
                LockTablePage table(*m_context);
                BlockingPage blocking(*m_context);
                OverviewPage overview(*m_context);
                for (Page* page : std::initializer_list<Page*>{&locks, &table, &blocking, &overview}) {
                    page->resize(size);
                    page->show();
                    page->showSnapshot(snapshot);
                    QCoreApplication::processEvents();
                    test::keepPicture(*page,
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
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<AppContext> m_context;
};

LOCKSCOPE_TEST(tst_FrameworkViews)

} // namespace tst_FrameworkViews
#include "tst_FrameworkViews.moc"
