// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/Waiting.h"

#include <QByteArrayList>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace lockscope::test {

/// The socket on which a service manager listens.
class NotifySocket {
public:
    explicit NotifySocket(const QByteArray& address)
        : m_socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::memcpy(name.sun_path, address.constData(), static_cast<size_t>(address.size()));
        if (name.sun_path[0] == '@')
            name.sun_path[0] = '\0';
        const auto length =
            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + static_cast<size_t>(address.size()));
        if (::bind(m_socket, reinterpret_cast<const sockaddr*>(&name), length) != 0)
            qFatal("no socket");
    }
    ~NotifySocket() { ::close(m_socket); }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    /// Returns all messages so far.
    const QByteArrayList& received()
    {
        char buffer[4'096];
        for (ssize_t size = 0; (size = ::recv(m_socket, buffer, sizeof buffer, 0)) > 0;)
            m_received << QByteArray(buffer, size);
        return m_received;
    }
    bool waitFor(const QByteArray& what, qsizetype times = 1)
    {
        return waitUntil([&] { return received().count(what) >= times; });
    }
    bool waitForStatus(const QByteArray& part)
    {
        return waitUntil([&] {
            return std::any_of(received().begin(), received().end(),
                [&](const QByteArray& each) { return each.startsWith("STATUS=") && each.contains(part); });
        });
    }

private:
    int m_socket;
    QByteArrayList m_received;
};

} // namespace lockscope::test
