// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to checkAgentFile; aborts if it refuses without a reason and a place, or accepts what no agent
/// can do: no server, a database twice, or a number that is out of its range.
void fuzzAgentFile(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
