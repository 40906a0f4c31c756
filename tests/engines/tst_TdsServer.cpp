// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"

#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QSqlResult>

#include <sqlext.h>

namespace tst_TdsServer {

using namespace Qt::StringLiterals;
using namespace lockscope::test::tds;
using lockscope::test::waitUntil;
using lockscope::test::WireSuite;

const QString bigText = QString(100'000, u'ß') + u"\U0001F512"_s;

/// One of each type, and NULLs of all.
static void answerTypes(const Request&, Reply& reply)
{
    const QDateTime dateTime(QDate(2026, 11, 21), QTime(3, 12, 7, 120), Qt::UTC);
    const QUuid uuid = QUuid::fromString(u"0E984725-C51C-4BF4-9960-E1C80E27ABA0"_s);
    reply.columns(
        {{u"tiny"_s, tinyint()}, {u"small"_s, smallint()}, {u"int"_s, integer()}, {u"big"_s, bigint()},
            {u"bit"_s, bit()}, {u"real"_s, real()}, {u"float"_s, floating()}, {u"text"_s, nvarchar(40)},
            {u"long"_s, nvarchar()}, {u"bytes"_s, varbinary(8)}, {u"blob"_s, varbinary()},
            {u"uuid"_s, uniqueidentifier()}, {u"old"_s, datetime()}, {u"new"_s, datetime2()}});
    reply.row({255, -32'768, -2'000'000'000, Q_INT64_C(-9'000'000'000'000'000'000), true, 0.5, 1e300,
        u"grün \U0001F512 ' ]"_s, bigText, QByteArray("\0\1\xFF", 3), QByteArray(20'000, 'x'), uuid, dateTime,
        dateTime});
    reply.row(Values(14));
}

/// The double has no server cursors.
static QSqlQuery forwardOnly(OdbcSession& session)
{
    QSqlQuery query(session.database());
    query.setForwardOnly(true);
    return query;
}

static void* statementOf(const QSqlQuery& query)
{
    return *static_cast<void* const*>(query.result()->handle().constData());
}

/// Reads the text in pieces, as the driver gives it.
static QString longText(const QSqlQuery& query, SQLUSMALLINT column)
{
    QString text;
    std::array<char16_t, 1024> piece{};
    SQLLEN length = 0;
    while (SQL_SUCCEEDED(
        SQLGetData(statementOf(query), column + 1, SQL_C_WCHAR, piece.data(), sizeof(piece), &length)))
        text += QString::fromUtf16(piece.data());
    return text;
}

static QString errorOf(const QSqlError& error)
{
    return error.nativeErrorCode() + u' ' + error.databaseText();
}

/// The double, seen by the real drivers through unixODBC and Qt's plugin.
class tst_TdsServer : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void knowsWhoLogsIn()
    {
        Login seen;
        TdsServer server;
        server.onLogin([&](Session& session) { seen = session.login; });
        const OdbcSession session(
            connectionString(server, {u"ann"_s, u"s€cret ü"_s, u"lockscope lock"_s, u"orders"_s}));
        QVERIFY2(
            session.isOpen(), qPrintable(errorOf(const_cast<OdbcSession&>(session).database().lastError())));
        QCOMPARE(seen.user, u"ann"_s);
        QCOMPARE(seen.password, u"s€cret ü"_s);
        QCOMPARE(seen.program, u"lockscope lock"_s);
        QCOMPARE(seen.database, u"orders"_s);
    }

    void refusesALogin()
    {
        TdsServer server;
        server.refuseLogins([](const Login& login) -> std::optional<ServerMessage> {
            return ServerMessage{18'456, u"Login failed for user '%1'."_s.arg(login.user), 14};
        });
        OdbcSession session(connectionString(server));
        QVERIFY(!session.isOpen());
        const QString error = errorOf(session.database().lastError());
        VERIFY_CONTAINS(error, u"18456"_s);
        VERIFY_CONTAINS(error, u"Login failed for user 'ann'."_s);
    }

    void carriesEveryType()
    {
        TdsServer server;
        server.answer(u"SELECT * FROM types"_s, answerTypes);
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY2(query.exec(u"SELECT * FROM types"_s), qPrintable(errorOf(query.lastError())));
        QVERIFY(query.next());
        QCOMPARE(query.value(0).toInt(), 255);
        QCOMPARE(query.value(1).toInt(), -32'768);
        QCOMPARE(query.value(2).toInt(), -2'000'000'000);
        QCOMPARE(query.value(3).toLongLong(), Q_INT64_C(-9'000'000'000'000'000'000));
        QCOMPARE(query.value(4).toBool(), true);
        QCOMPARE(query.value(5).toDouble(), 0.5);
        QCOMPARE(query.value(6).toDouble(), 1e300);
        QCOMPARE(query.value(7).toString(), u"grün \U0001F512 ' ]"_s);
        QCOMPARE(longText(query, 8), bigText); // Qt's plugin loses long texts of this driver
        QCOMPARE(query.value(9).toByteArray(), QByteArray("\0\1\xFF", 3));
        QCOMPARE(query.value(10).toByteArray(), QByteArray(20'000, 'x'));
        QCOMPARE(QUuid::fromString(query.value(11).toString()),
            QUuid::fromString(u"0E984725-C51C-4BF4-9960-E1C80E27ABA0"_s));
        const QDateTime dateTime(QDate(2026, 11, 21), QTime(3, 12, 7, 120));
        QCOMPARE(query.value(12).toDateTime(), dateTime);
        QCOMPARE(query.value(13).toDateTime(), dateTime);
        QVERIFY(query.next());
        for (int column = 0; column < 14; ++column)
            QVERIFY2(query.value(column).isNull(), qPrintable(QString::number(column)));
        QVERIFY(!query.next());
    }

    void seesParametersByTypeAndName()
    {
        std::vector<Parameter> seen;
        TdsServer server;
        server.answer(u"SELECT @P1, @P2, @P3, @P4, @P5"_s, [&](const Request& request, Reply& reply) {
            seen = request.parameters;
            reply.table({{u"n"_s, integer()}}, {{1}});
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY2(query.prepare(u"{call sp_executesql(?, ?, ?, ?, ?, ?, ?)}"_s),
            qPrintable(errorOf(query.lastError())));
        query.addBindValue(u"SELECT @P1, @P2, @P3, @P4, @P5"_s);
        query.addBindValue(u"@P1 bigint, @P2 nvarchar(4000), @P3 bit, @P4 float, @P5 nvarchar(1)"_s);
        query.addBindValue(Q_INT64_C(9'000'000'000'000'000'000));
        query.addBindValue(u"O'Neil ß"_s);
        query.addBindValue(true);
        query.addBindValue(2.5);
        query.addBindValue(QVariant(QMetaType(QMetaType::QString)));
        for (int round = 0; round < 2; ++round) {
            QVERIFY2(query.exec(), qPrintable(errorOf(query.lastError())));
            QVERIFY(query.next());
            QCOMPARE(query.value(0).toInt(), 1);
            QCOMPARE(seen.size(), size_t(5));
            QCOMPARE(seen[0].name, u"@P1"_s);
            QCOMPARE(seen[4].name, u"@P5"_s);
            QCOMPARE(seen[0].value, Value(Q_INT64_C(9'000'000'000'000'000'000)));
            QCOMPARE(statementText(seen[1].value.toText()), u"O'Neil ß"_s);
            QCOMPARE(seen[2].value, Value(true));
            QCOMPARE(seen[3].value, Value(2.5));
            QVERIFY(seen[4].value.isNull());
        }
    }

    void seesCharactersOfFourBytes()
    {
        QString seen;
        TdsServer server;
        server.answer(u"SELECT @P1"_s, [&](const Request& request, Reply& reply) {
            seen = request.parameter(0).toText();
            reply.done();
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY(query.prepare(u"{call sp_executesql(?, ?, ?)}"_s));
        // Qt's plugin sends this driver bytes of another encoding.
        const std::array<QString, 3> texts{u"SELECT @P1"_s, u"@P1 nvarchar(4000)"_s, u"a\U0001F512b"_s};
        std::array<SQLLEN, 3> lengths{};
        for (size_t i = 0; i < texts.size(); ++i) {
            lengths[i] = texts[i].size() * 2;
            SQLBindParameter(statementOf(query), static_cast<SQLUSMALLINT>(i + 1), SQL_PARAM_INPUT,
                SQL_C_WCHAR, SQL_WVARCHAR, 4000, 0, const_cast<ushort*>(texts[i].utf16()), lengths[i],
                &lengths[i]);
        }
        QVERIFY(SQL_SUCCEEDED(SQLExecute(statementOf(query))));
        QCOMPARE(seen, texts[2]);
    }

    void takesWhatADriverPrepares()
    {
        QList<qint64> seen;
        TdsServer server;
        server.answer(
            u"SELECT ?, ?"_s, [](const Request&, Reply& reply) { reply.error(102, u"no markers"_s); });
        server.answerMatching(u"SELECT @P1 \\+ @P2"_s, [&](const Request& request, Reply& reply) {
            seen << request.parameter(0).toInt64() + request.parameter(u"@P2"_s).toInt64();
            reply.table({{u"sum"_s, bigint()}}, {{seen.last()}});
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY2(query.prepare(u"SELECT ? + ?"_s), qPrintable(errorOf(query.lastError())));
        for (int i = 1; i <= 3; ++i) {
            query.addBindValue(i);
            query.addBindValue(10);
            QVERIFY2(query.exec(), qPrintable(errorOf(query.lastError())));
            QVERIFY(query.next());
            QCOMPARE(query.value(0).toInt(), i + 10);
        }
        QCOMPARE(seen, (QList<qint64>{11, 12, 13}));
    }

    void callsAProcedureByName()
    {
        TdsServer server;
        server.answer(u"lockscope.AcquireLock"_s, [](const Request& request, Reply& reply) {
            reply.table({{u"name"_s, nvarchar(255)}}, {{request.parameter(0).toText()}});
            reply.returnStatus(1);
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY(query.prepare(u"{call lockscope.AcquireLock(?)}"_s));
        query.addBindValue(u"rotate"_s);
        QVERIFY2(query.exec(), qPrintable(errorOf(query.lastError())));
        QVERIFY(query.next());
        QCOMPARE(query.value(0).toString(), u"rotate"_s);
    }

    void sendsSeveralResultSets()
    {
        TdsServer server;
        server.answer(u"EXEC poll"_s, [](const Request&, Reply& reply) {
            reply.table({{u"a"_s, integer()}}, {{1}, {2}});
            reply.table({{u"b"_s, nvarchar(10)}}, {});
            reply.affected(7);
            reply.table({{u"c"_s, bigint()}}, {{3}});
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY2(query.exec(u"EXEC poll"_s), qPrintable(errorOf(query.lastError())));
        QStringList seen;
        do {
            if (query.record().isEmpty())
                continue; // a count; some drivers pass over those between result sets
            seen << query.record().fieldName(0);
            while (query.next())
                seen << query.value(0).toString();
        } while (query.nextResult());
        COMPARE_TEXTS(seen, "a", "1", "2", "b", "c", "3");
    }

    void takesABatchOfStatementsApart_data()
    {
        lockscope::test::addRows<bool>(
            "asCall", {{"as a batch", false}, {"as a call with parameters", true}});
    }
    void takesABatchOfStatementsApart()
    {
        QFETCH(bool, asCall);
        std::vector<Parameter> seen;
        TdsServer server;
        server.answer(u"SELECT 'it''s' @P1, @P2"_s, [&](const Request& request, Reply& reply) {
            seen = request.parameters;
            reply.table({{u"n"_s, integer()}}, {{1}, {2}, {3}});
        });
        server.answer(
            u"BROKEN"_s, [](const Request&, Reply& reply) { reply.error(1205, u"You're the victim"_s, 13); });
        server.answer(u"UPDATE"_s, [](const Request&, Reply& reply) { reply.affected(7); });
        const auto item = [](const QString& text, const QString& rest) {
            return u"BEGIN TRY\n    EXEC sys.sp_executesql N'%1', N'%2;\n"
                   "    SELECT CAST(@@ROWCOUNT AS bigint) AS ended, 0 AS number, N'' AS message;\nEND TRY\n"
                   "BEGIN CATCH\n    SELECT CAST(-1 AS bigint) AS ended, ERROR_NUMBER() AS number,\n"
                   "        ERROR_MESSAGE() AS message;\nEND CATCH;\n"_s.arg(text, rest);
        };
        const QString text =
            item(u"SELECT ''it''''s'' @P1, @P2"_s,
                asCall ? u"@P1 bigint,@P2 nvarchar(4000)', @P1 = @b0p1, @P2 = @b0p2"_s : u"'"_s)
            + item(u"BROKEN"_s, u"'"_s) + item(u"UPDATE"_s, u"'"_s);
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        if (asCall) {
            QVERIFY(query.prepare(u"{call sp_executesql(?, ?, ?, ?)}"_s));
            query.addBindValue(text);
            query.addBindValue(u"@b0p1 bigint, @b0p2 nvarchar(4000)"_s);
            query.addBindValue(5);
            query.addBindValue(u"five"_s);
        }
        QVERIFY2(asCall ? query.exec() : query.exec(text), qPrintable(errorOf(query.lastError())));
        QStringList rows;
        do {
            while (query.next()) {
                QStringList row;
                for (int column = 0; column < query.record().count(); ++column)
                    row << query.value(column).toString();
                rows << row.join(u' ');
            }
        } while (query.nextResult());
        COMPARE_TEXTS(rows.filter(u"victim"_s), "-1 1205 You're the victim");
        QCOMPARE(rows.filter(u"7 0"_s).size(), 1);
        QCOMPARE(rows.filter(u"3 0"_s).size(), 1);
        QCOMPARE(rows.size(), 6);
        if (asCall) {
            QCOMPARE(seen.size(), size_t(2));
            QCOMPARE(seen[0].name, u"@P1"_s);
            QCOMPARE(seen[0].value, Value(5));
            QCOMPARE(statementText(seen[1].value.toText()), u"five"_s);
        }
        QCOMPARE(server.seen().back().texts.size(), 3);
    }

    void countsWhatChanged()
    {
        TdsServer server;
        server.answer(u"UPDATE"_s, [](const Request&, Reply& reply) { reply.affected(7); });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY2(query.exec(u"UPDATE"_s), qPrintable(errorOf(query.lastError())));
        QCOMPARE(query.numRowsAffected(), 7);
    }

    void reportsErrors()
    {
        TdsServer server;
        server.answer(u"INSERT"_s, [](const Request&, Reply& reply) {
            reply.error(2627, u"Violation of UNIQUE KEY constraint 'Ä'."_s, 14);
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY(!query.exec(u"INSERT"_s));
        QCOMPARE(query.lastError().nativeErrorCode(), u"2627"_s);
        QVERIFY(query.lastError().databaseText().contains(u"constraint 'Ä'"_s));
    }

    void failsLoudlyAtWhatNobodyAnswers()
    {
        TdsServer server;
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY(!query.exec(u"SELECT 42"_s));
        QCOMPARE(query.lastError().nativeErrorCode(), u"50000"_s);
        QVERIFY(query.lastError().databaseText().contains(u"doesn't know this statement: SELECT 42"_s));
        QVERIFY(server.unknown().contains(u"SELECT 42"_s));
    }

    void followsTransactions()
    {
        QList<int> depths;
        QStringList ends;
        TdsServer server;
        server.onTransactionEnd(
            [&](Session&, bool committed) { ends << (committed ? u"commit"_s : u"rollback"_s); });
        server.answer(u"depth"_s, [&](const Request& request, Reply& reply) {
            depths << request.session->transactionCount;
            reply.done();
        });
        {
            OdbcSession session(connectionString(server));
            QSqlDatabase& database = session.database();
            QSqlQuery query = forwardOnly(session);
            // Transactions begin by statements, and in the driver's own way.
            for (const QString& text : {u"BEGIN TRANSACTION"_s, u"depth"_s, u"COMMIT"_s, u"depth"_s})
                QVERIFY2(query.exec(text), qPrintable(errorOf(query.lastError())));
            QVERIFY(database.transaction());
            QVERIFY(query.exec(u"depth"_s));
            QVERIFY(database.rollback());
            QVERIFY(query.exec(u"depth"_s));
            QVERIFY(query.exec(u"BEGIN TRAN"_s));
        }
        QVERIFY(waitUntil([&] {
            int count = 0;
            server.run([&] { count = static_cast<int>(ends.size()); });
            return count >= 4;
        }));
        // The driver begins the next transaction by itself and ends that, too.
        COMPARE_TEXTS(ends, "commit", "rollback", "rollback", "rollback");
        QCOMPARE(depths, (QList<int>{1, 0, 1, 0}));
    }

    void keepsSettings()
    {
        QHash<QString, QString> settings;
        TdsServer server;
        server.answer(u"settings"_s, [&](const Request& request, Reply& reply) {
            settings = request.session->settings;
            reply.done();
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY2(
            query.exec(
                u"SET LOCK_TIMEOUT 1000;\nSET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED\nSET XACT_ABORT ON;"_s),
            qPrintable(errorOf(query.lastError())));
        QVERIFY(query.exec(u"settings"_s));
        QCOMPARE(settings.value(u"LOCK_TIMEOUT"_s), u"1000"_s);
        QCOMPARE(settings.value(u"TRANSACTION ISOLATION LEVEL"_s), u"READ UNCOMMITTED"_s);
        QCOMPARE(settings.value(u"XACT_ABORT"_s), u"ON"_s);
    }

    void answersLater()
    {
        TdsServer server;
        server.answer(u"WAITFOR"_s, [&](const Request&, Reply& reply) {
            server.after(std::chrono::milliseconds(20), [later = reply.defer()] {
                later->table({{u"n"_s, integer()}}, {{5}});
                later->finish();
            });
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY(query.exec(u"WAITFOR"_s));
        QVERIFY(query.next());
        QCOMPARE(query.value(0).toInt(), 5);
    }

    void feelsAnAttention()
    {
        std::atomic<bool> waits = false;
        std::atomic<bool> cancelled = false;
        TdsServer server;
        server.answer(u"WAITFOR"_s, [&](const Request&, Reply& reply) {
            reply.defer()->onCancel([&](Reply::End end) { cancelled = end == Reply::End::Attention; });
            waits = true;
        });
        server.answer(u"SELECT 1"_s, [](const Request&, Reply& reply) {
            reply.table({{{}, integer()}}, {{1}});
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY(query.prepare(u"WAITFOR"_s));
        void* const statement = statementOf(query);
        std::jthread canceller([&] {
            std::ignore = waitUntil([&] { return waits.load(); });
            SQLCancel(statement);
        });
        const bool finished = query.exec();
        canceller.join(); // a driver may not touch the statement while another thread cancels it
        QVERIFY(waits);
        QVERIFY(!finished);
        QVERIFY(cancelled);
        QVERIFY2(query.exec(u"SELECT 1"_s), qPrintable(errorOf(query.lastError())));
    }

    void tellsAWaiterThatItsClientIsGone()
    {
        std::atomic<bool> gone = false;
        TdsServer server;
        server.answer(u"WAITFOR"_s, [&](const Request& request, Reply& reply) {
            reply.defer()->onCancel([&](Reply::End end) { gone = end == Reply::End::Disconnected; });
            server.after(
                std::chrono::milliseconds(0), [&server, id = request.session->id] { server.disconnect(id); });
        });
        OdbcSession session(connectionString(server));
        QSqlQuery query = forwardOnly(session);
        QVERIFY(!query.exec(u"WAITFOR"_s));
        QVERIFY(waitUntil([&] { return gone.load(); }));
    }
};

LOCKSCOPE_TEST(tst_TdsServer)

} // namespace tst_TdsServer
#include "tst_TdsServer.moc"
