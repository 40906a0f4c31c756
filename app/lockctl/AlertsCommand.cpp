// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Alerts.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ServerOption.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/record/StoredEvents.h"
#include "core/report/Report.h"
#include "core/watch/AlertTables.h"
#include "core/watch/IncidentKeeper.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

using alert::Incident;
using alert::Mute;
using watch::IncidentStore;

namespace {

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

Result<Incident> incidentNamed(const IncidentStore& store, const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto number, numberNamed(line));
    LOCKSCOPE_TRY_GET(auto incident, store.incident(number));
    if (!incident)
        return failure(ErrorKind::MissingObject, u"There is no incident %1."_s.arg(number),
            u"lockctl alerts history shows those that are kept."_s);
    return std::move(*incident);
}

void printSection(const CommandLine& line, report::Section section, const QString& whenEmpty)
{
    section.whenEmpty = whenEmpty;
    printReport(line, {.sections = {std::move(section)}});
}

Result<ExitStatus> runFiring(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto store, IncidentStore::openToRead());
    LOCKSCOPE_TRY_GET(const auto firing, store->firing());
    LOCKSCOPE_TRY_GET(const auto mutes, store->mutes(ownClock()));
    printSection(line, watch::incidentsSection(firing, mutes), u"No incident fires."_s);
    const auto isNews = [&mutes](const Incident& each) { return watch::needsSomebody(each, mutes); };
    return std::ranges::any_of(firing, isNews) ? exitFailed : exitOk;
}

/// A recording is of one server, and a team's history has those of other machines.
Result<ExitStatus> printRecordedIncidents(const CommandLine& line, milliseconds length)
{
    LOCKSCOPE_TRY_GET(const auto reader, recordingNamed(line));
    LOCKSCOPE_TRY_GET(const auto span, reader->span());
    LOCKSCOPE_TRY_GET(const auto events, reader->events(span.last - length, span.last + length));
    report::Report report{.sections = {record::toSection(record::incidentsAmong(events))}};
    // It may be days old, and tells nothing of what came since.
    if (span.frames > 0)
        report.notes << u"%1 was recorded from %2 up to %3."_s.arg(
            reader->identity().server, report::timeText(span.first), report::timeText(span.last));
    return printReport(line, std::move(report));
}

Result<ExitStatus> runPast(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto length, line.duration(u"for"_s));
    if (line.has(u"recording"_s))
        return printRecordedIncidents(line, length);
    LOCKSCOPE_TRY_GET(const auto store, IncidentStore::openToRead());
    LOCKSCOPE_TRY_GET(const auto listed, store->list(ownClock() - length));
    report::Report report{.facts = {{{report::Type::Count, u"left_out"_s}, listed.leftOut}},
        .sections = {watch::incidentsSection(listed.all)}};
    report.sections.front().whenEmpty = u"No incident fires, and none ended in that time."_s;
    if (listed.leftOut > 0)
        report.notes << u"These are all that fire, and %1."_s.arg(watch::leftOutText(listed));
    return printReport(line, std::move(report));
}

Result<ExitStatus> runIncident(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto store, IncidentStore::openToRead());
    watch::IncidentFile file;
    file.version = QStringLiteral(LOCKSCOPE_VERSION);
    LOCKSCOPE_TRY_GET(file.incident, incidentNamed(*store, line));
    LOCKSCOPE_TRY_GET(file.steps, store->steps(file.incident.id));
    LOCKSCOPE_TRY_GET(file.similar, store->similar(file.incident, 10));
    if (line.has(u"recording"_s)) {
        LOCKSCOPE_TRY_GET(const auto reader, recordingNamed(line));
        LOCKSCOPE_TRY(watch::addRecorded(file, *reader));
        file.recording = line.value(u"recording"_s);
    } else
        watch::addOwnRecording(file);
    return printReport(line, watch::toReport(file, line.has(u"statements"_s)));
}

Result<ExitStatus> runAcknowledge(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto store, IncidentStore::open());
    LOCKSCOPE_TRY_GET(const auto number, numberNamed(line));
    LOCKSCOPE_TRY(store->acknowledge(number, watch::ownAccountText(), line.value(u"why"_s)));
    return answer(line, u"Acknowledged."_s, {{u"acknowledged"_s, number}});
}

Result<void> addCeiling(const CommandLine& line, Mute& mute)
{
    if (line.has(u"max-waiting"_s)) {
        LOCKSCOPE_TRY_GET(const auto most, line.number(u"max-waiting"_s, 1));
        mute.maxWaiting = int(std::min<qint64>(most, 1'000'000));
    }
    return line.setDuration(u"max-wait"_s, mute.maxWait);
}

