// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/db/Dialect.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Framework.h"
#include "core/domain/HolderLife.h"
#include "core/frameworks/FoundTable.h"

#include <QStringList>
#include <QTimeZone>

#include <chrono>
#include <optional>

namespace lockscope::frameworks {

/// A time that was written without a zone, by a clock in one that nobody knows: microseconds since 1970, if
/// it were UTC.
using ZonelessTime = qint64;

/// The zone that the database's own session has: programs on the same machines often have the same.
struct ServerZone {
    QString name; ///< "Europe/Berlin"; empty: unknown
    std::chrono::seconds offset{0}; ///< ahead of UTC
};

/// The zone in which a program writes times without one: known, or one of those that there are. The one rule
/// by which such times are read.
class ProgramZone {
public:
    static constexpr std::chrono::hours furthestWest{-12};
    static constexpr std::chrono::hours furthestEast{14};
    /// A program's clock may differ from the server's by this much.
    static constexpr std::chrono::seconds maxSkew{60};

    ProgramZone() = default; ///< unknown
    static ProgramZone known(const QTimeZone& zone);
    static ProgramZone utc() { return known(QTimeZone::utc()); }
    /// Finds the zone from a time that was written within `when`; unknown if it fits no zone.
    static ProgramZone seen(ZonelessTime written, const PossibleTime& when);

    bool isKnown() const { return m_zone.isValid(); }
    /// Must be called only if it is known.
    ServerTime timeOf(ZonelessTime time) const;
    /// Returns the earliest and the latest time that it can be.
    PossibleTime possible(ZonelessTime time) const;
    /// Notes that the time has come: its zone is not further west than that allows.
    void noteThatHasCome(ZonelessTime time, ServerTime now);
    /// Returns whether that time may be over.
    bool mayBeOver(ZonelessTime time, ServerTime now) const { return possible(time).earliest <= now; }
    bool isEastOfUtc() const { return m_west > std::chrono::seconds(0); }

    /// Returns sentences about the zone of a lock's end: "Held until 14:30 UTC if its program writes UTC;
    /// given back at 13:30 UTC if it writes the server's zone, Europe/Berlin."
    QString endInWords(ZonelessTime end, bool endsTheLock, const ServerZone& server, ServerTime now) const;

    bool operator==(const ProgramZone&) const = default;

private:
    QTimeZone m_zone; ///< invalid: unknown
    std::chrono::seconds m_west = furthestWest; ///< it is not further west than this
};

/// The settings of a framework in the programs that use a server, as far as the user has entered them: facts
/// that are in none of their rows.
struct ProgramSettings {
    std::optional<milliseconds> interval; ///< "interval": between two signs of life
    std::optional<milliseconds> deadAfter; ///< "dead_after": without a sign of life
    std::optional<milliseconds> lockAtMostFor; ///< "lock_at_most_for": from taking the lock on
    std::optional<QTimeZone> zone; ///< "zone": of times that are written without one

    /// Takes the settings of a profile that are this framework's; unreadable ones are left out.
    static ProgramSettings of(const QList<db::FrameworkSetting>& configured, const QString& framework);
};

QStringList programSettingNames();
/// Returns whether there is such a setting, has an effect on this framework's locks, and may have this value.
Result<void> checkProgramSetting(const Framework& framework, const QString& name, const QString& value);

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
