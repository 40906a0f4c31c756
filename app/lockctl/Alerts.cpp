// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Alerts.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "app/lockctl/SnapshotText.h"
#include "core/alert/channels/Channel.h"
#include "core/alert/rules/RuleFile.h"
#include "core/base/Duration.h"
#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/domain/WaitTotals.h"
#include "core/report/Report.h"
#include "core/watch/AlertTables.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/IncidentStore.h"
#include "core/watch/IncidentWatch.h"
#include "core/watch/Rehearsal.h"

#include <QJsonArray>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

using alert::Incident;
using alert::Severity;

Failure complainOf(const QString& path, const json::FileFaults& faults)
{
    complain(faults);
    return failure(ErrorKind::BadInput, u"%1 has %2."_s.arg(path, counted(qint64(faults.size()), u"fault")));
}

void printAlerts(watch::IncidentWatch& incidents, bool json)
{
    QObject::connect(
        &incidents, &watch::IncidentWatch::notified, &incidents, [json](const QList<alert::Notice>& notices) {
            for (const alert::Notice& notice : notices) {
                if (json) {
                    printJson(toJson(notice));
                    continue;
                }
                const alert::Incident& incident = notice.incident;
                const ServerTime at = incident.isFiring() ? incident.seen : incident.resolved;
                sayLine(u"%1  %2 (incident %3)"_s.arg(
                    report::timeText(at), printable(subjectOf(notice)), QString::number(incident.id)));
            }
        });
    QObject::connect(&incidents, &watch::IncidentWatch::errorChanged, &incidents, [&incidents] {
        if (const auto error = incidents.error())
            complain(u"Incidents: "_s + error->toString());
    });
    QObject::connect(&incidents, &watch::IncidentWatch::failed, &incidents,
        [](const QString& channel, const Error& error) {
            complain(u"Channel %1: %2"_s.arg(channel, error.toString()));
        });
}

// Rules of `lockctl alerts`: their check, their rehearsal, one poll by them, and a test of their channels.

