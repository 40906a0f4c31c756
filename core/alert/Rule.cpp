// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Rule.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"

#include <algorithm>
#include <cmath>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

using enum Condition;

constexpr std::array<ConditionInfo, conditionCount> conditionInfos{{
    {BlockedSessions, u"blocked sessions", Unit::Count, false,
        u"Counts the sessions that wait for one head blocker, directly or not."},
    {LongWait, u"long wait", Unit::Duration, false, u"Measures the longest wait behind one head blocker."},
    {IdleHead, u"idle head blocker", Unit::Duration, false,
        u"Measures how long a head blocker has been idle in its transaction while others wait for it."},
    {StrongQueue, u"strong queue", Unit::Duration, false,
        u"Measures the wait of a request so strong that every later request for the table queues behind it."},
    {WaitedTime, u"waited time", Unit::Seconds, false,
        u"Adds up what all sessions behind one head blocker waited within the last minute, in seconds."},
    {OldLock, u"old lock", Unit::Multiple, false,
        u"Compares the age of a lock-table entry with the longest that this lock is usually held."},
    {StaleEntries, u"stale entries", Unit::Count, false,
        u"Counts the entries of a lock table that are past their lease or their stale age."},
    {StarvedWaiter, u"starved waiter", Unit::Duration, false,
        u"Measures the wait of a lock table's waiter while others who came later got the lock."},
    {SilentHolder, u"silent holder", Unit::Duration, false,
        u"Measures how long the holder of a framework's lock has given no sign of life beyond its limit."},
    {DeadlockRate, u"deadlocks", Unit::Count, false, u"Counts the deadlocks of the last hour."},
    {NewDeadlockFamily, u"new deadlock family", Unit::Count, false,
        u"Finds a deadlock of a family that this server never had, or that came back after its cure was proven."},
    {OppositeOrder, u"opposite lock orders", Unit::Count, false,
        u"Counts how often two locks were taken in the rarer of two opposite orders, so that a deadlock is possible."},
    {ConnectionHeadroom, u"connection headroom", Unit::Minutes, true,
        u"Estimates in how many minutes the growth of the queue will have used all connections."},
    {Unreachable, u"server unreachable", Unit::Duration, false,
        u"Measures the time since the server last answered."},
    {RoleChanged, u"role changed", Unit::Count, false,
        u"Finds that a replica was promoted, or that a primary became a replica."},
    {OwnCost, u"own cost", Unit::Percent, false,
        u"Measures the share of the time in which the server works for Lockscope's own polls."},
    {NotRecorded, u"not recorded", Unit::Duration, false,
        u"Measures the time since the recording could last be written."},
    {Blind, u"blind", Unit::Duration, false,
        u"Measures for how long locks or sessions could not be read, because rights are missing or a probe failed."},
    {EndlessMute, u"endless mute", Unit::Duration, false, u"Measures the age of a mute that has no end."},
    {FailingChannel, u"failing channel", Unit::Duration, false,
        u"Measures for how long a channel could not deliver its notices."},
    {DeadlockOverServers, u"deadlock over servers", Unit::Duration, false,
        u"Measures for how long clients have waited for each other over several servers, which none of them can see."},
}};
static_assert(std::ranges::all_of(conditionInfos,
    [](const ConditionInfo& each) { return &each - conditionInfos.data() == int(each.condition); }));

QString numberText(double value)
{
    return QString::number(value, 'f', value < 10 && value != std::floor(value) ? 1 : 0);
}

QString countText(double value, const QString& one, const QString& several)
{
    return numberText(value) + u' ' + (value == 1 ? one : several);
}

QString countedText(Condition condition, double value)
{
    switch (condition) {
    case StaleEntries:
        return countText(value, u"stale entry"_s, u"stale entries"_s);
    case DeadlockRate:
    case NewDeadlockFamily:
        return countText(value, u"deadlock"_s, u"deadlocks"_s);
    case OppositeOrder:
        return countText(value, u"time"_s, u"times"_s);
    case RoleChanged:
        return countText(value, u"change"_s, u"changes"_s);
    default:
        return countText(value, u"session"_s, u"sessions"_s);
    }
}

} // namespace

QString severityName(Severity severity)
{
    return severity == Severity::Critical ? u"critical"_s : u"warning"_s;
}

const ConditionInfo& conditionInfo(Condition condition)
{
    return conditionInfos[size_t(condition)];
}

std::optional<Condition> conditionOfKey(const QString& key)
{
    const auto found = std::ranges::find_if(
        conditionInfos, [&key](const ConditionInfo& each) { return key == QStringView(each.key); });
    return found == conditionInfos.end() ? std::nullopt : std::optional(found->condition);
}

QStringList conditionKeys()
{
    return textOfEach(conditionInfos, [](const ConditionInfo& each) { return QString::fromUtf16(each.key); });
}

QString valueText(Condition condition, double value)
{
    switch (conditionInfo(condition).unit) {
    case Unit::Count:
        return countedText(condition, value);
    case Unit::Duration:
        return durationInWords(milliseconds(qint64(value)));
    case Unit::Seconds:
        return numberText(value) + u" s"_s;
    case Unit::Minutes:
        return numberText(value) + u" min"_s;
    case Unit::Percent:
        return numberText(value) + u" %"_s;
    case Unit::Multiple:
        return numberText(value) + u" times"_s;
    }
    return {};
}

bool TimeRange::contains(const QDateTime& local) const
{
    const int minute = local.time().hour() * 60 + local.time().minute();
    const int today = local.date().dayOfWeek() - 1;
    const auto isOn = [this](int day) { return (days >> ((day + 7) % 7) & 1) != 0; };
    if (from < to)
        return isOn(today) && minute >= from && minute < to;
    return (isOn(today) && minute >= from) || (isOn(today - 1) && minute < to);
}

bool Scope::isInTime(const QDateTime& local) const
{
    return times.empty()
        || std::ranges::any_of(times, [&local](const TimeRange& each) { return each.contains(local); });
}

bool matchesAny(const QStringList& patterns, const QString& name)
{
    if (patterns.isEmpty())
        return true;
    const QString text = name.isNull() ? u""_s : name; // a null text would begin with nothing at all
    return std::ranges::any_of(patterns, [&text](const QString& pattern) {
        if (!pattern.contains(u'*'))
            return pattern.compare(text, Qt::CaseInsensitive) == 0;
        // Each part follows the one before it; the first and the last one stand at the ends.
        const QStringList parts = pattern.split(u'*');
        if (!text.startsWith(parts.first(), Qt::CaseInsensitive))
            return false;
        qsizetype at = parts.first().size();
        for (qsizetype i = 1; i + 1 < parts.size(); ++i) {
            const qsizetype found = text.indexOf(parts[i], at, Qt::CaseInsensitive);
            if (found < 0)
                return false;
            at = found + parts[i].size();
        }
        return text.size() - at >= parts.last().size() && text.endsWith(parts.last(), Qt::CaseInsensitive);
    });
}

bool MaintenanceWindow::contains(const QDateTime& now) const
{
    return (!from || now >= *from) && (!to || now < *to) && scope.isInTime(now.toLocalTime());
}

const Rule* RuleSet::rule(const QString& name) const
{
    const auto found = std::ranges::find(rules, name, &Rule::name);
    return found == rules.end() ? nullptr : &*found;
}

} // namespace lockscope::alert
