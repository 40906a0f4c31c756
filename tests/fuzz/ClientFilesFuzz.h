// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to the readers of pg_service.conf, ~/.pgpass and odbc.ini: the first byte says to which.
/// Aborts if a server is found that can't be, or a password.
void fuzzClientFiles(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
