// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to what reads a recording's frames, packed and not, after nothing and after a snapshot; aborts
/// if what is accepted does not become the same again, or unpacked bytes are more than may be.
void fuzzFrames(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
