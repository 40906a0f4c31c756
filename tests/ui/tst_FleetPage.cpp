// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// All servers beside each other: the worst first, each with the reason, and one key to its chain.

#include "core/record/RecordingWriter.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/ui/Widgets.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/views/fleet/FleetPage.h"

namespace tst_FleetPage {

using namespace lockscope;
using namespace lockscope::ui;
using test::SnapshotBuilder;
using State = watch::ServerStanding::State;

/// A server on which one session has waited so long; or that can't be reached.
static auto serverWhere(int waited, bool fails)
{
    return test::sourceOf([waited, fails, second = 0]() mutable -> Result<SnapshotPtr> {
        if (fails)
            return failure(ErrorKind::Connection, u"Nobody listens there."_s);
        SnapshotBuilder s(++second);
        s.session(51, "billing").idleInTransaction(waited + 9 + second);
        if (waited > 0) {
            s.session(63, "web");
            s.holds(51, "public.orders", "AccessExclusiveLock", waited + 5 + second);
            s.waits(63, "public.orders", "AccessShareLock", waited + second);
        }
        return s.take();
    });
}

/// A server where 51 blocks 63 for 16 seconds. One of them is of the program "orders" on web-3.
static auto sharedClient(int ours, int salt)
{
    return test::sourceOf([ours, salt, second = 0]() mutable {
        SnapshotBuilder s(++second);
        s.session(51, "billing").idleInTransaction(600);
        s.session(63, "billing");
        s.holds(51, "public.items", "AccessExclusiveLock", 600);
        s.waits(63, "public.items", "AccessShareLock", 16);
        Snapshot snapshot = *s.take();
        for (Session& session : snapshot.sessions) {
            session.started = session.started - microseconds(salt);
            session.stateSince = snapshot.takenAt - 16'500ms;
            session.host = u"app%1"_s.arg(salt);
            if (session.id.value != ours)
                continue;
            session.program = u"orders"_s;
            session.address = session.host = u"10.0.0.3"_s;
        }
        return std::make_shared<const Snapshot>(snapshot);
    });
}

class tst_FleetPage : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        showWindow({.keychain = std::make_shared<test::FakeKeychain>()}, QSize(1280, 800));
    }
    void cleanup() { dropAll(); }

    void theWorstStandsFirstWithItsReason()
    {
        openAll();
        QTest::keyClick(m_window.get(), Qt::Key_L, Qt::ControlModifier);
        QCOMPARE(m_window->currentPage()->id(), u"fleet"_s);
        TRY_COMPARE(servers(), (QStringList{u"busy"_s, u"gone"_s, u"slow"_s, u"calm"_s}));
        QCOMPARE(cell(0, FleetModel::State), u"critical"_s);
        QCOMPARE(cell(1, FleetModel::State), u"not reached"_s);
        QCOMPARE(cell(2, FleetModel::State), u"warning"_s);
        QCOMPARE(cell(3, FleetModel::State), u"calm"_s);
        const QString reason = cell(0, FleetModel::Reason);
        VERIFY_STARTS(reason, u"1 session waits for 51 billing, idle in transaction"_s);
        QCOMPARE(page().findChild<QLabel*>(u"reason"_s)->text(), u"busy: "_s + reason); // whole
        VERIFY_CONTAINS(cell(1, FleetModel::Reason), u"Nobody listens there."_s);
        // An unknown value is not zero.
        QCOMPARE(cell(1, FleetModel::Waiting), u"–"_s);
        QCOMPARE(cell(1, FleetModel::Known), u"–"_s);
        QCOMPARE(cell(3, FleetModel::Waiting), u"0"_s);
    }

    void aCountShowsOnlyThoseServers()
    {
        openAll();
        m_window->showPage(u"fleet"_s);
        TRY_COMPARE(servers().size(), 4);
        auto* gone = page().findChild<QToolButton*>(u"state%1"_s.arg(int(State::NotReached)));
        TRY_COMPARE(gone->text(), u"1 not reached"_s);
        QTest::mouseClick(gone, Qt::LeftButton);
        TRY_COMPARE(servers(), QStringList(u"gone"_s));
        // Another count takes its place at once, and what was typed stays.
        auto* critical = page().findChild<QToolButton*>(u"state%1"_s.arg(int(State::Critical)));
        QTest::mouseClick(critical, Qt::LeftButton);
        TRY_COMPARE(servers(), QStringList(u"busy"_s));
        const auto* filter = page().findChild<FilterBox*>();
        page().setFilter(filter->text() + u" nothing"_s);
        TRY_VERIFY(servers().isEmpty());
        QTest::mouseClick(critical, Qt::LeftButton);
        QCOMPARE(filter->text(), u"nothing"_s);
        page().setFilter({});
        QTest::mouseClick(gone, Qt::LeftButton);
        TRY_COMPARE(servers(), QStringList(u"gone"_s));
        QTest::mouseClick(gone, Qt::LeftButton);
        TRY_COMPARE(servers().size(), 4);
        QVERIFY(!page().findChild<QToolButton*>(u"state%1"_s.arg(int(State::Unknown)))->isVisible());
    }

    void enterLeadsToTheServerAndAButtonToItsHeadBlocker()
    {
        openAll();
        m_window->showPage(u"fleet"_s);
        TRY_COMPARE(cell(0, FleetModel::State), u"critical"_s);
        QCOMPARE(servers().value(0), u"busy"_s);
        page().view().selectRow(0);
        QTest::mouseClick(button(u"&Head blocker"_s), Qt::LeftButton);
        QCOMPARE(m_window->session()->profile().name, u"busy"_s);
        QCOMPARE(m_window->currentPage()->id(), u"blocking"_s);

        m_window->showPage(u"fleet"_s);
        page().view().selectRow(int(servers().indexOf(u"calm"_s)));
        QVERIFY(!button(u"&Head blocker"_s)->isEnabled());
        QCOMPARE(button(u"&Head blocker"_s)->toolTip(), u"Nobody is known to wait there."_s);
        page().view().setFocus();
        QTest::keyClick(&page().view(), Qt::Key_Return);
        QCOMPARE(m_window->session()->profile().name, u"calm"_s);
        QCOMPARE(m_window->currentPage()->id(), u"overview"_s);
    }

    /// Its client waits on another server: the page and the tree say so, and lead there and back.
    void aHeadBlockersReasonMayStandOnAnotherServer()
    {
        openSource(u"shop"_s, sharedClient(51, 1));
        openSource(u"stock"_s, sharedClient(63, 2));
        m_window->showPage(u"fleet"_s);
        const auto shop = [this] { return int(servers().indexOf(u"shop"_s)); };
        TRY_VERIFY(shop() >= 0
            && cell(shop(), FleetModel::Reason)
                   .contains(u"probably because orders on 10.0.0.3 waits on stock for public.items"_s));
        page().view().selectRow(shop());
        TRY_VERIFY(button(u"El&sewhere"_s)->isEnabled());
        QTest::mouseClick(button(u"El&sewhere"_s), Qt::LeftButton);
        QCOMPARE(m_window->session()->profile().name, u"stock"_s);
        QCOMPARE(m_window->currentPage()->id(), u"blocking"_s);
        auto* across = m_window->currentPage()->findChild<NoticeBar*>(u"acrossServers"_s);
        TRY_COMPARE(across->text(), u"1 session behind 51 orders on shop probably waits for this as well."_s);
        m_window->showPage(u"fleet"_s);
        page().view().selectRow(shop());
        QTest::mouseClick(button(u"&Head blocker"_s), Qt::LeftButton);
        TRY_VERIFY(across->text().contains(u"probably because orders on 10.0.0.3"_s));
        auto* there = across->findChild<QPushButton*>(u"noticeAction"_s);
        QVERIFY(there);
        QTest::mouseClick(there, Qt::LeftButton);
        QCOMPARE(m_window->session()->profile().name, u"stock"_s);
    }

    /// The program has just started and polled nothing: another run of it recorded the hour.
    void theLaneIsThereFromTheRecording()
    {
        db::ServerProfile profile;
        profile.name = u"recorded"_s;
        profile.url.host = u"recorded"_s;
        const ServerTime now = ownClock();
        const QString path = record::recordingPath(profile.url);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        {
            auto identity = watch::identityOf(profile);
            identity.id = u"test"_s;
            identity.began = now - 40min;
            auto writer = record::RecordingWriter::open(path, identity);
            QVERIFY2(writer.has_value(), writer ? "" : qPrintable(writer.error().toString()));
            for (int second = 0; second < 1'200; second += 2) { // from 40 to 20 minutes ago
                SnapshotBuilder s(second);
                s.session(51, "billing");
                if (second < 600) {
                    s.session(63, "web");
                    s.holds(51, "public.orders", "AccessExclusiveLock", second);
                    s.waits(63, "public.orders", "AccessShareLock", second);
                }
                auto snapshot = std::make_shared<Snapshot>(*s.take());
                snapshot->server = profile.display();
                snapshot->takenAt = now - 40min + std::chrono::seconds(second);
                QVERIFY((*writer)->append(snapshot, snapshot->takenAt, {.interval = 2s}));
            }
        }
        const auto removed = qScopeGuard([&path] { QFile::remove(path); });
        db::ProfileStore(*m_settings).save({profile});
        m_window.reset();
        showWindow({.keychain = std::make_shared<test::FakeKeychain>()});
        m_window->showPage(u"fleet"_s);
        TRY_VERIFY(cell(0, FleetModel::Coverage) != u"–"_s);
        QCOMPARE(cell(0, FleetModel::State), u"not open"_s);
        const QString lane = cell(0, FleetModel::Lane);
        VERIFY_STARTS(lane, u"Sessions waited for 10 min in sum in the last hour. 3"_s);
        const QVariantList heights =
            page().view().model()->index(0, FleetModel::Lane).data(TableModel::LaneRole).toList();
        QCOMPARE(heights.size(), watch::BlockedHour::pieceCount);
        QVERIFY(heights[25].toDouble() > 0); // 35 minutes ago somebody waited
        QCOMPARE(heights[35].toDouble(), 0.0); // 25 minutes ago nobody did
        QCOMPARE(heights[5].toDouble(), -1.0); // what is not recorded is not calm
        QCOMPARE(heights[50].toDouble(), -1.0);
        // The way to that past: the latest minute in which most sessions waited.
        page().view().selectRow(0);
        QVERIFY(button(u"&Past"_s)->isEnabled());
        QTest::mouseClick(button(u"&Past"_s), Qt::LeftButton);
        QCOMPARE(m_window->currentPage()->id(), u"blocking"_s);
        TRY_VERIFY(m_window->snapshot());
        const milliseconds ago =
            std::chrono::duration_cast<milliseconds>(now - m_window->snapshot()->takenAt);
        QVERIFY2(ago > 30min - 5s && ago < 32min, qPrintable(QString::number(ago.count())));
        QCOMPARE(m_window->snapshot()->sessions.size(), 2); // one of whom waits
        m_window.reset(); // its recorder, before the file goes
    }

    void groupsShowHowTheyAre()
    {
        openAll();
        open(u"pay"_s, 300, false, db::Environment::Production, {u"eu"_s, u"pay & bill"_s});
        open(u"web"_s, 0, false, db::Environment::Test, {u"eu"_s});
        m_window->showPage(u"fleet"_s);
        TRY_COMPARE(servers().size(), 6);
        TRY_COMPARE(cell(1, FleetModel::State), u"critical"_s);
        QMenu* const menu = page().findChild<QToolButton*>(u"groups"_s)->menu();
        const auto texts = [menu] {
            Q_EMIT menu->aboutToShow();
            QStringList all;
            for (const QAction* each : menu->actions())
                all << each->text();
            return all;
        };
        TRY_COMPARE(texts(),
            (QStringList{u"All servers"_s, u"production: 1 in all, 1 critical"_s, u"test: 1 in all"_s,
                u"eu: 2 in all, 1 critical"_s, u"pay && bill: 1 in all, 1 critical"_s}));
        menu->actions().at(4)->trigger();
        TRY_COMPARE(servers(), QStringList(u"pay"_s));
        QCOMPARE(cell(0, FleetModel::Environment), u"PRODUCTION"_s);
        const QColor fill = page()
                                .view()
                                .model()
                                ->index(0, FleetModel::Environment)
                                .data(TableModel::FillRole)
                                .value<QColor>();
        QCOMPARE(fill, environmentColor(db::Environment::Production));
        menu->actions().at(3)->trigger();
        TRY_COMPARE(servers(), (QStringList{u"pay"_s, u"web"_s}));
    }

    /// A tag is found by the beginning of one of its words; servers outside of the group are not shown.
    void aTagIsNoPartOfAnother()
    {
        for (const QString& tag : {u"eu"_s, u"neu"_s, u"eu-west"_s, u"billing eu"_s})
            open(u"of "_s + tag, 0, false, db::Environment::Unmarked, {u"all"_s, tag});
        m_window->showPage(u"fleet"_s);
        TRY_COMPARE(servers().size(), 4);
        const auto found = [this](const QString& filter) {
            page().setFilter(filter);
            QStringList names = servers();
            names.sort();
            return names;
        };
        COMPARE_TEXTS(found(u"tags:eu"_s), "of billing eu", "of eu", "of eu-west");
        COMPARE_TEXTS(found(u"tags:=EU"_s), "of eu");
        COMPARE_TEXTS(found(u"-tags:eu"_s), "of neu");
        COMPARE_TEXTS(found(u"tags:ne"_s), "of neu");
    }

    void typingFindsAServerAndEnterLeadsToItsChain()
    {
        openAll();
        m_window->showPage(u"fleet"_s);
        TRY_COMPARE(cell(0, FleetModel::State), u"critical"_s);
        page().view().setFocus();
        QTest::keyClick(&page().view(), Qt::Key_S);
        QTRY_VERIFY(qobject_cast<QLineEdit*>(m_window->focusWidget()));
        QTest::keyClicks(m_window->focusWidget(), u"low"_s);
        TRY_COMPARE(servers(), QStringList(u"slow"_s));
        TRY_COMPARE(cell(0, FleetModel::Waiting), u"1"_s); // known at present
        QTest::keyClick(m_window->focusWidget(), Qt::Key_Return);
        QCOMPARE(m_window->session()->profile().name, u"slow"_s);
        QCOMPARE(m_window->currentPage()->id(), u"blocking"_s);
    }

    void tilesFillTheScreenAndCountTheRest()
    {
        openAll();
        m_window->showPage(u"fleet"_s);
        TRY_COMPARE(cell(0, FleetModel::State), u"critical"_s);
        QTest::keyClick(m_window.get(), Qt::Key_F11);
        auto* wall = page().findChild<QWidget*>(u"presentation"_s);
        QVERIFY(wall && wall->isVisible() && wall->isFullScreen());
        QVERIFY(QTest::qWaitForWindowActive(wall));
        auto* tiles = wall->findChild<FleetTiles*>();
        QVERIFY(tiles);
        const auto names = [tiles] {
            QStringList all;
            for (const FleetTile* each : tiles->findChildren<FleetTile*>())
                if (each->isVisible())
                    all << each->accessibleName();
            return all;
        };
        tiles->resize(1920, 1080);
        QCOMPARE(names().size(), 4);
        TRY_STARTS(names().first(), u"busy: critical, 1 waits, "_s);
        VERIFY_STARTS(names()[1], u"gone: not reached"_s);
        QCOMPARE(names().last(), u"calm: calm, nobody waits"_s);
        tiles->resize(500, 500); // two fit
        QCOMPARE(names().size(), 2);
        QCOMPARE(tiles->findChild<QLabel*>(u"moreTiles"_s)->text(), u"and 2 more: 1 warning, 1 calm"_s);
        wall->close();
        QTRY_VERIFY(!page().findChild<QWidget*>(u"presentation"_s));
        // The keys that it names lead out, too.
        QTest::keyClick(m_window.get(), Qt::Key_F11);
        wall = page().findChild<QWidget*>(u"presentation"_s);
        QVERIFY(wall);
        const auto keys = wall->actions();
        const auto leave = std::ranges::find_if(keys,
            [](const QAction* each) { return each->shortcuts().contains(QKeySequence(Qt::Key_Escape)); });
        QVERIFY(leave != keys.end());
        (*leave)->trigger();
        QTRY_VERIFY(!page().findChild<QWidget*>(u"presentation"_s));
    }

    /// A hundred servers, as the page gets them from the window.
    void theLaneStaysInANarrowWindow()
    {
        m_window->showPage(u"fleet"_s);
        using enum db::Environment;
        std::vector<FleetRow> rows;
        for (int i = 0; i < 100; ++i) {
            FleetRow row;
            row.key = row.profile.name = u"shop-%1.eu-west"_s.arg(i);
            row.profile.environment = i % 3 == 0 ? Production : i % 3 == 1 ? Test : Development;
            row.profile.tags = {u"eu"_s, i % 2 ? u"shop"_s : u"billing and ledger"_s};
            row.standing.state = i < 10 ? State::Critical
                : i < 30                ? State::NotReached
                : i < 40                ? State::Warning
                                        : State::Calm;
            row.standing.reason = i < 10
                ? u"5 sessions wait for 990 support-desk, idle in transaction for 4 min 11 s."_s
                : i < 30 ? u"Can't connect to the server: connection refused."_s
                         : u"Nobody waits."_s;
            row.standing.isReplica = i % 5 == 0;
            row.standing.criticals = i < 10 ? 2 : 0;
            if (i < 10 || i >= 30) {
                row.standing.waiting = i < 10 ? 5 : 0;
                row.standing.longestWait = Age{251s, true};
                row.standing.known = std::chrono::steady_clock::now() - 2s;
                row.standing.interval = 2s;
                for (auto& piece : row.lane)
                    piece = {.length = 60s, .known = 60s, .blocked = i < 10 ? microseconds(90s) : 0s};
            }
            rows.push_back(row);
        }
        TableView& table = page().view();
        for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Light}) {
            theme::apply(*qApp, mode);
            for (const QSize size : {QSize(1920, 1080), QSize(1280, 800), QSize(1024, 700)}) {
                m_window->resize(size);
                QCoreApplication::processEvents();
                page().showServers(rows); // the window has none
                test::keepPicture(
                    *m_window, u"hundred-%1-%2"_s.arg(themeModeName(mode), QString::number(size.width())));
                for (const auto column : {FleetModel::State, FleetModel::Server, FleetModel::Environment,
                         FleetModel::Reason, FleetModel::Longest, FleetModel::Lane})
                    QVERIFY2(!table.isColumnHidden(column), qPrintable(QString::number(column)));
                QVERIFY(table.columnWidth(FleetModel::Lane) >= 60); // a pixel for each minute
                QVERIFY(table.horizontalScrollBar()->maximum() == 0);
            }
        }
        QVERIFY(table.isColumnHidden(FleetModel::Tags)); // what gives way first
        QVERIFY(!table.isColumnHidden(FleetModel::Incidents));
    }

    /// Groups are by environment, production first, and the worst is first in each.
    void sortedByEnvironmentRowsStandInGroups()
    {
        using enum db::Environment;
        open(u"calm-test"_s, 0, false, Test);
        open(u"slow-test"_s, 300, false, Test);
        open(u"unmarked"_s, 300);
        open(u"calm-shop"_s, 0, false, Production);
        open(u"slow-shop"_s, 300, false, Production);
        open(u"dev"_s, 0, false, Development);
        m_window->showPage(u"fleet"_s);
        TRY_COMPARE(cell(5, FleetModel::State), u"calm"_s);
        TRY_COMPARE(cell(2, FleetModel::State), u"critical"_s);
        page().view().horizontalHeader()->setSortIndicator(FleetModel::Environment, Qt::AscendingOrder);
        TRY_COMPARE(servers(),
            (QStringList{
                u"slow-shop"_s, u"calm-shop"_s, u"slow-test"_s, u"calm-test"_s, u"dev"_s, u"unmarked"_s}));
    }

    /// Pictures, of which the manual has some.
    void manyServersOnOnePage()
    {
        using enum db::Environment;
        open(u"shop"_s, 250, false, Production, {u"eu"_s, u"shop"_s});
        open(u"billing"_s, 20, false, Production, {u"eu"_s, u"billing"_s});
        open(u"warehouse"_s, 0, true, Production, {u"us"_s});
        for (const QString& name : {u"search"_s, u"mail"_s, u"reports"_s, u"ledger"_s, u"stock"_s})
            open(name, 0, false, Production, {u"eu"_s});
        for (const QString& name : {u"shop-test"_s, u"billing-test"_s, u"stock-test"_s})
            open(name, 0, false, Test);
        open(u"sandbox-3"_s, 0, false, Development);
        m_window->showPage(u"fleet"_s);
        TRY_COMPARE(cell(11, FleetModel::State), u"calm"_s);
        TRY_COMPARE(cell(0, FleetModel::State), u"critical"_s);
        for (const auto& [mode, themeName] :
            {std::pair(ThemeMode::Light, u"light"_s), {ThemeMode::Dark, u"dark"_s}}) {
            theme::apply(*qApp, mode);
            for (const QSize size : {QSize(1024, 700), QSize(1280, 800), QSize(1920, 1080)}) {
                m_window->resize(size);
                QCoreApplication::processEvents();
                test::keepPicture(*m_window, u"fleet-%1-%2"_s.arg(themeName, QString::number(size.width())));
            }
            QTest::keyClick(m_window.get(), Qt::Key_F11);
            auto* wall = page().findChild<QWidget*>(u"presentation"_s);
            QVERIFY(wall);
            QVERIFY(QTest::qWaitForWindowActive(wall));
            for (const QSize size : {QSize(1024, 700), QSize(1280, 800), QSize(1920, 1080)}) {
                wall->resize(size);
                QCoreApplication::processEvents();
                test::keepPicture(*wall, u"tiles-%1-%2"_s.arg(themeName, QString::number(size.width())));
                for (const FleetTile* each : wall->findChildren<FleetTile*>())
                    QVERIFY(!each->isVisible()
                        || wall->rect().contains(QRect(each->mapTo(wall, QPoint()), each->size())));
            }
            QTest::keyClick(wall, Qt::Key_F11);
            QTRY_VERIFY(!page().findChild<QWidget*>(u"presentation"_s));
        }
        theme::apply(*qApp, ThemeMode::Light);
    }

    void whoIsNotOnATileIsCounted()
    {
        std::vector<FleetRow> rows(60);
        for (FleetRow& row : rows)
            row.standing.state = State::Calm;
        rows.front().standing.state = State::Critical;
        QCOMPARE(moreText(rows, 8), u"and 52 more, all calm"_s);
        QCOMPARE(moreText(rows, 59), u"and 1 more, calm"_s);
        QCOMPARE(moreText(rows, 60), QString());
        QCOMPARE(countsText(countStates(rows)), u"1 critical, 59 calm"_s);
    }

    void withoutServersItTeaches()
    {
        m_window->showPage(u"fleet"_s);
        QCOMPARE(page().view().emptyTitle(), u"No server yet"_s);
    }

