// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdmin.h"
#include "core/base/EnumTable.h"
#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/credentials/Secrets.h"
#include "core/metrics/MetricsWatch.h"
#include "core/monitor/DetailQueries.h"
#include "core/monitor/ServerCheck.h"
#include "core/record/postgres/HistorySchema.h"
#include "core/sandbox/Sandbox.h"
#include "core/scenario/run/FreeRun.h"

#include <QCoreApplication>
#include <QSysInfo>

#include <algorithm>
#include <semaphore>
#include <vector>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

using metrics::Format;

namespace {

using Outcome = db::CheckStep::Outcome;

constexpr qint64 checkJsonFormat = 1;

QString word(Outcome outcome)
{
    static constexpr EnumTable<Outcome> names({u"good", u"note", u"failed"});
    return names[outcome].toString();
}

/// Returns one step, of `printable` text, in as many lines as it needs.
QString stepText(const db::CheckStep& step, bool colours)
{
    constexpr int markWidth = 7;
    constexpr int nameWidth = 24;
    static constexpr EnumTable<Outcome, TextTone> tones(
        {TextTone::Plain, TextTone::Warning, TextTone::Alarm});
    QString text = toned(word(step.outcome).leftJustified(markWidth), tones[step.outcome], colours)
        + (step.name + u": "_s).leftJustified(nameWidth) + printable(step.finding) + u'\n';
    if (!step.remedy.isEmpty())
        text += QString(markWidth + nameWidth, u' ') + u"→ "_s + printable(step.remedy) + u'\n';
    return text;
}

report::Section stepsSection(const std::vector<db::CheckStep>& steps)
{
    using report::Column;
    using report::Mark;
    report::Section section{.key = u"steps"_s,
        .columns = {{u"outcome"_s, u"Outcome"_s}, {u"name"_s, u"Step"_s},
            Column(u"finding"_s, u"Finding"_s).wide(2), Column(u"remedy"_s, u"Remedy"_s).wide(1),
            {u"key"_s}}};
    static constexpr EnumTable<Outcome, Mark> marks({Mark::None, Mark::Warning, Mark::Failed});
    for (const db::CheckStep& step : steps)
        section.rows.push_back({.cells = {report::Value(word(step.outcome), marks[step.outcome]), step.name,
                                    step.finding, step.remedy, step.key}});
    return section;
}

Result<ExitStatus> runCheck(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto server, serverToRead(line));
    const bool isText = !line.json() && line.value(u"format"_s) == u"text";
    const QString program =
        u"%1 %2, Qt %3, %4"_s.arg(QCoreApplication::applicationName(), QCoreApplication::applicationVersion(),
            QString::fromLatin1(qVersion()), QSysInfo::prettyProductName());
    const QString url = db::withoutSecrets(server.profile.url.toString());
    if (isText)
        say(program + u'\n' + url + u'\n');
    std::vector<db::CheckStep> steps;
    // As they come: one that takes its time is the one that is sought.
    const bool good = monitor::checkServer(server, [&](const db::CheckStep& step) {
        steps.push_back(step);
        if (isText)
            print(stepText(step, useColours()));
    });
    const bool limited =
        std::ranges::any_of(steps, [](const db::CheckStep& step) { return step.outcome == Outcome::Note; });
    using enum report::Type;
    if (!isText)
        printReport(line,
            {.title = url,
                .notes = {program},
                .facts = {{{Count, u"format"_s}, checkJsonFormat}, {{u"program"_s}, program},
                    {{u"server"_s}, url}, {{Flag, u"good"_s}, report::Value::flag(good)},
                    {{Flag, u"limited"_s}, report::Value::flag(limited)}},
                .sections = {stepsSection(steps)}});
    return good && !(limited && line.has(u"strict"_s)) ? exitOk : exitFailed;
}

