// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Redacts bytes as a statement of each engine, and a statement that the bytes put together of pieces whose
/// literals are known. Aborts if tokens are not the statement, if redacting twice differs from once, or if
/// anything of a literal is left.
void fuzzRedaction(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
