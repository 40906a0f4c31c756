// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingReader.h"
#include "tests/support/ScenarioRig.h"
#include "tests/support/Session.h"
#include "tests/ui/Widgets.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/shell/servers/Servers.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/page/TablePage.h"

#include <csignal>

namespace tst_WindowActs {

using namespace lockscope;
using namespace lockscope::ui;
using test::TestServer;

/// Stops processes for as long as this object exists.
class Frozen {
public:
    explicit Frozen(std::vector<qint64> processes)
        : m_processes(std::move(processes))
    {
        for (const qint64 id : m_processes)
            if (::kill(static_cast<pid_t>(id), SIGSTOP) != 0)
                qFatal("can't stop process %lld", static_cast<long long>(id));
    }
    ~Frozen() { thaw(); }
    Q_DISABLE_COPY_MOVE(Frozen)
    void thaw()
    {
        for (const qint64 id : std::exchange(m_processes, {}))
            ::kill(static_cast<pid_t>(id), SIGCONT);
    }

private:
    std::vector<qint64> m_processes;
};

static QString entry(const char* name, const char* owner, const char* lease)
{
    return u"INSERT INTO lockscope.lock_entry (name, token, expires_at, owner, host, program) VALUES ('%1', 'token-%1', clock_timestamp() + interval '%3', '%2', 'app01', 'job');"_s
        .arg(QLatin1String(name), QLatin1String(owner), QLatin1String(lease));
}

static QPushButton* buttonIn(const QWidget* parent, const QString& start)
{
    for (QPushButton* one : parent->findChildren<QPushButton*>()) {
        if (one->isVisible() && one->text().remove(QLatin1Char('&')).startsWith(start))
            return one;
    }
    return nullptr;
}

static QString allText(const QWidget* dialog)
{
    QStringList texts;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) {
        if (label->isVisible())
            texts << label->text();
    }
    return texts.join(QLatin1Char('\n'));
}

