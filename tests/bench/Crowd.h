// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/bench/RawConnection.h"
#include "tests/support/TestServer.h"

#include <memory>
#include <vector>

namespace lockscope::bench {

/// Sessions that hold locks, wait for them or do nothing, for as long as this object exists (their
/// connections close with it).
class Crowd {
public:
    Crowd(const test::TestServer& server, db::ServerUrl url);

    void addIdle(int sessions);
    /// `sessions` wait for the locks of ten holders, in queues of equal length. Adds to those that wait
    /// already.
    void addWaiting(int sessions);
    /// Each holds `locks` application locks of its own.
    void addHolding(int sessions, int locks);

private:
    const test::TestServer& m_server;
    db::ServerUrl m_url;
    std::vector<std::unique_ptr<RawConnection>> m_holders;
    std::vector<std::unique_ptr<RawConnection>> m_others;
    int m_held = 0;
};

} // namespace lockscope::bench
