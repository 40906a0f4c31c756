// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerFacts.h"

#include "core/db/Statement.h"

#include <array>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

constexpr int lastBoxedEdition =
    4; // Personal, Standard, Enterprise, Express; Azure's count their versions otherwise
constexpr int firstMajor = 13;
constexpr int firstMajorWithPageInfo = 15;
constexpr int firstMajorWithPerformanceState = 16;

QSet<QString> wordsOf(const QString& text, QChar separator)
{
    const QStringList words = text.split(separator, Qt::SkipEmptyParts);
    return {words.begin(), words.end()};
}

QString productName(const SqlServerFacts& facts)
{
    switch (facts.engineEdition) {
    case SqlServerFacts::azureSqlDatabase:
        return u"Azure SQL Database"_s;
    case SqlServerFacts::fabricSqlDatabase:
        return u"SQL database in Microsoft Fabric"_s;
    case 8:
        return u"Azure SQL Managed Instance"_s;
    case 9:
        return u"Azure SQL Edge"_s;
    default:
        break;
    }
    static constexpr QStringView years[] = {
        u"2008", u"2012", u"2014", u"2016", u"2017", u"2019", u"2022", u"2025"}; // of the versions 10 …
    const int place = facts.major() - 10;
    if (place < 0 || place >= int(std::size(years)))
        return u"SQL Server"_s;
    const bool isR2 = facts.productVersion.startsWith(u"10.5"_s);
    return u"SQL Server %1%2"_s.arg(years[place], isR2 ? u" R2" : u"");
}

} // namespace

SqlServerFacts SqlServerFacts::fromRow(const Row& row)
{
    // Columns 0 and 1 are the session's id and login time.
    SqlServerFacts facts;
    facts.productVersion = row.text(2);
    facts.engineEdition = static_cast<int>(row.int64(3));
    facts.edition = row.text(4);
    facts.babelfishVersion = row.text(5);
    facts.views = wordsOf(row.text(6), u' ');
    facts.rights = wordsOf(row.text(7), u';');
    return facts;
}

int SqlServerFacts::major() const
{
    return productVersion.section(u'.', 0, 0).toInt();
}

int SqlServerFacts::versionNumber() const
{
    return major() * 1'000'000 + productVersion.section(u'.', 2, 2).toInt();
}

bool SqlServerFacts::isTooOld() const
{
    return !isOtherEngine() && engineEdition <= lastBoxedEdition && major() > 0 && major() < firstMajor;
}

bool SqlServerFacts::hasPageInfo() const
{
    return !isOtherEngine() && (engineEdition > lastBoxedEdition || major() >= firstMajorWithPageInfo);
}

QString SqlServerFacts::display() const
{
    if (isOtherEngine())
        return u"Babelfish "_s + babelfishVersion;
    return (productName(*this) + u' ' + productVersion).trimmed();
}

QStringList SqlServerFacts::missingViews() const
{
    // As session/facts asks for them.
    static constexpr std::array all{u"dm_exec_connections", u"dm_exec_input_buffer", u"dm_exec_requests",
        u"dm_exec_sessions", u"dm_exec_sql_text", u"dm_os_memory_clerks", u"dm_os_waiting_tasks",
        u"dm_tran_active_transactions", u"dm_tran_database_transactions", u"dm_tran_locks",
        u"dm_tran_session_transactions"};
    QStringList missing;
    for (const char16_t* view : all) {
        if (const QString name = QString::fromUtf16(view); !hasView(name))
            missing << name;
    }
    return missing;
}

QString SqlServerFacts::viewStateRight() const
{
    if (isAzureDatabase())
        return u"VIEW DATABASE STATE"_s;
    return major() >= firstMajorWithPerformanceState ? u"VIEW SERVER PERFORMANCE STATE"_s
                                                     : u"VIEW SERVER STATE"_s;
}

QString SqlServerFacts::grantOf(const QString& right, const QString& quotedName) const
{
    const QString anybody = isAzureDatabase() ? u"[user]"_s : u"[login]"_s;
    return u"GRANT %1 TO %2"_s.arg(right, quotedName.isEmpty() ? anybody : quotedName);
}

QString SqlServerFacts::endSessionRight() const
{
    return isAzureDatabase() ? u"KILL DATABASE CONNECTION"_s : u"ALTER ANY CONNECTION"_s;
}

} // namespace lockscope::db
