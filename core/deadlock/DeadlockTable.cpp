// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/DeadlockExport.h"

#include "core/base/Sentences.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/ReadReports.h"
#include "core/domain/Engine.h"

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

using report::Section;
using report::Value;
using enum report::Type;
using enum report::Shown;

template <class Number> Value numberOf(const std::optional<Number>& number)
{
    return number ? Value(qint64(*number)) : Value();
}

Value textOf(const QString& text)
{
    return text.isEmpty() ? Value() : Value(text);
}

QString placeOf(const DeadlockReport& report)
{
    const QString place =
        report.source.place.isEmpty() ? sourceFormatName(report.source.format) : report.source.place;
    return report.source.position > 0 ? u"%1:%2"_s.arg(place).arg(report.source.position) : place;
}

QString kindOf(const DeadlockReport& report)
{
    switch (report.kind) {
    case ReportKind::Blocked:
        return u"blocked"_s;
    case ReportKind::Live:
        return u"live"_s;
    case ReportKind::Deadlock:
        break;
    }
    return u"deadlock"_s;
}

QStringList labelsOf(const DeadlockReport& report, const QList<int>& participants)
{
    return textOfEach(participants, [&report](int each) { return report.participants[each].label(); });
}

/// For programs all of them; for people where there are several.
Section listOf(const QList<Deadlock>& deadlocks)
{
    Section section{.key = u"deadlocks"_s,
        .columns = {{Count, u"deadlock"_s, u"No."_s}, {Time, u"time"_s}, {Flag, u"time_zone_known"_s},
            report::Column(u"when"_s, u"When"_s).show(ToPeople), {u"kind"_s}, {u"engine"_s},
            {u"family"_s, u"Family"_s}, report::Column(u"title"_s, u"What"_s).wide(3), {u"summary"_s},
            {Texts, u"victims"_s, u"Victims"_s}, {Texts, u"tables"_s}, {u"place"_s}, {u"form"_s},
            {Count, u"line"_s}, {u"event"_s}, {Texts, u"complaints"_s}, {u"raw"_s}, {u"cure"_s}},
        .shown = deadlocks.size() > 1 ? Always : ToPrograms};
    for (const Deadlock& each : deadlocks) {
        const DeadlockReport& report = *each.report;
        section.rows.push_back(
            {.cells = {qint64(section.rows.size() + 1), report.time.at.value_or(ServerTime()),
                 Value::flag(report.time.isZoneKnown), report.time.toString(), kindOf(report),
                 engineKey(report.engine), familyOf(each), familyTitle(each), summaryOf(each),
                 labelsOf(report, each.victims), each.tables(), report.source.place,
                 sourceFormatName(report.source.format), report.source.position, report.source.eventKey,
                 report.complaints, each.index == 0 ? textOf(report.raw) : Value(),
                 textOf(cureLine(findingsOf(each)))}});
    }
    return section;
}

/// Its rows are the rings; people see them drawn.
Section ringOf(const Deadlock& deadlock, qint64 number)
{
    const DeadlockReport& report = *deadlock.report;
    Section section{.key = u"waits"_s,
        .title = u"Who waits for whom"_s,
        .columns = {{Count, u"deadlock"_s}, {Count, u"ring"_s}, {u"waiter"_s}, {u"blocker"_s}, {u"lock"_s},
            {u"mode"_s}, {u"held"_s}, {Flag, u"converts"_s}, {Flag, u"queue"_s}},
        .isList = true,
        .notes = {u"%1, %2, %3. Family %4."_s.arg(
                      report.time.toString(), engineName(report.engine), placeOf(report), familyOf(deadlock)),
            summaryOf(deadlock)},
        .picture = drawingOf(deadlock),
        .svg = [deadlock] { return pictureOf(deadlock); }};
    for (qsizetype ring = 0; ring < deadlock.rings.size(); ++ring)
        for (const Link& link : deadlock.report->cycles[deadlock.rings[ring]].links)
            section.rows.push_back(
                {.cells = {number, qint64(ring + 1), deadlock.participant(link.waiter).label(),
                     deadlock.participant(link.blocker).label(), deadlock.resource(link.resource).name,
                     textOf(link.awaited), textOf(link.held), Value::flag(link.converts),
                     Value::flag(link.isQueue)}});
    return section;
}

Section stepsOf(const Deadlock& deadlock, qint64 number)
{
    Section section{.key = u"steps"_s,
        .title = u"What happened"_s,
        .columns = {{Count, u"deadlock"_s}, {Count, u"step"_s, u"Step"_s}, {u"what"_s, u"What"_s}},
        .isList = true};
    for (const QString& step : sequenceOf(deadlock))
        section.rows.push_back({.cells = {number, qint64(section.rows.size() + 1), step}});
    return section;
}

