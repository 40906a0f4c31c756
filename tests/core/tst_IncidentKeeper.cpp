// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Family.h"
#include "core/deadlock/ReadReports.h"
#include "core/watch/IncidentKeeper.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_IncidentKeeper {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::watch;
using test::SnapshotBuilder;

const QString server = u"db1:5432"_s;

const char* const usualRules =
    "{'rules': [{'name': 'blocked sessions', 'when': 'blocked sessions', 'keep_firing_for': '4s', 'channels': ['one'], 'levels': [{'severity': 'warning', 'from': 2}, {'severity': 'critical', 'from': 4}]},{'name': 'long wait', 'when': 'long wait', 'keep_firing_for': '4s', 'channels': ['two'], 'levels': "
    "[{'severity': 'warning', 'from': '20s'}]},{'name': 'waited time', 'when': 'waited time', 'on': false, 'levels': [{'severity': 'warning', 'from': 1}]},{'name': 'idle head blocker', 'when': 'idle head blocker', 'on': false, 'levels': [{'severity': 'warning', 'from': '1s'}]}],"
    "'channels': [{'name': 'one', 'kind': 'journal'}, {'name': 'two', 'kind': 'journal'}]}";

/// IncidentKeeper with failing stores, changing rules and other programs.
class tst_IncidentKeeper : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_second = 0;
        m_changesSeen.clear();
        writeRules(usualRules);
        m_keeper = keeper(u"shop"_s);
    }

    void itsEndIsReportedIfItsBeginningWas()
    {
        poll(3);
        COMPARE_TEXTS(changesSeen(), "fired one");
        Mute mute;
        mute.of = Mute::Of::Program;
        mute.value = u"billing"_s;
        mute.end = Mute::End::Never;
        mute.made = ownClock();
        QVERIFY(store()->mute(mute));
        poll(5); // it gets worse, and no notice is sent
        poll(0, 4);
        COMPARE_TEXTS(changesSeen(), "fired one", "resolved one");
    }

    void aRuleThatJoinsTellsItsOwnChannel()
    {
        poll(3);
        poll(3, 1, 30);
        COMPARE_TEXTS(changesSeen(), "fired one", "fired two");
        poll(0, 4);
        COMPARE_TEXTS(changesSeen().mid(2), "resolved one", "resolved two");
    }

    void twoProgramsTellOfAnEscalationOnce()
    {
        auto other = keeper(u"shop"_s);
        poll(3);
        take(*other, snapshot(3));
        poll(5);
        take(*other, snapshot(5));
        COMPARE_TEXTS(changesSeen(), "fired one", "escalated one");
        QCOMPARE(store()->steps(store()->firing()->first().id)->size(), 2);
    }

    /// The other watch sees the same chain, but not the names of the locks.
    void theWatchOfAnotherDatabaseLeavesItAlone()
    {
        poll(3);
        auto other = keeper(u"stock"_s);
        for (int i = 0; i < 6; ++i)
            take(*other, snapshot(3, 5, "(not known)"));
        QCOMPARE(store()->firing()->size(), 1);
        for (int i = 0; i < 6; ++i)
            take(*other, snapshot(0));
        QCOMPARE(store()->firing()->size(), 1);
        COMPARE_TEXTS(changesSeen(), "fired one");
    }

    void theWatchThatRemainsEndsWhatConcernsTheWholeServer()
    {
        writeRules(
            "{'rules': [{'name': 'no answer', 'when': 'server unreachable', 'keep_firing_for': '4s', 'levels': [{'severity': 'warning', 'from': '1s'}]}]}");
        m_keeper = keeper(u"shop"_s);
        auto other = keeper(u"stock"_s);
        poll(0);
        Observation silence;
        silence.at = snapshot(0)->takenAt;
        silence.error = Error{.kind = ErrorKind::Timeout, .what = u"It does not answer."_s};
        m_keeper->take(silence);
        const auto isFiring = [this] {
            const auto firing = store()->firing();
            return std::ranges::any_of(
                *firing, [](const Incident& each) { return each.cause.kind == u"server unreachable"; });
        };
        QVERIFY(isFiring());
        m_keeper->end(u"The database shop is not watched any more."_s, true);
        QVERIFY(isFiring());
        other->takeOver();
        take(*other, snapshot(0));
        QVERIFY(isFiring());
        for (int i = 0; i < 4; ++i)
            take(*other, snapshot(0));
        QVERIFY(!isFiring());
    }

    /// Without readable rules it is unknown whether the incident goes on.
    void aRulesFileThatCannotBeReadResolvesNothing()
    {
        writeRules(
            QByteArray(usualRules).replace("'name': 'blocked sessions'", "'name': 'ours'").constData());
        m_keeper = keeper(u"shop"_s);
        poll(3, 1, 5);
        QVERIFY(store()->firing()->first().rules().contains(u"ours"_s));
        const qint64 id = store()->firing()->first().id;
        writeRules("{");
        m_keeper = keeper(u"shop"_s);
        poll(0, 6);
        const auto firing = store()->firing();
        QVERIFY(std::ranges::any_of(*firing, [id](const Incident& each) { return each.id == id; }));
    }

    void whatAChannelHasGivenUpIsSaidForAnHour()
    {
        poll(3);
        const auto taken = store()->take(u"one"_s, u"test"_s, ownClock(), ownClock() + 60s, 99);
        QVERIFY(store()->refused(*taken, u"Given up."_s, u"Status 500."_s));
        poll(5); // of that nothing is given up
        QVERIFY(changesSeen().contains(u"escalated one"_s));
        writeRules(
            "{'rules': [{'name': 'failing channel', 'when': 'failing channel', 'levels': [{'severity': 'warning', 'from': '0s'}]}], 'channels': [{'name': 'one', 'kind': 'journal'}]}");
        m_keeper = keeper(u"shop"_s);
        poll(0);
        const auto firing = store()->firing();
        const auto found = std::ranges::find(
            *firing, u"failing channel"_s, [](const Incident& each) { return each.cause.kind; });
        QVERIFY(found != firing->end());
        QCOMPARE(found->title, u"Channel one delivers again. It has given up 1 notice: Status 500."_s);
    }

    /// The family's earlier deadlocks on that server, a cure, and one of its deadlocks after that.
    void aFamilyIsBackAfterItsCure()
    {
        const FamilyCure cure{u"One order for all"_s, u"ann on ops1"_s, SnapshotBuilder::start() + 1h};
        QVERIFY(store()->noteFamily(server, familyOf(deadlocksOf(deadlockAt(0s)).first()), cure.at - 2h));
        QVERIFY(store()->markCured(server, familyOf(deadlocksOf(deadlockAt(0s)).first()), cure));
        takeDeadlock(*m_keeper, 50min);
        QCOMPARE(newFamilies(), QStringList());
        takeDeadlock(*m_keeper, 1h + 72h, -60s); // just before anybody watched
        QCOMPARE(newFamilies().size(), 1);
        QVERIFY(!*store()->noteBack(server, familyOf(deadlocksOf(deadlockAt(0s)).first()), cure.at + 72h));
        VERIFY_ENDS(newFamilies().first(),
            u"back 3 d after its cure “One order for all” was proven, as ann on ops1 has marked it."_s);
    }

    /// A family that was recorded before any rules were applied is not new.
    void aFamilyThatTheRecordingHasIsKnown()
    {
        const QString path = m_folder->filePath(u"shop.lockscope"_s);
        record::Identity identity = test::recordingIdentity();
        identity.place = u"postgres://db1:5432/shop"_s;
        const auto writer = test::writeRecording(path, identity);
        const deadlock::ReportPtr report = deadlockAt(0s);
        EventFinder::Found found;
        found.reports << RecordedReport{.at = SnapshotBuilder::start(),
            .origin = u"event files"_s,
            .raw = report->raw.text(),
            .key = u"one"_s};
        QVERIFY(writer->append(snapshot(0), SnapshotBuilder::start()));
        QVERIFY(writer->add(found, SnapshotBuilder::start()));
        QVERIFY(writer->end(u"stopped"_s));
        IncidentOptions withRecording = options();
        withRecording.recording = path;
        IncidentKeeper knowing(server, u"shop"_s, {}, withRecording);
        takeDeadlock(knowing, 2h);
        QCOMPARE(newFamilies(), QStringList());
        QVERIFY(QFile::remove(options().store));
        takeDeadlock(*m_keeper, 3h); // without it
        QCOMPARE(newFamilies().size(), 1);
    }

    void aNameIsNoPattern()
    {
        Mute mute;
        mute.of = Mute::Of::Program;
        mute.value = u"*"_s; // somebody has called his program that
        mute.end = Mute::End::Never;
        mute.made = ownClock();
        QVERIFY(store()->mute(mute));
        poll(3);
        COMPARE_TEXTS(changesSeen(), "fired one");
    }

    void aDatabaseIsTheLastPartOfAPlace()
    {
        QCOMPARE(causeDatabase(u"postgres://db1:5432/shop?primary"_s), u"shop"_s);
        QCOMPARE(causeDatabase(u"postgres:///tmp/socket:5432/shop"_s), u"shop"_s);
        QCOMPARE(causeServer(u"postgres:///tmp/socket:5432/shop"_s), u"/tmp/socket:5432"_s);
        QCOMPARE(causeDatabase(u"sqlite:/srv/locks.db"_s), QString());
    }

