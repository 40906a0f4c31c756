// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"
#include "core/frameworks/FoundTable.h"

namespace lockscope::frameworks {

// The years 1 to 9999: differences of such times never overflow, and each can be written as a date.
inline constexpr qint64 earliestUs = -62'135'596'800'000'000;
inline constexpr qint64 latestUs = 253'402'300'799'999'999;
/// FrameworkClock::NetTicks count from the year 1 on.
inline constexpr qint64 ticksUntil1970 = 621'355'968'000'000'000;

/// A part of a statement that stands in schema/ENGINE/frameworks.sql as a query of its own, with its
/// placeholders filled in: what follows SELECT or WHERE.
QString sqlPart(const db::Dialect& dialect, const char* name,
    std::initializer_list<std::pair<QLatin1StringView, QString>> parts);

/// A pattern in which '*' stands for any text, as the engine writes it.
QString likePattern(Engine engine, const QString& pattern);

/// Returns the clock of a time; Application where the file says nothing of this engine. A time that is stored
/// with its zone needs no clock to be known: that is Utc.
FrameworkClock clockOf(const FrameworkTime& time, Engine engine, ColumnKind kind);

/// The part that turns a column's value into microseconds.
enum class TimeBy : quint8 {
    Nobody, ///< it can't be done: the clock is some client's, or the type is no time
    Server, ///< by an expression
    Text, ///< by us, from the stored text
};
TimeBy timeBy(Engine engine, ColumnKind kind, FrameworkClock clock);

/// The expression that gives microseconds since 1970, by the server; TimeBy::Server only. `column` in quotes.
QString timeExpression(
    const db::Dialect& dialect, ColumnKind kind, FrameworkClock clock, const QString& column);
/// The same for comparing with now, where numbers are reckoned by the server, too; empty if it can't be done.
/// A time without a zone is taken for UTC: zonelessMargin has to be added.
QString comparableTime(
    const db::Dialect& dialect, ColumnKind kind, FrameworkClock clock, const QString& column);
/// Returns by how much a time without a zone may be later than if it were UTC; 0 of all others.
microseconds zonelessMargin(FrameworkClock clock);

/// Returns the microseconds since 1970 of a stored text; nothing if it is no time of the years 1 to 9999. A
/// text without a zone is UTC by the clock Utc, a ZonelessTime by Application, and no time by IsoText.
std::optional<qint64> timeFromText(const QString& stored, FrameworkClock clock);

} // namespace lockscope::frameworks
