// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaInstaller.h"
#include "core/db/sqlite/SqliteConnection.h"
#include "tests/support/ConnectionChecks.h"

#include <QSqlDatabase>
#include <QSqlQuery>

#include <latch>
#include <sqlite3.h>

namespace tst_ConnectionSqlite {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

static ConnectOptions optionsFor(Purpose purpose, milliseconds statementTimeout = {})
{
    return {.purpose = purpose, .statementTimeout = statementTimeout};
}

/// Never ends by itself.
const QString endless =
    u"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"_s;

class tst_ConnectionSqlite : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_directory = std::make_unique<QTemporaryDir>();
        m_url = test::fileUrl(m_directory->filePath(u"locks.db"_s));
    }
    void cleanup()
    {
        QVERIFY(QSqlDatabase::connectionNames().isEmpty());
        m_directory.reset();
    }

    void usesTheLibraryThatQtUses()
    {
        QString ofQt;
        {
            QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"probe"_s);
            database.setDatabaseName(u":memory:"_s);
            QVERIFY(database.open());
            QSqlQuery query(u"SELECT sqlite_source_id()"_s, database);
            QVERIFY(query.next());
            ofQt = query.value(0).toString();
        }
        QSqlDatabase::removeDatabase(u"probe"_s);
        QCOMPARE(ofQt, QString::fromLatin1(sqlite3_sourceid()));
    }

    void refusesAnotherLibraryInQtsDriver()
    {
        const QString own = QString::fromLatin1(sqlite3_sourceid());
        QVERIFY(!SqliteConnection::reasonAgainst(own));
        for (const QString& other :
            {u"2012-12-12 13:36:53 cbea02d93865ce0e06789db95fd9168ebac970c7"_s, u""_s}) {
            const auto refused = SqliteConnection::reasonAgainst(other);
            QVERIFY(refused);
            QCOMPARE(refused->kind, ErrorKind::Unsupported);
            QVERIFY2(refused->detail.contains(own) && refused->detail.contains(other),
                qPrintable(refused->toString()));
            QVERIFY(!refused->hint.isEmpty());
        }
    }

    void setsTheFileUp()
    {
        const auto connection = open();
        QVERIFY(connection->isOpen());
        QVERIFY(!connection->sessionId().isValid());
        QVERIFY(connection->serverVersion().startsWith(u"SQLite 3."_s));
        QVERIFY(connection->serverVersionNumber() >= 3035000);
        QCOMPARE(ask(*connection, u"PRAGMA foreign_keys"_s), u"1"_s);
        QCOMPARE(ask(*connection, u"PRAGMA synchronous"_s), u"2"_s);
    }

    void onlyAFileThatWeMakeGetsAWriteAheadLog()
    {
        QVERIFY(open()->executeScript("CREATE TABLE t (a)"));
        QCOMPARE(ask(*open(), u"PRAGMA journal_mode"_s), u"wal"_s);

        m_url.database = m_directory->filePath(u"foreign.db"_s);
        sqlite3* foreign = nullptr;
        QCOMPARE(sqlite3_open(m_url.database.toUtf8().constData(), &foreign), SQLITE_OK);
        QCOMPARE(sqlite3_exec(foreign, "CREATE TABLE theirs (a)", nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(foreign);
        for (const Purpose purpose : {Purpose::Lock, Purpose::Admin, Purpose::Workload, Purpose::Monitor}) {
            const auto connection = open(optionsFor(purpose));
            QCOMPARE(ask(*connection, u"PRAGMA journal_mode"_s), u"delete"_s);
        }
        QVERIFY(installSchema(*open()));
        QCOMPARE(ask(*open(), u"PRAGMA journal_mode"_s), u"delete"_s);
    }

    void onlyWhoIsToMakesAFile()
    {
        for (const Purpose purpose : {Purpose::Lock, Purpose::Admin, Purpose::Workload, Purpose::Monitor}) {
            const auto missing = db::Server::at(m_url).connect(optionsFor(purpose));
            VERIFY_FAILS(ErrorKind::MissingObject, missing);
            QVERIFY(missing.error().hint.contains(u"lockctl install"_s));
            QVERIFY(!QFile::exists(m_url.database));
        }
    }

    void noOptionIsLeftOutSilently()
    {
        QVERIFY(open()->executeScript("CREATE TABLE t (a)"));
        m_url.options.insert(u"mode"_s, u"ro"_s);
        const auto refused = db::Server::at(m_url).connect();
        VERIFY_FAILS(ErrorKind::BadInput, refused);
        QVERIFY(refused.error().what.contains(u"'mode'"_s));
    }

    void anyPathWillDo()
    {
        for (const char* name :
            {"a b.db", "100%.db", "q?mode=memory.db", "#1.db", "ü🔒.db", "it's \"x\".db"}) {
            m_url.database = m_directory->filePath(QString::fromUtf8(name));
            QVERIFY(open()->executeScript("CREATE TABLE t (a)"));
            QVERIFY2(QFile::exists(m_url.database), name);
        }
    }

    void aSignOfLifeNeedNotBeDurable()
    {
        const auto connection = open();
        QVERIFY(connection->executeScript("CREATE TABLE t (a)"));
        auto& file = static_cast<SqliteConnection&>(*connection);
        for (int i = 0; i < 2; ++i) {
            QVERIFY(file.setDurable(false));
            QCOMPARE(ask(*connection, u"PRAGMA synchronous"_s), u"1"_s);
            QVERIFY(file.setDurable(true));
            QCOMPARE(ask(*connection, u"PRAGMA synchronous"_s), u"2"_s);
        }
    }

    void aMonitorWritesNothing()
    {
        QVERIFY(open()->executeScript("CREATE TABLE t (a)"));
        const auto monitor = open(optionsFor(Purpose::Monitor));
        QCOMPARE(runSql(*monitor, u"INSERT INTO t VALUES (1)"_s).error().kind, ErrorKind::Permission);
    }

    void refusesWhatIsNotADatabase()
    {
        test::makeFile(m_url.database, QByteArray(4096, 'x'));
        VERIFY_FAILS(ErrorKind::Login, db::Server::at(m_url).connect());
        m_url.database = m_directory->filePath(u"no/such/directory/locks.db"_s);
        const auto nowhere = db::Server::at(m_url).connect(mayMakeFile());
        QCOMPARE(nowhere.error().kind, ErrorKind::Connection);
        QVERIFY(!nowhere.error().hint.isEmpty());
    }

    void manyMayOpenANewFileAtOnce()
    {
        constexpr int programs = 8;
        std::latch start(programs);
        std::vector<std::jthread> threads;
        std::vector<QString> errors(programs);
        for (int i = 0; i < programs; ++i)
            threads.emplace_back([&, i] {
                start.arrive_and_wait();
                if (const auto opened = db::Server::at(m_url).connect(mayMakeFile()); !opened)
                    errors[static_cast<size_t>(i)] = opened.error().toString();
            });
        threads.clear();
        for (const QString& error : errors)
            QCOMPARE(error, QString());
    }

    void bindsAndReadsEveryType()
    {
        const auto connection = open();
        bindAndReadEveryType(*connection, u"SELECT ?1, ?2, ?3, ?4, ?5"_s);
        for (const QString& text : {u"🔒 it's \"quoted\""_s, QString(1'000'000, u'ä')})
            QCOMPARE(ask(*connection, u"SELECT ?1"_s, {text}), text);
    }

    void refusesTextThatCannotBeStored_data() { addTextsThatCannotBeStored(); }
    void refusesTextThatCannotBeStored()
    {
        QFETCH(QString, text);
        VERIFY_FAILS(ErrorKind::BadInput, runSql(*open(), u"SELECT ?1"_s, {text}));
    }

    void countsRows()
    {
        const auto connection = open();
        QCOMPARE(runSql(*connection, u"CREATE TABLE t (a PRIMARY KEY)"_s).value_or(-1), 0);
        QCOMPARE(runSql(*connection, u"INSERT INTO t VALUES (1), (2), (3)"_s).value_or(-1), 3);
        QCOMPARE(runSql(*connection, u"DELETE FROM t WHERE a > 100"_s).value_or(-1), 0);
        QCOMPARE(runSql(*connection, u"SELECT a FROM t WHERE a > 100"_s).value_or(-1), 0);
        QCOMPARE(runSql(*connection, u"DELETE FROM t RETURNING a"_s).value_or(-1), 3);
        // The bound values of one run don't leak into the next.
        QCOMPARE(ask(*connection, u"SELECT ?1"_s, {u"first"_s}), u"first"_s);
        QCOMPARE(ask(*connection, u"SELECT ?1"_s), QString());
    }

    void errorsAreMapped()
    {
        const auto connection = open();
        QVERIFY(connection->executeScript("CREATE TABLE t (a PRIMARY KEY); INSERT INTO t VALUES (1)"));
        QCOMPARE(runSql(*connection, u"INSERT INTO t VALUES (1)"_s).error().kind, ErrorKind::Duplicate);
        const auto missing = runSql(*connection, u"SELECT * FROM lockscope_lock_entry"_s);
        QCOMPARE(missing.error().kind, ErrorKind::MissingObject);
        QVERIFY(missing.error().hint.contains(u"lockctl install"_s));
        QCOMPARE(missing.error().server, u"locks.db"_s);
    }

    void aScriptIsATransaction()
    {
        const auto connection = open();
        QVERIFY(!connection->executeScript("CREATE TABLE half (a); INSERT INTO nowhere VALUES (1)"));
        QVERIFY(!connection->inTransaction());
        QCOMPARE(ask(*connection, u"SELECT count(*) FROM sqlite_master"_s), u"0"_s);
    }

    void transactionsCommitAndRollBack()
    {
        const auto connection = open();
        QVERIFY(connection->executeScript("CREATE TABLE t (a)"));
        QVERIFY(connection->begin());
        QVERIFY(connection->inTransaction());
        QVERIFY(!connection->begin());
        QVERIFY(runSql(*connection, u"INSERT INTO t VALUES (1)"_s));
        QVERIFY(connection->rollback());
        QCOMPARE(ask(*connection, u"SELECT count(*) FROM t"_s), u"0"_s);
        QVERIFY(connection->begin());
        QVERIFY(runSql(*connection, u"INSERT INTO t VALUES (1)"_s));
        QVERIFY(connection->commit());
        QCOMPARE(ask(*connection, u"SELECT count(*) FROM t"_s), u"1"_s);
    }

    void eachItemOfABatchStandsAlone()
    {
        const auto connection = open();
        QVERIFY(connection->executeScript("CREATE TABLE t (a PRIMARY KEY)"));
        const Statement insert = sqlStatement(u"INSERT INTO t VALUES (?1)"_s);
        const std::array items{BatchItem{&insert, {qint64(1)}}, BatchItem{&insert, {qint64(1)}},
            BatchItem{&insert, {qint64(2)}}};
        const auto results = connection->executeBatch(items);
        QVERIFY(results[0]);
        QCOMPARE(results[1].error().kind, ErrorKind::Duplicate);
        QVERIFY(results[2]);
    }

    void stopEndsALongStatement()
    {
        const auto connection = open();
        std::stop_source source;
        std::latch running(1);
        std::jthread canceller([&] {
            running.wait();
            source.request_stop();
        });
        running.count_down();
        VERIFY_FAILS(ErrorKind::Cancelled, runSql(*connection, endless, {}, {}, source.get_token()));
        QCOMPARE(ask(*connection, u"SELECT 1"_s), u"1"_s);
    }

    void aCancelJustBeforeTheFirstStepIsNotForgotten()
    {
        const auto connection = open();
        const Statement statement = sqlStatement(endless);
        std::jthread eager([&connection](const std::stop_token& stop) {
            while (!stop.stop_requested())
                connection->cancel();
        });
        for (int i = 0; i < 200; ++i)
            VERIFY_FAILS(ErrorKind::Cancelled, connection->execute(statement));
    }

    void stopEndsTheWaitForAWriter()
    {
        const auto writer = open();
        const auto waiter = open(optionsFor(Purpose::Lock, 600s));
        QVERIFY(writer->executeScript("CREATE TABLE t (a)"));
        QVERIFY(writer->begin());
        std::stop_source source;
        std::jthread canceller([&] {
            std::this_thread::sleep_for(50ms);
            source.request_stop();
        });
        const auto result = runSql(*waiter, u"INSERT INTO t VALUES (1)"_s, {}, {}, source.get_token());
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
        QVERIFY(writer->commit());
        QVERIFY(runSql(*waiter, u"INSERT INTO t VALUES (1)"_s));
    }

    void theWaitForAWriterEndsWithTheTimeout()
    {
        const auto writer = open();
        const auto waiter = open(optionsFor(Purpose::Lock, 20ms));
        QVERIFY(writer->begin());
        VERIFY_FAILS(ErrorKind::Timeout, waiter->begin());
        QVERIFY(writer->rollback());
        QVERIFY(waiter->begin());
        QVERIFY(waiter->rollback());
    }

    void aWaiterGoesOnWhenTheWriterIsDone()
    {
        const auto waiter = open(optionsFor(Purpose::Lock, 600s));
        std::latch held(1);
        std::jthread other([&] {
            const auto writer = open();
            const bool begun = writer->begin().has_value();
            held.count_down();
            std::this_thread::sleep_for(20ms);
            QVERIFY(begun && writer->commit());
        });
        held.wait();
        QVERIFY(waiter->begin());
        QVERIFY(waiter->commit());
    }

    void aLateCancelNeverHitsTheNextStatement()
    {
        const auto connection = open();
        const Statement quick = sqlStatement(u"SELECT 1"_s);
        const Statement next = sqlStatement(
            u"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT max(i) FROM n"_s);
        for (int i = 0; i < 500; ++i) {
            std::stop_source source;
            std::jthread canceller([&source] { source.request_stop(); });
            const auto first = connection->execute(quick, {}, {}, source.get_token());
            QVERIFY(first || first.error().kind == ErrorKind::Cancelled);
            VERIFY_DONE(connection->execute(next));
        }
    }

    void notificationsAreUnsupported()
    {
        const auto result = open()->waitForNotification(0ms);
        QCOMPARE(result.error().kind, ErrorKind::Unsupported);
        QVERIFY(!result.error().hint.isEmpty());
    }

private:
    static ConnectOptions mayMakeFile() { return {.createFile = true}; }
    std::unique_ptr<Connection> open(ConnectOptions options = {}) const
    {
        options.createFile = true;
        return test::orDie(db::Server::at(m_url).connect(options));
    }

    std::unique_ptr<QTemporaryDir> m_directory;
    ServerUrl m_url;
};

LOCKSCOPE_TEST(tst_ConnectionSqlite)

} // namespace tst_ConnectionSqlite
#include "tst_ConnectionSqlite.moc"
