// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresRow.h"

#include "core/base/ShownText.h"

#include <QStringEncoder>
#include <QtEndian>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace lockscope::db {

namespace {

// Types by their numbers, which never change: PostgreSQL's sources, src/include/catalog/pg_type.dat.
enum : Oid {
    Bool = 16,
    Name = 19,
    Int8 = 20,
    Int2 = 21,
    Int4 = 23,
    Text = 25,
    ObjectId = 26,
    TransactionId = 28,
    Float8 = 701,
    Unknown = 705,
    Inet = 869,
    VarChar = 1043,
    TimestampTz = 1184,
};

bool isText(Oid type)
{
    return type == Text || type == Name || type == VarChar || type == Unknown;
}

/// The time from 2000-01-01, where PostgreSQL counts from, to 1970-01-01.
constexpr qint64 epochOffset = 946'684'800'000'000;

/// Microseconds since 1970; infinity stays as far as it can be.
qint64 epochOf(qint64 postgresTime)
{
    return postgresTime > std::numeric_limits<qint64>::max() - epochOffset
        ? std::numeric_limits<qint64>::max()
        : postgresTime + epochOffset;
}

/// An inet as host() writes it: family, bits, whether it is a cidr, bytes, and these.
QString addressFrom(const char* value, int size)
{
    constexpr int head = 4;
    constexpr char version4 = 2; // PGSQL_AF_INET; the other one is its successor
    const bool isOld = size > 0 && value[0] == version4;
    const int bytes = isOld ? 4 : 16;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (size < head + bytes || !inet_ntop(isOld ? AF_INET : AF_INET6, value + head, text.data(), text.size()))
        return {};
    return QString::fromLatin1(text.data());
}

template <class Number> Number parsed(const PGresult* result, int row, int column)
{
    Number number = 0;
    if (const char* start = PQgetvalue(result, row, column))
        std::from_chars(start, start + PQgetlength(result, row, column), number);
    return number;
}

/// Big-endian; a value of another length than its type has reads as 0.
template <class Number> Number number(const char* value, int size)
{
    return size == int(sizeof(Number)) ? qFromBigEndian<Number>(value) : Number();
}

qint64 integerFrom(Oid type, const char* value, int size)
{
    switch (type) {
    case Bool:
        return size == 1 && *value != 0 ? 1 : 0;
    case Int2:
        return number<qint16>(value, size);
    case Int4:
        return number<qint32>(value, size);
    case ObjectId:
    case TransactionId:
        return number<quint32>(value, size);
    case Int8:
        return number<qint64>(value, size);
    case TimestampTz:
        return epochOf(number<qint64>(value, size));
    default:
        return 0;
    }
}

double realFrom(const char* value, int size)
{
    const quint64 bits = number<quint64>(value, size);
    double real = 0;
    std::memcpy(&real, &bits, sizeof(real));
    return real;
}

constexpr qsizetype numberWidth = 32; ///< holds any qint64 or shortest double and its terminator
constexpr int bytesPerCodeUnit = 3; ///< UTF-8 needs at most 3 bytes for one UTF-16 code unit

size_t spaceFor(const Param& param)
{
    const auto* text = std::get_if<QString>(&param);
    return static_cast<size_t>(text ? text->size() * bytesPerCodeUnit + 1 : numberWidth);
}

char* terminated(char* end)
{
    *end = '\0';
    return end + 1;
}

/// Writes one value and its terminator; returns the end, or null if the text can't be sent.
struct ParamWriter {
    char* out;

    char* operator()(std::monostate) const { return out; }
    char* operator()(bool value) const
    {
        *out = value ? 't' : 'f';
        return terminated(out + 1);
    }
    char* operator()(qint64 value) const
    {
        return terminated(std::to_chars(out, out + numberWidth - 1, value).ptr);
    }
    char* operator()(ServerTime value) const { return (*this)(value.us); }
    char* operator()(double value) const
    {
        if (std::isinf(value))
            return terminated(std::copy_n(value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3, out));
        return terminated(std::to_chars(out, out + numberWidth - 1, value).ptr);
    }
    char* operator()(const QString& value) const
    {
        char* end = out;
        const char16_t* unit = reinterpret_cast<const char16_t*>(value.utf16());
        const char16_t* const stop = unit + value.size();
        while (unit != stop && *unit > 0 && *unit < 0x80)
            *end++ = static_cast<char>(*unit++);
        if (unit == stop)
            return terminated(end);
        const QStringView rest(unit, stop);
        if (rest.contains(QChar(0)) || !rest.isValidUtf16())
            return nullptr;
        QStringEncoder encoder(QStringEncoder::Utf8, QStringEncoder::Flag::Stateless);
        return terminated(encoder.appendToBuffer(end, rest));
    }
};

} // namespace

