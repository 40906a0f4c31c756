// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"

#include <QString>

#include <set>
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

} // namespace lockscope::db
