// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the window says of one lock of a framework: in the banner, the detail and the dialogs.

#include "tests/ui/FrameworkDesk.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/overview/HeadBlockerBanner.h"

namespace tst_FrameworkDetail {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

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

class tst_FrameworkDetail : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_desk.emplace(); }
    void cleanup() { m_desk.reset(); }

    /// Only a verdict that the server proves is red; in the row, in the detail and in the dialog.
    void eachVerdictHasItsColourAndItsText_data()
    {
        using Verdict = HolderLife::Verdict;
        addColumns<Verdict, Tone, AgeLevel, QString, QString>("verdict", "tone", "level", "remedy", "risk");
        row("works", Verdict::Works, Tone::Good, AgeLevel::Normal, "let it finish",
            "Its holder works, and is not asked");
        row("silent", Verdict::Silent, Tone::Amber, AgeLevel::Amber, "which may be its settings",
            "if it still works, its job runs twice");
        row("gone", Verdict::Gone, Tone::Red, AgeLevel::Red, "Nobody gives it back: release it", QString());
        row("unknown", Verdict::Unknown, Tone::Muted, AgeLevel::Normal, "is unknown",
            "if it still does, its job runs twice");
    }
    void eachVerdictHasItsColourAndItsText()
    {
        using Verdict = HolderLife::Verdict;
        FETCH(const Verdict, verdict, const QString, remedy, const QString, risk);
        SnapshotBuilder s;
        const QString evidence = u"That is how it is known."_s;
        s.entry("changelog lock", "")
            .of(liquibaseMatch(), "app.databasechangeloglock", "build-7",
                {verdict, {evidence}, u"That would overturn it."_s});
        const SnapshotPtr snapshot = s.take();
        LockTableModel model(m_desk->context);
        model.showSnapshot(snapshot);
        QTEST(model.index(0, LockTableModel::LifeColumn).data(TableModel::ToneRole).value<Tone>(), "tone");
        QCOMPARE(cell(model, 0, LockTableModel::EvidenceColumn), evidence);
        const DetailText text = detailOf(changelogLock, *snapshot, {});
        VERIFY_CONTAINS(text.remedy, remedy);
        QCOMPARE(text.remedy.contains(u"Nobody gives it back"_s), verdict == Verdict::Gone);
        QVERIFY(text.toPlainText().contains(evidence));
        QTEST(text.level, "level");
        const DangerText danger = describeRelease(snapshot->entries[0], snapshot.get(), snapshot->takenAt);
        QVERIFY(std::ranges::any_of(
            danger.facts, [&](const DangerText::Fact& fact) { return fact.value.contains(evidence); }));
        QCOMPARE(danger.consequences.join(u' ').contains(u"runs twice"_s), verdict != Verdict::Gone);
        QVERIFY(danger.consequences.join(u' ').contains(risk));
        HeadBlockerBanner banner(m_desk->context);
        banner.say(snapshot, {});
        QCOMPARE(banner.findChild<QLabel*>(u"headTitle"_s)->text().contains(u"is gone"_s),
            verdict == Verdict::Gone);
    }

    void theBannerSaysWhoRunsIt()
    {
        HeadBlockerBanner banner(m_desk->context);
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
        named.belongs("public.orders", prismaMatch());
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
        s.holds(51, prismaKey, "ExclusiveLock", 720, true, ResourceKind::ApplicationLock);
        s.holds(51, "public.orders", "AccessExclusiveLock", 60);
        s.waits(63, "public.orders", "RowExclusiveLock", 40);
        s.belongs(prismaKey, prismaMatch());
        HeadBlockerBanner banner(m_desk->context);
        banner.say(s.take(), {});
        QVERIFY(
            banner.findChild<QLabel*>(u"headTitle"_s)->text().startsWith(u"Session 51 (prisma) blocks 1"_s));
        QVERIFY(banner.accessibleName().contains(u"It holds Prisma migrate besides."_s));
    }

    void theBannerTellsOfARowLeftBehind()
    {
        HeadBlockerBanner banner(m_desk->context);
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
        QCOMPARE(asked.first().first().value<LockTableKey>(), changelogLock);
        // A blocker of a session goes before that.
        SnapshotBuilder s = migration();
        s.entry("changelog lock", "")
            .of(liquibaseMatch(), "app.l", "build-7", {HolderLife::Verdict::Gone, {killed}, {}});
        banner.say(s.take(), {});
        QVERIFY(banner.findChild<QLabel*>(u"headTitle"_s)->text().startsWith(u"Prisma"_s));
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
        const DetailText text = detailOf(changelogLock, *snapshot, {});
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
        AppContext context(m_desk->settings);
        ActRunner runner(context, &window);
        QSignalSpy refused(&runner, &ActRunner::refused);
        runner.run(ReleaseEntryAction{entry});
        QCOMPARE(refused.count(), 1);
        QVERIFY(!window.findChild<DangerDialog*>());
    }

    void theCommandOfTheFrameworkIsCopied()
    {
        DetailPane pane(m_desk->context);
        pane.resize(360, 900);
        pane.show();
        pane.showSnapshot(rows().take());
        auto* copy = pane.findChild<QPushButton*>(u"copyVendorCommand"_s);
        QVERIFY(!copy->isVisible());
        pane.setSubject(changelogLock);
        QVERIFY(copy->isVisible());
        QVERIFY(copy->toolTip().contains(u"Frees it whoever holds it."_s));
        copy->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), u"liquibase release-locks"_s);
        QVERIFY(pane.findChild<FrameworkBadge*>()->isVisible());
        keepPicture(pane, u"framework-detail"_s);
        // In the narrowest pane nothing is cut at its edge.
        pane.resize(pane.minimumWidth(), 900);
        const auto* area = pane.findChild<QScrollArea*>();
        QTRY_COMPARE(area->widget()->width(), area->viewport()->width());
        keepPicture(pane, u"framework-detail-narrow"_s);
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
        auto* pane = new DetailPane(m_desk->context, &window);
        pane->showSnapshot(rows().take());
        pane->setSubject(changelogLock);
        auto* more = pane->findChild<QPushButton*>(u"readMore"_s);
        QCOMPARE(more->text(), u"Read more about Liquibase"_s);
        more->click();
        QCOMPARE(helper.chapter, u"framework-liquibase.md"_s);
        QCOMPARE(chapterOf(*more), u"framework-liquibase.md"_s);
        LockTablePage page(m_desk->context);
        page.showSnapshot(rows().take());
        page.show();
        QCOMPARE(chapterOf(page.view()), u"lock-table.md"_s);
        page.view().selectRow(1);
        QCOMPARE(chapterOf(page.view()), u"framework-liquibase.md"_s);
        page.view().selectRow(0);
        QCOMPARE(chapterOf(page.view()), u"lock-table.md"_s);
        LocksPage locks(m_desk->context);
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
        DangerDialog dialog(m_desk->settings);
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
        keepPicture(dialog, u"framework-danger"_s);
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

private:
    std::optional<FrameworkDesk> m_desk;
};

LOCKSCOPE_TEST(tst_FrameworkDetail)

} // namespace tst_FrameworkDetail
#include "tst_FrameworkDetail.moc"
