// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/FakeKeychain.h"
#include "tests/support/MadeRecording.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/shell/timetravel/TimeBarStrip.h"
#include "ui/shell/timetravel/TimeDialogs.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/TravelDisplay.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/audit/AuditPage.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/history/RecordingWindow.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/overview/OverviewPage.h"
#include "ui/views/sessions/SessionsPage.h"

#include <QtWidgets>

namespace tst_TimeTravel {

using namespace lockscope;
using namespace lockscope::ui;
using test::MadeRecording;

constexpr int now = 1'000; // so long after the beginning of the recording is the present

/// The present: 51 holds, 63 waits for it.
static SnapshotPtr presentAfter(int second)
{
    test::SnapshotBuilder s(now + second);
    s.session(51, "billing").idleInTransaction(now).running("UPDATE orders SET paid = true");
    s.session(63, "till").running("SELECT 1");
    s.session(80, "present").running("UPDATE orders SET paid = NULL");
    s.holds(51, "public.orders", "RowExclusiveLock", now);
    s.waits(80, "public.orders", "RowExclusiveLock", 5);
    return s.take();
}

static db::ServerProfile shop()
{
    db::ServerProfile profile;
    profile.name = u"shop"_s;
    profile.url.host = u"nowhere.invalid"_s;
    return profile;
}

static QString csvOf(Page& page, const QString& folder)
{
    const QString path = folder + u"/rows.csv"_s;
    QSignalSpy said(&page, &Page::statusMessage);
    page.writeCsv(path);
    if (!said.wait())
        return u"not written"_s;
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : u"not written"_s;
}

/// A past time is on view.
class tst_TimeTravel : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        keepState();
        m_file = m_folder->filePath(u"shop.lockscope"_s);
        showWindow({.keychain = std::make_shared<test::FakeKeychain>()}, QSize(1280, 800));
    }
    void cleanup() { dropAll(); }

    void pagesShowTheSnapshotRowForRow_data()
    {
        test::addColumns<QString, int>("page", "second");
        for (const char* page : {"blocking", "locks", "lock-table", "sessions"}) {
            for (const int second : {0, 15, 25, 35, 205})
                QTest::addRow("%s at %d", page, second) << QString::fromLatin1(page) << second;
        }
    }
    void pagesShowTheSnapshotRowForRow()
    {
        FETCH(QString, page, int, second);
        openLive();
        QVERIFY(m_window->showPage(page));
        goTo(second);
        // The same page, given the snapshot that was recorded, while its clock stands.
        AppContext context(*m_settings, nullptr, [] { return std::chrono::steady_clock::time_point(); });
        context.setServer(shop(), nullptr, nullptr);
        const std::unique_ptr<Page> same = makePage(page, context);
        same->resize(m_window->currentPage()->size());
        // Columns that have come stay.
        const SnapshotPtr present = m_window->session()->monitor().snapshot();
        context.noteSnapshot(*present);
        same->showSnapshot(present);
        const SnapshotPtr recorded = MadeRecording::at(second);
        context.noteSnapshot(*recorded);
        same->showSnapshot(recorded);
        QCOMPARE(csvOf(*m_window->currentPage(), m_folder->path()), csvOf(*same, m_folder->path()));
        QCOMPARE(m_window->currentPage()->countText(), same->countText());
        QVERIFY(second != 15 || m_window->currentPage()->canExportCsv());
    }

    void allPagesFollow()
    {
        openLive();
        m_window->showPage(u"sessions"_s);
        QVERIFY(rowsOf("sessions").contains(u"present"_s));
        goTo(25);
        QVERIFY(!rowsOf("sessions").contains(u"present"_s));
        m_window->showPage(u"locks"_s);
        QVERIFY(rowsOf("locks").contains(u"public.orders"_s));
        m_window->showPage(u"lock-table"_s);
        QVERIFY(!rowsOf("lock-table").contains(u"nightly"_s));
        goTo(15);
        QVERIFY(rowsOf("lock-table").contains(u"nightly"_s));
    }

    /// The line stands where somebody has clicked, between two polls; what is written at it is the time of
    /// the snapshot that all pages show, as in the band.
    void theTimeBarShowsTheSnapshotThatIsOnView()
    {
        openLive();
        const TimeBarStrip& strip = *m_window->findChild<TimeBarStrip*>();
        const ServerTime poll = MadeRecording::time(25);
        for (const microseconds after : {0us, 400'000us, 999'999us}) {
            travel().goTo(poll + after);
            TRY_VERIFY(travel().isFound());
            QCOMPARE(strip.position(), poll + after);
            QCOMPARE(strip.shownWords(), clockText(m_window->snapshot()->takenAt));
            VERIFY_CONTAINS(mark().text(), strip.shownWords());
        }
    }

    void selectionAndFilterSurvive()
    {
        openLive();
        m_window->showPage(u"sessions"_s, u"user:shop"_s);
        TableView& view = page<SessionsPage>().view();
        goTo(15);
        page<SessionsPage>().reveal(SessionKey{{63}, startOf(63)});
        QSignalSpy resets(view.model(), &QAbstractItemModel::modelReset);
        QCOMPARE(selected(), u"63"_s);
        goTo(25);
        QCOMPARE(selected(), u"63"_s);
        goTo(35); // it has gone by then
        QCOMPARE(selected(), QString());
        goTo(205);
        QCOMPARE(selected(), u"63"_s);
        QCOMPARE(resets.count(), 0);
        QVERIFY(page<SessionsPage>().findChild<QLineEdit*>()->text() == u"user:shop"_s);
        QTest::keyClick(m_window.get(), Qt::Key_End, Qt::AltModifier);
        QTRY_VERIFY(!travel().isOn());
        QCOMPARE(selected(), u"63"_s);
    }

    void whatWasSelectedMeanwhileStays()
    {
        openLive();
        m_window->showPage(u"sessions"_s);
        goTo(15);
        page<SessionsPage>().reveal(SessionKey{{63}, startOf(63)});
        goTo(35);
        page<SessionsPage>().reveal(SessionKey{{51}, startOf(51)});
        goTo(15);
        QCOMPARE(selected(), u"51"_s);
    }

    /// The mark, the clock and the title show the past time; Live takes all of that back.
    void itSaysThatThisIsNotNow()
    {
        openLive();
        QVERIFY(mark().isHidden());
        goTo(15);
        QVERIFY2(mark().text().startsWith(u"You are viewing "_s) && mark().text().contains(u"03:12:22"_s),
            qPrintable(mark().text()));
        VERIFY_CONTAINS(mark().text(), u" ago"_s);
        QVERIFY(child<QLabel>("clock")->text().contains(u"PAST"_s));
        QVERIFY(child<QLabel>("clock")->text().contains(u"03:12:22"_s));
        QVERIFY(m_window->windowTitle().contains(u", past"_s));
        QVERIFY(!child<QToolButton>("pause")->isEnabled());
        const SnapshotPtr before = m_window->session()->monitor().snapshot();
        m_window->session()->monitor().refreshNow(); // it is polled on
        TRY_VERIFY(m_window->session()->monitor().snapshot() != before);
        QCOMPARE(m_window->snapshot()->takenAt, MadeRecording::time(15));

        QTest::mouseClick(child<QPushButton>("goLive"), Qt::LeftButton);
        QVERIFY(mark().isHidden());
        QCOMPARE(m_window->snapshot(), m_window->session()->monitor().snapshot());
        QVERIFY(!child<QLabel>("clock")->text().contains(u"PAST"_s));
        QVERIFY(!m_window->windowTitle().contains(u", past"_s));
        QVERIFY(child<QToolButton>("pause")->isEnabled());
        m_window->showPage(u"sessions"_s);
        QVERIFY(rowsOf("sessions").contains(u"present"_s));
    }

    /// The way of reading frameworks' rows now says nothing about a time when they were read otherwise, or
    /// not at all.
    void theWayOfReadingIsReportedOfThePresentOnly()
    {
        openLive();
        m_window->showPage(u"lock-table"_s);
        const auto* line = child<QLabel>("frameworkReading");
        const auto* rights = child<QToolButton>("rights");
        const QString way = u"are read with your own rights"_s;
        QVERIFY(line->isVisible() && line->text().contains(way) && rights->toolTip().contains(way));
        goTo(15);
        QVERIFY(line->isHidden() && line->text().isEmpty() && line->toolTip().isEmpty());
        VERIFY_LACKS(rights->toolTip(), way);
        QTest::mouseClick(child<QPushButton>("goLive"), Qt::LeftButton);
        QVERIFY(line->isVisible() && line->text().contains(way) && rights->toolTip().contains(way));
    }

    void agesAreThoseOfThePastTime()
    {
        openLive();
        goTo(25);
        AppContext& context = m_window->currentPage()->context();
        QCOMPARE(context.serverNow(), MadeRecording::time(25));
        QTest::qWait(20); // the clock stands
        QCOMPARE(context.serverNow(), MadeRecording::time(25));
        QVERIFY(context.pastTime());
    }

    void nothingIsActedOn_data()
    {
        QTest::addColumn<Action>("action");
        const SnapshotPtr then = MadeRecording::at(15);
        test::row("end", Action(EndSessionAction{then->sessions.front()}));
        test::row("cancel", Action(CancelStatementAction{then->sessions.front()}));
        test::row("release", Action(ReleaseEntryAction{then->entries.front()}));
        test::row("purge", Action(PurgeStaleAction{}));
        test::row("acquire", Action(AcquireAction{}));
        test::row("install", Action(InstallSchemaAction{}));
    }
    void nothingIsActedOn()
    {
        QFETCH(Action, action);
        openLive();
        goTo(15);
        auto* runner = m_window->findChild<ActRunner*>();
        QSignalSpy refused(runner, &ActRunner::refused);
        Q_EMIT m_window->currentPage()->requestAct(action);
        QCOMPARE(refused.count(), 1);
        QVERIFY2(
            isReason(refused.first().first().toString()), qPrintable(refused.first().first().toString()));
        QVERIFY(!m_window->findChild<DangerDialog*>());
        QVERIFY(!m_window->findChild<AcquireDialog*>());
    }

    void buttonsAndKeysSayWhy()
    {
        openLive();
        m_window->showPage(u"sessions"_s);
        goTo(15);
        page<SessionsPage>().reveal(SessionKey{{63}, startOf(63)});
        int disabled = 0;
        for (const QPushButton* button : page<SessionsPage>().findChildren<QPushButton*>()) {
            if (!button->text().startsWith(u"End"_s) && !button->text().startsWith(u"Cancel"_s))
                continue;
            QVERIFY(!button->isEnabled());
            QVERIFY2(isReason(button->toolTip()), qPrintable(button->toolTip()));
            ++disabled;
        }
        QCOMPARE(disabled, 2);
        QSignalSpy said(m_window->currentPage(), &Page::statusMessage);
        page<SessionsPage>().view().setFocus();
        QTest::keyClick(&page<SessionsPage>().view(), Qt::Key_Delete);
        QCOMPARE(said.count(), 1);
        QVERIFY2(isReason(said.first().first().toString()), qPrintable(said.first().first().toString()));
    }

    void aDialogThatAsksClosesWhenTheTimeChanges()
    {
        openLive();
        // A session that shows a source has nothing to act on: the context is given a client.
        AppContext& context = m_window->currentPage()->context();
        admin::ServerAdminClient client(db::Server{shop(), {}, {}});
        context.setServer(shop(), m_window->session(), &client);
        Q_EMIT m_window->currentPage()->requestAct(PurgeStaleAction{});
        QPointer<DangerDialog> dialog = m_window->findChild<DangerDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        goTo(15);
        QTRY_VERIFY(!dialog || !dialog->isVisible());
        context.setServer(shop(), nullptr, nullptr);
    }

    void onlyTheNewestPositionIsAskedFor()
    {
        openLive();
        goTo(0);
        QSignalSpy shown(&travel(), &TimeTravel::pastViewChanged);
        for (int drag = 0; drag < 200; ++drag)
            travel().goTo(MadeRecording::time(drag % 40));
        travel().goTo(MadeRecording::time(33));
        QCOMPARE(*travel().position(), MadeRecording::time(33));
        QTRY_COMPARE(m_window->snapshot()->takenAt, MadeRecording::time(33));
        QVERIFY2(shown.count() <= 2, qPrintable(QString::number(shown.count())));
    }

    void keysLeadFromSnapshotToSnapshotAndFromIncidentToIncident()
    {
        openLive();
        const auto press = [this](int key) {
            QTest::keyClick(m_window.get(), static_cast<Qt::Key>(key), Qt::AltModifier);
        };
        press(Qt::Key_Left);
        QTRY_VERIFY(isAt(209));
        press(Qt::Key_Left);
        QTRY_VERIFY(isAt(208));
        press(Qt::Key_PageUp);
        QTRY_VERIFY(isAt(200));
        press(Qt::Key_PageUp);
        QTRY_VERIFY(isAt(10));
        press(Qt::Key_PageUp);
        QTRY_VERIFY(child<QLabel>("statusMessage")
                        ->text()
                        .contains(u"nothing of this is recorded: the beginning of a wait"_s));
        QCOMPARE(m_window->snapshot()->takenAt, MadeRecording::time(10));
        press(Qt::Key_PageDown);
        QTRY_VERIFY(isAt(200));
        press(Qt::Key_Right);
        QTRY_VERIFY(isAt(201));
        press(Qt::Key_End);
        QTRY_VERIFY(!travel().isOn());
    }

    /// A new window shows the time before it, and the times without a recording.
    void chartsStartWithWhatIsRecorded()
    {
        openLive();
        const monitor::History& history = m_window->session()->history();
        TRY_COMPARE(history.samples().front().at, MadeRecording::time(201));
        QCOMPARE(history.samples().front().waiters, 1);
        const auto live = std::ranges::find_if(
            history.samples(), [](const auto& sample) { return sample.at >= MadeRecording::time(now); });
        QVERIFY(live != history.samples().end() && live->afterGap);
        QVERIFY(std::next(history.samples().begin())->afterGap == false);
    }

    /// The tooltip gives the whole gap, also where it continues beyond the view.
    void theTipOfAGapTellsItsOwnTimes()
    {
        openLive();
        auto* strip = m_window->findChild<TimeBarStrip*>();
        m_window->findChild<TimeBar*>()->showRange(MadeRecording::time(80), MadeRecording::time(150));
        const auto tip = [strip] {
            const QPoint place = strip->geometryNow().waiters.center();
            QHelpEvent event(QEvent::ToolTip, place, strip->mapToGlobal(place));
            QApplication::sendEvent(strip, &event);
            return QToolTip::text();
        };
        const QString own = u"Not recorded from %1 to %2 (2 min 41 s)"_s.arg(
            clockText(MadeRecording::time(MadeRecording::lastBeforeGap)),
            clockText(MadeRecording::time(MadeRecording::firstAfterGap)));
        TRY_CONTAINS(tip(), own);
        // So has it when the view moves on, and the rest of it is read.
        m_window->findChild<TimeBar*>()->showRange(MadeRecording::time(60), MadeRecording::time(205));
        TRY_CONTAINS(tip(), own);
    }

    void aTimeThatIsTypedIsShown()
    {
        openLive();
        const auto dialog = [this] { return m_window->findChild<GoToTimeDialog*>(); };
        QTest::keyClick(m_window.get(), Qt::Key_G, Qt::ControlModifier);
        QTRY_VERIFY(dialog() && dialog()->isVisible());
        auto* text = dialog()->findChild<QLineEdit*>(u"time"_s);
        const auto* reading = dialog()->findChild<QLabel*>(u"reading"_s);
        VERIFY_STARTS(reading->text(), u"Recorded from "_s);
        QTest::keyClicks(text, u"25:99"_s);
        QTest::keyClick(text, Qt::Key_Return);
        QVERIFY(dialog()->isVisible()); // there is no such time
        text->clear();
        QTest::keyClicks(text, u"03:12:22"_s);
        VERIFY_ENDS(reading->text(), u"03:12:22 UTC"_s);
        QTest::keyClick(text, Qt::Key_Return);
        QTRY_VERIFY(isAt(15));
    }

    void aNoteIsAMarkOfTheTimeOnView()
    {
        openLive();
        goTo(15);
        auto* strip = m_window->findChild<TimeBarStrip*>();
        strip->setFocus();
        QTest::keyClick(strip, Qt::Key_M);
        const auto dialog = [this] { return m_window->findChild<NoteDialog*>(); };
        QTRY_VERIFY(dialog() && dialog()->isVisible());
        auto* text = dialog()->findChild<QLineEdit*>(u"note"_s);
        QTest::keyClicks(text, u"deploy 4.2"_s);
        press(*dialog());
        TRY_VERIFY(!dialog());
        TRY_VERIFY(!notesOfTheRecording().isEmpty());
        const record::Event note = notesOfTheRecording().first();
        QCOMPARE(note.what, u"deploy 4.2"_s);
        QCOMPARE(note.at, MadeRecording::time(15));
        // The key for the next landmark leads there.
        goTo(2);
        strip->setFocus();
        QTest::keyClick(strip, Qt::Key_N); // 63 begins to wait
        QTRY_VERIFY(isAt(10));
        QTest::keyClick(strip, Qt::Key_N);
        QTRY_VERIFY(isAt(15));
    }

    void whatIsFoundLeadsToItsTime()
    {
        openLive();
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        const auto search = [this] { return m_window->findChild<SearchWindow*>(); };
        QTRY_VERIFY(search() && search()->isVisible());
        auto* view = search()->findChild<TableView*>(u"found"_s);
        auto* text = search()->findChild<QLineEdit*>(u"searched"_s);
        QTest::keyClicks(text, u"public.items"_s);
        QTest::keyClick(text, Qt::Key_Return);
        QCOMPARE(view->emptyTitle(), u"Searching…"_s);
        TRY_COMPARE(view->model()->rowCount(), 1);
        QCOMPARE(view->model()->index(0, 0).data().toString(), u"table"_s);
        QCOMPARE(view->model()->index(0, 1).data().toString(), u"public.items"_s);
        QTest::keyClick(view, Qt::Key_Return); // where it was seen last
        QTRY_VERIFY(isAt(MadeRecording::last));
        for (QPushButton* button : search()->findChildren<QPushButton*>()) {
            if (button->text().contains(u"first"_s))
                button->click();
        }
        QTRY_VERIFY(isAt(MadeRecording::firstAfterGap));
    }

    /// The differences between the time on view and a typed one; a button leads there.
    void twoTimesStandSideBySide()
    {
        openLive();
        goTo(15);
        auto* strip = m_window->findChild<TimeBarStrip*>();
        strip->setFocus();
        QTest::keyClick(strip, Qt::Key_C);
        const auto dialog = [this] { return m_window->findChild<GoToTimeDialog*>(); };
        QTRY_VERIFY(dialog() && dialog()->isVisible());
        VERIFY_STARTS(dialog()->windowTitle(), u"Compare "_s);
        auto* text = dialog()->findChild<QLineEdit*>(u"time"_s);
        QTest::keyClicks(text, u"03:12:42"_s); // second 35
        press(*dialog());
        const auto differences = [this] { return m_window->findChild<DifferenceWindow*>(); };
        TRY_VERIFY(differences());
        auto* view = differences()->findChild<TableView*>(u"differences"_s);
        TRY_VERIFY(view->model()->rowCount() > 0);
        const QString rows = view->toCsv();
        VERIFY_CONTAINS(rows, u"wait,gone,63 till,public.orders"_s);
        VERIFY_CONTAINS(rows, u"session,gone,63 till"_s);
        VERIFY_CONTAINS(rows, u"lock,gone,ann,nightly"_s);
        VERIFY_LACKS(rows, u"51 billing"_s);
        for (QPushButton* button : differences()->findChildren<QPushButton*>()) {
            if (button->text().contains(u"second"_s))
                button->click();
        }
        QTRY_VERIFY(isAt(35));
    }

    void theKeysLeadToWhatIsChosenBelowTheTimeBar()
    {
        openLive();
        for (QAction* kind : child<QMenu>("landmarks")->actions()) {
            if (kind->isChecked() != (kind->text() == u"a wait that turns red"_s))
                kind->trigger();
        }
        // The choice outlives the window.
        QCOMPARE(m_settings->value(u"timeBar/landmarks"_s).toInt(), int(record::Landmark::LongWait));
        QTest::keyClick(m_window.get(), Qt::Key_PageUp, Qt::AltModifier);
        QTRY_VERIFY(child<QLabel>("statusMessage")
                        ->text()
                        .contains(u"nothing of this is recorded: a wait that turns red"_s));
    }

    void theDetailPaneDoesNotNarrowTheTimeBar()
    {
        openLive();
        m_window->showPage(u"blocking"_s);
        auto* bar = child<TimeBar>("timeBar");
        const int before = bar->width();
        auto* detail = m_window->findChild<DetailPane*>();
        detail->setVisible(!detail->isVisible());
        QCoreApplication::processEvents();
        QCOMPARE(bar->width(), before);
        QVERIFY(bar->isVisible());
    }

    void whereNothingIsRecordedIsSaid()
    {
        openLive();
        goTo(100, MadeRecording::lastBeforeGap);
        auto* bar = child<NoticeBar>("healthBar");
        VERIFY_CONTAINS(bar->text(), u"Not recorded from 03:12:46 to 03:15:27"_s);
        goTo(15);
        QCOMPARE(bar->text(), QString());
    }

    void playingSkipsGapsAndEndsInThePresent()
    {
        openLive();
        goTo(30);
        QSignalSpy said(&travel(), &TimeTravel::said);
        travel().play(100);
        TRY_VERIFY(!said.isEmpty());
        QVERIFY(said.first().first().toString().startsWith(u"Skipped."_s));
        TRY_VERIFY(!travel().isOn());
        QCOMPARE(travel().speed(), 0.0);
        QVERIFY(mark().isHidden());
    }

    void theAuditIsThatOfThePastTime()
    {
        openLive();
        m_window->showPage(u"audit"_s);
        admin::AuditRecord early;
        early.id = 1;
        early.at = MadeRecording::time(5);
        early.target = u"session 1"_s;
        admin::AuditRecord late = early;
        late.id = 2;
        late.at = MadeRecording::time(100);
        page<AuditPage>().showResult(QList<admin::AuditRecord>{late, early});
        QCOMPARE(page<AuditPage>().view().model()->rowCount(), 2);
        goTo(15);
        QCOMPARE(page<AuditPage>().view().model()->rowCount(), 1);
        goTo(2);
        QCOMPARE(page<AuditPage>().view().model()->rowCount(), 0);
        QVERIFY(page<AuditPage>().view().emptyTitle().contains(u"before that"_s));
        travel().goLive();
        QCOMPARE(page<AuditPage>().view().model()->rowCount(), 2);
    }

    void chartsEndAtThePastTime()
    {
        openLive();
        m_window->showPage(u"overview"_s);
        goTo(205);
        const auto title = [this] {
            QStringList all;
            for (const QLabel* label : m_window->currentPage()->findChildren<QLabel*>())
                all << label->text();
            return all.join(u'\n');
        };
        TRY_CONTAINS(title(), u"1 then"_s);
        QVERIFY(title().contains(u"Most contended then"_s));
        travel().goLive();
        QVERIFY(title().contains(u"Most contended now"_s));
        QVERIFY(title().contains(u"1 now"_s));
    }

    void aDamagedSnapshotIsReportedAndTheRowsStay()
    {
        QVERIFY(MadeRecording::write(m_file, u"shop"_s));
        {
            auto database = test::orDie(record::Database::open(m_file, record::Database::Mode::Write));
            QVERIFY(database->script("UPDATE frame SET data = X'0102' WHERE number = 21"));
        }
        m_window->openRecording(m_file);
        m_window->showPage(u"sessions"_s);
        QTRY_VERIFY(isAt(209));
        goTo(5);
        const QString rows = rowsOf("sessions");
        travel().goTo(MadeRecording::time(25));
        auto* bar = child<NoticeBar>("healthBar");
        TRY_CONTAINS(bar->text(), u"03:12:32 UTC can't be shown"_s);
        QCOMPARE(rowsOf("sessions"), rows);
        QVERIFY(page<SessionsPage>().view().isFaded());
        VERIFY_CONTAINS(mark().text(), u"03:12:12"_s);
        goTo(204);
        QCOMPARE(bar->text(), QString());
        QVERIFY(!page<SessionsPage>().view().isFaded());
    }

    /// The damage is as by a disk. Nobody has the file open meanwhile: SQLite would have its pages in memory.
    void aDamagedPageIsReportedAndTheTimeBarStays()
    {
        constexpr int last = 299;
        constexpr int damaged = 99;
        constexpr qint64 pageBytes = 4096; // SQLite's own choice
        {
            auto writer = test::orDie(record::RecordingWriter::open(m_file,
                {u"long"_s, u"shop"_s, Engine::Postgres, MadeRecording::time(0), false, u"a test"_s}));
            for (int second = 0; second <= last; ++second) {
                auto snapshot = std::make_shared<Snapshot>(*MadeRecording::at(second));
                snapshot->server = u"shop"_s;
                QVERIFY(writer->append(snapshot, MadeRecording::time(second)));
            }
        }
        QByteArray frame;
        {
            auto database = test::orDie(record::Database::open(m_file, record::Database::Mode::Read));
            QVERIFY(database->run("recording/recording/frames", {damaged + 1, damaged + 1},
                [&frame](const record::Store::Row& row) {
                    frame = row.bytes(1);
                    return false;
                }));
        }
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::ReadWrite));
        const qint64 at = file.readAll().indexOf(frame);
        QVERIFY(!frame.isEmpty() && at > 0);
        QVERIFY(file.seek(at / pageBytes * pageBytes));
        QCOMPARE(file.write(QByteArray(pageBytes, '\0')), pageBytes);
        file.close();

        m_window->openRecording(m_file);
        m_window->showPage(u"sessions"_s);
        TRY_VERIFY(isAt(last));
        const QString rows = rowsOf("sessions");
        travel().goTo(MadeRecording::time(damaged));
        auto* bar = child<NoticeBar>("healthBar");
        TRY_CONTAINS(bar->text(), u"03:13:46 UTC can't be shown"_s);
        VERIFY_CONTAINS(bar->text(), u"damaged"_s);
        QCOMPARE(rowsOf("sessions"), rows);
        QVERIFY(page<SessionsPage>().view().isFaded());
        QVERIFY(m_window->findChild<TimeBar*>()->isVisible());
        goTo(5); // what the page has nothing of is shown
        QCOMPARE(bar->text(), QString());
        QVERIFY(!page<SessionsPage>().view().isFaded());
    }

    void aRecordingIsOpenedByDroppingIt()
    {
        QVERIFY(MadeRecording::write(m_file, u"shop@db1"_s));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(m_file)});
        const QPointF middle(400, 300);
        QDragEnterEvent enter(middle.toPoint(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QVERIFY(QApplication::sendEvent(m_window.get(), &enter) && enter.isAccepted());
        QDropEvent drop(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QVERIFY(QApplication::sendEvent(m_window.get(), &drop) && drop.isAccepted());
        VERIFY_CONTAINS(child<QLabel>("statusMessage")->text(), u"Opening "_s);
        TRY_VERIFY(m_window->snapshot());
        QCOMPARE(m_window->snapshot()->takenAt, MadeRecording::time(209)); // its end
        QVERIFY(mark().text().contains(u"the end of this recording"_s));
        QVERIFY(child<QPushButton>("goLive")->isHidden());
        const QListWidgetItem* row = child<QListWidget>("servers")->item(0);
        QCOMPARE(row->text(), u"shop@db1"_s);
        VERIFY_CONTAINS(row->toolTip(), u"RECORDING"_s);
        VERIFY_CONTAINS(row->toolTip(), u"03:12 to 03:15"_s);
        QCOMPARE(m_window->currentPage()->context().reasonAgainstActing(),
            u"This is a recording: nothing can be changed."_s);
        QTest::keyClick(m_window.get(), Qt::Key_End, Qt::AltModifier);
        QVERIFY(travel().isOn());
        goTo(15);
        QVERIFY(mark().text().contains(u"03:12:22"_s));
        // Once more is the same row.
        m_window->openRecording(m_file, u"1min"_s);
        TRY_VERIFY(isAt(39));
        QCOMPARE(child<QListWidget>("servers")->count(), 1);
        // It is not among the servers of the next start.
        m_window->close();
        Servers again(*m_settings, false, std::make_shared<test::FakeKeychain>());
        QCOMPARE(again.openBefore(), QList<db::ServerProfile>());
    }

    void whatIsNoRecordingIsNotDropped()
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(u"/tmp/holiday.jpg"_s)});
        QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(!enter.isAccepted());
    }

    void aFileThatCantBeReadSaysWhyAndWhatToDo_data()
    {
        QTest::addColumn<QByteArray>("content"); // null: there is no file
        QTest::addColumn<QString>("script"); // done to a recording
        QTest::addColumn<QString>("said");
        test::row("foreign", QByteArray("To whom it may concern"), QString(), "written");
        test::row("missing", QByteArray(), QString(), "See that the file is there");
        test::row("of zero bytes", QByteArray(""), QString(), "Recordings are files");
        test::row("too new", QByteArray(), "PRAGMA user_version = 99", "Update this program");
        test::row("empty", QByteArray(), "DELETE FROM frame", "nothing is in it yet");
    }
    void aFileThatCantBeReadSaysWhyAndWhatToDo()
    {
        FETCH(QByteArray, content, QString, script, QString, said);
        if (!script.isEmpty()) {
            QVERIFY(MadeRecording::write(m_file, u"shop"_s));
            auto database = test::orDie(record::Database::open(m_file, record::Database::Mode::Write));
            QVERIFY(database->script(script.toUtf8().constData()));
        } else if (!content.isNull()) {
            test::makeFile(m_file, content);
        }
        m_window->openRecording(m_file);
        auto* text = child<QLabel>("troubleText");
        TRY_VERIFY(text->isVisible());
        VERIFY_CONTAINS(text->text(), said);
        QVERIFY(child<QPushButton>("tryAgain")->isVisible());
        QVERIFY(mark().isHidden());
        // Once it is there, trying again opens it.
        QFile::remove(m_file);
        QVERIFY(MadeRecording::write(m_file, u"shop"_s));
        QTest::mouseClick(child<QPushButton>("tryAgain"), Qt::LeftButton);
        TRY_VERIFY(m_window->snapshot());
        QCOMPARE(child<QListWidget>("servers")->count(), 1);
    }

    /// The past is most needed then.
    void ofAServerThatCantBeReachedThePastIsThere()
    {
        QVERIFY(MadeRecording::write(record::recordingPath(shop().url), u"shop"_s));
        ServerSession::Options options;
        options.interval = 60s;
        m_window->openSession(new ServerSession(
            shop(),
            [](const monitor::ProbeSelection&) -> Result<std::unique_ptr<monitor::SnapshotSource>> {
                return failure(ErrorKind::Connection, u"It is down."_s);
            },
            options));
        auto* past = child<QPushButton>("showPast");
        TRY_VERIFY(past->isVisible());
        QTest::mouseClick(past, Qt::LeftButton);
        TRY_VERIFY(m_window->snapshot());
        QCOMPARE(m_window->snapshot()->takenAt, MadeRecording::time(209));
        QVERIFY(m_window->currentPage()->isVisible());
        QVERIFY(mark().isVisible());
        travel().goLive();
        QTRY_VERIFY(past->isVisible());
        QVERIFY(!m_window->snapshot());
    }

    void withoutARecordingThereIsNoTimeBar()
    {
        show();
        TRY_VERIFY(m_window->snapshot());
        QTRY_VERIFY(!child<QToolButton>("timeBarButton")->isEnabled());
        QVERIFY(child<QToolButton>("timeBarButton")->toolTip().startsWith(u"There is no recording"_s));
        QVERIFY(m_window->findChild<TimeBar*>()->isHidden());
        travel().goTo(MadeRecording::time(3)); // as from a test: nothing comes of it
        QTRY_VERIFY(!travel().position());
        QVERIFY(!travel().isOn());
    }

    void theTimeBarIsHiddenAndThatIsRemembered()
    {
        openLive();
        auto* bar = m_window->findChild<TimeBar*>();
        QTRY_VERIFY(bar->isVisible());
        QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ControlModifier);
        QVERIFY(bar->isHidden());
        m_window->close();
        m_window.reset();
        showWindow({.keychain = std::make_shared<test::FakeKeychain>()});
        show();
        TRY_VERIFY(m_window->snapshot());
        QTRY_VERIFY(child<QToolButton>("timeBarButton")->isEnabled());
        QVERIFY(m_window->findChild<TimeBar*>()->isHidden());
    }

    void anotherServerIsLive()
    {
        openLive();
        goTo(15);
        show();
        QVERIFY(!travel().isOn());
        QVERIFY(mark().isHidden());
        QVERIFY(!m_window->currentPage()->context().pastTime());
    }

