// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

#include <memory>
#include <thread>

namespace lockscope::scenario {

struct RunOrder;

/// Real sessions with real locks, so that the first thing a newcomer sees is live contention: the scenario
/// resources/scenarios/demo.json, which runs until this object goes. Its thread starts it again should it
/// fail, for instance because somebody has removed its tables.
class DemoRun {
public:
    /// Installs Lockscope's schema if it is not there. Blocks until all sessions are connected. Unsupported
    /// on engines that the demo is not written for.
    static Result<std::unique_ptr<DemoRun>> start(const db::Server& server);

private:
    DemoRun(const db::Server& server, const RunOrder& order, Result<void>& started);

    std::jthread m_thread; ///< its end removes what the demo has made, and takes a second at most
};

} // namespace lockscope::scenario
