// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The contract of the lock table of an SQLite file beyond tst_LockConformance.

#include "core/db/SchemaInstaller.h"
#include "core/locks/LockBackend.h"
#include "tests/support/LockRig.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

#include <sqlite3.h>

namespace tst_SqliteLocks {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr LockVariant variant{Engine::Sqlite, LockKind::Table};
constexpr int notObtained = 75;
const QString now = u"CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)"_s;

/// Another program, with a connection of SQLite's own.
class Foreign {
public:
    explicit Foreign(const QString& path)
    {
        if (sqlite3_open(path.toUtf8().constData(), &m_sqlite) != SQLITE_OK)
            qFatal("can't open %s", qPrintable(path));
    }
    ~Foreign() { sqlite3_close(m_sqlite); }
    Q_DISABLE_COPY_MOVE(Foreign)

    /// Empty if it worked.
    QString run(const QString& sql)
    {
        const int code = sqlite3_exec(m_sqlite, sql.toUtf8().constData(), nullptr, nullptr, nullptr);
        return code == SQLITE_OK ? QString() : QString::fromUtf8(sqlite3_errmsg(m_sqlite));
    }

private:
    sqlite3* m_sqlite = nullptr;
};

static QString entry(const QString& name, const QString& token)
{
    return u"INSERT INTO lockscope_lock_entry (name, token, expires_at) VALUES ('%1', '%2', %3 + 60000000)"_s
        .arg(name, token, now);
}

static QString waiter(const QString& name, const QString& token, const QString& lasts = u"2000000"_s)
{
    return u"INSERT INTO lockscope_lock_waiter (name, token, expires_at) VALUES ('%1', '%2', %3 + %4)"_s.arg(
        name, token, now, lasts);
}

class tst_SqliteLocks : public QObject {
    Q_OBJECT

    static LockBackend::Answer attempt(
        db::Connection& connection, const QString& token, qint64 ticket, bool waits = false)
    {
        AcquireRequest request;
        request.name = u"n"_s;
        return orDie(
            LockBackend::create(connection)->attempt({request, token, waits, ticket, milliseconds(0)}, {}));
    }

private Q_SLOTS:
    void theTablesTakeNothingThatIsNoLock_data()
    {
        QTest::addColumn<QString>("values");
        const QString good = u"'n', 't', 1, %1, %1 + 1"_s.arg(now);
        row("no name", "NULL, 't', 1, 1, 2");
        row("empty name", "'', 't', 1, 1, 2");
        row("long name", u"'%1', 't', 1, 1, 2"_s.arg(QString(256, u'n')));
        row("bytes for a name", "X'6E', 't', 1, 1, 2");
        row("NUL in the name", "CAST(X'6E006E' AS TEXT), 't', 1, 1, 2");
        row("NUL at the end", "CAST(X'6E00' AS TEXT), 't', 1, 1, 2");
        row("bytes for a token", "'n', X'74', 1, 1, 2");
        row("no token", "'n', '', 1, 1, 2");
        row("word for a number", "'n', 't', 'one', 1, 2");
        row("half a number", "'n', 't', 1.5, 1, 2");
        row("word for a time", "'n', 't', 1, 'then', 2");
        row("word for an end", "'n', 't', 1, 1, 'never'");
        row("infinite end", "'n', 't', 1, 1, 9e999");
        row("end of all numbers", "'n', 't', 1, 1, 9223372036854775807");
        row("lease of nothing", "'n', 't', 1, 5, 5");
        row("lease below nothing", "'n', 't', 1, 5, 4");
        row("before 1970", "'n', 't', 1, -1, 5");
    }
    void theTablesTakeNothingThatIsNoLock()
    {
        QFETCH(const QString, values);
        const LockRig rig(variant);
        Foreign foreign(rig.url().database);
        const QString insert =
            u"INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at) VALUES (%1)"_s;
        QVERIFY(!foreign.run(insert.arg(values)).isEmpty());
        QCOMPARE(foreign.run(insert.arg(u"'n', 't', 1, 1, 2"_s)), QString());
    }

