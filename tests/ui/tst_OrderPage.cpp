// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Locks in opposite orders in the window: live, in the past, muted, with both witnesses.

#include "core/record/RecordingClient.h"
#include "core/watch/ServerWatch.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Desk.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/order/OrderPage.h"

#include <QtWidgets>

namespace tst_OrderPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

static SnapshotPtr snapshotAt(int second)
{
    SnapshotBuilder builder(second);
    takeInOppositeOrders(builder, second);
    return builder.take();
}

struct Rig : Desk {
    const Variable config{"XDG_CONFIG_HOME", folder.path()};
    OrderPage page{context};

    Rig()
    {
        page.resize(1'000, 700);
        page.show();
    }
    int rows() const { return page.view().tableModel().rowCount(); }
    QString text(const QString& name) const { return page.findChild<QPlainTextEdit*>(name)->toPlainText(); }
    QPushButton* mute() const
    {
        for (auto* button : page.findChildren<QPushButton*>())
            if (button->text().remove(u'&').endsWith(u"ute"_s))
                return button;
        return nullptr;
    }
    order::OrderStatePtr stateAfterAll() const
    {
        order::OrderWatch watch;
        for (int second = 0; second < 12; ++second)
            watch.note(snapshotAt(second));
        return watch.state();
    }
};

class tst_OrderPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each poll of a server is taken into account, on another thread, whichever page is on view.
    void aWatchedServer()
    {
        Rig rig;
        watch::ServerWatch watch({},
            test::sourceOf([second = 0]() mutable { return snapshotAt(second < 11 ? second++ : 11); }),
            {.interval = milliseconds(250)});
        rig.context.setServer({}, &watch, nullptr);
        watch.start();
        TRY_COMPARE(rig.rows(), 1);
        rig.context.setServer({}, nullptr, nullptr);
        QCOMPARE(rig.rows(), 0);
    }

    void bothWitnessesStandBesideEachOther()
    {
        Rig rig;
        rig.page.showState(rig.stateAfterAll());
        QCOMPARE(rig.rows(), 1);
        QVERIFY(rig.text(u"witness1"_s)
                    .contains(u"51 shop had public.orders (access exclusive) and then took public.stock"_s));
        QVERIFY(rig.text(u"witness2"_s)
                    .contains(u"63 shop had public.stock (access exclusive) and then took public.orders"_s));
        QVERIFY(rig.text(u"witness2"_s).contains(u"LOCK TABLE …"_s));
        const auto* picture = rig.page.findChild<OrderPicture*>();
        QVERIFY(picture->isVisible());
        QCOMPARE(picture->accessibleName(), u"public.orders and public.stock are taken in both orders"_s);
        QVERIFY(picture->accessibleDescription().contains(u"63 shop"_s));
    }

    void transactionsThatWereTooShortAreCounted()
    {
        Rig rig;
        const auto* line = rig.page.findChild<QLabel*>(u"followedTransactions"_s);
        QVERIFY(!line->isVisible());
        rig.page.showState(rig.stateAfterAll());
        QVERIFY(line->isVisible());
        VERIFY_CONTAINS(line->text(), u"could not be followed"_s);
        // Seen in both orders, each once.
        const QAbstractItemModel& model = rig.page.view().tableModel();
        const QString basis =
            model.index(0, rig.page.view().tableModel().columnOf(u"known_by"_s)).data().toString();
        QCOMPARE(basis, u"seen once, in one transaction"_s);
    }

    void anEmptyPageTeaches()
    {
        Rig rig;
        order::OrderWatch watch;
        watch.note(snapshotAt(0));
        rig.page.showState(watch.state());
        QCOMPARE(rig.rows(), 0);
        QCOMPARE(rig.page.view().emptyTitle(), u"No locks were taken in opposite orders"_s);
        QVERIFY(!rig.page.findChild<OrderPicture*>()->isVisible());
    }

    void whatIsMutedIsGoneUntilAllAreShown()
    {
        Rig rig;
        rig.page.showState(rig.stateAfterAll());
        QVERIFY(rig.mute()->isEnabled());
        rig.mute()->click();
        QTRY_COMPARE(rig.rows(), 0);
        rig.page.findChild<QCheckBox*>()->click();
        QCOMPARE(rig.rows(), 1);
        QCOMPARE(rig.mute()->text().remove(u'&'), u"Unmute"_s);
        rig.mute()->click();
        QTRY_COMPARE(rig.mute()->text().remove(u'&'), u"Mute"_s);
        rig.page.findChild<QCheckBox*>()->click();
        QCOMPARE(rig.rows(), 1);
    }

    /// At a past time the page shows the findings of that time.
    void thePastShowsWhatWasKnown()
    {
        Rig rig;
        RecordedPolls recording;
        recording.addPolls(0, 12, test::takeInOppositeOrders);
        recording.end();
        record::RecordingClient client(recording.path());
        rig.context.setRecording(&client);
        const auto goTo = [&rig](int second) {
            const ServerTime at = SnapshotBuilder::at(second);
            rig.context.setPastTime(AppContext::PastTime{at, at, true});
            rig.page.showSnapshot(snapshotAt(second));
        };
        goTo(11);
        QTRY_COMPARE(rig.rows(), 1);
        goTo(5);
        QTRY_COMPARE(rig.rows(), 0);
        goTo(10);
        QTRY_COMPARE(rig.rows(), 1);
        rig.context.setRecording(nullptr);
    }

    void aRecordingThatCantBeReadIsSaid()
    {
        Rig rig;
        record::RecordingClient client(rig.folder.filePath(u"none.lockscope"_s));
        rig.context.setRecording(&client);
        rig.context.setPastTime(AppContext::PastTime{SnapshotBuilder::at(3), SnapshotBuilder::at(3), true});
        rig.page.showSnapshot(snapshotAt(3));
        QTRY_VERIFY(!rig.page.findChild<NoticeBar*>()->text().isEmpty());
        QCOMPARE(rig.rows(), 0);
        rig.context.setRecording(nullptr);
    }
};

LOCKSCOPE_TEST(tst_OrderPage)

} // namespace tst_OrderPage
#include "tst_OrderPage.moc"
