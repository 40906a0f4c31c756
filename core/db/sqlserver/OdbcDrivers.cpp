// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcDrivers.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <functional>
#include <sql.h>
#include <sqlext.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

/// An environment of the driver manager, for as long as a list is read.
class OdbcEnvironment {
public:
    OdbcEnvironment()
    {
        if (SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &m_handle)))
            SQLSetEnvAttr(m_handle, SQL_ATTR_ODBC_VERSION, reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0);
    }
    ~OdbcEnvironment()
    {
        if (m_handle != SQL_NULL_HANDLE)
            SQLFreeHandle(SQL_HANDLE_ENV, m_handle);
    }
    Q_DISABLE_COPY_MOVE(OdbcEnvironment)

    SQLHANDLE handle() const { return m_handle; }

private:
    SQLHANDLE m_handle = SQL_NULL_HANDLE;
};

using ListFunction = SQLRETURN (*)(
    SQLHENV, SQLUSMALLINT, SQLCHAR*, SQLSMALLINT, SQLSMALLINT*, SQLCHAR*, SQLSMALLINT, SQLSMALLINT*);

/// Hands over each pair that SQLDrivers or SQLDataSources names.
void list(ListFunction next, const std::function<void(const QString& name, const QString& description)>& take)
{
    const OdbcEnvironment environment;
    std::array<SQLCHAR, 512> name{};
    std::array<SQLCHAR, 4096> description{};
    SQLUSMALLINT direction = SQL_FETCH_FIRST;
    while (environment.handle() != SQL_NULL_HANDLE
        && SQL_SUCCEEDED(next(environment.handle(), direction, name.data(), name.size(), nullptr,
            description.data(), description.size(), nullptr))) {
        take(QString::fromLocal8Bit(reinterpret_cast<const char*>(name.data())),
            QString::fromLocal8Bit(reinterpret_cast<const char*>(description.data())));
        direction = SQL_FETCH_NEXT;
    }
}

} // namespace

OdbcDriver odbcDriver(const QString& name)
{
    static const QRegularExpression microsoft(
        u"^(?:ODBC Driver (\\d+) for SQL Server|.*msodbcsql-?(\\d*).*)$"_s,
        QRegularExpression::CaseInsensitiveOption);
    if (const auto match = microsoft.match(name); match.hasMatch()) {
        const int version = match.captured(match.hasCaptured(1) ? 1 : 2).toInt();
        return {name, OdbcDriverKind::Microsoft, version};
    }
    const bool isFreeTds =
        name.contains(u"FreeTDS"_s, Qt::CaseInsensitive) || name.contains(u"tdsodbc"_s, Qt::CaseInsensitive);
    return {name, isFreeTds ? OdbcDriverKind::FreeTds : OdbcDriverKind::Other, 0};
}

QList<OdbcDriver> installedOdbcDrivers()
{
    QList<OdbcDriver> drivers;
    list(SQLDrivers, [&](const QString& name, const QString&) {
        const OdbcDriver driver = odbcDriver(name);
        if (driver.kind != OdbcDriverKind::Other && !drivers.contains(driver))
            drivers << driver;
    });
    std::stable_sort(drivers.begin(), drivers.end(), [](const OdbcDriver& a, const OdbcDriver& b) {
        return a.kind != b.kind ? a.kind < b.kind : a.version > b.version;
    });
    return drivers;
}

QList<OdbcSource> odbcSources()
{
    QList<OdbcSource> sources;
    list(SQLDataSources, [&](const QString& name, const QString& driver) {
        const OdbcSource source{name, odbcDriver(driver)};
        if (source.driver.kind != OdbcDriverKind::Other)
            sources << source;
    });
    std::sort(sources.begin(), sources.end(),
        [](const OdbcSource& a, const OdbcSource& b) { return a.name.localeAwareCompare(b.name) < 0; });
    return sources;
}

} // namespace lockscope::db