/// Names the threads of a session that works in parallel; empty of others.
QStringList threadsOf(const Deadlock& deadlock, int leader)
{
    QStringList labels;
    const SessionId session = deadlock.participant(leader).session;
    for (const Participant& one : deadlock.report->participants)
        if (session.isValid() && one.session == session)
            labels << one.label();
    return labels.size() > 1 ? labels : QStringList();
}

Section participantsOf(const Deadlock& deadlock, qint64 number)
{
    Section section{.key = u"participants"_s,
        .title = u"Participants"_s,
        .columns = {{Count, u"deadlock"_s}, {u"participant"_s, u"Participant"_s},
            report::Column(u"who"_s, u"Who"_s).show(ToPeople), {Flag, u"victim"_s}, {Count, u"session"_s},
            {Texts, u"threads"_s}, {u"user"_s}, {u"program"_s}, {u"host"_s}, {u"database"_s, u"Database"_s},
            {u"isolation"_s, u"Isolation"_s}, {u"state"_s}, {Bytes, u"log_used_bytes"_s, u"Log used"_s},
            {Count, u"priority"_s, u"Priority"_s}, {Length, u"waited"_s, u"Waited"_s}, {u"wait_resource"_s},
            {u"transaction"_s}, {u"transaction_started"_s, u"Transaction since"_s}, {u"batch_started"_s},
            {Count, u"open_transactions"_s}, {Code, u"statement"_s, u"Statement"_s},
            {Code, u"input_buffer"_s}, {Texts, u"frames"_s}},
        .isList = true};
    for (const int at : deadlock.participants) {
        const Participant& one = deadlock.participant(at);
        QStringList who{one.user, one.program, one.host};
        who.removeAll(QString());
        if (deadlock.isVictim(at))
            who << u"the victim"_s;
        QStringList frames;
        for (const StackFrame& frame : one.frames)
            frames << u"%1:%2 %3"_s.arg(frame.procedure).arg(frame.line).arg(frame.statement).trimmed();
        const report::Mark mark = deadlock.isVictim(at) ? report::Mark::Alarm : report::Mark::None;
        section.rows.push_back(
            {.cells = {number, Value(one.sessionLabel(), mark), who.join(u", "_s),
                 Value::flag(deadlock.isVictim(at)),
                 one.session.isValid() ? Value(one.session.value) : Value(), threadsOf(deadlock, at),
                 textOf(one.user), textOf(one.program), textOf(one.host), textOf(one.database),
                 textOf(one.isolation), textOf(one.state), numberOf(one.logUsed), numberOf(one.priority),
                 one.waited ? Value(microseconds(*one.waited)) : Value(), textOf(one.waitResource),
                 textOf(one.transaction), textOf(one.transactionStarted.sourceText),
                 textOf(one.batchStarted.sourceText), numberOf(one.openTransactions), textOf(one.statement),
                 textOf(one.inputBuffer), frames}});
    }
    return section;
}

/// Lists what each had and waited for, in the ring or not.
Section locksOf(const Deadlock& deadlock, qint64 number)
{
    Section section{.key = u"locks"_s,
        .columns = {{Count, u"deadlock"_s}, {u"participant"_s}, {u"state"_s}, {u"mode"_s}, {u"lock"_s},
            {u"kind"_s}, {u"database"_s}, {u"table"_s}, {u"index"_s}, {u"part"_s}, {u"element"_s},
            {Flag, u"is_lock"_s}, {Flag, u"converts"_s}, {Flag, u"among_owners"_s}, {Flag, u"implied"_s}},
        .shown = ToPrograms};
    for (const Edge& edge : deadlock.report->edges) {
        const LockedThing& thing = deadlock.resource(edge.resource);
        section.rows.push_back(
            {.cells = {number, deadlock.participant(edge.participant).label(),
                 edge.kind == Edge::Kind::Holds ? u"holds"_s : u"waits"_s, textOf(edge.mode), thing.name,
                 resourceKindName(thing.kind), textOf(thing.database), textOf(thing.table),
                 textOf(thing.index), textOf(thing.part), thing.element, Value::flag(thing.isLock),
                 Value::flag(edge.converts), Value::flag(edge.isAmongOwners), Value::flag(edge.isImplied)}});
    }
    return section;
}

bool isRemark(const Finding& finding)
{
    return finding.id == u"capture"_s;
}

