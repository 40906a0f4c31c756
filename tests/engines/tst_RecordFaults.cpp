// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// `lockctl record` while a server is slow or a file is damaged, and `lockctl recordings prune` of its files.

#include "core/record/Coverage.h"
#include "core/record/Database.h"
#include "tests/support/Lockctl.h"
#include "tests/support/MadeRecording.h"
#include "tests/support/NotifySocket.h"
#include "tests/support/Recordings.h"
#include "tests/support/Session.h"
#include "tests/support/Terminal.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_RecordFaults {

using namespace lockscope;
using namespace lockscope::test;

constexpr ServerTime never{std::numeric_limits<qint64>::max()};

static std::vector<record::Poll> pollsIn(const QString& path)
{
    std::vector<record::Poll> polls;
    const auto reader = record::RecordingReader::open(path);
    if (reader)
        static_cast<void>(
            (*reader)->polls({1}, never, [&polls](const record::Poll& poll) { polls.push_back(poll); }));
    return polls;
}

/// Four hundred snapshots, years old.
static void writeOld(const QString& path)
{
    const auto writer = test::writeRecording(path);
    const ServerTime yearsAgo = ownClock() - std::chrono::hours(24 * 365 * 5);
    for (int second = 0; second < 400; ++second) {
        Snapshot snapshot = *test::MadeRecording::at(second);
        snapshot.takenAt = yearsAgo + std::chrono::seconds(second);
        QVERIFY(writer->append(test::toRecord(snapshot), snapshot.takenAt));
    }
}

