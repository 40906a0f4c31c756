// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/DeadlockText.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/StopOnSignal.h"
#include "core/base/Backoff.h"
#include "core/base/SleepFor.h"
#include "core/db/LiveConnection.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/DeadlockJson.h"
#include "core/deadlock/source/LookAtAll.h"
#include "core/record/ParseMoment.h"

#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;
using namespace deadlock;

namespace {

// Of this command alone; that nothing can be said is exitNoVerdict.
constexpr int exitSome = 1;

constexpr milliseconds minFollowInterval{1'000};
constexpr milliseconds maxFollowPause{300'000};
/// Something at the end of a log may still be written.
constexpr milliseconds rereadPause{600};
/// Of --follow a look that takes long makes the pause longer: it fills a quarter of the time at most.
constexpr int pausesPerLook = 3;

int failUnsaid(const Error& error)
{
    const int code = fail(error);
    return code == exitFailed ? exitNoVerdict : code;
}

Result<ServerTime> clockOf(db::Connection& connection, const std::stop_token& stop)
{
    ServerTime now;
    const QByteArray path = connection.dialect().schemaFolder() + QByteArray("/monitor/clock");
    const auto asked = connection.execute(
        db::Statement::get(path.constData()), {}, [&now](const db::Row& row) { now = row.time(0); }, stop);
    if (!asked)
        return Failure(asked.error());
    return now;
}

Result<ServerTime> sinceOf(const QString& text, ServerTime now)
{
    auto moment = record::parseMoment(text, now);
    if (!moment)
        moment.error().hint = u"Write 2026-11-22T03:12:07Z, 03:12, yesterday 03:12, or 5m for so long ago."_s;
    return moment;
}

/// What the server's records tell, look by look, over losses of the connection.
class Records {
public:
    Records(db::Server server, QString since)
        : m_connection(std::move(server), options())
        , m_since(std::move(since))
    {
    }

    Result<SourceLook> look(const std::stop_token& stop)
    {
        auto looked = tryLook(stop);
        if (!looked)
            m_connection.noteFailure(looked.error());
        return looked;
    }
    std::optional<ServerTime> since() const { return m_from; }

private:
    static db::ConnectOptions options()
    {
        db::ConnectOptions options;
        options.purpose = db::Purpose::Monitor;
        options.programSuffix = u"deadlocks"_s;
        return options;
    }

    Result<SourceLook> tryLook(const std::stop_token& stop)
    {
        const auto opened = m_connection.ensureOpen();
        if (!opened)
            return Failure(opened.error());
        if (!m_source) {
            if (!m_since.isEmpty()) {
                const auto now = clockOf(*m_connection, stop);
                const auto from = now ? sinceOf(m_since, *now) : Failure(now.error());
                if (!from)
                    return Failure(from.error());
                // Nothing is recorded of it: "none" would be no answer.
                if (*from > *now)
                    return failure(ErrorKind::BadInput,
                        u"--since %1 is still to come: the server's clock says %2."_s.arg(
                            from->toIsoString(), now->toIsoString()));
                m_from = *from;
            }
            m_source = DeadlockSource::create(*m_connection, m_from);
            if (!m_source)
                return failure(ErrorKind::Unsupported,
                    u"%1 keeps no records of deadlocks."_s.arg(engineName(m_connection->engine())));
        } else if (*opened) {
            m_source->replaceConnection(*m_connection);
        }
        return m_source->look(stop);
    }

    db::LiveConnection m_connection;
    const QString m_since;
    std::optional<ServerTime> m_from;
    std::unique_ptr<DeadlockSource> m_source;
};

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

void complainAnew(const QStringList& limits, QStringList& told)
{
    for (const QString& limit : limits)
        if (!told.contains(limit))
            complain(limit);
    told = limits;
}

QString countLine(const SourceLook& look)
{
    if (look.counted.value_or(0) == 0)
        return {};
    return u"While looking: %1%2 counted by the server, %3 captured.\n"_s.arg(
        look.countedIsAtLeast ? u"at least "_s : QString(), QString::number(*look.counted),
        QString::number(look.captured));
}

QJsonObject lookJson(const SourceLook& look, std::optional<ServerTime> since)
{
    return {{u"origin"_s, look.origin}, {u"since"_s, since ? QJsonValue(since->toIsoString()) : QJsonValue()},
        {u"counted"_s, look.counted ? QJsonValue(*look.counted) : QJsonValue()},
        {u"counted_at_least"_s, look.countedIsAtLeast}, {u"captured"_s, look.captured},
        {u"limits"_s, QJsonArray::fromStringList(look.limits)}, {u"bytes_read"_s, look.bytesRead},
        {u"server_us"_s, qint64(look.serverTime.count())}, {u"client_us"_s, qint64(look.clientTime.count())}};
}

int showOnce(const CommandLine& line, Records& records, const StopOnSignal& stop)
{
    Sieve sieve(line.has(u"blocked"_s));
    const auto all = lookAtAll(
        [&records, &sieve](const std::stop_token& end) {
            auto brought = records.look(end);
            if (brought)
                brought->reports = sieve(brought->reports);
            return brought;
        },
        stop.token());
    if (!all)
        return stop.signal() != 0 ? stop.fail(all.error()) : failUnsaid(all.error());
    const SourceLook& look = all->look;
    const QList<ReportPtr>& reports = look.reports;
    QList<Deadlock> deadlocks;
    for (const ReportPtr& report : reports)
        deadlocks << deadlocksOf(report);
    const bool byFamily = line.has(u"family"_s);
    if (line.json()) {
        QJsonObject json = lookJson(look, records.since());
        QJsonArray array;
        for (const ReportPtr& report : reports)
            array.append(toJson(report));
        json[byFamily ? u"families"_s : u"reports"_s] =
            byFamily ? familiesJson(familiesOf(deadlocks)) : array;
        printJson(json);
    } else {
        say(byFamily ? familiesText(familiesOf(deadlocks)) : reportsText(reports));
        say(countLine(look));
        for (const QString& limit : look.limits)
            complain(limit);
    }
    if (!deadlocks.isEmpty() || all->dropped > 0 || look.counted.value_or(0) > 0)
        return exitSome;
    return look.origin.isEmpty() || !all->isWhole ? exitNoVerdict : exitOk;
}

int follow(const CommandLine& line, Records& records, milliseconds interval, const StopOnSignal& stop)
{
    Sieve sieve(line.has(u"blocked"_s));
    QStringList told;
    QString toldError;
    qint64 missing = 0;
    Backoff backoff(minFollowInterval, maxFollowPause);
    for (bool goesOn = true; goesOn && !isOutputLost();) {
        const auto look = records.look(stop.token());
        if (stop.signal() != 0)
            break;
        milliseconds next = interval;
        if (look) {
            backoff.reset();
            toldError.clear();
            complainAnew(look->limits, told);
            for (const ReportPtr& report : sieve(look->reports)) {
                if (line.json())
                    printJson(toJson(report));
                else
                    say(reportsText({report}));
            }
            const auto least = std::chrono::ceil<milliseconds>(pausesPerLook * look->clientTime);
            next = std::max(look->isMoreToRead ? rereadPause : interval, least);
            const qint64 now = look->counted.value_or(0) - look->captured;
            if (!look->isMoreToRead && now > std::exchange(missing, now) && now > 0)
                complain(u"%1 counted by the server, %2 captured."_s.arg(
                    QString::number(*look->counted), QString::number(look->captured)));
        } else if (look.error().kind == ErrorKind::Connection || look.error().kind == ErrorKind::Timeout) {
            if (toldError != look.error().what)
                static_cast<void>(fail(look.error()));
            toldError = look.error().what;
            next = std::max(interval, backoff.next());
        } else {
            return failUnsaid(look.error());
        }
        goesOn = sleepFor(next, stop.token());
    }
    return exitOk;
}

int runDeadlocks(const CommandLine& line)
{
    const auto interval = line.duration(u"interval"_s);
    if (!interval)
        return fail(interval.error());
    const QString since = line.value(u"since"_s);
    if (const auto moment = sinceOf(since.isEmpty() ? u"1h"_s : since, ServerTime{1}); !moment)
        return fail(moment.error());
    const auto server =
        line.positional(0).isEmpty() ? serverToRead(line) : serverNamed(line.positional(0), line);
    if (!server)
        return failUnsaid(server.error());
    speakOf(server->display());
    const StopOnSignal stop(briefly);
    const bool follows = line.has(u"follow"_s);
    Records records(*server, since.isEmpty() && !follows ? u"1h"_s : since);
    return follows ? follow(line, records, std::max(*interval, minFollowInterval), stop)
                   : showOnce(line, records, stop);
}

} // namespace

Command deadlocksCommand()
{
    Command command{u"deadlocks"_s, u"deadlocks that a server has recorded"_s, runDeadlocks,
        u"Reads what a server itself has written of deadlocks: the log of PostgreSQL, the event files of SQL "
        "Server. Shows each as `deadlock` does, and how many the server counted meanwhile. Exits with 0 if "
        "there is none since then, 1 if there is one, 3 if nothing can be said: the server is not there, or "
        "its records may not be read; then it says which right would help. With --follow it goes on until "
        "Ctrl+C, from now on unless --since is given."_s};
    command.arguments = u"[SERVER]"_s;
    command.examples = QStringList{u"lockctl deadlocks --server postgresql://ops@db/shop"_s,
        u"lockctl deadlocks shop --since 1d --family"_s, u"lockctl deadlocks shop --follow --json"_s};
    command.addValue(u"since"_s, u"TIME"_s,
        u"Since this time: 15m, 1d, or 2026-11-22T03:12:07Z; by default the last hour."_s);
    command.addFlag(u"follow"_s, u"Go on, and show each as it is recorded."_s);
    command.addValue(
        u"interval"_s, u"TIME"_s, u"Pause between two looks of --follow, at least 1s."_s, u"5s"_s);
    command.addFlag(u"blocked"_s, u"SQL Server's blocked-process reports, too; they are no deadlocks."_s);
    command.addFlag(u"family"_s, u"Count deadlocks of the same kind instead of showing each."_s);
    return command;
}

} // namespace lockscope::ctl
