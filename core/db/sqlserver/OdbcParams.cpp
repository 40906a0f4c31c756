// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcParams.h"

#include <algorithm>
#include <sqlext.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxShortTextLength = 4'000; ///< nvarchar(4000); above it is nvarchar(max)

} // namespace

SQLPOINTER OdbcParams::Value::address()
{
    switch (cType) {
    case SQL_C_SBIGINT:
        return &number;
    case SQL_C_DOUBLE:
        return &real;
    case SQL_C_BIT:
        return &bit;
    default:
        return text.data();
    }
}

QLatin1StringView OdbcParams::typeName(const Param& param)
{
    if (std::holds_alternative<bool>(param))
        return "bit"_L1;
    if (std::holds_alternative<qint64>(param) || std::holds_alternative<ServerTime>(param))
        return "bigint"_L1;
    if (std::holds_alternative<double>(param))
        return "float"_L1;
    if (const auto* text = std::get_if<QString>(&param))
        return text->size() > maxShortTextLength ? "nvarchar(max)"_L1 : "nvarchar(4000)"_L1;
    return "nvarchar(1)"_L1;
}

void OdbcParams::addText(const QString& text)
{
    const bool isLong = text.size() > maxShortTextLength;
    Value value{.cType = SQL_C_WCHAR,
        .sqlType = static_cast<SQLSMALLINT>(isLong ? SQL_WLONGVARCHAR : SQL_WVARCHAR),
        .size = static_cast<SQLULEN>(std::max<qsizetype>(text.size(), 1))};
    value.text = text;
    value.length = static_cast<SQLLEN>(text.size() * 2);
    m_values.push_back(std::move(value));
}

Result<void> OdbcParams::add(const Param& param, int number)
{
    if (const auto* text = std::get_if<QString>(&param)) {
        if (text->contains(QChar(0)) || !text->isValidUtf16())
            return failure(ErrorKind::BadInput,
                u"The text for parameter %1 contains a NUL character or half of a surrogate pair."_s.arg(
                    number),
                u"Leave the character out."_s);
        addText(*text);
        return {};
    }
    if (const auto* truth = std::get_if<bool>(&param)) {
        Value value{.cType = SQL_C_BIT, .sqlType = SQL_BIT, .size = 1};
        value.bit = *truth ? 1 : 0;
        m_values.push_back(value);
    } else if (const auto* real = std::get_if<double>(&param)) {
        Value value{.cType = SQL_C_DOUBLE, .sqlType = SQL_DOUBLE, .size = 53};
        value.real = *real;
        m_values.push_back(value);
    } else if (std::holds_alternative<std::monostate>(param)) {
        Value value{.cType = SQL_C_WCHAR, .sqlType = SQL_WVARCHAR, .size = 1};
        value.length = SQL_NULL_DATA;
        m_values.push_back(value);
    } else {
        Value value{.cType = SQL_C_SBIGINT, .sqlType = SQL_BIGINT, .size = 19};
        const auto* time = std::get_if<ServerTime>(&param);
        value.number = time ? time->us : std::get<qint64>(param);
        m_values.push_back(value);
    }
    return {};
}

bool OdbcParams::bind(SQLHSTMT statement)
{
    SQLUSMALLINT position = 0;
    for (Value& value : m_values) {
        const SQLRETURN code = SQLBindParameter(statement, ++position, SQL_PARAM_INPUT, value.cType,
            value.sqlType, value.size, 0, value.address(),
            value.cType == SQL_C_WCHAR ? std::max<SQLLEN>(value.length, 2) : 0, &value.length);
        if (!SQL_SUCCEEDED(code))
            return false;
    }
    return true;
}

} // namespace lockscope::db
