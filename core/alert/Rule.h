// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/EnumTable.h"
#include "core/domain/Thresholds.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace lockscope::alert {

enum class Severity : quint8 { Warning, Critical };
QString severityName(Severity severity); ///< "warning", "critical"

/// The kinds of numbers that rules measure. conditionInfo() gives the unit of each.
enum class Condition : quint8 {
    BlockedSessions, ///< sessions that wait behind one cause
    LongWait, ///< the longest wait behind one cause
    IdleHead, ///< a head blocker's time idle in a transaction while others wait for it
    StrongQueue, ///< the longest wait of a request so strong that all later ones queue behind it
    WaitedTime, ///< waited seconds of all sessions together in a minute
    OldLock, ///< age of a lock or lock-table entry, as a multiple of what is usual for it
    StaleEntries, ///< lock-table entries past their lease or their stale age
    StarvedWaiter, ///< the wait of a lock table's waiter that others overtook
    SilentHolder, ///< the silence of a framework lock's holder, beyond what its program allows
    DeadlockRate, ///< deadlocks in the last hour
    NewDeadlockFamily, ///< a family that was never seen before, or came back after its cure was proven
    OppositeOrder, ///< lock orders that can make a deadlock
    ConnectionHeadroom, ///< minutes until the queue's growth has used all connections; less is worse
    Unreachable, ///< the time since the server last answered
    RoleChanged, ///< a replica was promoted, or a primary became a replica
    OwnCost, ///< share of the time that our own polls take on the server
    NotRecorded, ///< the time since the recording could last be written
    Blind, ///< the time since when locks or sessions can't be seen, because rights are missing
    EndlessMute, ///< the age of a mute that has no end
    FailingChannel, ///< the time since when a channel has not delivered
    DeadlockOverServers, ///< for how long clients have waited for each other over several servers
};
inline constexpr int conditionCount = enumeratorCount<Condition>;

/// The unit in which a condition's number is written in files and shown.
enum class Unit : quint8 { Count, Duration, Seconds, Minutes, Percent, Multiple };

struct ConditionInfo {
    Condition condition;
    const char16_t* key; ///< in files: "blocked sessions"
    Unit unit;
    bool isLessWorse; ///< it fires from a number downwards
    const char16_t* meaning; ///< a sentence
};
const ConditionInfo& conditionInfo(Condition condition);
std::optional<Condition> conditionOfKey(const QString& key);
QStringList conditionKeys();
/// "3 sessions", "30 s", "45 waited seconds a minute".
QString valueText(Condition condition, double value);

/// A rule fires with this severity once its number has been at `from` or beyond for `hold`. Durations are
/// milliseconds.
struct RuleLevel {
    Severity severity = Severity::Warning;
    double from = 0;
    milliseconds hold{0};

    bool operator==(const RuleLevel&) const = default;
};

/// Times of day and days of the week, by the local clock.
struct TimeRange {
    int days = 0x7f; ///< bit 0 is Monday
    int from = 0; ///< minutes since midnight
    int to = 24 * 60; ///< not included; before `from`: of the next day

    bool contains(const QDateTime& local) const;
    bool operator==(const TimeRange&) const = default;
};

/// Limits what a rule or a maintenance window applies to. An empty list is no limit. Patterns: '*' stands
/// for any text; case does not matter.
struct Scope {
    QStringList servers;
    QStringList databases;
    QStringList locks; ///< names of locks or their tables
    QStringList programs; ///< of the head blocker
    QStringList users; ///< of the head blocker
    std::vector<TimeRange> times;

    bool isUnlimited() const { return *this == Scope(); }
    bool isInTime(const QDateTime& local) const;
    bool operator==(const Scope&) const = default;
};
/// The lists of a scope, by their keys in the rules file.
inline constexpr std::array<std::pair<QStringView, QStringList Scope::*>, 5> scopeLists{
    {{u"servers", &Scope::servers}, {u"databases", &Scope::databases}, {u"locks", &Scope::locks},
        {u"programs", &Scope::programs}, {u"users", &Scope::users}}};
bool matchesAny(const QStringList& patterns, const QString& text);

/// A condition with levels. A value.
struct Rule {
    QString name; ///< unique: "blocked sessions"
    Condition condition = Condition::BlockedSessions;
    std::vector<RuleLevel> levels;
    /// A level is left below this number only; nothing: below its own.
    std::optional<double> clearBelow;
    milliseconds keepFiring{60'000}; ///< for so long it must have been clear before a level is left
    Scope scope;
    QString text; ///< tells the receiver of the notice what to do; may be empty
    QStringList channels; ///< their names; empty: all
    bool isOn = true;

    bool operator==(const Rule&) const = default;
};

/// No incident is reported in such a time.
struct MaintenanceWindow {
    Scope scope; ///< with times: only then, each week
    std::optional<QDateTime> from, to; ///< only between these
    QString why;

    bool contains(const QDateTime& now) const;
    bool operator==(const MaintenanceWindow&) const = default;
};

/// A way out of the machine. What it needs depends on its kind; the password stands in the environment or in
/// a file, never here.
struct ChannelSettings {
    enum class Kind : quint8 { Webhook, Mail, Program, Journal };
    enum class Form : quint8 { Own, Alertmanager, Slack, Teams, PagerDuty };
    QString name; ///< unique
    Kind kind = Kind::Webhook;
    Form form = Form::Own; ///< of a webhook's body
    QString url; ///< of a webhook; of mail: "smtp://host:587", "smtps://…", empty: the local sendmail
    /// The place of the secret: "env:NAME" or "file:/path" (readable by this account alone). A webhook's is
    /// sent as "Authorization: Bearer", PagerDuty's as the routing key, mail's with `user`. If the address
    /// itself is the secret (Slack, Teams), `url` is empty and the secret is the address.
    QString secret;
    QString user; ///< of mail
    QString from; ///< of mail
    QStringList to; ///< of mail
    QStringList command; ///< of a program: its path and arguments; no shell
    Severity minSeverity = Severity::Warning;
    bool sendsStatements = false; ///< texts of statements leave the machine
    bool sendsResolved = true;

    bool operator==(const ChannelSettings&) const = default;
};

/// All that stands in a rules file.
struct RuleSet {
    std::vector<Rule> rules;
    std::vector<MaintenanceWindow> maintenance;
    std::vector<ChannelSettings> channels;
    /// From when on the statement of a head blocker is called long, by the user's thresholds; not in the
    /// file.
    milliseconds longRunning = LockThresholds().hold.amber;

    const Rule* rule(const QString& name) const; ///< null: there is none
    bool operator==(const RuleSet&) const = default;
};

} // namespace lockscope::alert