/// The first thing that is said of a deadlock.
Section cureSection(const QList<Finding>& findings, qint64 number, const QString& title)
{
    const bool hasCure = !cureLine(findings).isEmpty();
    const Finding first = hasCure ? findings.first() : Finding();
    return {.key = u"cure"_s,
        .title = title,
        .columns = {{Count, u"deadlock"_s}, report::Column(u"head"_s, u"What to do"_s).show(ToPeople),
            report::Column(u"line"_s, u"Cure"_s).show(ToPeople), {u"cure"_s}, {u"finding"_s},
            {u"certainty"_s, u"Certainty"_s}, {u"hedge"_s, u"But"_s}},
        .rows = {{.cells = {number, hasCure ? cureHead(first.certainty) : u"No cure"_s,
                      hasCure ? first.cure
                              : u"the report alone shows none; the findings say what to check."_s,
                      textOf(first.cure), textOf(first.id),
                      hasCure ? Value(certaintyName(first.certainty)) : Value(), textOf(first.hedge)}}},
        .isList = true,
        .isHead = true};
}

Section findingsSection(const QList<Finding>& findings, qint64 number, bool areRemarks)
{
    Section section{.key = u"findings"_s,
        .title = areRemarks ? u"Remarks on the report"_s : u"Why"_s,
        .columns = {{Count, u"deadlock"_s}, {u"finding"_s, u"Finding"_s}, {u"says"_s, u"Says"_s},
            {u"certainty"_s, u"Certainty"_s}, {u"rests_on"_s, u"Rests on"_s},
            {u"would_prove"_s, u"To be proved by"_s}, {u"hedge"_s, u"But"_s}, {u"cure"_s}},
        .whenEmpty =
            areRemarks ? QString() : u"No rule fits; that does not mean that there is nothing to find."_s,
        .isList = true};
    for (const Finding& each : findings)
        if (isRemark(each) == areRemarks)
            section.rows.push_back(
                {.cells = {number, each.id, each.says, certaintyName(each.certainty), textOf(each.restsOn),
                     textOf(each.wouldProve), textOf(each.hedge), textOf(each.cure)}});
    return section;
}

/// Counts the deadlocks in which each program, host and database took part.
Section totalsOf(const QList<Deadlock>& deadlocks)
{
    Section section{.key = u"totals"_s,
        .title = u"Who takes part"_s,
        .columns = {{u"by"_s, u"By"_s}, report::Column(u"name"_s, u"Name"_s).wide(1),
            {Count, u"deadlocks"_s, u"Deadlocks"_s}, {Count, u"victims"_s, u"Victims"_s}},
        .shown = deadlocks.size() > 1 ? Always : ToPrograms};
    for (const Total& each : totals(deadlocks))
        section.rows.push_back({.cells = {each.by, each.name, qint64(each.deadlocks), qint64(each.victims)}});
    return section;
}

/// Reports without a ring: blocked-process reports, and those of which a part is missing.
Section othersOf(const QList<ReportPtr>& reports)
{
    Section section{.key = u"others"_s,
        .title = u"Blocked processes, and reports that are not complete"_s,
        .columns = {{u"kind"_s, u"Kind"_s}, {u"waits"_s, u"Waits"_s},
            report::Column(u"when"_s, u"When"_s).show(ToPeople), {Time, u"time"_s}, {u"place"_s, u"Where"_s},
            {Texts, u"complaints"_s, u"Missing"_s}, {u"raw"_s}},
        .isList = true};
    for (const ReportPtr& report : reports) {
        if (report->isComplete())
            continue;
        QStringList waits;
        for (const Link& link : report->links)
            waits << u"%1 waits for %2: %3"_s.arg(report->participants[link.waiter].label(),
                report->participants[link.blocker].label(),
                (link.awaited + u' ' + report->resources[link.resource].name).trimmed());
        section.rows.push_back(
            {.cells = {report->kind == ReportKind::Blocked ? u"Blocked, no deadlock"_s : u"Not complete"_s,
                 waits.join(u"; "_s), report->time.toString(), report->time.at.value_or(ServerTime()),
                 placeOf(*report), report->complaints, textOf(report->raw)}});
    }
    return section;
}

} // namespace

std::vector<Section> sectionsOf(const Deadlock& deadlock, qint64 number, const QString& title)
{
    const QList<Finding> findings = findingsOf(deadlock);
    return {cureSection(findings, number, title), findingsSection(findings, number, false),
        ringOf(deadlock, number), stepsOf(deadlock, number), participantsOf(deadlock, number),
        locksOf(deadlock, number), findingsSection(findings, number, true)};
}

