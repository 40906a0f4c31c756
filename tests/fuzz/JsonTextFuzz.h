// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to parseJson; aborts if it accepts what Qt's reader refuses, or if a fault has no place.
void fuzzJsonText(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
