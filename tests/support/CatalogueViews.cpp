// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/CatalogueViews.h"

#include "tests/support/Ask.h"
#include "tests/support/Files.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

/// Those that take arguments.
QString argumentsOf(const QString& view)
{
    if (view == u"sys.dm_exec_sql_text")
        return u"@handle varbinary(64)"_s;
    if (view == u"sys.dm_exec_input_buffer")
        return u"@session int, @request int"_s;
    if (view == u"sys.dm_db_page_info")
        return u"@database int, @file int, @page int, @mode nvarchar(64)"_s;
    return {};
}

QString textThatMakes(const QString& view, const QJsonArray& columns)
{
    const QString arguments = argumentsOf(view);
    QStringList parts;
    for (const auto column : columns) {
        const QString name = u'[' + column[u"name"].toString() + u']';
        const QString type = column[u"type"].toString();
        if (!arguments.isEmpty())
            parts << u"CAST(NULL AS %1) AS %2"_s.arg(type, name);
        else
            parts << name + u' ' + type + (column[u"nullable"].toBool(true) ? u" NULL"_s : u" NOT NULL"_s);
    }
    if (arguments.isEmpty())
        return u"CREATE TABLE %1 (%2)"_s.arg(view, parts.join(u", "));
    return u"CREATE FUNCTION %1 (%2) RETURNS TABLE AS RETURN (SELECT %3 WHERE 1 = 0)"_s.arg(
        view, arguments, parts.join(u", "));
}

} // namespace

CatalogueViews::CatalogueViews(db::Connection& connection)
    : m_connection(connection)
{
    if (!isWished())
        return;
    const QJsonObject views =
        QJsonDocument::fromJson(readFile(u":/schema/test/sqlserver/dmv-columns.json"_s))[u"views"].toObject();
    for (const QString& name : views.keys()) {
        if (!name.startsWith(u"sys.dm_") || isThere(name))
            continue;
        const auto made =
            m_connection.executeScript(textThatMakes(name, views[name][u"columns"].toArray()).toUtf8());
        if (!made) {
            m_failure = u"%1 can't be made: %2"_s.arg(name, made.error().toString());
            remove();
            return;
        }
        m_made << name;
    }
}

CatalogueViews::~CatalogueViews()
{
    remove();
}

bool CatalogueViews::isWished()
{
    return qEnvironmentVariable("LOCKSCOPE_TEST_SQLSERVER_VIEWS") == u"create";
}

bool CatalogueViews::isThere(const QString& name)
{
    return ask(m_connection, u"SELECT CASE WHEN OBJECT_ID(@P1) IS NULL THEN 0 ELSE 1 END"_s, {name}) == u"1";
}

void CatalogueViews::remove()
{
    for (const QString& name : std::as_const(m_made)) {
        const QString kind = argumentsOf(name).isEmpty() ? u"TABLE"_s : u"FUNCTION"_s;
        if (const auto gone = m_connection.executeScript(u"DROP %1 %2"_s.arg(kind, name).toUtf8()); !gone)
            qWarning("%s", qPrintable(gone.error().toString()));
    }
    m_made.clear();
}

} // namespace lockscope::test
