// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresConnection.h"

#include "core/base/Mutex.h"

#include <QtDebug>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace lockscope::db {

struct PostgresCanceller::Shared {
    Shared(PGconn* connection, std::shared_ptr<WakePipe> wakePipe)
        : request(PQgetCancel(connection), PQfreeCancel)
        , pipe(std::move(wakePipe))
    {
    }
    const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> request;
    const std::shared_ptr<WakePipe> pipe;
    Mutex mutex;
    bool underWay LOCKSCOPE_GUARDED_BY(mutex) = false;
};

PostgresCanceller::PostgresCanceller(PGconn* connection, std::shared_ptr<WakePipe> pipe)
    : m_shared(std::make_shared<Shared>(connection, std::move(pipe)))
{
}

void PostgresCanceller::send()
{
    {
        const MutexLock guard(m_shared->mutex);
        if (m_shared->underWay)
            return;
        m_shared->underWay = true;
    }
    std::thread([shared = m_shared] {
        // A request that fails is repeated by the waiting thread for as long as the statement runs.
        std::array<char, 256> reason;
        PQcancel(shared->request.get(), reason.data(), reason.size());
        {
            const MutexLock guard(shared->mutex);
            shared->underWay = false;
        }
        shared->pipe->wake();
    }).detach();
}

bool PostgresCanceller::isSettled() const
{
    const MutexLock guard(m_shared->mutex);
    return !m_shared->underWay;
}

WakePipe::WakePipe()
{
    if (pipe(m_ends) != 0)
        qFatal("No file descriptor is left for a pipe.");
    for (const int end : m_ends) {
        fcntl(end, F_SETFD, FD_CLOEXEC);
        fcntl(end, F_SETFL, O_NONBLOCK);
    }
}

WakePipe::~WakePipe()
{
    for (const int end : m_ends)
        close(end);
}

void WakePipe::wake()
{
    // A full pipe refuses the byte, but then a wake is pending already.
    [[maybe_unused]] const ssize_t written = write(m_ends[1], "w", 1);
}

Wait WakePipe::wait(int socket, bool orToWrite, milliseconds timeout)
{
    const auto events = static_cast<short>(orToWrite ? POLLIN | POLLOUT : POLLIN);
    std::array<pollfd, 2> polled{pollfd{socket, events, 0}, pollfd{m_ends[0], POLLIN, 0}};
    const int limit = timeout.count() < 0
        ? -1
        : static_cast<int>(std::min<qint64>(timeout.count(), std::numeric_limits<int>::max()));
    const int ready = poll(polled.data(), polled.size(), limit);
    if (ready == 0)
        return Wait::TimedOut;
    if (ready < 0) // interrupted by a signal: let the caller check its deadlines
        return Wait::Woken;
    if (polled[1].revents != 0) {
        std::array<char, 64> bytes;
        while (::read(m_ends[0], bytes.data(), bytes.size()) > 0) { }
        if (polled[0].revents == 0)
            return Wait::Woken;
    }
    return Wait::Readable;
}

} // namespace lockscope::db