private:
    void open(const QString& name, int waited, bool fails = false,
        db::Environment environment = db::Environment::Unmarked, const QStringList& tags = {})
    {
        openSource(name, serverWhere(waited, fails), environment, tags);
    }
    void openSource(const QString& name, const monitor::ServerMonitor::SourceFactory& source,
        db::Environment environment = db::Environment::Unmarked, const QStringList& tags = {})
    {
        db::ServerProfile profile;
        profile.environment = environment;
        profile.tags = tags;
        profile.name = name;
        profile.url.host = name; // nobody is asked there
        ServerSession::Options options;
        options.interval = 1s; // a busy machine keeps to it
        m_window->openSession(new ServerSession(profile, source, options));
    }
    void openAll()
    {
        open(u"calm"_s, 0);
        open(u"slow"_s, 20);
        open(u"gone"_s, 0, true);
        open(u"busy"_s, 300);
    }
    FleetPage& page() const { return test::pageOf<FleetPage>(*m_window); }
    QString cell(int row, FleetModel::Column column) const
    {
        return test::cell(*page().view().model(), row, column);
    }
    QStringList servers() const { return test::column(*page().view().model(), FleetModel::Server); }
    QPushButton* button(const QString& text) const
    {
        for (QPushButton* const each : page().findChildren<QPushButton*>())
            if (each->text() == text)
                return each;
        return nullptr;
    }
};

LOCKSCOPE_TEST(tst_FleetPage)

} // namespace tst_FleetPage
#include "tst_FleetPage.moc"
