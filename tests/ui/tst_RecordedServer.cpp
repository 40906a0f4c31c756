// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// While the window watches a server, its snapshots are recorded; the status line says so, or why not.

#include "core/record/postgres/HistorySchema.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/Recordings.h"
#include "tests/ui/Widgets.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/charts/TimeChart.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/shell/servers/Recordings.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/timetravel/TimeBarStrip.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/views/history/HistoryDialog.h"
#include "ui/views/settings/RecordingFields.h"
#include "ui/views/settings/SettingsDialog.h"

namespace tst_RecordedServer {

using namespace lockscope;
using namespace lockscope::ui;
using test::SnapshotBuilder;

/// A server on which nothing happens, second after second.
static SnapshotPtr quiet(int second)
{
    SnapshotBuilder s(second);
    s.session(51, "billing").running("UPDATE orders SET card = '4711'");
    s.holds(51, "public.orders", "AccessExclusiveLock", second);
    s.made().server = u"shop"_s;
    s.made().number = static_cast<quint64>(second);
    return s.take();
}

const auto quietSource = test::sourceOf([second = 0]() mutable { return quiet(++second); });

static record::Identity other(const QString& server)
{
    return {u"other"_s, server, Engine::Postgres, {1}, false, u"another"_s};
}

class tst_RecordedServer : public test::WindowTest {
    Q_OBJECT

    std::shared_ptr<test::FakeKeychain> m_keychain = std::make_shared<test::FakeKeychain>();

