// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdmin.h"
#include "tests/support/ScenarioRig.h"
#include "tests/support/Session.h"
#include "tests/ui/Widgets.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/overview/HeadBlockerBanner.h"
#include "ui/views/page/TablePage.h"
#include "ui/views/scenarios/ScenarioList.h"
#include "ui/views/scenarios/ScenarioRunner.h"
#include "ui/views/settings/SettingsDialog.h"

namespace tst_CanIAct {

using namespace lockscope;
using namespace lockscope::ui;
using test::TestServer;

/// Saves pictures in both themes.
static void keepPictures(QWidget& widget, const QString& name)
{
    for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Light}) {
        theme::apply(*qApp, mode);
        QCoreApplication::processEvents(); // widgets hear of their palette
        test::keepPicture(widget, name + (mode == ThemeMode::Dark ? u"-dark"_s : QString()));
    }
}

/// Holds a lock in an open transaction, and somebody who waits for it.
struct Blocked {
    explicit Blocked(const db::ServerUrl& holderUrl, const db::ServerUrl& waiterUrl)
        : holder(TestServer::shared(), holderUrl, u"holder"_s)
        , waiter(TestServer::shared(), waiterUrl, u"waiter"_s)
    {
        if (!holder.run(u"BEGIN"_s) || !holder.run(u"SELECT pg_advisory_xact_lock(4711)"_s))
            qFatal("the holder could not begin");
        waiter.start(u"SELECT pg_advisory_lock(4711)"_s);
        if (!waiter.waitUntilBlocked())
            qFatal("the waiter does not wait");
    }
    test::Session holder;
    test::Session waiter;
};

/// The window says before the click whether an action is possible, and offers an action that works: over a
/// real server, by clicks and keys.
using Audit = admin::ActRights::Audit;

static admin::ActRights rightsOf(Audit audit, std::optional<bool> mayAct, const QString& grantToRecord = {},
    const QString& grantToAct = {}, const QString& whyNot = {})
{
    return {.audit = audit,
        .grantToRecord = grantToRecord,
        .mayAct = mayAct,
        .grantToAct = grantToAct,
        .whyNot = whyNot};
}

