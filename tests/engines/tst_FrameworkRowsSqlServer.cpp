// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/ExampleProof.h"
#include "core/frameworks/ExampleReader.h"
#include "core/frameworks/RowTimes.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/FrameworkAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/support/tds/Odbc.h"
#include "tests/support/tds/SessionAnswers.h"

#include <QDateTime>
#include <QTest>
#include <QTimeZone>

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

    explicit Bench(const Picture& picture, const QList<db::FrameworkSetting>& told = {})
    {
        answers.show(picture);
        db::ServerProfile profile;
        profile.frameworkSettings = told;
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

/// The zone of the programs of the examples, which is not the server's.
const QTimeZone programsZone("America/New_York");

/// A column of an example, of the type that its value or clock asks for, and what it holds.
struct ExampleColumn {
    LockRows::Column column;
    LockRows::Stored stored;

    ExampleColumn(const FrameworkRow& row, const QString& name, const FrameworkValue& value, qint64 nowUs)
        : column{name, u"nvarchar"_s}
    {
        const auto clock = frameworks::clockOfColumn(row, name, Engine::SqlServer);
        if (clock)
            column.type = *clock == FrameworkClock::IsoText ? u"nvarchar"_s
                : *clock == FrameworkClock::EpochSeconds || *clock == FrameworkClock::EpochMilliseconds
                    || *clock == FrameworkClock::NetTicks
                ? u"bigint"_s
                : u"datetime2"_s;
        else if (!std::holds_alternative<QString>(value))
            column.type = std::holds_alternative<bool>(value) ? u"bit"_s : u"bigint"_s;
        if (const bool* truth = std::get_if<bool>(&value))
            stored.text = *truth ? u"1"_s : u"0"_s;
        else if (const qint64* number = std::get_if<qint64>(&value))
            stored.text = QString::number(*number);
        else if (const QString* text = std::get_if<QString>(&value))
            stored.text = *text;
        const auto later = frameworks::fromNow(stored.text);
        if (!later || !clock)
            return;
        stored.us = nowUs + microseconds(*later).count();
        qint64 written = *stored.us;
        if (*clock == FrameworkClock::Application)
            written +=
                programsZone.offsetFromUtc(QDateTime::fromMSecsSinceEpoch(written / 1'000)) * 1'000'000LL;
        stored.text = frameworks::storedTime(written, *clock);
    }
};

/// The tables that the lock needs, with the row of one example.
std::vector<LockRows> tablesOf(const FrameworkLock& lock, const FrameworkExample& example, qint64 nowUs)
{
    const auto named = [](const FrameworkTable& table) {
        LockRows rows;
        rows.table = table.names.isEmpty() ? u"examples"_s : QString(table.names.first()).replace(u'*', u'x');
        for (const QString& column : table.columns)
            rows.columns.push_back({column, u"nvarchar"_s});
        return rows;
    };
    LockRows rows = named(*lock.table);
    rows.columns.clear();
    QMap<QString, LockRows::Stored> stored;
    for (const auto& [name, value] : example.row) {
        const ExampleColumn one(lock.row, name, value, nowUs);
        rows.columns.push_back(one.column);
        stored.insert(name, one.stored);
    }
    rows.stored = {stored};
    std::vector<LockRows> all{rows};
    for (const FrameworkTable& needed : lock.requires_)
        all.push_back(named(needed));
    return all;
}

/// Compares to the second, as not all columns keep more. What its program wrote in its own zone, which an
/// example leaves open, is what the row holds.
bool isAsSaid(std::optional<ServerTime> read, const std::optional<FrameworkTime>& time, const QString& told,
    const FrameworkExample& said, qint64 nowUs)
{
    auto later = frameworks::fromNow(told);
    if (time
        && frameworks::clockOf(*time, Engine::SqlServer, frameworks::ColumnKind::Moment)
            == FrameworkClock::Application)
        for (const auto& [column, value] : said.row)
            if (column == time->column && std::holds_alternative<QString>(value))
                if (later = frameworks::fromNow(std::get<QString>(value)); later)
                    *later += time->after;
    if (!later)
        return !told.isEmpty() || !read || !read->isValid();
    return read && read->us / 1'000'000 == (nowUs + microseconds(*later).count()) / 1'000'000;
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

    void examplesAreReadAsTheySay_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<int>("lock");
        QTest::addColumn<int>("example");
        for (const FrameworkPtr& framework : frameworks::loadCatalogue({}).frameworks)
            for (size_t lock = 0; lock < framework->locks.size(); ++lock) {
                const FrameworkLock& one = framework->locks[lock];
                // Which rows are held the double does not judge.
                const bool isTested = one.kind == FrameworkLockKind::Row && !one.row.process
                    && one.engines.contains(Engine::SqlServer);
                for (size_t i = 0; isTested && i < one.examples.size(); ++i)
                    if (one.examples[i].isHeld)
                        QTest::addRow("%s %s %d", qPrintable(framework->id), qPrintable(one.id), int(i) + 1)
                            << framework->id << int(lock) << int(i);
            }
    }
    void examplesAreReadAsTheySay()
    {
        QFETCH(const QString, framework);
        QFETCH(const int, lock);
        QFETCH(const int, example);
        const FrameworkLock of = frameworks::loadCatalogue({}).find(framework)->locks[size_t(lock)];
        const FrameworkExample& said = of.examples[size_t(example)];
        Picture picture;
        picture.lockRows = tablesOf(of, said, picture.nowUs);
        const Bench bench(picture, {{framework, u"zone"_s, QString::fromLatin1(programsZone.id())}});
        const SnapshotPtr snapshot = bench.take();
        std::vector<LockTableEntry> entries = snapshot->entries;
        std::erase_if(entries, [&](const LockTableEntry& entry) {
            return entry.framework->framework != framework || entry.framework->lock != of.id;
        });
        QCOMPARE(entries.size(), 1u);
        const LockTableEntry& entry = entries.front();
        QVERIFY2(entry.badRow.isEmpty(), qPrintable(entry.badRow));
        QCOMPARE(entry.name, said.meaning);
        QCOMPARE(entry.party.host, said.holder.value(u"host"_s, said.holder.value(u"address"_s)));
        QCOMPARE(entry.party.processId, said.holder.value(u"pid"_s).toLongLong());
        QVERIFY(!entry.dependsOnZone);
        QVERIFY(isAsSaid(entry.acquiredAt, of.row.since, said.since, said, picture.nowUs));
        QVERIFY(isAsSaid(entry.expiresAt, of.row.expires, said.expires, said, picture.nowUs));
        QVERIFY(isAsSaid(entry.heartbeat, of.row.heartbeat, said.heartbeat, said, picture.nowUs));
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
