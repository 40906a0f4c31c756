// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to what reads the other side of a session's pipe; aborts if pieces make other frames than the
/// whole, or if what is accepted can't be sent again.
void fuzzSessionFrames(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
