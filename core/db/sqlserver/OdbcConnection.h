// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/OdbcRows.h"
#include "core/db/sqlserver/SqlServerConnection.h"

namespace lockscope::db {

/// Driven through ODBC itself. (Qt's plugin loses the error numbers of a login that was refused, is a program
/// of ODBC 2 by default, to which drivers give no blocks of rows, and sends statements of its own.)
class OdbcConnection final : public SqlServerConnection {
public:
    OdbcConnection(ServerUrl url, QString password, const ConnectOptions& options)
        : SqlServerConnection(std::move(url), std::move(password), options)
    {
    }
    ~OdbcConnection() override;

    void* nativeHandle() const override { return m_link.handle(); }

private:
    std::optional<Error> logIn(const QString& connectionString, milliseconds timeout) override;
    Answer send(const QString& text, Form form, Receiver& receiver, const QString& what) override;
    void takeWideAsSent(bool take) override { m_rows->takeWideAsSent(take); }
    Answer receive(SQLRETURN code, Receiver& receiver, const QString& what);
    void receiveRows(SQLSMALLINT columns, Receiver& receiver, Answer& answer, const QString& what);

    OdbcLink m_link;
    SQLHSTMT m_statement = SQL_NULL_HSTMT;
    std::optional<OdbcRows> m_rows;
};

} // namespace lockscope::db
