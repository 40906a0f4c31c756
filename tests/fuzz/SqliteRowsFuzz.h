// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds values of every type, as a SQLite file may hold them in any column, to all readers of its rows;
/// aborts if a number or text is not what the file has.
void fuzzSqliteRows(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
