// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/LockTableRows.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/support/tds/Odbc.h"

namespace tst_FrameworkRowsSqlServer {

using namespace lockscope;
using namespace lockscope::test;
using tds::LockRows;
using tds::Picture;

struct Bench {
    tds::TdsServer server;
    tds::MonitorAnswers answers{server};
    std::unique_ptr<monitor::SnapshotSource> source;

    explicit Bench(const Picture& picture, const QList<db::FrameworkSetting>& settings = {})
    {
        answers.show(picture);
        db::ServerProfile profile;
        profile.frameworkSettings = settings;
        profile.url = tds::urlOf(server);
        source = monitor::makeSnapshotSource({profile, db::fixedPassword(tds::passwordOf(server))});
    }

    SnapshotPtr take() const { return orDie(source->take()); }
};

/// Returns the table as Liquibase makes it, with its one row, by the server's local time.
static LockRows changelogLock(const QString& heldBy)
{
    return LockRows(
        u"CREATE TABLE DATABASECHANGELOGLOCK (ID int NOT NULL, LOCKED bit NOT NULL, LOCKGRANTED datetime2(3), LOCKEDBY nvarchar(255), CONSTRAINT PK PRIMARY KEY (ID))"_s,
        {u"INSERT INTO DATABASECHANGELOGLOCK VALUES (1, 1, '2027-01-15 08:48:20.000', '%1')"_s.arg(heldBy)});
}

class tst_FrameworkRowsSqlServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!tds::use(tds::OdbcDriver::FreeTds))
            QSKIP("The driver is not installed.");
    }

    void aRowIsShownWithTheLifeOfItsHolder_data()
    {
        addColumns<QString, HolderLife::Verdict, QString>("heldBy", "verdict", "evidence");
        row("it is there", "app01 (10.0.0.1)", HolderLife::Verdict::Works,
            "from app01 began before the lock was taken");
        row("it is not seen", "build-7 (10.0.0.98)", HolderLife::Verdict::Unknown, "No session from build-7");
    }
    void aRowIsShownWithTheLifeOfItsHolder()
    {
        FETCH(const QString, heldBy, const QString, evidence);
        Picture picture;
        picture.session(71, "shop").sleeping(1'000);
        picture.lockRows = {changelogLock(heldBy)};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->entries.size(), 1u);
        const LockTableEntry& entry = snapshot->entries[0];
        QCOMPARE(entry.framework->frameworkName, u"Liquibase"_s);
        QCOMPARE(entry.table, u"dbo.DATABASECHANGELOGLOCK"_s);
        QCOMPARE(entry.acquiredAt.us, picture.nowUs - 700'000'000);
        QCOMPARE(entry.stored, (QStringList{u"1"_s, u"1"_s, u"2027-01-15 08:48:20.000"_s, heldBy}));
        QCOMPARE(entry.source->column(u"lockgranted"_s)->type, u"datetime2"_s);
        const QString all = entry.holderLife.evidence.join(u' ');
        VERIFY_CONTAINS(all, evidence);
        QTEST(entry.holderLife.verdict, "verdict");
        QVERIFY(snapshot->unreadTables.empty());
    }

    /// Its program writes the time of its own zone, which is not the server's.
    void aTimeIsReadByTheZoneThatWasReportedOfItsProgram()
    {
        Picture picture; // its clock is at 2027-01-15 08:00 in UTC
        picture.lockRows = {LockRows(
            u"CREATE TABLE shedlock (name nvarchar(64), lock_until datetime2(3), locked_at datetime2(3), locked_by nvarchar(255))"_s,
            {u"INSERT INTO shedlock VALUES ('mail', '2027-01-15 03:05:00', '2027-01-15 02:51:00', 'web-1')"_s,
                u"INSERT INTO shedlock VALUES ('done', '2027-01-15 02:59:00', '2027-01-15 02:51:00', 'web-1')"_s})};
        const SnapshotPtr snapshot =
            Bench(picture, {{u"shedlock"_s, u"zone"_s, u"America/New_York"_s}}).take();
        QCOMPARE(snapshot->entries.size(), 1u);
        const LockTableEntry& entry = snapshot->entries[0];
        QCOMPARE(entry.name, u"mail"_s);
        QVERIFY(!entry.dependsOnZone);
        QCOMPARE(entry.acquiredAt.us, picture.nowUs - 9 * 60'000'000LL);
        QCOMPARE(entry.expiresAt->us, picture.nowUs + 5 * 60'000'000LL);
    }

    void whoMayNotSeeTheOthersCanNotTellThatOneIsGone()
    {
        Picture picture;
        picture.rights.clear();
        picture.session(71, "shop").sleeping(1'000);
        picture.lockRows = {changelogLock(u"build-7 (10.0.0.98)"_s)};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->entries.size(), 1u);
        QCOMPARE(snapshot->entries[0].holderLife.verdict, HolderLife::Verdict::Unknown);
    }

    void whatCouldRunForeignCodeIsNotRead_data()
    {
        addRows<bool>("computed", {{"a computed column", true}, {"somebody's security policy", false}});
    }
    void whatCouldRunForeignCodeIsNotRead()
    {
        QFETCH(const bool, computed);
        Picture picture;
        LockRows table = changelogLock(u"app01 (10.0.0.5)"_s);
        table.owner = u"shop"_s;
        table.isTrusted = computed;
        if (computed)
            table.computed = {u"LOCKGRANTED"_s};
        picture.lockRows = {table};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->entries.size(), 0u);
        QCOMPARE(snapshot->unreadTables.size(), 1u);
        QCOMPARE(snapshot->unreadTables[0].owner, u"shop"_s);
        QCOMPARE(snapshot->unreadTables[0].reason.contains(u"computed"_s), computed);
        QVERIFY(!snapshot->isIncomplete());
    }

    /// The number of its system type is no row of sys.types.
    void aColumnOfATypeWithCodeOfItsOwnIsSeenAndNotRead()
    {
        Picture picture;
        LockRows table = changelogLock(u"app01 (10.0.0.5)"_s);
        table.types[table.columns.indexOf(u"LOCKGRANTED"_s)] = u"geometry"_s;
        picture.lockRows = {table};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->entries.size(), 0u);
        QCOMPARE(snapshot->unreadTables.size(), 1u);
        VERIFY_CONTAINS(snapshot->unreadTables[0].reason, u"computed"_s);
    }

    void aColumnOfATypeThatTheLoginCantSeeIsThere()
    {
        Picture picture;
        LockRows table = changelogLock(u"app01 (10.0.0.5)"_s);
        table.types[table.columns.indexOf(u"LOCKED"_s)] = LockRows::hiddenType.toString();
        picture.lockRows = {table};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->entries.size(), 0u);
        QCOMPARE(snapshot->unreadTables.size(), 1u);
        VERIFY_CONTAINS(snapshot->unreadTables[0].reason, u"computed"_s);
        // The same of tables that can be attached, where its type makes it neither a name nor a time.
        const auto connection =
            orDie(db::Server::at(tds::urlOf(bench.server), db::fixedPassword(tds::passwordOf(bench.server)))
                      .connect(db::Purpose::Monitor));
        QCOMPARE(orDie(db::tablesWithColumns(*connection, {})),
            (QList<db::TableColumns>{{.schema = u"dbo"_s,
                .table = table.table,
                .columns = table.columns,
                .names = {u"LOCKEDBY"_s},
                .times = {u"LOCKGRANTED"_s}}}));
    }

    void aTableThatIsClosedIsReportedWithTheGrant()
    {
        Picture picture;
        LockRows table = changelogLock(u"app01 (10.0.0.5)"_s);
        table.isReadable = false;
        picture.lockRows = {table};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        const Limitation* noted = limitationAbout(*snapshot, u"(Liquibase)"_s);
        QVERIFY(noted);
        QCOMPARE(noted->kind, Limitation::Kind::MissingPermission);
        VERIFY_STARTS(noted->remedy, u"GRANT SELECT ON [dbo].[DATABASECHANGELOGLOCK] TO ["_s);
    }

    void aTableThatSomebodyAltersCostsOnlyItself()
    {
        Picture picture;
        picture.session(71, "shop");
        LockRows table = changelogLock(u"app01 (10.0.0.5)"_s);
        table.error = 1222;
        picture.lockRows = {table};
        const Bench bench(picture);
        for (int poll = 0; poll < 2; ++poll) {
            const SnapshotPtr snapshot = bench.take();
            QCOMPARE(snapshot->entries.size(), 0u);
            QVERIFY(snapshot->session({71}));
            const Limitation* noted = limitationAbout(*snapshot, u"(Liquibase)"_s);
            QVERIFY(noted);
            QCOMPARE(noted->kind, Limitation::Kind::Failed);
            QCOMPARE(snapshot->cost.roundTrips, 1);
        }
    }
};

LOCKSCOPE_TEST(tst_FrameworkRowsSqlServer)

} // namespace tst_FrameworkRowsSqlServer
#include "tst_FrameworkRowsSqlServer.moc"
