// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

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

enum class Encryption {
    Yes, ///< TLS, or no connection
    No, ///< only the login is encrypted, if the server asks for that
    Strict, ///< TLS before the first byte of TDS (TDS 8.0; Microsoft's driver 18, SQL Server 2022)
};

enum class Authentication {
    Sql, ///< user and password of a SQL Server login
    Integrated, ///< the account that runs this program: Kerberos, or Windows itself
    EntraPassword,
    EntraIntegrated,
    EntraInteractive,
    EntraManagedIdentity,
    EntraServicePrincipal, ///< the user is the application's id, the password its secret
};

/// The options of a sqlserver:// URL. Each has a safe default:
///
///   driver=NAME       the ODBC driver; else the best that is installed (Microsoft's newest, then FreeTDS)
///   dsn=NAME          a data source of odbc.ini instead of a driver
///   api=odbc|qodbc    whether we call the driver ourselves or by Qt's QODBC; default odbc
///   encrypt=yes|no|strict                                        default yes
///   trust=yes|no      whether to accept a certificate that nobody vouches for; default no
///   certificate=HOST  the name in the certificate, if it is not the host's
///   auth=sql|integrated|entra-password|entra-integrated|entra-interactive|entra-managed-identity|
///        entra-service-principal                                 default sql
///   intent=readwrite|readonly                                    default readwrite; readonly lets the
///                     listener of an availability group route to a readable replica (name a database)
///   multisubnetfailover=yes|no    tries all addresses of a listener at once: for availability groups;
///                     default no. Microsoft's driver only: FreeTDS tries one after the other
///   spn=NAME          the server's principal name, for integrated authentication
///
/// The drivers' own spellings TrustServerCertificate, HostnameInCertificate, ApplicationIntent and ServerSPN
/// are understood, too.
struct SqlServerOptions {
    QString driver;
    QString dsn;
    bool byQt = false;
    Encryption encryption = Encryption::Yes;
    bool trustCertificate = false;
    QString certificateHost;
    Authentication authentication = Authentication::Sql;
    bool readOnlyIntent = false;
    bool multiSubnetFailover = false;
    QString spn;

    /// BadInput for an option or a value that isn't known.
    static Result<SqlServerOptions> fromUrl(const ServerUrl& url);
    /// Returns only what differs from the defaults; fromUrl gives the same value again.
    QMap<QString, QString> toUrlOptions() const;
    bool operator==(const SqlServerOptions&) const = default;
};

/// Returns whether the kind of login needs one; the others have their proof elsewhere.
bool needsPassword(Authentication authentication);

/// The connection string for `driver`. With Microsoft's driver 18 a server that vanished from the network is
/// noticed within 15 s (a probe after 5 s of silence, then each second; the system gives up after 9). FreeTDS
/// has no setting for it: it probes after 40 s of silence, then every 2 s, so that the system gives up after
/// 58 s. Code that must know earlier asks the server something and doesn't wait longer than that for the
/// answer. It holds the password: never log, show or keep it. Unsupported if the driver can't do what the
/// options ask for – FreeTDS can't verify a certificate by a connection string, for one – and BadInput for
/// values that it can't take.
Result<QString> connectionString(const ServerUrl& url, const SqlServerOptions& options,
    const OdbcDriver& driver, const QString& password, const QString& program);

/// The driver that the options name, or the best of those in `installed`; an error says what to install.
Result<OdbcDriver> chooseDriver(
    const SqlServerOptions& options, const QList<OdbcDriver>& installed, const QList<OdbcSource>& sources);

} // namespace lockscope::db
