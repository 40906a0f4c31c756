// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdminClient.h"
#include "core/domain/Harm.h"
#include "core/domain/WaitTotals.h"
#include "core/monitor/History.h"
#include "core/monitor/ServerSnapshotSource.h"
#include "tests/support/MadeFrameworks.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/charts/Card.h"
#include "ui/kit/charts/TimeChart.h"
#include "ui/kit/tables/TableView.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/overview/OverviewPage.h"

#include <QtWidgets>

namespace tst_OverviewPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// 63 waits for a table for `tableWait` seconds, bob for a name of a lock table for `nameWait`.
static SnapshotBuilder shop(int tableWait, int nameWait)
{
    SnapshotBuilder s;
    s.session(51, "billing").idleInTransaction(400);
    s.session(63, "web");
    s.holds(51, "public.orders", "RowExclusiveLock", 400);
    s.waits(63, "public.orders", "AccessExclusiveLock", tableWait);
    s.entry("customers/17", "phone-17").lease(900, 500).queue("bob", nameWait);
    return s;
}

/// Each number and line opens a page that has the rows behind it.
class tst_OverviewPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_page = std::make_unique<OverviewPage>(m_context);
        m_page->resize(1'000, 800);
        m_page->show();
    }

    void aWaiterOfALockTableIsFoundThere()
    {
        show(shop(40, 90));
        QCOMPARE(click(row(m_page.get(), u"customers/17, 1"_s)), u"lock-table customers/17"_s);
        QCOMPARE(click(row(m_page.get(), u"bob, nightly-job on app02, 1 min 30 s"_s)),
            u"lock-table customers/17"_s);
        QCOMPARE(click(row(m_page.get(), u"public.orders, 1"_s)), u"locks resource:\"public.orders\""_s);
        QCOMPARE(click(row(m_page.get(), u"63 web, 40 s"_s)), u"locks session:63"_s);
    }

    /// Nobody is blocked now, but there were deadlocks.
    void deadlocksOfTheLastHourAreALink()
    {
        std::vector<std::pair<ServerTime, ServerTime>> asked;
        int count = 0;
        m_page->setDeadlocks([&](ServerTime from, ServerTime to) {
            asked.emplace_back(from, to);
            return count;
        });
        SnapshotBuilder s;
        s.session(51, "billing");
        show(s);
        auto* link = m_page->findChild<QPushButton*>(u"recentDeadlocks"_s);
        QVERIFY(!link->isVisible());
        QVERIFY(asked.back().second - asked.back().first == std::chrono::hours(1));
        count = 4;
        show(s);
        QVERIFY(link->isVisible());
        QCOMPARE(link->text(), u"4 deadlocks in the last hour"_s);
        const auto* banner = m_page->findChild<QWidget*>(u"headStrip"_s);
        QVERIFY(banner->accessibleName().contains(u"Nobody is blocked"_s)
            && banner->accessibleName().contains(u"4 deadlocks"_s));
        QSignalSpy opened(m_page.get(), &Page::openPage);
        link->click();
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened.first().first().toString(), u"deadlocks"_s);
        count = 1;
        show(shop(40, 90)); // also while somebody is blocked
        QCOMPARE(link->text(), u"1 deadlock in the last hour"_s);
        count = 0;
        show(s);
        QVERIFY(!link->isVisible());
    }

    /// A framework's lock that was left behind, and a wait that has nothing to do with it.
    void unrelatedCausesDontHideEachOther()
    {
        const auto both = [](int wait) {
            SnapshotBuilder s;
            s.session(51, "billing").idleInTransaction(400);
            s.session(63, "web");
            s.holds(51, "public.orders", "RowExclusiveLock", 400);
            s.waits(63, "public.orders", "AccessExclusiveLock", wait);
            s.entry("changelog lock", "")
                .of(liquibaseMatch(), "app.databasechangeloglock", "build-7",
                    {HolderLife::Verdict::Gone, {u"Session 9 is gone."_s}, {}});
            return s;
        };
        const auto* title = m_page->findChild<QLabel*>(u"headTitle"_s);
        const auto line = [this](const char* name) {
            const auto* button = m_page->findChild<QToolButton*>(QLatin1String(name));
            return button->isVisible() ? button->accessibleName() : QString();
        };
        show(both(2)); // short: it does not take the banner
        VERIFY_CONTAINS(title->text(), u"is still locked by build-7"_s);
        QCOMPARE(line("nextHead2"), u"Session 51 blocks 1 for 2 s"_s);
        QCOMPARE(line("otherCause1"), QString());
        show(both(90)); // red: what hurts more is first, and the other has a line
        VERIFY_STARTS(title->text(), u"Session 51 (billing) blocks 1"_s);
        QCOMPARE(line("nextHead2"), QString());
        VERIFY_CONTAINS(line("otherCause1"), u"is still locked by build-7"_s);
        QCOMPARE(click(m_page->findChild<QToolButton*>(u"otherCause1"_s)), u"lock-table changelog lock"_s);
    }

    /// The server tells of a wait, and of nobody who holds what is waited for.
    void waitsWithoutABlockerAreSaid()
    {
        SnapshotBuilder s;
        s.session(63, "web");
        s.waits(63, "public.orders", "AccessExclusiveLock", 90);
        show(s);
        const auto* banner = m_page->findChild<QWidget*>(u"headStrip"_s);
        QCOMPARE(m_page->findChild<QLabel*>(u"headTitle"_s)->text(), textWithoutBlocker(1));
        QCOMPARE(textWithoutBlocker(1), u"1 session waits, and no blocker is seen"_s);
        VERIFY_CONTAINS(banner->accessibleName(), textWithoutBlocker(1));
        VERIFY_CONTAINS(banner->accessibleName(), u"these rights don't show it"_s);
        for (const QWidget* part : m_page->findChildren<QWidget*>()) {
            QVERIFY(!part->accessibleName().contains(u"Nobody is blocked"_s));
            if (const auto* label = qobject_cast<const QLabel*>(part))
                QVERIFY(!label->text().contains(u"Nobody is blocked"_s));
        }
        QVERIFY(!m_page->findChild<QPushButton*>(u"endHead"_s)->isVisible()); // there is nobody to end
        auto* chain = m_page->findChild<QPushButton*>(u"showChain"_s);
        QVERIFY(chain->isVisible());
        QCOMPARE(click(chain), u"blocking ?"_s); // no session is selected there
        s.session(64, "web");
        s.waits(64, "public.items", "AccessExclusiveLock", 2);
        show(s);
        VERIFY_CONTAINS(m_page->findChild<QLabel*>(u"headTitle"_s)->text(), u"2 sessions wait"_s);
    }

    /// A part that could not be read may hide waiters: as on page Fleet, that is no calm.
    void whatIsNotReadIsNoCalm()
    {
        SnapshotBuilder s;
        s.session(51, "billing");
        s.limitation(Limitation::Kind::Failed, "The lock table could not be read.", "");
        show(s);
        QCOMPARE(m_page->findChild<QLabel*>(u"headTitle"_s)->text(), u"Nobody is seen blocked"_s);
        for (const TopList* list : m_page->findChildren<TopList*>())
            QCOMPARE(list->findChild<QLabel*>()->text(), u"Nobody is seen waiting."_s);
        QVERIFY(!m_page->findChild<QPushButton*>(u"showChain"_s)->isVisible());
        s.waits(51, "public.orders", "AccessExclusiveLock", 90);
        show(s);
        QCOMPARE(m_page->findChild<QLabel*>(u"headTitle"_s)->text(), textWithoutBlocker(1));
    }

    void inAJamTheOtherActIsAButton()
    {
        SnapshotBuilder s;
        s.session(990, "report").transaction(660).running("SELECT sum(price) FROM orders");
        s.session(1058, "migration").transaction(240).running("ALTER TABLE orders ADD note text");
        s.holds(990, "public.orders", "AccessShareLock", 660);
        s.waits(1058, "public.orders", "AccessExclusiveLock", 240);
        s.session(1061, "web");
        s.waits(1061, "public.orders", "AccessShareLock", 30);
        auto* button = m_page->findChild<QToolButton*>(u"otherAct"_s);
        show(s);
        QVERIFY(button->isVisible() && !button->isEnabled()); // no server is connected
        admin::ServerAdminClient client(db::Server{}); // asked for nothing that is needed here
        m_context.setServer({}, nullptr, &client);
        const auto without = qScopeGuard([this] { m_context.setServer({}, nullptr, nullptr); });
        show(s);
        QVERIFY2(button->isEnabled(), qPrintable(button->toolTip()));
        QCOMPARE(
            button->accessibleName(), u"better: cancel 1058 (ALTER TABLE): 1 goes on, 990 keeps running"_s);
        QSignalSpy acts(m_page.get(), &Page::requestAct);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(acts.count(), 1);
        QCOMPARE(std::get<CancelStatementAction>(acts[0][0].value<Action>()).session.id, SessionId{1058});
        show(shop(40, 90));
        QVERIFY(!button->isVisible());
    }

    /// 51 was ended: the next session has not caused the queue, and the focus is on no button that would end
    /// it.
    void whoInheritsAQueueIsAmberAndNotInTheLineOfFire()
    {
        admin::ServerAdminClient client(db::Server{});
        m_context.setServer({}, nullptr, &client);
        const auto without = qScopeGuard([this] { m_context.setServer({}, nullptr, nullptr); });
        const auto queue = [](int holder, int later) {
            SnapshotBuilder s(later);
            s.session(holder, "billing").transaction(700 + later);
            s.holds(holder, "public.orders", "AccessExclusiveLock", 0);
            for (const int id : {63, 70, 71}) {
                if (id == holder)
                    continue;
                s.session(id, "web");
                s.waits(id, "public.orders", "AccessExclusiveLock", 660 + later);
            }
            return s;
        };
        monitor::EndedWaits waits;
        const auto showNoted = [&](int holder, int later) {
            Snapshot snapshot = *queue(holder, later).take();
            waits.note(snapshot);
            const auto shared = std::make_shared<const Snapshot>(std::move(snapshot));
            m_context.noteSnapshot(*shared);
            m_page->showSnapshot(shared);
        };
        const auto* title = m_page->findChild<QLabel*>(u"headTitle"_s);
        auto* end = m_page->findChild<QPushButton*>(u"endHead"_s);
        showNoted(51, 0);
        QCOMPARE(title->text(), u"Session 51 (billing) blocks 3 for 11 min"_s);
        QVERIFY(end->isVisible() && end->isEnabled());
        m_page->activateWindow();
        end->setFocus();
        QCOMPARE(m_page->window()->focusWidget(), end);
        showNoted(51, 1);
        QCOMPARE(m_page->window()->focusWidget(), end); // the same session
        showNoted(63, 4);
        VERIFY_STARTS(title->text(),
            u"Session 63 (billing) blocks 2, has had it for at most 3 s; the queue is 11 min 04 s old"_s);
        QVERIFY(end->isVisible() && end->isEnabled());
        QVERIFY(m_page->window()->focusWidget() != end);
        const ThemeColors& colors = theme::colors(title->palette());
        QCOMPARE(
            title->palette().color(QPalette::WindowText), colors.text(AgeLevel::Amber, m_page->palette()));
        QVERIFY(tile("tileHeads")->accessibleName().contains(u'1'));
        showNoted(63, 64); // by now it has had it for long itself
        QCOMPARE(title->palette().color(QPalette::WindowText), colors.text(AgeLevel::Red, m_page->palette()));
    }

    /// The banner names the worst by rank, in the colour of the whole server, as Fleet does.
    void theBannerNamesTheWorstInTheColourOfTheServer()
    {
        const auto* title = m_page->findChild<QLabel*>(u"headTitle"_s);
        const auto ink = [&] { return title->palette().color(QPalette::WindowText); };
        const ThemeColors& colors = theme::colors(title->palette());
        // One waits longer in a queue, and more wait for a session.
        SnapshotBuilder s = shop(40, 90);
        for (int id = 70; id < 75; ++id) {
            s.session(id, "web");
            s.waits(id, "public.orders", "AccessExclusiveLock", 40);
        }
        show(s);
        VERIFY_STARTS(title->text(), u"Session 51 (billing) blocks 6"_s);
        QCOMPARE(ink(), colors.text(AgeLevel::Red, m_page->palette())); // because of the queue
        QCOMPARE(tile("tileWaiters")->accessibleName().contains(u'7'), true);
        // Many wait for a short time, each for another session.
        SnapshotBuilder many;
        for (int id = 100; id < 100 + manyBlocked; ++id) {
            const QByteArray table = "public.t" + QByteArray::number(id);
            many.session(id, "billing");
            many.session(id + 1'000, "web");
            many.holds(id, table.constData(), "AccessExclusiveLock", 3);
            many.waits(id + 1'000, table.constData(), "AccessShareLock", 2);
        }
        show(many);
        QCOMPARE(ink(), colors.text(AgeLevel::Red, m_page->palette()));
    }

    void aNameWithQuotesIsFoundWhole()
    {
        SnapshotBuilder s;
        s.sessions({{51, "billing"}, {63, "web"}});
        s.holds(51, "app lock 'the \"big\" report'", "ExclusiveLock", 400);
        s.waits(63, "app lock 'the \"big\" report'", "ExclusiveLock", 40);
        show(s);
        QCOMPARE(click(row(m_page.get(), u"app lock 'the \"big\" report', 1"_s)),
            u"locks resource:\"app lock 'the \"\"big\"\" report'\""_s);
    }

    /// Below a band, notices and the time bar, little is left of a small window.
    void whereThereIsNoRoomOneChartIsReadable()
    {
        show(shop(40, 90));
        const auto shown = [this] {
            QStringList names;
            for (const TimeChart* chart : m_page->findChildren<TimeChart*>()) {
                if (chart->isVisible())
                    names << chart->accessibleName();
            }
            return names;
        };
        QCOMPARE(shown().size(), 4);
        // The window is smaller than the page would like to be.
        QWidget window;
        m_page->setParent(&window);
        const auto back = qScopeGuard([this] { m_page->setParent(nullptr); });
        m_page->setMinimumSize(0, 0);
        window.show();
        m_page->show();
        m_page->resize(840, 36 * m_page->fontMetrics().height());
        QCoreApplication::processEvents();
        COMPARE_TEXTS(shown(), "Waiters by table or lock");
        const auto* chart = m_page->findChild<TimeChart*>();
        QVERIFY2(chart->height() >= 3 * chart->fontMetrics().height(),
            qPrintable(QString::number(chart->height())));
        m_page->resize(1'000, 800);
        QCOMPARE(shown().size(), 4);
    }

    void theTilesOpenThePageOfTheLongestWait()
    {
        show(shop(40, 90));
        QCOMPARE(click(tile("tileLongest")), u"lock-table customers/17"_s);
        QCOMPARE(click(tile("tileWaiters")), u"lock-table customers/17"_s);
        QCOMPARE(click(tile("tileHolders")), u"locks state:holding"_s);
        show(shop(90, 40));
        QCOMPARE(click(tile("tileLongest")), u"locks state:waiting"_s);
        QCOMPARE(click(tile("tileWaiters")), u"locks state:waiting"_s);
        SnapshotBuilder onlyEntries;
        onlyEntries.entry("customers/17", "phone-17").lease(900, 500);
        show(onlyEntries);
        QCOMPARE(click(tile("tileHolders")), u"lock-table "_s);
    }

    /// The name of a table may be the name of a lock, too.
    void equalNamesAreKeptApart()
    {
        SnapshotBuilder s = shop(40, 90);
        s.entry("public.orders", "ann").lease(900, 500).queue("carol", 10);
        show(s);
        int lines = 0;
        for (const auto* one : m_page->findChildren<QAbstractButton*>())
            lines += one->isVisible() && one->accessibleName() == u"public.orders, 1"_s ? 1 : 0;
        QCOMPARE(lines, 2);
    }

    void thePagesShowWhatWasClicked()
    {
        SnapshotBuilder s = shop(40, 90);
        s.entry("customers/16", "ann").lease(900, 500).queue("carol", 30);
        s.holds(51, "public.items", "RowExclusiveLock", 400);
        LockTablePage lockTable(m_context);
        LocksPage locks(m_context);
        const SnapshotPtr snapshot = s.take();
        m_context.noteSnapshot(*snapshot);
        for (Page* page : std::initializer_list<Page*>{m_page.get(), &lockTable, &locks})
            page->showSnapshot(snapshot);
        QSignalSpy subjects(m_page.get(), &Page::showSubject);
        QSignalSpy pages(m_page.get(), &Page::openPage);

        const TableView& entries = lockTable.view();
        for (const QString& name : {u"customers/16"_s, u"customers/17"_s}) {
            QCOMPARE(click(row(m_page.get(), name + u", 1"_s)), u"lock-table "_s + name);
            QVERIFY(lockTable.reveal(subjects.takeFirst()[1].value<DetailSubject>()));
            QCOMPARE(entries.model()->index(entries.currentViewRow(), LockTableModel::Name).data().toString(),
                name);
        }

        QCOMPARE(click(row(m_page.get(), u"public.orders, 1"_s)), u"locks resource:\"public.orders\""_s);
        QCOMPARE(locks.view().tableModel().rowCount(), 5); // two resources, and three requests
        locks.setFilter(pages.takeFirst()[1].toString());
        QCOMPARE(locks.view().tableModel().rowCount(), 3);
    }

private:
    void show(SnapshotBuilder builder)
    {
        const SnapshotPtr snapshot = builder.take();
        m_context.noteSnapshot(*snapshot);
        m_page->showSnapshot(snapshot);
    }
    QAbstractButton* tile(const char* name) const
    {
        return m_page->findChild<MetricTile*>(QLatin1String(name));
    }
    static QAbstractButton* row(const QWidget* page, const QString& says)
    {
        for (auto* one : page->findChildren<QAbstractButton*>()) {
            if (one->isVisible() && one->accessibleName() == says)
                return one;
        }
        return nullptr;
    }
    /// "page filter" or "page name", as the window is asked.
    QString click(QAbstractButton* button) const
    {
        if (!button)
            return u"no such button"_s;
        QSignalSpy pages(m_page.get(), &Page::openPage);
        QSignalSpy subjects(m_page.get(), &Page::showSubject);
        QTest::mouseClick(button, Qt::LeftButton);
        if (pages.count() + subjects.count() != 1)
            return u"%1 answers"_s.arg(pages.count() + subjects.count());
        if (pages.count() == 1)
            return pages.first()[0].toString() + u' ' + pages.first()[1].toString();
        const auto subject = subjects.first()[1].value<DetailSubject>();
        const auto* key = std::get_if<LockTableKey>(&subject);
        return subjects.first()[0].toString() + u' ' + (key ? key->name : u"?"_s);
    }

    QSettings m_settings{freshPath(u"s.ini"_s), QSettings::IniFormat};
    AppContext m_context{m_settings};
    std::unique_ptr<OverviewPage> m_page;
};

LOCKSCOPE_TEST(tst_OverviewPage)

} // namespace tst_OverviewPage
#include "tst_OverviewPage.moc"
