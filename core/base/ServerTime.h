// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>
#include <QtGlobal>

#include <algorithm>
#include <chrono>
#include <compare>
#include <optional>

class QDateTime;

namespace lockscope {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A time by the *database server's* clock: microseconds since 1970-01-01 UTC. The local clock makes one by
/// ownClock() alone.
struct ServerTime {
    qint64 us = 0;

    constexpr auto operator<=>(const ServerTime&) const = default;
    constexpr bool isValid() const { return us != 0; }
    constexpr microseconds operator-(ServerTime other) const { return microseconds(us - other.us); }
    constexpr ServerTime operator+(microseconds d) const { return {us + d.count()}; }
    constexpr ServerTime operator-(microseconds d) const { return {us - d.count()}; }

    /// "2026-11-21T03:12:07.123456Z"
    QString toIsoString() const;
    /// Reads that, to the microsecond, and other times in ISO 8601 that name their zone; not valid if it is
    /// none.
    static ServerTime fromIsoString(const QString& text);
    /// Returns it in UTC, cut to milliseconds; 1970-01-01 if it is not valid.
    QDateTime toDateTime() const;
    static ServerTime fromDateTime(const QDateTime& time);
};

/// Returns the time since `since`, never negative: it may lie a little ahead of `now`, because clocks are
/// read twice.
constexpr milliseconds ageOf(ServerTime since, ServerTime now)
{
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(now - since));
}

/// A duration that knows whether it is measured ("41 s") or only a lower bound ("≥ 41 s").
struct Age {
    milliseconds value{0};
    bool exact = true;

    constexpr auto operator<=>(const Age&) const = default;
    /// "0:41", "≥ 12:05", "1:02:03", "3 d 04:05"; always at least minutes and seconds so that columns align.
    QString toString() const;
};

/// "12:04:31", in UTC; empty for a time that is not valid.
QString clockText(ServerTime time);
/// "2026-11-21 03:12:07 UTC"; a dash for a time that is not valid.
QString dateTimeText(ServerTime time);

/// This machine's clock, in the form of a server's: for what is noted beside the server's own times, never
/// instead of them.
ServerTime ownClock();

} // namespace lockscope
