// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/AsJudged.h"

#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/frameworks/ProgramZone.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

db::Statement withPrint(const db::Dialect& dialect, const char* path)
{
    return db::Statement::filled(db::schemaPath(dialect, path).constData(),
        {{"object_print"_L1, sqlPart(dialect, "frameworks/print", {})}});
}

db::Statement asJudged(const db::Dialect& dialect, const db::Statement& read, const QStringList& judged)
{
    return db::Statement::filled(db::schemaPath(dialect, "frameworks/as_judged").constData(),
        {{"judged"_L1, u'(' + judged.join("), ("_L1) + u')'},
            {"object_print"_L1, sqlPart(dialect, "frameworks/print", {})},
            {"read"_L1, QString::fromUtf8(read.sql())}});
}

db::Param judgedTables(const QMap<QString, QString>& prints)
{
    QJsonObject judged;
    for (auto print = prints.begin(); print != prints.end(); ++print)
        judged.insert(print.key(), print.value());
    return QString::fromUtf8(QJsonDocument(judged).toJson(QJsonDocument::Compact));
}

bool isNotAsJudged(const Error& error)
{
    return error.detail.contains("lockscope: not as judged"_L1)
        || error.detail.contains("integer overflow"_L1); // all that SQLite can say outside triggers
}

Error changedError(const Error& by)
{
    return {.kind = ErrorKind::Changed,
        .what = by.what,
        .server = by.server,
        .detail =
            u"it is another table than a moment ago, or has been altered: it is judged again before it is read"_s};
}

namespace {

template <std::size_t Size> bool isOneOf(const QString& type, const std::array<QStringView, Size>& types)
{
    return std::ranges::any_of(
        types, [&type](QStringView each) { return type.compare(each, Qt::CaseInsensitive) == 0; });
}

// Types whose text is read back as the same value, and only that: compared as what they are.
constexpr std::array<QStringView, 9> exactInPostgres{
    u"int2", u"int4", u"int8", u"oid", u"uuid", u"bool", u"date", u"timestamp", u"inet"};
constexpr std::array<QStringView, 2> textsInPostgres{u"text", u"varchar"};
constexpr std::array<QStringView, 5> exactInSqlServer{
    u"int", u"bigint", u"smallint", u"tinyint", u"uniqueidentifier"};
constexpr std::array<QStringView, 2> textsInSqlServer{u"nvarchar", u"varchar"};

QString inPostgres(const QString& name, const QString& type)
{
    if (isOneOf(type, std::array<QStringView, 1>{u"timestamptz"}))
        return u"pg_catalog.timezone('UTC', %1)::pg_catalog.text"_s.arg(name);
    return name + u"::pg_catalog.text"_s;
}

/// Converts in the style that loses nothing.
QString inSqlServer(const QString& name, const QString& type)
{
    if (isOneOf(type,
            std::array<QStringView, 6>{
                u"datetime", u"datetime2", u"smalldatetime", u"datetimeoffset", u"date", u"time"}))
        return u"CONVERT(nvarchar(40), %1, 121)"_s.arg(name);
    if (isOneOf(type, std::array<QStringView, 4>{u"binary", u"varbinary", u"timestamp", u"rowversion"}))
        return u"CONVERT(nvarchar(max), %1, 1)"_s.arg(name);
    if (isOneOf(type, std::array<QStringView, 2>{u"float", u"real"}))
        return u"CONVERT(nvarchar(40), %1, 3)"_s.arg(name);
    if (isOneOf(type, std::array<QStringView, 2>{u"money", u"smallmoney"}))
        return u"CONVERT(nvarchar(40), CAST(%1 AS decimal(19, 4)))"_s.arg(name);
    return u"CONVERT(nvarchar(max), %1)"_s.arg(name);
}

/// A column holds what it likes: bytes and fractions as literals, which lose nothing.
QString inSqlite(const QString& name, const QString&)
{
    return u"CASE WHEN typeof(%1) IN ('blob', 'real') THEN quote(%1) ELSE CAST(%1 AS TEXT) END"_s.arg(name);
}

QString isInPostgres(const LockRowTable::Column& column, const QString& name, const QString& value)
{
    const QString& type = column.type;
    if (isOneOf(type, exactInPostgres))
        return u"%1 OPERATOR(pg_catalog.=) (%2)::pg_catalog.%3"_s.arg(name, value, type.toLower());
    if (isOneOf(type, std::array<QStringView, 1>{u"timestamptz"}))
        return u"pg_catalog.timezone('UTC', %1) OPERATOR(pg_catalog.=) (%2)::pg_catalog.timestamp"_s.arg(
            name, value);
    // A collation may take different texts for the same.
    const QString exact =
        u"%1::pg_catalog.text COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) %2"_s.arg(name, value);
    return isOneOf(type, textsInPostgres)
        ? u"%1 OPERATOR(pg_catalog.=) (%2)::pg_catalog.text AND %3"_s.arg(name, value, exact)
        : exact;
}

QString isInSqlServer(const LockRowTable::Column& column, const QString& name, const QString& value)
{
    const QString& type = column.type;
    if (isOneOf(type, exactInSqlServer))
        return u"%1 = CAST(%2 AS %3)"_s.arg(name, value, type.toLower());
    // A collation may take different texts for the same, and blanks at the end never count.
    const QString exact =
        u"CONVERT(varbinary(max), %1) = CONVERT(varbinary(max), CONVERT(nvarchar(max), %2))"_s.arg(
            inSqlServer(name, type), value);
    return isOneOf(type, textsInSqlServer)
        ? u"%1 = CAST(%2 AS %3(4000)) AND %4"_s.arg(name, value, type.toLower(), exact)
        : exact;
}

QString isInSqlite(const LockRowTable::Column& column, const QString& name, const QString& value)
{
    return u"%1 = %2"_s.arg(inSqlite(name, column.type), value);
}

} // namespace

QString storedText(const db::Dialect& dialect, const LockRowTable::Column& column)
{
    static constexpr PerEngine<QString (*)(const QString&, const QString&)> texts{
        .postgres = inPostgres, .sqlServer = inSqlServer, .sqlite = inSqlite};
    return texts[dialect.engine()](dialect.quoted(column.name), column.type);
}

QString isAsStored(const db::Dialect& dialect, const LockRowTable::Column& column, const QString& value)
{
    using Compare = QString (*)(const LockRowTable::Column&, const QString&, const QString&);
    static constexpr PerEngine<Compare> compares{
        .postgres = isInPostgres, .sqlServer = isInSqlServer, .sqlite = isInSqlite};
    const QString name = dialect.quoted(column.name);
    return value.isNull() ? name + u" IS NULL"_s : compares[dialect.engine()](column, name, value);
}

} // namespace lockscope::frameworks
