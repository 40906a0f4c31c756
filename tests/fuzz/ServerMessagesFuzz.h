// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds error texts to what reads them, for all engines; aborts if an error says nothing, or if a statement
/// is not a part of its batch.
void fuzzServerMessages(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