/// The window over a real server, as its user has it: by clicks and keys.
class tst_WindowActs : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        m_url = TestServer::shared().freshDatabase();
    }
    void cleanup() { dropAll(); }

    void releasesTheLockThatWasShown()
    {
        TestServer::shared().run(m_url, entry("nightly", "ann", "1 hour") + entry("weekly", "bob", "1 hour"));
        openWindow(m_url, u"lock-table"_s);
        TRY_VERIFY(rowOf(u"nightly"_s) >= 0);
        clickRow(rowOf(u"nightly"_s));
        QTRY_VERIFY(buttonIn(m_window->currentPage(), u"Release…"_s)->isEnabled());

        QTest::keyClick(&view(), Qt::Key_Delete);
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() != nullptr);
        QPointer dialog = m_window->findChild<DangerDialog*>();
        for (const char* description :
            {"Release “nightly”", "ann, job on app01", "toke...", "Nobody waits for it"})
            VERIFY_CONTAINS(allText(dialog), QString::fromUtf8(description));
        QPushButton* act = buttonIn(dialog, u"Release"_s);
        QVERIFY(!act->isEnabled()); // not without a reason
        QTest::keyClicks(dialog->findChild<QComboBox*>()->lineEdit(), u"OPS-17 its host is gone"_s);
        QVERIFY(act->isEnabled());
        QTest::mouseClick(act, Qt::LeftButton);

        QVERIFY2(isDone(dialog), qPrintable(status() + (dialog ? allText(dialog) : QString())));
        TRY_VERIFY(rowOf(u"nightly"_s) < 0);
        QVERIFY(rowOf(u"weekly"_s) >= 0);
        QTRY_VERIFY(dialog.isNull());
        QCOMPARE(count(u"lockscope.audit_log WHERE reason = 'OPS-17 its host is gone'"_s), 1);
        TRY_COMPARE(recordedActs(u"Lock 'nightly' released"_s).size(), 1);
        const record::Event recorded = recordedActs(u"Lock 'nightly' released"_s).first();
        VERIFY_CONTAINS(recorded.detail, u"\"audit_id\":"_s);

        auto* line = child<QLabel>("statusMessage");
        QTest::mouseClick(
            line, Qt::LeftButton, {}, QPoint(line->sizeHint().width() - 20, line->height() / 2));
        QVERIFY2(m_window->currentPage()->id() == u"audit"_s, qPrintable(line->text()));
        TRY_VERIFY(rowOf(u"OPS-17 its host is gone"_s) >= 0);
        QCOMPARE(view().tableModel().rowCount(), 1);
    }

    void afterAnActNoRowIsArmedAndItIsShownWhoHasTheLock()
    {
        TestServer::shared().run(m_url, entry("nightly", "ann", "1 hour") + entry("weekly", "bob", "1 hour"));
        openWindow(m_url, u"lock-table"_s);
        TRY_VERIFY(rowOf(u"nightly"_s) >= 0);
        clickRow(rowOf(u"nightly"_s));
        QTRY_VERIFY(buttonIn(m_window->currentPage(), u"Release…"_s)->isEnabled());
        QTest::keyClick(&view(), Qt::Key_Delete);
        QPointer<DangerDialog> dialog;
        QTRY_VERIFY((dialog = m_window->findChild<DangerDialog*>()));
        QTest::keyClicks(dialog->findChild<QComboBox*>()->lineEdit(), u"OPS-17"_s);
        QTest::mouseClick(buttonIn(dialog, u"Release"_s), Qt::LeftButton);
        auto* done = child<NoticeBar>("doneBar");
        TRY_CONTAINS(done->text(), u"free now"_s);
        QVERIFY(done->isVisible());
        QVERIFY(view().selectionModel()->selectedRows().isEmpty());
        QVERIFY(!buttonIn(m_window->currentPage(), u"Release…"_s)->isEnabled());

        TestServer::shared().run(m_url, entry("nightly", "carol", "1 hour"));
        TRY_CONTAINS(done->text(), u"Now held by carol, job on app01"_s);
        test::keepPicture(*m_window, u"released"_s);
        QTest::mouseClick(done->findChild<QPushButton*>(u"noticeAction"_s), Qt::LeftButton);
        QCOMPARE(m_window->currentPage()->id(), u"audit"_s);
        QTest::mouseClick(done->findChild<QToolButton*>(u"dismissNotice"_s), Qt::LeftButton);
        QVERIFY(!done->isVisible());
    }

    void aRefusedReleaseIsReportedInTheDialog()
    {
        TestServer::shared().run(m_url, entry("nightly", "ann", "1 hour"));
        openWindow(m_url, u"lock-table"_s);
        TRY_VERIFY(rowOf(u"nightly"_s) >= 0);
        clickRow(rowOf(u"nightly"_s));
        QTRY_VERIFY(buttonIn(m_window->currentPage(), u"Release…"_s)->isEnabled());
        QTest::mouseClick(buttonIn(m_window->currentPage(), u"Release…"_s), Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() != nullptr);
        auto* dialog = m_window->findChild<DangerDialog*>();
        // Meanwhile it changes hands: what is there now is not what was shown.
        TestServer::shared().run(m_url, u"UPDATE lockscope.lock_entry SET token = 'another'"_s);
        QTest::keyClicks(dialog->findChild<QComboBox*>()->lineEdit(), u"too late"_s);
        QTest::mouseClick(buttonIn(dialog, u"Release"_s), Qt::LeftButton);
        auto* failure = dialog->findChild<NoticeBar*>(u"failure"_s);
        TRY_VERIFY(failure->isVisible());
        VERIFY_CONTAINS(failure->text(), u"nightly"_s);
        QCOMPARE(count(u"lockscope.lock_entry WHERE token = 'another'"_s), 1);
        TRY_COMPARE(recordedActs(u"Release “nightly”: "_s).size(), 1);
    }

    void purgesWhatIsStaleAndNothingElse()
    {
        TestServer::shared().run(m_url,
            entry("dead-1", "ann", "-1 minute") + entry("dead-2", "bob", "-1 hour")
                + entry("alive", "carol", "1 hour"));
        openWindow(m_url, u"lock-table"_s);
        TRY_VERIFY(buttonIn(m_window->currentPage(), u"Purge 2 stale…"_s));
        QTest::mouseClick(buttonIn(m_window->currentPage(), u"Purge 2 stale…"_s), Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() != nullptr);
        QPointer dialog = m_window->findChild<DangerDialog*>();
        TRY_VERIFY(allText(dialog).contains(u"Purge 2 stale locks"_s)); // asked of the server
        TRY_VERIFY(allText(dialog).contains(u"dead-1"_s));
        QVERIFY(allText(dialog).contains(u"dead-2"_s));
        QVERIFY(!allText(dialog).contains(u"alive"_s));
        QVERIFY(!buttonIn(dialog, u"Purge"_s)->isEnabled());
        QTest::keyClicks(dialog->findChild<QComboBox*>()->lineEdit(), u"left over from the crash"_s);
        QTest::mouseClick(buttonIn(dialog, u"Purge"_s), Qt::LeftButton);
        QVERIFY2(isDone(dialog), qPrintable(status() + (dialog ? allText(dialog) : QString())));
        TRY_COMPARE(view().tableModel().rowCount(), 1);
        QVERIFY(rowOf(u"alive"_s) >= 0);
        QTRY_VERIFY(!buttonIn(m_window->currentPage(), u"Purge stale…"_s)->isEnabled());
    }

    void acquiresALockAndGivesItBack()
    {
        openWindow(m_url, u"lock-table"_s);
        QTRY_VERIFY(buttonIn(m_window->currentPage(), u"Acquire…"_s)->isEnabled());
        QTest::mouseClick(buttonIn(m_window->currentPage(), u"Acquire…"_s), Qt::LeftButton);
        auto* dialog = m_window->findChild<AcquireDialog*>();
        QVERIFY(dialog);
        QVERIFY(!buttonIn(dialog, u"Acquire"_s)->isEnabled()); // not without a name
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), u"race/1"_s);
        test::keepPicture(*dialog, u"acquire"_s);
        QTest::mouseClick(buttonIn(dialog, u"Acquire"_s), Qt::LeftButton);
        TRY_VERIFY(rowOf(u"race/1"_s) >= 0);
        QCOMPARE(view().tableModel().index(rowOf(u"race/1"_s), LockTableModel::State).data().toString(),
            u"held"_s);
        QTRY_VERIFY(allText(m_window->currentPage()).contains(u"held ("_s));
        QPushButton* giveBack = nullptr;
        for (QPushButton* one : m_window->currentPage()->findChildren<QPushButton*>()) {
            if (one->isVisible() && one->text() == u"Release"_s)
                giveBack = one;
        }
        QVERIFY(giveBack);
        QVERIFY(giveBack->parentWidget()->children().last() == giveBack); // read behind what it releases
        QTest::mouseClick(giveBack, Qt::LeftButton);
        TRY_VERIFY(rowOf(u"race/1"_s) < 0);
        QCOMPARE(count(u"lockscope.lock_entry"_s), 0);
    }

    void ownLocksStayHeldWhileAnotherServerIsShown()
    {
        openWindow(m_url, u"lock-table"_s);
        takeLock(u"kept"_s);
        const db::ServerProfile other = test::profileOf(TestServer::shared().freshDatabase(), u"other"_s);
        m_window->openServer(other);
        TRY_VERIFY(m_window->session()->monitor().snapshot() != nullptr);
        QCOMPARE(m_window->session()->profile().name, u"other"_s);
        QCOMPARE(count(u"lockscope.lock_entry"_s), 1);
        QVERIFY(allText(m_window->currentPage()).contains(u"on test"_s));
        // The same holds on each page.
        QVERIFY(m_window->showPage(u"sessions"_s));
        auto* button = child<QToolButton>("heldLocks");
        QVERIFY(button->isVisible());
        VERIFY_CONTAINS(button->toolTip(), u"on test"_s);
        // It is lost there, and the message is here.
        TestServer::shared().run(m_url, u"DELETE FROM lockscope.lock_entry"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(
            button->toolTip().contains(u"lost"_s), qPrintable(button->toolTip()), 90'000);
        Q_EMIT button->menu()->aboutToShow();
        QCOMPARE(button->menu()->actions().size(), 1);
        button->menu()->actions().first()->trigger();
        QTRY_VERIFY(!button->isVisible());
    }

    void closingWithOwnLocksAsksAndReleasesThem()
    {
        openWindow(m_url, u"lock-table"_s);
        takeLock(u"kept"_s);
        const auto question = [this] { return child<QMessageBox>("closeWithLocks"); };
        m_window->close();
        QVERIFY(m_window->isVisible());
        QTRY_VERIFY(question() && question()->isVisible());
        QVERIFY(question()->informativeText().contains(u"“kept” on test"_s));
        question()->reject();
        QTRY_VERIFY(!question());
        QVERIFY(m_window->isVisible() && m_window->isEnabled());
        QCOMPARE(count(u"lockscope.lock_entry"_s), 1);

        m_window->close();
        QTRY_VERIFY(question() && question()->isVisible());
        QTest::mouseClick(question()->findChild<QPushButton*>(u"releaseAndClose"_s), Qt::LeftButton);
        TRY_VERIFY(!m_window->isVisible());
        QCOMPARE(count(u"lockscope.lock_entry"_s), 0); // before, not some time later
    }

    void theKeyOfAPageLeadsToItsRows()
    {
        openWindow(m_url, u"lock-table"_s);
        m_window->findChild<QLineEdit*>()->setFocus();
        QTest::keyClick(m_window.get(), Qt::Key_3, Qt::ControlModifier);
        QTRY_COMPARE(m_window->focusWidget(), static_cast<QWidget*>(&view()));
        QTest::keyClick(m_window.get(), Qt::Key_5, Qt::ControlModifier);
        QTRY_COMPARE(m_window->focusWidget(), static_cast<QWidget*>(&view()));
    }

    void removesWhatAKilledScenarioLeft()
    {
        const test::ScenarioRig rig;
        const auto killed = rig.lockctl(
            {u"run"_s, u"lost-update"_s, u"--variant"_s, u"row-lock"_s, u"--duration"_s, u"10m"_s});
        QVERIFY(test::waitUntil([&rig] { return rig.schemas() == 1 && rig.sessions() == 9; }));
        killed->kill();
        QVERIFY(killed->waitForFinished());
        // The server may need a short time to see that the program is gone: nothing is taken from one that
        // lives.
        QVERIFY(test::waitUntil([&rig] { return rig.sessions() == 0; }));
        QCOMPARE(rig.schemas(), 1);

        openWindow(rig.url(), u"overview"_s, true);
        // A thread does what a window does at its first poll of the server.
        QVERIFY(BackgroundThread::waitForDetached(test::patience));
        QCOMPARE(rig.schemas(), 1); // a read-only window changes nothing
        openWindow(rig.url(), u"overview"_s);
        TRY_VERIFY(!m_said.filter(u"a scenario had left behind"_s).isEmpty());
        QCOMPARE(rig.schemas(), 0);
    }

    void readOnlyChangesNothing()
    {
        TestServer::shared().run(m_url, entry("nightly", "ann", "-1 minute"));
        openWindow(m_url, u"lock-table"_s, true);
        TRY_VERIFY(rowOf(u"nightly"_s) >= 0);
        clickRow(rowOf(u"nightly"_s));
        for (const char* text : {"Release…", "Purge 1 stale…", "Acquire…"}) {
            const QPushButton* act = buttonIn(m_window->currentPage(), QString::fromUtf8(text));
            QVERIFY2(act && !act->isEnabled(), text);
            VERIFY_CONTAINS(act->toolTip(), u"read-only"_s);
        }
        QTest::keyClick(&view(), Qt::Key_Delete);
        QTRY_VERIFY(status().contains(u"read-only"_s));
        QVERIFY(m_window->findChild<DangerDialog*>() == nullptr);
        QCOMPARE(count(u"lockscope.lock_entry"_s), 1);
        QCOMPARE(count(u"lockscope.audit_log"_s), 0);
    }

    void installsTheSchemaFromTheEmptyPage()
    {
        m_url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        openWindow(m_url, u"lock-table"_s);
        auto* install = view().findChild<QPushButton*>(u"emptyAction"_s);
        TRY_VERIFY(install->isVisible() && install->isEnabled());
        QTest::mouseClick(install, Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() != nullptr);
        QPointer dialog = m_window->findChild<DangerDialog*>();
        VERIFY_CONTAINS(allText(dialog), u"lockscope.lock_entry"_s);
        QVERIFY(dialog->findChild<QPlainTextEdit*>(u"script"_s)
                    ->toPlainText()
                    .contains(u"CREATE TABLE IF NOT EXISTS lockscope.lock_entry"_s));
        QTest::mouseClick(buttonIn(dialog, u"Install"_s), Qt::LeftButton);
        TRY_VERIFY(status().contains(u"Schema installed"_s));
        QTRY_VERIFY(dialog.isNull());
        TRY_COMPARE(view().emptyTitle(), u"No name is locked"_s);
        QVERIFY(!install->isVisible());
        QCOMPARE(count(u"lockscope.lock_entry"_s), 0);
    }

    void anInstallationWithoutRightsSaysWhatIsMissing()
    {
        m_url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        openWindow(TestServer::shared().asRole(m_url), u"lock-table"_s);
        // A login that only monitors is not offered it; an attempt says why.
        TRY_COMPARE(view().tableModel().rowCount(), 0);
        QVERIFY(!view().findChild<QPushButton*>(u"emptyAction"_s)->isVisible());
        Q_EMIT m_window->currentPage()->requestAct(InstallSchemaAction{});
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() != nullptr);
        QPointer dialog = m_window->findChild<DangerDialog*>();
        QTest::mouseClick(buttonIn(dialog, u"Install"_s), Qt::LeftButton);
        auto* failure = dialog->findChild<NoticeBar*>(u"failure"_s);
        TRY_VERIFY(failure->isVisible());
        VERIFY_CONTAINS(failure->text(), u"Can't install"_s);
        QVERIFY(dialog && buttonIn(dialog, u"Install"_s)->isEnabled()); // may be tried again
    }

    void aRoleOfSomebodyElseIsShownAndUsedOnRequest()
    {
        TestServer server; // roles are the cluster's
        server.removeSchema();
        server.run(server.url(),
            u"CREATE ROLE mallory LOGIN CREATEROLE; CREATE ROLE app LOGIN; SET ROLE mallory;CREATE ROLE lockscope_reader; CREATE ROLE lockscope_operator; GRANT lockscope_operator TO app"_s);
        m_url = server.freshDatabase(TestServer::Schema::None);
        openWindow(m_url, u"lock-table"_s, false, server.passwords());
        auto* install = view().findChild<QPushButton*>(u"emptyAction"_s);
        TRY_VERIFY(install->isVisible() && install->isEnabled());
        QTest::mouseClick(install, Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() != nullptr);
        const QPointer dialog = m_window->findChild<DangerDialog*>();
        const auto* failure = dialog->findChild<NoticeBar*>(u"failure"_s);
        auto* use = failure->findChild<QPushButton*>(u"noticeAction"_s);
        // Refused one after the other; each is used only after it was shown, and never by that click alone.
        for (const QString& said : {u"Nobody is a member of lockscope_reader."_s,
                 u"Members of lockscope_operator: app (by mallory)."_s}) {
            QTest::mouseClick(buttonIn(dialog, u"Install"_s), Qt::LeftButton);
            TRY_CONTAINS(failure->text(), said);
            QVERIFY(failure->isVisible());
            QVERIFY(failure->text().contains(u"does not say that an installation of Lockscope made it"_s));
            QVERIFY(!dialog->findChild<QLabel*>(u"consequences"_s)->text().contains(said));
            test::keepPicture(*dialog, u"adopt-role"_s);
            QTest::mouseClick(use, Qt::LeftButton);
            QVERIFY(!failure->isVisible());
            QVERIFY(dialog->findChild<QLabel*>(u"consequences"_s)->text().contains(said));
            QVERIFY(buttonIn(dialog, u"Install"_s)->isEnabled());
        }
        test::keepPicture(*dialog, u"adopt-role-chosen"_s);
        QTest::mouseClick(buttonIn(dialog, u"Install"_s), Qt::LeftButton);
        TRY_VERIFY(status().contains(u"Schema installed"_s));
        m_window.reset(); // before its server
    }

    void filtersAndCopiesByKeys()
    {
        test::Session ann(TestServer::shared(), m_url, u"ann"_s);
        TestServer::shared().run(m_url, u"CREATE TABLE one (n int); CREATE TABLE two (n int);"_s);
        QVERIFY(ann.run(u"BEGIN"_s));
        QVERIFY(ann.run(u"LOCK TABLE one, two IN ACCESS EXCLUSIVE MODE"_s));
        openWindow(m_url, u"locks"_s);
        m_window->currentPage()->findChild<QComboBox*>()->setCurrentIndex(0); // not grouped
        TRY_COMPARE(view().tableModel().rowCount(), 2);
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
        auto* filter = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(filter);
        QTest::keyClicks(filter, u"resource:two"_s);
        QCOMPARE(view().tableModel().rowCount(), 1);
        QTest::keyClick(filter, Qt::Key_Return);
        QVERIFY(view().hasFocus());
        clickRow(0);
        QTest::keyClick(&view(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split(u"\r\n"_s);
        QCOMPARE(lines.size(), 3); // titles, the row, the end
        // PostgreSQL does not state since when a lock is held: the age is a bound, and a column says so.
        VERIFY_STARTS(lines[0], u"state,age_ms,age_ms_exact,mode,resource,session"_s);
        VERIFY_CONTAINS(lines[1], u",false,AccessExclusiveLock,public.two,%1"_s.arg(ann.id().value));
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
        QTest::keyClick(filter, Qt::Key_Escape);
        QCOMPARE(view().tableModel().rowCount(), 2);
    }

    void theLocksPageAgreesWithPgLocksRowForRow()
    {
        test::Session ann(TestServer::shared(), m_url, u"ann"_s);
        test::Session bob(TestServer::shared(), m_url, u"bob"_s);
        TestServer::shared().run(m_url,
            u"CREATE TABLE orders (id int PRIMARY KEY); CREATE TABLE items (n int); INSERT INTO orders VALUES (1)"_s);
        QVERIFY(ann.begin(u"UPDATE orders SET id = id"_s) && ann.run(u"LOCK TABLE items IN SHARE MODE"_s)
            && ann.run(u"SELECT pg_advisory_lock(7, 9), pg_advisory_lock_shared(-5)"_s));
        QVERIFY(bob.begin(u"SELECT * FROM items"_s));
        bob.start(u"UPDATE orders SET id = id"_s);
        QVERIFY(bob.waitUntilBlocked());
        // Both sessions stand still from here on.
        QStringList expected;
        const auto connection = TestServer::shared().connect(m_url);
        QVERIFY(test::runSql(*connection,
            u"SELECT pid, mode, granted FROM pg_locks WHERE pid IN (%1, %2)"_s.arg(ann.id().value)
                .arg(bob.id().value),
            {}, [&](const db::Row& row) {
                expected << u"%1 %2 %3"_s.arg(row.text(0),
                    LockMode::fromText(Engine::Postgres, row.text(1)).title(),
                    row.boolean(2) ? u"holding"_s : u"waiting"_s);
            }));
        QVERIFY(expected.size() >= 12);
        expected.sort();

        openWindow(m_url, u"locks"_s);
        auto* hideInternal = child<QCheckBox>("hideInternal");
        QTest::mouseClick(hideInternal, Qt::LeftButton, {}, {10, hideInternal->height() / 2});
        QVERIFY(!hideInternal->isChecked());
        const auto shown = [&] {
            const TableModel& model = view().tableModel();
            const auto text = [&](int row, const char* column) {
                return model.index(row, model.columnOf(QLatin1String(column))).data().toString();
            };
            QStringList rows;
            for (int row = 0; row < model.rowCount(); ++row) {
                const QString session = text(row, "session");
                if (session == QString::number(ann.id().value) || session == QString::number(bob.id().value))
                    rows << u"%1 %2 %3"_s.arg(session, text(row, "mode"), text(row, "state"));
            }
            rows.sort();
            return rows;
        };
        TRY_COMPARE(shown(), expected);
    }

    void aHungServerLeavesTheWindowAliveAndItRecovers()
    {
        TestServer::shared().run(m_url, entry("nightly", "ann", "1 hour"));
        openWindow(m_url, u"lock-table"_s);
        TRY_VERIFY(rowOf(u"nightly"_s) >= 0);
        std::vector<qint64> processes{TestServer::shared().processId()};
        for (const lockscope::Session& session : m_window->session()->monitor().snapshot()->sessions) {
            if (session.own)
                processes.push_back(session.id.value);
        }
        QVERIFY(processes.size() >= 2);
        Frozen frozen(processes);

        auto* bar = child<NoticeBar>("healthBar");
        TRY_VERIFY(bar->isVisible() && bar->text().contains(u"does not answer"_s));
        VERIFY_STARTS(bar->text(), u"As of "_s);
        QVERIFY(rowOf(u"nightly"_s) >= 0); // old, but kept
        QVERIFY(view().isFaded());
        const QString before = bar->text();
        QElapsedTimer busy;
        for (int i = 0; i < 12; ++i) {
            busy.start();
            QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_1 + i % 6), Qt::ControlModifier);
            QTest::keyClick(m_window.get(), Qt::Key_F5);
            QCoreApplication::processEvents();
            QVERIFY(busy.elapsed() < 2'000); // nothing here waits for a time-out of a connection
        }
        TRY_VERIFY(bar->text() != before); // the age goes on

        frozen.thaw();
        TRY_VERIFY(!bar->isVisible());
        TestServer::shared().run(m_url, entry("weekly", "bob", "1 hour"));
        QVERIFY(m_window->showPage(u"lock-table"_s));
        TRY_VERIFY(rowOf(u"weekly"_s) >= 0);
        QVERIFY(!view().isFaded());
    }

private:
    void openWindow(const db::ServerUrl& url, const QString& page, bool readOnly = false,
        const db::PasswordProvider& passwords = TestServer::shared().passwords())
    {
        showWindow({.passwords = passwords, .readOnly = readOnly, .interval = 250ms});
        m_said.clear();
        connect(m_window->findChild<Servers*>(), &Servers::message, this,
            [this](const QString& text) { m_said << text; });
        openServer(url, u"test"_s, page);
    }

    /// Takes a lock by the dialog, which is tested above.
    void takeLock(const QString& name)
    {
        Q_EMIT m_window->currentPage()->requestAct(AcquireAction{name});
        auto* dialog = m_window->findChild<AcquireDialog*>();
        QVERIFY(dialog);
        QTest::mouseClick(buttonIn(dialog, u"Acquire"_s), Qt::LeftButton);
        TRY_VERIFY(rowOf(name) >= 0);
    }

    TableView& view() const { return static_cast<TablePage*>(m_window->currentPage())->view(); }

    /// The first row with `text` in any column, −1 = none.
    int rowOf(const QString& text) const
    {
        const TableModel& model = view().tableModel();
        for (int row = 0; row < model.rowCount(); ++row) {
            for (int column = 0; column < model.columnCount(); ++column) {
                if (model.index(row, column).data().toString() == text)
                    return row;
            }
        }
        return -1;
    }

    void clickRow(int row)
    {
        const QModelIndex index = view().tableModel().index(row, view().visibleColumns().at(1));
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, view().visualRect(index).center());
    }

    /// Those that the recording of the server has, and which name this.
    QList<record::Event> recordedActs(const QString& what)
    {
        const auto reader =
            record::RecordingReader::open(record::recordingPath(m_window->session()->profile().url));
        const auto all = reader ? (*reader)->events({1}, {std::numeric_limits<qint64>::max()})
                                : Result<QList<record::Event>>();
        QList<record::Event> acts;
        for (const record::Event& event : all.value_or(QList<record::Event>())) {
            if (event.kind == record::Event::Kind::Act && event.what.contains(what))
                acts << event;
        }
        return acts;
    }

    /// Returns the shown message, which is cut in a narrow window, and the whole one.
    QString status() const
    {
        const auto* message = child<QLabel>("statusMessage");
        return message->text() + u' ' + message->accessibleName();
    }
    /// Waits for the status line to report the action, which it does for seconds only; ends early if the
    /// dialog reports a failure.
    bool isDone(const QPointer<DangerDialog>& dialog) const
    {
        const auto* failure = dialog ? dialog->findChild<NoticeBar*>(u"failure"_s) : nullptr;
        const auto hasFailed = [&] { return dialog && failure->isVisible(); };
        const auto isReported = [&] { return status().contains(u"Audit record"_s); };
        return test::waitUntil([&] { return isReported() || hasFailed(); }) && isReported();
    }

    qint64 count(const QString& what) const
    {
        qint64 rows = -1;
        const auto connection = TestServer::shared().connect(m_url);
        const auto read = test::runSql(*connection, u"SELECT count(*) FROM "_s + what, {},
            [&](const db::Row& row) { rows = row.int64(0); });
        return read ? rows : -1;
    }

    QStringList m_said; ///< of servers, since the window was opened: the status line forgets
    db::ServerUrl m_url;
};

LOCKSCOPE_TEST(tst_WindowActs)

} // namespace tst_WindowActs
#include "tst_WindowActs.moc"
