// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"

#include <sqlite3.h>

namespace lockscope::db {

/// The current row of a stepped statement. SQLite converts between its types as its documentation tells.
class SqliteRow final : public Row {
public:
    explicit SqliteRow(sqlite3_stmt* statement)
        : m_statement(statement)
    {
    }
    bool isNull(int column) const override { return sqlite3_column_type(m_statement, column) == SQLITE_NULL; }
    qint64 int64(int column) const override { return sqlite3_column_int64(m_statement, column); }
    double real(int column) const override { return sqlite3_column_double(m_statement, column); }
    bool boolean(int column) const override { return int64(column) != 0; }
    QString text(int column) const override
    {
        if (isNull(column))
            return {};
        const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
        const int bytes = sqlite3_column_bytes(m_statement, column);
        return bytes == 0 || !start ? QStringLiteral("") : QString::fromUtf8(start, bytes);
    }
    /// As AnswerLimits.h counts them: 8 a value, and its text.
    qint64 bytes() const
    {
        qint64 sum = 0;
        for (int column = 0; column < sqlite3_column_count(m_statement); ++column) {
            const int type = sqlite3_column_type(m_statement, column);
            sum += 8
                + (type == SQLITE_TEXT || type == SQLITE_BLOB ? sqlite3_column_bytes(m_statement, column)
                                                              : 0);
        }
        return sum;
    }

private:
    sqlite3_stmt* m_statement;
};

} // namespace lockscope::db
