// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/FaultyNetwork.h"

#include <algorithm>
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/un.h>

namespace lockscope::test {

static sockaddr_in localPort(quint16 port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

FaultyNetwork::FaultyNetwork(const db::ServerUrl& server)
    : m_server(server)
{
    m_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = localPort(0);
    socklen_t size = sizeof(address);
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (bind(m_listener, plain, size) != 0 || listen(m_listener, 64) != 0
        || getsockname(m_listener, plain, &size) != 0 || pipe2(m_wake, O_CLOEXEC | O_NONBLOCK) != 0)
        qFatal("no port for a faulty network");
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this] { work(); });
}

FaultyNetwork::~FaultyNetwork()
{
    m_leave = true;
    set(State::Cut);
    m_thread.join();
    for (const int descriptor : {m_listener, m_wake[0], m_wake[1]})
        close(descriptor);
}

db::ServerUrl FaultyNetwork::url() const
{
    db::ServerUrl url = m_server;
    url.host = QStringLiteral("127.0.0.1");
    url.port = m_port;
    return url;
}

/// Returns once it is so.
void FaultyNetwork::set(State state)
{
    m_state = state;
    [[maybe_unused]] const auto written = write(m_wake[1], "w", 1);
    while (m_obeyed != state && !m_leave)
        std::this_thread::yield();
}

void FaultyNetwork::work()
{
    while (!m_leave) {
        const State state = m_state;
        if (state == State::Cut) {
            for (const Link& link : m_links)
                for (const int end : {link.client, link.server})
                    close(end);
            m_links.clear();
            m_connections = 0;
        }
        m_obeyed = state;
        std::vector<pollfd> polled{{m_listener, POLLIN, 0}, {m_wake[0], POLLIN, 0}};
        const bool isHeard = state == State::Fine || state == State::AnswersStalled;
        for (const Link& link : m_links) {
            polled.push_back({isHeard ? link.client : -1, POLLIN, 0});
            polled.push_back({state == State::Fine ? link.server : -1, POLLIN, 0});
        }
        poll(polled.data(), polled.size(), -1);
        for (std::array<char, 64> bytes{}; read(m_wake[0], bytes.data(), bytes.size()) > 0;) { }
        if (m_state != state)
            continue;
        std::vector<std::size_t> ended;
        for (std::size_t i = 0; i < m_links.size(); ++i) {
            const Link& link = m_links[i];
            const bool goesOn = (polled[2 + 2 * i].revents == 0 || pass(link.client, link.server))
                && (polled[3 + 2 * i].revents == 0 || pass(link.server, link.client));
            if (!goesOn)
                ended.push_back(i);
        }
        for (auto i = ended.rbegin(); i != ended.rend(); ++i) {
            close(m_links[*i].client);
            close(m_links[*i].server);
            m_links.erase(m_links.begin() + static_cast<std::ptrdiff_t>(*i));
        }
        if (polled[0].revents != 0)
            accept();
        m_connections = static_cast<int>(m_links.size());
    }
}

void FaultyNetwork::accept()
{
    const int client = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = m_state == State::Cut ? -1 : connectToServer();
    if (client >= 0 && server >= 0)
        m_links.push_back({client, server});
    else if (client >= 0)
        close(client);
}

int FaultyNetwork::connectToServer() const
{
    if (!m_server.host.startsWith(u'/')) {
        const int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in address = localPort(static_cast<quint16>(m_server.port));
        if (connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
            return end;
        close(end);
        return -1;
    }
    const int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int port = m_server.port != 0 ? static_cast<int>(m_server.port) : 5432;
    const QByteArray path = (m_server.host + QStringLiteral("/.s.PGSQL.%1").arg(port)).toLocal8Bit();
    std::copy_n(
        path.begin(), std::min<std::size_t>(path.size(), sizeof(address.sun_path) - 1), address.sun_path);
    if (connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
        return end;
    close(end);
    return -1;
}

/// False at the end of the connection.
bool FaultyNetwork::pass(int from, int to)
{
    std::array<char, 65536> bytes;
    const ssize_t got = read(from, bytes.data(), bytes.size());
    for (ssize_t sent = 0; sent < got;) {
        const ssize_t written =
            send(to, bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
        if (written <= 0)
            return false;
        sent += written;
    }
    return got > 0;
}

} // namespace lockscope::test