Result<ExitStatus> runInstall(const CommandLine& line)
{
    const bool isHistory = line.has(u"history"_s);
    if (line.has(u"script"_s)) {
        if (!isHistory)
            return failure(ErrorKind::BadInput, u"--script prints the script of a history."_s,
                u"Add --history; that of the lock table is schema/ENGINE/install.sql."_s);
        print(QString::fromUtf8(record::historyScript()));
        return exitOk;
    }
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"install"_s));
    LOCKSCOPE_TRY_GET(
        const auto connection, server.connect({.purpose = db::Purpose::Admin, .createFile = !isHistory}));
    const QStringList adopted = line.values(u"adopt-role"_s);
    LOCKSCOPE_TRY_GET(const auto report,
        isHistory ? record::installHistory(*connection, adopted) : db::installSchema(*connection, adopted));
    const QString name = server.display();
    const bool isNew = report.before != report.after;
    return answer(line,
        (isNew ? u"%1: version %2 installed."_s : u"%1: version %2 is installed already."_s)
            .arg(name, QString::number(report.after)),
        {{u"server"_s, name}, {u"before"_s, report.before}, {u"after"_s, report.after}});
}

QString previewText(const QString& server, const db::UninstallPreview& preview)
{
    QString text =
        u"%1: an uninstallation removes the schema (version %2) with %3 of the lock table and %4 of the audit.\n"_s
            .arg(server)
            .arg(preview.version)
            .arg(counted(preview.entries, u"entry", u"entries"), counted(preview.auditRows, u"row"));
    if (preview.surrogateTables > 0 || preview.surrogateKeys > 0)
        text += u"With it go %1 and %2.\n"_s.arg(counted(preview.surrogateTables, u"surrogate table"),
            counted(preview.surrogateKeys, u"surrogate key"));
    text += u"Roles that an installation made go, too, unless another database uses them.\n"_s;
    text +=
        u"Fencing numbers begin again with the next installation: what remembers the highest one must forget it, or refuses new holders.\n"_s;
    if (preview.entries > 0)
        text += u"The holders of these locks lose them.\n"_s;
    if (preview.waiters > 0)
        text += u"%1 for one.\n"_s.arg(
            counted(preview.waiters, u"waiter stands in line", u"waiters stand in line"));
    return text;
}

Result<ExitStatus> runUninstall(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"uninstall"_s));
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Admin));
    LOCKSCOPE_TRY_GET(const auto preview, db::previewUninstall(*connection));
    const QString name = server.display();
    QJsonObject json{{u"server"_s, name}, {u"version"_s, preview.version}, {u"entries"_s, preview.entries},
        {u"waiters"_s, preview.waiters}, {u"audit_rows"_s, preview.auditRows},
        {u"surrogate_tables"_s, preview.surrogateTables}, {u"surrogate_keys"_s, preview.surrogateKeys},
        {u"removed"_s, false}};
    if (preview.version == 0) {
        return answer(line, u"%1: Lockscope's schema is not installed."_s.arg(name), json);
    }
    if (!line.json())
        print(previewText(name, preview));
    const bool asks = !line.has(u"yes"_s) && !line.json() && isTerminal(Stream::In);
    if (!line.has(u"yes"_s) && !(asks && agreed(u"Remove all of this? [y/N] "_s))) {
        if (line.json())
            printJson(json);
        if (!asks)
            return failure(
                ErrorKind::BadInput, u"Nothing was removed."_s, u"Add --yes if all of this is to go."_s);
        print(u"Nothing was removed.\n"_s);
        return exitFailed;
    }
    LOCKSCOPE_TRY(db::uninstallSchema(*connection));
    json[u"removed"_s] = true;
    return answer(line, u"%1: removed."_s.arg(name), json);
}

Result<ExitStatus> runSandbox(const CommandLine& line)
{
    if (line.has(u"demo"_s) && line.readOnly())
        return failure(ErrorKind::ReadOnly,
            u"The demo changes what is in the sandbox: leave out --demo, or --read-only and LOCKSCOPE_READ_ONLY."_s);
    std::binary_semaphore ended(0);
    // Nothing has to be put in order: the server's supervisor notices our end, however that comes.
    StopOnSignal stop(briefly, [&ended] { ended.release(); });
    LOCKSCOPE_TRY_GET(const auto sandbox, sandbox::Sandbox::open());
    std::unique_ptr<scenario::DemoRun> demo;
    if (line.has(u"demo"_s)) {
        LOCKSCOPE_TRY_GET(demo,
            scenario::DemoRun::start(db::Server::at(sandbox->url(), db::fixedPassword(sandbox->password()))));
    }
    stop.setPatience(inOrder);
    if (line.json())
        printJson(QJsonObject{{u"url"_s, sandbox->url().toString()}, {u"server"_s, u"sandbox:"_s}});
    else
        print(u"%1\nRunning until Ctrl+C. Others join it with LOCKSCOPE_SERVER=sandbox:\n"_s.arg(
            sandbox->url().toString()));
    ended.acquire();
    return exitOk;
}

