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

// For people:

/// "0:41", "12:05", "1:02:03", "3 d 04:05": for columns, which align. Never negative.
QString formatDuration(milliseconds duration);
/// "41 s", "6 min", "2 h 5 min", "3 d 4 h": for sentences.
QString durationInWords(milliseconds duration);
/// "90 µs", "12.5 ms", "1.25 s": for what is measured in fractions of a second. Microseconds.
QString shortDuration(qint64 us);

} // namespace lockscope
