// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Bytes.h"

#include <QDateTime>
#include <QUuid>

#include <concepts>
#include <optional>
#include <variant>
#include <vector>

namespace lockscope::test::tds {

/// A type of SQL Server. `size` is in characters for texts, in bytes for binary values, the scale for
/// datetime2; `max` stands for (max).
struct Type {
    enum Kind {
        TinyInt,
        SmallInt,
        Int,
        BigInt,
        Bit,
        Real,
        Float,
        Decimal,
        Char,
        VarChar,
        NChar,
        NVarChar,
        Binary,
        VarBinary,
        UniqueIdentifier,
        DateTime,
        DateTime2,
        Variant, ///< sql_variant: the double keeps it, and sends what it is converted to
        Untyped, ///< NULL without a type, or a type that the double reads as NULL
    };
    static constexpr int max = -1;

    Kind kind = Untyped;
    int size = 0;
    bool operator==(const Type&) const = default;

    bool isText() const { return kind >= Char && kind <= NVarChar; }
    bool isBinary() const { return kind == Binary || kind == VarBinary; }
};
constexpr Type tinyint()
{
    return {Type::TinyInt};
}
constexpr Type smallint()
{
    return {Type::SmallInt};
}
constexpr Type integer()
{
    return {Type::Int};
}
constexpr Type bigint()
{
    return {Type::BigInt};
}
constexpr Type bit()
{
    return {Type::Bit};
}
constexpr Type real()
{
    return {Type::Real};
}
constexpr Type floating()
{
    return {Type::Float};
}
constexpr Type nvarchar(int characters = Type::max)
{
    return {Type::NVarChar, characters};
}
constexpr Type varbinary(int bytes = Type::max)
{
    return {Type::VarBinary, bytes};
}
constexpr Type uniqueidentifier()
{
    return {Type::UniqueIdentifier};
}
constexpr Type datetime()
{
    return {Type::DateTime};
}
constexpr Type datetime2(int scale = 7)
{
    return {Type::DateTime2, scale};
}

/// A value on its way over the wire; the default is NULL. Times are UTC.
class Value {
public:
    Value() = default;
    Value(std::nullptr_t) { }
    Value(bool value)
        : m_value(value)
    {
    }
    template <std::integral T>
    requires(!std::same_as<T, bool>) Value(T value)
        : m_value(static_cast<qint64>(value))
    {
    }
    Value(double value)
        : m_value(value)
    {
    }
    Value(const QString& value) ///< a null string is NULL
    {
        if (!value.isNull())
            m_value = value;
    }
    Value(const QByteArray& value)
        : m_value(value)
    {
    }
    Value(const QUuid& value)
        : m_value(value)
    {
    }
    Value(const QDateTime& value)
        : m_value(value)
    {
    }
    Value(const void*) = delete; ///< a literal without _s would be taken for a bool
    template <class T> Value(const std::optional<T>& value)
    {
        if (value)
            *this = Value(*value);
    }

    bool isNull() const { return std::holds_alternative<std::monostate>(m_value); }
    /// Returns whether it is one of these, and not just convertible: bool, qint64, double, QString …
    template <class T> bool is() const { return std::holds_alternative<T>(m_value); }
    /// Converted as SQL Server would; 0, an empty text … for NULL and for what can't be converted.
    qint64 toInt64() const;
    bool toBool() const { return toInt64() != 0; }
    double toDouble() const;
    QString toText() const;
    QByteArray toBytes() const;
    QUuid toUuid() const;
    QDateTime toDateTime() const;

    bool operator==(const Value&) const = default;

private:
    std::variant<std::monostate, bool, qint64, double, QString, QByteArray, QUuid, QDateTime> m_value;
};
using Values = std::vector<Value>;

struct Column {
    QString name;
    Type type = {};
    bool nullable = true;
};

struct Parameter {
    QString name{}; ///< "@P1"; empty if the client gave none
    Type type = {};
    Value value = {};
    bool output = false;
};

/// The collation of every text: SQL_Latin1_General_CP1_CI_AS.
QByteArray collation();

void writeTypeInfo(ByteWriter& writer, Type type);
void writeValue(ByteWriter& writer, Type type, const Value& value);
/// Name, flags, type and value of one parameter of a remote procedure call; nullopt if they can't be read.
std::optional<Parameter> readParameter(ByteReader& reader);

} // namespace lockscope::test::tds