namespace {

// Exit codes of `alerts check-now`, as Nagios and Icinga read them.
constexpr int exitWarning = 1;
constexpr int exitCritical = 2;
constexpr int exitUnknownState = 3;
constexpr QStringView pluginStates[] = {u"OK", u"WARNING", u"CRITICAL", u"UNKNOWN"};

Result<alert::RuleSet> rulesNamed(const QString& path)
{
    if (path.isEmpty())
        return alert::loadRules();
    LOCKSCOPE_TRY_GET(const auto text, readTextFile(path));
    auto rules = alert::checkRuleFile(path, text);
    if (!rules)
        return complainOf(path, rules.error());
    rules->longRunning = longRunning();
    return alert::withDefaultRules(std::move(*rules));
}

Result<ExitStatus> runCheckRules(const CommandLine& line)
{
    const auto rules = rulesNamed(line.positional(0));
    if (!rules) {
        fail(rules.error());
        return exitFailed; // faults are what was asked for, no wrong use of the command
    }
    const auto ruleCount = qint64(rules->rules.size());
    const auto channelCount = qint64(rules->channels.size());
    return answer(line,
        u"%1 and %2: no faults."_s.arg(counted(ruleCount, u"rule"), counted(channelCount, u"channel")),
        {{u"rules"_s, ruleCount}, {u"channels"_s, channelCount}});
}

QStringList channelsOf(const alert::Rule& rule, const alert::RuleSet& rules)
{
    return rule.channels.isEmpty() ? textOfEach(rules.channels, &alert::ChannelSettings::name)
                                   : rule.channels;
}

report::Report rehearsalReport(
    const watch::Rehearsal& now, const watch::Rehearsal& with, const alert::RuleSet& rules, bool isCompared)
{
    using enum report::Type;
    using report::Column;
    using report::Value;
    report::Report report{.title = u"Rehearsal on %1"_s.arg(with.server)};
    report.notes << u"%1 from %2 to %3, %4 of it recorded."_s.arg(counted(with.polls, u"poll"),
        report::timeText(with.from), report::timeText(with.to),
        durationInWords(std::chrono::floor<milliseconds>(with.seen)));
    if (with.unreadable > 0)
        report.notes << u"%1 could not be read."_s.arg(counted(with.unreadable, u"snapshot"));
    if (!with.notTried.isEmpty())
        report.notes << u"Not tried, since a recording does not show it: %1."_s.arg(
            with.notTried.join(u", "_s));
    report::Section table{.key = u"rules"_s,
        .columns = {Column(u"rule"_s, u"Rule"_s).wide(1), Column(Count, u"fired"_s, u"Fires"_s),
            Column(Number, u"per_day"_s, u"A day"_s), Column(Length, u"longest"_s, u"Longest"_s),
            Column(Time, u"first"_s, u"First"_s),
            Column(Texts, u"channels"_s, u"Channels"_s, u"That would have sent its notices"_s)},
        .whenEmpty = u"No rule would have fired."_s};
    if (isCompared)
        table.columns.insert(table.columns.begin() + 1, Column(Count, u"fired_now"_s, u"As it is now"_s));
    for (const alert::Rule& rule : rules.rules) {
        milliseconds longest{0};
        ServerTime first;
        for (const Incident& each : with.incidents) {
            if (!each.rules().contains(rule.name))
                continue;
            longest = std::max(longest, each.lasted());
            first = first.isValid() ? first : each.fired;
        }
        const int fired = with.countOf(rule.name);
        if (fired == 0 && now.countOf(rule.name) == 0)
            continue;
        report::ReportRow row{
            .cells = {rule.name, qint64(fired), Value(std::optional(with.perDay(rule.name))),
                Value(microseconds(longest)), first, channelsOf(rule, rules)},
            .rowTime = first};
        if (isCompared)
            row.cells.insert(row.cells.begin() + 1, qint64(now.countOf(rule.name)));
        table.rows.push_back(std::move(row));
    }
    report::Section incidents = watch::incidentsSection(with.incidents);
    incidents.title = u"Incidents"_s;
    incidents.whenEmpty = u"No incident would have fired."_s;
    report.sections = {table, incidents};
    return report;
}

Result<ExitStatus> runRehearse(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto rules, rulesNamed(line.positional(0)));
    LOCKSCOPE_TRY_GET(const auto recorded, recordedRange(line));
    LOCKSCOPE_TRY_GET(
        const auto most, line.has(u"max-per-day"_s) ? line.number(u"max-per-day"_s, 0) : Result<qint64>(-1));
    const StopOnSignal stop(briefly);
    ProgressLine status;
    watch::RehearsalOptions options{.from = recorded.range.first, .to = recorded.range.last};
    options.progress = [&status](double done) { status.show(u"%1 %"_s.arg(int(done * 100))); };
    const auto with = watch::rehearse(rules, *recorded.reader, options, stop.token());
    if (!with)
        return stop.endBy(with.error());
    // Beside the rules as they are now, if others are tried.
    const bool isCompared = !line.positional(0).isEmpty();
    const auto current = isCompared ? alert::loadRules() : rules;
    const auto now =
        isCompared && current ? watch::rehearse(*current, *recorded.reader, options, stop.token()) : with;
    if (!now)
        return stop.endBy(now.error());
    printReport(line, rehearsalReport(*now, *with, rules, isCompared));
    const double days = std::max(1.0, double(with->seen.count()) / 86'400e6);
    if (most >= 0 && double(with->incidents.size()) / days > double(most)) {
        complain(
            u"%1 a day are more than %2."_s.arg(double(with->incidents.size()) / days, 0, 'f', 1).arg(most));
        return exitFailed;
    }
    return exitOk;
}

/// One line and performance data, as monitoring plugins write them.
QString pluginLine(const QString& state, const QList<Incident>& firing, const WaitTotals& waits)
{
    QString what = firing.isEmpty() ? u"no incident"_s : firing.first().title;
    if (firing.size() > 1)
        what += u" And %1 more."_s.arg(firing.size() - 1);
    what.replace(u'|', u'/'); // what follows it is performance data
    return u"LOCKSCOPE %1 - %2 | incidents=%3;;;0 blocked=%4;;;0 longest_wait=%5s;;;0"_s
        .arg(state, printable(what))
        .arg(firing.size())
        .arg(waits.waiters)
        .arg(double(waits.longestWait.value.count()) / 1'000, 0, 'f', 3);
}

ExitStatus plugin(const CommandLine& line, ExitStatus code, const QString& text)
{
    const QString state = pluginStates[code].toString();
    answer(line, u"LOCKSCOPE %1 - %2"_s.arg(state, printable(text)),
        {{u"state"_s, state.toLower()}, {u"reason"_s, text}, {u"incidents"_s, QJsonArray()}});
    return code;
}

Result<ExitStatus> runCheckNow(const CommandLine& line)
{
    const auto rules = rulesNamed(line.value(u"rules"_s));
    auto server = rules ? serverToRead(line) : Failure(rules.error());
    if (!server)
        return plugin(line, exitUnknownState, server.error().toString());
    const auto snapshot = snapshotNow(*server);
    if (!snapshot) {
        const ErrorKind kind = snapshot.error().kind;
        const bool isGone = kind == ErrorKind::Connection || kind == ErrorKind::Timeout;
        return plugin(line, isGone ? exitCritical : exitUnknownState, snapshot.error().toString());
    }
    alert::AlertEngine engine(*rules);
    engine.trustAges();
    engine.advance({.server = watch::causeServer(server->profile.url),
        .at = (*snapshot)->takenAt,
        .snapshot = *snapshot});
    QList<Incident> firing = engine.firing();
    std::ranges::sort(firing, std::greater(), &Incident::severity);
    const QString reason = (*snapshot)->reasonAgainstLocks();
    if (firing.isEmpty() && !reason.isEmpty())
        return plugin(line, exitUnknownState, reason);
    const WaitTotals waits = waitTotals(**snapshot);
    const ExitStatus code = firing.isEmpty()            ? exitOk
        : firing.first().severity == Severity::Critical ? exitCritical
                                                        : exitWarning;
    const QString state = pluginStates[code].toString();
    const QJsonArray incidents = jsonOfEach(firing, [](const Incident& each) { return toJson(each, false); });
    answer(line, pluginLine(state, firing, waits),
        {{u"state"_s, state.toLower()}, {u"blocked"_s, waits.waiters},
            {u"longest_wait_ms"_s, qint64(waits.longestWait.value.count())}, {u"incidents"_s, incidents}});
    return code;
}

Result<ExitStatus> runTestChannel(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto rules, alert::loadRules());
    const QString name = line.positional(0);
    const auto channel = std::ranges::find(rules.channels, name, &alert::ChannelSettings::name);
    if (channel == rules.channels.end()) {
        const QStringList names = textOfEach(rules.channels, &alert::ChannelSettings::name);
        return failure(ErrorKind::MissingObject, u"There is no channel \"%1\"."_s.arg(name),
            names.isEmpty() ? u"%1 names none."_s.arg(alert::ruleFilePath())
                            : u"The channels are %1."_s.arg(names.join(u", "_s)));
    }
    const StopOnSignal stop(briefly);
    const auto sent = alert::testChannel(*channel, watch::ownAccountText(), stop.token());
    if (!sent)
        return stop.endBy(sent.error());
    return answer(line, sent->toString(),
        {{u"channel"_s, name}, {u"answer"_s, sent->answer}, {u"took_ms"_s, qint64(sent->took.count())}});
}

} // namespace

