// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/ConnectionChecks.h"

#include <libpq-fe.h>

namespace tst_ConnectionPostgres {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

static std::unique_ptr<Connection> connectTo(const ServerUrl& url, const ConnectOptions& options = {})
{
    return TestServer::shared().connect(url, options);
}

/// Returns how often libpq turned from sending to receiving while `work` ran.
static int roundTrips(Connection& connection, const std::function<void()>& work)
{
    auto* pg = static_cast<PGconn*>(connection.nativeHandle());
    const std::unique_ptr<FILE, int (*)(FILE*)> trace(std::tmpfile(), std::fclose);
    PQtrace(pg, trace.get());
    PQsetTraceFlags(pg, PQTRACE_SUPPRESS_TIMESTAMPS | PQTRACE_REGRESS_MODE);
    work();
    PQuntrace(pg);
    std::rewind(trace.get());
    int turns = 0;
    char before = 'B';
    for (std::array<char, 4096> line; std::fgets(line.data(), line.size(), trace.get()); before = line[0])
        turns += before == 'F' && line[0] == 'B' ? 1 : 0;
    return turns;
}

class tst_ConnectionPostgres : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_url = TestServer::shared().freshDatabase(TestServer::Schema::None);
        m_observer = connectTo(m_url);
    }
    void cleanupTestCase() { m_observer.reset(); }

    void tellsWhoItIs()
    {
        const auto connection = connectTo(m_url, {.programSuffix = u"nightly"_s});
        QVERIFY(connection->isOpen());
        QVERIFY(connection->serverVersion().startsWith(u"PostgreSQL 1"_s));
        QVERIFY(connection->serverVersionNumber() >= 120000);
        QCOMPARE(
            ask(*connection, u"SELECT pg_backend_pid()"_s), QString::number(connection->sessionId().value));
        QCOMPARE(
            ask(*connection,
                u"SELECT (extract(epoch FROM backend_start) * 1000000)::bigint FROM pg_stat_activity WHERE pid = pg_backend_pid()"_s),
            QString::number(connection->sessionStarted().us));
        QCOMPARE(ask(*connection, u"SHOW application_name"_s), u"lockscope lock nightly"_s);
    }

    void setsSessionsUpForTheirPurpose()
    {
        const auto monitor = connectTo(m_url, monitorOptions(1234ms));
        QCOMPARE(ask(*monitor, u"SHOW statement_timeout"_s), u"1234ms"_s);
        QCOMPARE(ask(*monitor, u"SHOW lock_timeout"_s), u"100ms"_s);
        QCOMPARE(ask(*monitor, u"SHOW default_transaction_read_only"_s), u"on"_s);
        const auto lock = connectTo(m_url);
        QCOMPARE(ask(*lock, u"SHOW statement_timeout"_s), u"0"_s);
        QCOMPARE(ask(*lock, u"SHOW idle_session_timeout"_s), u"0"_s);
    }

    void monitorsAlwaysHaveAStatementTimeout()
    {
        const auto monitor = connectTo(m_url, monitorOptions(0ms));
        QVERIFY(ask(*monitor, u"SHOW statement_timeout"_s) != u"0"_s);
    }

    void bindsAndReadsEveryType_data()
    {
        test::addColumns<QString, QString>("type", "text");
        row("empty", "text", "");
        row("four-byte characters", "text", "🔒 Schloß 锁");
        row("quotes", "text", "it's \"quoted\" \\ $1 ; --");
        row("big value", "text", QString(5'000'000, u'ä'));
        row("number", "bigint", "-9223372036854775808");
    }
    void bindsAndReadsEveryType()
    {
        FETCH(QString, type, QString, text);
        QCOMPARE(ask(*m_observer, u"SELECT $1::"_s + type, {text}), text);
    }

    void readsTypedColumns()
    {
        bindAndReadEveryType(
            *m_observer, u"SELECT $1::bigint, $2::float8, $3::boolean, $4::text, $5::bigint"_s);
        QCOMPARE(runSql(*m_observer, u"SELECT 'infinity'::float8"_s, {},
                     [](const Row& row) { QVERIFY(std::isinf(row.real(0))); })
                     .value_or(-1),
            1);
    }

    void readsTheSameInBinaryFormAsInText()
    {
        const auto columns =
            u"SELECT true, false, (-2)::int2, (-3)::int4, 4294967295::oid, '4294967295'::xid, (-9223372036854775808)::int8, 'naïve'::text, 'x'::name, 'y'::varchar, '', 0.1::float8, '::1'::inet, '10.1.2.3'::inet, 'fe80::1:2'::inet, '192.168.0.0/16'::inet, NULL::int8, NULL::text, NULL"_s;
        QStringList texts[2];
        std::vector<qint64> numbers[2];
        int form = 0;
        for (const Statement& statement :
            {sqlStatement(columns), sqlStatement(columns).withBinaryResults()}) {
            const auto done = m_observer->execute(statement, {}, [&](const Row& row) {
                for (int column = 0; column < 19; ++column)
                    texts[form] << (row.isNull(column) ? u"NULL"_s : row.text(column));
                for (const int column : {2, 3, 4, 5, 6, 16})
                    numbers[form].push_back(row.int64(column));
                QVERIFY(row.boolean(0) && !row.boolean(1));
                QCOMPARE(row.real(11), 0.1);
            });
            VERIFY_DONE(done);
            ++form;
        }
        QCOMPARE(texts[1], QStringList(texts[0]).replaceInStrings(u"/16"_s, QString()));
        QCOMPARE(numbers[1], numbers[0]);
    }

    void readsTimesInBinaryForm()
    {
        const auto times = sqlStatement(
            u"SELECT to_timestamp(1700000000.123456), 'infinity'::timestamptz, '1970-01-01 00:00:00.000001+00'::timestamptz, NULL::timestamptz"_s);
        const auto done = m_observer->execute(times.withBinaryResults(), {}, [](const Row& row) {
            QCOMPARE(row.time(0).us, 1'700'000'000'123'456);
            QCOMPARE(row.time(1).us, std::numeric_limits<qint64>::max());
            QCOMPARE(row.time(2).us, 1);
            QVERIFY(!row.optionalTime(3));
        });
        QCOMPARE(done.value_or(-1), 1);
    }

    void aTypeThatIsNotReadInBinaryFormIsAnError()
    {
        const Statement statement = sqlStatement(u"SELECT 1 AS fine, 1.5::numeric AS amount"_s);
        int rows = 0;
        const auto count = [&rows](const Row&) { ++rows; };
        const auto done = m_observer->execute(statement.withBinaryResults(), {}, count);
        QVERIFY(!done);
        QVERIFY2(done.error().detail.contains(u"amount"_s), qPrintable(done.error().toString()));
        QCOMPARE(rows, 0);
        QCOMPARE(m_observer->execute(statement, {}, count).value_or(-1), 1);
    }

    void emptyTextIsNotNull()
    {
        runSql(*m_observer, u"SELECT ''"_s, {}, [](const Row& row) {
            QVERIFY(!row.isNull(0));
            QVERIFY(!row.text(0).isNull());
        }).value();
    }

    void refusesTextThatCannotBeStored_data() { addTextsThatCannotBeStored(); }
    void refusesTextThatCannotBeStored()
    {
        QFETCH(QString, text);
        VERIFY_FAILS(ErrorKind::BadInput, runSql(*m_observer, u"SELECT $1::text"_s, {text}));
        QVERIFY(m_observer->isOpen());
    }

    void countsRows()
    {
        const auto connection = connectTo(m_url);
        QCOMPARE(
            runSql(*connection, u"CREATE TEMP TABLE t AS SELECT generate_series(1, 7) AS n"_s).value_or(-1),
            7);
        QCOMPARE(runSql(*connection, u"DELETE FROM t WHERE n > $1"_s, {qint64(4)}).value_or(-1), 3);
        QCOMPARE(runSql(*connection, u"SELECT n FROM t WHERE n > 100"_s).value_or(-1), 0);
        QCOMPARE(runSql(*connection, u"DELETE FROM t RETURNING n"_s).value_or(-1), 4);
    }

    void streamsManyRowsAgainAndAgain()
    {
        const Statement statement = sqlStatement(u"SELECT n, 'row ' || n FROM generate_series(1, $1) AS n"_s);
        for (int run = 0; run < 3; ++run) { // collected first, streamed from the second time
            qint64 sum = 0;
            QString last;
            const auto rows = m_observer->execute(statement, {qint64(5000)}, [&](const Row& row) {
                sum += row.int64(0);
                last = row.text(1);
            });
            QCOMPARE(rows.value_or(-1), 5000);
            QCOMPARE(sum, 5000 * 5001 / 2);
            QCOMPARE(last, u"row 5000"_s);
        }
        QCOMPARE(m_observer->execute(statement, {qint64(0)}).value_or(-1), 0);
    }

    void anErrorAmidStreamedRowsIsAnError()
    {
        const Statement statement = sqlStatement(u"SELECT 1 / ($1 - n) FROM generate_series(1, 3000) AS n"_s);
        const auto ignore = [](const Row&) {};
        QCOMPARE(m_observer->execute(statement, {qint64(10'000)}, ignore).value_or(-1), 3000);
        const auto failed = m_observer->execute(statement, {qint64(2500)}, ignore);
        QVERIFY(!failed);
        QCOMPARE(failed.error().nativeCode, u"22012"_s);
        QCOMPARE(ask(*m_observer, u"SELECT 1"_s), u"1"_s);
    }

    void preparesEachStatementOnce()
    {
        const auto connection = connectTo(m_url);
        const QString sql = u"SELECT $1::int + 1 /* prepared once */"_s;
        for (int i = 0; i < 10; ++i)
            QCOMPARE(ask(*connection, sql, {qint64(i)}), QString::number(i + 1));
        const QString count =
            u"SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%prepared once%' AND statement NOT LIKE '%pg_prepared%'"_s;
        QCOMPARE(ask(*connection, count), u"1"_s);
        QCOMPARE(
            ask(*connection,
                u"SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement = 'SELECT $1::int + 1 /* prepared once */'"_s),
            u"10"_s);
    }

    void survivesTheLossOfPreparedStatements()
    {
        const auto connection = connectTo(m_url);
        QCOMPARE(ask(*connection, u"SELECT 42"_s), u"42"_s);
        QVERIFY(connection->executeScript("DEALLOCATE ALL"));
        QCOMPARE(ask(*connection, u"SELECT 42"_s), u"42"_s);
    }

    void survivesAlteredTables()
    {
        const auto connection = connectTo(m_url);
        QVERIFY(
            connection->executeScript("CREATE TEMP TABLE altered (a int); INSERT INTO altered VALUES (1)"));
        QCOMPARE(ask(*connection, u"SELECT * FROM altered"_s), u"1"_s);
        QVERIFY(connection->executeScript("ALTER TABLE altered ADD b int"));
        QCOMPARE(ask(*connection, u"SELECT * FROM altered"_s), u"1"_s);
    }

    void errorsSayWhatWhereAndWhatToDo()
    {
        const auto result = runSql(*m_observer, u"SELECT * FROM lockscope.lock_entry"_s);
        VERIFY_FAILS(ErrorKind::MissingObject, result);
        QCOMPARE(result.error().server, m_url.display());
        QVERIFY(result.error().hint.contains(u"lockctl install"_s));
        QVERIFY(result.error().detail.contains(u"lockscope."_s));
    }

    void aFailedStatementFailsTheTransactionUntilRollback()
    {
        const auto connection = connectTo(m_url);
        QVERIFY(connection->begin());
        QVERIFY(connection->inTransaction());
        QVERIFY(!connection->begin());
        QVERIFY(!runSql(*connection, u"SELECT 1 / 0"_s));
        const auto next = runSql(*connection, u"SELECT 1"_s);
        QVERIFY(!next);
        QCOMPARE(next.error().nativeCode, u"25P02"_s);
        QVERIFY(connection->inTransaction());
        QVERIFY(!connection->commit()); // the server says ROLLBACK to that, and so must we
        QVERIFY(!connection->inTransaction());
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void aScriptIsATransaction()
    {
        const auto connection = connectTo(m_url);
        const auto result = connection->executeScript("CREATE TABLE half (a int); SELECT 1 / 0");
        QVERIFY(!result);
        QVERIFY(!connection->inTransaction());
        QCOMPARE(ask(*connection, u"SELECT to_regclass('half') IS NULL"_s), u"t"_s);
        QVERIFY(!connection->executeScript("BEGIN; SELECT 1 / 0"));
        QVERIFY(!connection->inTransaction());
    }

    void aScriptThatCopiesDoesNotHang()
    {
        const auto connection = connectTo(m_url);
        QVERIFY(!connection->executeScript("CREATE TEMP TABLE c (a int); COPY c FROM STDIN"));
        QVERIFY(connection->executeScript("COPY (SELECT 1) TO STDOUT"));
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void eachItemOfABatchStandsAlone()
    {
        const auto connection = connectTo(m_url);
        const Statement insert = sqlStatement(u"INSERT INTO batch VALUES ($1)"_s);
        const Statement count = sqlStatement(u"SELECT count(*) FROM batch"_s);
        const Statement broken = sqlStatement(u"SELECT * FROM no_such_table"_s);
        QVERIFY(connection->executeScript("CREATE TEMP TABLE batch (n int PRIMARY KEY)"));
        for (int run = 0; run < 2; ++run) {
            QVERIFY(connection->executeScript("TRUNCATE batch"));
            qint64 counted = -1;
            const std::array items{BatchItem{&insert, {qint64(1)}}, BatchItem{&insert, {qint64(1)}},
                BatchItem{&broken}, BatchItem{&insert, {QString(QChar(0))}}, BatchItem{&broken},
                BatchItem{&insert, {qint64(2)}},
                BatchItem{&count, {}, [&](const Row& row) { counted = row.int64(0); }}};
            const auto results = connection->executeBatch(items);
            QCOMPARE(results.size(), items.size());
            QCOMPARE(results[0].value_or(-1), 1);
            QCOMPARE(results[1].error().kind, ErrorKind::Duplicate);
            QCOMPARE(results[2].error().kind, ErrorKind::MissingObject);
            QCOMPARE(results[3].error().kind, ErrorKind::BadInput);
            QVERIFY(!results[4]);
            QCOMPARE(results[5].value_or(-1), 1);
            QCOMPARE(results[6].value_or(-1), 1);
            QCOMPARE(counted, 2);
        }
        QVERIFY(connection->executeBatch({}).empty());
    }

    /// This holds also the first time, when each is prepared along the way.
    void itemsMayShareATransaction()
    {
        const auto connection = connectTo(m_url);
        const Statement now = sqlStatement(u"SELECT now()::text, clock_timestamp()::text"_s);
        const Statement many = sqlStatement(u"SELECT n FROM generate_series(1, 3000) AS n"_s);
        const Statement broken = sqlStatement(u"SELECT 1 / $1::int"_s);
        for (int run = 0; run < 3; ++run) {
            QStringList begun;
            qint64 sum = 0;
            const auto note = [&](const Row& row) { begun << row.text(0); };
            const auto add = [&](const Row& row) { sum += row.int64(0); };
            const std::array items{BatchItem{.statement = &now, .sink = note, .withNext = true},
                BatchItem{.statement = &many, .sink = add, .withNext = true}, BatchItem{&now, {}, note},
                BatchItem{&now, {}, note}};
            for (const auto& result : connection->executeBatch(items))
                VERIFY_DONE(result);
            QCOMPARE(begun.size(), 3);
            QCOMPARE(begun[0], begun[1]);
            QVERIFY(begun[1] != begun[2]);
            QCOMPARE(sum, 3000 * 3001 / 2);
        }
        for (int run = 0; run < 2; ++run) {
            const std::array items{BatchItem{.statement = &many, .withNext = true},
                BatchItem{.statement = &broken, .params = {qint64(0)}, .withNext = true},
                BatchItem{&broken, {qint64(1)}},
                BatchItem{.statement = &broken, .params = {qint64(1)}, .withNext = true}};
            const auto results = connection->executeBatch(items);
            QVERIFY(results[0] && !results[1] && !results[2]);
            QCOMPARE(results[1].error().nativeCode, u"22012"_s);
            QVERIFY(!results[2].error().detail.isEmpty());
            QCOMPARE(results[3].value_or(-1), 1); // nothing follows
        }
        // The item that was to be the last could not be sent.
        const std::array items{BatchItem{.statement = &now, .withNext = true},
            BatchItem{&broken, {QString(QChar(0))}}, BatchItem{&now}};
        const auto results = connection->executeBatch(items);
        QVERIFY(results[0] && !results[1] && results[2]);
        QVERIFY(connection->isOpen() && !connection->inTransaction());
    }

    void oneRoundTripEach()
    {
        const auto connection = connectTo(m_url);
        const Statement first = sqlStatement(u"SELECT $1::int"_s);
        const Statement second = sqlStatement(u"SELECT 2"_s);
        QVERIFY(connection->execute(first, {qint64(1)}));
        QCOMPARE(roundTrips(*connection, [&] { QVERIFY(connection->execute(first, {qint64(1)})); }), 1);

        std::vector<BatchItem> items{BatchItem{&second}}; // prepared along the way
        for (int i = 0; i < 50; ++i)
            items.push_back(BatchItem{&first, {qint64(i)}});
        QCOMPARE(roundTrips(*connection,
                     [&] {
                         for (const auto& result : connection->executeBatch(items))
                             QCOMPARE(result.value_or(-1), 1);
                     }),
            1);
    }

    void streamsInsideABatch()
    {
        const auto connection = connectTo(m_url);
        const Statement many = sqlStatement(u"SELECT n FROM generate_series(1, 3000) AS n"_s);
        const Statement one = sqlStatement(u"SELECT 1"_s);
        for (int run = 0; run < 3; ++run) {
            qint64 sum = 0;
            const auto add = [&](const Row& row) { sum += row.int64(0); };
            const std::array items{
                BatchItem{&one, {}, add}, BatchItem{&many, {}, add}, BatchItem{&one, {}, add}};
            for (const auto& result : connection->executeBatch(items))
                QVERIFY(result);
            QCOMPARE(sum, 3000 * 3001 / 2 + 2);
        }
    }

    void notificationsArrive()
    {
        const auto connection = connectTo(m_url);
        QVERIFY(runSql(*connection, u"LISTEN turn"_s));
        QVERIFY(!connection->waitForNotification(0ms).value());
        QVERIFY(m_observer->executeScript("NOTIFY turn, 'erste 🔔'; NOTIFY turn, 'zweite'"));
        QCOMPARE(connection->waitForNotification(10s).value(), std::optional(u"erste 🔔"_s));
        // One that came with the answer of another statement is not lost.
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
        QCOMPARE(connection->waitForNotification(-1ms).value(), std::optional(u"zweite"_s));
        QVERIFY(!connection->waitForNotification(1ms).value());
    }

    void aNotificationWakesTheWaiter()
    {
        const auto connection = connectTo(m_url);
        QVERIFY(runSql(*connection, u"LISTEN wake"_s));
        std::jthread notifier([this] { QVERIFY(connectTo(m_url)->executeScript("NOTIFY wake")); });
        QCOMPARE(connection->waitForNotification(-1ms).value(), std::optional(u""_s));
    }

    void stopEndsTheWaitForANotification()
    {
        const auto connection = connectTo(m_url);
        std::stop_source source;
        std::jthread canceller([&] { source.request_stop(); });
        QVERIFY(!connection->waitForNotification(-1ms, source.get_token()).value());
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void worksOnAnyThreadThatOpensIt()
    {
        QString answer;
        std::jthread([&] { answer = ask(*connectTo(m_url), u"SELECT 'there'"_s); }).join();
        QCOMPARE(answer, u"there"_s);
    }

    void indexPlansSurviveAnEmptyLockTable()
    {
        const auto connection = connectTo(m_url);
        QVERIFY(connection->executeScript("CREATE TABLE plan_trap (name text PRIMARY KEY)"));
        QVERIFY(runSql(*connection, u"VACUUM ANALYZE plan_trap"_s));
        QString plan;
        QVERIFY(runSql(*connection, u"EXPLAIN DELETE FROM plan_trap WHERE name = 'a'"_s, {},
            [&](const Row& row) { plan += row.text(0); }));
        VERIFY_LACKS(plan, u"Seq Scan"_s);
    }

private:
    ServerUrl m_url;
    std::unique_ptr<Connection> m_observer;
};

LOCKSCOPE_TEST(tst_ConnectionPostgres)

} // namespace tst_ConnectionPostgres
#include "tst_ConnectionPostgres.moc"