    void tablesThatWereChangedAreNotUsed_data()
    {
        addColumns<QString, QString>("change", "message");
        row("another trigger",
            "DROP TRIGGER lockscope_entry_insert; CREATE TRIGGER lockscope_entry_insert BEFORE INSERT ON lockscope_lock_entry BEGIN SELECT 1; END",
            "the trigger lockscope_entry_insert is not as the installation makes it");
        row("no key",
            "DROP TABLE lockscope_lock_entry; CREATE TABLE lockscope_lock_entry (name TEXT, token TEXT, fencing INTEGER, acquired_at INTEGER, expires_at INTEGER, owner TEXT, host TEXT, program TEXT, process_id INTEGER)",
            "the table lockscope_lock_entry is not as the installation makes it");
    }
    void tablesThatWereChangedAreNotUsed()
    {
        FETCH(const QString, change, const QString, message);
        const LockRig rig(variant);
        QCOMPARE(Foreign(rig.url().database).run(change), QString());
        const auto connection = rig.connect();
        const auto refused = db::usableSchema(*connection, db::SchemaUse::Calling);
        VERIFY_FAILS(ErrorKind::Permission, refused);
        QVERIFY2(refused.error().detail.contains(message), qPrintable(refused.error().toString()));
        // Neither is it repaired in silence.
        VERIFY_FAILS(ErrorKind::Permission, db::installSchema(*connection));
    }

    /// A table that existed before would be taken for Lockscope's.
    void nothingIsInstalledBesideAForeignTable()
    {
        const QString path = freshPath(u"locks.db"_s);
        QCOMPARE(
            Foreign(path).run(u"CREATE TABLE lockscope_lock_entry (name TEXT, token TEXT)"_s), QString());
        const auto installed = Lockctl(u"sqlite://"_s + path)("install");
        QVERIFY2(installed.code != 0 && installed.err.contains(u"the table lockscope_lock_entry is not as"_s),
            installed.allOutput());
    }

    void aPlaceInTheQueueIsShort()
    {
        const LockRig rig(variant);
        Foreign foreign(rig.url().database);
        QVERIFY(!foreign.run(waiter(u"n"_s, u"t"_s, u"3600000000"_s)).isEmpty());
        QCOMPARE(foreign.run(waiter(u"n"_s, u"t"_s)), QString());
        QVERIFY(!foreign.run(u"UPDATE lockscope_lock_waiter SET expires_at = 9000000000000000"_s).isEmpty());
    }

    void whatIsRecordedStays()
    {
        const LockRig rig(variant);
        Foreign foreign(rig.url().database);
        QCOMPARE(
            foreign.run(
                u"INSERT INTO lockscope_audit_log (at, who, origin, act, target, reason, before, outcome) VALUES (1, 'w', 'o', 'a', 't', 'r', '{}', 'done')"_s),
            QString());
        QVERIFY(!foreign.run(u"UPDATE lockscope_audit_log SET who = 'nobody'"_s).isEmpty());
    }

    void fencingGrowsForEverybody()
    {
        const LockRig rig(variant);
        Foreign foreign(rig.url().database);
        const auto last = [&rig] { return rig.number(u"SELECT fencing FROM lockscope_lock_entry"_s); };
        QCOMPARE(
            foreign.run(
                u"INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at) VALUES ('n', 't', 4000, 1, 2)"_s),
            QString());
        QCOMPARE(last(), 1);
        const auto connection = rig.connect();
        QCOMPARE(attempt(*connection, u"u"_s, LockBackend::newcomer).taken->fencing, 2);
        // A stale row taken over by hand.
        QCOMPARE(
            foreign.run(u"UPDATE lockscope_lock_entry SET acquired_at = 1, expires_at = 2"_s), QString());
        QCOMPARE(last(), 2);
        QCOMPARE(foreign.run(u"UPDATE lockscope_lock_entry SET token = 'v', expires_at = %1 + 1"_s.arg(now)),
            QString());
        QCOMPARE(last(), 3);
        QCOMPARE(foreign.run(u"DELETE FROM lockscope_lock_entry"_s), QString());
        QCOMPARE(attempt(*connection, u"w"_s, LockBackend::newcomer).taken->fencing, 4);
    }