Result<QList<admin::AuditRecord>> auditRecords(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto limit, line.number(u"limit"_s, 1));
    const int maximum = static_cast<int>(std::min<qint64>(limit, 1'000'000));
    if (line.has(u"local"_s))
        return admin::LocalAudit().read(maximum);
    LOCKSCOPE_TRY_GET(const auto server, serverToRead(line));
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Admin));
    return admin::ServerAdmin(*connection, server.profile).audit(maximum);
}

Result<ExitStatus> runAudit(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto records, auditRecords(line));
    return printReport(line, toReport(records, line.has(u"local"_s)));
}

Result<ExitStatus> runPlan(const CommandLine& line)
{
    bool isNumber = false;
    const SessionKey session{{line.positional(0).toLongLong(&isNumber)}, {}};
    if (!isNumber || session.id.value <= 0)
        return failure(ErrorKind::BadInput, u"\"%1\" is not a session's number."_s.arg(line.positional(0)));
    LOCKSCOPE_TRY_GET(const auto server, serverToRead(line));
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Monitor));
    LOCKSCOPE_TRY_GET(const auto plan, monitor::statementPlan(*connection, session));
    const QString path = line.value(u"out"_s);
    if (!path.isEmpty()) {
        if (const auto written = writeFile(path, plan.toUtf8()); !written) {
            complain(written.error().toString());
            return exitFailed;
        }
    }
    if (line.json())
        printJson(QJsonObject{{u"session"_s, session.id.value}, {u"file"_s, path},
            {u"plan"_s, path.isEmpty() ? plan : QString()}});
    else if (!path.isEmpty())
        sayLine(u"The plan of session %1 is in %2."_s.arg(session.id.value).arg(path));
    else if (isTerminal(Stream::Out))
        say(plan + u'\n');
    else
        print(plan + u'\n');
    return exitOk;
}

constexpr auto openMetrics = "openmetrics"_L1;

Result<ExitStatus> runMetrics(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto atMost, line.duration(u"timeout"_s));
    if (atMost <= milliseconds(0))
        return failure(ErrorKind::BadInput, u"--timeout needs some time."_s, u"Write 5s."_s);
    LOCKSCOPE_TRY_GET(const auto servers, serversToRead(line));
    metrics::MetricsWatch metrics;
    metrics.countIncidents(QString());
    const auto watches = watchesToPollOnce(servers, {.surroundings = true});
    for (const auto& watch : watches)
        metrics.add(watch.get());
    pollOnce(watches, atMost);
    int code = exitOk;
    for (const auto& watch : watches) {
        if (!watch->monitor().snapshot() && !watch->monitor().lastError())
            metrics.noteUnanswered(*watch);
        if (const auto error = errorOf(*watch))
            code = fail(*error);
    }
    const Format format = line.value(u"format"_s) == openMetrics ? Format::OpenMetrics : Format::Text;
    const auto families = metrics.families(metrics::MetricsWatch::Extent::OnePoll);
    if (line.has(u"out"_s)) {
        LOCKSCOPE_TRY(writeFile(line.value(u"out"_s), metrics::written(families, format)));
        return code;
    }
    if (line.json())
        printJson(metrics::toJson(families));
    else
        print(QString::fromUtf8(metrics::written(families, format)));
    return code;
}

} // namespace

Command checkCommand()
{
    Command command(u"check"_s, u"what can be found out about a server and the way to it"_s, runCheck,
        u"Goes to the server step by step and reports everything that can be found out on the way and there: driver, network, encryption, login, version, database, rights, views, Lockscope's schema, what the monitor can't show, and which statement mends that. Changes nothing. For a ticket: no secret is in "
        "it. Fails (1) if a step fails; notes are no failures."_s);
    command.examples = {u"lockctl check --server sqlserver://ann@db1/shop > ticket.txt"_s};
    command.addFlag(u"strict"_s, u"Notes are failures, too."_s);
    addForms(command);
    return command;
}

