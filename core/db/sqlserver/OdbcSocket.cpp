// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcLink.h"

#include "core/db/AnswerLimits.h"

#include <QDir>

#include <algorithm>
#include <chrono>

#ifdef Q_OS_LINUX
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds betweenChecks{50};

#ifdef Q_OS_LINUX

struct OpenSocket {
    int descriptor = -1;
    quint64 inode = 0;
};

/// Returns the open sockets of this process.
std::vector<OpenSocket> openSockets()
{
    std::vector<OpenSocket> all;
    for (const QString& name : QDir(u"/proc/self/fd"_s).entryList(QDir::System | QDir::Files)) {
        struct stat status { };
        const int descriptor = name.toInt();
        if (fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode))
            all.push_back({descriptor, status.st_ino});
    }
    return all;
}

struct Peer {
    std::string address;
    int port = 0;
};

template <class Address> std::string bytesOf(const Address& address)
{
    return {reinterpret_cast<const char*>(&address), sizeof(address)};
}

Peer peerOf(const sockaddr* address)
{
    if (address->sa_family == AF_INET) {
        const auto* const v4 = reinterpret_cast<const sockaddr_in*>(address);
        return {bytesOf(v4->sin_addr), ntohs(v4->sin_port)};
    }
    if (address->sa_family == AF_INET6) {
        const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(address);
        return {bytesOf(v6->sin6_addr), ntohs(v6->sin6_port)};
    }
    return {};
}

Peer peerOf(int descriptor)
{
    sockaddr_storage peer{};
    socklen_t size = sizeof(peer);
    auto* const address = reinterpret_cast<sockaddr*>(&peer);
    return getpeername(descriptor, address, &size) == 0 ? peerOf(address) : Peer();
}

std::set<std::string> addressesOf(const QString& host)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    std::set<std::string> addresses;
    if (getaddrinfo(host.toUtf8().constData(), nullptr, &hints, &found) != 0)
        return addresses;
    for (const addrinfo* each = found; each; each = each->ai_next)
        addresses.insert(peerOf(each->ai_addr).address);
    freeaddrinfo(found);
    return addresses;
}

/// The sockets that a connection has found to be its own, by number of the inode.
struct OwnedSockets {
    Mutex mutex;
    std::set<quint64> inodes LOCKSCOPE_GUARDED_BY(mutex);

    static OwnedSockets& all()
    {
        static OwnedSockets owned;
        return owned;
    }
    bool contains(quint64 inode)
    {
        const MutexLock lock(mutex);
        return inodes.contains(inode);
    }
};

quint64 inodeOf(int descriptor)
{
    struct stat status { };
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

#endif

} // namespace

#ifdef Q_OS_LINUX

OdbcSocket::OdbcSocket(const QString& host, int port)
    : m_port(port)
{
    if (port <= 0)
        return;
    m_addresses = addressesOf(host);
    for (const OpenSocket& each : openSockets())
        m_before.insert(each.inode);
}

OdbcSocket::~OdbcSocket()
{
    if (m_socket < 0)
        return;
    OwnedSockets& owned = OwnedSockets::all();
    {
        const MutexLock lock(owned.mutex);
        owned.inodes.erase(inodeOf(m_socket));
    }
    ::close(m_socket);
}

std::vector<int> OdbcSocket::opened() const
{
    std::vector<int> found;
    if (m_addresses.empty())
        return found;
    for (const OpenSocket& each : openSockets()) {
        if (m_before.contains(each.inode) || OwnedSockets::all().contains(each.inode))
            continue;
        const Peer peer = peerOf(each.descriptor);
        if (peer.port == m_port && m_addresses.contains(peer.address))
            found.push_back(each.descriptor);
    }
    return found;
}

void OdbcSocket::keep()
{
    const std::vector<int> found = opened();
    if (found.size() != 1)
        return;
    m_socket = fcntl(found.front(), F_DUPFD_CLOEXEC, 0);
    OwnedSockets& owned = OwnedSockets::all();
    const MutexLock lock(owned.mutex);
    owned.inodes.insert(inodeOf(m_socket));
}

qint64 OdbcSocket::received() const
{
    return std::max<qint64>(0, ReceivedBytes::ofSocket(m_socket));
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
            m_changed.waitFor(m_mutex, betweenChecks);
            const bool isLate = std::chrono::steady_clock::now() > until;
            for (const int each : m_isOver ? std::vector<int>() : m_socket.opened())
                if (isLate || ReceivedBytes::ofSocket(each) > maxBytesOfLogin)
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

OdbcSocket::OdbcSocket(const QString&, int port)
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
