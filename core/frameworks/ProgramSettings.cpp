// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/ProgramSettings.h"

#include "core/base/Duration.h"
#include "core/frameworks/RowTimes.h"

#include <algorithm>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

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

} // namespace lockscope::frameworks
