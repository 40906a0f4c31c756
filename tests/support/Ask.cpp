// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Ask.h"

#include "tests/support/TestServer.h"

namespace lockscope::test {

QString ask(db::Connection& connection, const QString& sql, std::initializer_list<db::Param> params)
{
    QString answer;
    const auto rows =
        connection.execute(sqlStatement(sql), params, [&](const db::Row& row) { answer = row.text(0); });
    return rows ? answer : rows.error().toString();
}

db::ConnectOptions monitorOptions(milliseconds statementTimeout, milliseconds connectTimeout)
{
    db::ConnectOptions options;
    options.purpose = db::Purpose::Monitor;
    options.statementTimeout = statementTimeout;
    options.connectTimeout = connectTimeout;
    return options;
}

} // namespace lockscope::test
