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
/// Returns the length of a unit: "d", "h", "m" or "min", "s", "ms".
milliseconds unitLength(QStringView unit);
/// The shortest text that parseDuration reads back: "1m30s", "250ms", "0s".
QString durationText(milliseconds duration);

// For people:

/// "0.4 s", "41 s", "12 min 05 s", "1 h 02 min", "3 d 04 h": for cells. Never negative.
QString formatDuration(milliseconds duration);
/// The same for sentences: "6 min" of "6 min 00 s".
QString durationInWords(milliseconds duration);
QString durationInWords(const Age& age); ///< "at least 6 min" if it is not exact
/// The same for lengths that may be short: with fractions below ten seconds, "1.5 s", "10 min 07 s". Never
/// negative.
QString lengthInWords(microseconds length);
/// "90 µs", "12.5 ms", "1.25 s", of `us` microseconds: for measured lengths below a second.
QString shortDuration(qint64 us);

} // namespace lockscope
