// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/frameworks/FrameworkCheck.h"

namespace lockscope::frameworks {

/// Reads one of "examples". What it says is not compared with the lock here: that is ExampleProof's.
FrameworkExample readExample(FrameworkCheck& check, const JsonNode& node, const FrameworkLock& lock);

/// The time that stands in an example: "{now}", "{now-7min}", "{now+1h}"; how much later than now. Nothing if
/// the text is none.
std::optional<milliseconds> fromNow(const QString& text);

} // namespace lockscope::frameworks