/// The mute that the options describe, of that incident.
Result<Mute> muteFrom(const CommandLine& line, const Incident& incident)
{
    const QString of = line.value(u"of"_s);
    const QList<Mute> possible = mutesFor(incident);
    const auto chosen = std::ranges::find_if(possible, [&of](const Mute& each) {
        return of == (each.of == Mute::Of::Fingerprint ? u"cause"_s : muteOfName(each.of));
    });
    if (chosen == possible.end() || chosen->value.isEmpty())
        return failure(ErrorKind::BadInput, u"Incident %1 has no %2."_s.arg(incident.id).arg(of));
    Mute mute = *chosen;
    mute.by = watch::ownAccountText();
    mute.made = ownClock();
    mute.why = line.value(u"why"_s).trimmed();
    if (mute.why.isEmpty())
        return failure(ErrorKind::BadInput, u"A mute needs a reason, for those who wonder later."_s,
            u"--why 'index build until noon'"_s);
    if (line.has(u"until-cleared"_s))
        mute.end = Mute::End::WhenCleared;
    else if (line.has(u"for-ever"_s))
        mute.end = Mute::End::Never;
    else {
        LOCKSCOPE_TRY_GET(const auto length, line.duration(u"for"_s));
        if (length <= milliseconds(0))
            return failure(ErrorKind::BadInput, u"A mute of no length mutes nothing."_s, u"--for 1h"_s);
        mute.until = mute.made + length;
    }
    return ifDone(addCeiling(line, mute), mute);
}

Result<ExitStatus> runMute(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto store, IncidentStore::open());
    LOCKSCOPE_TRY_GET(const auto incident, incidentNamed(*store, line));
    LOCKSCOPE_TRY_GET(const auto asked, muteFrom(line, incident));
    LOCKSCOPE_TRY_GET(const auto mute, store->mute(asked));
    LOCKSCOPE_TRY(store->addStep(incident.id, u"Muted by %1 %2."_s.arg(mute.by, endText(mute))));
    return answer(line, u"Mute %1: %2, %3."_s.arg(QString::number(mute.id), mute.shown, endText(mute)),
        {{u"mute"_s, mute.id}, {u"of"_s, muteOfName(mute.of)}, {u"value"_s, mute.value}});
}

Result<ExitStatus> runUnmute(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto store, IncidentStore::open());
    LOCKSCOPE_TRY_GET(const auto number, numberNamed(line));
    LOCKSCOPE_TRY(store->unmute(number, u"by "_s + watch::ownAccountText()));
    return answer(line, u"Not muted any more."_s, {{u"unmuted"_s, number}});
}

Result<ExitStatus> runMutes(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto store, IncidentStore::openToRead());
    LOCKSCOPE_TRY_GET(const auto mutes, store->mutes(ownClock()));
    printSection(
        line, watch::mutesSection(mutes), u"Nothing is muted, and no mute ended within the last week."_s);
    return exitOk;
}

Result<ExitStatus> runCured(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto server, serverToRead(line));
    if (line.readOnly())
        return failure(ErrorKind::ReadOnly, u"Nothing is marked: lockctl is read-only."_s,
            u"Leave out --read-only and unset LOCKSCOPE_READ_ONLY if you may change something."_s);
    const QString family = line.positional(0);
    static const QRegularExpression form(u"^\\d+-[0-9a-f]{12}$"_s);
    if (!form.match(family).hasMatch())
        return failure(ErrorKind::BadInput, u"'%1' is no deadlock family."_s.arg(inOneLine(family.left(40))),
            u"lockctl deadlock --family FILE shows it, such as 6-9f3b24c05d7e."_s);
    const watch::FamilyCure cure{
        inOneLine(line.value(u"cure"_s)).trimmed(), watch::ownAccountText(), ownClock()};
    LOCKSCOPE_TRY_GET(const auto store, IncidentStore::open());
    if (cure.cure.isEmpty())
        return failure(ErrorKind::BadInput, u"A cure needs a name, for those who see the family again."_s,
            u"--cure 'one order for all'"_s);
    LOCKSCOPE_TRY(store->markCured(watch::causeServer(server.profile.url), family, cure));
    return answer(line, u"Family %1 is marked as cured on %2."_s.arg(family, server.display()),
        {{u"family"_s, family}, {u"cure"_s, cure.cure}, {u"by"_s, cure.by}});
}

Command listOfIncidents()
{
    Command command(u"alerts list"_s, u"incidents that fire"_s, runFiring,
        u"Shows the incidents that fire, the worst first. Exits with 1 if one of them is neither muted nor acknowledged."_s);
    command.examples = {u"lockctl alerts list --format json"_s};
    addForms(command);
    return command;
}

