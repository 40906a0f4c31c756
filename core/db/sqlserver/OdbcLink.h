// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"
#include "core/db/Dialect.h"
#include "core/db/Statement.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <set>
#include <sql.h>
#include <string>
#include <thread>
#include <vector>

namespace lockscope::db {

/// The socket that a driver has opened, which ODBC does not tell. A driver reads for as long as the server
/// sends, keeps what it says beside its results, and reads on when a statement is closed; nothing ends that
/// but the end of the connection. What is found has come since, to the same address and port, in this
/// process, and is nobody else's: if two connect to one server at the same time, both are cut while they
/// connect, and none later. Linux; elsewhere nothing is found. Any thread.
class OdbcSocket {
public:
    /// To be made before the driver connects. Looks the host up, which blocks. If that fails, or the port is
    /// 0, which is not known, nothing will be found.
    OdbcSocket(const QString& host, int port);
    ~OdbcSocket();
    Q_DISABLE_COPY_MOVE(OdbcSocket)

    /// While it lives the driver connects: it is cut after `limit`, or if the server sends too much
    /// meanwhile.
    class Connecting {
    public:
        Connecting(OdbcSocket& socket, milliseconds limit);
        ~Connecting();
        Q_DISABLE_COPY_MOVE(Connecting)

    private:
        OdbcSocket& m_socket;
        Mutex m_mutex;
        ConditionVariable m_changed;
        bool m_isOver LOCKSCOPE_GUARDED_BY(m_mutex) = false;
        std::thread m_thread;
    };

    /// Returns the number of bytes received so far; 0 if the socket is not known.
    qint64 received() const;
    /// Ends the connection for its readers.
    void cut() const;

private:
    std::vector<int> opened() const;
    void keep();

    const int m_port;
    std::set<std::string> m_addresses; ///< of the host, as the sockets have them
    std::set<quint64> m_before; ///< by number of the inode
    int m_socket = -1; ///< our own descriptor of it, so that the number is nobody else's; −1: not known
};

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
