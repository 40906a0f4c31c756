// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QList>
#include <QString>

namespace lockscope::db {

enum class OdbcDriverKind {
    Microsoft, ///< "ODBC Driver 17 for SQL Server" and 18
    FreeTds,
    Other, ///< not known to speak to SQL Server
};

struct OdbcDriver {
    QString name; ///< as registered with the driver manager
    OdbcDriverKind kind = OdbcDriverKind::Other;
    int version = 0; ///< Microsoft's: 17, 18; else 0

    bool operator==(const OdbcDriver&) const = default;
};

/// A data source that the user or the administrator set up (odbc.ini).
struct OdbcSource {
    QString name;
    OdbcDriver driver;

    bool operator==(const OdbcSource&) const = default;
};

/// Returns the properties of the driver of that name.
OdbcDriver odbcDriver(const QString& name);
/// The drivers of the driver manager's list that we can use for SQL Server: the best one first (Microsoft's
/// newest, then FreeTDS). Reads files: not for every frame, any thread.
QList<OdbcDriver> installedOdbcDrivers();
/// The data sources whose driver we can use, by name.
QList<OdbcSource> odbcSources();

} // namespace lockscope::db
