// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"

#include <set>
#include <thread>
#include <vector>

namespace lockscope::db {

/// The socket that a driver has opened, which ODBC does not tell. A driver reads for as long as the server
/// sends, keeps what it says beside its results, and reads on when a statement is closed; nothing ends that
/// but the end of the connection. What is found is what has come since, to the same port, in this process: if
/// two connect to it at the same time, both are cut while they connect, and none later. Linux; elsewhere
/// nothing is found. Any thread.
class OdbcSocket {
public:
    /// Before the driver connects. 0: the port is not known, and nothing will be found.
    explicit OdbcSocket(int port);
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

    /// How much has come so far; 0 if the socket is not known.
    qint64 received() const;
    /// Whoever reads gets the end of the connection.
    void cut() const;

private:
    std::vector<int> opened() const;
    void keep();

    const int m_port;
    std::set<quint64> m_before; ///< by number of the inode
    int m_socket = -1; ///< our own descriptor of it, so that the number is nobody else's; −1: not known
};

} // namespace lockscope::db
