// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to checkFrameworkFile; aborts if what it refuses has no reason and place, or if what it
/// accepts can't be recognised or read by.
void fuzzFrameworkFile(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
