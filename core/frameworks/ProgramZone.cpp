// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/ProgramZone.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"

#include <QDateTime>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;
using std::chrono::seconds;

namespace {

/// All zones are multiples of it.
constexpr std::chrono::minutes step{15};
/// A clock that is less ahead may go wrong. To take that for a zone further east would hide a short lock.
constexpr std::chrono::minutes maxAhead{10};
/// The zones in use, in summer, too: minutes ahead of UTC. With zones that nobody has in between, a short
/// lock that was given back minutes ago might be held by one of them.
constexpr std::array zonesInUse{-720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150,
    -120, -60, 0, 60, 120, 180, 210, 240, 270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630,
    660, 720, 765, 780, 825, 840};

qint64 inUs(microseconds time)
{
    return time.count();
}

/// The multiple of `step` that is not less.
seconds roundedUp(microseconds offset)
{
    const qint64 each = inUs(step);
    const qint64 us = offset.count();
    return std::chrono::duration_cast<seconds>(
        microseconds((us >= 0 ? (us + each - 1) / each : us / each) * each));
}

/// "14:30 UTC"; with the date, if it is not today's.
QString clockTime(ServerTime time, ServerTime now)
{
    const QDateTime at = time.toDateTime();
    const bool isToday = at.date() == now.toDateTime().date();
    return at.toString(isToday ? u"HH:mm"_s : u"yyyy-MM-dd HH:mm"_s) + u" UTC"_s;
}

/// "UTC-05:00"
QString zoneName(seconds offset)
{
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(offset).count();
    return u"UTC%1%2:%3"_s.arg(QChar(minutes < 0 ? u'-' : u'+'))
        .arg(std::abs(minutes) / 60, 2, 10, QLatin1Char('0'))
        .arg(std::abs(minutes) % 60, 2, 10, QLatin1Char('0'));
}

const QString zoneSetting = u"zone"_s;

/// The member that a name stands for; null: it is no duration.
std::optional<milliseconds> ProgramSettings::*durationOf(const QString& name)
{
    if (name == u"interval")
        return &ProgramSettings::interval;
    if (name == u"dead_after")
        return &ProgramSettings::deadAfter;
    return name == u"lock_at_most_for" ? &ProgramSettings::lockAtMostFor : nullptr;
}

std::optional<milliseconds> readDuration(const QString& value)
{
    const auto read = parseDuration(value);
    return read && read->count() > 0 ? std::optional(*read) : std::nullopt;
}

/// "Europe/Berlin", "UTC", "UTC+02:00"
std::optional<QTimeZone> readZone(const QString& value)
{
    const QTimeZone zone(value.toUtf8());
    return !value.isEmpty() && zone.isValid() ? std::optional(zone) : std::nullopt;
}

/// Returns whether an engine's programs write the time without its zone, in a column that has none.
bool isWithoutZone(const FrameworkLock& lock, const std::optional<FrameworkTime>& time)
{
    return time && std::ranges::any_of(lock.engines, [&time](Engine engine) {
        return clockOf(*time, engine, ColumnKind::Time) == FrameworkClock::Application;
    });
}

bool hasEffect(const FrameworkLock& lock, const QString& name)
{
    const FrameworkRow& row = lock.row;
    if (lock.kind != FrameworkLockKind::Row)
        return false;
    if (name == u"lock_at_most_for")
        return row.expires && row.expires->after.count() != 0;
    if (name == zoneSetting)
        return isWithoutZone(lock, row.since) || isWithoutZone(lock, row.expires)
            || isWithoutZone(lock, row.heartbeat)
            || std::ranges::any_of(
                row.held, [&lock](const FrameworkCondition& one) { return isWithoutZone(lock, one.time); });
    return row.heartbeat || (row.process && row.process->heartbeat);
}

/// Says why a setting changes nothing.
QString whyWithoutEffect(const QString& name)
{
    if (name == u"lock_at_most_for")
        return u"Its rows say when they end, or never end by themselves."_s;
    return name == zoneSetting ? u"None of its times is without a zone."_s
                               : u"Its rows show no signs of life."_s;
}

} // namespace

