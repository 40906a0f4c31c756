// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

namespace lockscope::record {

/// A moment: "2026-11-22T03:12:07Z" (without a zone: this computer's), or how long before `last`: "5m".
Result<ServerTime> parseMoment(const QString& text, ServerTime last);

} // namespace lockscope::record
