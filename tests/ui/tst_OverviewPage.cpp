// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/History.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/charts/MetricTile.h"
#include "ui/kit/charts/TimeChart.h"
#include "ui/kit/charts/TopList.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/overview/OverviewPage.h"

#include <QPushButton>
#include <QScopeGuard>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace tst_OverviewPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

/// 63 waits for a table for `tableWait` seconds, bob for a name of a lock table for `nameWait`.
SnapshotBuilder shop(int tableWait, int nameWait)
{
    SnapshotBuilder s;
    s.session(51, "billing").idleInTransaction(400);
    s.session(63, "web");
    s.holds(51, "public.orders", "RowExclusiveLock", 400);
    s.waits(63, "public.orders", "AccessExclusiveLock", tableWait);
    s.entry("customers/17", "phone-17").lease(900, 500).queue("bob", nameWait);
    return s;
}

} // namespace

/// What is counted can be reached: each number and line opens a page that has the rows behind it.
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
        QCOMPARE(
            click(row(m_page.get(), u"bob, nightly-job on app02, 1 min 30 s"_s)), u"lock-table customers/17"_s);
        QCOMPARE(click(row(m_page.get(), u"public.orders, 1"_s)), u"locks resource:\"public.orders\""_s);
        QCOMPARE(click(row(m_page.get(), u"63 web, 40 s"_s)), u"locks session:63"_s);
    }

    /// Nobody is blocked by now; that is not all that there is to know.
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

    void aNameWithQuotesIsFoundWhole()
    {
        SnapshotBuilder s;
        s.session(51, "billing");
        s.session(63, "web");
        s.holds(51, "app lock 'the \"big\" report'", "ExclusiveLock", 400);
        s.waits(63, "app lock 'the \"big\" report'", "ExclusiveLock", 40);
        show(s);
        QCOMPARE(click(row(m_page.get(), u"app lock 'the \"big\" report', 1"_s)),
            u"locks resource:\"app lock 'the \"\"big\"\" report'\""_s);
    }

    /// Below a band, notices and the time bar not much is left of a small window.
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
        // As the window has it: a page is made smaller than it would like to be.
        QWidget window;
        m_page->setParent(&window);
        const auto back = qScopeGuard([this] { m_page->setParent(nullptr); });
        m_page->setMinimumSize(0, 0);
        window.show();
        m_page->show();
        m_page->resize(840, 36 * m_page->fontMetrics().height());
        QCoreApplication::processEvents();
        QCOMPARE(shown(), QStringList{u"Waiters by table or lock"_s});
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

    QTemporaryDir m_folder;
    QSettings m_settings{m_folder.filePath(u"s.ini"_s), QSettings::IniFormat};
    AppContext m_context{m_settings};
    std::unique_ptr<OverviewPage> m_page;
};

LOCKSCOPE_TEST(tst_OverviewPage)

} // namespace tst_OverviewPage
#include "tst_OverviewPage.moc"
