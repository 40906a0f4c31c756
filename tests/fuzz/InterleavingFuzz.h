// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to readInterleaving; aborts if what it accepts does not survive the round trips.
void fuzzInterleaving(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
