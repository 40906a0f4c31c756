// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/ProgramZone.h"

#include "core/db/Statement.h"
#include "core/domain/Engine.h"

#include <QDateTime>

#include <cmath>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

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
