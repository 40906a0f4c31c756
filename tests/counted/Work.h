// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <functional>

namespace lockscope::instructions {

/// Only the work in this function is counted (valgrind --tool=callgrind --toggle-collect).
void countedWork(const std::function<void()>& work);

/// Decodes an answer of so many locks, each tenth waited for, as libpq gives it, and makes a snapshot of it.
/// The rows are made outside of what is counted.
void decodePoll(int locks);

} // namespace lockscope::instructions
