// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The schema's procedures as programs of other languages call them, with the defaults of their clients: what
// a procedure answered must stay true when the program rolls back. Needs a server that executes T-SQL.

#include "core/db/sqlserver/SqlServerConnectionString.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QSqlDriver>
#include <QSqlError>

#include <sql.h>
#include <sqlext.h>
#include <sqlucode.h>

namespace tst_SqlServerClients {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

/// The way in which a client begins transactions.
enum class Way {
    Autocommit, ///< the defaults of SqlClient, Go's mssql, PHP's sqlsrv and JDBC
    AutocommitOff, ///< pyodbc's default: SQL_ATTR_AUTOCOMMIT, which today's drivers make a transaction of
    Implicit, ///< JDBC with setAutoCommit(false); older ODBC drivers
    ImplicitAfterReading, ///< the same, when the program has read a table before
    Begun, ///< pymssql's default, BeginTransaction() of SqlClient, BeginTx of Go, begin_transaction of PHP
};

/// A program that knows ODBC and none of ours.
class Client {
public:
    Client(const SqlServerRig& rig, Way way)
        : m_session(connectionStringOf(rig))
        , m_way(way)
    {
        if (!m_session.isOpen())
            qFatal("%s", qPrintable(m_session.database().lastError().text()));
        if (way == Way::AutocommitOff && !m_session.database().transaction())
            qFatal("%s", qPrintable(m_session.database().lastError().text()));
        if (way == Way::Implicit || way == Way::ImplicitAfterReading)
            call(u"SET IMPLICIT_TRANSACTIONS ON"_s);
        if (way == Way::ImplicitAfterReading)
            call(u"SELECT COUNT(*) FROM lockscope.surrogate_key"_s);
        if (way == Way::Begun)
            call(u"BEGIN TRANSACTION"_s);
    }

    /// The first value of its first row, or nothing; `error` says what went wrong.
    QVariant call(const QString& sql)
    {
        const QVariant connection = m_session.database().driver()->handle();
        SQLHSTMT statement = nullptr;
        SQLAllocHandle(SQL_HANDLE_STMT, *static_cast<const SQLHDBC*>(connection.constData()), &statement);
        QVariant value;
        error.clear();
        std::u16string text = sql.toStdU16String();
        SQLRETURN code =
            SQLExecDirectW(statement, reinterpret_cast<SQLWCHAR*>(text.data()), SQLINTEGER(text.size()));
        for (; code != SQL_NO_DATA && error.isEmpty(); code = SQLMoreResults(statement)) {
            if (!SQL_SUCCEEDED(code))
                error = diagnosis(statement);
            else if (value.isNull())
                value = firstValue(statement);
        }
        SQLFreeHandle(SQL_HANDLE_STMT, statement);
        return error.isEmpty() ? value : QVariant();
    }
    void rollBack()
    {
        if (m_way == Way::AutocommitOff)
            m_session.database().rollback();
        else
            call(u"IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION"_s);
    }

    QString error;

private:
    static QString diagnosis(SQLHSTMT statement)
    {
        std::array<char16_t, 1'024> text{};
        SQLSMALLINT length = 0;
        SQLGetDiagFieldW(SQL_HANDLE_STMT, statement, 1, SQL_DIAG_MESSAGE_TEXT, text.data(),
            SQLSMALLINT(text.size() * sizeof(char16_t)), &length);
        return QString::fromUtf16(text.data());
    }
    static QVariant firstValue(SQLHSTMT statement)
    {
        SQLSMALLINT columns = 0;
        SQLNumResultCols(statement, &columns);
        if (columns == 0 || !SQL_SUCCEEDED(SQLFetch(statement)))
            return {};
        std::array<char16_t, 256> text{};
        SQLLEN length = 0;
        SQLGetData(statement, 1, SQL_C_WCHAR, text.data(), text.size() * sizeof(char16_t), &length);
        return length == SQL_NULL_DATA ? QVariant() : QVariant(QString::fromUtf16(text.data()));
    }
    static QString connectionStringOf(const SqlServerRig& rig)
    {
        const SqlServerOptions options = SqlServerOptions::fromUrl(rig.url()).value();
        const OdbcDriver driver = chooseDriver(options, installedOdbcDrivers(), odbcSources()).value();
        return connectionString(
            rig.url(), options, driver, rig.passwords()(rig.url().toString()).value(), u"other client"_s)
            .value();
    }

