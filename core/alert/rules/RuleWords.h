// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Rule.h"
#include "core/base/Result.h"

#include <QList>

#include <utility>

namespace lockscope::alert {

// The words of a rules file, in the order of the enums.

const QStringList& dayNames(); ///< "mon" to "sun"
const QStringList& channelKinds();
const QStringList& webhookForms();

/// "22:00": a minute of the day.
QString minuteText(int minute);
/// "Mon–Fri 22:00–06:00; Sat, Sun": the ranges by ';', each with its days and its time of day. Empty: none.
QString timesText(const std::vector<TimeRange>& times);
/// Reads what timesText() writes, and what people write instead: small letters, '-', ranges of days over the
/// week's end. BadInput for anything else.
Result<std::vector<TimeRange>> parseTimes(const QString& text);

/// Returns the next times of a window by the local clock, at most `count` of them: the one that `now` is in,
/// if any, first. An invalid end is unknown.
QList<std::pair<QDateTime, QDateTime>> nextTimes(
    const MaintenanceWindow& window, const QDateTime& now, int count);

} // namespace lockscope::alert
