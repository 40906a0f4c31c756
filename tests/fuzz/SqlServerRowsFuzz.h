// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds values to all readers of SQL Server's rows; aborts if a lock has no resource, or if what is read
/// can't be shown.
void fuzzSqlServerRows(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
