// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresRow.h"

#include "core/base/Utf8.h"

#include <charconv>

namespace lockscope::db {

namespace {

template <class Number> Number parsed(const PGresult* result, int row, int column)
{
    Number number = 0;
    if (const char* start = PQgetvalue(result, row, column))
        std::from_chars(start, start + PQgetlength(result, row, column), number);
    return number;
}

} // namespace

qint64 PostgresRow::int64(int column) const
{
    return parsed<qint64>(m_result, m_row, column);
}

double PostgresRow::real(int column) const
{
    return parsed<double>(m_result, m_row, column);
}

bool PostgresRow::boolean(int column) const
{
    const char* value = PQgetvalue(m_result, m_row, column);
    return value && *value == 't';
}

QString PostgresRow::text(int column) const
{
    if (isNull(column))
        return {};
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

} // namespace lockscope::db