Command installCommand()
{
    Command command(u"install"_s, u"create Lockscope's own tables"_s, runInstall,
        u"Creates Lockscope's own tables (lock table, audit) in the database. Runs schema/ENGINE/install.sql; running it again changes nothing. Tables of another version are refused."_s);
    command.addFlag(u"history"_s,
        u"The tables of a team's history instead, for \"lockctl record --into\", in a database of PostgreSQL."_s);
    command.addValue(u"adopt-role"_s, u"NAME"_s,
        u"Use this role of the server (lockscope_operator …) although somebody else seems to have made it. May be repeated. PostgreSQL only."_s);
    command.addFlag(u"script"_s, u"With --history: print the script, and do nothing."_s);
    return command;
}

Command uninstallCommand()
{
    Command command(u"uninstall"_s, u"remove them again, after telling what would go"_s, runUninstall,
        u"Removes Lockscope's own tables, views, procedures and roles from the database, with all that is in them: runs schema/ENGINE/uninstall.sql. First says what would go, and asks; a program that can't be asked needs --yes. Nothing that others put there is touched."_s);
    command.addFlag(u"yes"_s, u"Don't ask."_s);
    return command;
}

Command sandboxCommand()
{
    Command command(u"sandbox"_s, u"keep a private PostgreSQL server running"_s, runSandbox,
        u"Keeps a private PostgreSQL server running until Ctrl+C, and prints its URL. Other programs join it as sandbox:; it stops with the last of them."_s);
    command.examples = {u"lockctl sandbox --demo"_s};
    command.addFlag(u"demo"_s, u"Let sessions contend for locks there."_s);
    return command;
}

Command auditCommand()
{
    Command command(u"audit"_s, u"who did what to locks and sessions, and why"_s, runAudit,
        u"Lists what was done to locks and sessions: when, by whom, from where, why, with what outcome; newest first. JSON and CSV also have the state before."_s);
    command.examples = {u"lockctl audit --limit 20"_s};
    command.addFlag(
        u"local"_s, u"The records in the file on this computer, of all servers (--local-audit)."_s);
    command.addValue(u"limit"_s, u"COUNT"_s, u"Show so many at most."_s, u"100"_s);
    addForms(command);
    return command;
}

Command planCommand()
{
    Command command(u"plan"_s, u"the plan by which a session's statement runs"_s, runPlan,
        u"Prints the plan by which a session's statement runs, as XML; saved as NAME.sqlplan, other tools draw it. SQL Server only. Says why if there is none."_s);
    command.arguments = u"SESSION"_s;
    command.examples = {u"lockctl plan 63 --out slow.sqlplan"_s};
    command.addValue(u"out"_s, u"FILE"_s, u"Write it there."_s);
    return command;
}

Command metricsCommand()
{
    Command command(u"metrics"_s, u"the present figures of servers, for Prometheus"_s, runMetrics,
        u"Polls servers once and prints their figures in the text format that Prometheus and the node exporter's textfile collector read. A server is a URL or the name of one that is saved in the window. One that can't be polled is there with lockscope_up 0 and nothing else, and the command fails after it has written the others. lockscope_snapshot_timestamp_seconds says when that was. What Lockscope itself counts is left out: lockctl agent has it."_s);
    command.arguments = u"[SERVER…]"_s;
    command.examples = {u"lockctl metrics --server postgresql://ops@db/shop"_s,
        u"lockctl metrics shop stock --out /var/lib/node-exporter/lockscope.prom"_s};
    command.addValue(u"out"_s, u"FILE"_s, u"Write them there instead, all at once."_s);
    command.addValue(
        u"format"_s, u"text|openmetrics"_s, u"The form: the older one, or OpenMetrics 1.0."_s, u"text"_s);
    command.addValue(u"timeout"_s, u"TIME"_s, u"How long a server may take to answer."_s, u"5s"_s);
    return command;
}

} // namespace lockscope::ctl