QString unreadableColumn(const PGresult* result)
{
    constexpr std::array readable{Bool, Name, Int8, Int2, Int4, Text, ObjectId, TransactionId, Float8,
        Unknown, Inet, VarChar, TimestampTz};
    for (int column = 0; column < PQnfields(result); ++column) {
        const bool isReadable = PQfformat(result, column) == 0
            || std::find(readable.begin(), readable.end(), PQftype(result, column)) != readable.end();
        if (!isReadable)
            return QString::fromUtf8(PQfname(result, column));
    }
    return {};
}

qint64 PostgresRow::int64(int column) const
{
    if (isNull(column))
        return 0;
    if (m_binary) {
        const Oid type = PQftype(m_result, column);
        if (!isText(type))
            return integerFrom(
                type, PQgetvalue(m_result, m_row, column), PQgetlength(m_result, m_row, column));
    }
    return parsed<qint64>(m_result, m_row, column);
}

double PostgresRow::real(int column) const
{
    if (m_binary && PQftype(m_result, column) == Float8)
        return realFrom(PQgetvalue(m_result, m_row, column), PQgetlength(m_result, m_row, column));
    return m_binary ? static_cast<double>(int64(column)) : parsed<double>(m_result, m_row, column);
}

bool PostgresRow::boolean(int column) const
{
    if (m_binary)
        return int64(column) != 0;
    const char* value = PQgetvalue(m_result, m_row, column);
    return value && *value == 't';
}

QString PostgresRow::text(int column) const
{
    if (isNull(column))
        return {};
    if (m_binary && !isText(PQftype(m_result, column)))
        return binaryText(column);
    const std::string_view utf8(
        PQgetvalue(m_result, m_row, column), static_cast<size_t>(PQgetlength(m_result, m_row, column)));
    const bool mayRepeat = column < RepeatedTexts::columns && utf8.size() <= RepeatedTexts::longest;
    if (const QString* same = mayRepeat ? m_repeated.find(column, utf8) : nullptr)
        return *same;
    const QString text = textFromUtf8(utf8);
    if (mayRepeat)
        m_repeated.keep(column, utf8, text);
    return text;
}

std::optional<std::string_view> PostgresRow::utf8(int column) const
{
    if (m_binary && !isText(PQftype(m_result, column)))
        return std::nullopt;
    return std::string_view(
        PQgetvalue(m_result, m_row, column), static_cast<size_t>(PQgetlength(m_result, m_row, column)));
}

QString PostgresRow::binaryText(int column) const
{
    switch (PQftype(m_result, column)) {
    case Bool:
        return boolean(column) ? QStringLiteral("t") : QStringLiteral("f");
    case Float8:
        return QString::number(real(column));
    case Inet:
        return addressFrom(PQgetvalue(m_result, m_row, column), PQgetlength(m_result, m_row, column));
    default:
        return QString::number(int64(column));
    }
}

Result<void> PostgresParams::bind(std::span<const Param> params)
{
    size_t space = 0;
    for (const Param& param : params)
        space += spaceFor(param);
    if (m_text.size() < space)
        m_text.resize(space);
    m_values.resize(params.size());
    char* out = m_text.data();
    for (size_t i = 0; i < params.size(); ++i) {
        m_values[i] = std::holds_alternative<std::monostate>(params[i]) ? nullptr : out;
        out = std::visit(ParamWriter{out}, params[i]);
        if (!out)
            return failure(ErrorKind::BadInput,
                QStringLiteral(
                    "The text for parameter %1 contains a NUL character or half of a surrogate pair.")
                    .arg(i + 1),
                QStringLiteral("PostgreSQL can't store it: leave the character out."));
    }
    return {};
}

} // namespace lockscope::db
