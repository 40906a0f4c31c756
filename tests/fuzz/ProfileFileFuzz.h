// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to readProfiles; aborts if it refuses without a reason and a place, or if what it read is not
/// read again from what writeProfiles makes of it.
void fuzzProfileFile(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