class tst_CanIAct : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        keepState(u"state"_s);
    }
    void cleanup()
    {
        dropAll();
        theme::apply(*qApp, ThemeMode::Light);
    }

    void everyAnswerSaysWhatWorks_data()
    {
        using admin::ActRights;
        test::addColumns<ActRights, bool, bool, bool, bool, QString>(
            "rights", "onSession", "isLocalAllowed", "isPossible", "needsConsent", "grant");
        const QString record = u"GRANT lockscope_operator TO ann;"_s;
        const QString end = u"GRANT pg_signal_backend TO ann;"_s;
        const ActRights all = rightsOf(Audit::Open, true);
        const ActRights closed = rightsOf(Audit::Closed, true, record);
        const ActRights missing = rightsOf(Audit::Missing, true);
        const ActRights mayNot = rightsOf(Audit::Open, false, {}, end);
        const ActRights nothing = rightsOf(Audit::Missing, false, {}, end);
        const ActRights unknown = rightsOf(Audit::Open, std::nullopt);
        test::row("all rights", all, true, false, true, false, QString());
        test::row("closed audit", closed, true, false, false, false, record);
        test::row("closed audit, file allowed", closed, true, true, false, false, record);
        test::row("no audit", missing, true, false, false, true, QString());
        test::row("no audit, file allowed", missing, true, true, true, false, QString());
        test::row("no audit, a lock", missing, false, false, false, true, QString());
        test::row("no right to end", mayNot, true, false, false, false, end);
        test::row("no right to delete, a lock", mayNot, false, false, false, false, end);
        test::row("neither", nothing, true, false, false, false, end);
        ActRights both = rightsOf(Audit::Closed, false, record, end);
        test::row("neither, closed audit", both, true, false, false, false, end + u' ' + record);
        ActRights superusers = rightsOf(Audit::Open, false, {}, {}, u"Only a superuser may act on it."_s);
        test::row("a superuser's", superusers, true, false, false, false, QString());
        ActRights gone = unknown;
        gone.hasGone = true;
        test::row("gone", gone, true, false, false, false, QString());
        ActRights noFile = missing;
        noFile.whyNoFile = u"Others may write to /home."_s;
        test::row("no audit, file allowed but not usable", noFile, true, true, false, false, QString());
        test::row("no audit, no usable file", noFile, true, false, false, false, QString());
        test::row("not told", unknown, true, false, true, false, QString());
    }
    void everyAnswerSaysWhatWorks()
    {
        FETCH(admin::ActRights, rights, bool, onSession, bool, isLocalAllowed);
        const ActAdvice advice = adviceOn(rights, onSession ? ActOn::Session : ActOn::Entry,
            isLocalAllowed ? auditFile() : QString(), true);
        QVERIFY(advice.text.endsWith(u'.'));
        QTEST(advice.isPossible, "isPossible");
        QTEST(advice.needsConsent, "needsConsent");
        QTEST(advice.grant, "grant");
        QVERIFY(advice.isPossible || !advice.detail.isEmpty());
    }

    void nothingIsOfferedThatIsNotThere()
    {
        const admin::ActRights mayNot =
            rightsOf(Audit::Open, false, {}, u"GRANT pg_read_all_stats TO ann);"_s);
        QVERIFY(adviceOn(mayNot, ActOn::Session, {}, true).detail.contains(u"copied statement"));
        QVERIFY(!adviceOn(mayNot, ActOn::Session, {}, false).detail.contains(u"statement"));
        QVERIFY(adviceOn(mayNot, ActOn::Entry, {}, true).text.contains(u"delete from the lock table"));
        QVERIFY(adviceOn(mayNot, ActOn::AttachedRow, {}, true).text.contains(u"change that table"));
        // The server has not said whether a row of such a table may be deleted.
        const admin::ActRights open = rightsOf(Audit::Open, std::nullopt);
        QVERIFY(adviceOn(open, ActOn::Entry, {}, true).text.startsWith(u"You may"));
        QVERIFY(!adviceOn(open, ActOn::AttachedRow, {}, true).text.contains(u"may"));
        QVERIFY(adviceOn(open, ActOn::AttachedRow, {}, true).isPossible);
    }

    void whatIsNotTrustedIsNotOfferedElsewhere()
    {
        const Result<admin::ActRights> untrusted = failure(ErrorKind::Permission, u"Not to be trusted."_s);
        const ActAdvice advice = adviceOn(untrusted, ActOn::Entry, {}, true);
        QVERIFY(!advice.isPossible && !advice.offersStatement);
        QVERIFY(adviceOn(untrusted, ActOn::Session, {}, true).offersStatement); // touches nothing of it
        // Nobody could be asked whose code runs for a row of another table, or a stranger's was found.
        const Result<admin::ActRights> unasked = failure(ErrorKind::Connection, u"Gone."_s);
        QVERIFY(!adviceOn(unasked, ActOn::AttachedRow, {}, true).offersStatement);
        admin::ActRights strange = rightsOf(Audit::Open, true);
        QVERIFY(adviceOn(strange, ActOn::AttachedRow, {}, true).offersStatement);
        strange.fired.strangers << u"trigger t on table m.turns (mallory): it would run with your rights"_s;
        QVERIFY(!adviceOn(strange, ActOn::AttachedRow, {}, true).offersStatement);
        QVERIFY(describeFired(strange.fired).first().contains(u"trigger t on table m.turns"_s));
        DangerDialog dialog(*m_settings);
        DangerText text;
        text.title = u"Release"_s;
        text.statement = u"DELETE FROM lockscope.lock_entry;"_s;
        dialog.setText(text);
        auto* copy = dialog.findChild<QPushButton*>(u"copyStatement"_s);
        QVERIFY(copy->isVisibleTo(&dialog));
        dialog.setAdvice(advice);
        QVERIFY(!copy->isVisibleTo(&dialog));
    }

    void whatOthersNamedIsShownAsText()
    {
        DangerDialog dialog(*m_settings);
        DangerText text;
        text.title = u"Release <img src='file:///x'> \u202egnp.exe"_s;
        text.facts = {{u"Lock"_s, u"a\nHeld by: root\u202e"_s}};
        dialog.setText(text);
        QStringList shown;
        for (const QLabel* label : dialog.findChildren<QLabel*>()) {
            if (label->text().contains(u"img src") || label->text().contains(u"Held by"))
                QCOMPARE(label->textFormat(), Qt::PlainText);
            shown << label->text();
        }
        QVERIFY(shown.contains(u"Release <img src='file:///x'> \\u202egnp.exe"_s));
        QVERIFY(shown.contains(u"a Held by: root\\u202e"_s));
    }

    void aReasonIsNotCompleted()
    {
        m_settings->setValue(u"dialogs/reasons"_s, QStringList{u"INC-123 disk full"_s});
        DangerDialog dialog(*m_settings);
        DangerText text;
        text.title = u"End session 63"_s;
        dialog.setText(text);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QTest::keyClicks(dialog.findChild<QComboBox*>()->lineEdit(), u"INC-12"_s);
        QCOMPARE(dialog.reason(), u"INC-12"_s);
    }

    void anAnswerThatComesLateMovesTheFocusToNoOtherButton()
    {
        DangerDialog dialog(*m_settings);
        dialog.setAdvice(askingAdvice());
        DangerText text;
        text.title = u"End session 63"_s;
        text.button = u"End session"_s;
        dialog.setText(text);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        const QSignalSpy rejected(&dialog, &QDialog::rejected);
        auto* reason = dialog.findChild<QComboBox*>();
        QTest::keyClicks(reason->lineEdit(), u"OPS-17"_s);
        QTest::keyClick(reason->lineEdit(), Qt::Key_Return);
        QVERIFY(qobject_cast<QPushButton*>(qApp->focusWidget()));
        dialog.setAdvice(adviceOn(
            rightsOf(Audit::Open, false, {}, {}, u"Only a superuser may."_s), ActOn::Session, {}, false));
        QVERIFY(!qobject_cast<QPushButton*>(qApp->focusWidget()));
        QTest::keyClick(qApp->focusWidget(), Qt::Key_Return);
        QVERIFY(dialog.isVisible());

        dialog.setAdvice(askingAdvice());
        QTest::keyClick(reason->lineEdit(), Qt::Key_Return);
        dialog.setBusy(u"Asking the server…"_s);
        QVERIFY(!qobject_cast<QPushButton*>(dialog.focusWidget()));
        QTest::keyClick(&dialog, Qt::Key_Return);
        QVERIFY(dialog.isVisible());
        QCOMPARE(rejected.count(), 0);
    }

    void theSettingIsOffUntilSomebodySaysSo()
    {
        QVERIFY(!allowsLocalAudit(*m_settings));
        SettingsDialog settings(Preferences::load(*m_settings));
        auto* box = settings.findChild<QCheckBox*>(u"localAudit"_s);
        QVERIFY(!box->isChecked());
        VERIFY_CONTAINS(box->toolTip(), auditFile());
        settings.preferences().save(*m_settings);
        QVERIFY(!allowsLocalAudit(*m_settings));
        box->setChecked(true);
        settings.preferences().save(*m_settings);
        QVERIFY(allowsLocalAudit(*m_settings));
        QVERIFY(Preferences::load(*m_settings).localAudit);
    }

    void withoutAnAuditTheBannerSaysSoAndOffersTheStatement()
    {
        const auto url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        const Blocked blocked(url, url);
        openWindow(url, u"overview"_s);
        auto* end = child<QPushButton>("endHead");
        TRY_COMPARE(end->text(), u"How to end %1…"_s.arg(blocked.holder.id().value));
        auto* text = child<QLabel>("headAnswer");
        QVERIFY(text->isVisible());
        VERIFY_CONTAINS(text->toolTip(), u"no audit table");
        keepPictures(*m_window, u"can-i-banner"_s);
        m_window->resize(1280, 800);
        keepPictures(*m_window, u"can-i-banner-1280"_s);

        auto* copy = child<QPushButton>("copyEndHead");
        QCOMPARE(copy->text(), u"Copy statement for %1"_s.arg(blocked.holder.id().value));
        QTest::mouseClick(copy, Qt::LeftButton);
        QTRY_VERIFY(child<QLabel>("statusMessage")
                        ->toolTip()
                        .contains(u"session %1 copied"_s.arg(blocked.holder.id().value)));
        const QString copied = QGuiApplication::clipboard()->text();
        VERIFY_CONTAINS(copied, u"pg_terminate_backend");
        TestServer::shared().run(url, copied); // what is offered works
        QVERIFY(test::waitUntil([&] { return !blocked.waiter.isRunning(); }));
    }

    void nobodyIsToInstallASchemaInAnEmergency()
    {
        const auto url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        {
            const Blocked blocked(url, url);
            openWindow(url, u"overview"_s);
            TRY_VERIFY(child<QPushButton>("endHead")->isVisible());
            auto* action = child<NoticeBar>("limitationBar")->findChild<QPushButton*>(u"noticeAction"_s);
            QVERIFY(!action->isVisible());
            openDialogFromTheBanner();
            // The action that is possible now comes first.
            VERIFY_CONTAINS(answer()->text(), u"log it in. Copy the statement"_s);
            QVERIFY(answer()->y() < dialog()->findChild<QLabel*>(u"consequences"_s)->y());
            dialog()->reject();
        }
        // An optional notice waits until that one was read.
        child<NoticeBar>("recordedBar")->findChild<QToolButton*>(u"dismissNotice"_s)->click();
        TRY_VERIFY(
            child<NoticeBar>("limitationBar")->findChild<QPushButton*>(u"noticeAction"_s)->isVisible());
    }

    void aRecordInAFileIsOfferedAndKept()
    {
        const auto url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        const Blocked blocked(url, url);
        openWindow(url, u"overview"_s);
        openDialogFromTheBanner();
        VERIFY_CONTAINS(answer()->text(), u"no audit table");
        QTest::keyClicks(dialog()->findChild<QComboBox*>()->lineEdit(), u"OPS-17"_s);
        QVERIFY(!act()->isEnabled());
        QTest::keyClick(dialog()->findChild<QComboBox*>()->lineEdit(), Qt::Key_Return);
        QVERIFY(dialog()->isVisible());
        keepPictures(*dialog(), u"can-i-dialog"_s);

        QTest::mouseClick(answer()->findChild<QPushButton*>(u"noticeAction"_s), Qt::LeftButton);
        QVERIFY(act()->isEnabled());
        VERIFY_CONTAINS(answer()->text(), auditFile());
        keepPictures(*dialog(), u"can-i-dialog-file"_s);
        QTest::mouseClick(act(), Qt::LeftButton);
        QVERIFY(test::waitUntil([&] { return !blocked.waiter.isRunning(); }));
        TRY_VERIFY(child<QLabel>("statusMessage")->toolTip().contains(auditFile()));
        QCOMPARE(m_window->width(), 1024); // a long message widens nothing
        const auto records = test::orDie(admin::LocalAudit(auditFile()).read());
        QCOMPARE(records.size(), 1);
        QCOMPARE(records.at(0).reason, u"OPS-17"_s);
        QCOMPARE(records.at(0).outcome, u"done"_s);
        QCOMPARE(records.at(0).server, u"prod"_s);
        // The page shows them, and from where they are.
        m_window->showPage(u"audit"_s);
        auto* page = static_cast<TablePage*>(m_window->currentPage());
        TRY_COMPARE(page->view().model()->rowCount(), 1);
        const auto notices = page->findChildren<NoticeBar*>();
        QVERIFY(std::ranges::any_of(notices,
            [this](const NoticeBar* bar) { return bar->isVisible() && bar->text().contains(auditFile()); }));
        QCOMPARE(m_window->session()->profile().localAudit, true); // the next dialog does not ask again
        QVERIFY(!allowsLocalAudit(*m_settings)); // of other servers nothing was said
    }

    void withoutTheRightTheGrantIsOfferedAndHelps()
    {
        TestServer& server = TestServer::shared();
        const auto url = server.freshDatabase();
        const Blocked blocked(server.asRole(url), server.asRole(url));
        openWindow(
            server.asRole(url, u"GRANT pg_read_all_stats TO {role}; GRANT lockscope_operator TO {role}"_s),
            u"overview"_s);
        auto* text = child<QLabel>("headAnswer");
        TRY_VERIFY(text->toolTip().contains(u"may not act"));
        openDialogFromTheBanner();
        VERIFY_STARTS(answer()->copyable(), u"GRANT pg_signal_backend TO ");
        QTest::keyClicks(dialog()->findChild<QComboBox*>()->lineEdit(), u"OPS-17"_s);
        QVERIFY(!act()->isEnabled());
        keepPictures(*dialog(), u"can-i-grant"_s);
        auto* copy = answer()->findChild<QPushButton*>(u"copyRemedy"_s);
        QTest::mouseClick(copy, Qt::LeftButton);
        QCOMPARE(copy->text(), u"Copied"_s);
        server.run(url, QGuiApplication::clipboard()->text());
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QTRY_VERIFY(dialog() == nullptr);

        openDialogFromTheBanner(); // asks again
        VERIFY_STARTS(answer()->text(), u"You may");
        QTest::keyClicks(dialog()->findChild<QComboBox*>()->lineEdit(), u"OPS-17"_s);
        QTest::mouseClick(act(), Qt::LeftButton);
        QVERIFY(test::waitUntil([&] { return !blocked.waiter.isRunning(); }));
    }

    void whereItIsPossibleTheBannerIsQuiet()
    {
        const auto url = TestServer::shared().freshDatabase();
        const Blocked blocked(url, url);
        openWindow(url, u"overview"_s);
        auto* end = child<QPushButton>("endHead");
        TRY_VERIFY(end->toolTip().contains(u"recorded in the server's audit"));
        QCOMPARE(end->text(), u"End session %1…"_s.arg(blocked.holder.id().value));
        QVERIFY(!child<QLabel>("headAnswer")->isVisible());
        QVERIFY(!child<QPushButton>("copyEndHead")->isVisible());
    }

    void enterBehindTheReasonGoesToTheButtonAndNeverCancels()
    {
        const auto url = TestServer::shared().freshDatabase();
        Blocked blocked(url, url);
        openWindow(url, u"overview"_s);
        openDialogFromTheBanner();
        QVERIFY(QTest::qWaitForWindowActive(dialog()));
        QSignalSpy confirmed(dialog(), &DangerDialog::confirmed);
        QWidget* const reason = dialog()->findChild<QComboBox*>();
        QTRY_COMPARE(qApp->focusWidget(), reason);
        QTest::keyClick(qApp->focusWidget(), Qt::Key_Return); // no reason yet
        QVERIFY(dialog()->isVisible());
        QCOMPARE(qApp->focusWidget(), reason);

        QTest::keyClicks(qApp->focusWidget(), u"the client hangs"_s);
        QTest::keyClick(qApp->focusWidget(), Qt::Key_Return);
        QVERIFY(dialog()->isVisible());
        QCOMPARE(qApp->focusWidget(), act());
        QVERIFY(act()->isDefault()); // that is seen
        QCOMPARE(confirmed.count(), 0); // one press does nothing to the server
        QKeyEvent held(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier, u"\r"_s, true);
        QCoreApplication::sendEvent(act(), &held);
        QCOMPARE(confirmed.count(), 0); // nor does one that is held down
        QVERIFY(blocked.waiter.isRunning());

        QTest::keyClick(qApp->focusWidget(), Qt::Key_Return);
        QCOMPARE(confirmed.count(), 1);
        QVERIFY(test::waitUntil([&] { return !blocked.waiter.isRunning(); }));
        // The consequences are shown: undone at once, and the session that continued.
        TRY_VERIFY(child<QLabel>("statusMessage")
                       ->toolTip()
                       .contains(u"Session %1 gets"_s.arg(blocked.waiter.id().value)));
    }

    void aRowThatVanishesLeavesNoneSelected()
    {
        const auto url = TestServer::shared().freshDatabase();
        for (const QString& name : {u"daily"_s, u"nightly"_s, u"weekly"_s})
            TestServer::shared().run(url,
                u"INSERT INTO lockscope.lock_entry (name, token, expires_at, owner, host) VALUES ('%1', 't-%1', clock_timestamp() + interval '1 h', 'ann', 'app01')"_s
                    .arg(name));
        openWindow(url, u"lock-table"_s);
        TableView& view = static_cast<TablePage*>(m_window->currentPage())->view();
        TRY_COMPARE(view.tableModel().rowCount(), 3);
        int row = -1;
        const int name = view.tableModel().columnOf(u"name"_s);
        for (int i = 0; i < 3; ++i)
            if (view.tableModel().index(i, name).data().toString() == u"nightly")
                row = i;
        QVERIFY(row >= 0);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
            view.visualRect(view.tableModel().index(row, name)).center());
        QCOMPARE(view.currentViewRow(), row);

        TestServer::shared().run(url, u"DELETE FROM lockscope.lock_entry WHERE name = 'nightly'"_s);
        TRY_COMPARE(view.tableModel().rowCount(), 2);
        QCOMPARE(view.currentViewRow(), -1);
        QVERIFY(view.selectionModel()->selectedRows().isEmpty());
        QTest::keyClick(&view, Qt::Key_Delete);
        QVERIFY(dialog() == nullptr);
        QVERIFY(child<QLabel>("statusMessage")->text().contains(u"Select a held lock first"));
    }

    void whatMayNotBeDeletedIsSaidBeforeTheRelease()
    {
        TestServer& server = TestServer::shared();
        const auto url = server.freshDatabase();
        server.run(url,
            u"CREATE TABLE public.jobs (\"Name\" text, \"SetTime\" timestamptz);INSERT INTO public.jobs VALUES ('nightly', now() - interval '1 hour')"_s);
        const auto role = server.asRole(
            url, u"GRANT lockscope_operator TO {role}; GRANT SELECT ON public.jobs TO {role}"_s);
        showWindow({.passwords = server.passwords(), .interval = 250ms}, QSize(1024, 700));
        db::ServerProfile profile = test::profileOf(role, u"prod"_s);
        profile.attached = {{u"public"_s, u"jobs"_s}};
        m_window->openServer(profile);
        QVERIFY(m_window->showPage(u"lock-table"_s));
        TRY_VERIFY(m_window->session()->monitor().snapshot() != nullptr);
        TRY_VERIFY(!m_window->session()->monitor().snapshot()->entries.empty());
        Q_EMIT m_window->currentPage()->requestAct(
            ReleaseEntryAction{m_window->session()->monitor().snapshot()->entries.front()});
        QTRY_VERIFY(dialog() != nullptr);
        TRY_CONTAINS(answer()->text(), u"may not change that table"_s);
        keepPictures(*dialog(), u"can-i-delete"_s);
        VERIFY_STARTS(answer()->copyable(), u"GRANT SELECT, DELETE ON \"public\".\"jobs\" TO "_s);
        server.run(url, answer()->copyable());
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QTRY_VERIFY(dialog() == nullptr);
        Q_EMIT m_window->currentPage()->requestAct(
            ReleaseEntryAction{m_window->session()->monitor().snapshot()->entries.front()});
        QTRY_VERIFY(dialog() != nullptr);
        TRY_STARTS(answer()->text(), u"You may"_s);
    }

    void whatFiresIsNamedBeforeTheRelease()
    {
        TestServer& server = TestServer::shared();
        const auto url = server.freshDatabase();
        server.run(url,
            u"CREATE TABLE public.shedlock (name text PRIMARY KEY, lock_until timestamptz, locked_at timestamptz, locked_by text); INSERT INTO public.shedlock VALUES ('nightly', now() + interval '1 h', now(), 'a');CREATE TABLE public.noted (name text);"
            "CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.noted VALUES (OLD.name); RETURN NEW; END';CREATE TRIGGER kept BEFORE UPDATE ON public.shedlock FOR EACH ROW EXECUTE FUNCTION public.note();"
            "CREATE TRIGGER other BEFORE DELETE ON public.shedlock FOR EACH ROW EXECUTE FUNCTION public.note()"_s);
        openWindow(url, u"lock-table"_s);
        TRY_VERIFY(!m_window->session()->monitor().snapshot()->entries.empty());
        Q_EMIT m_window->currentPage()->requestAct(
            ReleaseEntryAction{m_window->session()->monitor().snapshot()->entries.front()});
        QTRY_VERIFY(dialog() != nullptr);
        TRY_STARTS(answer()->text(), u"You may"_s);
        const QString said = child<QLabel>("consequences")->text();
        VERIFY_CONTAINS(said,
            u"This also runs code that is kept in the database: trigger kept on public.shedlock (public.note())."_s);
        VERIFY_LACKS(said, u"trigger other"_s); // freeing deletes nothing
        keepPictures(*dialog(), u"can-i-fires"_s);
    }

    void itIsReportedWithWhoseRightsTablesAreRead_data()
    {
        QTest::addColumn<QString>("reader"); // its rights; null: there is none
        test::addColumns<QString, QString, bool>("most", "text", "isLimited");
        test::row("own", QString(), QString(), "are read with your own rights", false);
        test::row("reader", "GRANT pg_monitor TO {role}", QString(), "are read as the role ", false);
        test::row("refused", "ALTER ROLE {role} CREATEDB", QString(),
            "has rights that somebody could gain by it", true);
        test::row("off", QString(), "off", "are not read: ?frameworks=off", true);
        test::row("ceiling", QString(), "1", "Reading 1 of the 2 tables", true);
    }
    void itIsReportedWithWhoseRightsTablesAreRead()
    {
        FETCH(QString, reader, QString, most, QString, text);
        TestServer& server = TestServer::shared();
        db::ServerUrl url = server.freshDatabase();
        server.run(url,
            u"CREATE SCHEMA app; CREATE TABLE app.shedlock (name text PRIMARY KEY, lock_until timestamptz, locked_at timestamptz, locked_by text); CREATE TABLE public.shedlock (LIKE app.shedlock);GRANT USAGE ON SCHEMA app TO PUBLIC; GRANT SELECT ON app.shedlock, public.shedlock TO PUBLIC"_s);
        if (!reader.isNull())
            url.options.insert(u"reader"_s, server.asRole(url, reader).user);
        if (!most.isNull())
            url.options.insert(u"frameworks"_s, most);
        openWindow(url, u"lock-table"_s);
        const auto* line = child<QLabel>("frameworkReading");
        TRY_CONTAINS(line->text(), text);
        QVERIFY(line->isVisible());
        auto* rights = child<QToolButton>("rights");
        QVERIFY(rights->isVisible());
        TRY_CONTAINS(rights->toolTip(), text);
        QTEST(rights->text().startsWith(u"Limited"_s), "isLimited");
        keepPictures(*m_window, u"reading-"_s + QString::fromUtf8(QTest::currentDataTag()));
    }

    void aScenarioAsksOnARealServer()
    {
        const test::ScenarioRig rig;
        openWindow(rig.url(), u"scenarios"_s);
        QVERIFY(m_window->findChild<ScenarioList*>()->choose(u"lost-update"_s));
        auto* run = child<QPushButton>("runScenario");
        QTRY_VERIFY(run->isEnabled());
        QTest::mouseClick(run, Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<RunQuestion*>() != nullptr);
        const QPointer question = m_window->findChild<RunQuestion*>();
        VERIFY_CONTAINS(question->windowTitle(), u"prod");
        auto* there = question->findChild<QPushButton*>(u"runThere"_s);
        TRY_VERIFY(there->isEnabled());
        keepPictures(*question, u"run-question"_s);
        QCOMPARE(rig.schemas(), 0);
        QTest::keyClick(question, Qt::Key_Return); // Enter is no consent
        QTRY_VERIFY(!question);
        QCOMPARE(rig.schemas(), 0);

        QTest::mouseClick(run, Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<RunQuestion*>() != nullptr);
        there = m_window->findChild<RunQuestion*>()->findChild<QPushButton*>(u"runThere"_s);
        TRY_VERIFY(there->isEnabled());
        there->setFocus(Qt::TabFocusReason);
        QTest::keyClick(there, Qt::Key_Return); // the button that has the focus, and not Cancel
        QVERIFY(test::waitUntil([&rig] { return rig.schemas() == 1; }));
    }

    void aScenarioWithoutRightsDoesNotBegin()
    {
        TestServer& server = TestServer::shared();
        const auto url = server.freshDatabase(TestServer::Schema::None);
        openWindow(server.asRole(url), u"scenarios"_s);
        QVERIFY(m_window->findChild<ScenarioList*>()->choose(u"lost-update"_s));
        auto* run = child<QPushButton>("runScenario");
        QTRY_VERIFY(run->isEnabled());
        QTest::mouseClick(run, Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<RunQuestion*>() != nullptr);
        const QPointer question = m_window->findChild<RunQuestion*>();
        auto* result = question->findChild<NoticeBar*>(u"runAnswer"_s);
        TRY_VERIFY(result->text().contains(u"may not create a schema"));
        VERIFY_STARTS(result->copyable(), u"GRANT CREATE ON DATABASE");
        QVERIFY(!question->findChild<QPushButton*>(u"runThere"_s)->isEnabled());
        keepPictures(*question, u"run-question-no-right"_s);
    }

private:
    void openWindow(const db::ServerUrl& url, const QString& page)
    {
        showWindow({.passwords = TestServer::shared().passwords(), .interval = 250ms}, QSize(1024, 700));
        openServer(url, u"prod"_s, page);
    }

    DangerDialog* dialog() const { return m_window->findChild<DangerDialog*>(); }
    NoticeBar* answer() const { return dialog()->findChild<NoticeBar*>(u"answer"_s); }
    QPushButton* act() const { return test::buttonIn(*dialog(), u"End session"_s); }

    void openDialogFromTheBanner()
    {
        auto* end = child<QPushButton>("endHead");
        TRY_VERIFY(end->isVisible() && end->isEnabled());
        QTest::mouseClick(end, Qt::LeftButton);
        QTRY_VERIFY(dialog() != nullptr);
        TRY_VERIFY(!answer()->text().startsWith(u"Asking"));
    }

    QString auditFile() const { return m_folder->filePath(u"state/lockscope/audit.jsonl"_s); }
};

LOCKSCOPE_TEST(tst_CanIAct)

} // namespace tst_CanIAct
#include "tst_CanIAct.moc"
