// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to all readers of SQL Server's resource texts; aborts if one resource gets two keys, or if a
/// text is lost.
void fuzzSqlServerResource(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
