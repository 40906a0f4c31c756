// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/PlainFile.h"
#include "core/base/PostToThread.h"
#include "core/base/Sentences.h"
#include "core/db/Connection.h"
#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/source/DeadlockPoller.h"
#include "core/record/Recording.h"
#include "core/scenario/deadlock/Proof.h"
#include "core/watch/ServerWatch.h"

#include <QEventLoop>
#include <QFile>

#include <algorithm>
#include <cstdio>
#include <utility>

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

Result<ExitStatus> prove(const CommandLine& line, const deadlock::Deadlock& deadlock,
    const scenario::DeadlockScenario& made, QList<deadlock::ProofSection>& proofs)
{
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"run a scenario"_s));
    const StopOnSignal stop(inOrder);
    Result<scenario::DeadlockProof> proof;
    {
        ProgressLine status;
        proof = scenario::prove(server, made.scenario, scenario::ExploreOrder().maximum, stop.token(),
            [&](const scenario::ProofProgress& progress) { status.show(progress.toString()); });
    }
    if (!proof)
        return stop.endBy(proof.error());
    if (line.json()) {
        QJsonObject json = scenario::toJson(*proof);
        json[u"scenario"_s] = made.scenario->id;
        json[u"left_out"_s] = QJsonArray::fromStringList(made.leftOut);
        printJson(json);
    } else {
        printProof(made, *proof);
    }
    proofs << scenario::sectionOf(deadlock, *proof, scenario::whereProved(*proof, server.profile.url.sandbox),
        line.has(u"whole"_s) ? deadlock::Disclosure::Whole : deadlock::Disclosure::Redacted);
    return proof->happened() ? exitOk : exitFailed;
}

