// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresCanceller.h"

#include "core/base/Mutex.h"

#include <array>
#include <thread>

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

} // namespace lockscope::db
