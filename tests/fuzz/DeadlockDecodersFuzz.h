// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to one decoder of carried reports, which the first byte names: (c)arrier, (p)asted PostgreSQL,
/// (l)ine prefix, (j)SON and cs(v) of log services, (h)TML and twice escaped (x)ML, (t)ext in blocks.
/// Aborts if a line's number is not one of the text, if an index of what was read leads nowhere, if more
/// comes out than went in, or if blocks of another size give another text.
void fuzzDeadlockDecoders(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