/// Does what --scenario and --prove ask for, with that deadlock: writes the scenario that is made of it;
/// executes all its orders on the server and says in how many it happens, as reported and with each change;
/// that is added to `proofs`, for the page. The exit code of --prove is 1 if it did not happen as reported.
Result<ExitStatus> proveDeadlock(
    const CommandLine& line, const deadlock::Deadlock& deadlock, QList<deadlock::ProofSection>& proofs)
{
    LOCKSCOPE_TRY_GET(const auto made, scenario::deadlockScenario(deadlock));
    if (line.has(u"scenario"_s)) {
        const QString path = line.value(u"scenario"_s);
        LOCKSCOPE_TRY(writeFile(path, made.scenario->text));
        if (!line.json())
            sayLine(u"The scenario %1 is in %2."_s.arg(made.scenario->id, path));
    }
    return line.has(u"prove"_s) ? prove(line, deadlock, made, proofs) : exitSomeFound;
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

Result<ExitStatus> runDeadlock(const CommandLine& line)
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
    const ExitStatus proved =
        makesScenario ? statusOf(*line.command(), proveDeadlock(line, all.first(), proofs)) : exitOk;
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

constexpr milliseconds minFollowInterval{1'000};

Result<ServerTime> clockOf(db::Connection& connection, const std::stop_token& stop)
{
    ServerTime now;
    const auto asked = connection.execute(
        db::schemaStatement(connection.dialect(), "monitor/clock"), {},
        [&now](const db::Row& row) { now = row.time(0); }, stop);
    return ifDone(asked, now);
}

Result<ServerTime> sinceOf(const QString& text, ServerTime now)
{
    auto time = record::parseTime(text, now);
    if (!time)
        time.error().hint = u"Write 2026-11-22T03:12:07Z, 03:12, yesterday 03:12, or 5m for so long ago."_s;
    return time;
}

/// Nothing: from now on. What is still to come is refused: nothing is recorded of it, and "none" would be no
/// answer.
Result<std::optional<ServerTime>> beginningOf(const QString& since, ServerTime now)
{
    if (since.isEmpty())
        return std::optional<ServerTime>();
    LOCKSCOPE_TRY_GET(const auto from, sinceOf(since, now));
    if (from > now)
        return failure(ErrorKind::BadInput,
            u"--since %1 is still to come: the server's clock says %2."_s.arg(
                from.toIsoString(), now.toIsoString()));
    return std::optional(from);
}

/// Those that were asked for, each once.
class Sieve {
public:
    explicit Sieve(bool withBlocked)
        : m_withBlocked(withBlocked)
    {
    }
    QList<ReportPtr> operator()(const QList<ReportPtr>& reports)
    {
        QList<ReportPtr> kept;
        for (const ReportPtr& report : reports)
            if ((report->kind != ReportKind::Blocked || m_withBlocked) && m_known.isNew(report))
                kept << report;
        return kept;
    }

private:
    const bool m_withBlocked;
    KnownDeadlocks m_known;
};

void complainAgain(const QStringList& limits, QStringList& texts)
{
    for (const QString& limit : limits)
        if (!texts.contains(limit))
            complain(limit);
    texts = limits;
}

void addTo(report::Report& output, const AllPolled& all, std::optional<ServerTime> since)
{
    const SourcePoll& poll = all.poll;
    using enum report::Type;
    using report::Value;
    output.facts = {{{u"origin"_s}, poll.origin}, {{Time, u"since"_s}, since.value_or(ServerTime())},
        {{Count, u"counted"_s}, poll.counted ? Value(*poll.counted) : Value()},
        {{Flag, u"counted_at_least"_s}, Value::flag(poll.countedIsAtLeast)},
        {{Count, u"captured"_s}, poll.captured}, {{Count, u"left_out"_s}, qint64(all.dropped)},
        {{Texts, u"limits"_s}, poll.limits}, {{Count, u"bytes_read"_s}, poll.bytesRead},
        {{Count, u"server_us"_s}, qint64(poll.serverTime.count())},
        {{Count, u"client_us"_s}, qint64(poll.clientTime.count())}};
    if (poll.counted.value_or(0) > 0)
        output.notes << u"While polling: %1%2 counted by the server, %3 captured."_s.arg(
            poll.countedIsAtLeast ? u"at least "_s : QString(), QString::number(*poll.counted),
            QString::number(poll.captured));
}

Result<AllPolled> pollDeadlocks(const db::Server& server, const QString& since, Sieve& sieve,
    std::optional<ServerTime>& from, const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(const auto connection,
        server.connect({.purpose = db::Purpose::Monitor, .programSuffix = u"deadlocks"_s}));
    LOCKSCOPE_TRY_GET(const auto now, clockOf(*connection, stop));
    LOCKSCOPE_TRY_GET(from, beginningOf(since, now));
    const auto source = DeadlockPoller::makeSource(*connection, from);
    return pollAll(
        [&source, &sieve](const std::stop_token& end) {
            auto brought = source->poll(end);
            if (brought)
                brought->reports = sieve(brought->reports);
            return brought;
        },
        stop);
}

Result<ExitStatus> showOnce(const CommandLine& line, const db::Server& server, const QString& since)
{
    const StopOnSignal stop(briefly);
    Sieve sieve(line.has(u"blocked"_s));
    std::optional<ServerTime> from;
    const auto all = pollDeadlocks(server, since, sieve, from, stop.token());
    if (!all)
        return stop.endBy(all.error());
    const SourcePoll& poll = all->poll;
    const QList<ReportPtr>& reports = poll.reports;
    QList<Deadlock> deadlocks;
    for (const ReportPtr& report : reports)
        deadlocks << deadlocksOf(report);
    report::Report output = line.has(u"family"_s) ? toReport(familiesOf(deadlocks)) : toReport(reports);
    addTo(output, *all, from);
    printReport(line, std::move(output));
    if (!line.json())
        for (const QString& limit : poll.limits)
            complain(limit);
    if (!deadlocks.isEmpty() || all->dropped > 0 || poll.counted.value_or(0) > 0)
        return exitSomeFound;
    return poll.origin.isEmpty() || !all->isComplete ? exitNoVerdict : exitOk;
}

/// Shows what the readings of a server's records bring. Of the main thread.
class Follower {
public:
    Follower(const CommandLine& line, const db::Server& server, milliseconds interval)
        : m_line(line)
        , m_since(line.value(u"since"_s))
        , m_sieve(line.has(u"blocked"_s))
        , m_watch(server,
              {.interval = interval,
                  .lockReading = monitor::LockReading::WhenWaitedFor,
                  .keepsOrder = false,
                  .deadlockPause = interval,
                  .deadlocksSince = [since = m_since](ServerTime now) {
                      return beginningOf(since, now).value_or(std::nullopt);
                  }})
    {
        QObject::connect(&m_watch, &watch::ServerWatch::snapshotChanged, &m_loop, [this] {
            if (const auto from = beginningOf(m_since, m_watch.monitor().snapshot()->takenAt);
                !from && !m_watch.deadlocks())
                end(from.error());
        });
        QObject::connect(&m_watch, &watch::ServerWatch::healthChanged, &m_loop, [this] {
            if (const auto error = m_watch.monitor().lastError())
                showFailure(withoutNextAttempt(*error));
        });
        QObject::connect(&m_watch, &watch::ServerWatch::deadlocksPolled, &m_loop, [this] {
            const Result<SourcePoll> poll = *m_watch.deadlocks()->latest();
            if (poll)
                show(*poll);
            else
                showFailure(poll.error());
        });
    }
    Result<ExitStatus> run()
    {
        const StopOnSignal stop(briefly, [this] { postTo(&m_loop, [this] { m_loop.quit(); }); });
        m_watch.start();
        m_loop.exec();
        return m_end;
    }

private:
    void show(const SourcePoll& poll)
    {
        m_shownError.clear();
        complainAgain(poll.limits, m_limits);
        for (const ReportPtr& report : m_sieve(poll.reports))
            printReport(m_line, toReport({report}));
        const qint64 now = poll.counted.value_or(0) - poll.captured;
        if (!poll.isMoreToRead && now > std::exchange(m_missing, now) && now > 0)
            complain(u"%1 counted by the server, %2 captured."_s.arg(
                QString::number(*poll.counted), QString::number(poll.captured)));
        if (isOutputLost())
            m_loop.quit();
    }
    void showFailure(const Error& error)
    {
        if (error.kind != ErrorKind::Connection && error.kind != ErrorKind::Timeout)
            end(error);
        else if (std::exchange(m_shownError, error.what) != error.what)
            static_cast<void>(fail(error));
    }
    void end(const Error& error)
    {
        m_end = Failure(error);
        m_loop.quit();
    }

    const CommandLine& m_line;
    const QString m_since;
    Sieve m_sieve;
    watch::ServerWatch m_watch;
    QEventLoop m_loop;
    QStringList m_limits; ///< that were shown last
    QString m_shownError;
    qint64 m_missing = 0;
    Result<ExitStatus> m_end = exitOk;
};

Result<ExitStatus> runDeadlocks(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto interval, line.duration(u"interval"_s));
    const bool hasPieces = line.value(u"format"_s) == u"text" || line.json();
    if (line.has(u"follow"_s) && !hasPieces)
        return failure(ErrorKind::BadInput, u"--follow has no end: it prints text or JSON."_s);
    const QString since = line.value(u"since"_s);
    LOCKSCOPE_TRY(sinceOf(since.isEmpty() ? u"1h"_s : since, ServerTime{1}));
    LOCKSCOPE_TRY_GET(const auto server,
        line.positional(0).isEmpty() ? serverToRead(line) : serverNamed(line.positional(0), line));
    speakOf(server.display());
    if (!DeadlockPoller::isPossible(server.engine()))
        return failure(
            ErrorKind::Unsupported, u"%1 keeps no records of deadlocks."_s.arg(engineName(server.engine())));
    if (line.has(u"follow"_s))
        return Follower(line, server, std::max(interval, minFollowInterval)).run();
    return showOnce(line, server, since.isEmpty() ? u"1h"_s : since);
}

} // namespace

