// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/db/sqlserver/OdbcSocket.h"

#include <QStringList>

#include <optional>
#include <sql.h>

namespace lockscope::db {

/// The driver's records about its last call.
struct OdbcDiagnosis {
    QString codes; ///< numbers and SQLSTATEs, as SqlServerDialect::mapError takes them: "2627;23000"
    QString text; ///< without the drivers' names in brackets; not scrubbed

    /// Reads all records of a handle; mere information is left out where there is an error.
    static OdbcDiagnosis of(SQLSMALLINT handleType, SQLHANDLE handle);
    /// Returns whether SQL_SUCCESS_WITH_INFO hides an error: a block of rows that ends with one "succeeds".
    static bool anyError(SQLSMALLINT handleType, SQLHANDLE handle);
};

/// "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]Invalid object name" → "Invalid object name".
QString withoutDriverNames(QString text);

/// A connection of the driver manager and its environment. An environment each, because the driver manager
/// lets only one thread at a time work in one.
class OdbcLink {
public:
    /// Bytes in a packet of the connection, if the server agrees: what .NET asks for. With the 4,096 of ODBC
    /// the calls that read packets are a good part of what a long answer costs us.
    static constexpr quint32 packetSize = 8'000;

    OdbcLink() = default;
    ~OdbcLink();
    Q_DISABLE_COPY_MOVE(OdbcLink)

    /// Connects by `socket`; the reason if that fails. Blocks up to the time-out, which the driver counts in
    /// seconds.
    std::optional<OdbcDiagnosis> open(
        const QString& connectionString, milliseconds timeout, OdbcSocket& socket);
    SQLHDBC handle() const { return m_connection; }
    /// "libtdsodbc.so 01.03.0017 by driver manager 03.52": of an open connection's native handle.
    static QString driverText(SQLHDBC connection);

private:
    SQLHENV m_environment = SQL_NULL_HENV;
    SQLHDBC m_connection = SQL_NULL_HDBC;
    bool m_connected = false;
};

/// Whole seconds that hold `duration`: what ODBC's time-outs are given in.
SQLULEN wholeSeconds(milliseconds duration);

} // namespace lockscope::db
