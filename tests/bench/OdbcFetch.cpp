// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// The rows of SnapshotFetch through ODBC, from the double of SQL Server: ours, Qt's, and ODBC by hand with
// bound columns. Only the CPU time of the reading thread counts, on which driver and conversion run: the
// double's own slowness must not.
//
// ODBC by hand leaves texts where the driver put them, until the next block overwrites them; ours are strings
// that the caller keeps. And it takes the driver's packets of 4,096 bytes; ours are larger. So it is measured
// in two ways: as ODBC's documentation has it, and with all that we do. The difference is reported, too.
#include "core/db/sqlserver/OdbcLink.h"
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"
#include "tests/support/tds/Odbc.h"
#include "tests/support/tds/SessionAnswers.h"

#include <QSqlError>
#include <QSqlQuery>

#include <algorithm>
#include <array>
#include <sql.h>
#include <sqlext.h>
#include <sqlucode.h>
#include <time.h>

namespace lockscope::bench {

using namespace Qt::StringLiterals;
using namespace lockscope::test::tds;

namespace {

constexpr int columns = 14;
constexpr std::array numbers{1, 2, 3, 4, 6, 7, 8, 9, 11, 13};
constexpr std::array texts{0, 5, 10, 12};
const auto select = u"SELECT wide"_s;

void answerWide(TdsServer& server, int rows)
{
    server.answer(select, [rows](const Request&, Reply& reply) {
        reply.columns({{u"c0"_s, nvarchar(60)}, {u"c1"_s, bigint()}, {u"c2"_s, bigint()},
            {u"c3"_s, integer()}, {u"c4"_s, integer()}, {u"c5"_s, nvarchar(60)}, {u"c6"_s, bigint()},
            {u"c7"_s, bigint()}, {u"c8"_s, bigint()}, {u"c9"_s, integer()}, {u"c10"_s, nvarchar(60)},
            {u"c11"_s, bigint()}, {u"c12"_s, nvarchar(60)}, {u"c13"_s, bigint()}});
        const std::array kinds{u"OBJECT"_s, u"KEY"_s, u"APPLICATION"_s};
        for (int i = 0; i < rows; ++i)
            reply.row({kinds[static_cast<size_t>(i) % kinds.size()], 16'384, 20'000 + i % 500, i % 1'000,
                i % 100, Value(), i, 0, i, 1, u"5/"_s + QString::number(i), 1'000 + i % 700, u"TRANSACTION"_s,
                1'795'230'000'000'000LL + i});
    });
}

double cpuMsOfThisThread()
{
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) * 1e3 + static_cast<double>(spent.tv_nsec) / 1e6;
}

/// Rows for each millisecond of CPU that `read` takes for `rows` rows.
double perMs(int rows, const std::function<void()>& read)
{
    const double before = cpuMsOfThisThread();
    read();
    return rows / (cpuMsOfThisThread() - before);
}

/// ODBC as its documentation has it: columns bound, rows in blocks.
class RawOdbc {
public:
    enum class Texts { LeftInTheBlock, MadeStrings };

    /// `packetSize` in bytes, 0: the driver's own.
    explicit RawOdbc(const TdsServer& server, OdbcDriver driver, quint32 packetSize = 0)
    {
        QString connectionString = test::tds::connectionString(server, {}, driver);
        // FreeTDS does not heed the attribute.
        if (packetSize != 0 && driver == OdbcDriver::FreeTds)
            connectionString += u"PacketSize=%1;"_s.arg(packetSize);
        SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &m_environment);
        SQLSetEnvAttr(m_environment, SQL_ATTR_ODBC_VERSION, reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0);
        SQLAllocHandle(SQL_HANDLE_DBC, m_environment, &m_connection);
        if (packetSize != 0)
            SQLSetConnectAttr(m_connection, SQL_ATTR_PACKET_SIZE,
                reinterpret_cast<SQLPOINTER>(SQLULEN(packetSize)), SQL_IS_UINTEGER);
        auto text = connectionString.toStdU16String();
        check(SQLDriverConnectW(m_connection, nullptr, reinterpret_cast<SQLWCHAR*>(text.data()),
            static_cast<SQLSMALLINT>(text.size()), nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT));
        SQLAllocHandle(SQL_HANDLE_STMT, m_connection, &m_statement);
    }
    ~RawOdbc()
    {
        SQLFreeHandle(SQL_HANDLE_STMT, m_statement);
        SQLDisconnect(m_connection);
        SQLFreeHandle(SQL_HANDLE_DBC, m_connection);
        SQLFreeHandle(SQL_HANDLE_ENV, m_environment);
    }
    Q_DISABLE_COPY_MOVE(RawOdbc)

    quint64 readAll(Texts asWhat)
    {
        auto text = select.toStdU16String();
        check(SQLExecDirectW(
            m_statement, reinterpret_cast<SQLWCHAR*>(text.data()), static_cast<SQLINTEGER>(text.size())));
        SQLULEN fetched = 0;
        SQLSetStmtAttr(m_statement, SQL_ATTR_ROW_ARRAY_SIZE, reinterpret_cast<SQLPOINTER>(block), 0);
        SQLSetStmtAttr(m_statement, SQL_ATTR_ROWS_FETCHED_PTR, &fetched, 0);
        for (const int column : numbers)
            check(SQLBindCol(m_statement, static_cast<SQLUSMALLINT>(column + 1), SQL_C_SBIGINT,
                m_number[column].data(), sizeof(qint64), m_length[column].data()));
        for (const int column : texts)
            check(SQLBindCol(m_statement, static_cast<SQLUSMALLINT>(column + 1), SQL_C_WCHAR,
                m_text[column].data(), textBytes, m_length[column].data()));
        quint64 sum = 0;
        while (SQLFetch(m_statement) != SQL_NO_DATA) {
            for (SQLULEN row = 0; row < fetched; ++row) {
                for (const int column : numbers)
                    sum += static_cast<quint64>(m_number[column][row]);
                for (const int column : texts)
                    sum += asWhat == Texts::MadeStrings ? static_cast<quint64>(textAt(column, row).size())
                                                        : static_cast<quint64>(unitsAt(column, row));
            }
        }
        SQLFreeStmt(m_statement, SQL_CLOSE);
        SQLFreeStmt(m_statement, SQL_UNBIND);
        // With more than one at the start Microsoft's driver would ask for a cursor on the server.
        SQLSetStmtAttr(m_statement, SQL_ATTR_ROW_ARRAY_SIZE, reinterpret_cast<SQLPOINTER>(1), 0);
        return sum;
    }

private:
    static constexpr SQLULEN block = 500;
    static constexpr SQLLEN textBytes = 61 * sizeof(SQLWCHAR);

    qsizetype unitsAt(int column, SQLULEN row) const
    {
        return std::max<SQLLEN>(m_length[column][row], 0) / static_cast<SQLLEN>(sizeof(SQLWCHAR));
    }
    QString textAt(int column, SQLULEN row) const
    {
        if (m_length[column][row] == SQL_NULL_DATA)
            return {};
        const char* const start = m_text[column].data() + row * static_cast<SQLULEN>(textBytes);
        return QString(reinterpret_cast<const QChar*>(start), unitsAt(column, row));
    }
    void check(SQLRETURN code) const
    {
        if (SQL_SUCCEEDED(code))
            return;
        const auto said = m_statement != SQL_NULL_HSTMT ? db::OdbcDiagnosis::of(SQL_HANDLE_STMT, m_statement)
                                                        : db::OdbcDiagnosis::of(SQL_HANDLE_DBC, m_connection);
        qFatal("raw ODBC failed: %s %s", qPrintable(said.codes), qPrintable(said.text));
    }

    SQLHENV m_environment = SQL_NULL_HENV;
    SQLHDBC m_connection = SQL_NULL_HDBC;
    SQLHSTMT m_statement = SQL_NULL_HSTMT;
    std::array<std::array<qint64, block>, columns> m_number{};
    std::array<std::array<char, block* static_cast<size_t>(textBytes)>, columns> m_text{};
    std::array<std::array<SQLLEN, block>, columns> m_length{};
};

quint64 readAll(db::Connection& connection)
{
    quint64 sum = 0; // of everything read, so that nothing is optimised away
    orDie(test::runSql(connection, select, {}, [&sum](const db::Row& row) {
        for (const int column : numbers)
            sum += static_cast<quint64>(row.int64(column));
        for (const int column : texts)
            sum += static_cast<quint64>(row.text(column).size());
    }));
    return sum;
}

quint64 readAll(QSqlDatabase& database)
{
    quint64 sum = 0;
    QSqlQuery query(database);
    query.setForwardOnly(true);
    if (!query.exec(select))
        qFatal("%s", qPrintable(query.lastError().text()));
    while (query.next()) {
        for (const int column : numbers)
            sum += static_cast<quint64>(query.value(column).toLongLong());
        for (const int column : texts)
            sum += static_cast<quint64>(query.value(column).toString().size());
    }
    return sum;
}

} // namespace

void odbcFetch(Bench& bench)
{
    const int rows = bench.quick ? 5'000 : 50'000;
    bench.report.section(
        u"Fetching %1 rows × 14 columns by ODBC from the double of SQL Server (CPU of the reader)"_s.arg(
            rows));
    for (const OdbcDriver driver : {OdbcDriver::FreeTds, OdbcDriver::Microsoft}) {
        if (!isInstalled(driver)) {
            bench.report.skip(driverName(driver), u"the driver is not installed"_s);
            continue;
        }
        TdsServer server;
        addSessionAnswers(server);
        answerWide(server, rows);
        db::ServerUrl url = urlOf(server);
        url.options[u"driver"_s] = driverName(driver);
        const auto connection = orDie(db::Server::at(url, db::fixedPassword(passwordOf(server))).connect());
        const auto raw = std::make_unique<RawOdbc>(server, driver);
        const auto rawAlike = std::make_unique<RawOdbc>(server, driver, db::OdbcLink::packetSize);
        OdbcSession qt(connectionString(server, {}, driver));

        const quint64 sum = readAll(*connection);
        if (sum == 0 || raw->readAll(RawOdbc::Texts::LeftInTheBlock) != sum
            || rawAlike->readAll(RawOdbc::Texts::MadeStrings) != sum || readAll(qt.database()) != sum)
            qFatal("the ways read different rows");
        const auto ours = [&] { return perMs(rows, [&] { readAll(*connection); }); };
        const auto byHand = [&](RawOdbc& reader, RawOdbc::Texts texts) {
            return [&, texts] { return perMs(rows, [&] { reader.readAll(texts); }); };
        };
        const auto plain = byHand(*raw, RawOdbc::Texts::LeftInTheBlock);
        const auto byQt = [&] { return perMs(rows, [&] { readAll(qt.database()); }); };
        const auto compare = [&](const QString& what, int rounds, const std::function<double()>& a,
                                 const std::function<double()>& b, std::optional<Target> target) {
            const Pair pair = interleaved(bench.rounds(rounds), a, b);
            bench.report.add(u"%1: %2"_s.arg(driverName(driver), what), pair.ratio, u"×"_s, target,
                u"%1 against %2 rows/ms"_s.arg(pair.first, 0, 'f', 0).arg(pair.second, 0, 'f', 0));
        };
        compare(u"db::Connection, values converted: ratio to raw ODBC with bound columns"_s, 11, ours, plain,
            atLeast(0.95));
        compare(u"ratio to the same with strings made and packets like ours"_s, 11, ours,
            byHand(*rawAlike, RawOdbc::Texts::MadeStrings), atLeast(0.95));
        compare(u"raw ODBC: strings made against texts left in the block"_s, 11,
            byHand(*raw, RawOdbc::Texts::MadeStrings), plain, {});
        compare(u"raw ODBC: packets like ours against the driver's"_s, 11,
            byHand(*rawAlike, RawOdbc::Texts::LeftInTheBlock), plain, {});
        compare(u"ratio to stock QODBC, forward only"_s, 5, ours, byQt, atLeast(4));
    }
}

} // namespace lockscope::bench
