// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Odbc.h"

#include <QTest>

#include <array>
#include <atomic>
#include <sqlext.h>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

std::atomic<OdbcDriver> inUse = OdbcDriver::FreeTds;

QString nextName()
{
    static std::atomic<int> last = 0;
    return u"odbc %1"_s.arg(++last);
}

} // namespace

bool isFreeTds(OdbcDriver driver)
{
    return driver == OdbcDriver::FreeTds || driver == OdbcDriver::FreeTdsByQt;
}

bool isByQt(OdbcDriver driver)
{
    return driver == OdbcDriver::FreeTdsByQt || driver == OdbcDriver::MicrosoftByQt;
}

QString driverName(OdbcDriver driver)
{
    return isFreeTds(driver) ? u"FreeTDS"_s : u"ODBC Driver 18 for SQL Server"_s;
}

bool isInstalled(OdbcDriver driver)
{
    SQLHANDLE environment = SQL_NULL_HANDLE;
    if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &environment)))
        return false;
    SQLSetEnvAttr(environment, SQL_ATTR_ODBC_VERSION, reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0);
    std::array<SQLCHAR, 256> name{};
    std::array<SQLCHAR, 1> attributes{}; // not used
    bool found = false;
    SQLUSMALLINT next = SQL_FETCH_FIRST;
    while (!found
        && SQL_SUCCEEDED(SQLDrivers(environment, next, name.data(), static_cast<SQLSMALLINT>(name.size()),
            nullptr, attributes.data(), 0, nullptr))) {
        found = QString::fromUtf8(reinterpret_cast<const char*>(name.data())) == driverName(driver);
        next = SQL_FETCH_NEXT;
    }
    SQLFreeHandle(SQL_HANDLE_ENV, environment);
    return found;
}

void addDrivers(Interfaces interfaces)
{
    QTest::addColumn<OdbcDriver>("driver");
    QTest::newRow("FreeTDS") << OdbcDriver::FreeTds;
    QTest::newRow("Microsoft") << OdbcDriver::Microsoft;
    if (interfaces == Interfaces::Odbc)
        return;
    QTest::newRow("FreeTDS by Qt") << OdbcDriver::FreeTdsByQt;
    QTest::newRow("Microsoft by Qt") << OdbcDriver::MicrosoftByQt;
}

bool useDriverOfRow()
{
    QFETCH_GLOBAL(OdbcDriver, driver);
    return use(driver);
}

bool use(OdbcDriver driver)
{
    inUse = driver;
    return isInstalled(driver);
}

OdbcDriver driverInUse()
{
    return inUse;
}

QString connectionString(const TdsServer& server, const OdbcLogin& login, OdbcDriver driver)
{
    const QString where = isFreeTds(driver)
        ? u"SERVER=127.0.0.1;PORT=%1;TDS_Version=7.4;ClientCharset=UTF-8"_s.arg(server.port())
        : u"SERVER=tcp:127.0.0.1,%1;Encrypt=no"_s.arg(server.port());
    return u"DRIVER={%1};%2;UID=%3;PWD=%4;APP=%5;DATABASE=%6;"_s.arg(
        driverName(driver), where, login.user, login.password, login.program, login.database);
}

OdbcSession::OdbcSession(const QString& connectionString)
    : m_name(nextName())
    , m_database(QSqlDatabase::addDatabase(u"QODBC"_s, m_name))
{
    m_database.setDatabaseName(connectionString);
    m_database.open();
}

OdbcSession::~OdbcSession()
{
    m_database.close();
    m_database = {};
    QSqlDatabase::removeDatabase(m_name);
}

} // namespace lockscope::test::tds
