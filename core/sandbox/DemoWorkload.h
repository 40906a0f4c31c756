// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/sandbox/Sandbox.h"

#include <memory>

namespace lockscope::sandbox {

/// Real sessions with real locks, so that the first thing a newcomer sees is live contention: a shop whose
/// orders, nightly job, customer syncs and best-seller rebuilds get in each other's way; one transaction
/// stays open too long and blocks a chain; one lock-table holder "crashed" and left a stale row. Repeats for
/// ever with changing actors. Runs on threads of its own; the destructor cancels and joins them within a
/// second.
class DemoWorkload {
public:
    struct Options {
        int sessions = 14;
        quint32 seed = 1;
    };
    static Result<std::unique_ptr<DemoWorkload>> start(const Resolved& server, const Options& options);
    virtual ~DemoWorkload() = default;
};

} // namespace lockscope::sandbox
