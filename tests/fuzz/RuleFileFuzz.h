// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to checkRuleFile; aborts if it refuses without a reason and a place, or if saving a rule into
/// a file that it accepts loses or changes anything else.
void fuzzRuleFile(const std::uint8_t* data, std::size_t size);

} // namespace lockscope::test