class tst_RecordFaults : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    /// The process of the server that answers the recorder is stopped for nine seconds, while somebody waits.
    void aStalledServerIsPolledAgainSoon()
    {
        m_server->run(m_url, u"CREATE TABLE public.stock (id int)"_s);
        test::Session holder(*m_server, m_url);
        test::Session waiter(*m_server, m_url);
        QVERIFY(holder.begin(u"LOCK TABLE public.stock"_s));
        QVERIFY(waiter.startWaiting(u"TABLE public.stock"_s));
        const QTemporaryDir folder;
        const QByteArray address = folder.filePath(u"notify"_s).toUtf8();
        NotifySocket manager(address);
        const Lockctl lockctl = serviceOf(address);
        const QString path = folder.filePath(u"r.lockscope"_s);
        const auto recording = lockctl.start("record --interval 200ms --out %1", path);
        QVERIFY(waitUntil([&path] { return pollsIn(path).size() > 3; }));

        const pid_t monitor = monitorOf(m_url);
        QVERIFY(monitor > 0);
        const auto goesOn = qScopeGuard([monitor] { ::kill(monitor, SIGCONT); });
        QCOMPARE(::kill(monitor, SIGSTOP), 0);
        const qsizetype fed = manager.received().count("WATCHDOG=1");
        QTest::qWait(9'000); // the length of the stall is what the gap is compared with
        const qsizetype fedMeanwhile = manager.received().count("WATCHDOG=1") - fed;
        QVERIFY2(fedMeanwhile > 10, qPrintable(QString::number(fedMeanwhile)));
        const size_t before = pollsIn(path).size();
        QCOMPARE(::kill(monitor, SIGCONT), 0);
        QVERIFY(waitUntil([&] { return pollsIn(path).size() > before + 3; }));
        recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 0);

        const std::vector<record::Poll> polls = pollsIn(path);
        size_t late = 1;
        for (size_t i = 1; i < polls.size(); ++i) {
            if (polls[i].taken - polls[i - 1].taken > polls[late].taken - polls[late - 1].taken)
                late = i;
        }
        QVERIFY(polls[late].taken - polls[late - 1].taken > 8s);
        QVERIFY(late + 1 < polls.size());
        const auto next = polls[late + 1].taken - polls[late].taken;
        QVERIFY2(next <= 3'200ms, qPrintable(QString::number(next.count())));
        const auto reader = record::RecordingReader::open(path);
        const auto coverage = record::coverageOf(**reader, polls.front().taken, polls.back().taken);
        QVERIFY(coverage);
        const auto gap = std::ranges::find(coverage->gaps, polls[late].taken, &record::Coverage::Gap::to);
        QVERIFY(gap != coverage->gaps.end());
        QCOMPARE(gap->reason, record::Coverage::Reason::SlowServer);
    }

    /// The server hangs as well, so that a poll is under way at each check.
    void aRecorderThatCannotWriteFeedsNoWatchdog()
    {
        const QTemporaryDir folder;
        const QByteArray address = folder.filePath(u"notify"_s).toUtf8();
        NotifySocket manager(address);
        const Lockctl lockctl = serviceOf(address);
        const QString path = folder.filePath(u"r.lockscope"_s);
        const auto recording = lockctl.start("record --interval 100ms --out %1", path);
        QVERIFY(waitUntil([&path] { return pollsIn(path).size() > 3; }));
        QVERIFY(manager.waitFor("WATCHDOG=1", 2));

        auto other = record::Database::open(path, record::Database::Mode::Write);
        QVERIFY(other && (*other)->script("BEGIN IMMEDIATE"));
        const auto fed = [&manager] { return manager.received().count("WATCHDOG=1"); };
        QVERIFY(waitUntil([&] { // polls have ended since, and nothing was written
            const qsizetype before = fed();
            QTest::qWait(1'000); // no feeding for that long is the condition
            return fed() == before;
        }));
        const pid_t monitor = monitorOf(m_url);
        QVERIFY(monitor > 0);
        const auto goesOn = qScopeGuard([monitor] { ::kill(monitor, SIGCONT); });
        QCOMPARE(::kill(monitor, SIGSTOP), 0);
        const qsizetype before = fed();
        QTest::qWait(2'000); // several times in which it would be fed
        QCOMPARE(fed(), before);
        QCOMPARE(::kill(monitor, SIGCONT), 0);
        QVERIFY((*other)->script("ROLLBACK"));
        QVERIFY(manager.waitFor("WATCHDOG=1", before + 3));
        recording->terminate();
        QCOMPARE(Lockctl::finish(*recording).code, 0);
    }

    void aDamagedFileConcernsNoOtherServer()
    {
        const QTemporaryDir folder;
        const db::ServerUrl other = m_server->freshDatabase();
        const QByteArray address = folder.filePath(u"notify"_s).toUtf8();
        NotifySocket manager(address);
        const Lockctl lockctl = serviceOf(address);
        const QString place = folder.filePath(u"place"_s);
        QVERIFY(QDir().mkpath(place));
        const auto recording = lockctl.start(
            "record %1 %2 --interval 100ms --out %3", m_url.toString(), other.toString(), place);
        const auto files = [&place](const QString& pattern) {
            return QDir(place).entryInfoList({pattern}, QDir::Files, QDir::Name);
        };
        QVERIFY(waitUntil([&] { return files(u"*.lockscope"_s).size() == 2; }));
        const QString one = files(u"*.lockscope"_s).first().filePath();
        const QString another = files(u"*.lockscope"_s).last().filePath();
        QVERIFY(waitUntil([&] { return pollsIn(one).size() > 3 && pollsIn(another).size() > 3; }));

        record::leaveDamageMark(one, record::damaged(u"made up"_s).value());
        QVERIFY(waitUntil([&] { return files(u"*-until-*.lockscope"_s).size() == 1; }));
        const size_t before = pollsIn(another).size();
        const qsizetype fed = manager.received().count("WATCHDOG=1");
        QVERIFY(manager.waitFor("WATCHDOG=1", fed + 4));
        QVERIFY(waitUntil([&] { return pollsIn(another).size() > before + 3 && pollsIn(one).size() > 3; }));
        QCOMPARE(record::RecordingReader::open(another)->get()->segments()->size(), 1); // without a gap
        const auto answer = Lockctl::terminate(*recording);
        VERIFY_CODE(0, answer);
        QCOMPARE(answer.err.count(u'\n'), 1);
        QVERIFY2(answer.err.contains(
                     u"was damaged: it is "_s + files(u"*-until-*.lockscope"_s).first().fileName()),
            answer.allOutput());
        const auto events = record::RecordingReader::open(one)->get()->events({1}, never);
        QVERIFY(events && events->front().what.contains(u"made up"_s));
    }

    void pruneSetsADamagedFileAside()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"r.lockscope"_s);
        writeOld(path);
        const QString letter = folder.filePath(u"letter"_s);
        {
            constexpr qint64 pageBytes = 4'096;
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(pageBytes));
            QVERIFY(file.write(QByteArray(file.size() - pageBytes, '\x5a')) > 0);
            test::makeFile(letter, QByteArray(9'000, 'x'));
        }
        const auto pruned = ctl()("recordings prune %1 %2 --keep 7d --yes --json", path, letter);
        QCOMPARE(pruned.code, 1);
        QVERIFY(!QFile::exists(path));
        const QString aside = pruned.jsonArray()[0][u"set_aside"].toString();
        QVERIFY2(QFile::exists(aside), pruned.allOutput());
        QVERIFY2(pruned.err.contains(u"is damaged: it is %1 now."_s.arg(QFileInfo(aside).fileName())),
            pruned.allOutput());
        QVERIFY(QFile::exists(letter)); // no recording, and nobody's to rename
        QCOMPARE(pruned.jsonArray().size(), 1);
    }

    void pruneAsksAtATerminal()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        writeOld(path);
        const QStringList command{u"recordings"_s, u"prune"_s, path, u"--keep"_s, u"7d"_s};
        const auto frames = [&path] { return test::readRecording(path)->span()->frames; };
        for (const QByteArray answer : {"n", "", "y"}) {
            test::Terminal terminal(test::programPath("lockctl"), command, {u"TERM=xterm"_s}, 200);
            QVERIFY2(
                terminal.waitUntilShown(u"Drop them? [y/N]"_s), qPrintable(terminal.screen().join(u'\n')));
            QVERIFY2(
                terminal.shows(u"of 400 snapshots would go"_s), qPrintable(terminal.screen().join(u'\n')));
            QCOMPARE(frames(), 400);
            terminal.type(answer + '\n');
            QCOMPARE(terminal.waitForEnd(), answer == "y" ? 0 : 1);
        }
        QVERIFY(frames() > 0 && frames() < 200);
    }

private:
    /// The server's process that answers the polls.
    pid_t monitorOf(const db::ServerUrl& url) const
    {
        const QString process = test::ask(*m_server->connect(url),
            u"SELECT max(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%''3''::xid%'"_s);
        return static_cast<pid_t>(process.toInt());
    }
    /// Returns it as a service manager starts it that listens there, and expects a sign of life each 0.4 s.
    Lockctl serviceOf(const QByteArray& address) const
    {
        Lockctl lockctl = ctl();
        lockctl.set(u"NOTIFY_SOCKET"_s, QString::fromUtf8(address));
        lockctl.set(u"WATCHDOG_USEC"_s, u"400000"_s);
        return lockctl;
    }
};

LOCKSCOPE_TEST_AT_ONCE(tst_RecordFaults)

} // namespace tst_RecordFaults
#include "tst_RecordFaults.moc"
