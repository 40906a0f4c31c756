// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <stop_token>

namespace lockscope {

/// Sleeps; false if it was woken by `stop`. Any thread.
bool sleepFor(std::chrono::steady_clock::duration duration, const std::stop_token& stop);

} // namespace lockscope