std::vector<Section> sectionsOf(const ProofSection& proof, qint64 number, bool withScenario)
{
    Section changes{.key = u"proof"_s,
        .title = u"The proof"_s,
        .columns = {{Count, u"deadlock"_s}, report::Column(u"change"_s, u"Change"_s).wide(2),
            report::Column(u"shown"_s, u"What all orders show"_s).wide(2), {u"so"_s, u"So"_s},
            report::Column(u"meaning"_s, u"What it means"_s).wide(2)},
        .notes = {proof.summary, u"Executed on %1."_s.arg(proof.where)}};
    for (const QString& sentence : proof.leftOut)
        changes.notes << u"Not in it: "_s + sentence;
    for (const ProofSection::Change& each : proof.changes)
        changes.rows.push_back(
            {.cells = {number, each.title, each.shown,
                 Value(each.so, each.cures ? report::Mark::Good : report::Mark::None), each.meaning}});
    if (!withScenario) {
        changes.notes << u"The scenario's text is left out: the page would be too long."_s;
        return {changes};
    }
    return {changes,
        {.key = u"scenario"_s,
            .title = u"The scenario, to save, edit and run again"_s,
            .columns = {{Count, u"deadlock"_s}, {u"text"_s}},
            .rows = {{.cells = {number, proof.scenario}}},
            .picture = proof.scenario.split(u'\n')}};
}

const ProofSection* proofOf(const QList<ProofSection>& proofs, const Deadlock& deadlock)
{
    const auto found = std::ranges::find_if(proofs, [&](const ProofSection& each) {
        return each.eventKey == deadlock.report->source.eventKey && each.index == deadlock.index;
    });
    return found == proofs.cend() ? nullptr : &*found;
}

report::Report toReport(
    const QList<ReportPtr>& reports, const QList<ProofSection>& proofs, const QString& table)
{
    const auto isSelected = [&](const QString& key) { return table.isEmpty() || key == table; };
    report::Report all;
    const auto add = [&](std::vector<Section> sections) {
        for (Section& each : sections)
            if (isSelected(each.key))
                all.sections.push_back(std::move(each));
    };
    QList<Deadlock> deadlocks;
    for (const ReportPtr& each : reports)
        deadlocks << deadlocksOf(each);
    QString count = countText(reports);
    count[0] = count[0].toUpper();
    all.title = count;
    if (isSelected(u"deadlocks"_s))
        all.sections.push_back(listOf(deadlocks));
    if (isSelected(u"totals"_s))
        all.sections.push_back(totalsOf(deadlocks));
    const bool isOfAll = table == u"deadlocks"_s || table == u"totals"_s || table == u"others"_s;
    qint64 number = 0;
    for (const Deadlock& each : isOfAll ? QList<Deadlock>() : deadlocks) {
        const QString name = deadlocks.size() == 1
            ? u"Deadlock"_s
            : u"Deadlock %1 of %2"_s.arg(QString::number(++number), QString::number(deadlocks.size()));
        add(sectionsOf(each, std::max<qint64>(number, 1), u"%1: %2"_s.arg(name, familyTitle(each))));
        if (const ProofSection* const proof = proofOf(proofs, each))
            add(sectionsOf(*proof, std::max<qint64>(number, 1)));
    }
    if (deadlocks.isEmpty()) // programs find the same tables
        for (const QString& key :
            {u"cure"_s, u"waits"_s, u"steps"_s, u"participants"_s, u"locks"_s, u"findings"_s})
            add({{.key = key, .shown = ToPrograms}});
    add({othersOf(reports)});
    return all;
}

report::Report toReport(const QList<Family>& families)
{
    Section section{.key = u"families"_s,
        .columns = {{Count, u"count"_s, u"Count"_s}, {u"family"_s, u"Family"_s},
            {Time, u"first"_s, u"First"_s}, {Time, u"last"_s, u"Last"_s},
            report::Column(u"title"_s, u"What"_s).wide(1), {Texts, u"places"_s}},
        .whenEmpty = u"No deadlock."_s};
    for (const Family& each : families) {
        const QStringList places =
            textOfEach(each.members, [](const Deadlock& member) { return member.report->source.place; });
        section.rows.push_back({.cells = {each.members.size(), each.id, each.first.value_or(ServerTime()),
                                    each.last.value_or(ServerTime()), each.title, places}});
    }
    return {.sections = {std::move(section)}};
}

} // namespace lockscope::deadlock
