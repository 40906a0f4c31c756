// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ServiceNotifier.h"

#include "app/lockctl/Console.h"

#include <QCoreApplication>

#ifdef Q_OS_LINUX
#include <cstddef>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#endif

namespace lockscope::ctl {

#ifdef Q_OS_LINUX

ServiceNotifier::ServiceNotifier()
    : m_address(qgetenv("NOTIFY_SOCKET"))
{
    const QByteArray watchdog = qgetenv("WATCHDOG_USEC");
    const QByteArray watched = qgetenv("WATCHDOG_PID");
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
        qunsetenv(name);
    // A path, or with '@' a name that is in no folder.
    const bool isAddress = (m_address.startsWith('/') || m_address.startsWith('@')) && m_address.size() > 1
        && static_cast<size_t>(m_address.size()) < sizeof(sockaddr_un::sun_path);
    if (!isAddress)
        return;
    m_socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (watched.isEmpty() || watched.toLongLong() == QCoreApplication::applicationPid())
        m_watchdog = std::chrono::microseconds(watchdog.toLongLong());
}

ServiceNotifier::~ServiceNotifier()
{
    if (m_socket >= 0)
        ::close(m_socket);
}

bool ServiceNotifier::send(const QByteArray& state) const
{
    if (m_socket < 0)
        return false;
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, m_address.constData(), static_cast<size_t>(m_address.size()));
    if (to.sun_path[0] == '@')
        to.sun_path[0] = '\0';
    const auto length =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + static_cast<size_t>(m_address.size()));
    return ::sendto(m_socket, state.constData(), static_cast<size_t>(state.size()),
               MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to), length)
        == static_cast<ssize_t>(state.size());
}

#else

ServiceNotifier::ServiceNotifier() = default;
ServiceNotifier::~ServiceNotifier() = default;

bool ServiceNotifier::send(const QByteArray& /*state*/) const
{
    return false;
}

#endif

void ServiceNotifier::ready()
{
    if (!m_isReady)
        m_isReady = send("READY=1");
}

void ServiceNotifier::alive()
{
    static_cast<void>(send("WATCHDOG=1"));
}

void ServiceNotifier::stopping()
{
    static_cast<void>(send("STOPPING=1"));
}

void ServiceNotifier::status(const QString& text)
{
    if (text != m_status && send("STATUS=" + printable(text).simplified().toUtf8()))
        m_status = text;
}

} // namespace lockscope::ctl
