// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Incidents in the window, over a real store: firing ones come first, say why they fire and what resolves
// them, and can be acknowledged and muted.

#include "tests/support/Chromium.h"
#include "tests/support/MadeIncidents.h"
#include "tests/support/PlainSql.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/ui/Desk.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/incidents/IncidentView.h"
#include "ui/views/incidents/IncidentsPage.h"
#include "ui/views/incidents/ItemDialog.h"
#include "ui/views/incidents/MuteDialog.h"

namespace tst_IncidentsPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

struct Rig : Desk {
    QString path = folder.filePath(u"incidents.sqlite"_s);
    QString rulesPath = folder.filePath(u"alerts.json"_s);
    MadeIncidents made{path};
    db::ServerProfile profile = profileOf("postgresql://ops@127.0.0.1:1/shop", u"shop"_s);
    std::unique_ptr<admin::ServerAdminClient> admin;
    std::unique_ptr<IncidentBook> book;
    std::unique_ptr<IncidentsPage> page;

    ~Rig() { context.setServer({}, nullptr, nullptr); }

    /// "shop" is on view, and can be acted on.
    void connectShop()
    {
        admin = std::make_unique<admin::ServerAdminClient>(db::Server{profile, {}});
        context.setServer(profile, nullptr, admin.get());
    }
    void open()
    {
        book = std::make_unique<IncidentBook>(path, rulesPath);
        page = std::make_unique<IncidentsPage>(context, *book);
        page->resize(854, 520); // of a window of 1024×700
        page->show();
    }
    /// Opens it and waits for that many incidents.
    void open(int count)
    {
        open();
        QTRY_COMPARE(titles().size(), count);
    }
    void poll(const SnapshotPtr& snapshot)
    {
        page->showHealth(monitor::Health::Live, {}, 0ms);
        page->showSnapshot(snapshot);
    }
    QAbstractItemModel& rows() const { return page->view().tableModel(); }
    QString cell(int row, const QString& column) const
    {
        return test::cell(rows(), row, page->view().tableModel().columnOf(column));
    }
    QStringList titles() const { return column(rows(), page->view().tableModel().columnOf(u"title"_s)); }
    QString label(const QString& name) const { return page->findChild<QLabel*>(name)->text(); }
    QString words(const QString& name) const { return page->findChild<QTextBrowser*>(name)->toPlainText(); }
    QPushButton* button(const QString& text) const
    {
        for (auto* each : page->findChildren<QPushButton*>())
            if (each->text().remove(u'&').startsWith(text) && each->isVisible())
                return each;
        return nullptr;
    }
    NoticeBar* notice() const { return page->findChild<NoticeBar*>(); }
    template <class Dialog> Dialog* dialog() const { return page->findChild<Dialog*>(); }
};

static ServerTime ago(microseconds time)
{
    return ownClock() - time;
}

/// An incident whose head is the session 51 of the snapshot.
static alert::Incident headedBy(const SnapshotPtr& snapshot)
{
    alert::Incident incident = MadeIncidents::billing(ago(6min));
    incident.head.started = snapshot->session(SessionId{51})->started;
    return incident;
}

static SnapshotPtr blockedByBilling(int second = 0)
{
    SnapshotBuilder s(second);
    s.session(51, "billing").idleInTransaction(360);
    s.session(63, "report");
    s.holds(51, "shop.orders", "RowExclusiveLock", 360);
    s.waits(63, "shop.orders", "AccessExclusiveLock", 302);
    return s.take();
}

