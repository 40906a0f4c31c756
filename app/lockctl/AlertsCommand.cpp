// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/NamedSnapshot.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ReportOutput.h"
#include "app/lockctl/StatusLine.h"
#include "app/lockctl/StopOnSignal.h"
#include "core/alert/RuleFile.h"
#include "core/base/Duration.h"
#include "core/base/OwnClock.h"
#include "core/domain/LockTable.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/IncidentReport.h"
#include "core/watch/IncidentTable.h"
#include "core/watch/Rehearsal.h"

#include <QFile>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

using alert::Condition;
using alert::Incident;
using alert::Mute;
using alert::Severity;
using watch::IncidentStore;

namespace {

// Exit codes of `alerts check-now`, as Nagios and Icinga read them.
constexpr int exitWarning = 1;
constexpr int exitCritical = 2;
constexpr int exitUnknownState = 3;

constexpr int maxListed = 1'000;

QString ownAccount()
{
    const LockOwnerInfo self = LockOwnerInfo::ofThisProcess();
    return u"%1 on %2"_s.arg(self.owner, self.host);
}

/// Runs on the account's own store.
int withStore(const std::function<Result<int>(IncidentStore&)>& work)
{
    auto store = IncidentStore::open();
    const auto done = store ? work(**store) : Failure(store.error());
    return done ? *done : fail(done.error());
}

Result<qint64> numberNamed(const CommandLine& line)
{
    bool isNumber = false;
    const qint64 number = line.positional(0).toLongLong(&isNumber);
    if (!isNumber)
        return failure(ErrorKind::BadInput,
            u"\"%1\" is no number of an incident or a mute."_s.arg(line.positional(0)),
            u"lockctl alerts list shows them."_s);
    return number;
}

Result<Incident> incidentNamed(IncidentStore& store, const CommandLine& line)
{
    const auto number = numberNamed(line);
    if (!number)
        return Failure(number.error());
    auto incident = store.incident(*number);
    if (!incident)
        return Failure(incident.error());
    if (!*incident)
        return failure(ErrorKind::MissingObject, u"There is no incident %1."_s.arg(*number),
            u"lockctl alerts history shows those that are kept."_s);
    return std::move(**incident);
}

Result<alert::RuleSet> rulesNamed(const QString& path)
{
    if (path.isEmpty())
        return alert::loadRules();
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::Permission, u"Can't read %1: %2"_s.arg(path, file.errorString()));
    auto rules = alert::checkRuleFile(path, file.readAll());
    if (rules)
        return alert::withDefaultRules(std::move(*rules));
    for (const json::FileFault& fault : rules.error())
        complain(fault.toString());
    return failure(
        ErrorKind::BadInput, u"%1 has %2."_s.arg(path, counted(qint64(rules.error().size()), u"fault"_s)));
}

int runList(const CommandLine& line)
{
    return withStore([&line](IncidentStore& store) -> Result<int> {
        const auto firing = store.firing();
        const auto mutes = store.mutes(ownClock());
        if (!firing || !mutes)
            return Failure(firing ? mutes.error() : firing.error());
        report::Report report;
        report.sections = {watch::incidentsSection(*firing, *mutes)};
        report.sections.front().whenEmpty = u"No incident fires."_s;
        printReport(line, report);
        return int(std::ranges::any_of(
                       *firing, [&mutes](const Incident& each) { return watch::needsSomebody(each, *mutes); })
                ? exitFailed
                : exitOk);
    });
}

int runHistory(const CommandLine& line)
{
    const auto length = line.duration(u"for"_s);
    if (!length)
        return fail(length.error());
    return withStore([&line, &length](IncidentStore& store) -> Result<int> {
        const auto past = store.past(ownClock() - *length, maxListed);
        if (!past)
            return Failure(past.error());
        report::Report report;
        report.sections = {watch::incidentsSection(*past)};
        report.sections.front().whenEmpty = u"No incident fired in that time."_s;
        printReport(line, report);
        return int(exitOk);
    });
}

