// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Backoff.h"
#include "core/base/Mutex.h"
#include "core/db/Connection.h"
#include "core/locks/LeaseKeeperState.h"

namespace lockscope::locks {

/// The keeper's thread that talks to the server: renews leases, deletes entries whose holders can't, and
/// checks whether rows and sessions are still there. Everything here is its own but `m_shared`.
class RenewalRounds {
public:
    RenewalRounds(LeaseKeeper::Shared& shared, std::stop_token stop)
        : m_shared(shared)
        , m_stop(std::move(stop))
    {
    }
    void run();

private:
    enum class Holder { Row, Session };
    std::vector<GrantPtr> grants(Holder holder);
    std::vector<GrantPtr> dueReleases();
    bool waitForGrants();
    void pause();
    LeaseClock::duration timeToNextRound(LeaseClock::time_point now) const LOCKSCOPE_REQUIRES(m_shared.mutex);

    bool connect();
    void noteRefusal(const Error& error);
    // False if the connection failed.
    bool renewLeases();
    bool deleteEntries();
    bool reportLosses(Holder holder);
    void noteUnderWay(const GrantPtr& grant);
    bool isRenewalDue();
    void noteDeleted(const GrantPtr& grant, const Result<void>& deleted, std::optional<microseconds> age);

    LeaseKeeper::Shared& m_shared;
    const std::stop_token m_stop;
    std::unique_ptr<db::Connection> m_connection;
    milliseconds m_statementTimeout{0}; ///< of m_connection
    Backoff m_backoff;
    Backoff m_loginBackoff{milliseconds(60'000), milliseconds(600'000)};
    LeaseClock::time_point m_nextAttempt{};
    Backoff m_renewalBackoff{milliseconds(100), milliseconds(2'000)};
    LeaseClock::time_point m_nextRenewal{}; ///< after one that the server refused for another reason
};

} // namespace lockscope::locks
