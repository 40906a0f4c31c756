// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "tests/support/ConnectionChecks.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/SessionAnswers.h"

namespace tst_ConnectionSqlServer {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;
using namespace lockscope::test::tds;
using test::tds::Reply;

const QString waitForEver = u"EXEC wait_for_ever"_s;

/// The double, set up for our connections.
class Double : public TdsServer {
public:
    explicit Double(const SqlServerFacts& facts = wholeServer())
    {
        addSessionAnswers(*this, facts);
        answer(u"SELECT 1"_s, [](const Request&, Reply& reply) {
            reply.table({{u"n"_s, integer()}}, {{1}});
        });
        answer(waitForEver, [this](const Request&, Reply& reply) {
            ++m_waiting;
            reply.defer()->onCancel([this](Reply::End end) {
                --m_waiting;
                if (end == Reply::End::Attention)
                    ++m_attentions;
            });
        });
    }
    std::unique_ptr<Connection> connect(const ConnectOptions& options = {})
    {
        return test::orDie(db::Server::at(urlOf(*this), fixedPassword(passwordOf(*this))).connect(options));
    }
    int waiting() const { return m_waiting; }
    int attentions() const { return m_attentions; }
    /// Returns the number of messages that a session sent while `work` ran.
    qsizetype messages(const std::function<void()>& work)
    {
        const auto before = seen().size();
        work();
        return static_cast<qsizetype>(seen().size() - before);
    }
    void kill(const Connection& connection)
    {
        run([&] { disconnect(static_cast<int>(connection.sessionId().value)); });
    }

private:
    std::atomic<int> m_waiting = 0;
    std::atomic<int> m_attentions = 0;
};

/// Returns the received values, with their types.
static void echo(const Request& request, Reply& reply)
{
    std::vector<Column> columns;
    Values values;
    for (const Parameter& parameter : request.parameters) {
        columns.push_back({parameter.name, parameter.type});
        values.push_back(parameter.value);
    }
    reply.table(columns, {values});
}

class tst_ConnectionSqlServer : public WireSuiteByBoth {
    Q_OBJECT

private Q_SLOTS:
    void tellsWhoItIs()
    {
        Double server;
        const auto connection = server.connect({.programSuffix = u"nightly"_s});
        QVERIFY(connection->isOpen());
        QCOMPARE(connection->serverVersion(), u"SQL Server 2022 16.0.4135.4"_s);
        QCOMPARE(connection->serverVersionNumber(), 16'004'135);
        QVERIFY(SqlServerConnection::factsOf(*connection).maySeeOthers());
        server.run([&] {
            const auto sessions = server.sessions();
            QCOMPARE(sessions.size(), size_t(1));
            QCOMPARE(sessions[0]->id, connection->sessionId().value);
            QCOMPARE(sessions[0]->startedUs, connection->sessionStarted().us);
            QCOMPARE(sessions[0]->login.program, u"lockscope lock nightly"_s);
            QCOMPARE(sessions[0]->login.user, u"ann"_s);
            QCOMPARE(sessions[0]->login.password, passwordOf(server));
            QCOMPARE(sessions[0]->login.packetSize, OdbcLink::packetSize);
            QCOMPARE(sessions[0]->database, u"orders"_s);
        });
    }

    void setsSessionsUpForTheirPurpose()
    {
        Double server;
        const auto monitor = server.connect(monitorOptions(1234ms));
        const auto lock = server.connect();
        server.run([&] {
            const auto sessions = server.sessions();
            QCOMPARE(sessions[0]->settings.value(u"LOCK_TIMEOUT"_s), u"1000"_s);
            QCOMPARE(sessions[0]->settings.value(u"DEADLOCK_PRIORITY"_s), u"LOW"_s);
            QCOMPARE(sessions[0]->settings.value(u"TRANSACTION ISOLATION LEVEL"_s), u"READ UNCOMMITTED"_s);
            QCOMPARE(sessions[1]->settings.value(u"LOCK_TIMEOUT"_s), u"-1"_s);
            QCOMPARE(sessions[1]->settings.value(u"XACT_ABORT"_s), u"ON"_s);
        });
    }

