// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/TdsServer.h"

#include <QSqlDatabase>

namespace lockscope::test::tds {

/// The login and the server of a connection.
struct OdbcLogin {
    QString user = QStringLiteral("ann");
    QString password = QStringLiteral("secret");
    QString program = QStringLiteral("test");
    QString database = QStringLiteral("orders");
};

/// The driver, called by ODBC itself or by Qt's QODBC.
enum class OdbcDriver { FreeTds, Microsoft, FreeTdsByQt, MicrosoftByQt };
bool isFreeTds(OdbcDriver driver);
bool isByQt(OdbcDriver driver);
/// Returns unixODBC's name for it: "FreeTDS", "ODBC Driver 18 for SQL Server".
QString driverName(OdbcDriver driver);
bool isInstalled(OdbcDriver driver);

/// For tests that run once with each driver: addDrivers() makes initTestCase_data(), and init() skips if
/// useDriverOfRow() says that the driver isn't installed.
/// The rows of Qt's QODBC are those of a suite that runs over it, too.
enum class Interfaces { Odbc, Both };
void addDrivers(Interfaces interfaces = Interfaces::Odbc);
bool useDriverOfRow();
/// Uses this driver from now on; returns whether it is installed.
bool use(OdbcDriver driver);
/// FreeTDS unless a test says otherwise.
OdbcDriver driverInUse();

/// A connection string without a DSN and without encryption.
QString connectionString(
    const TdsServer& server, const OdbcLogin& login = {}, OdbcDriver driver = driverInUse());

/// A connection of Qt's own ODBC plugin. It belongs to the thread that made it.
class OdbcSession {
public:
    explicit OdbcSession(const QString& connectionString);
    ~OdbcSession();
    Q_DISABLE_COPY_MOVE(OdbcSession)

    QSqlDatabase& database() { return m_database; }
    /// Open, else the reason is in database().lastError().
    bool isOpen() const { return m_database.isOpen(); }

private:
    const QString m_name;
    QSqlDatabase m_database;
};

} // namespace lockscope::test::tds
