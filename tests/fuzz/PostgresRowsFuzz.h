// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds rows of text, as PostgreSQL sends them, to all readers of its rows; aborts if a lock has no
/// resource, or if a text or number is not what was sent.
void fuzzPostgresRows(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
