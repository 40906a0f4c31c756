// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

namespace lockscope::record {

/// The end of the unit that a time is written in: "03:12:07" is shown for all that happened until 03:12:08.
enum class TimeEnd : quint8 { First, Last };

/// Reads a time as people write it and as Lockscope shows it: "2026-11-22T03:12:07Z", "2026-11-22
/// 03:12:07.250" (without a zone: UTC, as all times are shown), "2026-11-22", "03:12", "03:12:07" (the latest
/// such time until `latest`, or until `last` if that is invalid), "yesterday 03:12", "today 03:12", or how
/// long before `last`: "5m", "-10m". `end` says whether the first or the last microsecond of the second,
/// fraction or day is returned; a time without seconds is that of its first second. Fails with BadInput.
Result<ServerTime> parseTime(
    const QString& text, ServerTime last, TimeEnd end = TimeEnd::First, ServerTime latest = {});

} // namespace lockscope::record
