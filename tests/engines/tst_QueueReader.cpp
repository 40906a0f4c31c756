// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Several servers read one table: each row is processed once, and not lost when its reader dies. PostgreSQL
// and SQL Server.

#include "core/locks/QueueReader.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_QueueReader {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

static QStringList keysOf(const std::vector<QueueRow>& rows)
{
    QStringList keys = textsOf(rows, &QueueRow::key);
    return keys;
}

/// A database of either engine with a table that is a work queue: a key, an order, a text, a stamp.
class Rig {
public:
    explicit Rig(Engine engine)
        : m_sqlServer(engine == Engine::SqlServer ? std::make_unique<SqlServerRig>() : nullptr)
        , m_url(
              m_sqlServer ? m_sqlServer->url() : TestServer::shared().freshDatabase(TestServer::Schema::None))
        , m_witness(connect())
        , stampType(m_sqlServer ? u"datetime2 NULL"_s : u"timestamp"_s)
    {
        table.table = u"raw_data"_s;
        table.orderColumn = u"place"_s;
        table.columns = {u"body"_s};
    }

    std::unique_ptr<db::Connection> connect() const
    {
        return m_sqlServer ? m_sqlServer->connect() : TestServer::shared().connect(m_url);
    }
    void create(const QString& name = {}) const
    {
        execute("queue/create",
            u"CREATE TABLE {table} ({key} bigint PRIMARY KEY, {order} int, {body} text, {stamp} {type})"_s,
            {place(name), key(), order(), body(), stamp(), {L("type"), stampType}});
    }
    void createSchema() const
    {
        execute("queue/schema", u"CREATE SCHEMA {name}"_s, {{L("name"), quoted(table.schema)}});
    }
    void add(qint64 id, qint64 rank, const db::Param& text = {}) const
    {
        execute("queue/add", u"INSERT INTO {table} ({key}, {order}, {body}) VALUES ($1, $2, $3)"_s,
            {place(), key(), order(), body()}, {id, rank, text});
    }
    void fill(int rows) const
    {
        for (int row = 1; row <= rows; ++row)
            add(row, row, u"row %1"_s.arg(row));
    }
    /// The row was taken so many seconds earlier than it was.
    void age(qint64 id, qint64 seconds) const
    {
        execute("queue/age", u"UPDATE {table} SET {stamp} = {stamp} - $2 * interval '1 s' WHERE {key} = $1"_s,
            {place(), stamp(), key()}, {id, seconds});
    }
    qint64 count(const QString& name = {}) const
    {
        return execute("queue/count", u"SELECT count(*) FROM {table}"_s, {place(name)});
    }
    /// Returns the number of rows that were taken within the last minute, by the clock of their stamps.
    qint64 fresh(const QString& now) const
    {
        return execute("queue/fresh",
            u"SELECT count(*) FROM {table} WHERE abs(extract(epoch FROM {stamp} - {now})) < 60"_s,
            {place(), stamp(), {L("now"), now}});
    }

private:
    using L = QLatin1StringView;
    using Place = std::pair<L, QString>;

    QString quoted(const QString& name) const { return m_witness->dialect().quoted(name); }
    Place place(const QString& name = {}) const
    {
        return {L("table"), m_witness->dialect().quoted(table.schema, name.isEmpty() ? table.table : name)};
    }
    Place key() const { return {L("key"), quoted(table.keyColumn)}; }
    Place order() const { return {L("order"), quoted(table.orderColumn)}; }
    Place body() const { return {L("body"), quoted(u"body"_s)}; }
    Place stamp() const { return {L("stamp"), quoted(table.stampColumn)}; }
    /// The first value of the last row, else 0.
    qint64 execute(const char* sqlServerFile, QString postgres, std::initializer_list<Place> places,
        std::initializer_list<db::Param> parameters = {}) const
    {
        for (const auto& [name, text] : places)
            postgres.replace(u'{' + QString(name) + u'}', text);
        const db::Statement statement = m_sqlServer
            ? db::Statement::filled((QByteArray("test/sqlserver/") + sqlServerFile).constData(), places)
            : sqlStatement(postgres);
        qint64 value = 0;
        (void)orDie(m_witness->execute(statement, std::span(parameters.begin(), parameters.size()),
            [&value](const db::Row& row) { value = row.int64(0); }));
        return value;
    }

    const std::unique_ptr<SqlServerRig> m_sqlServer; ///< null for PostgreSQL
    const db::ServerUrl m_url;
    const std::unique_ptr<db::Connection> m_witness;

public:
    QueueTable table;
    QString stampType;
};

/// One server of the farm.
struct Reader {
    explicit Reader(const Rig& rig)
        : connection(rig.connect())
        , queue(orDie(QueueReader::create(*connection, rig.table)))
    {
    }
    std::vector<QueueRow> take(int atMost = 10) { return orDie(queue->take(atMost)); }
    int done(const std::vector<QueueRow>& rows) { return orDie(queue->done(rows)); }

    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<QueueReader> queue;
};

class QueueReaderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data()
    {
        addColumns<Engine, tds::OdbcDriver>("engine", "driver");
        QTest::newRow("PostgreSQL") << Engine::Postgres << tds::OdbcDriver::FreeTds;
        QTest::newRow("SQL Server") << Engine::SqlServer << tds::OdbcDriver::FreeTds;
        QTest::newRow("SQL Server by Microsoft's driver") << Engine::SqlServer << tds::OdbcDriver::Microsoft;
    }

    void init()
    {
        QFETCH_GLOBAL(Engine, engine);
        QFETCH_GLOBAL(tds::OdbcDriver, driver);
        if (engine == Engine::SqlServer)
            SKIP_FOR(SqlServerRig::use(driver));
        m_rig = std::make_unique<Rig>(engine);
        const auto connection = m_rig->connect();
        const auto reader = QueueReader::create(*connection, m_rig->table);
        if (!reader && reader.error().kind == ErrorKind::Unsupported)
            QSKIP(qPrintable(reader.error().toString()));
    }
    void cleanup() { m_rig.reset(); }

    void oldestRowsComeFirst()
    {
        m_rig->create();
        m_rig->add(1, 3, u"c"_s);
        m_rig->add(2, 1, u"a"_s);
        m_rig->add(3, 2);
        Reader reader(*m_rig);
        const auto packet = reader.take(2);
        COMPARE_TEXTS(keysOf(packet), "2", "3");
        COMPARE_TEXTS(packet[0].values, "a");
        QVERIFY(packet[1].values[0].isNull());
        COMPARE_TEXTS(keysOf(reader.take(2)), "1");
        QVERIFY(reader.take(2).empty());
    }

    void doneRowsAreGone()
    {
        m_rig->create();
        m_rig->fill(3);
        Reader reader(*m_rig);
        QCOMPARE(reader.done(reader.take(2)), 2);
        QCOMPARE(m_rig->count(), 1);
    }

    void doneRowsAreMoved()
    {
        m_rig->create();
        m_rig->create(u"done_data"_s);
        m_rig->fill(3);
        m_rig->table.doneTable = u"done_data"_s;
        Reader reader(*m_rig);
        QCOMPARE(reader.done(reader.take(2)), 2);
        QCOMPARE(m_rig->count(), 1);
        QCOMPARE(m_rig->count(u"done_data"_s), 2);
    }

    void readersSkipEachOthersRows()
    {
        m_rig->create();
        m_rig->fill(30);
        Reader one(*m_rig);
        Reader two(*m_rig);
        // The first one has not committed yet: the second one neither waits nor gets the same.
        QVERIFY(one.connection->begin());
        const QStringList first = keysOf(one.take(10));
        const QStringList second = keysOf(two.take(10));
        QCOMPARE(first.size(), 10);
        QCOMPARE(second.size(), 10);
        for (const QString& key : first)
            QVERIFY(!second.contains(key));
        QVERIFY(one.connection->commit());
    }

    void rollbackGivesThePacketBack()
    {
        m_rig->create();
        m_rig->fill(5);
        Reader one(*m_rig);
        QVERIFY(one.connection->begin());
        QCOMPARE(one.take(10).size(), std::size_t(5));
        QVERIFY(one.connection->rollback());
        QCOMPARE(one.take(10).size(), std::size_t(5));
    }

    void rowsOfADeadReaderComeAgain()
    {
        m_rig->create();
        m_rig->fill(2);
        Reader dead(*m_rig);
        Reader next(*m_rig);
        const auto lost = dead.take(10);
        QCOMPARE(lost.size(), std::size_t(2));
        QVERIFY(next.take(10).empty());
        m_rig->age(1, 61);
        const auto again = next.take(10);
        COMPARE_TEXTS(keysOf(again), "1");
        // The first one was only slow: what is no longer its own is left alone.
        QCOMPARE(dead.done(lost), 1);
        QCOMPARE(next.done(again), 1);
        QCOMPARE(m_rig->count(), 0);
    }

    void rowsCanBeGivenBack()
    {
        m_rig->create();
        m_rig->fill(2);
        Reader one(*m_rig);
        Reader two(*m_rig);
        QCOMPARE(orDie(one.queue->giveBack(one.take(10))), 2);
        QCOMPARE(two.take(10).size(), std::size_t(2));
    }

    void stampIsTheServersTime_data()
    {
        addColumns<int, QString, QString, QString, QString>(
            "clock", "type", "now", "sqlServerType", "sqlServerNow");
        QTest::newRow("UTC") << int(QueueTable::Clock::Utc) << u"timestamp"_s
                             << u"(clock_timestamp() AT TIME ZONE 'UTC')"_s << u"datetime2"_s
                             << u"SYSUTCDATETIME()"_s;
        QTest::newRow("local") << int(QueueTable::Clock::Local) << u"timestamp"_s
                               << u"clock_timestamp()::timestamp"_s << u"datetime2"_s << u"SYSDATETIME()"_s;
        QTest::newRow("with zone") << int(QueueTable::Clock::WithZone) << u"timestamptz"_s
                                   << u"clock_timestamp()"_s << u"datetimeoffset"_s
                                   << u"SYSDATETIMEOFFSET()"_s;
    }
    /// The column is never NULL: a time long ago means that the row is free.
    void stampIsTheServersTime()
    {
        QFETCH_GLOBAL(Engine, engine);
        FETCH(int, clock, QString, type, QString, now, QString, sqlServerType, QString, sqlServerNow);
        const bool isPostgres = engine == Engine::Postgres;
        if (isPostgres)
            QVERIFY(m_rig->connect()->executeScript(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Tokyo''', current_database()); END $$"));
        m_rig->stampType = (isPostgres ? type : sqlServerType) + u" NOT NULL DEFAULT '20010101'"_s;
        m_rig->table.stampColumn = u"taken"_s;
        m_rig->table.clock = QueueTable::Clock(clock);
        m_rig->create();
        m_rig->fill(1);
        Reader reader(*m_rig);
        const auto packet = reader.take();
        QCOMPARE(packet.size(), std::size_t(1));
        // A session of its own: that of the rig is older than the time zone.
        QCOMPARE(m_rig->fresh(isPostgres ? u"(%1)"_s.arg(now).replace(u"clock_timestamp()::timestamp"_s,
                                  u"clock_timestamp() AT TIME ZONE 'Asia/Tokyo'"_s)
                                         : sqlServerNow),
            1);
        QVERIFY(reader.take().empty());
        QCOMPARE(orDie(reader.queue->giveBack(packet)), 1);
        QCOMPARE(reader.take().size(), std::size_t(1));
    }

    void anyNamesWillDo()
    {
        QueueTable& odd = m_rig->table;
        odd.schema = u"odd \"]schema"_s;
        odd.table = u"Raw ; -- Data"_s;
        odd.keyColumn = u"the \"]key"_s;
        odd.orderColumn = u"select"_s;
        odd.stampColumn = u"Größe 🔒"_s;
        odd.columns = {u"select"_s, u"the \"]key"_s};
        m_rig->createSchema();
        m_rig->create();
        m_rig->add(11, 7);
        m_rig->add(12, 3);
        Reader reader(*m_rig);
        const auto packet = reader.take();
        COMPARE_TEXTS(keysOf(packet), "12", "11");
        COMPARE_TEXTS(packet[0].values, "3", "12");
        QCOMPARE(reader.done(packet), 2);
        QCOMPARE(m_rig->count(), 0);
    }

    void manyReadersDoEachRowOnce()
    {
        constexpr int rows = 400;
        m_rig->create();
        m_rig->fill(rows);
        std::mutex mutex;
        std::multiset<QString> done;
        {
            constexpr int servers = 4;
            std::vector<std::jthread> farm;
            farm.reserve(servers);
            for (int i = 0; i < servers; ++i)
                farm.emplace_back([&] {
                    Reader reader(*m_rig);
                    for (auto packet = reader.take(); !packet.empty(); packet = reader.take()) {
                        if (reader.done(packet) != int(packet.size()))
                            return;
                        const std::lock_guard lock(mutex);
                        for (const QueueRow& row : packet)
                            done.insert(row.key);
                    }
                });
        }
        QCOMPARE(done.size(), std::size_t(rows));
        QCOMPARE(std::set<QString>(done.begin(), done.end()).size(), std::size_t(rows));
        QCOMPARE(m_rig->count(), 0);
    }

    void missingTableIsSaid()
    {
        Reader reader(*m_rig);
        VERIFY_FAILS(ErrorKind::MissingObject, reader.queue->take(1));
    }

    void emptyPacketsAreRefused()
    {
        Reader reader(*m_rig);
        VERIFY_FAILS(ErrorKind::BadInput, reader.queue->take(0));
        QCOMPARE(orDie(reader.queue->done({})), 0);
    }

    void sqliteHasNone()
    {
        const db::ServerUrl file = fileUrl(freshPath(u"queue.db"_s));
        const auto connection = openFile(file);
        const auto refused = QueueReader::create(*connection, m_rig->table);
        VERIFY_FAILS(ErrorKind::Unsupported, refused);
        QVERIFY(!refused.error().hint.isEmpty());
    }

private:
    std::unique_ptr<Rig> m_rig;
};

LOCKSCOPE_TEST(QueueReaderTest)

} // namespace tst_QueueReader
#include "tst_QueueReader.moc"
