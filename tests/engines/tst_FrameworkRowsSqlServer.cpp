// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/FrameworkAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/support/tds/Odbc.h"
#include "tests/support/tds/SessionAnswers.h"

#include <QTest>

#include <algorithm>

namespace tst_FrameworkRowsSqlServer {

using namespace lockscope;
using namespace lockscope::test;
using namespace Qt::StringLiterals;
using tds::LockRows;
using tds::Picture;

namespace {

struct Bench {
    tds::TdsServer server;
    tds::MonitorAnswers answers{server};
    std::unique_ptr<monitor::SnapshotSource> source;

    explicit Bench(const Picture& picture)
    {
        answers.show(picture);
        db::ServerProfile profile;
        profile.url = tds::urlOf(server);
        source = monitor::makeSnapshotSource({profile, db::fixedPassword(tds::passwordOf(server))});
    }

    SnapshotPtr take() const
    {
        auto taken = source->take();
        if (!taken)
            qFatal("%s", qPrintable(taken.error().toString()));
        return *taken;
    }
};

/// As Liquibase makes it, and what the statement that reads it gives.
LockRows changelogLock(const Picture& picture, const QString& heldBy)
{
    LockRows table;
    table.table = u"DATABASECHANGELOGLOCK"_s;
    table.columns = {{u"ID"_s, u"int"_s}, {u"LOCKED"_s, u"bit"_s}, {u"LOCKGRANTED"_s, u"datetime2"_s},
        {u"LOCKEDBY"_s, u"nvarchar"_s}};
    table.rows = {{u"1"_s, u"1"_s, u"2027-01-15 08:48:20.000"_s, heldBy, picture.nowUs - 700'000'000}};
    return table;
}

const Limitation* about(const Snapshot& snapshot, const QString& text)
{
    const auto found = std::find_if(snapshot.limitations.begin(), snapshot.limitations.end(),
        [&text](const Limitation& limit) { return limit.what.contains(text); });
    return found == snapshot.limitations.end() ? nullptr : &*found;
}

} // namespace

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
        QTest::addColumn<QString>("heldBy");
        QTest::addColumn<HolderLife::Verdict>("verdict");
        QTest::addColumn<QString>("evidence");
        QTest::newRow("it is there") << u"app01 (10.0.0.1)"_s << HolderLife::Verdict::Works
                                     << u"from app01 began before the lock was taken"_s;
        QTest::newRow("it is not seen")
            << u"build-7 (10.0.0.98)"_s << HolderLife::Verdict::Unknown << u"No session from build-7"_s;
    }
    void aRowIsShownWithTheLifeOfItsHolder()
    {
        QFETCH(const QString, heldBy);
        QFETCH(const QString, evidence);
        Picture picture;
        picture.session(71, "shop").sleeping(1'000);
        picture.lockRows = {changelogLock(picture, heldBy)};
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
        QVERIFY2(all.contains(evidence), qPrintable(all));
        QTEST(entry.holderLife.verdict, "verdict");
        QVERIFY(snapshot->unreadTables.empty());
    }

    void whoMayNotSeeTheOthersCanNotTellThatOneIsGone()
    {
        Picture picture;
        picture.rights.clear();
        picture.session(71, "shop").sleeping(1'000);
        picture.lockRows = {changelogLock(picture, u"build-7 (10.0.0.98)"_s)};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->entries.size(), 1u);
        QCOMPARE(snapshot->entries[0].holderLife.verdict, HolderLife::Verdict::Unknown);
    }

    void whatCouldRunForeignCodeIsNotRead_data()
    {
        QTest::addColumn<bool>("computed");
        QTest::newRow("a computed column") << true;
        QTest::newRow("somebody's security policy") << false;
    }
    void whatCouldRunForeignCodeIsNotRead()
    {
        QFETCH(const bool, computed);
        Picture picture;
        LockRows table = changelogLock(picture, u"app01 (10.0.0.5)"_s);
        table.owner = u"shop"_s;
        table.isTrusted = computed;
        table.columns[2].isComputed = computed;
        picture.lockRows = {table};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        QCOMPARE(snapshot->entries.size(), 0u);
        QCOMPARE(snapshot->unreadTables.size(), 1u);
        QCOMPARE(snapshot->unreadTables[0].owner, u"shop"_s);
        QCOMPARE(snapshot->unreadTables[0].reason.contains(u"computed"_s), computed);
        QVERIFY(!snapshot->isIncomplete());
    }

    void aTableThatIsClosedIsToldWithTheGrant()
    {
        Picture picture;
        LockRows table = changelogLock(picture, u"app01 (10.0.0.5)"_s);
        table.isReadable = false;
        picture.lockRows = {table};
        const Bench bench(picture);
        const SnapshotPtr snapshot = bench.take();
        const Limitation* told = about(*snapshot, u"(Liquibase)"_s);
        QVERIFY(told);
        QCOMPARE(told->kind, Limitation::Kind::MissingPermission);
        QVERIFY2(told->remedy.startsWith(u"GRANT SELECT ON [dbo].[DATABASECHANGELOGLOCK] TO ["_s),
            qPrintable(told->remedy));
    }

    void aTableThatSomebodyAltersCostsOnlyItself()
    {
        Picture picture;
        picture.session(71, "shop");
        LockRows table = changelogLock(picture, u"app01 (10.0.0.5)"_s);
        table.error = 1222;
        picture.lockRows = {table};
        const Bench bench(picture);
        for (int poll = 0; poll < 2; ++poll) {
            const SnapshotPtr snapshot = bench.take();
            QCOMPARE(snapshot->entries.size(), 0u);
            QVERIFY(snapshot->session({71}));
            const Limitation* told = about(*snapshot, u"(Liquibase)"_s);
            QVERIFY(told);
            QCOMPARE(told->kind, Limitation::Kind::Failed);
            QCOMPARE(snapshot->cost.roundTrips, 1);
        }
    }
};

LOCKSCOPE_TEST(tst_FrameworkRowsSqlServer)

} // namespace tst_FrameworkRowsSqlServer
#include "tst_FrameworkRowsSqlServer.moc"