private:
    static ServerTime startOf(int session)
    {
        return test::SnapshotBuilder::start() - std::chrono::hours(1) + std::chrono::seconds(session);
    }
    static bool isReason(const QString& text)
    {
        return text.startsWith(u"You are viewing "_s)
            && text.contains(u"03:12:22 UTC: go back to Live to act."_s);
    }
    static std::unique_ptr<Page> makePage(const QString& id, AppContext& context)
    {
        if (id == u"blocking"_s)
            return std::make_unique<BlockingPage>(context);
        if (id == u"locks"_s)
            return std::make_unique<LocksPage>(context);
        if (id == u"lock-table"_s)
            return std::make_unique<LockTablePage>(context);
        return std::make_unique<SessionsPage>(context);
    }
    /// A live server of which there is a recording.
    void openLive()
    {
        QVERIFY(MadeRecording::write(record::recordingPath(shop().url), u"shop"_s));
        show();
        TRY_VERIFY(m_window->snapshot());
        TRY_VERIFY(child<QToolButton>("timeBarButton")->isEnabled());
    }
    void show()
    {
        ServerSession::Options options;
        options.interval = 60s;
        m_window->openSession(new ServerSession(
            shop(), test::sourceOf([count = 0]() mutable { return presentAfter(count++); }), options));
    }
    /// The default button. Enter goes to the window that is active, which none is here.
    static void press(const QDialog& dialog)
    {
        for (QPushButton* button : dialog.findChildren<QPushButton*>())
            if (button->isDefault())
                return button->click();
    }
    QList<record::Event> notesOfTheRecording() const
    {
        const auto reader = record::RecordingReader::open(record::recordingPath(shop().url));
        const auto events = reader ? (*reader)->events(MadeRecording::time(0), MadeRecording::time(2 * now))
                                   : Failure(reader.error());
        return record::notesAmong(events.value_or(QList<record::Event>()));
    }
    bool isAt(int second) const
    {
        return m_window->snapshot() && m_window->snapshot()->takenAt == MadeRecording::time(second);
    }
    void goTo(int second) { goTo(second, second); }
    void goTo(int second, int shown)
    {
        travel().goTo(MadeRecording::time(second));
        TRY_VERIFY(travel().isOn() && isAt(shown) && !travel().error());
    }
    TimeTravel& travel() const { return m_window->findChild<ShownServer*>()->travel(); }
    TravelMark& mark() const { return *m_window->findChild<TravelMark*>(); }
    template <class T> T& page() const { return test::pageOf<T>(*m_window); }
    QString rowsOf(const char* id) const
    {
        return csvOf(*m_window->findChild<PageStack*>()->page(QLatin1String(id)), m_folder->path());
    }
    /// The session of the row that is selected in the page of sessions.
    QString selected() const
    {
        const TableView& view = page<SessionsPage>().view();
        const QModelIndexList rows = view.selectionModel()->selectedRows(0);
        return rows.isEmpty() ? QString() : rows.first().data().toString();
    }

    QString m_file;
};

LOCKSCOPE_TEST(tst_TimeTravel)

} // namespace tst_TimeTravel
#include "tst_TimeTravel.moc"
