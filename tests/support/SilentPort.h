// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lockscope::test {

/// Accepts connections, as the system does, and never sends anything.
class SilentPort {
public:
    SilentPort()
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(m_socket, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(m_socket, 64) != 0
            || ::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            qFatal("no port");
        m_port = ntohs(address.sin_port);
    }
    ~SilentPort() { ::close(m_socket); }
    Q_DISABLE_COPY_MOVE(SilentPort)

    QString database(int number) const
    {
        return QStringLiteral("postgresql://ann@127.0.0.1:%1/silent%2").arg(m_port).arg(number);
    }

private:
    const int m_socket;
    quint16 m_port = 0;
};

} // namespace lockscope::test