ProgramZone ProgramZone::known(const QTimeZone& zone)
{
    ProgramZone result;
    result.m_zone = zone;
    return result;
}

ProgramZone ProgramZone::seen(ZonelessTime written, const PossibleTime& when)
{
    // The zone that brings it nearest to the end of that time: it was written at most as long ago as that
    // lasted.
    const qint64 ahead = written - when.latest.us;
    const seconds offset = roundedUp(microseconds(ahead - inUs(maxSkew)));
    const qint64 rest = ahead - inUs(offset); // not more than maxSkew
    if (rest < -inUs(maxSkew) - (when.latest.us - when.earliest.us) || offset < furthestWest
        || offset > furthestEast)
        return {};
    return known(QTimeZone(static_cast<int>(offset.count())));
}

ServerTime ProgramZone::timeOf(ZonelessTime time) const
{
    const QDateTime local = ServerTime{time}.toDateTime();
    return ServerTime::fromDateTime(QDateTime(local.date(), local.time(), m_zone))
        + microseconds(time % 1'000);
}

PossibleTime ProgramZone::possible(ZonelessTime time) const
{
    if (isKnown())
        return {timeOf(time), timeOf(time)};
    return {ServerTime{time - inUs(furthestEast)}, ServerTime{time - inUs(m_west)}};
}

void ProgramZone::noteThatHasCome(ZonelessTime time, ServerTime now)
{
    const microseconds least = microseconds(time - now.us) - maxAhead;
    const auto zone = std::ranges::find_if(
        zonesInUse, [least](int minutes) { return std::chrono::minutes(minutes) >= least; });
    m_west = std::max<seconds>(
        m_west, zone == zonesInUse.end() ? seconds(furthestEast) : std::chrono::minutes(*zone));
}

QString ProgramZone::endInWords(
    ZonelessTime end, bool endsTheLock, const ServerZone& server, ServerTime now) const
{
    const auto isToCome = [&](seconds offset) { return end - inUs(offset) > now.us; };
    const auto reading = [&](seconds offset, const QString& zone) {
        const QString at = clockTime(ServerTime{end - inUs(offset)}, now);
        const QString what = endsTheLock
            ? (isToCome(offset) ? u"held until %1"_s : u"given back at %1"_s)
            : (isToCome(offset) ? u"its time ends at %1"_s : u"its time ended at %1"_s);
        return u"%1 if its program writes %2"_s.arg(what.arg(at), zone);
    };
    QStringList readings;
    std::vector<seconds> offsets;
    if (!isEastOfUtc()) {
        offsets.emplace_back(0);
        readings << reading(seconds(0), u"UTC"_s);
    }
    if (!server.name.isEmpty() && server.offset >= m_west
        && (offsets.empty() || server.offset != offsets.front())) {
        offsets.push_back(server.offset);
        readings << reading(server.offset, u"the server's zone, "_s + server.name);
    }
    // All possible zones may be on one side of the one at which it ends.
    const seconds over = roundedUp(microseconds(end - now.us)); // from here on to the east it is over
    const bool isAnyToCome = std::ranges::any_of(offsets, isToCome);
    const bool isAnyOver = !std::ranges::all_of(offsets, isToCome);
    if (endsTheLock && !isAnyToCome && over - step >= m_west)
        readings << u"held if it writes %1 or a zone further west"_s.arg(zoneName(over - step));
    if (endsTheLock && !isAnyOver && over <= furthestEast)
        readings << u"given back if it writes %1 or a zone further east"_s.arg(
            zoneName(std::max(over, m_west)));
    QString sentence = readings.join(u"; "_s);
    if (!sentence.isEmpty())
        sentence[0] = sentence[0].toUpper();
    return asSentence(sentence);
}

ProgramSettings ProgramSettings::of(const QList<db::FrameworkSetting>& configured, const QString& framework)
{
    ProgramSettings settings;
    for (const db::FrameworkSetting& one : configured) {
        if (one.framework != framework)
            continue;
        if (const auto member = durationOf(one.name))
            settings.*member = readDuration(one.value);
        else if (one.name == zoneSetting)
            settings.zone = readZone(one.value);
    }
    return settings;
}

QStringList programSettingNames()
{
    return {u"interval"_s, u"dead_after"_s, u"lock_at_most_for"_s, zoneSetting};
}

Result<void> checkProgramSetting(const Framework& framework, const QString& name, const QString& value)
{
    if (!programSettingNames().contains(name))
        return failure(ErrorKind::BadInput, u"There is no setting \"%1\"."_s.arg(name),
            u"It is one of %1."_s.arg(programSettingNames().join(u", "_s)));
    if (std::ranges::none_of(
            framework.locks, [&name](const FrameworkLock& lock) { return hasEffect(lock, name); }))
        return failure(ErrorKind::BadInput, u"%1 has no effect on locks of %2."_s.arg(name, framework.name),
            whyWithoutEffect(name));
    if (name == zoneSetting)
        return readZone(value) ? Result<void>()
                               : failure(ErrorKind::BadInput, u"There is no time zone \"%1\"."_s.arg(value),
                                   u"Write it as Europe/Berlin, UTC or UTC+02:00."_s);
    return readDuration(value) ? Result<void>()
                               : failure(ErrorKind::BadInput, u"\"%1\" is no length of time."_s.arg(value),
                                   u"Write it as 30s, 5m or 1h."_s);
}

// --- Times as they are stored ------------------------------------------------------------------------------

namespace {

bool isNumber(FrameworkClock clock)
{
    return clock == FrameworkClock::EpochSeconds || clock == FrameworkClock::EpochMilliseconds
        || clock == FrameworkClock::NetTicks;
}

/// "1763850000", "1763850000.25", "1.76385e+09" in units of so many microseconds.
std::optional<qint64> scaled(const QString& stored, qint64 microsecondsEach)
{
    bool isWhole = false;
    const qint64 whole = stored.toLongLong(&isWhole);
    if (isWhole && whole >= earliestUs / microsecondsEach && whole <= latestUs / microsecondsEach)
        return whole * microsecondsEach;
    bool isReal = false;
    const double us = stored.toDouble(&isReal) * double(microsecondsEach);
    if (!isReal || !std::isfinite(us) || us < double(earliestUs) || us > double(latestUs))
        return std::nullopt;
    return std::llround(us);
}

std::optional<qint64> ticks(const QString& stored)
{
    bool isWhole = false;
    const qint64 whole = stored.toLongLong(&isWhole);
    if (!isWhole || whole < 0)
        return std::nullopt;
    return (whole - ticksUntil1970) / 10;
}

std::optional<qint64> isoTime(QString stored, bool utcWithoutZone)
{
    stored = stored.trimmed();
    if (stored.size() > 10 && stored[10] == u' ')
        stored[10] = u'T';
    stored.remove(u' '); // before the zone
    QDateTime time = QDateTime::fromString(stored, Qt::ISODateWithMs);
    if (!time.isValid())
        return std::nullopt;
    if (time.timeSpec() == Qt::LocalTime) {
        if (!utcWithoutZone)
            return std::nullopt;
        time.setTimeSpec(Qt::UTC);
    }
    return time.toMSecsSinceEpoch() * 1'000;
}

} // namespace

QString sqlPart(const db::Dialect& dialect, const char* name,
    std::initializer_list<std::pair<QLatin1StringView, QString>> parts)
{
    QString text =
        QString::fromUtf8(db::Statement::filled(db::schemaPath(dialect, name).constData(), parts).sql());
    for (const QString& head : {u"SELECT 1 WHERE "_s, u"SELECT "_s})
        if (text.startsWith(head))
            return text.mid(head.size());
    Q_ASSERT_X(false, "sqlPart", name);
    return text;
}

QString likePattern(Engine engine, const QString& pattern)
{
    static constexpr PerEngine<QStringView> escaped{
        .postgres = u"%_\\", .sqlServer = u"%_\\[", .sqlite = u"?["};
    const bool isGlob = engine == Engine::Sqlite;
    QString like;
    for (const QChar c : pattern) {
        if (escaped[engine].contains(c))
            like += isGlob ? u'[' + QString(c) + u']' : u'\\' + QString(c);
        else
            like += c == u'*' && !isGlob ? QChar(u'%') : c;
    }
    return like;
}

FrameworkClock clockOf(const FrameworkTime& time, Engine engine, ColumnKind kind)
{
    const FrameworkClock clock = time.clocks.value(engine, FrameworkClock::Application);
    return clock == FrameworkClock::Application && kind == ColumnKind::Zoned ? FrameworkClock::Utc : clock;
}

microseconds zonelessMargin(FrameworkClock clock)
{
    return clock == FrameworkClock::Application ? -ProgramZone::furthestWest : microseconds(0);
}

TimeBy timeBy(Engine engine, ColumnKind kind, FrameworkClock clock)
{
    if (clock == FrameworkClock::Application)
        return TimeBy::Nobody;
    if (isNumber(clock))
        return kind == ColumnKind::Time || kind == ColumnKind::Zoned ? TimeBy::Server : TimeBy::Text;
    if (columnsHoldAnything[engine] || kind == ColumnKind::Time || kind == ColumnKind::Zoned)
        return TimeBy::Server;
    if (kind == ColumnKind::Number || kind == ColumnKind::Boolean)
        return TimeBy::Nobody;
    // Only the server knows its zone.
    return clock == FrameworkClock::Server ? TimeBy::Server : TimeBy::Text;
}

QString timeExpression(
    const db::Dialect& dialect, ColumnKind kind, FrameworkClock clock, const QString& column)
{
    const auto filled = [&](const char* name) { return sqlPart(dialect, name, {{"column"_L1, column}}); };
    if (kind == ColumnKind::Zoned)
        return filled("frameworks/time_zoned");
    return filled(clock == FrameworkClock::Server ? "frameworks/time_local" : "frameworks/time_utc");
}

QString comparableTime(
    const db::Dialect& dialect, ColumnKind kind, FrameworkClock clock, const QString& column)
{
    if (clock == FrameworkClock::Application)
        return kind == ColumnKind::Time || columnsHoldAnything[dialect.engine()]
            ? timeExpression(dialect, kind, FrameworkClock::Utc, column)
            : QString();
    const TimeBy by = timeBy(dialect.engine(), kind, clock);
    if (by == TimeBy::Server)
        return timeExpression(dialect, kind, clock, column);
    const bool mayBeNumber = kind == ColumnKind::Number || columnsHoldAnything[dialect.engine()];
    if (by == TimeBy::Nobody || !isNumber(clock) || !mayBeNumber)
        return {};
    const char* const part = clock == FrameworkClock::EpochSeconds ? "frameworks/time_seconds"
        : clock == FrameworkClock::EpochMilliseconds               ? "frameworks/time_milliseconds"
                                                                   : "frameworks/time_ticks";
    return sqlPart(dialect, part, {{"column"_L1, column}});
}

std::optional<qint64> timeFromText(const QString& stored, FrameworkClock clock)
{
    std::optional<qint64> us;
    switch (clock) {
    case FrameworkClock::EpochSeconds:
        us = scaled(stored, 1'000'000);
        break;
    case FrameworkClock::EpochMilliseconds:
        us = scaled(stored, 1'000);
        break;
    case FrameworkClock::NetTicks:
        us = ticks(stored);
        break;
    case FrameworkClock::Utc:
    case FrameworkClock::Application: // to be read by its ProgramZone
        us = isoTime(stored, true);
        break;
    case FrameworkClock::IsoText:
        us = isoTime(stored, false);
        break;
    case FrameworkClock::Server:
        break;
    }
    return us && *us >= earliestUs && *us <= latestUs ? us : std::nullopt;
}

} // namespace lockscope::frameworks
