// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/AnswerLimits.h"

#include <algorithm>
#include <cstddef>
#include <sys/ioctl.h>
#include <sys/socket.h>

#ifdef Q_OS_LINUX
#include <linux/tcp.h>
#include <netinet/in.h>
#endif

namespace lockscope::db {

using namespace Qt::StringLiterals;

Error tooLongAnswer(const QString& what, const QString& server, qint64 maxBytes)
{
    return {.kind = ErrorKind::Connection,
        .what = what,
        .server = server,
        .detail = u"More than %1 MB came in answer to it: it was given up."_s.arg(maxBytes >> 20),
        .hint =
            u"No answer that Lockscope asks for is that long. Check that this is your server or file, and what stands between."_s};
}

namespace {

constexpr int bufferOfLibpq = 16 * 1024;

} // namespace

qint64 ReceivedBytes::ofSocket(int socket)
{
#ifdef Q_OS_LINUX
    tcp_info info{};
    socklen_t size = sizeof(info);
    constexpr size_t needed = offsetof(tcp_info, tcpi_bytes_received) + sizeof(info.tcpi_bytes_received);
    if (socket >= 0 && ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && size >= needed)
        return static_cast<qint64>(info.tcpi_bytes_received);
#else
    Q_UNUSED(socket)
#endif
    return -1;
}

void ReceivedBytes::start(int socket)
{
    m_before = ofSocket(socket);
    m_seen = 0;
}

void ReceivedBytes::beforeRead(int socket)
{
    int waiting = 0;
    if (m_before < 0 && socket >= 0 && ::ioctl(socket, FIONREAD, &waiting) == 0)
        m_seen += std::min(waiting, bufferOfLibpq);
}

qint64 ReceivedBytes::count(int socket) const
{
    return m_before < 0 ? m_seen : std::max<qint64>(0, ofSocket(socket) - m_before);
}

} // namespace lockscope::db
