// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/DriverDatabase.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/OdbcRows.h"
#include "core/db/sqlserver/SqlServerConnection.h"

#include <QSqlQuery>

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

/// A session by Qt's driver QODBC, with api=qodbc: for ODBC drivers that fail with blocks of rows. Each row
/// and each value is a call of the driver. Values are bound and read by ODBC on the handle that Qt makes,
/// because Qt takes FreeTDS for a driver without Unicode. QODBC (6.4.2, with FreeTDS 1.3.17 and Microsoft's
/// driver 18.6) lacks:
///
/// * Why a login failed. It frees the handle, and with it the SQLSTATEs; of FreeTDS's records it keeps the
///   last number, which is 0 for a wrong password as for a host that can't be reached. A login that was
///   refused must not be tried again by itself, or the account gets locked: so each failure counts as one.
/// * The end of the wait. After the login QODBC asks for the type of times (sp_datatype_info) and sets
///   QUOTED_IDENTIFIER; if the server does not answer then, open() ends only because OdbcSocket cuts the
///   connection, where it knows it. Elsewhere the thread is left alone.
/// * Cancelling what begins or ends a transaction, sets the session up, or belongs to a script: Qt makes the
///   handle in the call that waits. All else is a call of sp_executesql, which is prepared before.
/// * What the server says beside its results (messages()).
class QtSqlConnection final : public SqlServerConnection {
public:
    QtSqlConnection(ServerUrl url, QString password, const ConnectOptions& options)
        : SqlServerConnection(std::move(url), std::move(password), options)
    {
    }
    ~QtSqlConnection() override { m_canceller.setStatement(SQL_NULL_HSTMT); }

    void* nativeHandle() const override { return m_handle; }

private:
    std::optional<Error> logIn(const QString& connectionString, milliseconds timeout) override;
    Answer send(const QString& text, Form form, Receiver& receiver, const QString& what) override;
    Answer receive(bool isSent, Receiver& receiver, const QString& what);
    void receiveRows(OdbcRows& rows, Receiver& receiver, Answer& answer, const QString& what);
    SQLHSTMT statement() const;

    DriverDatabase m_database{QStringLiteral("QODBC")};
    SQLHDBC m_handle = SQL_NULL_HDBC;
    std::optional<QSqlQuery> m_query; ///< once connected
};

} // namespace lockscope::db
