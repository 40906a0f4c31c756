// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaInstaller.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SqliteSnapshot {

using namespace lockscope;
using namespace lockscope::test;

class tst_SqliteSnapshot : public QObject {
    Q_OBJECT

    static void run(db::Connection& connection, const QString& sql) { orDie(runSql(connection, sql)); }
    static std::unique_ptr<monitor::SnapshotSource> sourceFor(
        const db::ServerUrl& url, const QList<db::AttachedTable>& attached = {})
    {
        db::ServerProfile profile = profileOf(url);
        profile.attached = attached;
        return monitor::makeSnapshotSource({profile, db::fixedPassword({})});
    }
    static Snapshot take(monitor::SnapshotSource& source) { return *orDie(source.take()); }
    static int count(const Snapshot& snapshot, Limitation::Kind kind)
    {
        return static_cast<int>(std::ranges::count_if(
            snapshot.limitations, [kind](const Limitation& limit) { return limit.kind == kind; }));
    }

private Q_SLOTS:
    void entriesAndWaiters()
    {
        const auto url = freshFile();
        const auto connection = openFile(url);
        QVERIFY(db::installSchema(*connection));
        run(*connection,
            u"INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at, owner, process_id) VALUES ('nightly', 't', 3, 1700000000000000, 1700000001000000, 'ann', 17), ('open', 'u', 4, 1700000000000000, 9000000000000000, '', 0)"_s);
        run(*connection,
            u"INSERT INTO lockscope_lock_waiter (name, token, expires_at, owner) VALUES ('open', 'v', CAST((julianday('now', '+50 seconds') - 2440587.5) * 86400000000.0 AS INTEGER), 'bob')"_s);
        const auto taken = sourceFor(url)->take();
        QVERIFY(taken);
        const Snapshot& snapshot = **taken;
        QCOMPARE(snapshot.engine, Engine::Sqlite);
        QCOMPARE(snapshot.entries.size(), 2u);
        QCOMPARE(snapshot.entries[0].name, u"nightly"_s);
        QCOMPARE(snapshot.entries[0].table, u"lockscope_lock_entry"_s);
        QCOMPARE(snapshot.entries[0].fencing, 1); // whatever the statement says
        QCOMPARE(snapshot.entries[0].party.owner, u"ann"_s);
        QVERIFY(snapshot.entries[0].isStale(snapshot.takenAt));
        QVERIFY(!snapshot.entries[1].isStale(snapshot.takenAt));
        QCOMPARE(snapshot.entryWaiters.size(), 1u);
        QCOMPARE(snapshot.entryWaiters[0].party.owner, u"bob"_s);
    }

    void whatSqliteHasNotIsSaid()
    {
        const auto url = freshFile();
        openFile(url);
        const auto taken = sourceFor(url)->take();
        QVERIFY(taken);
        QVERIFY((*taken)->sessions.empty() && (*taken)->requests.empty());
        QVERIFY(count(**taken, Limitation::Kind::Unsupported) >= 1);
        for (const Limitation& limit : (*taken)->limitations)
            QVERIFY(!limit.what.isEmpty());
    }

    void aSchemaInstalledLaterIsNoticed()
    {
        const auto url = freshFile();
        const auto connection = openFile(url);
        const auto source = sourceFor(url);
        QCOMPARE(count(take(*source), Limitation::Kind::MissingSchema), 1);
        QVERIFY(db::installSchema(*connection));
        run(*connection,
            u"INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at) VALUES ('n', 't', 1, 1, 2)"_s);
        TRY_COMPARE(take(*source).entries.size(), 1u);
        QCOMPARE(count(take(*source), Limitation::Kind::MissingSchema), 0);
    }

    void attachedTablesAreReadAndABrokenOneCostsOnlyItself()
    {
        const auto url = freshFile();
        const auto connection = openFile(url);
        run(*connection, u"CREATE TABLE \"old locks\" (\"Name\" TEXT UNIQUE, \"SetTime\" TEXT)"_s);
        run(*connection,
            u"INSERT INTO \"old locks\" VALUES ('a', '2020-01-02 03:04:05'), ('b', datetime('now'))"_s);
        db::AttachedTable old;
        old.table = u"old locks"_s;
        db::AttachedTable broken;
        broken.table = u"not there"_s;
        const auto taken = sourceFor(url, {broken, old})->take();
        QVERIFY(taken);
        QCOMPARE((*taken)->entries.size(), 2u);
        QCOMPARE((*taken)->entries[0].acquiredAt.toIsoString(), u"2020-01-02T03:04:05.000000Z"_s);
        COMPARE_TEXTS((*taken)->entries[0].stored, "a", "2020-01-02 03:04:05");
        QVERIFY((*taken)->entries[0].isStale((*taken)->takenAt));
        QVERIFY(!(*taken)->entries[1].isStale((*taken)->takenAt));
        QCOMPARE(count(**taken, Limitation::Kind::Failed), 1);
    }
};

LOCKSCOPE_TEST(tst_SqliteSnapshot)

} // namespace tst_SqliteSnapshot
#include "tst_SqliteSnapshot.moc"
