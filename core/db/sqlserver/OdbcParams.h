// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"

#include <deque>
#include <sql.h>

namespace lockscope::db {

/// The parameters of one remote procedure call: kept here, because ODBC binds by address, until the call is
/// over. A deque, because its elements stay where they are.
class OdbcParams {
public:
    void clear() { m_values.clear(); }
    /// BadInput for text with a NUL character or half a surrogate pair; `number` is for the error's text.
    Result<void> add(const Param& param, int number);
    void addText(const QString& text);
    int count() const { return static_cast<int>(m_values.size()); }
    /// Binds all to a statement's markers, in their order.
    bool bind(SQLHSTMT statement);

    /// The type that sp_executesql shall declare: "bigint", "nvarchar(4000)" …
    static QLatin1StringView typeName(const Param& param);

private:
    struct Value {
        SQLSMALLINT cType;
        SQLSMALLINT sqlType;
        SQLULEN size;
        qint64 number = 0;
        double real = 0;
        unsigned char bit = 0;
        QString text = {};
        SQLLEN length = 0; ///< in bytes, or SQL_NULL_DATA

        SQLPOINTER address();
    };

    std::deque<Value> m_values;
};

} // namespace lockscope::db
