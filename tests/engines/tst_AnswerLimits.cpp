// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Endless answers of an SQLite file and of a SQL Server (its double): given up in time and before they fill
// the memory. For PostgreSQL it is tst_HostileServer.

#include "core/db/AnswerLimits.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/tds/Odbc.h"
#include "tests/support/tds/SessionAnswers.h"

namespace tst_AnswerLimits {

using namespace lockscope;
using namespace lockscope::test;

static std::unique_ptr<db::Connection> open(
    const QTemporaryDir& directory, std::chrono::milliseconds timeout = std::chrono::milliseconds(0))
{
    const db::ServerUrl url = fileUrl(directory.filePath(u"any.db"_s));
    return openFile(url, {.statementTimeout = timeout});
}

class tst_AnswerLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsOfAFileWithoutEnd()
    {
        const QTemporaryDir directory;
        const auto connection = open(directory);
        qint64 bytes = 0;
        const auto answer = runSql(*connection,
            u"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT hex(zeroblob(50000)) FROM n"_s,
            {}, [&bytes](const db::Row& row) { bytes += row.text(0).size(); });
        QVERIFY(!answer);
        QVERIFY2(
            answer.error().detail.contains(u"More than 128 MB"_s), qPrintable(answer.error().toString()));
        QVERIFY(bytes <= db::maxBytesOfAnswer && bytes > db::maxBytesOfAnswer / 2);
        QVERIFY(runSql(*connection, u"SELECT 1"_s));
    }

    void aValueOfAFileThatIsTooLong()
    {
        const QTemporaryDir directory;
        const auto connection = open(directory);
        const auto answer = runSql(*connection, u"SELECT zeroblob(500000000)"_s);
        QVERIFY(!answer);
        QVERIFY(runSql(*connection, u"SELECT 1"_s));
    }

    void aStatementOnAFileThatTakesTooLong()
    {
        const QTemporaryDir directory;
        const auto connection = open(directory, std::chrono::milliseconds(200));
        VERIFY_FAILS(ErrorKind::Timeout,
            runSql(*connection,
                u"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"_s));
        QVERIFY(runSql(*connection, u"SELECT 1"_s));
    }

    void aTableOfLongTextsCostsOnlyItself()
    {
        const QTemporaryDir directory;
        const auto other = open(directory);
        QVERIFY(other->executeScript(
            "CREATE TABLE databasechangeloglock (id integer PRIMARY KEY, locked boolean, lockgranted text, lockedby text); INSERT INTO databasechangeloglock VALUES (1, 1, '2026-01-31 10:00:00', 'build-7 (10.0.0.5)');CREATE TABLE shedlock (name text PRIMARY KEY, lock_until integer, locked_at integer, locked_by "
            "text); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO shedlock SELECT i, 32503680000000, 1769853600000, hex(zeroblob(300000)) FROM n;"));
        const auto taken = monitor::makeSnapshotSource({profileOf(other->url()), {}})->take();
        QVERIFY(taken);
        QCOMPARE((*taken)->entries.size(), 1u);
        QCOMPARE((*taken)->entries.front().name, u"changelog lock"_s);
        const auto& limitations = (*taken)->limitations;
        QVERIFY(std::ranges::any_of(limitations, [](const Limitation& limitation) {
            return limitation.what.contains(u"shedlock"_s) && limitation.what.contains(u"More than 128 MB"_s);
        }));
    }

    void answersOfSqlServerWithoutEnd_data()
    {
        addColumns<int, int, int>("results", "rows", "width");
        QTest::addColumn<bool>("isSaid"); // by a message before each result
        QTest::newRow("rows") << 1 << 40'000 << 4'000 << false;
        QTest::newRow("results") << db::maxResults + 1 << 0 << 1 << false;
        QTest::newRow("messages") << 40'000 << 0 << 3'000 << true;
    }
    void answersOfSqlServerWithoutEnd()
    {
        if (!tds::use(tds::OdbcDriver::FreeTds))
            QSKIP("The driver is not installed.");
        FETCH(const int, results, const int, rows, const int, width, const bool, isSaid);
        tds::TdsServer server;
        tds::addSessionAnswers(server);
        server.answer(u"SELECT endless"_s, [=](const tds::Request&, tds::Reply& reply) {
            for (int result = 0; result < results; ++result) {
                if (isSaid)
                    reply.info(50'000, QString(width, u'm'));
                reply.columns({{u"text"_s, tds::nvarchar(4'000)}});
                for (int row = 0; row < rows; ++row)
                    reply.row({QString(width, u'x')});
            }
        });
        auto opened =
            db::Server::at(tds::urlOf(server), db::fixedPassword(tds::passwordOf(server))).connect();
        QVERIFY(opened);
        qint64 bytes = 0;
        const auto answer = runSql(**opened, u"SELECT endless"_s, {},
            [&bytes](const db::Row& row) { bytes += 2 * row.text(0).size(); });
        QVERIFY(!answer);
        QVERIFY2(
            answer.error().detail.contains(u"More than 128 MB"_s), qPrintable(answer.error().toString()));
        QVERIFY(bytes <= db::maxBytesOfAnswer);
        QVERIFY(!(*opened)->isOpen()); // the rest of the answer is still on its way
    }
};

LOCKSCOPE_TEST(tst_AnswerLimits)

} // namespace tst_AnswerLimits
#include "tst_AnswerLimits.moc"