Command historyOfIncidents()
{
    Command command(u"alerts history"_s, u"incidents that fire or ended lately"_s, runPast,
        u"Shows the incidents that fire, and those that ended in that time, the latest first: those of this account, or those that a recording holds."_s);
    command.examples = {u"lockctl alerts history --for 1d"_s,
        u"lockctl alerts history --recording postgresql://ann@db2/history#ops@db1/shop"_s};
    command.addValue(
        u"for"_s, u"TIME"_s, u"So long before now, or before the last snapshot of a recording."_s, u"7d"_s);
    command.addValue(u"recording"_s, u"FILE"_s,
        u"The incidents of this recording; of a team's history: postgresql://user@host/db#SERVER."_s);
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
    Command command(u"alerts show"_s, u"one incident with its history"_s, runIncident,
        u"Shows what is known of an incident: the chain at its worst, who waited when, the rules, what was done, and similar ones."_s);
    command.examples = {u"lockctl alerts show 12 --statements"_s};
    describeIncident(command);
    return command;
}

Command acknowledge()
{
    Command command(u"alerts ack"_s, u"say that somebody cares for an incident"_s, runAcknowledge,
        u"Notes that you care for an incident. The next notice of it comes only if it becomes critical."_s);
    command.examples = {u"lockctl alerts ack 12 --why 'on it'"_s};
    command.arguments = u"NUMBER"_s;
    command.addValue(u"why"_s, u"TEXT"_s, u"Put down with it."_s);
    return command;
}

Command mute()
{
    Command command(u"alerts mute"_s, u"keep incidents like one quiet"_s, runMute,
        u"Mutes incidents like that one. They are still found and kept."_s);
    command.arguments = u"NUMBER"_s;
    command.examples = {u"lockctl alerts mute 12 --for 2h --max-waiting 50 --why 'index build'"_s};
    command.addValue(u"of"_s, u"cause|rule|server|program|family"_s,
        u"The thing that they have in common with it."_s, u"cause"_s);
    command.addValue(u"for"_s, u"TIME"_s, u"For so long."_s, u"1h"_s);
    command.addFlag(u"until-cleared"_s, u"Until it is over."_s);
    command.addFlag(u"for-ever"_s, u"Without end; after 7 days that is an incident itself."_s);
    command.addValue(u"max-waiting"_s, u"COUNT"_s, u"The mute is void if more sessions wait."_s);
    command.addValue(u"max-wait"_s, u"TIME"_s, u"The mute is void if a session waits longer."_s);
    command.addValue(u"why"_s, u"TEXT"_s, u"Put down with it."_s);
    command.apart = {
        {{u"until-cleared"_s}, {u"for-ever"_s}}, {{u"for"_s}, {u"until-cleared"_s, u"for-ever"_s}}};
    return command;
}

Command unmute()
{
    Command command(u"alerts unmute"_s, u"end a mute"_s, runUnmute, u"Ends a mute before its time."_s);
    command.examples = {u"lockctl alerts unmute 3"_s};
    command.arguments = u"NUMBER"_s;
    return command;
}

Command listOfMutes()
{
    Command command(u"alerts mutes"_s, u"mutes in force, and those of the last week"_s, runMutes,
        u"Shows who muted what, until when, and why."_s);
    command.examples = {u"lockctl alerts mutes"_s};
    addForms(command);
    return command;
}

Command cured()
{
    Command command(u"alerts cured"_s, u"mark a deadlock family as cured"_s, runCured,
        u"Notes that the cure of a deadlock family is proven and in place on the server, by you and from now on. A deadlock of that family after that is an incident, which names the cure. lockctl deadlock --prove proves cures, --family shows the family."_s);
    command.arguments = u"FAMILY"_s;
    command.examples = {u"lockctl --server shop alerts cured 6-9f3b24c05d7e --cure 'one order'"_s};
    command.addValue(u"cure"_s, u"TEXT"_s, u"The change that cures it."_s);
    return command;
}

} // namespace

Command alertsCommand()
{
    Command command(u"alerts"_s, u"incidents: what fires, mutes, rules and their rehearsal"_s, nullptr,
        u"Shows the incidents that the window, `lockctl watch --alerts` and `lockctl record --alerts` have found, and works on their rules."_s);
    command.examples = {u"lockctl alerts list"_s, u"lockctl alerts check alerts.json"_s,
        u"lockctl --server postgresql://ops@db/shop alerts check-now"_s};
    command.commands = {listOfIncidents(), showIncident(), historyOfIncidents(), acknowledge(), mute(),
        unmute(), listOfMutes(), cured(), checkRulesCommand(), rehearseRulesCommand(), checkNowCommand(),
        testChannelCommand()};
    return command;
}

Command incidentCommand()
{
    Command command(u"incident"_s, u"one incident as a page for colleagues"_s, runIncident,
        u"Writes an incident as one file, with the chain at its worst, who waited when, what was done and similar ones. A page has nothing from elsewhere and can be printed."_s);
    command.examples = {u"lockctl incident 12 --format html > incident.html"_s};
    describeIncident(command);
    return command;
}

} // namespace lockscope::ctl