    void plainSqlRespectsTheQueue()
    {
        const LockRig rig(variant);
        Foreign foreign(rig.url().database);
        QCOMPARE(foreign.run(waiter(u"n"_s, u"first"_s, u"30000000"_s)), QString());
        QCOMPARE(foreign.run(waiter(u"n"_s, u"second"_s, u"30000000"_s)), QString());
        for (const char* token : {"newcomer", "second"})
            QVERIFY2(
                foreign.run(entry(u"n"_s, QString::fromLatin1(token))).contains(u"Somebody waits"_s), token);
        QCOMPARE(foreign.run(entry(u"other"_s, u"newcomer"_s)), QString());
        QCOMPARE(foreign.run(entry(u"n"_s, u"first"_s)), QString());
        // Its row is stale: the next in line may take it over, nobody else.
        QCOMPARE(foreign.run(u"DELETE FROM lockscope_lock_waiter WHERE token = 'first'"_s), QString());
        const QString takeOver =
            u"UPDATE lockscope_lock_entry SET token = '%1', expires_at = %2 + 1 WHERE name = 'n'"_s;
        QVERIFY(foreign.run(takeOver.arg(u"newcomer"_s, now)).contains(u"Somebody waits"_s));
        QCOMPARE(foreign.run(takeOver.arg(u"second"_s, now)), QString());
    }

    void aTicketCountsWithItsTokenOnly()
    {
        const LockRig rig(variant);
        Foreign foreign(rig.url().database);
        QCOMPARE(foreign.run(waiter(u"n"_s, u"first"_s, u"30000000"_s)), QString());
        const auto connection = rig.connect();
        for (const qint64 ticket : {qint64(0), qint64(-1), qint64(1), LockBackend::newcomer})
            QVERIFY2(!attempt(*connection, u"pusher"_s, ticket).taken, QByteArray::number(ticket));
        QVERIFY(attempt(*connection, u"first"_s, 1).taken);
    }

