// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Several servers read one table: each row is processed once, and not lost when its reader dies. PostgreSQL.

#include "core/locks/QueueReader.h"
#include "tests/support/TestServer.h"

#include <QTemporaryDir>
#include <QtTest>

#include <set>
#include <thread>

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

template <class T> T orDie(Result<T> result)
{
    if (!result)
        qFatal("queue reader: %s", qPrintable(result.error().toString()));
    return std::move(*result);
}

QStringList keysOf(const std::vector<QueueRow>& rows)
{
    QStringList keys;
    for (const QueueRow& row : rows)
        keys << row.key;
    return keys;
}

/// One server of the farm.
struct Reader {
    Reader(const db::ServerUrl& url, const QueueTable& table)
        : connection(TestServer::shared().connect(url))
        , queue(orDie(QueueReader::create(*connection, table)))
    {
    }
    std::vector<QueueRow> take(int atMost = 10) { return orDie(queue->take(atMost)); }
    int done(const std::vector<QueueRow>& rows) { return orDie(queue->done(rows)); }

    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<QueueReader> queue;
};

} // namespace

class QueueReaderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        run(u"CREATE TABLE raw_data (id bigint PRIMARY KEY, arrived timestamptz NOT NULL DEFAULT "
            u"clock_timestamp(), "
            "body text, \"ReadForProcessing\" timestamp)"_s);
        m_table = QueueTable();
        m_table.table = u"raw_data"_s;
        m_table.columns = {u"body"_s};
    }

    void oldestRowsComeFirst()
    {
        run(u"INSERT INTO raw_data (id, arrived, body) VALUES (1, '2026-01-03', 'c'), (2, '2026-01-01', "
            u"'a'), "
            "(3, '2026-01-02', NULL)"_s);
        m_table.orderColumn = u"arrived"_s;
        Reader reader(m_url, m_table);
        const auto packet = reader.take(2);
        QCOMPARE(keysOf(packet), (QStringList{u"2"_s, u"3"_s}));
        QCOMPARE(packet[0].values, QStringList{u"a"_s});
        QVERIFY(packet[1].values[0].isNull());
        QCOMPARE(keysOf(reader.take(2)), QStringList{u"1"_s});
        QVERIFY(reader.take(2).empty());
    }

    void doneRowsAreGone()
    {
        fill(3);
        Reader reader(m_url, m_table);
        QCOMPARE(reader.done(reader.take(2)), 2);
        QCOMPARE(number(u"SELECT count(*) FROM raw_data"_s), 1);
    }

    void doneRowsAreMoved()
    {
        fill(3);
        run(u"CREATE TABLE done_data (LIKE raw_data)"_s);
        m_table.doneTable = u"done_data"_s;
        Reader reader(m_url, m_table);
        QCOMPARE(reader.done(reader.take(2)), 2);
        QCOMPARE(number(u"SELECT count(*) FROM raw_data"_s), 1);
        QCOMPARE(number(u"SELECT count(*) FROM done_data WHERE id IN (1, 2)"_s), 2);
    }

    void readersSkipEachOthersRows()
    {
        fill(30);
        Reader one(m_url, m_table);
        Reader two(m_url, m_table);
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
        fill(5);
        Reader one(m_url, m_table);
        QVERIFY(one.connection->begin());
        QCOMPARE(one.take(10).size(), std::size_t(5));
        QVERIFY(one.connection->rollback());
        QCOMPARE(one.take(10).size(), std::size_t(5));
    }

    void rowsOfADeadReaderComeAgain()
    {
        fill(2);
        Reader dead(m_url, m_table);
        Reader next(m_url, m_table);
        const auto lost = dead.take(10);
        QCOMPARE(lost.size(), std::size_t(2));
        QVERIFY(next.take(10).empty());
        run(u"UPDATE raw_data SET \"ReadForProcessing\" = \"ReadForProcessing\" - interval '61 s' WHERE id = 1"_s);
        const auto again = next.take(10);
        QCOMPARE(keysOf(again), QStringList{u"1"_s});
        // The first one was only slow: what is no longer its own is left alone.
        QCOMPARE(dead.done(lost), 1);
        QCOMPARE(next.done(again), 1);
        QCOMPARE(number(u"SELECT count(*) FROM raw_data"_s), 0);
    }

    void rowsCanBeGivenBack()
    {
        fill(2);
        Reader one(m_url, m_table);
        Reader two(m_url, m_table);
        QCOMPARE(orDie(one.queue->giveBack(one.take(10))), 2);
        QCOMPARE(two.take(10).size(), std::size_t(2));
    }

    void stampIsTheServersTime_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("now");
        QTest::addColumn<int>("clock");
        QTest::newRow("UTC") << u"timestamp"_s << u"(clock_timestamp() AT TIME ZONE 'UTC')"_s
                             << int(QueueTable::Clock::Utc);
        QTest::newRow("local") << u"timestamp"_s << u"clock_timestamp()::timestamp"_s
                               << int(QueueTable::Clock::Local);
        QTest::newRow("with zone") << u"timestamptz"_s << u"clock_timestamp()"_s
                                   << int(QueueTable::Clock::WithZone);
    }
    void stampIsTheServersTime()
    {
        QFETCH(QString, type);
        QFETCH(QString, now);
        QFETCH(int, clock);
        run(u"ALTER TABLE raw_data DROP COLUMN \"ReadForProcessing\"; "
            "ALTER TABLE raw_data ADD COLUMN taken %1 NOT NULL DEFAULT '2001-01-01'; "
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Tokyo''', current_database()); END $$"_s
                .replace(u"%1"_s, type));
        fill(1);
        m_table.stampColumn = u"taken"_s;
        m_table.clock = QueueTable::Clock(clock);
        Reader reader(m_url, m_table);
        QCOMPARE(reader.take().size(), std::size_t(1));
        QCOMPARE(number(u"SELECT count(*) FROM raw_data WHERE abs(extract(epoch FROM taken - %1)) < 60"_s.arg(
                     now)),
            1);
        QVERIFY(reader.take().empty());
    }

    void anyNamesWillDo()
    {
        run(u"CREATE SCHEMA \"odd \"\"schema\"; CREATE TABLE \"odd \"\"schema\".\"Raw ; -- Data\" "
            "(\"the \"\"key\" uuid PRIMARY KEY DEFAULT gen_random_uuid(), \"select\" int, \"Größe 🔒\" "
            "timestamp); "
            "INSERT INTO \"odd \"\"schema\".\"Raw ; -- Data\" (\"select\") VALUES (7), (3)"_s);
        QueueTable odd;
        odd.schema = u"odd \"schema"_s;
        odd.table = u"Raw ; -- Data"_s;
        odd.keyColumn = u"the \"key"_s;
        odd.orderColumn = u"select"_s;
        odd.stampColumn = u"Größe 🔒"_s;
        odd.columns = {u"select"_s, u"the \"key"_s};
        Reader reader(m_url, odd);
        const auto packet = reader.take();
        QCOMPARE(packet.size(), std::size_t(2));
        QCOMPARE(packet[0].values, (QStringList{u"3"_s, packet[0].key}));
        QCOMPARE(reader.done(packet), 2);
    }

    void manyReadersDoEachRowOnce()
    {
        constexpr int rows = 400;
        fill(rows);
        std::mutex mutex;
        std::multiset<QString> done;
        {
            constexpr int servers = 4;
            std::vector<std::jthread> farm;
            farm.reserve(servers);
            for (int i = 0; i < servers; ++i)
                farm.emplace_back([&] {
                    Reader reader(m_url, m_table);
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
        QCOMPARE(number(u"SELECT count(*) FROM raw_data"_s), 0);
    }

    void emptyPacketsAreRefused()
    {
        Reader reader(m_url, m_table);
        const auto refused = reader.queue->take(0);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::BadInput);
        QCOMPARE(orDie(reader.queue->done({})), 0);
    }

    void sqliteHasNone()
    {
        const QTemporaryDir directory;
        db::ServerUrl file;
        file.engine = Engine::Sqlite;
        file.database = directory.filePath(u"queue.db"_s);
        const auto connection = TestServer::shared().connect(file);
        const auto refused = QueueReader::create(*connection, m_table);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Unsupported);
        QVERIFY(!refused.error().hint.isEmpty());
    }

private:
    void run(const QString& sql) const { TestServer::shared().run(m_url, sql); }
    void fill(int rows) const
    {
        run(u"INSERT INTO raw_data (id, body) SELECT n, 'row ' || n FROM generate_series(1, %1) AS n"_s.arg(
            rows));
    }
    qint64 number(const QString& sql) const
    {
        qint64 value = -1;
        orDie(TestServer::shared().connect(m_url)->execute(
            sqlStatement(sql), {}, [&value](const db::Row& row) { value = row.int64(0); }));
        return value;
    }

    db::ServerUrl m_url;
    QueueTable m_table;
};

QTEST_GUILESS_MAIN(QueueReaderTest)
#include "tst_QueueReader.moc"
