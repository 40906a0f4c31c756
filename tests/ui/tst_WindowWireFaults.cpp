// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A SQL Server fails on the wire while the window polls it: the window stays responsive, says what is wrong
// and how old its data is, keeps the data, and recovers by itself.

#include "tests/support/Pulse.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/ui/WindowTest.h"

#include <QtWidgets>

namespace tst_WindowWireFaults {

using namespace lockscope;
using namespace lockscope::test::tds;
using lockscope::test::Pulse;
using namespace lockscope::ui;

constexpr int patience = 60'000;

static Picture contention()
{
    Picture picture;
    picture.names[{u"[orders]"_s, 7}] = u"dbo.orders"_s;
    picture.session(71, "billing").sleeping(360'000).inTransaction(400'000, 7'001);
    picture.session(63, "shop");
    picture.request(63, "UPDATE", 41'000).blocker = 71;
    picture.lock(71, "OBJECT", 7, "X").of(7'001);
    const Picture::Lock held = picture.locks.back();
    picture.waitingLock(held, 63, "IX", 41'000, 71);
    return picture;
}

/// All that a widget says, tool tips included.
static QString saidBy(const QWidget* widget)
{
    QStringList texts{widget->toolTip()};
    for (const QWidget* part : widget->findChildren<QWidget*>())
        texts << part->toolTip();
    for (const QLabel* label : widget->findChildren<QLabel*>())
        texts << label->text();
    return texts.join(u' ');
}

class tst_WindowWireFaults : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void staysLiveAndRecovers_data()
    {
        test::addColumns<Fault::Kind, int, bool>("kind", "bytes", "failed"); // else silent
        test::row("never answers", Fault::Kind::Silence, 0, false);
        test::row("cut before the answer", Fault::Kind::Cut, 0, true);
        test::row("cut within a token", Fault::Kind::Cut, 20, true);
        test::row("garbage", Fault::Kind::Garbage, 300, true);
    }
    void staysLiveAndRecovers()
    {
        FETCH(Fault::Kind, kind, int, bytes, bool, failed);
        TdsServer server;
        MonitorAnswers answers(server);
        answers.show(contention());
        const auto window = open(server);
        QTRY_VERIFY_WITH_TIMEOUT(isAnswered(*window), patience);
        const int rows = rowsOf(*window);
        QVERIFY(rows >= 2);
        const auto* bar = window->findChild<QWidget*>(u"healthBar"_s);
        QVERIFY(!bar->isVisible());

        const Pulse pulse;
        server.setFault({kind, Fault::Phase::Answer, bytes});
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), patience);
        QTRY_COMPARE_WITH_TIMEOUT(
            healthOf(*window), failed ? monitor::Health::Failed : monitor::Health::Silent, patience);
        VERIFY_CONTAINS(saidBy(bar), u"As of "_s);
        if (failed) {
            const QString reason = window->session()->monitor().lastError().value().toString();
            VERIFY_CONTAINS(saidBy(bar), reason);
            VERIFY_CONTAINS(reason, u"[prod]"_s);
        } else {
            VERIFY_CONTAINS(saidBy(bar), u"does not answer"_s);
        }
        // The last data stays, and the keys work.
        QCOMPARE(rowsOf(*window), rows);
        for (const QString& page : window->pageIds()) {
            QVERIFY(window->showPage(page));
            QCoreApplication::processEvents();
        }
        QVERIFY(window->showPage(u"locks"_s));

        server.setFault({});
        QTRY_VERIFY_WITH_TIMEOUT(isAnswered(*window), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isVisible(), patience);
        QCOMPARE(rowsOf(*window), rows);
        // A connection's time-out is 5 s, a statement's 10: the window waited for neither.
        QVERIFY2(pulse.longestGap() < 4'000, qPrintable(QString::number(pulse.longestGap())));
    }

    void slowAnswersStretchThePollsOnly()
    {
        TdsServer server;
        MonitorAnswers answers(server);
        answers.show(contention());
        const auto window = open(server);
        QTRY_VERIFY_WITH_TIMEOUT(isAnswered(*window), patience);
        const Pulse pulse;
        server.setDelay(400ms);
        QTRY_COMPARE_WITH_TIMEOUT(healthOf(*window), monitor::Health::Slow, patience);
        const auto number = window->session()->monitor().snapshot()->number;
        QTRY_VERIFY_WITH_TIMEOUT(window->session()->monitor().snapshot()->number > number + 2, patience);
        QVERIFY(window->session()->monitor().effectiveInterval() > 250ms);
        QVERIFY2(pulse.longestGap() < 4'000, qPrintable(QString::number(pulse.longestGap())));
    }

private:
    std::unique_ptr<MainWindow> open(const TdsServer& server)
    {
        makeFolder();
        auto window = std::make_unique<MainWindow>(*m_settings,
            MainWindow::Options{.passwords = db::fixedPassword(passwordOf(server)), .interval = 250ms});
        window->show();
        window->openServer(test::profileOf(urlOf(server), u"prod"_s));
        window->showPage(u"locks"_s);
        return window;
    }
    static monitor::Health healthOf(const MainWindow& window) { return window.session()->monitor().health(); }
    /// The speed depends on the machine.
    static bool isAnswered(const MainWindow& window)
    {
        return healthOf(window) == monitor::Health::Live || healthOf(window) == monitor::Health::Slow;
    }
    static int rowsOf(const MainWindow& window)
    {
        const auto* view = window.currentPage()->findChild<QAbstractItemView*>();
        return view->model()->rowCount();
    }
};

LOCKSCOPE_TEST_AT_ONCE(tst_WindowWireFaults)

} // namespace tst_WindowWireFaults
#include "tst_WindowWireFaults.moc"
