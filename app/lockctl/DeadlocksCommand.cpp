// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/NamedSnapshot.h"
#include "app/lockctl/ReportOutput.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/PostToThread.h"
#include "core/db/Connection.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/DeadlockTable.h"
#include "core/deadlock/source/DeadlockPoller.h"
#include "core/record/ParseTime.h"
#include "core/watch/ServerWatch.h"

#include <QEventLoop>

#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;
using namespace deadlock;

namespace {

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
    const auto from = sinceOf(since, now);
    if (!from)
        return Failure(from.error());
    if (*from > now)
        return failure(ErrorKind::BadInput,
            u"--since %1 is still to come: the server's clock says %2."_s.arg(
                from->toIsoString(), now.toIsoString()));
    return std::optional(*from);
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
        for (const ReportPtr& report : reports) {
            if ((report->kind != ReportKind::Blocked || m_withBlocked) && m_known.isNew(report))
                kept << report;
        }
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
        output.notes << u"While looking: %1%2 counted by the server, %3 captured."_s.arg(
            poll.countedIsAtLeast ? u"at least "_s : QString(), QString::number(*poll.counted),
            QString::number(poll.captured));
}

Result<AllPolled> pollDeadlocks(const db::Server& server, const QString& since, Sieve& sieve,
    std::optional<ServerTime>& from, const std::stop_token& stop)
{
    db::ConnectOptions options;
    options.purpose = db::Purpose::Monitor;
    options.programSuffix = u"deadlocks"_s;
    const auto connection = server.connect(options);
    const auto now = connection ? clockOf(**connection, stop) : Failure(connection.error());
    const auto beginning = now ? beginningOf(since, *now) : Failure(now.error());
    if (!beginning)
        return Failure(beginning.error());
    from = *beginning;
    const auto source = DeadlockPoller::makeSource(**connection, from);
    return pollAll(
        [&source, &sieve](const std::stop_token& end) {
            auto brought = source->poll(end);
            if (brought)
                brought->reports = sieve(brought->reports);
            return brought;
        },
        stop);
}

int showOnce(const CommandLine& line, const db::Server& server, const QString& since)
{
    const StopOnSignal stop(briefly);
    Sieve sieve(line.has(u"blocked"_s));
    std::optional<ServerTime> from;
    const auto all = pollDeadlocks(server, since, sieve, from, stop.token());
    if (!all)
        return stop.signal() != 0 ? stop.fail(all.error()) : failWithoutVerdict(all.error());
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
    int run()
    {
        m_watch.start();
        m_loop.exec();
        return m_code;
    }
    void quit()
    {
        postTo(&m_loop, [this] { m_loop.quit(); });
    } ///< any thread

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
        m_code = failWithoutVerdict(error);
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
    int m_code = exitOk;
};

int follow(const CommandLine& line, const db::Server& server, milliseconds interval)
{
    Follower follower(line, server, interval);
    const StopOnSignal stop(briefly, [&follower] { follower.quit(); });
    return follower.run();
}

int runDeadlocks(const CommandLine& line)
{
    const auto interval = line.duration(u"interval"_s);
    if (!interval)
        return fail(interval.error());
    const bool hasPieces = line.value(u"format"_s) == u"text" || line.json();
    if (line.has(u"follow"_s) && !hasPieces)
        return fail(ErrorKind::BadInput, u"--follow has no end: it prints text or JSON."_s);
    const QString since = line.value(u"since"_s);
    if (const auto time = sinceOf(since.isEmpty() ? u"1h"_s : since, ServerTime{1}); !time)
        return fail(time.error());
    const auto server =
        line.positional(0).isEmpty() ? serverToRead(line) : serverNamed(line.positional(0), line);
    if (!server)
        return failWithoutVerdict(server.error());
    speakOf(server->display());
    if (!DeadlockPoller::isPossible(server->engine()))
        return failWithoutVerdict(Error{.kind = ErrorKind::Unsupported,
            .what = u"%1 keeps no records of deadlocks."_s.arg(engineName(server->engine()))});
    if (line.has(u"follow"_s))
        return follow(line, *server, std::max(*interval, minFollowInterval));
    return showOnce(line, *server, since.isEmpty() ? u"1h"_s : since);
}

} // namespace

Command deadlocksCommand()
{
    Command command(u"deadlocks"_s, u"deadlocks that a server has recorded"_s, runDeadlocks,
        u"Reads what a server itself has written of deadlocks: the log of PostgreSQL, the event files of SQL Server. Shows each as `deadlock` does, and how many the server counted meanwhile. Exits with 0 if there is none since then, 1 if there is one, 3 if nothing can be said: the server is not there, or "
        "its records may not be read; then it says which right would help. With --follow it goes on until Ctrl+C, from now on unless --since is given."_s);
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