    static db::ServerProfile shop()
    {
        db::ServerProfile profile;
        profile.name = u"shop"_s;
        profile.url.host = u"db1"_s;
        return profile;
    }
    static QString path() { return record::recordingPath(shop().url); }
    std::unique_ptr<ServerSession> session(const RecordingSettings& recording = {}) const
    {
        ServerSession::Options options;
        options.interval = 250ms;
        options.recording = ServerSession::Recording{recording};
        return std::make_unique<ServerSession>(shop(), quietSource, options);
    }
    std::unique_ptr<MainWindow> window() const
    {
        auto made = std::make_unique<MainWindow>(*m_settings,
            MainWindow::Options{.passwords = test::TestServer::shared().passwords(),
                .keychain = m_keychain,
                .interval = 250ms});
        made->resize(1'024, 700);
        made->show();
        return made;
    }
    static RecorderButton& buttonOf(const MainWindow& window) { return *window.findChild<RecorderButton*>(); }
    /// Returns the present items of its menu.
    static QStringList menuOf(RecorderButton& button)
    {
        Q_EMIT button.menu()->aboutToShow();
        QStringList texts;
        for (const QAction* action : button.menu()->actions())
            texts << action->text();
        return texts;
    }
    /// Opens it by the menu and its dialog, as the reader of the recording that this user writes.
    void openHistory(MainWindow& main, const db::ServerUrl& reader, const QString& passwordOfReader,
        const QString& writtenBy)
    {
        const auto actions = main.findChildren<QAction*>();
        const auto open = std::ranges::find_if(actions,
            [](const QAction* action) { return action->text().startsWith(u"Open a team's history…"_s); });
        QVERIFY(open != actions.end());
        (*open)->trigger();
        auto* asking = main.findChild<HistoryDialog*>();
        QVERIFY(asking);
        auto* url = asking->findChild<QLineEdit*>(u"historyUrl"_s);
        url->clear();
        QTest::keyClicks(url, reader.toString());
        auto* password = asking->findChild<QLineEdit*>(u"historyPassword"_s);
        QTest::keyClicks(password, passwordOfReader);
        QTest::keyClick(password, Qt::Key_Return);
        auto* view = asking->findChild<TableView*>(u"historyRecordings"_s);
        TRY_COMPARE(view->model()->rowCount(), 1);
        QCOMPARE(view->model()->index(0, 0).data().toString(), u"shop"_s);
        QCOMPARE(view->model()->index(0, 1).data().toString(), writtenBy);
        test::keepPicture(*asking, u"history"_s);
        // It stays fresh while somebody looks at it.
        const auto writtenAgo = [view] { return view->model()->index(0, 4).data().toString(); };
        const QString before = writtenAgo();
        QVERIFY(!before.isEmpty());
        asking->findChild<QTimer*>(u"refreshHistory"_s)->start(0);
        TRY_VERIFY(writtenAgo() != before);
        QCOMPARE(view->currentViewRow(), 0);
        asking->findChild<QPushButton*>(u"openHistory"_s)->click();
        TRY_VERIFY(main.session()->recording());
        TRY_VERIFY(main.snapshot());
        QCOMPARE(main.session()->recording()->identity.writer, writtenBy);
        QCOMPARE(main.snapshot()->server, u"shop"_s);
        VERIFY_CONTAINS(main.windowTitle(), u", past"_s);
        QVERIFY(!main.session()->admin());
        QTRY_VERIFY(m_keychain->kept().contains(reader.toString()));
    }
    static qint64 framesIn(const QString& file)
    {
        const auto reader = record::RecordingReader::open(file);
        const auto span = reader ? (*reader)->span() : Failure(reader.error());
        return span ? span->frames : 0;
    }

private Q_SLOTS:
    void init()
    {
        makeFolder();
        keepState(u"state"_s);
    }
    void cleanup()
    {
        QVERIFY(BackgroundThread::waitForDetached(20s));
        dropAll();
    }

    void whatTheWindowWatchesIsRecorded()
    {
        auto& postgres = test::TestServer::shared();
        const db::ServerProfile profile = test::profileOf(postgres.freshDatabase(), u"shop"_s);
        const QString recorded = record::recordingPath(profile.url);
        qint64 shown = 0;
        {
            const auto main = window();
            QVERIFY(buttonOf(*main).isHidden()); // there is nothing to record
            main->openServer(profile);
            TRY_VERIFY(buttonOf(*main).text().startsWith(u"● Recorded, "_s));
            QVERIFY(buttonOf(*main).isVisible());
            // The path may break anywhere.
            QVERIFY2(buttonOf(*main).toolTip().remove(QChar(0x200b)).contains(recorded),
                qPrintable(buttonOf(*main).toolTip() + recorded));
            QVERIFY(buttonOf(*main).toolTip().contains(u"7 days"_s));
            TRY_VERIFY(main->session()->monitor().snapshot()->number >= 5);
            shown = static_cast<qint64>(main->session()->monitor().snapshot()->number);
        }
        QVERIFY(BackgroundThread::waitForDetached(20s));
        QVERIFY2(framesIn(recorded) >= shown, "what was shown is not all there");
        const auto reader = test::readRecording(recorded);
        QCOMPARE(reader->segments()->last().endReason, u"stopped"_s);
    }

    /// Not to the poll before: with long pauses between two polls that would be long ago.
    void theTimeBarGoesToTheLatestPoll()
    {
        db::ServerProfile profile = shop();
        profile.url = test::TestServer::shared().freshDatabase();
        const auto main = window();
        main->openServer(profile);
        const auto* bar = main->findChild<TimeBarStrip*>();
        TRY_VERIFY(bar->isVisible() && bar->visibleRange().last().isValid());
        monitor::ServerMonitor& monitor = main->session()->monitor();
        monitor.setPaused(true);
        for (int i = 0; i < 5; ++i) {
            const ServerTime before = monitor.snapshot()->takenAt;
            monitor.refreshNow();
            TRY_VERIFY(before < monitor.snapshot()->takenAt);
            TRY_COMPARE(bar->visibleRange().last(), monitor.snapshot()->takenAt);
        }
    }

    /// The user has not asked for it: a notice stays until the user dismisses it, and never comes again.
    void thatItIsRecordedCantBeMissed()
    {
        db::ServerProfile profile = shop();
        profile.url = test::TestServer::shared().freshDatabase();
        {
            const auto main = window();
            auto* notice = main->findChild<NoticeBar*>(u"recordedBar"_s);
            QVERIFY(notice->isHidden()); // of no server
            main->openServer(profile);
            TRY_VERIFY(notice->isVisible());
            QVERIFY(notice->text().contains(u"on this computer for 7 days"_s));
            test::keepPicture(*main, u"recorded-notice"_s);
        }
        const auto main = window(); // closed without a word: it is said again
        main->openServer(profile);
        auto* notice = main->findChild<NoticeBar*>(u"recordedBar"_s);
        TRY_VERIFY(notice->isVisible());
        notice->findChild<QToolButton*>(u"dismissNotice"_s)->click();
        QVERIFY(notice->isHidden());
        const auto next = window();
        next->openServer(profile);
        TRY_VERIFY(next->snapshot());
        QVERIFY(next->findChild<NoticeBar*>(u"recordedBar"_s)->isHidden());
    }

    /// An optional notice waits until that one was read: two of them would take the space of the chart.
    void theFirstNoticesComeOneAfterTheOther()
    {
        db::ServerProfile profile = shop();
        profile.url = test::TestServer::shared().freshDatabase(test::TestServer::Schema::None);
        const auto main = window();
        main->resize(1'024, 700);
        main->openServer(profile);
        main->showPage(u"overview"_s);
        auto* recorded = main->findChild<NoticeBar*>(u"recordedBar"_s);
        const auto* limitation = main->findChild<NoticeBar*>(u"limitationBar"_s);
        TRY_VERIFY(main->snapshot() && recorded->isVisible());
        QVERIFY2(limitation->isHidden(), qPrintable(limitation->text()));
        test::keepPicture(*main, u"recorded-first-start"_s);
        // The shown one does not either.
        constexpr int minOfChart = 90;
        const auto charts = main->currentPage()->findChildren<TimeChart*>();
        const auto isWhole = [](const TimeChart* chart) {
            return !chart->isVisible() || chart->height() >= minOfChart;
        };
        QVERIFY(std::ranges::any_of(charts, &TimeChart::isVisible));
        TRY_VERIFY(std::ranges::all_of(charts, isWhole));
        recorded->findChild<QToolButton*>(u"dismissNotice"_s)->click();
        TRY_VERIFY(limitation->isVisible());
        QVERIFY(recorded->isHidden());
    }

    void itGoesIntoATeamsHistoryAndIsOpenedFromThere()
    {
        auto& postgres = test::TestServer::shared();
        const db::ServerUrl history = postgres.freshDatabase(test::TestServer::Schema::None);
        QVERIFY(record::installHistory(*postgres.connect(history)));
        const db::ServerUrl writer = postgres.asRole(history, u"GRANT lockscope_history_writer TO {role}"_s);
        const db::ServerUrl reader = postgres.asRole(history, u"GRANT lockscope_history_reader TO {role}"_s);
        const auto main = window();
        db::ServerProfile profile = shop();
        profile.url = postgres.freshDatabase();
        main->openServer(profile);
        RecorderButton& button = buttonOf(*main);
        TRY_VERIFY(button.text().startsWith(u"● Recorded, "_s));
        QVERIFY(!button.text().contains(u"history"_s));
        const auto ask = [&](const db::ServerUrl& into) {
            QVERIFY(menuOf(button).contains(u"Recording of this server…"_s));
            button.menu()->actions().last()->trigger();
            auto* dialog = main->findChild<RecordingDialog*>();
            QVERIFY(dialog);
            dialog->findChild<QCheckBox*>(u"recordLikeAll"_s)->setChecked(false);
            auto* url = dialog->findChild<QLineEdit*>(u"historyUrl"_s);
            url->setFocus();
            url->selectAll();
            QTest::keyClicks(url, into.toString());
            QTest::keyClicks(dialog->findChild<QLineEdit*>(u"historyPassword"_s), postgres.password());
            test::keepPicture(*dialog, u"recording-into"_s);
            dialog->accept();
            QTRY_VERIFY(!main->findChild<RecordingDialog*>());
        };
        // A user who may only read is refused, with the reason.
        ask(reader);
        TRY_VERIFY(button.text().endsWith(u" ■ not in the history (why?)"_s));
        QVERIFY2(button.toolTip().contains(u"The team&#39;s history does not take it."_s)
                || button.toolTip().contains(u"The team's history does not take it."_s),
            qPrintable(button.toolTip()));
        QVERIFY(!m_keychain->kept().contains(reader.toString())); // what lets nobody in is not kept
        ask(writer);
        TRY_VERIFY(button.text().endsWith(u" → history"_s));
        TRY_COMPARE(m_keychain->kept().value(writer.toString()), postgres.password());
        m_settings->sync();
        const QByteArray kept = test::readFile(m_settings->fileName());
        QVERIFY(kept.contains(writer.user.toUtf8()));
        QVERIFY(!kept.contains(postgres.password().toUtf8()));

        openHistory(*main, reader, postgres.password(), writer.user);
        if (QTest::currentTestFailed())
            return;
        // Its pages travel as those of a file.
        const ServerTime last = main->snapshot()->takenAt;
        main->findChild<ShownServer*>()->travel().step(-2);
        TRY_VERIFY(main->snapshot()->takenAt < last);
        test::keepPicture(*main, u"history-open"_s);
    }

    void aHistoryThatIsAwayIsSaid()
    {
        RecordingSettings recording;
        recording.history = u"postgresql://watcher@127.0.0.1:1/history"_s; // nobody listens there
        Preferences preferences;
        preferences.recording = recording;
        Servers servers(*m_settings, false, m_keychain);
        const Recordings recordings(*m_settings, servers, preferences, nullptr, m_keychain);
        ServerSession::Options options;
        options.interval = 250ms;
        options.recording = recordings.of(shop());
        const ServerSession watched(shop(), quietSource, options);
        TRY_VERIFY(watched.upload()->error && watched.upload()->isFileThere);
        QVERIFY(!watched.upload()->isRefused());
        QCOMPARE(uploadText(*watched.upload()), u"▲ history can't be reached"_s);
        QVERIFY(uploadToolTip(*watched.upload()).contains(u"The file keeps what is to go there"_s));
        QTRY_VERIFY(watched.recorder()->state().frames > 1); // recording goes on
        record::UploadState state;
        QCOMPARE(uploadText(state), u"→ history, not yet"_s);
        state.isFileThere = true;
        state.reached = ServerTime{1'795'387'821'000'000};
        QCOMPARE(uploadText(state), u"→ history, up to "_s + clockText(*state.reached));
        state.isUpToDate = true;
        QCOMPARE(uploadText(state), u"→ history"_s);
    }

    void anotherServerAtTheSamePlaceIsSaid()
    {
        db::ServerProfile profile = shop();
        profile.url = test::TestServer::shared().freshDatabase();
        {
            record::Identity former = watch::identityOf(profile);
            former.id = u"former"_s;
            former.cluster = u"4711"_s;
            const auto writer = record::RecordingWriter::open(record::recordingPath(profile.url), former);
            QVERIFY(writer && (*writer)->append(quiet(1), {1}));
        }
        const auto main = window();
        main->openServer(profile);
        const auto* said = main->findChild<QLabel*>(u"statusMessage"_s);
        TRY_VERIFY(said->toolTip().contains(u"shop was another server before: that recording is "_s));
        TRY_VERIFY(buttonOf(*main).text().startsWith(u"● Recorded, "_s));
        const QStringList files =
            QDir(record::recordingsFolder()).entryList({u"*-until-*.lockscope"_s}, QDir::Files);
        QCOMPARE(files.size(), 1);
        QVERIFY(framesIn(record::recordingsFolder() + u'/' + files.first()) > 0);
    }

    void oneClickTurnsItOffAndOn()
    {
        const auto main = window();
        db::ServerProfile profile = shop();
        profile.url = test::TestServer::shared().freshDatabase();
        main->openServer(profile);
        RecorderButton& button = buttonOf(*main);
        TRY_VERIFY(button.text().startsWith(u"● Recorded"_s));
        QCOMPARE(menuOf(button).first(), u"Stop recording this server"_s);
        button.menu()->actions().first()->trigger();
        QTRY_COMPARE(button.text(), u"○ Not recorded"_s);
        // Nobody writes it any more.
        QTRY_VERIFY(record::RecordingWriter::open(record::recordingPath(profile.url), other(u"shop"_s)));
        QCOMPARE(recordingSettingsOf(*m_settings, u"shop"_s)->on, false); // also after the next start
        QCOMPARE(menuOf(button).first(), u"Record this server"_s);
        button.menu()->actions().first()->trigger();
        TRY_VERIFY(button.text().startsWith(u"● Recorded, "_s));
    }

    void anotherProgramsRecordingIsSaid()
    {
        auto writer = test::orDie(record::RecordingWriter::open(path(), other(u"shop"_s)));
        const auto watched = session();
        QTRY_VERIFY(watched->recorder()->state().writtenByAnother);
        QCOMPARE(recorderText(watched->recorder()->state(), false), u"● Recorded by another program"_s);
        QVERIFY(watched->monitor().health() != monitor::Health::Failed); // watching goes on
        writer.reset();
        TRY_VERIFY(watched->recorder()->state().frames > 0);
    }

    void whatCantBeWrittenIsSaid()
    {
        QVERIFY(QDir().mkpath(QFileInfo(path()).absolutePath()));
        {
            const auto ofAnotherProgram = record::Database::open(path(), record::Database::Mode::Write);
            QVERIFY(ofAnotherProgram && (*ofAnotherProgram)->script("CREATE TABLE letter (line TEXT)"));
        }
        const auto watched = session();
        TRY_VERIFY(watched->recorder()->state().error);
        QCOMPARE(recorderText(watched->recorder()->state(), false), u"■ Not recorded (why?)"_s);
        QVERIFY(recorderToolTip(watched->recorder()->state()).contains(u"Polling goes on."_s));
        QTRY_VERIFY(watched->monitor().snapshot() && watched->monitor().snapshot()->number > 2);
        // Set aside, it stays what it is, and another one is begun.
        watched->recorder()->beginAgain();
        TRY_VERIFY(watched->recorder()->state().frames > 0);
        const QStringList files = QDir(record::recordingsFolder()).entryList({u"*-until-*"_s}, QDir::Files);
        QCOMPARE(files.size(), 1);
    }

    void theWordsOfTheStatusLine()
    {
        record::RecorderState state;
        QCOMPARE(recorderText(state, false), u"○ Not recorded yet"_s);
        state.first = ServerTime{1'795'387'821'000'000};
        state.last = *state.first + 6h + 12min;
        state.bytes = 84 * 1024 * 1024;
        QCOMPARE(recorderText(state, false), u"● Recorded, 6 h 12 min, 84.0 MB"_s);
        QCOMPARE(recorderText(state, true), u"○ Recorded until "_s + clockText(*state.last));
        state.gaps = 5h;
        QCOMPARE(recorderText(state, false), u"● Recorded, 1 h 12 min, 84.0 MB"_s);
        QVERIFY(recorderToolTip(state).contains(u"clock, without 5 h of gaps."_s));
        state.error = Error{.kind = ErrorKind::Server, .what = u"No."_s, .nativeCode = u"13"_s};
        state.isFull = true;
        QCOMPARE(recorderText(state, false), u"■ Not recorded: disk full"_s);
        state.settings.on = false;
        QCOMPARE(recorderText(state, false), u"○ Not recorded"_s);
    }

    void actsAreInTheRecording()
    {
        const auto watched = session();
        QTRY_VERIFY(watched->monitor().snapshot());
        watched->noteAct(u"Session 63 was ended."_s, 42);
        QTRY_VERIFY(watched->recorder()->state().frames > 1);
        const auto reader = test::readRecording(path());
        const auto found = [&] {
            const auto events = reader->events({1}, {std::numeric_limits<qint64>::max()});
            return events ? *events : QList<record::Event>();
        };
        QTRY_COMPARE(found().size(), 1);
        QCOMPARE(found().first().kind, record::Event::Kind::Act);
        QCOMPARE(found().first().what, u"Session 63 was ended."_s);
        QVERIFY(found().first().detail.contains(u"42"_s));
    }

    void valuesAreLeftOutWhereThatIsConfigured()
    {
        RecordingSettings recording;
        recording.redacts = true;
        const auto watched = session(recording);
        QTRY_VERIFY(watched->recorder()->state().frames > 0);
        const auto reader = test::readRecording(path());
        QCOMPARE((*reader->at({1}))->session(SessionId{51})->statement, u"UPDATE orders SET card = ?"_s);
        QVERIFY(recorderToolTip(watched->recorder()->state()).contains(u"left out"_s));
    }

    void settingsOfAServerGoBeforeThoseOfAll()
    {
        RecordingSettings ofAll;
        ofAll.days = 3;
        saveRecordingSettings(*m_settings, ofAll);
        QCOMPARE(loadRecordingSettings(*m_settings), ofAll);
        RecordingSettings own;
        own.megabytes = 20;
        own.redacts = true;
        setRecordingSettingsOf(*m_settings, u"a/b\\c"_s, own);
        QCOMPARE(*recordingSettingsOf(*m_settings, u"a/b\\c"_s), own);
        QVERIFY(!recordingSettingsOf(*m_settings, u"shop"_s));
        moveRecordingSettings(*m_settings, u"a/b\\c"_s, u"shop"_s); // it was given another name
        QCOMPARE(*recordingSettingsOf(*m_settings, u"shop"_s), own);
        QVERIFY(!recordingSettingsOf(*m_settings, u"a/b\\c"_s));

        RecordingDialog dialog(shop(), own, ofAll, nullptr, m_keychain);
        test::keepPicture(dialog, u"recording"_s);
        QCOMPARE(dialog.recording(), std::optional(own));
        dialog.findChild<QSpinBox*>(u"recordDays"_s)->setValue(30);
        QCOMPARE(dialog.recording()->days, 30);
        dialog.findChild<QCheckBox*>(u"recordLikeAll"_s)->setChecked(true);
        QVERIFY(!dialog.recording());
        QCOMPARE(dialog.findChild<QSpinBox*>(u"recordDays"_s)->value(), 3);
    }

    /// The recording has the name of its server in the list, but not its settings.
    void closingARecordingLeavesTheSettingsOfItsServer()
    {
        Servers servers(*m_settings, false, {});
        servers.add(shop());
        RecordingSettings off;
        off.on = false;
        setRecordingSettingsOf(*m_settings, u"shop"_s, off);
        ServerSession* clip = servers.adopt(
            new ServerSession(OpenedRecording{u"/nonexistent/clip.lockscope"_s, other(u"shop"_s)}));
        QCOMPARE(clip->profile().display(), u"shop"_s);
        servers.remove(servers.rowOf(clip));
        QCOMPARE(servers.count(), 1);
        QVERIFY(recordingSettingsOf(*m_settings, u"shop"_s));
        QCOMPARE(*recordingSettingsOf(*m_settings, u"shop"_s), off);
    }

    void theSettingsDialogKeepsThem()
    {
        Preferences before;
        before.recording.days = 14;
        SettingsDialog dialog(before, nullptr, m_keychain);
        test::keepPicture(dialog, u"settings"_s);
        QCOMPARE(dialog.preferences(), before);
        dialog.findChild<QCheckBox*>(u"record"_s)->setChecked(false);
        QVERIFY(!dialog.findChild<QSpinBox*>(u"recordDays"_s)->isEnabled());
        const Preferences after = dialog.preferences();
        QVERIFY(!after.recording.on);
        after.save(*m_settings);
        QCOMPARE(Preferences::load(*m_settings).recording, after.recording);
    }

    /// Closing does not wait for the disk; all snapshots are written all the same.
    void theEndHangsNot()
    {
        auto watched = session();
        QTRY_VERIFY(watched->monitor().snapshot() && watched->monitor().snapshot()->number > 3);
        QElapsedTimer timer;
        timer.start();
        const auto shown = static_cast<qint64>(watched->monitor().snapshot()->number);
        watched.reset();
        QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(BackgroundThread::waitForDetached(20s));
        QVERIFY(framesIn(path()) >= shown);
    }
};

LOCKSCOPE_TEST(tst_RecordedServer)

} // namespace tst_RecordedServer
#include "tst_RecordedServer.moc"
