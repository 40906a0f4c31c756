// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Deadlocks that servers report go into the recording, and the page shows them at their time.

#include "core/alert/rules/RuleFile.h"
#include "tests/support/Deadlock.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/Recordings.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/tables/TableView.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/deadlocks/DeadlockBook.h"
#include "ui/views/deadlocks/DeadlocksPage.h"

#include <QtWidgets>

namespace tst_RecordedDeadlocks {

using namespace lockscope;
using namespace lockscope::ui;
using test::SnapshotBuilder;

/// A server's records are read each half a minute, sooner where a poll saw the ring.
constexpr int untilNextPoll = 90'000;
constexpr int reportSecond = 15; ///< of the recording, when the server reports a deadlock
constexpr int last = 30;

constexpr auto time = &SnapshotBuilder::at;

/// 51 and 63 wait for each other shortly before the server ends one of them.
static SnapshotPtr snapshotAt(int second, const QString& server)
{
    SnapshotBuilder s(second);
    s.session(51, "billing").transaction(second + 10);
    s.session(63, "till").transaction(second + 10);
    if (second == reportSecond - 1) {
        s.holds(51, "public.orders", "AccessExclusiveLock", 5);
        s.holds(63, "public.items", "AccessExclusiveLock", 5);
        s.waits(51, "public.items", "AccessExclusiveLock", 1);
        s.waits(63, "public.orders", "AccessExclusiveLock", 1);
    }
    s.made().server = server;
    return s.take();
}

/// Returns the report of PostgreSQL's log about those two.
static deadlock::SourcePoll poll(ServerTime at)
{
    const QString when = QDateTime::fromMSecsSinceEpoch(at.us / 1'000, Qt::UTC)
                             .toString(u"yyyy-MM-dd hh:mm:ss.zzz 'UTC [51]'"_s);
    const QString log =
        (u"%1 ERROR:  deadlock detected\n"
         "%1 DETAIL:  Process 51 waits for AccessExclusiveLock on relation 17 of database 5; blocked by process 63.\n"
         "\tProcess 63 waits for AccessExclusiveLock on relation 16 of database 5; blocked by process 51.\n"
         "\tProcess 51: LOCK TABLE items\n\tProcess 63: LOCK TABLE orders\n"_s)
            .arg(when);
    deadlock::SourcePoll poll;
    poll.origin = u"PostgreSQL's log (stderr)"_s;
    poll.reports = deadlock::readReports(log.toUtf8(), poll.origin).value();
    return poll;
}

/// False, with a warning, if it can't be written. `isReported`: the server reported the deadlock.
static bool write(const QString& path, const QString& server, bool isReported = true, int end = last)
{
    const auto writer = test::writeRecording(path, test::recordingIdentity(server));
    alert::EventFinder finder(server, {}, alert::defaultRules());
    for (int second = 0; second <= end; ++second) {
        const SnapshotPtr snapshot = snapshotAt(second, server);
        if (!writer->append(snapshot, time(second)) || !writer->add(finder.advance(snapshot), time(second)))
            return false;
        if (isReported && second == reportSecond + 1
            && !writer->add(finder.note(poll(time(reportSecond)), time(second)), time(second)))
            return false;
    }
    return writer->end(u"stopped"_s).has_value();
}

class tst_RecordedDeadlocks : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        keepState();
        showWindow({.passwords = test::TestServer::shared().passwords(),
                       .keychain = std::make_shared<test::FakeKeychain>(),
                       .interval = 250ms},
            QSize(1'280, 800));
    }
    void cleanup()
    {
        m_window.reset();
        QVERIFY(BackgroundThread::waitForDetached(20s));
        dropAll();
    }

    void isListedFromItsTimeOn()
    {
        QVERIFY(write(file(u"shop"_s), u"shop"_s));
        open(file(u"shop"_s));
        QVERIFY(m_window->currentPage() != &page());
        QCOMPARE(badge(), QString()); // it is no news
        m_window->showPage(u"deadlocks"_s);
        QCOMPARE(rows(), 1);
        QCOMPARE(cell(0, DeadlocksModel::Sessions), u"51, 63"_s);
        QCOMPARE(cell(0, DeadlocksModel::Victim), u"51"_s);
        for (const int before : {10, 0}) {
            goTo(before);
            QCOMPARE(rows(), 0);
            QCOMPARE(page().view().emptyTitle(), u"No deadlock up to that time"_s);
        }
        for (const int after : {reportSecond, 20, last}) {
            goTo(after);
            QCOMPARE(rows(), 1);
        }
        goTo(reportSecond - 2);
        QCOMPARE(rows(), 0);
        QCOMPARE(book().unseen(), 0);
    }

    /// The page shows the server of the recording, and not the one that was on view before, whose polls saw
    /// another deadlock at the same time: that one has a row of its own. The ring at a past time is the one
    /// that the server reported.
    void isOfTheServerThatWasRecorded()
    {
        QVERIFY(write(file(u"calm"_s), u"calm"_s, false));
        QVERIFY(write(file(u"shop"_s), u"shop"_s));
        open(file(u"calm"_s));
        open(file(u"shop"_s));
        m_window->showPage(u"deadlocks"_s);
        QCOMPARE(rows(), 2);
        goTo(reportSecond - 1);
        goTo(last);
        QCOMPARE(rows(), 2);
    }

    void aRecordingThatTellsOfNoneHasWhatWasSeen()
    {
        QVERIFY(write(file(u"calm"_s), u"calm"_s, false));
        open(file(u"calm"_s));
        m_window->showPage(u"deadlocks"_s);
        QCOMPARE(rows(), 1);
        goTo(reportSecond - 2);
        QCOMPARE(rows(), 0);
        goTo(reportSecond - 1);
        QCOMPARE(rows(), 1);
    }

    /// Also if nobody has looked at the page yet.
    void whatCanNotBeReadIsCounted()
    {
        constexpr int longAfter = 205; // what is damaged needs no other frame there
        QVERIFY(write(file(u"calm"_s), u"calm"_s, false, longAfter));
        {
            auto database =
                test::orDie(record::Database::open(file(u"calm"_s), record::Database::Mode::Write));
            QVERIFY(database->script("UPDATE frame SET data = X'0102' WHERE number = 15"));
        }
        open(file(u"calm"_s));
        QVERIFY(!m_window->findChild<DeadlocksPage*>());
        m_window->showPage(u"deadlocks"_s);
        QCOMPARE(rows(), 0);
        const QString message = page().findChild<NoticeBar*>()->text();
        QVERIFY2(message.contains(u"may be missing"_s)
                && message.contains(u"1 snapshot with a deadlock can't be read: "_s),
            qPrintable(message));
        VERIFY_CONTAINS(message, u"calm"_s);
        // It goes with the next recording.
        m_window->findChild<DeadlockBook*>()->addRecorded(DeadlockBook::Recorded(), u"shop"_s);
        QCOMPARE(page().findChild<NoticeBar*>()->text(), QString());
    }

    void earlierOnesThatPollsSawAreCounted()
    {
        constexpr int rings = 203; // of which 200 are read
        const auto writer = test::writeRecording(file(u"busy"_s), test::recordingIdentity(u"busy"_s));
        alert::EventFinder finder(u"busy"_s, {}, alert::defaultRules());
        for (int second = 0; second < rings; ++second) {
            SnapshotBuilder s(second);
            const int one = 100 + 2 * second;
            s.session(one, "billing").transaction(1);
            s.session(one + 1, "till").transaction(1);
            s.holds(one, "public.orders", "AccessExclusiveLock", 1);
            s.holds(one + 1, "public.items", "AccessExclusiveLock", 1);
            s.waits(one, "public.items", "AccessExclusiveLock", 1);
            s.waits(one + 1, "public.orders", "AccessExclusiveLock", 1);
            auto snapshot = std::make_shared<Snapshot>(*s.take());
            snapshot->server = u"busy"_s;
            QVERIFY(writer->append(snapshot, time(second)));
            QVERIFY(writer->add(finder.advance(snapshot), time(second)));
            // The server's reports are read by themselves.
            QVERIFY(writer->add(finder.note(poll(time(second)), time(second)), time(second)));
        }
        QVERIFY(writer->end(u"stopped"_s));
        open(file(u"busy"_s));
        m_window->showPage(u"deadlocks"_s);
        VERIFY_CONTAINS(page().findChild<NoticeBar*>()->text(),
            u"3 earlier deadlocks that polls saw are left out: the latest 200 are shown."_s);
    }

    /// From the present and back again, while another page is on view and while this one is.
    void comesOnceHoweverOftenOneTravels()
    {
        db::ServerProfile shop;
        shop.name = u"shop"_s;
        QVERIFY(write(record::recordingPath(shop.url), u"shop"_s));
        ServerSession::Options options;
        options.interval = 60s;
        m_window->openSession(new ServerSession(shop,
            test::sourceOf([count = 0]() mutable { return snapshotAt(1'000 + count++, u"shop"_s); }),
            options));
        TRY_VERIFY(m_window->snapshot());
        takeAnswers();
        QCOMPARE(rows(), 1); // the present starts with what is recorded
        QCOMPARE(book().unseen(), 0);
        for (const char* onView : {"sessions", "deadlocks", "deadlocks"}) {
            m_window->showPage(QLatin1String(onView));
            goTo(20);
            QCOMPARE(book().unseen(), 0);
            QCOMPARE(badge(), QString());
            QCOMPARE(page().view().tableModel().rowCount(), 1);
            goTo(reportSecond - 1); // the ring itself is on view there
            goTo(25);
            QCOMPARE(rows(), 1);
            travel().goLive();
            QVERIFY(!travel().isOn());
            QCOMPARE(rows(), 1);
        }
    }

    /// Polls see the ring, and the server writes a report: the recording has its text, and the page one row.
    void whatTheWatchedServerTellsIsRecorded()
    {
        auto& postgres = test::TestServer::shared();
        const db::ServerProfile shop = test::profileOf(postgres.freshDatabase(), u"shop"_s);
        m_window->openServer(shop);
        const auto isPolled = [this] {
            const deadlock::DeadlockWatch* watch = m_window->session()->deadlocks();
            return watch && watch->latest() && *watch->latest();
        };
        TRY_VERIFY(isPolled());
        QVERIFY(m_window->session()->recorder());
        const QString path = m_window->session()->recorder()->state().path;
        std::jthread sessions([&] { test::makeDeadlock(postgres.at(shop.url), 1, 3s); });
        QTRY_COMPARE_WITH_TIMEOUT(reportsIn(path).size(), 1, untilNextPoll);
        TRY_COMPARE(rows(), 1);
        QCOMPARE(badge(), u"1 new deadlock"_s);
        const record::RecordedReport report = reportsIn(path).first();
        VERIFY_CONTAINS(report.raw, u"deadlock detected"_s);
        QCOMPARE(record::reportsOf(report)->first()->cycles.size(), 1);
        // At its time the page shows the same one.
        m_window->showPage(u"deadlocks"_s);
        TRY_VERIFY(m_window->session()->monitor().snapshot()->takenAt > report.at + 1s && travel().client());
        travel().goTo(report.at + 1s);
        TRY_VERIFY(travel().isOn());
        takeAnswers();
        QCOMPARE(rows(), 1);
        travel().goTo(report.at + -10s);
        TRY_VERIFY(m_window->snapshot()->takenAt < report.at);
        QTRY_COMPARE(rows(), 0);
        travel().goLive();
        QTRY_COMPARE(rows(), 1);
    }

    /// The window tells of the hour before it was opened; the overview, too, and leads there.
    void reportsFromBeforeTheWindowAreRead()
    {
        auto& postgres = test::TestServer::shared();
        const db::ServerProfile shop = test::profileOf(postgres.freshDatabase(), u"shop"_s);
        const auto before = postgres.log().count(u"deadlock detected"_s);
        for (int i = 0; i < 2; ++i)
            test::makeDeadlock(postgres.at(shop.url), 1);
        QTRY_COMPARE(postgres.log().count(u"deadlock detected"_s), before + 2);
        m_window->openServer(shop);
        TRY_VERIFY(rows() >= 2);
        const auto* link = child<QPushButton>("recentDeadlocks");
        TRY_VERIFY(link->isVisible());
        QCOMPARE(link->text(), u"%1 deadlocks in the last hour"_s.arg(rows()));
        VERIFY_CONTAINS(child<QLabel>("deadlockSource")->text(), u"read from "_s);
        child<QPushButton>("recentDeadlocks")->click();
        QCOMPARE(m_window->currentPage()->id(), u"deadlocks"_s);
    }

private:
    QString file(const QString& name) const { return m_folder->filePath(name + u".lockscope"_s); }
    DeadlocksPage& page() const { return test::pageOf<DeadlocksPage>(*m_window); }
    const DeadlockBook& book() const { return *m_window->findChild<DeadlockBook*>(); }
    int rows() const { return page().view().tableModel().rowCount(); }
    QString cell(int row, DeadlocksModel::Column column) const
    {
        return page().view().tableModel().index(row, column).data().toString();
    }
    QString badge() const
    {
        const auto items = child<QListWidget>("pages")->findItems(u"Deadlocks"_s, Qt::MatchExactly);
        return items.isEmpty() ? u"no page"_s : items.first()->data(Qt::AccessibleDescriptionRole).toString();
    }
    void open(const QString& path)
    {
        m_window->openRecording(path);
        TRY_VERIFY(m_window->snapshot() && travel().source().place == path);
        takeAnswers();
    }
    void goTo(int second)
    {
        WindowTest::goTo(second);
        takeAnswers();
    }
    /// Waits until all earlier requests to the recording are answered: answers come in the order of requests.
    void takeAnswers()
    {
        bool isAnswered = false;
        travel().client()->ask(
            m_window.get(), [](record::RecordingReader& reader) { return reader.span(); },
            [&isAnswered](const Result<record::Span>&) { isAnswered = true; });
        TRY_VERIFY(isAnswered);
    }
    static QList<record::RecordedReport> reportsIn(const QString& path)
    {
        const auto reader = record::RecordingReader::open(path);
        return reader ? (*reader)
                            ->reports({1}, {std::numeric_limits<qint64>::max()})
                            .value_or(QList<record::RecordedReport>())
                      : QList<record::RecordedReport>();
    }
};

LOCKSCOPE_TEST(tst_RecordedDeadlocks)

} // namespace tst_RecordedDeadlocks
#include "tst_RecordedDeadlocks.moc"
