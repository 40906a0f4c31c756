// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"

#include <QStringList>

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

} // namespace lockscope::db