int runIncident(const CommandLine& line)
{
    return withStore([&line](IncidentStore& store) -> Result<int> {
        auto incident = incidentNamed(store, line);
        if (!incident)
            return Failure(incident.error());
        watch::IncidentFile file;
        file.incident = *incident;
        file.version = QStringLiteral(LOCKSCOPE_VERSION);
        auto steps = store.steps(incident->id);
        auto similar = store.similar(*incident, 10);
        if (!steps || !similar)
            return Failure(steps ? similar.error() : steps.error());
        file.steps = std::move(*steps);
        file.similar = std::move(*similar);
        if (line.has(u"recording"_s)) {
            auto reader = recordingNamed(line);
            const auto added = reader ? watch::addRecorded(file, **reader) : Failure(reader.error());
            if (!added)
                return Failure(added.error());
            file.recording = line.value(u"recording"_s);
        } else
            watch::addOwnRecording(file);
        printReport(line, watch::toReport(file, line.has(u"statements"_s)));
        return int(exitOk);
    });
}

int runAcknowledge(const CommandLine& line)
{
    return withStore([&line](IncidentStore& store) -> Result<int> {
        const auto number = numberNamed(line);
        if (!number)
            return Failure(number.error());
        if (auto done = store.acknowledge(*number, ownAccount(), line.value(u"why"_s)); !done)
            return Failure(done.error());
        sayLine(u"Acknowledged."_s);
        return int(exitOk);
    });
}

/// The mute that the options describe, of that incident.
Result<Mute> muteFrom(const CommandLine& line, const Incident& incident)
{
    Mute mute;
    mute.by = ownAccount();
    mute.why = line.value(u"why"_s);
    mute.made = ownClock();
    const QString of = line.value(u"of"_s);
    mute.of = of == u"rule"_s ? Mute::Of::Rule
        : of == u"server"_s   ? Mute::Of::Server
        : of == u"program"_s  ? Mute::Of::Program
        : of == u"family"_s   ? Mute::Of::Family
                              : Mute::Of::Fingerprint;
    mute.value = mute.of == Mute::Of::Rule ? incident.rules().value(0)
        : mute.of == Mute::Of::Server      ? incident.cause.server
        : mute.of == Mute::Of::Program     ? incident.cause.program
        : mute.of == Mute::Of::Family      ? incident.cause.resource
                                           : incident.cause.fingerprint();
    mute.shown = mute.of == Mute::Of::Fingerprint ? incident.title : mute.value;
    if (mute.value.isEmpty())
        return failure(ErrorKind::BadInput, u"Incident %1 has no %2."_s.arg(incident.id).arg(of));
    if (line.has(u"until-cleared"_s))
        mute.end = Mute::End::WhenCleared;
    else if (line.has(u"for-ever"_s))
        mute.end = Mute::End::Never;
    else {
        const auto length = line.duration(u"for"_s);
        if (!length)
            return Failure(length.error());
        mute.until = mute.made + *length;
    }
    if (line.has(u"max-waiting"_s)) {
        const auto most = line.number(u"max-waiting"_s, 1);
        if (!most)
            return Failure(most.error());
        mute.maxWaiting = int(std::min<qint64>(*most, 1'000'000));
    }
    if (line.has(u"max-wait"_s)) {
        const auto longest = line.duration(u"max-wait"_s);
        if (!longest)
            return Failure(longest.error());
        mute.maxWait = *longest;
    }
    return mute;
}

int runMute(const CommandLine& line)
{
    return withStore([&line](IncidentStore& store) -> Result<int> {
        const auto incident = incidentNamed(store, line);
        auto mute = incident ? muteFrom(line, *incident) : Failure(incident.error());
        if (mute)
            mute = store.mute(*mute);
        if (!mute)
            return Failure(mute.error());
        if (auto noted = store.addStep(incident->id, u"Muted by %1 %2."_s.arg(mute->by, endText(*mute)));
            !noted)
            return Failure(noted.error());
        sayLine(u"Mute %1: %2, %3."_s.arg(QString::number(mute->id), mute->shown, endText(*mute)));
        return int(exitOk);
    });
}

int runUnmute(const CommandLine& line)
{
    return withStore([&line](IncidentStore& store) -> Result<int> {
        const auto number = numberNamed(line);
        const auto done = number ? store.unmute(*number, u"by "_s + ownAccount()) : Failure(number.error());
        if (!done)
            return Failure(done.error());
        sayLine(u"Not muted any more."_s);
        return int(exitOk);
    });
}

