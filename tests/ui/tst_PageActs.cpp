// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The pages of tables: the texts of their rows, the acts on them, and the texts of the dialogs before.

#include "core/admin/ServerAdminClient.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotNames.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/ui/Desk.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/audit/AuditPage.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/detail/DetailText.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_PageActs {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

class tst_PageActs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(*qApp, ThemeMode::Light); }

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
            return admin::AuditRecord{.id = id,
                .at = SnapshotBuilder::start(),
                .who = u"ann"_s,
                .from = u"desk4"_s,
                .act = u"release"_s,
                .target = u"nightly"_s,
                .reason = u"OPS-%1"_s.arg(id),
                .before = u"{}"_s,
                .outcome = u"done"_s};
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

LOCKSCOPE_TEST(tst_PageActs)

} // namespace tst_PageActs
#include "tst_PageActs.moc"