private:
    IncidentOptions options() const
    {
        return {m_folder->filePath(u"incidents.sqlite"_s), m_folder->filePath(u"alerts.json"_s)};
    }
    std::unique_ptr<IncidentKeeper> keeper(const QString& database) const
    {
        return std::make_unique<IncidentKeeper>(
            u"db1:5432"_s, database, u"postgresql://ann@db1/shop"_s, options());
    }
    std::unique_ptr<IncidentStore> store() const { return std::move(*IncidentStore::open(options().store)); }

    void writeRules(const char* rules)
    {
        test::makeFile(options().rules, QByteArray(rules).replace('\'', '"'));
    }

    SnapshotPtr snapshot(int waiting, int waited = 5, const char* table = "public.orders")
    {
        m_second += 2;
        SnapshotBuilder s(m_second);
        s.session(51, "billing").idleInTransaction(m_second + 60);
        s.holds(51, table, "AccessExclusiveLock", m_second + 60);
        for (int i = 0; i < waiting; ++i) {
            s.session(100 + i, "report");
            s.waits(100 + i, table, "AccessShareLock", waited);
        }
        return s.take();
    }

    static void take(IncidentKeeper& keeper, const SnapshotPtr& snapshot)
    {
        Observation seen;
        seen.at = snapshot->takenAt;
        seen.snapshot = snapshot;
        const auto outcome = keeper.take(seen);
        if (outcome.storeError)
            QFAIL(qPrintable(outcome.storeError->toString()));
    }
    static deadlock::ReportPtr deadlockAt(microseconds after)
    {
        deadlock::DeadlockReport report =
            *deadlock::readReports(test::twoRowsXml(), u"event files"_s)->first();
        report.time.at = SnapshotBuilder::start() + after;
        report.time.isZoneKnown = true;
        report.source.eventKey = QString::number(after.count());
        return std::make_shared<deadlock::DeadlockReport>(report);
    }
    /// Notes a deadlock after that time of watching.
    void takeDeadlock(IncidentKeeper& keeper, microseconds after, microseconds watched = 60s)
    {
        Observation seen;
        m_second = int((after / 1s)) + 10;
        seen.snapshot = snapshot(0);
        seen.at = seen.snapshot->takenAt;
        const auto outcome =
            keeper.take(seen, QList{deadlockAt(after)}, SnapshotBuilder::start() + after - watched);
        if (outcome.storeError)
            QFAIL(qPrintable(outcome.storeError->toString()));
    }
    QStringList newFamilies() const
    {
        QStringList titles;
        const auto firing = store()->firing();
        for (const Incident& each : *firing)
            if (each.cause.kind == u"new deadlock family")
                titles << each.title;
        return titles;
    }
    void poll(int waiting, int times = 1, int waited = 5)
    {
        for (int i = 0; i < times; ++i)
            take(*m_keeper, snapshot(waiting, waited));
    }

    /// "fired one": the notices that were queued, in their order, each with its channel.
    QStringList changesSeen()
    {
        QList<QueuedNotice> came;
        for (const QString& channel : {u"one"_s, u"two"_s}) {
            const auto taken = store()->take(channel, u"test"_s, ownClock(), ownClock() + 60s, 99);
            came << *taken;
            if (!taken->isEmpty())
                static_cast<void>(store()->sent(*taken));
        }
        std::ranges::sort(came, {}, &QueuedNotice::number);
        for (const QueuedNotice& each : came)
            m_changesSeen << noticeKindName(each.notice.kind) + u' ' + each.channel;
        return m_changesSeen;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<IncidentKeeper> m_keeper;
    QStringList m_changesSeen;
    int m_second = 0;
};

LOCKSCOPE_TEST(tst_IncidentKeeper)

} // namespace tst_IncidentKeeper
#include "tst_IncidentKeeper.moc"
