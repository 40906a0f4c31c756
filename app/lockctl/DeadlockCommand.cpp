// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/ReportOutput.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Sentences.h"
#include "core/base/WriteFile.h"
#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/DeadlockTable.h"
#include "core/deadlock/ReadReports.h"
#include "core/scenario/deadlock/DeadlockScenario.h"
#include "core/scenario/deadlock/Proof.h"

#include <QFile>

#include <algorithm>
#include <cstdio>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;
using namespace deadlock;

namespace {

void printProof(const scenario::DeadlockScenario& made, const scenario::DeadlockProof& proof)
{
    print(toned(printable(made.scenario->title), TextTone::Bold, useColours()) + u'\n');
    const int columns = screenSize().columns;
    const auto say = [columns](const QString& sentence, int indent) {
        for (const QString& part : wrapped(printable(sentence), columns - indent))
            sayLine(QString(indent, u' ') + part);
    };
    for (const scenario::ProvedChange& each : proof.changes()) {
        for (const QString& part :
            wrapped(u"%1: %2"_s.arg(printable(each.title), printable(each.so)), columns))
            print(toned(part, each.cures ? TextTone::Bold : TextTone::Plain, useColours()) + u'\n');
        say(each.shown, 4);
        say(each.meaning, 4);
    }
    sayLine(u"Not in it:"_s);
    for (const QString& sentence : made.leftOut)
        say(sentence, 2);
    sayLine(u"Executed on %1."_s.arg(printable(proof.product)));
}

int prove(const CommandLine& line, const deadlock::Deadlock& deadlock, const scenario::DeadlockScenario& made,
    QList<deadlock::ProofSection>& proofs)
{
    const auto server = serverToChange(line, u"run a scenario"_s);
    if (!server)
        return failWithoutVerdict(server.error());
    const StopOnSignal stop(inOrder);
    Result<scenario::DeadlockProof> proof;
    {
        ProgressLine status;
        proof = scenario::prove(*server, made.scenario, scenario::ExploreOrder().maximum, stop.token(),
            [&](const scenario::ProofProgress& progress) { status.show(progress.toString()); });
    }
    if (!proof)
        return codeWithoutVerdict(stop.fail(proof.error()));
    if (line.json()) {
        QJsonObject json = scenario::toJson(*proof);
        json[u"scenario"_s] = made.scenario->id;
        json[u"left_out"_s] = QJsonArray::fromStringList(made.leftOut);
        printJson(json);
    } else {
        printProof(made, *proof);
    }
    proofs << scenario::sectionOf(deadlock, *proof,
        scenario::whereProved(*proof, server->profile.url.sandbox),
        line.has(u"whole"_s) ? deadlock::Disclosure::Whole : deadlock::Disclosure::Redacted);
    return proof->happened() ? exitOk : exitFailed;
}

/// Does what --scenario and --prove ask for, with that deadlock: writes the scenario that is made of it;
/// executes all its orders on the server and says in how many it happens, as reported and with each change;
/// that is added to `proofs`, for the page. The exit code of --prove is 1 if it did not happen as reported.
int proveDeadlock(
    const CommandLine& line, const deadlock::Deadlock& deadlock, QList<deadlock::ProofSection>& proofs)
{
    const auto made = scenario::deadlockScenario(deadlock);
    if (!made)
        return failWithoutVerdict(made.error());
    if (line.has(u"scenario"_s)) {
        const QString path = line.value(u"scenario"_s);
        if (const auto written = writeFile(path, made->scenario->text); !written)
            return failWithoutVerdict(written.error());
        if (!line.json())
            sayLine(u"The scenario %1 is in %2."_s.arg(made->scenario->id, path));
    }
    return line.has(u"prove"_s) ? prove(line, deadlock, *made, proofs) : exitSomeFound;
}

struct Read {
    QList<ReportPtr> reports;
    report::Section mentions{.key = u"mentions"_s,
        .title = u"Lines that speak of a deadlock, without a report that can be read"_s,
        .columns = {{u"place"_s, u"Where"_s}, {report::Type::Count, u"line"_s}, {u"text"_s, u"Text"_s},
            {u"why"_s, u"Why"_s}, {u"report_at"_s, u"The report"_s}},
        .isList = true};
    bool isUnreadable = false; ///< one of the files; reported already
    bool isCut = false; ///< one of them has more than is read; reported already
};

QString placeOf(const QString& file)
{
    return file == u"-" ? u"standard input"_s : file;
}

Result<ReportsRead> readOne(const QString& file)
{
    if (file != u"-")
        return readReportFile(file);
    QFile input;
    if (!input.open(stdin, QIODevice::ReadOnly))
        return failure(ErrorKind::BadInput, u"Can't read standard input."_s);
    return readFrom(input, placeOf(file));
}

Read readAll(const QStringList& files)
{
    Read read;
    KnownDeadlocks known;
    for (const QString& file : files) {
        const auto all = readOne(file);
        if (!all) {
            static_cast<void>(fail(all.error()));
            read.isUnreadable = true;
            continue;
        }
        // The same event saved twice, or in two forms of a log, is one deadlock.
        for (const ReportPtr& report : all->reports)
            if (files.size() == 1 || known.isNew(report))
                read.reports << report;
        const QString place = placeOf(file);
        for (const Mention& each : all->mentions)
            read.mentions.rows.push_back({.cells = {u"%1:%2"_s.arg(place).arg(each.line), each.line,
                                              each.text, each.why, each.where}});
        read.isCut |= all->isCut;
        if (all->isCut)
            complain(u"%1: %2"_s.arg(place, cutSentence(*all)));
    }
    return read;
}

/// Never "No deadlock" where a line speaks of one.
void printRead(const CommandLine& line, const Read& read, const QList<Deadlock>& all)
{
    report::Report report = line.has(u"family"_s) ? toReport(familiesOf(all))
                                                  : toReport(read.reports, {}, line.value(u"table"_s));
    const size_t count = read.mentions.rows.size();
    if (count > 0 && all.isEmpty()) {
        const QString text = u"No complete report, but "_s
            + counted(qint64(count), u"line speaks of a deadlock", u"lines speak of a deadlock");
        if (line.has(u"family"_s))
            report.sections.front().whenEmpty = text + u'.';
        else
            report.title = text;
    }
    if (count > 0 || !line.has(u"family"_s))
        report.sections.push_back(read.mentions);
    printReport(line, std::move(report));
}

/// Writes the files of --xdl and --html; returns false if that failed, after reporting it.
bool writeFiles(const CommandLine& line, const QList<ReportPtr>& reports, const QList<ProofSection>& proofs)
{
    const auto write = [&](const QString& option, const Result<QByteArray>& content) {
        const auto written = content ? writeFile(line.value(option), *content) : Failure(content.error());
        if (!written)
            static_cast<void>(fail(written.error()));
        return written.has_value();
    };
    bool isWritten = true;
    if (line.has(u"xdl"_s))
        isWritten &= write(u"xdl"_s, toXdl(reports));
    if (line.has(u"html"_s))
        isWritten &= write(u"html"_s,
            toHtml(reports, line.has(u"whole"_s) ? Disclosure::Whole : Disclosure::Redacted, proofs));
    return isWritten;
}

int runDeadlock(const CommandLine& line)
{
    const Read read = readAll(line.positionals());
    QList<Deadlock> all;
    for (const ReportPtr& report : read.reports)
        all << deadlocksOf(report);
    const bool makesScenario = !all.isEmpty() && (line.has(u"scenario"_s) || line.has(u"prove"_s));
    // As JSON, the answer is that of the proof; and unreadable reports may have had some.
    const bool isAnswer = !(makesScenario && line.json());
    const bool isKnown = line.json() || !read.reports.isEmpty() || !read.isUnreadable;
    if (isAnswer && isKnown)
        printRead(line, read, all);
    QList<ProofSection> proofs;
    const int proved = makesScenario ? proveDeadlock(line, all.first(), proofs) : exitOk;
    if (!writeFiles(line, read.reports, proofs))
        return exitNoVerdict;
    if (makesScenario)
        return proved;
    const bool isUnknown = read.isUnreadable || read.isCut || line.has(u"prove"_s)
        || !read.mentions.rows.empty() || std::ranges::any_of(read.reports, [](const ReportPtr& report) {
               return report->kind == ReportKind::Deadlock;
           }); // without its ring
    return !all.isEmpty() ? exitSomeFound : isUnknown ? exitNoVerdict : exitOk;
}

} // namespace

