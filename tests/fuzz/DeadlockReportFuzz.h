// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to what reads reports of deadlocks; aborts if an index of what was read leads nowhere, if a
/// ring is none, or if what is written as .xdl is not read again with the same rings.
void fuzzDeadlockReport(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