class tst_IncidentsPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// At 3 o'clock at night: the worst first, then the newer ones, then those that are over.
    void whatFiresComesFirst()
    {
        Rig rig;
        rig.made.pass(MadeIncidents::chain(u"import"_s, ago(2h), alert::Severity::Critical), 4min,
            u"Session 77 has committed."_s);
        rig.made.pass(
            MadeIncidents::chain(u"old"_s, ago(24h * 9), alert::Severity::Critical), 4min, u"Gone."_s);
        rig.made.fire(MadeIncidents::chain(u"report"_s, ago(1min), alert::Severity::Warning));
        rig.made.fire(MadeIncidents::billing(ago(6min)));
        rig.open(3);
        COMPARE_TEXTS(rig.titles(), "25 sessions wait for 51 billing, idle in transaction for 6 min.",
            "3 sessions wait for report.", "3 sessions wait for import.");
        QCOMPARE(rig.cell(0, u"severity"_s), u"critical"_s);
        QCOMPARE(rig.cell(1, u"severity"_s), u"warning"_s);
        QCOMPARE(rig.cell(2, u"severity"_s), u"was critical"_s);
        QCOMPARE(rig.cell(0, u"waiting"_s), u"25"_s);
        QCOMPARE(rig.cell(0, u"waited"_s), u"≥ 1 h 35 min"_s);
        QCOMPARE(rig.cell(2, u"waiting"_s), u"–"_s);
        QCOMPARE(rig.cell(2, u"lasted"_s), u"4 min 00 s"_s);
    }

    void itSaysWhyAndWhatResolvesIt()
    {
        Rig rig;
        rig.made.pass(MadeIncidents::billing(ago(24h * 2)), 12min, u"Session 48 was ended by ann."_s);
        rig.made.fire(MadeIncidents::billing(ago(6min)));
        rig.open();
        QTRY_VERIFY(rig.words(u"incidentHistory"_s).contains(u"Session 48 was ended by ann."_s));
        QCOMPARE(rig.label(u"incidentTitle"_s),
            u"25 sessions wait for 51 billing, idle in transaction for 6 min."_s);
        QVERIFY(rig.label(u"incidentFacts"_s)
                    .contains(u"25 wait now, 25 at worst · cost: at least 1 h 35 min of waiting"_s));
        const QString story = rig.words(u"incidentStory"_s);
        for (const QString& part : {u"which 51 has locked"_s, u"What resolves it"_s,
                 u"its client has not sent a statement for 6 min"_s, u"│  └─ 70 web: waits for"_s,
                 u"UPDATE shop.orders"_s, u"idle head blocker (warning)"_s})
            QVERIFY2(story.contains(part), qPrintable(part + u'\n' + story));
        QVERIFY(rig.words(u"incidentHistory"_s).contains(u"Fired."_s));
        QVERIFY(rig.words(u"incidentHistory"_s).contains(u"for 12 min"_s));
    }

    /// One file for colleagues; without statements if somebody outside is to see it.
    void exported()
    {
        Rig rig;
        rig.made.fire(MadeIncidents::billing(ago(6min)));
        rig.open();
        auto* button = rig.page->findChild<IncidentExportButton*>();
        QTRY_VERIFY(button->isEnabled());
        const auto written = [&](ExportMenu::Form form, bool withStatements) {
            QSignalSpy said(button, &ExportMenu::statusMessage);
            const QString path = rig.folder.filePath(u"incident.out"_s);
            button->exportTo(form, withStatements, path);
            if (!QTest::qWaitFor([&said] { return !said.isEmpty(); }))
                return QByteArray();
            return contentOf(path);
        };
        const QByteArray page = written(ExportMenu::Form::Html, true);
        QVERIFY(page.contains("25 sessions wait for 51 billing"));
        QVERIFY(page.contains("UPDATE shop.orders"));
        QVERIFY(!page.contains("<script"));
        QVERIFY(!written(ExportMenu::Form::Html, false).contains("UPDATE shop.orders"));
        QVERIFY(written(ExportMenu::Form::Markdown, false).contains("51 billing"));
        QVERIFY(!QJsonDocument::fromJson(written(ExportMenu::Form::Json, false)).isNull());
    }

    /// A long night of 25 sessions, with its history and similar ones: two sheets for the meeting.
    void theExportedPagePrintsOnTwoPages()
    {
        if (Chromium::program().isEmpty())
            QSKIP("there is no Chromium here");
        Rig rig;
        for (int days = 10; days > 0; --days)
            rig.made.pass(MadeIncidents::billing(ago(24h * days)), 12min, u"Session 48 was ended by ann."_s);
        alert::Incident incident = MadeIncidents::billing(ago(30min));
        for (int i = 0; i < 18; ++i)
            incident.chain.insert(
                1, u"├─ %1 web: waits for shop.orders (access share) for 4 min 41 s"_s.arg(100 + i));
        incident = rig.made.fire(incident);
        for (int i = 0; i < 12; ++i)
            QVERIFY(rig.made.store().addStep(incident.id,
                u"Action: Statement %1 of session 70 was cancelled. By ann on db-admin1, audit %1."_s.arg(
                    17 + i)));
        rig.open();
        auto* button = rig.page->findChild<IncidentExportButton*>();
        QTRY_VERIFY(button->isEnabled());
        QSignalSpy said(button, &ExportMenu::statusMessage);
        const QString path = rig.folder.filePath(u"incident.html"_s);
        button->exportTo(ExportMenu::Form::Html, true, path);
        QTRY_VERIFY(!said.isEmpty());
        QProcess print;
        print.start(Chromium::program(),
            {u"--headless"_s, u"--no-sandbox"_s, u"--disable-gpu"_s, u"--no-pdf-header-footer"_s,
                u"--user-data-dir="_s + rig.folder.filePath(u"browser"_s),
                u"--print-to-pdf="_s + rig.folder.filePath(u"incident.pdf"_s), path});
        QVERIFY(print.waitForFinished(60'000));
        QFile pdf(rig.folder.filePath(u"incident.pdf"_s));
        QVERIFY2(pdf.open(QIODevice::ReadOnly), print.readAllStandardError().constData());
        static const QRegularExpression page(u"/Type\\s*/Page\\b"_s);
        const auto count = QString::fromLatin1(pdf.readAll()).count(page);
        QVERIFY2(count == 1 || count == 2, qPrintable(QString::number(count)));
        if (const QString folder = qEnvironmentVariable("LOCKSCOPE_TEST_PICTURES"); !folder.isEmpty()) {
            QFile::copy(pdf.fileName(), folder + u"/incident.pdf"_s);
            QFile::copy(path, folder + u"/incident.html"_s);
        }
    }

    /// The line is quiet, because it may clear. Rows stay under the mouse when it comes and goes.
    void whatIsPendingIsOneQuietLine()
    {
        Rig rig;
        rig.made.fire(MadeIncidents::billing(ago(6min)));
        rig.open(1);
        auto* line = rig.page->findChild<QLabel*>(u"pendingAlerts"_s);
        QVERIFY(line && !line->isVisible());
        const QRect table = rig.page->view().geometry();
        alert::PendingAlert first{.rule = u"long wait"_s,
            .cause = {},
            .severity = alert::Severity::Warning,
            .left = 12s,
            .text = u"63 waits for 48 s."_s};
        first.cause.server = u"shop"_s;
        alert::PendingAlert second = first;
        second.rule = u"strong queue"_s;
        second.left = 40s;
        rig.page->setPending({first});
        QVERIFY(line->isVisible());
        QCOMPARE(line->text(), u"Pending: “long wait” on shop fires in 12 s unless it clears."_s);
        rig.page->setPending({first, second});
        QVERIFY(line->text().endsWith(u" 1 more."_s));
        QVERIFY(
            line->toolTip().contains(u"strong queue"_s) && line->toolTip().contains(u"63 waits for 48 s."_s));
        QCOMPARE(rig.page->view().geometry(), table);
        rig.page->setPending({});
        QVERIFY(!line->isVisible());
        QCOMPARE(rig.page->view().geometry(), table);
    }

    /// Incidents can't be kept on a full disk: the page does not look like a quiet night.
    void incidentsThatCannotBeKept()
    {
        Rig rig;
        rig.open();
        QTRY_VERIFY(rig.book->list());
        rig.page->setWatchError(Error{.kind = ErrorKind::Server, .what = u"The disk is full."_s});
        QVERIFY(rig.notice()->isVisible());
        QVERIFY(rig.notice()->text().contains(u"New incidents are not kept."_s));
        rig.page->setWatchError(std::nullopt);
        QVERIFY(!rig.notice()->isVisible());
    }

    /// The person who has the same incident again reads what helped the last time.
    void whatWasDoneIsRemembered()
    {
        Rig rig;
        const alert::Incident before = rig.made.fire(MadeIncidents::billing(ago(24h * 2)));
        rig.open(1);
        rig.book->noteAct(before.id, u"Session 51 was ended. By ann on db-admin1, audit 17."_s);
        QTRY_VERIFY(rig.words(u"incidentHistory"_s).contains(u"Session 51 was ended."_s));
        rig.made.resolve(before, before.since + 12min, u"Session 51 billing ended."_s);
        const alert::Incident again = rig.made.fire(MadeIncidents::billing(ago(6min)));
        QTRY_VERIFY(rig.page->revealIncident(again.id));
        TRY_CONTAINS(rig.words(u"incidentHistory"_s),
            u"for 12 min: 25 sessions wait for 51 billing, idle in transaction for 6 min. Session 51 was ended. By ann on db-admin1, audit 17. Session 51 billing ended."_s);
    }

    /// Unknown is not zero: the waiters of a server that does not answer are unknown.
    void whatWasNotCountedIsNoZero()
    {
        Rig rig;
        rig.made.fire(MadeIncidents::unreachable(ago(2min)));
        rig.open(1);
        for (const QString& column : {u"waiting"_s, u"worst_waiting"_s, u"waited"_s})
            QCOMPARE(rig.cell(0, column), u"–"_s);
        QVERIFY(!rig.button(u"End session"_s));
    }

    void anEmptyPageTeaches()
    {
        Rig rig;
        rig.open();
        rig.page->setWatched([] { return WatchedServers{{u"shop"_s}, {u"stock"_s}, ServerTime{1}}; });
        QTRY_COMPARE(rig.page->view().emptyTitle(), u"No incident in the last 7 days"_s);
        rig.page->setWatched({});
        rig.page->hide();
        rig.page->show();
        QCOMPARE(rig.page->view().emptyTitle(), u"Nothing is watched"_s);
    }

    /// A file that can't be read is an error, and not an empty table.
    void aFileThatCannotBeRead()
    {
        Rig rig;
        rig.path = rig.folder.filePath(u"other.sqlite"_s);
        test::makeFile(rig.path, QByteArray("this is no database at all. ").repeated(100));
        rig.open();
        QTRY_VERIFY(rig.book->error());
        QCOMPARE(rig.page->view().emptyTitle(), rig.book->error()->what);
        for (const char* table : {"mutes", "rules", "channels", "maintenance"})
            QCOMPARE(
                rig.page->findChild<TableView*>(QLatin1String(table))->emptyTitle(), rig.book->error()->what);
        QVERIFY(rig.notice()->isVisible());
        QFile::remove(rig.path);
        QTRY_VERIFY(!rig.book->error());
        QTRY_VERIFY(!rig.notice()->isVisible());
        QCOMPARE(rig.page->view().emptyTitle(), u"Nothing is watched"_s);
        QCOMPARE(rig.page->findChild<TableView*>(u"mutes"_s)->emptyTitle(), u"Nothing is muted"_s);
        QCOMPARE(rig.page->findChild<TableView*>(u"channels"_s)->emptyTitle(),
            u"Incidents are shown on this machine only"_s);
    }

    void acknowledged()
    {
        Rig rig;
        rig.made.fire(MadeIncidents::billing(ago(6min)));
        rig.open(1);
        rig.button(u"Acknowledge"_s)->click();
        auto* dialog = rig.dialog<AcknowledgeDialog>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>(u"why"_s)->setText(u"deploying"_s);
        dialog->findChild<QPushButton*>(u"acknowledge"_s)->click();
        QTRY_VERIFY(rig.cell(0, u"handling"_s).startsWith(u"acknowledged by "_s));
        QVERIFY(!rig.button(u"Acknowledge"_s)->isEnabled());
        QVERIFY(rig.label(u"incidentFacts"_s).endsWith(u"deploying"_s));
        QTRY_VERIFY(rig.words(u"incidentHistory"_s).contains(u"Acknowledged"_s));
    }

    /// Muted for at most 40 waiting sessions; then unmuted by hand.
    void mutedWithACeilingAndUnmuted()
    {
        Rig rig;
        const alert::Incident fired = rig.made.fire(MadeIncidents::billing(ago(6min)));
        rig.open(1);
        rig.button(u"Mute"_s)->click();
        auto* dialog = rig.dialog<MuteDialog>();
        QVERIFY(dialog);
        auto* mute = dialog->findChild<QPushButton*>(u"mute"_s);
        QVERIFY(!mute->isEnabled()); // without a reason
        dialog->findChild<QLineEdit*>(u"why"_s)->setText(u"planned import"_s);
        dialog->findChild<QComboBox*>(u"muteEnd"_s)->setCurrentText(u"until it is cleared"_s);
        dialog->findChild<QCheckBox*>(u"hasMaxWaiting"_s)->setChecked(true);
        dialog->findChild<QSpinBox*>(u"maxWaiting"_s)->setValue(40);
        mute->click();
        QTRY_COMPARE(rig.cell(0, u"handling"_s), u"muted until it is cleared"_s);
        const auto mutes = rig.made.store().mutes(ownClock());
        QVERIFY(mutes && mutes->size() == 1);
        QCOMPARE(mutes->first().value, fired.cause.fingerprint());
        QCOMPARE(mutes->first().maxWaiting, 40);
        QCOMPARE(mutes->first().by, watch::ownAccountText());
        // 41 wait: the ceiling is passed, and a notice is sent again.
        alert::Incident worse = fired;
        worse.waiting = worse.worstWaiting = 41;
        QVERIFY(rig.made.store().change(worse, {}, {}));
        QTRY_COMPARE(rig.cell(0, u"handling"_s), QString());

        rig.page->showView(IncidentsPage::Mutes);
        auto* list = rig.page->findChild<TableView*>(u"mutes"_s);
        QVERIFY(list->isVisible());
        const auto mutedText = [list](const QString& column) {
            return cell(*list->model(), 0, list->tableModel().columnOf(column));
        };
        QCOMPARE(mutedText(u"why"_s), u"planned import"_s);
        QCOMPARE(mutedText(u"ceiling"_s), u"up to 40 waiting sessions"_s);
        QVERIFY(rig.button(u"Unmute"_s)->isEnabled());
        rig.button(u"Unmute"_s)->click();
        TRY_STARTS(mutedText(u"state"_s), u"ended: by "_s);
        QVERIFY(!rig.button(u"Unmute"_s)->isEnabled());
    }

    void whatCanBeMuted()
    {
        alert::Incident incident = MadeIncidents::billing(ago(6min));
        QStringList kinds;
        for (const alert::Mute& mute : alert::mutesFor(incident)) {
            kinds << alert::muteOfName(mute.of);
            QVERIFY(alert::isAbout(mute, incident));
        }
        COMPARE_TEXTS(kinds, "fingerprint", "rule", "rule", "program", "server");
        QCOMPARE(tomorrowMorning(QDateTime(QDate(2026, 11, 27), QTime(17, 0))).us,
            QDateTime(QDate(2026, 11, 28), QTime(8, 0)).toMSecsSinceEpoch() * 1'000);
    }

    /// It ends exactly the intended session.
    void theButtonEndsTheHeadBlocker()
    {
        Rig rig;
        const SnapshotPtr snapshot = blockedByBilling();
        rig.made.fire(headedBy(snapshot));
        rig.connectShop();
        rig.open();
        QSignalSpy acts(rig.page.get(), &Page::requestAct);
        QTRY_COMPARE(rig.titles().size(), 1);
        QVERIFY(!rig.button(u"End session 51"_s)->isEnabled()); // nothing was polled yet
        rig.poll(snapshot);
        QVERIFY2(rig.button(u"End session 51"_s)->isEnabled(), qPrintable(rig.label(u"incidentAnswer"_s)));
        rig.button(u"End session 51"_s)->click();
        QCOMPARE(acts.size(), 1);
        const auto action = acts.first().first().value<Action>();
        QCOMPARE(std::get<EndSessionAction>(action).session.key(), snapshot->session(SessionId{51})->key());
    }

    /// No click may affect another session, another server or another time.
    void theButtonSaysWhyNot()
    {
        Rig rig;
        const SnapshotPtr snapshot = blockedByBilling();
        alert::Incident incident = headedBy(snapshot);
        incident.head.started = incident.head.started - 1h;
        rig.made.fire(incident);
        rig.connectShop();
        rig.open(1);
        const auto isRefused = [&rig](const QString& why) {
            const QPushButton* end = rig.button(u"End session 51"_s);
            return end && !end->isEnabled() && end->toolTip().contains(why)
                && rig.label(u"incidentAnswer"_s).contains(why);
        };
        rig.poll(snapshot);
        QVERIFY(isRefused(u"Session 51 is another one by now"_s));
        SnapshotBuilder without;
        without.session(63, "report");
        rig.poll(without.take());
        QVERIFY(isRefused(u"Session 51 is not there any more"_s));
        rig.page->showHealth(monitor::Health::Silent, {}, 20s);
        QVERIFY(isRefused(u"does not answer"_s));
        rig.context.setPastTime(AppContext::PastTime{snapshot->takenAt, snapshot->takenAt, false});
        QVERIFY(isRefused(u"go back to Live to act"_s));
        rig.context.setPastTime(std::nullopt);
        db::ServerProfile other = rig.profile;
        other.url = *db::ServerUrl::parse(u"postgresql://ops@127.0.0.1:2/shop"_s);
        rig.context.setServer(other, nullptr, rig.admin.get());
        QVERIFY(isRefused(u"It is of “localhost:1”, which is not on view"_s));
    }

    /// Rows come, change and end; what is selected stays, and nothing is reset.
    void theSelectionSurvives()
    {
        Rig rig;
        const alert::Incident warning =
            rig.made.fire(MadeIncidents::chain(u"report"_s, ago(3min), alert::Severity::Warning));
        rig.open();
        QAbstractItemModelTester tester(&rig.rows(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&rig.rows(), &QAbstractItemModel::modelReset);
        QTRY_COMPARE(rig.page->view().currentViewRow(), 0);
        rig.made.fire(MadeIncidents::billing(ago(6min)));
        QTRY_COMPARE(rig.titles().size(), 2);
        QCOMPARE(rig.page->view().currentViewRow(), 1);
        QCOMPARE(rig.label(u"incidentTitle"_s), u"3 sessions wait for report."_s);
        rig.made.resolve(warning, ownClock(), u"Nobody waits any more."_s);
        QTRY_COMPARE(rig.cell(1, u"severity"_s), u"was warning"_s);
        QCOMPARE(rig.page->view().currentViewRow(), 1);
        QVERIFY(rig.words(u"incidentStory"_s).contains(u"Nobody waits any more."_s));
        QCOMPARE(resets.size(), 0);
    }

    void onlyThoseOfTheLastWeekCanBeMissing()
    {
        Rig rig;
        const auto sql = PlainSql::open(db::ServerUrl::ofFile(rig.path), {});
        QVERIFY(sql);
        const auto passOften = [&](microseconds age) {
            const alert::Incident one = rig.made.pass(
                MadeIncidents::chain(u"import"_s, ago(age), alert::Severity::Warning), 4min, u"Gone."_s);
            return sql->run(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
                "INSERT INTO incident (fingerprint, head, server, is_firing, is_critical, fired_us, "
                "resolved_us, seen_us, body) "
                "SELECT fingerprint, head, server, 0, 0, fired_us, resolved_us, seen_us, body "
                "FROM incident, n WHERE id = $1",
                {QByteArray::number(one.id)});
        };
        QVERIFY(passOften(24h * 8));
        const alert::Incident billing = rig.made.fire(MadeIncidents::billing(ago(6min)));
        rig.open(1);
        VERIFY_LACKS(rig.page->countText(), u"only the latest"_s);
        QVERIFY(passOften(24h));
        QTRY_VERIFY(rig.page->countText().contains(u"only the latest"_s));
        VERIFY_CONTAINS(rig.page->countText(), u"1,000 that are over, without 1 earlier one"_s);
        QCOMPARE(rig.titles().size(), 1'001);
        // One that ends now is the latest, although all these fired after it.
        rig.made.resolve(billing, ownClock(), u"Nobody waits any more."_s);
        QTRY_COMPARE(rig.cell(0, u"severity"_s), u"was critical"_s);
        QCOMPARE(rig.titles().first(), billing.title);
        QCOMPARE(rig.titles().size(), 1'000);
        VERIFY_CONTAINS(rig.page->countText(), u"without 2 earlier ones"_s);
    }

    void filtered()
    {
        Rig rig;
        rig.made.pass(MadeIncidents::chain(u"import"_s, ago(2h), alert::Severity::Warning), 4min, u"Gone."_s);
        rig.made.fire(MadeIncidents::billing(ago(6min)));
        const alert::Incident stock = rig.made.fire(MadeIncidents::unreachable(ago(2min)));
        rig.open(3);
        rig.page->findChild<QCheckBox*>(u"firingOnly"_s)->setChecked(true);
        QCOMPARE(rig.titles().size(), 2);
        auto* server = rig.page->findChild<QComboBox*>(u"incidentServer"_s);
        server->setCurrentIndex(server->findText(u"localhost:1"_s));
        QCOMPARE(rig.titles().size(), 1);
        rig.page->setFilter(u"nobody"_s);
        QCOMPARE(rig.titles().size(), 0);
        QVERIFY(rig.page->revealIncident(stock.id));
        QCOMPARE(rig.label(u"incidentTitle"_s), stock.title);
    }

    /// The window: badge, key, and nothing of importance is cut at 1024×700.
    void inTheWindow()
    {
        OwnSettings own;
        const Variable data("XDG_STATE_HOME", own.folder.path());
        const Variable config("XDG_CONFIG_HOME", own.folder.path());
        QVERIFY(alert::ruleFilePath().startsWith(own.folder.path()));
        alert::ChannelSettings team;
        team.name = u"team"_s;
        team.url = u"https://hooks.example.net/lockscope"_s;
        alert::MaintenanceWindow backup;
        backup.why = u"backup"_s;
        backup.scope.times.resize(1);
        QVERIFY(alert::changeRuleFile({.after = team}) && alert::changeRuleFile({.after = backup}));
        MadeIncidents made(watch::IncidentStore::ownPath());
        QVERIFY(watch::IncidentStore::ownPath().startsWith(own.folder.path()));
        made.pass(MadeIncidents::billing(ago(24h * 2)), 12min, u"Session 48 was ended by ann."_s);
        made.pass(MadeIncidents::chain(u"import"_s, ago(2h), alert::Severity::Warning), 4min,
            u"Session 77 has committed."_s);
        made.fire(MadeIncidents::billing(ago(6min)));
        made.fire(MadeIncidents::unreachable(ago(2min)));
        MainWindow window(own.settings, {});
        window.resize(1'024, 700);
        window.show();
        auto* pages = window.findChild<QListWidget*>(u"pages"_s);
        const int place = int(window.pageIds().indexOf(u"incidents"_s));
        QVERIFY(place >= 0);
        QTRY_VERIFY(pages->item(place)->toolTip().contains(u"need attention: 2, of which critical: 2"_s));
        QTest::keyClick(&window, Qt::Key_0, Qt::ControlModifier);
        auto* page = qobject_cast<IncidentsPage*>(window.currentPage());
        QVERIFY(page && page->isVisible());
        QTRY_COMPARE(page->view().tableModel().rowCount(), 4);
        QTRY_VERIFY(!page->findChild<QTextBrowser*>(u"incidentHistory"_s)->toPlainText().isEmpty());
        QTest::keyClick(&page->view(), Qt::Key_Down);
        const TableModel& model = page->view().tableModel();
        for (const QString& column : {u"severity"_s, u"title"_s, u"server"_s, u"lasted"_s, u"waiting"_s})
            QVERIFY2(!page->view().isColumnHidden(model.columnOf(column)), qPrintable(column));
        const int title = model.columnOf(u"title"_s);
        QVERIFY(page->view().columnWidth(title)
            >= static_cast<QAbstractItemView&>(page->view()).sizeHintForColumn(title)); // the reason is whole
        for (const auto* text : {"incidentTitle", "incidentFacts"}) {
            const auto* label = page->findChild<QLabel*>(QLatin1String(text));
            QVERIFY(label->height() >= label->heightForWidth(label->width()));
        }
        for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Light}) {
            theme::apply(*qApp, mode);
            for (const QSize& size : {QSize(1'024, 700), QSize(1'280, 800), QSize(1'920, 1'080)}) {
                window.resize(size);
                checkViews(window, *page, u"%1-%2"_s.arg(size.width()).arg(themeModeName(mode)));
            }
        }
    }

private:
    /// The buttons of the views stay where they are, and those of the rules are whole.
    static void checkViews(QWidget& window, IncidentsPage& page, const QString& kind)
    {
        page.showView(IncidentsPage::Incidents);
        QTest::qWait(50);
        keepPicture(window, u"incidents-"_s + kind);
        const auto places = [&page] {
            QList<QPoint> all;
            for (const auto* each : page.findChildren<QToolButton*>())
                if (each->isCheckable() && each->isVisible())
                    all << each->mapTo(&page, QPoint());
            return all;
        };
        const QList<QPoint> before = places();
        for (const auto view : {IncidentsPage::Mutes, IncidentsPage::Rules}) {
            page.showView(view);
            QTest::qWait(50);
            QCOMPARE(places(), before);
        }
        auto* tabs = page.findChild<QTabWidget*>(u"ruleFile"_s);
        for (int tab = 0; tab < tabs->count(); ++tab) {
            tabs->setCurrentIndex(tab);
            QTest::qWait(50);
            keepPicture(window, u"rules-%1-"_s.arg(tab) + kind);
            for (const auto* each : tabs->currentWidget()->findChildren<QPushButton*>())
                QVERIFY2(each->width() >= each->sizeHint().width(), qPrintable(each->text()));
        }
    }
};

LOCKSCOPE_TEST(tst_IncidentsPage)

} // namespace tst_IncidentsPage
#include "tst_IncidentsPage.moc"
