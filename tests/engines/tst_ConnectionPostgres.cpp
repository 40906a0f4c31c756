// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <csignal>
#include <libpq-fe.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tst_ConnectionPostgres {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

static std::unique_ptr<Connection> connectTo(const ServerUrl& url, const ConnectOptions& options = {})
{
    return TestServer::shared().connect(url, options);
}

/// Waits until the session waits inside a statement: for a lock, or in pg_sleep.
static bool isWaiting(Connection& observer, SessionId session)
{
    return ask(observer,
               u"SELECT wait_event_type IN ('Lock', 'Timeout') AND state = 'active' FROM pg_stat_activity WHERE pid = $1"_s,
               {session.value})
        == u"t"_s;
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

static void cancelWhenWaiting(Connection& observer, SessionId session, const std::function<void()>& act)
{
    while (!isWaiting(observer, session))
        QThread::msleep(1);
    act();
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
        ConnectOptions options;
        options.programSuffix = u"nightly"_s;
        const auto connection = connectTo(m_url, options);
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
        QTest::newRow("empty") << u"text"_s << u""_s;
        QTest::newRow("four-byte characters") << u"text"_s << u"🔒 Schloß 锁"_s;
        QTest::newRow("quotes") << u"text"_s << u"it's \"quoted\" \\ $1 ; --"_s;
        QTest::newRow("big value") << u"text"_s << QString(5'000'000, u'ä');
        QTest::newRow("number") << u"bigint"_s << u"-9223372036854775808"_s;
    }
    void bindsAndReadsEveryType()
    {
        FETCH(QString, type, QString, text);
        QCOMPARE(ask(*m_observer, u"SELECT $1::"_s + type, {text}), text);
    }

    void readsTypedColumns()
    {
        int rows = 0;
        const auto result = m_observer->execute(
            sqlStatement(
                u"SELECT $1::bigint, $2::float8, $3::boolean, $4::text, $5::bigint, 'infinity'::float8"_s),
            {std::numeric_limits<qint64>::min(), 0.1, true, std::monostate(),
                ServerTime{1'700'000'000'123'456}},
            [&](const Row& row) {
                ++rows;
                QCOMPARE(row.int64(0), std::numeric_limits<qint64>::min());
                QCOMPARE(row.real(1), 0.1);
                QVERIFY(row.boolean(2));
                QVERIFY(row.isNull(3));
                QVERIFY(row.text(3).isNull());
                QCOMPARE(row.int64(3), 0);
                QVERIFY(!row.optionalTime(3));
                QCOMPARE(row.time(4).us, 1'700'000'000'123'456);
                QVERIFY(std::isinf(row.real(5)));
            });
        QCOMPARE(result.value_or(-1), 1);
        QCOMPARE(rows, 1);
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
        m_observer
            ->execute(sqlStatement(u"SELECT ''"_s), {},
                [](const Row& row) {
                    QVERIFY(!row.isNull(0));
                    QVERIFY(!row.text(0).isNull());
                })
            .value();
    }

    void refusesTextThatCannotBeStored_data()
    {
        test::addRows<QString>("text",
            {{"NUL", u"a"_s + QChar(0) + u"b"_s}, {"NUL after other characters", u"ä"_s + QChar(0)},
                {"lone high surrogate", u"a"_s + QChar(0xd83d)},
                {"lone low surrogate", QChar(0xdd12) + u"a"_s}});
    }
    void refusesTextThatCannotBeStored()
    {
        QFETCH(QString, text);
        VERIFY_FAILS(ErrorKind::BadInput, m_observer->execute(sqlStatement(u"SELECT $1::text"_s), {text}));
        QVERIFY(m_observer->isOpen());
    }

    void countsRows()
    {
        const auto connection = connectTo(m_url);
        QCOMPARE(
            connection->execute(sqlStatement(u"CREATE TEMP TABLE t AS SELECT generate_series(1, 7) AS n"_s))
                .value_or(-1),
            7);
        QCOMPARE(
            connection->execute(sqlStatement(u"DELETE FROM t WHERE n > $1"_s), {qint64(4)}).value_or(-1), 3);
        QCOMPARE(connection->execute(sqlStatement(u"SELECT n FROM t WHERE n > 100"_s)).value_or(-1), 0);
        QCOMPARE(connection->execute(sqlStatement(u"DELETE FROM t RETURNING n"_s)).value_or(-1), 4);
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
        const auto result = m_observer->execute(sqlStatement(u"SELECT * FROM lockscope.lock_entry"_s));
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
        QVERIFY(!connection->execute(sqlStatement(u"SELECT 1 / 0"_s)));
        const auto next = connection->execute(sqlStatement(u"SELECT 1"_s));
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
            const std::array items{BatchItem{&insert, {qint64(1)}, {}}, BatchItem{&insert, {qint64(1)}, {}},
                BatchItem{&broken, {}, {}}, BatchItem{&insert, {QString(QChar(0))}, {}},
                BatchItem{&broken, {}, {}}, BatchItem{&insert, {qint64(2)}, {}},
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
            const std::array items{BatchItem{&now, {}, note, true}, BatchItem{&many, {}, add, true},
                BatchItem{&now, {}, note}, BatchItem{&now, {}, note}};
            for (const auto& result : connection->executeBatch(items))
                VERIFY_DONE(result);
            QCOMPARE(begun.size(), 3);
            QCOMPARE(begun[0], begun[1]);
            QVERIFY(begun[1] != begun[2]);
            QCOMPARE(sum, 3000 * 3001 / 2);
        }
        for (int run = 0; run < 2; ++run) {
            const std::array items{BatchItem{&many, {}, {}, true}, BatchItem{&broken, {qint64(0)}, {}, true},
                BatchItem{&broken, {qint64(1)}, {}}, BatchItem{&broken, {qint64(1)}, {}, true}};
            const auto results = connection->executeBatch(items);
            QVERIFY(results[0] && !results[1] && !results[2]);
            QCOMPARE(results[1].error().nativeCode, u"22012"_s);
            QVERIFY(!results[2].error().detail.isEmpty());
            QCOMPARE(results[3].value_or(-1), 1); // nothing follows
        }
        // The item that was to be the last could not be sent.
        const std::array items{BatchItem{&now, {}, {}, true}, BatchItem{&broken, {QString(QChar(0))}, {}},
            BatchItem{&now, {}, {}}};
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

        std::vector<BatchItem> items{BatchItem{&second, {}, {}}}; // prepared along the way
        for (int i = 0; i < 50; ++i)
            items.push_back(BatchItem{&first, {qint64(i)}, {}});
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

    void stopEndsAWaitAndKeepsTheSession_data()
    {
        test::addRows<bool>("byToken", {{"stop token", true}, {"cancel()", false}});
    }
    void stopEndsAWaitAndKeepsTheSession()
    {
        QFETCH(bool, byToken);
        const auto connection = connectTo(m_url);
        QVERIFY(isOncePrompt(100ms, [&]() -> Taken {
            std::stop_source source;
            std::atomic<std::chrono::steady_clock::time_point> asked;
            std::jthread canceller([&] {
                const auto observer = connectTo(m_url);
                cancelWhenWaiting(*observer, connection->sessionId(), [&] {
                    asked = std::chrono::steady_clock::now();
                    if (byToken)
                        source.request_stop();
                    else
                        connection->cancel();
                });
            });
            const auto result =
                connection->execute(sqlStatement(u"SELECT pg_sleep(600)"_s), {}, {}, source.get_token());
            const auto ended = std::chrono::steady_clock::now();
            canceller.join();
            if (result || result.error().kind != ErrorKind::Cancelled)
                return failed("The statement was not cancelled.");
            return ended - asked.load();
        }));
        QCOMPARE(
            ask(*connection, u"SELECT pg_backend_pid()"_s), QString::number(connection->sessionId().value));
    }

    void nothingIsSentAfterStop()
    {
        const auto connection = connectTo(m_url);
        std::stop_source source;
        source.request_stop();
        const auto result =
            connection->execute(sqlStatement(u"CREATE TABLE never (a int)"_s), {}, {}, source.get_token());
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
        const Statement select = sqlStatement(u"SELECT 1"_s);
        const std::array items{BatchItem{&select, {}, {}}};
        VERIFY_FAILS(ErrorKind::Cancelled, connection->executeBatch(items, source.get_token()).at(0));
        QCOMPARE(ask(*connection, u"SELECT to_regclass('never') IS NULL"_s), u"t"_s);
    }

    void stopEndsAWholeBatch()
    {
        const auto connection = connectTo(m_url);
        const Statement one = sqlStatement(u"SELECT 1"_s);
        const Statement sleep = sqlStatement(u"SELECT pg_sleep(600)"_s);
        const std::array items{BatchItem{&one, {}, {}}, BatchItem{&sleep, {}, {}}, BatchItem{&sleep, {}, {}}};
        std::stop_source source;
        std::jthread canceller([&] {
            const auto observer = connectTo(m_url);
            cancelWhenWaiting(*observer, connection->sessionId(), [&] { source.request_stop(); });
        });
        const auto results = connection->executeBatch(items, source.get_token());
        canceller.join();
        QVERIFY(results[0]);
        QCOMPARE(results[1].error().kind, ErrorKind::Cancelled);
        QCOMPARE(results[2].error().kind, ErrorKind::Cancelled);
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void aLateCancelNeverHitsTheNextStatement()
    {
        const auto connection = connectTo(m_url);
        const Statement quick = sqlStatement(u"SELECT 1"_s);
        const Statement next = sqlStatement(u"SELECT pg_sleep(0.001)"_s);
        int cancelled = 0;
        for (int i = 0; i < 300; ++i) {
            std::stop_source source;
            std::jthread canceller([&source, i] {
                std::this_thread::sleep_for(std::chrono::microseconds(i % 30 * 10));
                source.request_stop();
            });
            const auto first = connection->execute(quick, {}, {}, source.get_token());
            if (!first) {
                QCOMPARE(first.error().kind, ErrorKind::Cancelled);
                ++cancelled;
            }
            VERIFY_DONE(connection->execute(next));
        }
        QVERIFY(cancelled > 0);
    }

    void cancelWithoutAStatementDoesNothing()
    {
        const auto connection = connectTo(m_url);
        for (int i = 0; i < 50; ++i) {
            connection->cancel();
            QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
        }
    }

    void aLostConnectionIsAConnectionError()
    {
        const auto connection = connectTo(m_url);
        QCOMPARE(ask(*m_observer, u"SELECT pg_terminate_backend($1::int, 10000)"_s,
                     {connection->sessionId().value}),
            u"t"_s);
        const auto result = connection->execute(sqlStatement(u"SELECT 1"_s));
        VERIFY_FAILS(ErrorKind::Connection, result);
        QVERIFY(!result.error().hint.isEmpty());
        QVERIFY(!connection->isOpen());
        VERIFY_FAILS(ErrorKind::Connection, connection->execute(sqlStatement(u"SELECT 1"_s)));
        const Statement select = sqlStatement(u"SELECT 1"_s);
        const std::array items{BatchItem{&select, {}, {}}};
        VERIFY_FAILS(ErrorKind::Connection, connection->executeBatch(items).at(0));
        VERIFY_FAILS(ErrorKind::Connection, connection->begin());
        VERIFY_FAILS(ErrorKind::Connection, connection->waitForNotification(0ms));
    }

    void aConnectionLostDuringAStatementIsAConnectionError_data()
    {
        test::addRows<bool>("batch", {{"execute", false}, {"batch", true}});
    }
    void aConnectionLostDuringAStatementIsAConnectionError()
    {
        QFETCH(bool, batch);
        const auto connection = connectTo(m_url);
        std::jthread killer([this, session = connection->sessionId()] {
            const auto observer = connectTo(m_url);
            cancelWhenWaiting(*observer, session,
                [&] { ask(*observer, u"SELECT pg_terminate_backend($1::int)"_s, {session.value}); });
        });
        const Statement sleep = sqlStatement(u"SELECT pg_sleep(600)"_s);
        const std::array items{BatchItem{&sleep, {}, {}}, BatchItem{&sleep, {}, {}}};
        if (batch) {
            for (const auto& result : connection->executeBatch(items))
                QCOMPARE(result.error().kind, ErrorKind::Connection);
        } else {
            VERIFY_FAILS(ErrorKind::Connection, connection->execute(sleep));
        }
        QVERIFY(!connection->isOpen());
    }

    void aServerThatHangsIsGivenUp()
    {
        const auto connection = connectTo(m_url, monitorOptions(200ms, 300ms));
        // The session's process can't even look at its statement time-out.
        const auto pid = static_cast<pid_t>(connection->sessionId().value);
        if (kill(pid, SIGSTOP) != 0)
            QSKIP("This account may not stop the server's processes.");
        const auto result = connection->execute(sqlStatement(u"SELECT 1"_s));
        kill(pid, SIGCONT);
        VERIFY_FAILS(ErrorKind::Connection, result);
        QVERIFY(result.error().toString().contains(u"does not answer"_s));
        QVERIFY(!connection->isOpen());
    }

    void stopEndsTheWaitForAServerThatHangs()
    {
        ConnectOptions options;
        options.connectTimeout = 300ms;
        const auto connection = connectTo(m_url, options);
        const auto pid = static_cast<pid_t>(connection->sessionId().value);
        if (kill(pid, SIGSTOP) != 0)
            QSKIP("This account may not stop the server's processes.");
        std::stop_source source;
        std::jthread canceller([&] { source.request_stop(); });
        const auto result = connection->execute(sqlStatement(u"SELECT 1"_s), {}, {}, source.get_token());
        kill(pid, SIGCONT);
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
    }

    void notificationsArrive()
    {
        const auto connection = connectTo(m_url);
        QVERIFY(connection->execute(sqlStatement(u"LISTEN turn"_s)));
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
        QVERIFY(connection->execute(sqlStatement(u"LISTEN wake"_s)));
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
        QVERIFY(connection->execute(sqlStatement(u"VACUUM ANALYZE plan_trap"_s)));
        QString plan;
        QVERIFY(connection->execute(sqlStatement(u"EXPLAIN DELETE FROM plan_trap WHERE name = 'a'"_s), {},
            [&](const Row& row) { plan += row.text(0); }));
        VERIFY_LACKS(plan, u"Seq Scan"_s);
    }

    void refusesToConnectWithExactReasons_data()
    {
        test::addColumns<QString, QString, int, QString, int>("user", "database", "port", "password", "kind");
        const ServerUrl good = TestServer::shared().url();
        const QString password = TestServer::shared().password();
        const int login = static_cast<int>(ErrorKind::Login);
        QTest::newRow("wrong password")
            << good.user << good.database << good.port << u"s3cret-wrong"_s << login;
        QTest::newRow("no such user") << u"nobody"_s << good.database << good.port << password << login;
        QTest::newRow("no such database") << good.user << u"nowhere"_s << good.port << password << login;
        QTest::newRow("no server") << good.user << good.database << 1 << password
                                   << static_cast<int>(ErrorKind::Connection);
    }
    void refusesToConnectWithExactReasons()
    {
        FETCH(QString, user, QString, database, int, port, QString, password, int, kind);
        ServerUrl url = m_url;
        url.user = user;
        url.database = database;
        url.port = port;
        const auto refused = db::Server::at(url, fixedPassword(password)).connect();
        if (refused && password.contains(u"wrong"_s))
            QSKIP("This server trusts local users.");
        QVERIFY(!refused);
        QCOMPARE(static_cast<int>(refused.error().kind), kind);
        QVERIFY(!refused.error().hint.isEmpty());
        QCOMPARE(refused.error().server, url.display());
        QVERIFY(!refused.error().toString().contains(password));
    }

    void noErrorTextContainsThePassword()
    {
        ServerUrl url = m_url;
        url.options.insert(u"sslmode"_s, u"bad value with 'quotes' \\"_s);
        const QString password = u"hunter2 'x\\"_s;
        const auto refused = db::Server::at(url, fixedPassword(password)).connect();
        QVERIFY(!refused);
        QVERIFY(!refused.error().toString().contains(u"hunter2"_s));
        url.options = {{u"sslmode"_s, u"a;b"_s}};
        VERIFY_FAILS(ErrorKind::BadInput, db::Server::at(url, fixedPassword(password)).connect());
        url.options = {{u"no_such_option"_s, u"1"_s}};
        VERIFY_FAILS(ErrorKind::BadInput, db::Server::at(url, fixedPassword(password)).connect());
    }

    void aRefusalInUnknownWordsIsToldFromASilentServer()
    {
        ServerUrl url = m_url;
        url.options = {{u"gssencmode"_s, u"require"_s}, {u"sslmode"_s, u"disable"_s}};
        const auto refused = TestServer::shared().at(url).connect();
        VERIFY_FAILS(ErrorKind::Login, refused);
        QVERIFY(refused.error().hint.contains(u"answers"_s));
    }

    void aServerThatNeverAnswersIsGivenUpWhileConnecting()
    {
        QTemporaryDir directory;
        const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const QByteArray path = directory.filePath(u".s.PGSQL.5432"_s).toLocal8Bit();
        QVERIFY(static_cast<size_t>(path.size()) < sizeof(address.sun_path));
        std::copy(path.begin(), path.end(), address.sun_path);
        QCOMPARE(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
        QCOMPARE(listen(listener, 5), 0);
        ServerUrl url;
        url.host = directory.path();
        url.port = 5432;
        ConnectOptions options;
        options.connectTimeout = 1s;
        const auto refused = db::Server::at(url, fixedPassword(u"secret"_s)).connect(options);
        ::close(listener);
        VERIFY_FAILS(ErrorKind::Connection, refused);
        QVERIFY(refused.error().hint.contains(u"does not answer"_s));
    }

    void anErrorOfThePasswordSourceIsPassedOn()
    {
        const auto refused = db::Server::at(m_url, [](const QString&) -> Result<QString> {
            return failure(ErrorKind::Cancelled, u"No."_s);
        }).connect();
        QCOMPARE(refused.error().kind, ErrorKind::Cancelled);
    }

private:
    ServerUrl m_url;
    std::unique_ptr<Connection> m_observer;
};

LOCKSCOPE_TEST(tst_ConnectionPostgres)

} // namespace tst_ConnectionPostgres
#include "tst_ConnectionPostgres.moc"