Command deadlockCommand()
{
    Command command(u"deadlock"_s, u"explain deadlocks that files report"_s, runDeadlock,
        u"Reads reports of deadlocks: .xdl and other XML of SQL Server, the text of its error log (trace flags 1222 and 1204), blocked-process reports, logs of PostgreSQL (stderr with any prefix, CSV, JSON), and all of these as containers, log services, clients, tickets and mails pass them on. \"-\" is "
        "standard input. Where a line only speaks of a deadlock it says what is missing and where the report is. "
        "Draws who waited for whom, says what happened and what usually helps. The change that prevents it comes first. Exits with 0 if there is none, 1 if there is one, 3 if that is unknown: a file can't be read, or no report is complete."_s);
    command.arguments = u"FILE…"_s;
    command.examples = {u"lockctl deadlock Friday.xdl"_s, u"docker compose logs db | lockctl deadlock -"_s,
        u"lockctl deadlock --family /var/log/postgresql/*.log"_s,
        u"lockctl deadlock Friday.xdl --html report.html"_s,
        u"lockctl deadlock Friday.xdl --prove --server sandbox:"_s};
    command.addFlag(u"family"_s, u"Count deadlocks of the same kind instead of showing each."_s);
    command.addValue(u"html"_s, u"FILE"_s,
        u"Also write a page to pass on, without values, users, hosts, programs; names of tables and locks stay."_s);
    command.addFlag(u"whole"_s, u"Leave values, users, hosts and programs in that page."_s);
    command.addValue(
        u"xdl"_s, u"FILE"_s, u"Also write those of SQL Server as .xdl, which other tools open."_s);
    command.addValue(u"scenario"_s, u"FILE"_s,
        u"Also write a scenario of the first one: rows and locks that stand for its own, and candidate changes."_s);
    command.addFlag(u"prove"_s,
        u"Execute all orders of that scenario on the server: in how many it happens, and which change cures it."_s);
    addForms(command,
        {u"deadlocks"_s, u"totals"_s, u"cure"_s, u"waits"_s, u"steps"_s, u"participants"_s, u"locks"_s,
            u"findings"_s, u"others"_s, u"mentions"_s});
    return command;
}

} // namespace lockscope::ctl
