// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/BusProbe.h"

#ifdef Q_OS_UNIX

#include <QByteArrayList>
#include <QScopeGuard>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace lockscope::db {

namespace {

/// The socket of the first "unix:" address; an abstract one begins with NUL. Empty if there is none.
QByteArray socketOf(const QByteArray& address)
{
    const QByteArray first = address.split(';').constFirst();
    if (!first.startsWith("unix:"))
        return {};
    for (const QByteArray& part : first.mid(qsizetype(qstrlen("unix:"))).split(',')) {
        if (part.startsWith("path="))
            return QByteArray::fromPercentEncoding(part.mid(5));
        if (part.startsWith("abstract="))
            return QByteArray(1, '\0') + QByteArray::fromPercentEncoding(part.mid(9));
    }
    return {};
}

} // namespace

BusState probeBus(const QByteArray& address, milliseconds patience)
{
    const QByteArray path = socketOf(address);
    sockaddr_un target{};
    if (path.isEmpty() || path.size() >= static_cast<qsizetype>(sizeof target.sun_path))
        return BusState::Unknown;
    target.sun_family = AF_UNIX;
    std::memcpy(target.sun_path, path.constData(), static_cast<size_t>(path.size()));
    const bool isAbstract = path.startsWith('\0');
    const auto size =
        offsetof(sockaddr_un, sun_path) + static_cast<size_t>(path.size()) + (isAbstract ? 0 : 1);

    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return BusState::Unknown;
    const auto closed = qScopeGuard([fd] { close(fd); });
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&target), static_cast<socklen_t>(size)) != 0)
        return errno == EAGAIN ? BusState::Silent
                               : BusState::Missing; // nobody takes the calls that came before
    const QByteArray greeting =
        QByteArray(1, '\0') + "AUTH EXTERNAL " + QByteArray::number(getuid()).toHex() + "\r\n";
    if (send(fd, greeting.constData(), static_cast<size_t>(greeting.size()), MSG_NOSIGNAL) != greeting.size())
        return BusState::Silent;
    pollfd answer{fd, POLLIN, 0};
    char byte = 0;
    const bool isReady = poll(&answer, 1, static_cast<int>(patience.count())) > 0;
    return isReady && recv(fd, &byte, 1, 0) == 1 ? BusState::Answers : BusState::Silent;
}

} // namespace lockscope::db

#else

namespace lockscope::db {

BusState probeBus(const QByteArray&, milliseconds)
{
    return BusState::Unknown;
}

} // namespace lockscope::db

#endif
