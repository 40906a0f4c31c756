// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_AttachedTable {

using namespace lockscope;
using namespace lockscope::test;

/// Lock tables of other programs: a name, a time, nothing else.
class tst_AttachedTable : public QObject {
    Q_OBJECT

    static Snapshot snapshotOf(const db::ServerUrl& url, const QList<db::AttachedTable>& attached)
    {
        db::ServerProfile profile = profileOf(url);
        profile.attached = attached;
        return *orDie(monitor::makeSnapshotSource({profile, TestServer::shared().passwords()})->take());
    }

private Q_SLOTS:
    void timesComeOutRight_data()
    {
        addColumns<QString, QString, bool>("type", "now", "utc");
        row("UTC without zone", "timestamp", "now() AT TIME ZONE 'UTC'", true);
        row("UTC column with zone", "timestamptz", "now()", true);
        row("local without zone", "timestamp", "localtimestamp", false);
        row("local column with zone", "timestamptz", "now()", false);
    }
    void timesComeOutRight()
    {
        FETCH(const QString, type, const QString, now, const bool, utc);
        auto& server = TestServer::shared();
        const auto url = server.freshDatabase(TestServer::Schema::None);
        // A server far from UTC, or the difference would not show.
        server.run(url, u"ALTER DATABASE %1 SET timezone = 'Asia/Kolkata'"_s.arg(url.database));
        server.run(url,
            u"CREATE TABLE public.\"Old Locks\" (\"The Name\" varchar(50) UNIQUE, \"Set\" %1)"_s.arg(type));
        server.run(url,
            u"INSERT INTO \"Old Locks\" VALUES ('young', %1), ('old', %1 - interval '11 minutes')"_s.arg(
                now));
        db::AttachedTable table;
        table.schema = u"public"_s;
        table.table = u"Old Locks"_s;
        table.nameColumn = u"The Name"_s;
        table.timeColumn = u"Set"_s;
        table.utc = utc;
        table.staleAge = std::chrono::minutes(10);
        const Snapshot snapshot = snapshotOf(url, {table});
        QCOMPARE(snapshot.entries.size(), 2u);
        const LockTableEntry& old = snapshot.entries[0];
        const LockTableEntry& young = snapshot.entries[1];
        QCOMPARE(old.name, u"old"_s);
        QCOMPARE(old.table, table.display());
        QVERIFY(old.framework->isAttached() && young.framework->isAttached());
        QVERIFY(young.acquiredAt <= snapshot.takenAt);
        QVERIFY(snapshot.takenAt - young.acquiredAt < std::chrono::minutes(9));
        QVERIFY(snapshot.takenAt - old.acquiredAt >= std::chrono::minutes(11));
        QVERIFY(old.isStale(snapshot.takenAt));
        QVERIFY(!young.isStale(snapshot.takenAt));
        QCOMPARE(*old.expiresAt, old.acquiredAt + std::chrono::minutes(10));
        QCOMPARE(old.stored.size(), 2);
        QVERIFY(!old.stored[1].isEmpty());
    }

    void oneThatFailsCostsOnlyItself()
    {
        auto& server = TestServer::shared();
        const auto url = server.freshDatabase(
            TestServer::Schema::None, u"CREATE TABLE public.good (\"Name\" text, \"SetTime\" timestamp)"_s);
        server.run(url, u"INSERT INTO good VALUES ('a', now())"_s);
        server.run(url, u"CREATE TABLE public.closed (\"Name\" text, \"SetTime\" timestamp)"_s);
        db::AttachedTable good;
        good.table = u"good"_s;
        db::AttachedTable missing;
        missing.table = u"missing"_s;
        db::AttachedTable closed;
        closed.table = u"closed"_s;
        const auto limited = server.asRole(url, u"GRANT SELECT ON good TO {role}"_s);
        const Snapshot snapshot = snapshotOf(limited, {missing, closed, good});
        QCOMPARE(snapshot.entries.size(), 1u);
        const Limitation* lost = limitationAbout(snapshot, u"table missing"_s);
        QVERIFY(lost);
        QCOMPARE(lost->kind, Limitation::Kind::Failed);
        const Limitation* shut = limitationAbout(snapshot, u"table closed"_s);
        QVERIFY(shut);
        QCOMPARE(shut->kind, Limitation::Kind::MissingPermission);
        QCOMPARE(shut->remedy, u"GRANT SELECT ON \"public\".\"closed\" TO \"%1\";"_s.arg(limited.user));
    }

    void aRowWithoutATimeIsShownAndNeverStale()
    {
        auto& server = TestServer::shared();
        const auto url = server.freshDatabase(
            TestServer::Schema::None, u"CREATE TABLE public.locks (\"Name\" text, \"SetTime\" timestamp)"_s);
        server.run(url, u"INSERT INTO locks VALUES ('a', NULL)"_s);
        db::AttachedTable table;
        table.table = u"locks"_s;
        const Snapshot snapshot = snapshotOf(url, {table});
        QCOMPARE(snapshot.entries.size(), 1u);
        QVERIFY(!snapshot.entries[0].expiresAt);
        QVERIFY(snapshot.entries[0].stored[1].isNull());
    }
};

LOCKSCOPE_TEST(tst_AttachedTable)

} // namespace tst_AttachedTable
#include "tst_AttachedTable.moc"
