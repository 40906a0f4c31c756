// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Catalogue.h"

#include "tests/support/Files.h"
#include "tests/support/tds/OwnSchema.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

/// The functions that return a table, and the types of their arguments.
const QHash<QString, std::vector<Type>>& functionArguments()
{
    static const QHash<QString, std::vector<Type>> arguments{
        {u"sys.dm_exec_sql_text"_s, {varbinary(64)}},
        {u"sys.dm_exec_input_buffer"_s, {smallint(), integer()}},
        {u"sys.dm_exec_text_query_plan"_s, {varbinary(64), integer(), integer()}},
        {u"sys.fn_xe_file_target_read_file"_s, {nvarchar(260), nvarchar(260), nvarchar(260), bigint()}},
        {u"sys.fn_xe_telemetry_blob_target_read_file"_s,
            {nvarchar(260), nvarchar(260), nvarchar(260), bigint()}},
        {u"sys.dm_db_page_info"_s, {smallint(), integer(), integer(), nvarchar(20)}},
    };
    return arguments;
}

View viewFrom(const QString& name, const QJsonArray& columns)
{
    View view{name, {}};
    for (const auto json : columns) {
        ViewColumn column{json[u"name"].toString(), typeFromText(json[u"type"].toString()).value_or(Type())};
        if (json[u"nullable"].isBool())
            column.nullable = json[u"nullable"].toBool();
        view.columns.push_back(column);
    }
    int number = 0;
    for (const Type type : functionArguments().value(name))
        view.columns.push_back({u"argument%1"_s.arg(++number), type});
    return view;
}

QString integerFault(const Value& value, qint64 least, qint64 most)
{
    if (!value.is<qint64>() && !value.is<bool>())
        return u"is no whole number"_s;
    return value.toInt64() < least || value.toInt64() > most ? u"is out of range"_s : QString();
}

QString textFault(Type type, const Value& value)
{
    if (!value.is<QString>())
        return u"is no text"_s;
    return type.size != Type::max && value.toText().size() > type.size ? u"is too long"_s : QString();
}

QString bytesFault(Type type, const Value& value)
{
    if (!value.is<QByteArray>())
        return u"is not binary"_s;
    const auto size = value.toBytes().size();
    if (type.kind == Type::Binary)
        return size == type.size ? QString() : u"has another length"_s;
    return type.size != Type::max && size > type.size ? u"is too long"_s : QString();
}

QString fault(Type type, const Value& value)
{
    switch (type.kind) {
    case Type::TinyInt:
        return integerFault(value, 0, 255);
    case Type::SmallInt:
        return integerFault(value, std::numeric_limits<qint16>::min(), std::numeric_limits<qint16>::max());
    case Type::Int:
        return integerFault(value, std::numeric_limits<qint32>::min(), std::numeric_limits<qint32>::max());
    case Type::BigInt:
        return integerFault(value, std::numeric_limits<qint64>::min(), std::numeric_limits<qint64>::max());
    case Type::Bit:
        return integerFault(value, 0, 1);
    case Type::Real:
    case Type::Float:
        return value.is<double>() || value.is<qint64>() ? QString() : u"is no number"_s;
    case Type::Char:
    case Type::VarChar:
    case Type::NChar:
    case Type::NVarChar:
        return textFault(type, value);
    case Type::Binary:
    case Type::VarBinary:
        return bytesFault(type, value);
    case Type::UniqueIdentifier:
        return value.is<QUuid>() ? QString() : u"is no uniqueidentifier"_s;
    case Type::DateTime:
    case Type::DateTime2:
        return value.is<QDateTime>() && value.toDateTime().isValid() ? QString() : u"is no moment"_s;
    case Type::Variant:
        return {};
    case Type::Decimal:
    case Type::Untyped:
        break;
    }
    return u"has a type that the double can't send"_s;
}

} // namespace

const ViewColumn* View::column(const QString& columnName) const
{
    const auto found = std::ranges::find_if(
        columns, [&](const ViewColumn& c) { return c.name.compare(columnName, Qt::CaseInsensitive) == 0; });
    return found == columns.end() ? nullptr : &*found;
}

Catalogue::Catalogue()
{
    const QJsonObject views =
        QJsonDocument::fromJson(readFile(u":/schema/test/sqlserver/dmv-columns.json"_s))[u"views"].toObject();
    for (auto view = views.begin(); view != views.end(); ++view)
        m_views.emplace(view.key(), viewFrom(view.key(), view.value()[u"columns"].toArray()));
    for (const View& table : tsql::OwnSchema::get().tables())
        m_views.emplace(table.name, table);
}

const Catalogue& Catalogue::get()
{
    static const Catalogue catalogue;
    return catalogue;
}

const View* Catalogue::view(const QString& name) const
{
    const auto found = m_views.find(name);
    return found == m_views.end() ? nullptr : &found->second;
}

std::optional<Type> typeFromText(const QString& text)
{
    static const QHash<QString, Type> types{{u"tinyint"_s, tinyint()}, {u"smallint"_s, smallint()},
        {u"int"_s, integer()}, {u"bigint"_s, bigint()}, {u"bit"_s, bit()}, {u"real"_s, real()},
        {u"float"_s, floating()}, {u"char"_s, {Type::Char, 1}}, {u"varchar"_s, {Type::VarChar, 1}},
        {u"nchar"_s, {Type::NChar, 1}}, {u"nvarchar"_s, nvarchar(1)}, {u"sysname"_s, nvarchar(128)},
        {u"binary"_s, {Type::Binary, 1}}, {u"varbinary"_s, varbinary(1)},
        {u"uniqueidentifier"_s, uniqueidentifier()}, {u"datetime"_s, datetime()},
        {u"datetime2"_s, datetime2()}, {u"sql_variant"_s, {Type::Variant}}};
    static const QRegularExpression form(u"\\A\\s*(\\w+)\\s*(?:\\(\\s*(\\d+|max)\\s*\\))?\\s*\\z"_s,
        QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(text);
    const auto known = types.constFind(match.captured(1).toLower());
    if (!match.hasMatch() || known == types.constEnd())
        return std::nullopt;
    Type type = *known;
    const QString size = match.captured(2).toLower();
    if (!size.isEmpty())
        type.size = size == u"max" ? Type::max : size.toInt();
    return type;
}

Value valueFromJson(const ViewColumn& column, const QJsonValue& json)
{
    if (json.isNull() || json.isUndefined())
        return {};
    if (json.isBool())
        return json.toBool();
    if (json.isDouble()) {
        const qint64 whole = json.toInteger();
        return json.toDouble() == static_cast<double>(whole) ? Value(whole) : Value(json.toDouble());
    }
    const QString text = json.toString();
    if (column.type.isBinary() && text.startsWith(u"0x"))
        return QByteArray::fromHex(text.mid(2).toLatin1());
    if (column.type.kind == Type::UniqueIdentifier)
        return QUuid::fromString(text);
    if (column.type.kind == Type::DateTime) {
        QDateTime dateTime = QDateTime::fromString(QString(text).replace(u' ', u'T'), Qt::ISODateWithMs);
        dateTime.setTimeSpec(Qt::UTC);
        return dateTime;
    }
    return text;
}

QString contradiction(const ViewColumn& column, const Value& value)
{
    if (value.isNull())
        return column.nullable == false ? column.name + u" is never NULL"_s : QString();
    const QString what = fault(column.type, value);
    return what.isEmpty() ? QString() : u"%1: %2 %3"_s.arg(column.name, value.toText(), what);
}

} // namespace lockscope::test::tds
