// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A past time is on view, of a server or of a recording that was opened as a file.

#include "tests/ui/TravelTest.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/audit/AuditPage.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/overview/OverviewPage.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_TimeTravel {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

static QString csvOf(Page& page, const QString& folder)
{
    const QString path = folder + u"/rows.csv"_s;
    QSignalSpy said(&page, &Page::statusMessage);
    page.writeCsv(path);
    return said.wait() ? QString::fromUtf8(readFile(path)) : u"not written"_s;
}

class tst_TimeTravel : public TravelTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        keepState();
        m_file = m_folder->filePath(u"shop.lockscope"_s);
        openWindow(QSize(1280, 800));
    }
    void cleanup() { dropAll(); }

    void pagesShowTheSnapshotRowForRow_data()
    {
        addColumns<QString, int>("page", "second");
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
        QCOMPARE(page<SessionsPage>().findChild<QLineEdit*>()->text(), u"user:shop"_s);
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
        row("end", Action(EndSessionAction{then->sessions.front()}));
        row("cancel", Action(CancelStatementAction{then->sessions.front()}));
        row("release", Action(ReleaseEntryAction{then->entries.front()}));
        row("purge", Action(PurgeStaleAction{}));
        row("acquire", Action(AcquireAction{}));
        row("install", Action(InstallSchemaAction{}));
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
        VERIFY_TEXT(refused.first().first().toString(), isReason(text_));
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
            VERIFY_TEXT(button->toolTip(), isReason(text_));
            ++disabled;
        }
        QCOMPARE(disabled, 2);
        QSignalSpy said(m_window->currentPage(), &Page::statusMessage);
        page<SessionsPage>().view().setFocus();
        QTest::keyClick(&page<SessionsPage>().view(), Qt::Key_Delete);
        QCOMPARE(said.count(), 1);
        VERIFY_TEXT(said.first().first().toString(), isReason(text_));
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

    void whereNothingIsRecordedIsSaid()
    {
        openLive();
        goTo(100, MadeRecording::lastBeforeGap);
        auto* bar = child<NoticeBar>("healthBar");
        VERIFY_CONTAINS(bar->text(), u"Not recorded from 03:12:46 to 03:15:27"_s);
        goTo(15);
        QCOMPARE(bar->text(), QString());
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
            auto database = orDie(record::Database::open(m_file, record::Database::Mode::Write));
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
            auto writer = orDie(record::RecordingWriter::open(m_file,
                {.id = u"long"_s,
                    .server = u"shop"_s,
                    .engine = Engine::Postgres,
                    .began = MadeRecording::time(0),
                    .program = u"a test"_s}));
            for (int second = 0; second <= last; ++second) {
                auto snapshot = std::make_shared<Snapshot>(*MadeRecording::at(second));
                snapshot->server = u"shop"_s;
                QVERIFY(writer->append(snapshot, MadeRecording::time(second)));
            }
        }
        QByteArray frame;
        {
            auto database = orDie(record::Database::open(m_file, record::Database::Mode::Read));
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
        Servers again(*m_settings, false, std::make_shared<FakeKeychain>());
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
        row("foreign", QByteArray("To whom it may concern"), QString(), "written");
        row("missing", QByteArray(), QString(), "See that the file is there");
        row("of zero bytes", QByteArray(""), QString(), "Recordings are files");
        row("too new", QByteArray(), "PRAGMA user_version = 99", "Update this program");
        row("empty", QByteArray(), "DELETE FROM frame", "nothing is in it yet");
    }
    void aFileThatCantBeReadSaysWhyAndWhatToDo()
    {
        FETCH(QByteArray, content, QString, script, QString, said);
        if (!script.isEmpty()) {
            QVERIFY(MadeRecording::write(m_file, u"shop"_s));
            auto database = orDie(record::Database::open(m_file, record::Database::Mode::Write));
            QVERIFY(database->script(script.toUtf8().constData()));
        } else if (!content.isNull()) {
            makeFile(m_file, content);
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
        openSession([]() -> Result<SnapshotPtr> { return failure(ErrorKind::Connection, u"It is down."_s); },
            shop(), {.interval = 60s, .probes = {}});
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
        return SnapshotBuilder::start() - std::chrono::hours(1) + std::chrono::seconds(session);
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
