// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QStringView>

namespace lockscope {

/// Reads "10s", "1m30s", "250ms", "1.5h", "2d": numbers with the units d, h, m, s, ms, each at most once and
/// the greater first; a number alone means seconds, as in sleep(1). BadInput for anything else, for negative
/// ones and for more than 10,000 days.
Result<milliseconds> parseDuration(QStringView text);
/// The shortest text that parseDuration reads back: "1m30s", "250ms", "0s".
QString durationText(milliseconds duration);

} // namespace lockscope