int runMutes(const CommandLine& line)
{
    return withStore([&line](IncidentStore& store) -> Result<int> {
        const auto mutes = store.mutes(ownClock());
        if (!mutes)
            return Failure(mutes.error());
        report::Report report;
        report.sections = {watch::mutesSection(*mutes)};
        report.sections.front().whenEmpty = u"Nothing is muted, and no mute ended within the last week."_s;
        printReport(line, report);
        return int(exitOk);
    });
}

int runCheckRules(const CommandLine& line)
{
    const auto rules = rulesNamed(line.positional(0));
    if (!rules)
        return fail(rules.error());
    sayLine(u"%1 and %2: no faults."_s.arg(counted(qint64(rules->rules.size()), u"rule"_s),
        counted(qint64(rules->channels.size()), u"channel"_s)));
    return exitOk;
}

QStringList channelsOf(const alert::Rule& rule, const alert::RuleSet& rules)
{
    QStringList names = rule.channels;
    if (names.isEmpty())
        for (const alert::ChannelSettings& channel : rules.channels)
            names << channel.name;
    return names;
}

report::Report rehearsalReport(
    const watch::Rehearsal& now, const watch::Rehearsal& with, const alert::RuleSet& rules, bool isCompared)
{
    using enum report::Type;
    using report::Column;
    using report::Value;
    report::Report report{.title = u"Rehearsal on %1"_s.arg(with.server)};
    report.notes << u"%1 from %2 to %3, %4 of it recorded."_s.arg(counted(with.polls, u"poll"_s),
        report::timeText(with.from), report::timeText(with.to),
        durationInWords(std::chrono::floor<milliseconds>(with.seen)));
    if (with.unreadable > 0)
        report.notes << u"%1 could not be read."_s.arg(counted(with.unreadable, u"snapshot"_s));
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
        report::Row row{.cells = {rule.name, qint64(fired), Value(std::optional(with.perDay(rule.name))),
                            Value(microseconds(longest)), first, channelsOf(rule, rules)},
            .moment = first};
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

int runRehearse(const CommandLine& line)
{
    const auto rules = rulesNamed(line.positional(0));
    const auto recorded = rules ? recordedRange(line) : Failure(rules.error());
    const auto most = line.has(u"max-per-day"_s) ? line.number(u"max-per-day"_s, 0) : Result<qint64>(-1);
    if (!rules || !recorded || !most)
        return fail(!rules ? rules.error() : !recorded ? recorded.error() : most.error());
    const auto path = recordingPathNamed(line);
    if (!path)
        return fail(path.error());
    const StopOnSignal stop(briefly);
    StatusLine status;
    watch::RehearsalOptions options{
        .recording = *path, .from = recorded->range.first, .to = recorded->range.last};
    options.progress = [&status](double done) { status.show(u"%1 %"_s.arg(int(done * 100))); };
    const auto with = watch::rehearse(*rules, options, stop.token());
    if (!with)
        return stop.fail(with.error());
    // Beside the rules as they are now, if others are tried.
    const bool isCompared = !line.positional(0).isEmpty();
    const auto current = isCompared ? alert::loadRules() : rules;
    const auto now = isCompared && current ? watch::rehearse(*current, options, stop.token()) : with;
    if (!now)
        return stop.fail(now.error());
    printReport(line, rehearsalReport(*now, *with, *rules, isCompared));
    const double days = std::max(1.0, double(with->seen.count()) / 86'400e6);
    if (*most >= 0 && double(with->incidents.size()) / days > double(*most)) {
        complain(
            u"%1 a day are more than %2."_s.arg(double(with->incidents.size()) / days, 0, 'f', 1).arg(*most));
        return exitFailed;
    }
    return exitOk;
}

/// One line and performance data, as monitoring plugins write them.
QString pluginLine(
    const QString& state, const QList<Incident>& firing, const std::vector<alert::Chain>& chains)
{
    int blocked = 0;
    milliseconds longest{0};
    for (const alert::Chain& chain : chains) {
        blocked += chain.waiting;
        longest = std::max(longest, chain.longest.value);
    }
    QString what = firing.isEmpty() ? u"no incident"_s : firing.first().title;
    if (firing.size() > 1)
        what += u" And %1 more."_s.arg(firing.size() - 1);
    what.replace(u'|', u'/'); // what follows it is performance data
    return u"LOCKSCOPE %1 - %2 | incidents=%3;;;0 blocked=%4;;;0 longest_wait=%5s;;;0"_s
        .arg(state, printable(what))
        .arg(firing.size())
        .arg(blocked)
        .arg(double(longest.count()) / 1'000, 0, 'f', 3);
}

int runCheckNow(const CommandLine& line)
{
    const auto unknown = [](const Error& error) {
        sayLine(u"LOCKSCOPE UNKNOWN - %1"_s.arg(printable(error.toString())));
        return exitUnknownState;
    };
    const auto rules = rulesNamed(line.value(u"rules"_s));
    if (!rules)
        return unknown(rules.error());
    auto server = serverToRead(line);
    if (!server)
        return unknown(server.error());
    const auto snapshot = lookAt(*server);
    if (!snapshot) {
        const bool isGone =
            snapshot.error().kind == ErrorKind::Connection || snapshot.error().kind == ErrorKind::Timeout;
        if (!isGone)
            return unknown(snapshot.error());
        sayLine(u"LOCKSCOPE CRITICAL - %1"_s.arg(printable(snapshot.error().toString())));
        return exitCritical;
    }
    alert::AlertEngine engine(*rules);
    engine.trustAges();
    alert::Observation seen;
    seen.server = watch::causeServer(server->profile.url);
    seen.at = (*snapshot)->takenAt;
    seen.snapshot = *snapshot;
    engine.advance(seen);
    QList<Incident> firing = engine.firing();
    std::ranges::sort(firing, std::greater(), &Incident::severity);
    const auto chains = alert::chainsOf(**snapshot, seen.server);
    const QString reason = (*snapshot)->reasonAgainstLocks();
    if (firing.isEmpty() && !reason.isEmpty()) {
        sayLine(u"LOCKSCOPE UNKNOWN - %1"_s.arg(printable(reason)));
        return exitUnknownState;
    }
    const bool isCritical = !firing.isEmpty() && firing.first().severity == Severity::Critical;
    const QString state = firing.isEmpty() ? u"OK"_s : isCritical ? u"CRITICAL"_s : u"WARNING"_s;
    sayLine(pluginLine(state, firing, chains));
    return firing.isEmpty() ? exitOk : isCritical ? exitCritical : exitWarning;
}

Command listOfIncidents()
{
    Command command{u"alerts list"_s, u"incidents that fire"_s, runList,
        u"Shows the incidents that fire, the worst first. Exits with 1 if one of them is neither muted nor "
        "acknowledged."_s};
    addForms(command);
    return command;
}

Command historyOfIncidents()
{
    Command command{u"alerts history"_s, u"incidents of the past"_s, runHistory,
        u"Shows the incidents that fired, newest first."_s};
    command.addValue(u"for"_s, u"TIME"_s, u"How far back."_s, u"7d"_s);
    addForms(command);
    return command;
}

void describeIncident(Command& command)
{
    command.arguments = u"NUMBER"_s;
    command.addFlag(u"statements"_s, u"With the head blocker's statement."_s);
    command.addValue(
        u"recording"_s, u"FILE"_s, u"The recording of that time; else one of the account's is looked for."_s);
    addForms(command);
}

Command showIncident()
{
    Command command{u"alerts show"_s, u"one incident with its history"_s, runIncident,
        u"Shows what is known of an incident: the chain at its worst, who waited when, the rules, what was "
        u"done, "
        "and similar ones."_s};
    describeIncident(command);
    return command;
}

Command acknowledge()
{
    Command command{u"alerts ack"_s, u"say that somebody cares for an incident"_s, runAcknowledge,
        u"Notes that you care for an incident. The next notice of it comes only if it becomes critical."_s};
    command.arguments = u"NUMBER"_s;
    command.addValue(u"why"_s, u"TEXT"_s, u"Put down with it."_s);
    return command;
}

Command mute()
{
    Command command{u"alerts mute"_s, u"keep incidents like one quiet"_s, runMute,
        u"Mutes incidents like that one. They are still found and kept."_s};
    command.arguments = u"NUMBER"_s;
    command.examples = QStringList{u"lockctl alerts mute 12 --for 2h --max-waiting 50 --why 'index build'"_s};
    command.addValue(u"of"_s, u"cause|rule|server|program|family"_s,
        u"The thing that they have in common with it."_s, u"cause"_s);
    command.addValue(u"for"_s, u"TIME"_s, u"For so long."_s, u"1h"_s);
    command.addFlag(u"until-cleared"_s, u"Until it is over."_s);
    command.addFlag(u"for-ever"_s, u"Without end; after 7 days that is an incident itself."_s);
    command.addValue(u"max-waiting"_s, u"COUNT"_s, u"The mute is void if more sessions wait."_s);
    command.addValue(u"max-wait"_s, u"TIME"_s, u"The mute is void if a session waits longer."_s);
    command.addValue(u"why"_s, u"TEXT"_s, u"Put down with it."_s);
    command.apart = {{{u"until-cleared"_s}, {u"for-ever"_s}}};
    return command;
}

Command unmute()
{
    Command command{u"alerts unmute"_s, u"end a mute"_s, runUnmute, u"Ends a mute before its time."_s};
    command.arguments = u"NUMBER"_s;
    return command;
}

Command listOfMutes()
{
    Command command{u"alerts mutes"_s, u"mutes in force, and those of the last week"_s, runMutes,
        u"Shows who muted what, until when, and why."_s};
    addForms(command);
    return command;
}

Command checkRules()
{
    Command command{u"alerts check"_s, u"check a file of rules"_s, runCheckRules,
        u"Checks a file of rules, and prints each fault with its line. Without a file the account's own one. "
        u"Exits "
        "with 1 if there are faults."_s};
    command.arguments = u"[FILE]"_s;
    return command;
}

Command rehearseRules()
{
    Command command{u"alerts rehearse"_s, u"try rules on a recording"_s, runRehearse,
        u"Applies rules to a recording: which would have fired, when, for how long, how many a day. With a "
        u"file "
        "its rules stand beside the rules as they are now. The code is the one that watches servers."_s};
    command.arguments = u"[FILE]"_s;
    command.examples =
        QStringList{u"lockctl alerts rehearse alerts.json --recording shop.lockscope --from 14d"_s,
            u"lockctl alerts rehearse alerts.json --recording shop.lockscope --max-per-day 3"_s};
    command.addValue(
        u"max-per-day"_s, u"COUNT"_s, u"Exit with 1 if more incidents would have fired a day."_s);
    addRange(command);
    addForms(command, {u"rules"_s, u"incidents"_s});
    return command;
}

Command checkNow()
{
    Command command{u"alerts check-now"_s, u"one poll, for Nagios and Icinga"_s, runCheckNow,
        u"Polls a server once and applies the rules. Waits count with the time that they have lasted. Prints "
        u"one "
        "line with performance data. Exits with 0 (no incident), 1 (warning), 2 (critical) or 3 (unknown)."_s};
    command.examples = QStringList{u"lockctl --server postgresql://ops@db/shop alerts check-now"_s};
    command.addValue(u"rules"_s, u"FILE"_s, u"Other rules than the account's."_s);
    return command;
}

} // namespace

Command alertsCommand()
{
    Command command{u"alerts"_s, u"incidents: what fires, mutes, rules and their rehearsal"_s, nullptr,
        u"Shows the incidents that the window, `lockctl watch --alerts` and `lockctl record --alerts` have "
        u"found, and "
        "works on their rules."_s};
    command.examples = QStringList{u"lockctl alerts list"_s, u"lockctl alerts check alerts.json"_s,
        u"lockctl --server postgresql://ops@db/shop alerts check-now"_s};
    command.commands = {listOfIncidents(), showIncident(), historyOfIncidents(), acknowledge(), mute(),
        unmute(), listOfMutes(), checkRules(), rehearseRules(), checkNow()};
    return command;
}

Command incidentCommand()
{
    Command command{u"incident"_s, u"one incident as a page for colleagues"_s, runIncident,
        u"Writes an incident as one file, with the chain at its worst, who waited when, what was done and "
        u"similar "
        "ones. A page has nothing from elsewhere and can be printed."_s};
    command.examples = QStringList{u"lockctl incident 12 --format html > incident.html"_s};
    describeIncident(command);
    return command;
}

} // namespace lockscope::ctl