Command deadlockCommand()
{
    Command command(u"deadlock"_s, u"explain deadlocks that files report"_s, runDeadlock,
        u"Reads reports of deadlocks: .xdl and other XML of SQL Server, the text of its error log (trace flags 1222 and 1204), blocked-process reports, logs of PostgreSQL (stderr with any prefix, CSV, JSON), and all of these as containers, log services, clients, tickets and mails pass them on. \"-\" is "
        "standard input. Where a line only speaks of a deadlock it says what is missing and where the report is. "
        "Draws who waited for whom, says what happened and what usually helps. The change that prevents it comes first. Exits with 0 if there is none, 1 if there is one, 3 if that is unknown: a file can't be read, or no report is complete."_s);
    command.failed = exitNoVerdict;
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

Command deadlocksCommand()
{
    Command command(u"deadlocks"_s, u"deadlocks that a server has recorded"_s, runDeadlocks,
        u"Reads what a server itself has written of deadlocks: the log of PostgreSQL, the event files of SQL Server. Shows each as `deadlock` does, and how many the server counted meanwhile. Exits with 0 if there is none since then, 1 if there is one, 3 if nothing can be said: the server is not there, or "
        "its records may not be read; then it says which right would help. With --follow it goes on until Ctrl+C, from now on unless --since is given."_s);
    command.failed = exitNoVerdict;
    command.arguments = u"[SERVER]"_s;
    command.examples = {u"lockctl deadlocks --server postgresql://ops@db/shop"_s,
        u"lockctl deadlocks shop --since 1d --family"_s, u"lockctl deadlocks shop --follow --json"_s};
    command.addValue(u"since"_s, u"TIME"_s,
        u"Since this time: 15m, 1d, or 2026-11-22T03:12:07Z; by default the last hour."_s);
    command.addFlag(u"follow"_s, u"Go on, and show each as it is recorded."_s);
    command.addValue(
        u"interval"_s, u"TIME"_s, u"Pause between two polls of --follow, at least 1s."_s, u"5s"_s);
    command.addFlag(u"blocked"_s,
        u"SQL Server's blocked-process reports and the waits in PostgreSQL's log, too; they are no deadlocks."_s);
    command.addFlag(u"family"_s, u"Count deadlocks of the same kind instead of showing each."_s);
    command.apart = {{{u"follow"_s}, {u"family"_s, u"table"_s}}};
    addForms(command,
        {u"deadlocks"_s, u"totals"_s, u"cure"_s, u"waits"_s, u"steps"_s, u"participants"_s, u"locks"_s,
            u"findings"_s, u"others"_s});
    return command;
}

} // namespace lockscope::ctl