Command checkRulesCommand()
{
    Command command(u"alerts check"_s, u"check a file of rules"_s, runCheckRules,
        u"Checks a file of rules, and prints each fault with its line. Without a file the account's own one. Exits with 1 if there are faults."_s);
    command.examples = {u"lockctl alerts check alerts.json"_s};
    command.arguments = u"[FILE]"_s;
    return command;
}

Command rehearseRulesCommand()
{
    Command command(u"alerts rehearse"_s, u"try rules on a recording"_s, runRehearse,
        u"Applies rules to a recording: which would have fired, when, for how long, how many a day. With a file its rules stand beside the rules as they are now. The code is the one that watches servers."_s);
    command.arguments = u"[FILE]"_s;
    command.examples = {u"lockctl alerts rehearse alerts.json --recording shop.lockscope --from 14d"_s,
        u"lockctl alerts rehearse alerts.json --recording shop.lockscope --max-per-day 3"_s};
    command.addValue(
        u"max-per-day"_s, u"COUNT"_s, u"Exit with 1 if more incidents would have fired a day."_s);
    addRange(command);
    addForms(command, {u"rules"_s, u"incidents"_s});
    return command;
}

Command checkNowCommand()
{
    Command command(u"alerts check-now"_s, u"one poll, for Nagios and Icinga"_s, runCheckNow,
        u"Polls a server once and applies the rules. Waits count with the time that they have lasted. Prints one line with performance data. Exits with 0 (no incident), 1 (warning), 2 (critical) or 3 (unknown)."_s);
    command.examples = {u"lockctl --server postgresql://ops@db/shop alerts check-now"_s};
    command.addValue(u"rules"_s, u"FILE"_s, u"Other rules than the account's."_s);
    return command;
}

Command testChannelCommand()
{
    Command command(u"alerts test"_s, u"send a test message by a channel"_s, runTestChannel,
        u"Sends a test message by a channel of the account's rules file, at once and only once, and prints what the receiver said. Exits with 1 if it was not delivered."_s);
    command.examples = {u"lockctl alerts test team"_s};
    command.arguments = u"CHANNEL"_s;
    return command;
}

} // namespace lockscope::ctl
