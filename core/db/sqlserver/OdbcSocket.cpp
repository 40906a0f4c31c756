// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcSocket.h"

#include "core/db/AnswerLimits.h"

#include <QDir>

#include <chrono>

#ifdef Q_OS_LINUX
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds betweenLooks{50};

#ifdef Q_OS_LINUX

struct OpenSocket {
    int descriptor = -1;
    quint64 inode = 0;
};

/// Of this process.
std::vector<OpenSocket> openSockets()
{
    std::vector<OpenSocket> all;
    for (const QString& name : QDir(u"/proc/self/fd"_s).entryList(QDir::System | QDir::Files)) {
        struct stat told { };
        const int descriptor = name.toInt();
        if (fstat(descriptor, &told) == 0 && S_ISSOCK(told.st_mode))
            all.push_back({descriptor, told.st_ino});
    }
    return all;
}

int portOfPeer(int descriptor)
{
    sockaddr_storage peer{};
    socklen_t size = sizeof(peer);
    if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0)
        return 0;
    if (peer.ss_family == AF_INET)
        return ntohs(reinterpret_cast<const sockaddr_in&>(peer).sin_port);
    return peer.ss_family == AF_INET6 ? ntohs(reinterpret_cast<const sockaddr_in6&>(peer).sin6_port) : 0;
}

qint64 receivedBy(int descriptor)
{
    tcp_info told{};
    socklen_t size = sizeof(told);
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &told, &size) == 0
        ? static_cast<qint64>(told.tcpi_bytes_received)
        : 0;
}

#endif

} // namespace

#ifdef Q_OS_LINUX

OdbcSocket::OdbcSocket(int port)
    : m_port(port)
{
    for (const OpenSocket& each : port > 0 ? openSockets() : std::vector<OpenSocket>())
        m_before.insert(each.inode);
}

OdbcSocket::~OdbcSocket()
{
    if (m_socket >= 0)
        ::close(m_socket);
}

std::vector<int> OdbcSocket::opened() const
{
    std::vector<int> found;
    for (const OpenSocket& each : m_port > 0 ? openSockets() : std::vector<OpenSocket>())
        if (!m_before.contains(each.inode) && portOfPeer(each.descriptor) == m_port)
            found.push_back(each.descriptor);
    return found;
}

void OdbcSocket::keep()
{
    if (const std::vector<int> found = opened(); found.size() == 1)
        m_socket = fcntl(found.front(), F_DUPFD_CLOEXEC, 0);
}

qint64 OdbcSocket::received() const
{
    return m_socket < 0 ? 0 : receivedBy(m_socket);
}

void OdbcSocket::cut() const
{
    if (m_socket >= 0)
        ::shutdown(m_socket, SHUT_RDWR);
}

OdbcSocket::Connecting::Connecting(OdbcSocket& socket, milliseconds limit)
    : m_socket(socket)
{
    m_thread = std::thread([this, until = std::chrono::steady_clock::now() + limit] {
        const MutexLock lock(m_mutex);
        while (!m_isOver) {
            m_changed.waitFor(m_mutex, betweenLooks);
            const bool isLate = std::chrono::steady_clock::now() > until;
            for (const int each : m_isOver ? std::vector<int>() : m_socket.opened())
                if (isLate || receivedBy(each) > mostBytesOfLogin)
                    ::shutdown(each, SHUT_RDWR);
        }
    });
}

OdbcSocket::Connecting::~Connecting()
{
    {
        const MutexLock lock(m_mutex);
        m_isOver = true;
        m_changed.notifyAll();
    }
    m_thread.join();
    m_socket.keep();
}

#else

OdbcSocket::OdbcSocket(int port)
    : m_port(port)
{
}

OdbcSocket::~OdbcSocket() = default;

qint64 OdbcSocket::received() const
{
    return 0;
}

void OdbcSocket::cut() const { }

OdbcSocket::Connecting::Connecting(OdbcSocket& socket, milliseconds)
    : m_socket(socket)
{
}

OdbcSocket::Connecting::~Connecting() = default;

#endif

} // namespace lockscope::db
