// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The ways to a past time: the time bar, keys, dialogs and playing.

#include "tests/ui/TravelTest.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/tables/TableView.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/shell/timetravel/TimeBarStrip.h"
#include "ui/shell/timetravel/TimeDialogs.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/history/RecordingWindow.h"

namespace tst_TravelControls {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

class tst_TravelControls : public TravelTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        keepState();
        openWindow(QSize(1280, 800));
    }
    void cleanup() { dropAll(); }

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
        TRY_CONTAINS(child<QLabel>("statusMessage")->text(),
            u"nothing of this is recorded: the beginning of a wait"_s);
        QCOMPARE(m_window->snapshot()->takenAt, MadeRecording::time(10));
        press(Qt::Key_PageDown);
        QTRY_VERIFY(isAt(200));
        press(Qt::Key_Right);
        QTRY_VERIFY(isAt(201));
        press(Qt::Key_End);
        QTRY_VERIFY(!travel().isOn());
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
        buttonIn(*search(), u"Show where first seen"_s)->click();
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
        buttonIn(*differences(), u"Show the second"_s)->click();
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
        TRY_CONTAINS(
            child<QLabel>("statusMessage")->text(), u"nothing of this is recorded: a wait that turns red"_s);
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
        openWindow();
        show();
        TRY_VERIFY(m_window->snapshot());
        QTRY_VERIFY(child<QToolButton>("timeBarButton")->isEnabled());
        QVERIFY(m_window->findChild<TimeBar*>()->isHidden());
    }

private:
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
};

LOCKSCOPE_TEST(tst_TravelControls)

} // namespace tst_TravelControls
#include "tst_TravelControls.moc"