    void aDeadHeadLetsTheNextThroughWithinSeconds()
    {
        const LockRig rig(variant);
        Foreign foreign(rig.url().database);
        QCOMPARE(foreign.run(waiter(u"n"_s, u"dead"_s)), QString());
        Contender ann(rig);
        QElapsedTimer clock;
        clock.start();
        const LockReply reply = ann.acquire(rig.requestFor(u"n"_s, milliseconds(30'000)));
        QCOMPARE(reply.outcome, Outcome::GrantedAfterWait);
        QVERIFY2(clock.elapsed() < 4'000, QByteArray::number(clock.elapsed()));
    }

    void whoGivesUpWhileTheFileIsBusyWaitsNoLonger()
    {
        const LockRig rig(variant);
        Contender holder(rig);
        Contender waiting(rig);
        QVERIFY(holder.acquire(rig.requestFor(u"n"_s)).isGranted());
        auto reply = waiting.ask(rig.requestFor(u"n"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        Foreign foreign(rig.url().database);
        QCOMPARE(foreign.run(u"BEGIN IMMEDIATE"_s), QString());
        waiting.cancel();
        QCOMPARE(soon(std::move(reply)).outcome, Outcome::Cancelled); // though nothing could be written
        QCOMPARE(foreign.run(u"COMMIT"_s), QString());
        const QString rows = u"SELECT count(*) FROM lockscope_lock_waiter"_s;
        QCOMPARE(rig.number(rows), 1); // the row could not be taken away
        QTRY_COMPARE(rig.waiters(u"n"_s), 0); // and ends by itself
        QVERIFY(holder.release());
        QVERIFY(waiting.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void whoWaitsLongKeepsThePlace()
    {
        const LockRig rig(variant);
        Contender ann(rig);
        Contender bob(rig);
        QVERIFY(ann.acquire(rig.requestFor(u"n"_s)).isGranted());
        auto waiting = bob.ask(rig.requestFor(u"n"_s, milliseconds(60'000)));
        const auto ends = [&rig] {
            return rig.number(u"SELECT max(expires_at) FROM lockscope_lock_waiter"_s);
        };
        QVERIFY(waitUntil([&] { return ends() > 0; }));
        const qint64 ticket = rig.number(u"SELECT ticket FROM lockscope_lock_waiter"_s);
        const qint64 first = ends();
        // Longer than a registration lasts.
        QVERIFY(waitUntil([&] { return ends() > first + 2'500'000; }));
        QCOMPARE(rig.number(u"SELECT ticket FROM lockscope_lock_waiter"_s), ticket);
        QVERIFY(ann.release());
        QVERIFY(soon(std::move(waiting)).isGranted());
        QCOMPARE(rig.number(u"SELECT count(*) FROM lockscope_lock_waiter"_s), 0);
    }

    void waitsHoldWhileAnotherProgramWrites_data()
    {
        addColumns<bool, QString>("ours", "lock");
        row("our file", true, "BEGIN IMMEDIATE");
        row("a foreign file", false, "BEGIN IMMEDIATE");
        row("a foreign file that can't even be read", false, "BEGIN EXCLUSIVE");
    }
    void waitsHoldWhileAnotherProgramWrites()
    {
        FETCH(const bool, ours, const QString, lock);
        const QString path = freshPath(u"locks.db"_s);
        Foreign writer(path);
        if (!ours)
            QCOMPARE(writer.run(u"CREATE TABLE theirs (a)"_s), QString());
        const Lockctl lockctl(u"sqlite://"_s + path);
        QCOMPARE(lockctl("install").code, 0);
        QCOMPARE(writer.run(lock), QString());
        QElapsedTimer clock;
        const auto run = [&](const QStringList& options) {
            clock.start();
            return lockctl(QStringList{u"run"_s, u"n"_s} + options + QStringList{u"--"_s, u"true"_s});
        };
        VERIFY_CODE(notObtained, run({u"--no-wait"_s}));
        QVERIFY2(clock.elapsed() < 3'000, QByteArray::number(clock.elapsed()));
        VERIFY_CODE(notObtained, run({u"--wait"_s, u"1s"_s}));
        QVERIFY2(clock.elapsed() >= 900 && clock.elapsed() < 4'000, QByteArray::number(clock.elapsed()));
        // It outlasts a writer that keeps the file for longer than SQLite's usual five seconds.
        auto waiting = lockctl.start("run n --wait 60s -- echo ran");
        QTest::qWait(6'000); // longer than that
        QCOMPARE(waiting->state(), QProcess::Running);
        QCOMPARE(writer.run(u"COMMIT"_s), QString());
        const auto granted = Lockctl::finish(*waiting);
        QVERIFY2(granted.code == 0 && granted.out.contains(u"ran"_s), granted.allOutput());
    }

    void aFailingCommandMakesNoFile_data()
    {
        QTest::addColumn<QStringList>("command");
        for (const char* command :
            {"list", "tree", "audit", "acquire n", "run n -- true", "release n --token t",
                "release n --force --yes --reason r", "purge --yes --reason r", "uninstall --yes"})
            row(command, QString::fromLatin1(command).split(u' '));
    }
    void aFailingCommandMakesNoFile()
    {
        QFETCH(const QStringList, command);
        const QString path = freshPath(u"locks.db"_s);
        const auto answer = Lockctl(u"sqlite://"_s + path)(command);
        QVERIFY2(answer.code != 0, answer.allOutput());
        QVERIFY2(answer.err.contains(u"There is no file"_s), answer.allOutput());
        QVERIFY(!QFile::exists(path));
    }
};

LOCKSCOPE_TEST_AT_ONCE(tst_SqliteLocks)

} // namespace tst_SqliteLocks
#include "tst_SqliteLocks.moc"
