// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/RecordedPolls.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/views/history/BiographyDialog.h"
#include "ui/views/history/BiographyView.h"
#include "ui/views/history/RecordingWindow.h"
#include "ui/views/page/SessionActs.h"

namespace tst_Biography {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

constexpr auto at = &SnapshotBuilder::at;

/// "held 51 billing −5…9", as an ear would have it: names and how many lines.
static QStringList shown(const std::vector<BiographyLane>& lanes)
{
    QStringList texts;
    for (const BiographyLane& lane : lanes)
        texts << (lane.isHeading ? u"# "_s + lane.name : u"%1 (%2)"_s.arg(lane.name).arg(lane.lines.size()));
    return texts;
}

class tst_Biography : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qRegisterMetaType<ServerTime>(); }

    void holdersAreAboveAndWaitersBelow()
    {
        RecordedMinute recording;
        const auto result =
            test::orDie(record::biography(recording.reader(), orders(recording), at(0), at(59)));
        COMPARE_TEXTS(shown(lanesOf(result)), "# Held it", "51 billing (1)", "63 report (1)", "70 web (1)",
            "# Waited for it", "63 report (1)", "70 web (1)");
        const auto session = record::biography(recording.reader(),
            *record::theSession(recording.reader(), SessionId{51}, at(59)), at(0), at(59));
        COMPARE_TEXTS(shown(lanesOf(*session)), "# It held", "public.orders (1)", "public.items (1)");
        QVERIFY(
            describeBiography(result).contains(u"held 3 times, waited for 2 times, handed over 2 times"_s));
    }

    void aClickIsForThatTime()
    {
        RecordedMinute recording;
        Dialog it(recording, orders(recording));
        BiographyView& view = it.dialog->view();
        constexpr qsizetype reportHolds = 3; // from 10 to 14
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.placeOf(reportHolds));
        QCOMPARE(view.chosenLine(), reportHolds);
        QCOMPARE(it.timesChosen.count(), 1);
        QVERIFY(it.lastTimeChosen() >= at(11) && it.lastTimeChosen() <= at(13));
        // Dragging sets no time.
        view.setFocus();
        const TimeScale before = view.scale();
        QTest::keyClick(&view, Qt::Key_Plus);
        QTest::keyClick(&view, Qt::Key_Plus);
        const TimeScale closer = view.scale();
        QVERIFY(closer.to - closer.from < before.to - before.from);
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, {400, 60});
        QTest::mouseMove(view.viewport(), {300, 60});
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, {300, 60});
        QVERIFY(view.scale().from > closer.from);
        QCOMPARE(it.timesChosen.count(), 1);
        QTest::keyClick(&view, Qt::Key_0);
        QCOMPARE(view.scale(), before);
    }

    void keysGoThroughIt()
    {
        RecordedMinute recording;
        Dialog it(recording, orders(recording));
        BiographyView& view = it.dialog->view();
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.chosenLine(), 0);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.chosenLine(), 1); // 63 waits, from 4 to 9
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(it.lastTimeChosen(), at(9));
        QTest::keyClick(&view, Qt::Key_N); // to who got it
        QCOMPARE(view.chosenLine(), 3);
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(it.lastTimeChosen(), at(10));
        QTest::keyClick(&view, Qt::Key_N);
        QCOMPARE(view.chosenLine(), 4);
        QTest::keyClick(&view, Qt::Key_P);
        QCOMPARE(view.chosenLine(), 3);
        QTest::keyClick(&view, Qt::Key_Up);
        QCOMPARE(view.chosenLine(), 0); // the lane of 51
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.chosenLine(), 4);
        QTest::keyClick(&view, Qt::Key_Home);
        QCOMPARE(view.chosenLine(), 0);
    }

    void theListSaysTheSame()
    {
        RecordedMinute recording;
        Dialog it(recording, orders(recording));
        TableView& list = it.dialog->list();
        const TableModel& model = list.tableModel();
        QCOMPARE(model.rowCount(), 5);
        const auto cell = [&](int row, const QString& column) {
            return model.index(row, model.columnOf(column)).data().toString();
        };
        QCOMPARE(cell(0, u"from"_s), u"≤ 2026-11-21 03:12:02 UTC"_s);
        QCOMPARE(cell(0, u"at_least"_s), u"≥ 14 s"_s);
        QCOMPARE(cell(0, u"seen"_s), u"10 of 10"_s);
        QCOMPARE(cell(0, u"until"_s), u"gone by 03:12:17"_s);
        QCOMPARE(cell(1, u"from"_s), u"2026-11-21 03:12:11 UTC"_s); // exact
        QCOMPARE(cell(1, u"what"_s), u"waited"_s);
        // The selection is the same in both views.
        list.selectRow(2);
        QCOMPARE(it.dialog->view().chosenLine(), 2);
        it.dialog->view().choose(4);
        QCOMPARE(list.currentViewRow(), 4);
        list.setFocus();
        QTest::keyClick(&list, Qt::Key_Return);
        QCOMPARE(it.lastTimeChosen(), at(15));
    }

    void aSessionHasItsLocks()
    {
        RecordedMinute recording;
        Dialog it(recording, *record::theSession(recording.reader(), SessionId{63}, at(59)));
        QCOMPARE(it.dialog->list().model()->rowCount(), 2);
        std::optional<record::BiographySubject> asked;
        connect(it.dialog.get(), &BiographyDialog::historyRequested, this,
            [&asked](const record::BiographySubject& subject, ServerTime) { asked = subject; });
        it.dialog->list().selectRow(0);
        for (QPushButton* button : it.dialog->findChildren<QPushButton*>()) {
            if (button->text() == u"History of the lock…"_s)
                button->click();
        }
        QVERIFY(asked && *asked == record::BiographySubject(orders(recording)));
    }

    void gapsAreDrawnAsUnseen()
    {
        // The same lock before and after; once with a gap between, once without.
        const auto picture = [](bool gap) {
            RecordedPolls recording;
            for (int i = 0; i < 60; ++i) {
                if (gap && i == 20)
                    recording.end();
                if (gap && i >= 20 && i < 40)
                    continue;
                recording.addPoll(i, [i](SnapshotBuilder& s) {
                    s.session(51, "billing");
                    if (i < 20 || i >= 40)
                        s.holds(51, "public.orders", "AccessExclusiveLock", i % 20);
                });
            }
            Dialog it(recording, orders(recording));
            BiographyView& view = it.dialog->view();
            const QImage whole = view.viewport()->grab().toImage();
            // In the middle only the gap is drawn.
            const QPoint left = view.placeOf(0);
            const QPoint right = view.placeOf(1);
            const QRect middle((left.x() + right.x()) / 2 - 20, left.y() - 6, 40, 12);
            QSet<QRgb> colours;
            for (int x = middle.left(); x <= middle.right(); ++x)
                for (int y = middle.top(); y <= middle.bottom(); ++y)
                    colours.insert(whole.pixel(x, y));
            return std::pair(colours.size(), it.dialog->notes());
        };
        const auto [seenColours, seenNotes] = picture(false);
        const auto [unseenColours, unseenNotes] = picture(true);
        QCOMPARE(seenColours, 1);
        QVERIFY(unseenColours > 1);
        QVERIFY(!seenNotes.contains(u"not recorded"_s));
        QVERIFY(unseenNotes.contains(u"Crossed: not recorded."_s));
    }

    void aTimeIsDescribed()
    {
        RecordedMinute recording;
        const auto result = record::biography(recording.reader(), orders(recording), at(0), at(59));
        const auto lanes = lanesOf(*result);
        const QString report = describeTime(*result, lanes[2], at(10), 100ms);
        VERIFY_CONTAINS(report, u"63 report held it, AccessExclusiveLock"_s);
        VERIFY_CONTAINS(report, u"63 report got it after 51 billing, having waited ≥ 5 s"_s);
        QCOMPARE(describeTime(*result, lanes[2], at(40), 100ms), QString());
    }

    void anotherSpanIsRead()
    {
        RecordedMinute recording;
        for (int i = 60; i < 2'000; i += 5)
            recording.addPoll(i, [](SnapshotBuilder& s) { s.session(51, "billing"); });
        Dialog it(recording, orders(recording), at(1'990));
        auto* span = it.dialog->findChild<QComboBox*>(u"span"_s);
        span->setCurrentIndex(0); // five minutes
        QTRY_COMPARE(it.loaded.count(), 2);
        QCOMPARE(it.dialog->list().model()->rowCount(), 0);
        QCOMPARE(it.dialog->list().emptyTitle(), u"Nobody was seen to hold it or to wait for it"_s);
        span->setCurrentIndex(span->count() - 1); // all
        QTRY_COMPARE(it.loaded.count(), 3);
        QCOMPARE(it.dialog->list().model()->rowCount(), 5);
    }

    void whereNothingIsItSaysSo()
    {
        RecordedMinute recording;
        Dialog it(recording,
            record::RecordedLock{
                .kind = u"table"_s, .database = u"shop"_s, .identity = u"1:2:3"_s, .name = u"no.such"_s});
        QCOMPARE(it.dialog->list().emptyTitle(), u"Nobody was seen to hold it or to wait for it"_s);
        record::RecordingClient missing(u"/nonexistent/no.lockscope"_s);
        BiographyDialog broken(missing, orders(recording), at(0), nullptr);
        broken.setAttribute(Qt::WA_DeleteOnClose, false);
        QSignalSpy loaded(&broken, &BiographyDialog::loaded);
        QTRY_COMPARE(loaded.count(), 1);
        QCOMPARE(broken.list().emptyTitle(), u"The recording could not be read"_s);
    }

    void selectedThingsHaveHistories()
    {
        SnapshotBuilder s;
        s.sessions({{51, "billing"}, {63, "report"}});
        s.holds(51, "public.orders", "AccessExclusiveLock", 5);
        s.waits(63, "public.orders", "AccessShareLock", 3);
        s.entry("nightly", "ann");
        const SnapshotPtr snapshot = s.take();
        const auto ofLock = historiesOf(snapshot->keyOf(snapshot->requests.front()), snapshot.get());
        QVERIFY(ofLock.lock && ofLock.session);
        QCOMPARE(ofLock.lock->name, u"public.orders"_s);
        QCOMPARE(ofLock.session->id, SessionId{51});
        const auto ofWaiter = historiesOf(snapshot->session(SessionId{63})->key(), snapshot.get());
        QCOMPARE(ofWaiter.lock->name, u"public.orders"_s); // what it waits for
        QVERIFY(!historiesOf(snapshot->session(SessionId{51})->key(), snapshot.get()).lock);
        const auto ofName =
            historiesOf(LockTableKey{u"lockscope.lock_entry"_s, u"nightly"_s}, snapshot.get());
        QVERIFY(ofName.lock && ofName.lock->isLockTableName());
        QVERIFY(!historiesOf({}, snapshot.get()).lock);
        QVERIFY(!historiesOf(SessionKey{SessionId{51}, {}}, nullptr).session);
    }

    void itCanBeLookedAt_data()
    {
        test::addColumns<bool, QSize>("dark", "size");
        for (const bool dark : {false, true})
            for (const QSize size : {QSize(700, 480), QSize(980, 620), QSize(1'500, 800)})
                QTest::addRow("%s %d", dark ? "dark" : "light", size.width()) << dark << size;
    }
    void itCanBeLookedAt()
    {
        FETCH(bool, dark, QSize, size);
        theme::apply(*qApp, dark ? ThemeMode::Dark : ThemeMode::Light);
        RecordedMinute recording;
        recording.end();
        recording.addPolls(90, 120, [](SnapshotBuilder& s, int i) {
            s.sessions({{51, "billing"}, {80, "web"}});
            s.holds(51, "public.orders", "RowExclusiveLock", i - 90);
            if (i > 100)
                s.waits(80, "public.orders", "AccessExclusiveLock", i - 100);
        });
        Dialog it(recording, orders(recording));
        it.dialog->resize(size);
        it.dialog->view().choose(3);
        test::keepPicture(
            *it.dialog, u"biography-%1-%2"_s.arg(dark ? u"dark"_s : u"light"_s).arg(size.width()));
        QCOMPARE(it.dialog->list().horizontalScrollBar()->maximum(), 0);
        QVERIFY(it.dialog->view().viewport()->rect().contains(it.dialog->view().placeOf(3)));
        theme::apply(*qApp, ThemeMode::Light);
    }

private:
    struct Dialog {
        Dialog(RecordedPolls& recording, const record::BiographySubject& subject, ServerTime around = at(30))
            : client(recording.path())
            , dialog(new BiographyDialog(client, subject, around, nullptr))
            , loaded(dialog.get(), &BiographyDialog::loaded)
            , timesChosen(dialog.get(), &BiographyDialog::timeTravelRequested)
        {
            dialog->setAttribute(Qt::WA_DeleteOnClose, false);
            dialog->show();
            static_cast<void>(QTest::qWaitForWindowActive(dialog.get())); // for keys
            QTRY_COMPARE(loaded.count(), 1);
        }
        ServerTime lastTimeChosen() const { return timesChosen.back()[0].value<ServerTime>(); }

        record::RecordingClient client;
        std::unique_ptr<BiographyDialog> dialog;
        QSignalSpy loaded;
        QSignalSpy timesChosen;
    };
    static record::RecordedLock orders(RecordedPolls& recording)
    {
        return test::lockNamed(recording.reader(), u"public.orders"_s);
    }
};

LOCKSCOPE_TEST(tst_Biography)

} // namespace tst_Biography
#include "tst_Biography.moc"