    tds::OdbcSession m_session;
    const Way m_way;
};

const QString acquire = u"EXECUTE lockscope.AcquireLock @Name = N'n', @Token = N't', @LeaseUs = 60000000"_s;

class SqlServerClients : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data()
    {
        QTest::addColumn<Way>("way");
        row("autocommit", Way::Autocommit);
        row("autocommit off", Way::AutocommitOff);
        row("implicit transactions", Way::Implicit);
        row("implicit transactions, after reading", Way::ImplicitAfterReading);
        row("begun", Way::Begun);
    }
    void initTestCase()
    {
        if (!SqlServerRig::isReal())
            QSKIP("The double has no tables: this needs a server that executes T-SQL.");
        m_rig = std::make_unique<SqlServerRig>();
        m_witness = m_rig->connect();
    }
    void cleanupTestCase() { m_witness.reset(); }
    void cleanup()
    {
        if (m_witness)
            for (const char* table : {"lock_entry", "lock_waiter"})
                QVERIFY(runSql(*m_witness, u"DELETE FROM lockscope.%1"_s.arg(QLatin1StringView(table))));
    }

    /// The lock is granted for good, or refused and not there.
    void aGrantSurvivesARollback()
    {
        QFETCH_GLOBAL(Way, way);
        Client client(*m_rig, way);
        const QVariant fencing = client.call(acquire);
        const QString error = client.error;
        client.rollBack();
        const bool isThere = count(u"SELECT COUNT(*) FROM lockscope.lock_entry WHERE name = N'n'"_s) == 1;
        QVERIFY2(isThere == worksIn(way), qPrintable(error));
        QCOMPARE(!fencing.isNull(), isThere);
        QCOMPARE(error.isEmpty(), isThere);
    }

    void aReleaseSurvivesARollback()
    {
        QFETCH_GLOBAL(Way, way);
        hold();
        Client client(*m_rig, way);
        const QVariant wasOurs = client.call(u"EXECUTE lockscope.ReleaseLock @Name = N'n', @Token = N't'"_s);
        client.rollBack();
        const bool isGone = count(u"SELECT COUNT(*) FROM lockscope.lock_entry"_s) == 0;
        QVERIFY2(isGone == worksIn(way), qPrintable(client.error));
        QCOMPARE(wasOurs.toString() == u"1", isGone);
    }

    void aRenewalSurvivesARollback()
    {
        QFETCH_GLOBAL(Way, way);
        hold();
        const QString end =
            u"SELECT DATEDIFF_BIG(MICROSECOND, '19700101', expires_at) FROM lockscope.lock_entry"_s;
        const qint64 before = count(end);
        Client client(*m_rig, way);
        const QVariant renewedUntil =
            client.call(u"EXECUTE lockscope.RenewLock @Name = N'n', @Token = N't', @LeaseUs = 600000000"_s);
        client.rollBack();
        if (worksIn(way))
            QCOMPARE(renewedUntil.toLongLong(), count(end));
        else
            QCOMPARE(count(end), before);
        QCOMPARE(count(end) > before, worksIn(way));
    }

    void aPurgeSurvivesARollback()
    {
        QFETCH_GLOBAL(Way, way);
        QVERIFY(runSql(*m_witness,
            u"INSERT INTO lockscope.lock_entry (name, token, acquired_at, expires_at) VALUES (N'old', N't', DATEADD(SECOND, -60, SYSUTCDATETIME()), DATEADD(SECOND, -1, SYSUTCDATETIME()))"_s));
        Client client(*m_rig, way);
        const QVariant freed = client.call(u"EXECUTE lockscope.PurgeStale"_s);
        client.rollBack();
        QCOMPARE(freed.toInt(), worksIn(way) ? 1 : 0);
        QCOMPARE(count(u"SELECT COUNT(*) FROM lockscope.lock_entry"_s), worksIn(way) ? 0 : 1);
    }

    /// A refused client has lost nothing, and reads what to do.
    void whoIsRefusedKeepsItsTransaction()
    {
        QFETCH_GLOBAL(Way, way);
        Client client(*m_rig, way);
        const int open = client.call(u"SELECT @@TRANCOUNT"_s).toInt();
        QCOMPARE(open > 0, !worksIn(way));
        client.call(acquire);
        const QString error = client.error;
        QCOMPARE(client.call(u"SELECT @@TRANCOUNT"_s).toInt(), open);
        if (!worksIn(way))
            QVERIFY2(error.contains(u"inside a transaction"_s) && error.contains(u"autocommit"_s),
                qPrintable(error));
    }

private:
    static bool worksIn(Way way) { return way == Way::Autocommit || way == Way::Implicit; }
    qint64 count(const QString& sql) const { return ask(*m_witness, sql).toLongLong(); }
    void hold() const { QVERIFY(ask(*m_witness, acquire).toLongLong() >= 0); }

    std::unique_ptr<SqlServerRig> m_rig;
    std::unique_ptr<Connection> m_witness;
};

LOCKSCOPE_TEST(SqlServerClients)

} // namespace tst_SqlServerClients
#include "tst_SqlServerClients.moc"
