// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

#include <QString>

#include <atomic>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lockscope::test {

/// The way to a server, over a port of this machine, on which packets get lost. Any thread.
class FaultyNetwork {
public:
    explicit FaultyNetwork(const db::ServerUrl& server);
    ~FaultyNetwork();
    Q_DISABLE_COPY_MOVE(FaultyNetwork)

    db::ServerUrl url() const; ///< the server by this way
    /// Nothing gets through in either direction, and nobody notices: a client that connects is accepted, and
    /// hears nothing.
    void stall() { set(State::Stalled); }
    /// The client's data gets through, and no answer comes back.
    void stallAnswers() { set(State::AnswersStalled); }
    /// Every connection breaks, and who connects is cut off at once.
    void cut() { set(State::Cut); }
    /// Stalled connections continue; cut ones stay cut.
    void mend() { set(State::Fine); }
    int connections() const { return m_connections; } ///< that are open

private:
    enum class State { Fine, Stalled, AnswersStalled, Cut };
    struct Link {
        int client;
        int server;
    };

    void set(State state);
    void work();
    void accept();
    int connectToServer() const;
    static bool pass(int from, int to);

    const db::ServerUrl m_server;
    int m_listener = -1;
    int m_wake[2] = {-1, -1};
    quint16 m_port = 0;
    std::atomic<State> m_state = State::Fine;
    std::atomic<State> m_obeyed = State::Fine;
    std::atomic<bool> m_leave = false;
    std::atomic<int> m_connections = 0;
    std::vector<Link> m_links; ///< the thread's own
    std::thread m_thread;
};

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
