// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// `lockctl record` of several servers and as a service, with the servers' reports of deadlocks, and the
// effects of `lockctl recordings` on its files.

#include "tests/support/Deadlock.h"
#include "tests/support/Lockctl.h"
#include "tests/support/MadeRecording.h"
#include "tests/support/NotifySocket.h"
#include "tests/support/Recordings.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlRecord {

using namespace lockscope;
using namespace lockscope::test;

/// Nobody listens there.
const QString nowhere = u"postgresql://ann@127.0.0.1:1/nowhere"_s;

constexpr ServerTime ever{1};
constexpr ServerTime never{std::numeric_limits<qint64>::max()};
/// A server's records are read each half a minute, sooner after a poll that saw the ring.
constexpr std::chrono::milliseconds untilNextPoll{90'000};

static QList<record::RecordedReport> reportsIn(const QString& path)
{
    const auto reader = record::RecordingReader::open(path);
    return reader ? (*reader)->reports(ever, never).value_or(QList<record::RecordedReport>())
                  : QList<record::RecordedReport>();
}

/// A snapshot is in it.
static bool hasBegun(const QString& path)
{
    return waitUntil([&] {
        const auto reader = record::RecordingReader::open(path);
        return reader && (*reader)->span();
    });
}

/// Prints the events, for a test that fails.
static void tellEvents(const QString& path)
{
    const auto reader = record::RecordingReader::open(path);
    for (const record::Event& each : (*reader)->events(ever, never).value_or(QList<record::Event>()))
        qWarning("%s %s", qPrintable(each.at.toIsoString()), qPrintable(each.sourceKey + u' ' + each.what));
}

/// Returns the number of deadlocks that polls saw, or that the server reported.
static qsizetype deadlocksIn(const QString& path, const QString& source)
{
    const auto reader = record::RecordingReader::open(path);
    const auto events = reader ? (*reader)->events(ever, never) : Failure(reader.error());
    if (!events)
        return -1;
    return std::ranges::count_if(*events, [&source](const record::Event& each) {
        return each.kind == record::Event::Kind::Deadlock && each.sourceKey.startsWith(source);
    });
}

class tst_LockctlRecord : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    /// Each in its file; one that can't be reached doesn't stop the others, and is named.
    void severalServersAtOnce()
    {
        const QTemporaryDir folder;
        const db::ServerUrl other = m_server->freshDatabase();
        const auto recorded = ctl()("record %1 %2 %3 --for 3s --interval 100ms --out %4 --json",
            m_url.toString(), nowhere, other.toString(), folder.path());
        VERIFY_CODE(0, recorded);
        QCOMPARE(recorded.err.count(u'\n'), 1);
        QVERIFY2(recorded.err.contains(u"nowhere"_s), recorded.allOutput());
        const QJsonArray all = recorded.json()[u"recordings"].toArray();
        QCOMPARE(all.size(), 3);
        qint64 count = 0;
        for (const auto& each : all) {
            const QString path = each[u"file"].toString();
            QCOMPARE(QFileInfo(path).path(), folder.path());
            const auto reader = test::readRecording(path);
            QCOMPARE(reader->identity().server, each[u"server"].toString());
            count += each[u"snapshots"].toInteger();
            if (each[u"server"].toString().contains(u"nowhere"_s)) {
                QCOMPARE(each[u"snapshots"].toInteger(), 0);
                QVERIFY(each[u"trouble"].toString().contains(u"nowhere"_s));
                QCOMPARE(reader->events({1}, {std::numeric_limits<qint64>::max()})->size(), 1);
            } else {
                QVERIFY2(each[u"snapshots"].toInteger() > 0, recorded.allOutput());
                QCOMPARE(reader->verify()->whole, each[u"snapshots"].toInteger());
            }
        }
        QCOMPARE(recorded.json()[u"snapshots"].toInteger(), count);
    }

    void oneFileIsForOneServer()
    {
        const QTemporaryDir folder;
        const auto refused = ctl()("record %1 %2 --for 100ms --out %3", m_url.toString(), nowhere,
            folder.filePath(u"one.lockscope"_s));
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.isOneLineOfError(), refused.allOutput());
        QVERIFY(QDir(folder.path()).isEmpty());
        const auto twice =
            ctl()("record %1 %2 --for 100ms --out %3", m_url.toString(), m_url.toString(), folder.path());
        QCOMPARE(twice.code, 2);
        QVERIFY2(twice.err.contains(u"named twice"_s), twice.allOutput());
    }

    void whereNothingWasSeenItHasFailed()
    {
        const auto recorded = Lockctl(nowhere)("record --for 100ms --out %1", freshPath(u"r.lockscope"_s));
        QCOMPARE(recorded.code, 1);
        QVERIFY2(recorded.err.contains(u"nowhere"_s), recorded.allOutput());
    }

    void aServerIsNamedAsTheWindowSavedIt()
    {
        const QTemporaryDir folder;
        {
            QSettings settings(folder.filePath(u"lockscope/lockscope.conf"_s), QSettings::IniFormat);
            const db::ServerProfile profile = test::profileOf(m_url, u"the shop"_s);
            db::ProfileStore(settings).save({profile});
        }
        Lockctl lockctl = ctl();
        lockctl.unset(u"LOCKSCOPE_SERVER"_s);
        lockctl.set(u"XDG_CONFIG_HOME"_s, folder.path());
        const QString path = folder.filePath(u"shop.lockscope"_s);
        const auto recorded = lockctl("record %1 --for 100ms --out %2 --json", u"the shop"_s, path);
        VERIFY_CODE(0, recorded);
        QCOMPARE(recorded.json()[u"server"].toString(), u"the shop"_s);
        QVERIFY(recorded.json()[u"snapshots"].toInteger() > 0);
        const auto unknown = lockctl("record %1 --for 100ms --out %2", u"the shed"_s, path);
        QCOMPARE(unknown.code, 2);
        QVERIFY2(unknown.err.contains(u"\"the shed\""_s), unknown.allOutput());
    }

    void itRecordsTheIncidentsOfTheAccountsRules()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir(u"lockscope"_s));
        test::makeFile(folder.filePath(u"lockscope/alerts.json"_s),
            R"({"rules": [{"name": "long wait", "when": "long wait", "levels": [
            {"severity": "warning", "from": "1s", "for": "0s"}]}]})");
        m_server->run(m_url, u"CREATE TABLE public.stock (id int)"_s);
        test::Session holder(*m_server, m_url);
        test::Session waiter(*m_server, m_url);
        QVERIFY(holder.begin(u"LOCK TABLE public.stock"_s));
        QVERIFY(waiter.startWaiting(u"TABLE public.stock"_s));
        Lockctl lockctl = ctl();
        lockctl.set(u"XDG_CONFIG_HOME"_s, folder.path());
        const QString path = folder.filePath(u"r.lockscope"_s);
        VERIFY_CODE(0, lockctl("record --for 3s --interval 100ms --out %1", path));
        const auto events = (*record::RecordingReader::open(path))->events(ever, never);
        QVERIFY(events && events->size() == 1);
        QCOMPARE(events->front().kind, record::Event::Kind::Alert);
        VERIFY_CONTAINS(events->front().what, u"A session has waited for 1"_s);
    }

    void aServiceTellsHowItGetsOn_data()
    {
        test::addRows<bool>("isAbstract", {{"path", false}, {"abstract", true}});
    }
    void aServiceTellsHowItGetsOn()
    {
        QFETCH(bool, isAbstract);
        const QTemporaryDir folder;
        const QByteArray address = isAbstract
            ? "@lockscope-test-" + QByteArray::number(QCoreApplication::applicationPid())
            : folder.filePath(u"notify"_s).toUtf8();
        NotifySocket manager(address);
        Lockctl lockctl = ctl();
        lockctl.set(u"NOTIFY_SOCKET"_s, QString::fromUtf8(address));
        lockctl.set(u"WATCHDOG_USEC"_s, u"400000"_s);
        const QString path = folder.filePath(u"r.lockscope"_s);
        const auto recording = lockctl.start("record --interval 100ms --out %1 --json", path);
        QVERIFY(manager.waitFor("READY=1"));
        QVERIFY((*record::RecordingReader::open(path))->span()); // there is something in it
        QVERIFY(manager.waitForStatus("1 of 1"));
        QVERIFY(manager.waitFor("WATCHDOG=1", 5));
        QVERIFY(!manager.received().contains("STOPPING=1"));
        VERIFY_CODE(0, Lockctl::terminate(*recording));
        QVERIFY(manager.waitFor("STOPPING=1"));
        QCOMPARE(manager.received().count("READY=1"), 1);
        QCOMPARE((*record::RecordingReader::open(path))->segments()->back().endReason, u"stopped"_s);
    }

    /// A full disk is simulated: as long as nothing is written, the watchdog is not fed.
    void theWatchdogStarvesWhenNothingIsWritten()
    {
        const QTemporaryDir folder;
        const QByteArray address = folder.filePath(u"notify"_s).toUtf8();
        NotifySocket manager(address);
        Lockctl lockctl = ctl();
        lockctl.set(u"NOTIFY_SOCKET"_s, QString::fromUtf8(address));
        lockctl.set(u"WATCHDOG_USEC"_s, u"400000"_s);
        const QString place = folder.filePath(u"place"_s);
        const auto recording = lockctl.start("record --interval 100ms --out %1", place + u"/r.lockscope"_s);
        QVERIFY(manager.waitFor("WATCHDOG=1", 2));
        QVERIFY(QDir(place).removeRecursively());
        QVERIFY(manager.waitForStatus("0 of 1"));
        const qsizetype before = manager.received().count("WATCHDOG=1");
        QTest::qWait(1'500); // it would be fed several times
        const qsizetype meanwhile = manager.received().count("WATCHDOG=1") - before;
        QVERIFY2(meanwhile <= 1, qPrintable(QString::number(meanwhile))); // one may have been on its way
        QVERIFY(QDir().mkpath(place));
        QVERIFY(manager.waitFor("WATCHDOG=1", before + 4));
        recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 0);
    }

    void aServerThatIsNotThereIsRecordedAsThat()
    {
        const QTemporaryDir folder;
        const QByteArray address = folder.filePath(u"notify"_s).toUtf8();
        NotifySocket manager(address);
        Lockctl lockctl(nowhere);
        lockctl.set(u"NOTIFY_SOCKET"_s, QString::fromUtf8(address));
        lockctl.set(u"WATCHDOG_USEC"_s, u"400000"_s);
        const QString path = folder.filePath(u"r.lockscope"_s);
        const auto recording = lockctl.start("record --interval 100ms --out %1", path);
        QVERIFY(manager.waitFor("READY=1"));
        QVERIFY(manager.waitForStatus("nowhere"));
        QVERIFY(manager.waitFor("WATCHDOG=1", 3));
        const auto answer = Lockctl::terminate(*recording);
        VERIFY_CODE(0, answer);
        QCOMPARE(answer.err.count(u'\n'), 1); // reported once, not at each poll
        const auto events =
            (*record::RecordingReader::open(path))->events({1}, {std::numeric_limits<qint64>::max()});
        QCOMPARE(events->size(), 1);
        QCOMPARE(events->front().kind, record::Event::Kind::Failure);
    }

    /// For a service it is the regular end; for a command it is a signal like any other.
    void sigtermEndsAService()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const auto recording = ctl().start("record --interval 100ms --out %1", path);
        QVERIFY(hasBegun(path));
        recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 128 + 15);
        QCOMPARE((*record::RecordingReader::open(path))->segments()->back().endReason, u"stopped"_s);
    }

    /// timeout(1) sends it to the process and to its group.
    void aSignalThatArrivesTwiceIsOneRequest()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const auto recording = ctl().start("record --interval 100ms --out %1", path);
        QVERIFY(hasBegun(path));
        for (int i = 0; i < 4; ++i, QThread::msleep(5))
            recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 128 + 15);
        QVERIFY(!QFile::exists(path + u"-wal"_s));
        QCOMPARE((*record::RecordingReader::open(path))->segments()->back().endReason, u"stopped"_s);
    }

    void thePasswordMayBeACredential()
    {
        const QTemporaryDir folder;
        test::makeFile(folder.filePath(u"lockscope-password"_s), m_server->password().toUtf8() + "\n");
        Lockctl lockctl = ctl();
        lockctl.unset(u"LOCKSCOPE_PASSWORD"_s);
        lockctl.set(u"CREDENTIALS_DIRECTORY"_s, folder.path());
        const QStringList command =
            Lockctl::words("record --for 100ms --json --out %1", folder.filePath(u"r.lockscope"_s));
        const auto recorded = lockctl(command);
        VERIFY_CODE(0, recorded);
        QVERIFY2(recorded.json()[u"snapshots"].toInteger() > 0, recorded.allOutput());
    }

    void aRangeCanBeGivenAway()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"r.lockscope"_s);
        VERIFY_CODE(0, ctl()("record --for 1s --interval 100ms --out %1", path));
        const QString clip = folder.filePath(u"clip.lockscope"_s);
        const auto cut = ctl()("recordings export %1 --from 200ms --out %2 --redact --json", path, clip);
        VERIFY_CODE(0, cut);
        QVERIFY(cut.json()[u"snapshots"].toInteger() > 0);
        for (const QStringList& command :
            {Lockctl::words("recordings verify %1", clip), Lockctl::words("list --recording %1", clip),
                Lockctl::words("tree --recording %1", clip), Lockctl::words("recordings pins %1", clip)}) {
            VERIFY_CODE(0, ctl()(command));
        }
        const auto unseen = ctl()("history nothing --recording %1", clip);
        QCOMPARE(unseen.code, 1);
        QVERIFY2(unseen.err.contains(u"No lock 'nothing' is in the recording."_s), unseen.allOutput());
        const auto again = ctl()("recordings export %1 --out %2", path, clip);
        QVERIFY2(again.code != 0 && again.err.contains(u"already"_s), again.allOutput());
        const QString both = folder.filePath(u"both.lockscope"_s);
        const auto merged = ctl()("recordings merge %1 %2 --out %3 --json", clip, path, both);
        VERIFY_CODE(0, merged);
        QCOMPARE(merged.json()[u"overlaps"].toInteger(), 1);
        QCOMPARE(
            merged.json()[u"snapshots"].toInteger(), (*record::RecordingReader::open(path))->span()->frames);
    }

    void whatAnotherWritesIsLeftAlone()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const auto recording = ctl().start("record --interval 100ms --out %1", path);
        QVERIFY(hasBegun(path));
        const auto pruned = ctl()("recordings prune %1 --keep 1s --compact", path);
        QCOMPARE(pruned.code, 1);
        QVERIFY2(pruned.isOneLineOfError()
                && pruned.err.contains(u"written by lockctl (process %1)"_s.arg(recording->processId())),
            pruned.allOutput());
        recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 128 + 15);
        const auto later = ctl()("recordings prune %1 --keep 7d --compact --json", path);
        VERIFY_CODE(0, later);
        QVERIFY(later.jsonArray()[0][u"snapshots"].toInteger() > 0);
        const auto unsaid = ctl()("recordings prune %1", path);
        QCOMPARE(unsaid.code, 2); // how much, is said each time
    }

    /// "No more than 500 MB" sets no limit of age, and "the last week" none of size.
    void halfABoundBoundsItselfOnly()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const auto write = [&path] {
            const auto writer = test::writeRecording(path);
            const ServerTime yearsAgo = ownClock() - std::chrono::hours(24 * 365 * 5);
            for (int second = 0; second < 400; ++second) {
                Snapshot snapshot = *test::MadeRecording::at(second);
                snapshot.takenAt = yearsAgo + std::chrono::seconds(second);
                QVERIFY(writer->append(test::toRecord(snapshot), snapshot.takenAt));
            }
        };
        const auto keep = [&](const QString& limits) {
            const auto pruned = ctl()("recordings prune %1 --keep %2 --yes --json", path, limits);
            return pruned.code == 0 ? pruned.jsonArray()[0][u"snapshots"].toInteger() : -1;
        };
        write();
        QCOMPARE(keep(u"500M"_s), 400);
        const qint64 young = keep(u"7d"_s);
        QVERIFY2(young > 0 && young < 400, qPrintable(QString::number(young)));
    }

    void pinsOutliveTheRest()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        QCOMPARE(ctl()("record --for 300ms --interval 100ms --out %1", path).code, 0);
        VERIFY_CODE(0, ctl()("recordings pin %1 --from 10s --to 0s --why OPS-17 --json", path));
        auto pins = ctl()("recordings pins %1 --json", path);
        QCOMPARE(pins.jsonArray().size(), 1);
        QCOMPARE(pins.jsonArray()[0][u"why"].toString(), u"OPS-17"_s);
        const QString number = QString::number(pins.jsonArray()[0][u"pin"].toInteger());
        QVERIFY(ctl()("recordings pins %1", path).out.contains(u"OPS-17"_s));
        QCOMPARE(ctl()("recordings unpin %1 %2", path, number).code, 0);
        QCOMPARE(ctl()("recordings unpin %1 %2", path, number).code, 1);
        pins = ctl()("recordings pins %1 --json", path);
        QCOMPARE(pins.jsonArray().size(), 0);
        const auto empty = ctl()("recordings pin %1 --from 2d --to 1d --why nothing", path);
        QVERIFY2(empty.code != 0 && empty.isOneLineOfError(), empty.allOutput());
    }

    /// Polls of the locks saw the ring, and the server wrote of it: that is one deadlock.
    void aDeadlockIsRecordedAsTheServerReportedIt()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const auto recording = ctl().start("record --interval 100ms --out %1", path);
        QVERIFY(areDeadlocksPolled());
        test::makeDeadlock(m_server->at(m_url), 1, milliseconds(3'000));
        QVERIFY(waitUntil([&] { return !reportsIn(path).isEmpty(); }, untilNextPoll));
        QCOMPARE(deadlocksIn(path, u"ring:"_s), 1);
        // Another deadlock shows that the records were read again by then.
        test::makeDeadlock(m_server->at(m_url), 11, milliseconds(3'000));
        QVERIFY(waitUntil([&] { return reportsIn(path).size() > 1; }, untilNextPoll));
        recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 128 + 15);

        const QList<record::RecordedReport> reports = reportsIn(path);
        QCOMPARE(reports.size(), 2);
        QCOMPARE(deadlocksIn(path, u"report:"_s), 2);
        for (const record::RecordedReport& each : reports) {
            QCOMPARE(each.origin, u"PostgreSQL's log (stderr)"_s);
            QVERIFY2(
                each.raw.contains(u"deadlock detected"_s) && each.raw.contains(u"pg_advisory_xact_lock"_s),
                qPrintable(each.raw));
            const auto drawn = record::reportsOf(each);
            QVERIFY(drawn);
            QCOMPARE(drawn->size(), 1);
            QCOMPARE(drawn->first()->cycles.size(), 1);
            QCOMPARE(drawn->first()->time.at, each.at);
        }
        const auto listed = ctl()("recordings list %1 --json", path);
        VERIFY_CODE(0, listed);
        if (listed.jsonArray()[0][u"deadlocks"].toInteger() != 2)
            tellEvents(path);
        QCOMPARE(listed.jsonArray()[0][u"deadlocks"].toInteger(), 2);
        const auto range = ctl()("range --recording %1 --json", path);
        VERIFY_CODE(0, range);
        QCOMPARE(range.json()[u"events"][u"deadlocks"].toInteger(), 2);
        QVERIFY(ctl()("range --recording %1", path).out.contains(u"2 deadlocks"_s));
    }

    /// No poll saw it, and the next reading of the server's records would have been much later.
    void whatHappenedJustBeforeTheEndIsRecorded()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const auto recording = ctl().start("record --interval 10m --out %1", path);
        QVERIFY(areDeadlocksPolled());
        test::makeDeadlock(m_server->at(m_url), 1);
        recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 128 + 15);
        QCOMPARE(deadlocksIn(path, u"ring:"_s), 0);
        QCOMPARE(deadlocksIn(path, u"report:"_s), 1);
        QCOMPARE(reportsIn(path).size(), 1);
        QCOMPARE((*record::RecordingReader::open(path))->segments()->back().endReason, u"stopped"_s);
    }

    /// A report repeats statements.
    void withoutValuesADeadlockIsCountedOnly()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const auto recording = ctl().start("record --redact --interval 100ms --out %1", path);
        QVERIFY(areDeadlocksPolled());
        test::makeDeadlock(m_server->at(m_url), 1, milliseconds(3'000));
        QVERIFY(waitUntil([&] { return deadlocksIn(path, u"report:"_s) == 1; }, untilNextPoll));
        recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 128 + 15);
        QVERIFY(reportsIn(path).isEmpty());
        QCOMPARE(ctl()("recordings list %1 --json", path).jsonArray()[0][u"deadlocks"].toInteger(), 1);
    }

private:
    /// A recording has read the server's records: what happens from now on is reported.
    bool areDeadlocksPolled() const
    {
        return waitUntil([this] {
            return test::ask(*m_server->connect(m_url),
                       u"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle' AND application_name LIKE '%deadlocks%' AND (query LIKE '%clock_timestamp%' OR query LIKE '%pg_read_binary_file%' OR query LIKE '%log_timezone%')"_s)
                == u"1"_s;
        });
    }
};

LOCKSCOPE_TEST(tst_LockctlRecord)

} // namespace tst_LockctlRecord
#include "tst_LockctlRecord.moc"