    void bindsAndReadsEveryType()
    {
        Double server;
        server.answer(u"SELECT @P1, @P2, @P3, @P4, @P5"_s, echo);
        const auto connection = server.connect();
        bindAndReadEveryType(*connection, u"SELECT @P1, @P2, @P3, @P4, @P5"_s);
        QVERIFY(runSql(*connection, u"SELECT 1"_s, {}, [](const Row& row) { QVERIFY(row.isNull(99)); }));
    }

    void bindsAndReadsText_data()
    {
        QTest::addColumn<QString>("text");
        row("empty", "");
        row("four-byte characters", "🔒 Schloß 锁");
        row("quotes", "it's \"quoted\" [x]] ? {call} ; --");
        row("4000", QString(4000, u'ä'));
        row("4001", QString(4001, u'ä'));
        row("big", QString(500'000, u'ä') + u"🔒"_s);
    }
    void bindsAndReadsText()
    {
        QFETCH(QString, text);
        Double server;
        server.answer(u"SELECT @P1"_s, echo);
        const auto connection = server.connect();
        QString answer;
        VERIFY_DONE(
            runSql(*connection, u"SELECT @P1"_s, {text}, [&](const Row& row) { answer = row.text(0); }));
        QVERIFY(!answer.isNull());
        QVERIFY(answer == text);
    }

    void declaresTheTypesOfItsParameters()
    {
        Double server;
        QStringList types;
        server.answer(u"EXEC p @P1, @P2, @P3, @P4, @P5"_s, [&](const Request& request, Reply& reply) {
            for (const Parameter& parameter : request.parameters)
                types << parameter.name;
            reply.affected(3);
        });
        const auto connection = server.connect();
        const auto result = runSql(*connection, u"EXEC p @P1, @P2, @P3, @P4, @P5"_s,
            {qint64(1), u"x"_s, true, 0.5, std::monostate()});
        QCOMPARE(result.value_or(-1), 3);
        COMPARE_TEXTS(types, "@P1", "@P2", "@P3", "@P4", "@P5");
    }

    void refusesTextThatCannotBeStored_data() { addTextsThatCannotBeStored(); }
    void refusesTextThatCannotBeStored()
    {
        QFETCH(QString, text);
        Double server;
        const auto connection = server.connect();
        VERIFY_FAILS(ErrorKind::BadInput, runSql(*connection, u"SELECT @P1"_s, {text}));
        QVERIFY(connection->isOpen());
    }

    void oneRoundTripEach()
    {
        Double server;
        server.answer(u"SELECT @P1"_s, echo);
        const auto connection = server.connect();
        QCOMPARE(server.messages([&] { QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s); }), 1);
        QCOMPARE(
            server.messages([&] { QCOMPARE(ask(*connection, u"SELECT @P1"_s, {qint64(7)}), u"7"_s); }), 1);
        QCOMPARE(
            server.messages([&] { QCOMPARE(ask(*connection, u"SELECT @P1"_s, {qint64(8)}), u"8"_s); }), 1);
        QCOMPARE(server.messages([&] { QVERIFY(connection->begin()); }), 1);
        QCOMPARE(server.messages([&] { QVERIFY(connection->rollback()); }), 1);
        const Statement one = sqlStatement(u"SELECT 1"_s);
        const Statement two = sqlStatement(u"SELECT @P1"_s);
        const std::array items{BatchItem{&one}, BatchItem{&two, {u"x"_s}}, BatchItem{&one}};
        QCOMPARE(server.messages([&] {
            for (const auto& result : connection->executeBatch(items))
                QCOMPARE(result.value_or(-1), 1);
        }),
            1);
    }

    void countsRows()
    {
        Double server;
        server.answer(u"DELETE FROM t"_s, [](const Request&, Reply& reply) { reply.affected(3); });
        server.answer(u"DELETE FROM none"_s, [](const Request&, Reply& reply) { reply.affected(0); });
        server.answer(u"SELECT n FROM none"_s, [](const Request&, Reply& reply) {
            reply.table({{u"n"_s, integer()}}, {});
        });
        const auto connection = server.connect();
        QCOMPARE(runSql(*connection, u"DELETE FROM t"_s).value_or(-1), 3);
        QCOMPARE(runSql(*connection, u"DELETE FROM none"_s).value_or(-1), 0);
        QCOMPARE(runSql(*connection, u"SELECT n FROM none"_s).value_or(-1), 0);
    }

    void readsSeveralResultSets()
    {
        Double server;
        server.answer(u"two sets"_s, [](const Request&, Reply& reply) {
            reply.table({{u"n"_s, bigint()}}, {{1}, {2}});
            reply.affected(5);
            reply.table(
                {{u"t"_s, nvarchar(20)}, {u"u"_s, nvarchar()}}, {{u"x"_s, u"long"_s}, {Value(), Value()}});
        });
        const auto connection = server.connect();
        QStringList seen;
        const auto result = runSql(*connection, u"two sets"_s, {},
            [&](const Row& row) { seen << row.text(0) + u'/' + row.text(1); });
        QCOMPARE(result.value_or(-1), 4);
        COMPARE_TEXTS(seen, "1/", "2/", "x/long", "/");
    }

    void readsManyRowsInBlocks()
    {
        Double server;
        constexpr int count = 20'000;
        server.answer(u"many"_s, [](const Request&, Reply& reply) {
            reply.columns({{u"n"_s, bigint()}, {u"t"_s, nvarchar(60)}, {u"maybe"_s, integer()},
                {u"id"_s, varbinary(8)}});
            for (int i = 0; i < count; ++i)
                reply.row({i, u"row %1 🔒"_s.arg(i), i % 2 == 0 ? Value() : Value(i), QByteArray("\1\2\xff")});
        });
        const auto connection = server.connect();
        for (int run = 0; run < 2; ++run) {
            int next = 0;
            bool good = true;
            const auto rows = runSql(*connection, u"many"_s, {}, [&](const Row& row) {
                good = good && row.int64(0) == next && row.text(1) == u"row %1 🔒"_s.arg(next)
                    && row.isNull(2) == (next % 2 == 0) && row.text(3) == u"0x0102FF"_s;
                ++next;
            });
            QCOMPARE(rows.value_or(-1), count);
            QVERIFY(good);
        }
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void sharesTextsThatComeAgainAndNoOthers()
    {
        if (isByQt(driverInUse()))
            QSKIP("By Qt each value is read, and made, by itself.");
        Double server;
        constexpr int count = 3'000;
        // Texts of one size with equal ends, of few kinds, new in each row, empty ones, and ones too long to
        // be shared.
        const auto texts = [](int row) {
            return std::array{u"a%1z"_s.arg(row % 40, 2, 10, QChar(u'0')), QString(1 + row % 3, u'x'),
                u"5/%1"_s.arg(row), row % 5 == 0 ? QString() : u""_s, QString(41 + row % 2, u'y')};
        };
        server.answer(u"texts"_s, [texts](const Request&, Reply& reply) {
            reply.columns({{u"a"_s, nvarchar(60)}, {u"b"_s, nvarchar(60)}, {u"c"_s, nvarchar(60)},
                {u"d"_s, nvarchar(60)}, {u"e"_s, nvarchar(60)}});
            for (int i = 0; i < count; ++i) {
                Values values;
                for (const QString& text : texts(i))
                    values.push_back(text.isNull() ? Value() : Value(text));
                reply.row(values);
            }
        });
        const auto connection = server.connect();
        int next = 0;
        bool good = true;
        QSet<const QChar*> made;
        QStringList kept;
        const auto rows = runSql(*connection, u"texts"_s, {}, [&](const Row& row) {
            const auto expected = texts(next++);
            for (int i = 0; i < static_cast<int>(expected.size()); ++i)
                good = good && row.text(i) == expected[static_cast<size_t>(i)]
                    && row.isNull(i) == expected[static_cast<size_t>(i)].isNull();
            kept << row.text(1);
            made << kept.last().constData();
        });
        QCOMPARE(rows.value_or(-1), count);
        QVERIFY(good);
        QCOMPARE(made.size(), 3);
        for (int i = 0; i < count; ++i)
            QCOMPARE(kept[i], texts(i)[1]); // and stays what it was
    }

    void letsTheDriverConvertTextsUnlessItHandsThemOnAsTheyAre()
    {
        // The driver of a test always does. A version that was not sent in UTF-16 looks like this.
        SqlServerFacts misread = wholeServer();
        misread.productVersion = u"\u3631\u302e"_s;
        Double asSent;
        Double converted(misread);
        std::array<qsizetype, 2> messages{};
        std::array servers{&asSent, &converted};
        for (size_t i = 0; i < servers.size(); ++i) {
            Double& server = *servers[i];
            server.answer(u"texts"_s, [](const Request&, Reply& reply) {
                reply.table({{u"a"_s, nvarchar(20)}, {u"b"_s, nvarchar(20)}, {u"c"_s, {Type::VarChar, 20}}},
                    {{u"🔒 Schloß"_s, Value(), u"one byte each"_s}, {QString(20, u'ä'), u""_s, u"ä"_s}});
            });
            std::unique_ptr<Connection> connection;
            messages[i] = server.messages([&] { connection = server.connect(); });
            QStringList read;
            const auto rows = runSql(*connection, u"texts"_s, {},
                [&](const Row& row) { read << row.text(0) << row.text(1) << row.text(2); });
            QCOMPARE(rows.value_or(-1), 2);
            QCOMPARE(read,
                (QStringList{
                    u"🔒 Schloß"_s, QString(), u"one byte each"_s, QString(20, u'ä'), u""_s, u"ä"_s}));
        }
        QCOMPARE(messages[1], messages[0] + 1); // asks for the facts again
    }

    void errorsSayWhatWhereAndWhatToDo()
    {
        Double server;
        server.answer(u"SELECT * FROM lockscope.lock_entry"_s, [](const Request&, Reply& reply) {
            reply.error(208, u"Invalid object name 'lockscope.lock_entry'."_s);
        });
        const auto connection = server.connect();
        const auto result = runSql(*connection, u"SELECT * FROM lockscope.lock_entry"_s);
        VERIFY_FAILS(ErrorKind::MissingObject, result);
        QCOMPARE(result.error().nativeCode, u"208"_s);
        QCOMPARE(result.error().detail, u"Invalid object name 'lockscope.lock_entry'."_s);
        QCOMPARE(result.error().server, connection->url().display());
        QVERIFY(result.error().hint.contains(u"lockctl install"_s));
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void anErrorAmidRowsIsAnError()
    {
        Double server;
        server.answer(u"broken"_s, [](const Request&, Reply& reply) {
            reply.columns({{u"n"_s, bigint()}});
            for (int i = 0; i < 700; ++i)
                reply.row({i});
            reply.error(8134, u"Divide by zero error encountered."_s);
        });
        const auto connection = server.connect();
        const auto result = runSql(*connection, u"broken"_s, {}, [](const Row&) {});
        QVERIFY(!result);
        QCOMPARE(result.error().nativeCode, u"8134"_s);
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void eachItemOfABatchStandsAlone()
    {
        Double server;
        server.answer(u"INSERT INTO t VALUES (@P1)"_s, [](const Request& request, Reply& reply) {
            if (request.parameter(0).toInt64() == 2)
                return reply.error(2627, u"Violation of UNIQUE KEY constraint."_s, 14);
            reply.affected(1);
        });
        server.answer(u"SELECT 'it''s' WHERE @P1 = @P2"_s, echo);
        const auto connection = server.connect();
        const Statement insert = sqlStatement(u"INSERT INTO t VALUES (@P1)"_s);
        const Statement quotes = sqlStatement(u"SELECT 'it''s' WHERE @P1 = @P2"_s);
        const Statement one = sqlStatement(u"SELECT 1"_s);
        QStringList seen;
        const auto see = [&](const Row& row) { seen << row.text(0) + row.text(1); };
        for (int run = 0; run < 2; ++run) {
            seen.clear();
            const std::array items{BatchItem{&insert, {qint64(1)}}, BatchItem{&insert, {qint64(2)}},
                BatchItem{&insert, {QString(QChar(0))}}, BatchItem{&quotes, {u"a'b"_s, u"🔒"_s}, see},
                BatchItem{&one, {}, see}};
            const auto results = connection->executeBatch(items);
            QCOMPARE(results.size(), items.size());
            QCOMPARE(results[0].value_or(-1), 1);
            QCOMPARE(results[1].error().kind, ErrorKind::Duplicate);
            QCOMPARE(results[2].error().kind, ErrorKind::BadInput);
            QCOMPARE(results[3].value_or(-1), 1);
            QCOMPARE(results[4].value_or(-1), 1);
            COMPARE_TEXTS(seen, "a'b🔒", "1");
        }
        QVERIFY(connection->executeBatch({}).empty());
    }

    void aScriptIsATransactionOfBatches()
    {
        Double server;
        QStringList done;
        const auto take = [&](const Request& request, Reply& reply) {
            done << request.text.trimmed() + u' ' + QString::number(request.session->transactionCount);
            reply.done();
        };
        server.answerMatching(u"CREATE .*"_s, take);
        server.answer(
            u"fail"_s, [](const Request&, Reply& reply) { reply.error(156, u"Incorrect syntax."_s, 15); });
        const auto connection = server.connect();
        VERIFY_DONE(connection->executeScript("CREATE A\nGO\nCREATE B\ngo \n\nGO\nCREATE GO_C"));
        COMPARE_TEXTS(done, "CREATE A 1", "CREATE B 1", "CREATE GO_C 1");
        QVERIFY(!connection->inTransaction());
        const auto bad = connection->executeScript("CREATE A\nGO\nfail\nGO\nCREATE B");
        QVERIFY(!bad);
        QCOMPARE(bad.error().nativeCode, u"156"_s);
        QCOMPARE(done.size(), 4);
        QVERIFY(!connection->inTransaction());
        server.run([&] { QCOMPARE(server.sessions()[0]->transactionCount, 0); });
    }

    void aTransactionThatTheServerRolledBackIsNotGoneOnWith()
    {
        Double server;
        server.answer(u"victim"_s, [](const Request&, Reply& reply) {
            reply.rollback();
            reply.error(
                1205, u"Transaction was deadlocked and has been chosen as the deadlock victim."_s, 13);
        });
        const auto connection = server.connect();
        QVERIFY(connection->begin());
        QVERIFY(connection->inTransaction());
        QVERIFY(!connection->begin());
        VERIFY_FAILS(ErrorKind::Deadlock, runSql(*connection, u"victim"_s));
        QVERIFY(connection->inTransaction());
        QVERIFY(!runSql(*connection, u"SELECT 1"_s));
        QVERIFY(!connection->commit());
        QVERIFY(!connection->inTransaction());
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void aTransactionSurvivesAnErrorThatLeavesIt()
    {
        Double server;
        server.answer(
            u"harmless"_s, [](const Request&, Reply& reply) { reply.error(50'000, u"Only a word."_s); });
        const auto connection = server.connect();
        QVERIFY(connection->begin());
        QVERIFY(!runSql(*connection, u"harmless"_s));
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
        QVERIFY(connection->commit());
    }

    void stopEndsAWaitAndKeepsTheSession_data()
    {
        test::addColumns<bool, bool>("byToken", "batch");
        row("stop token", true, false);
        row("cancel()", false, false);
        row("batch", true, true);
    }
    void stopEndsAWaitAndKeepsTheSession()
    {
        FETCH(bool, byToken, bool, batch);
        Double server;
        const auto connection = server.connect();
        const auto cancelOnce = [&]() -> Taken {
            std::stop_source source;
            std::atomic<std::chrono::steady_clock::time_point> asked;
            std::jthread canceller([&] {
                while (server.waiting() == 0)
                    std::this_thread::sleep_for(1ms);
                asked = std::chrono::steady_clock::now();
                if (byToken)
                    source.request_stop();
                else
                    connection->cancel();
            });
            const Statement one = sqlStatement(u"SELECT 1"_s);
            const Statement wait = sqlStatement(waitForEver);
            std::vector<Result<qint64>> results;
            if (batch)
                results = connection->executeBatch(
                    std::array{BatchItem{&wait}, BatchItem{&one}}, source.get_token());
            else
                results = {connection->execute(wait, {}, {}, source.get_token())};
            const auto ended = std::chrono::steady_clock::now();
            canceller.join();
            for (const Result<qint64>& result : results)
                if (result || result.error().kind != ErrorKind::Cancelled)
                    return failed("The statement was not cancelled.");
            return ended - asked.load();
        };
        int times = 0;
        QVERIFY(isOncePrompt(100ms, [&] {
            ++times;
            return cancelOnce();
        }));
        QCOMPARE(server.attentions(), times);
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
        QVERIFY(connection->isOpen());
    }

    void nothingIsSentAfterStop()
    {
        Double server;
        const auto connection = server.connect();
        QCOMPARE(server.messages([&] { stopBefore(*connection, u"SELECT 1"_s); }), 0);
    }

    void aCancelEndsOnlyItsStatementWheneverItComes_data()
    {
        test::addRows<int>("rows", {{"one packet", 1}, {"many packets", 3'000}});
    }
    void aCancelEndsOnlyItsStatementWheneverItComes()
    {
        QFETCH(int, rows);
        Double server;
        server.answer(u"some"_s, [rows](const Request&, Reply& reply) {
            reply.columns({{u"n"_s, integer()}, {u"t"_s, nvarchar(60)}});
            for (int i = 0; i < rows; ++i)
                reply.row({i, u"a row that fills its packet with text"_s});
        });
        const auto connection = server.connect();
        const Statement some = sqlStatement(u"some"_s);
        QElapsedTimer clock;
        clock.start();
        QCOMPARE(connection->execute(some).value_or(-1), rows);
        const qint64 whole = clock.nsecsElapsed();
        constexpr int snapshotCount = 200;
        for (int i = 0; i < snapshotCount; ++i) {
            std::stop_source source;
            std::jthread canceller([&source, at = std::chrono::nanoseconds(whole * i / snapshotCount)] {
                std::this_thread::sleep_for(at);
                source.request_stop();
            });
            const auto first = connection->execute(some, {}, {}, source.get_token());
            if (!first)
                QVERIFY2(first.error().kind == ErrorKind::Cancelled, qPrintable(first.error().toString()));
            const auto second = connection->execute(some);
            VERIFY_DONE(second);
            QCOMPARE(*second, rows);
        }
    }

    void cancelWithoutAStatementDoesNothing()
    {
        Double server;
        const auto connection = server.connect();
        for (int i = 0; i < 50; ++i) {
            connection->cancel();
            QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
        }
        QCOMPARE(server.attentions(), 0);
    }

    void aStatementThatTakesTooLongIsATimeout()
    {
        Double server;
        const auto connection = server.connect(monitorOptions(200ms));
        VERIFY_FAILS(ErrorKind::Timeout, runSql(*connection, waitForEver));
        QCOMPARE(server.attentions(), 1);
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void aLostConnectionIsAConnectionError_data()
    {
        test::addRows<bool>("waiting", {{"between statements", false}, {"during a statement", true}});
    }
    void aLostConnectionIsAConnectionError()
    {
        QFETCH(bool, waiting);
        Double server;
        const auto connection = server.connect();
        std::jthread killer;
        if (waiting) {
            killer = std::jthread([&] {
                while (server.waiting() == 0)
                    std::this_thread::sleep_for(1ms);
                server.kill(*connection);
            });
        } else {
            server.kill(*connection);
        }
        isLost(*connection, waiting ? waitForEver : u"SELECT 1"_s);
    }

    void aServerThatHangsIsGivenUp()
    {
        Double server;
        const auto connection = server.connect(monitorOptions(200ms, 300ms));
        server.setFault({Fault::Kind::Silence, Fault::Phase::Answer});
        VERIFY_FAILS(ErrorKind::Connection, runSql(*connection, u"SELECT 1"_s));
        QVERIFY(!connection->isOpen());
    }

    void worksOnAnyThreadThatOpensIt()
    {
        Double server;
        QString answer;
        std::jthread([&] { answer = ask(*server.connect(), u"SELECT 1"_s); }).join();
        QCOMPARE(answer, u"1"_s);
    }
};

LOCKSCOPE_TEST(tst_ConnectionSqlServer)

} // namespace tst_ConnectionSqlServer
#include "tst_ConnectionSqlServer.moc"
