// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/order/OrderTable.h"
#include "core/record/RecordedOrder.h"
#include "core/watch/ServerWatch.h"

#include <QEventLoop>
#include <QJsonArray>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// The polls so far, and their lock order.
struct Watched {
    order::OrderStatePtr state;
    qint64 unreadable = 0;
};

Result<void> readRecording(const CommandLine& line, Watched& watched, const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(const auto recorded, recordedRange(line));
    ProgressLine status;
    record::RecordedOrder order;
    const auto read =
        order.read(*recorded.reader, recorded.range.first, recorded.range.last, [&](qint64 polls) {
            status.show(counted(polls, u"snapshot"));
            return !stop.stop_requested();
        });
    watched = {order.state(), order.unreadable()};
    return ifDone(read);
}

Result<void> watchServer(const CommandLine& line, Watched& watched, const std::stop_token& stop)
{
    for (const QString& option : {u"from"_s, u"to"_s})
        if (line.has(option))
            return failure(ErrorKind::BadInput, u"--%1 is of a recording."_s.arg(option),
                u"Name it with --recording."_s);
    LOCKSCOPE_TRY_GET(const auto length, line.duration(u"for"_s));
    LOCKSCOPE_TRY_GET(const auto interval, line.duration(u"interval"_s));
    LOCKSCOPE_TRY_GET(const auto server, serverToRead(line));
    watch::ServerWatch watch(server,
        {.interval = std::max(interval, minInterval),
            .probes = {.surroundings = true}, // the server's own count of transactions
            .readsDeadlocks = false,
            .keepsOrder = false});
    const auto begun = std::chrono::steady_clock::now();
    ProgressLine status;
    order::OrderOfSnapshots order; // not OrderWatch: here each poll counts at once
    QEventLoop loop;
    QObject::connect(&watch, &watch::ServerWatch::snapshotChanged, &loop, [&] {
        order.add(watch.monitor().snapshot());
        for (const auto& around : watch.monitor().measures())
            if (const auto perMinute = monitor::transactionsPerMinute(around.measures))
                order.noteServerCount(*perMinute);
    });
    QObject::connect(&watch, &watch::ServerWatch::healthChanged, &loop, [&, failures = 0]() mutable {
        const int now = watch.monitor().failures().count;
        if (now <= std::exchange(failures, now))
            return;
        ++watched.unreadable;
        order.markGap();
        if (order.polls() == 0)
            loop.quit();
    });
    QTimer tick;
    QObject::connect(&tick, &QTimer::timeout, &loop, [&] {
        const auto passed =
            std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);
        if (stop.stop_requested() || (passed >= length && order.polls() > 0))
            loop.quit();
        status.show(u"%1 of %2, %3, %4 seen"_s.arg(formatDuration(passed), formatDuration(length),
            counted(order.polls(), u"poll"), counted(qint64(order.order().edges().size()), u"order")));
    });
    tick.start(milliseconds(100));
    watch.start();
    loop.exec();
    if (const auto error = watch.monitor().lastError(); order.polls() == 0 && error)
        return Failure(withoutNextAttempt(*error));
    watched.state = order::stateOf(order);
    return {};
}

int tell(const CommandLine& line, const Watched& watched)
{
    const auto muted = order::mutedIds();
    if (!muted)
        complain(muted.error().toString());
    QList<order::PotentialDeadlock> shownDeadlocks = watched.state->found.all;
    if (!line.has(u"guarded"_s))
        shownDeadlocks.removeIf([](const order::PotentialDeadlock& each) { return !each.gate.isEmpty(); });
    qsizetype left = 0;
    if (muted && !line.has(u"muted"_s))
        left = shownDeadlocks.removeIf(
            [&muted](const order::PotentialDeadlock& each) { return muted->contains(each.id); });
    printReport(line,
        toReport(shownDeadlocks, {.state = watched.state, .unreadable = watched.unreadable, .muted = left}));
    const bool isGuarded = std::ranges::all_of(
        shownDeadlocks, [](const order::PotentialDeadlock& each) { return !each.gate.isEmpty(); });
    // A poll that failed may have had some.
    return !isGuarded ? exitSomeFound : watched.unreadable > 0 ? exitNoVerdict : exitOk;
}

Result<ExitStatus> changeMuted(const CommandLine& line)
{
    const QStringList muted = line.values(u"mute"_s);
    const QStringList unmuted = line.values(u"unmute"_s);
    for (const QString& id : muted + unmuted)
        if (!order::isPotentialDeadlockId(id))
            return failure(ErrorKind::BadInput, u"\"%1\" is no id of two orders of locks."_s.arg(id),
                u"The line of each begins with its id, 8 digits like 3fa94c01."_s);
    for (const QString& id : muted)
        if (const auto done = order::mute(id, {}); !done)
            return fail(done.error());
    for (const QString& id : unmuted)
        if (const auto done = order::unmute(id); !done)
            return fail(done.error());
    if (line.json())
        printJson(QJsonObject{{u"muted"_s, QJsonArray::fromStringList(muted)},
            {u"unmuted"_s, QJsonArray::fromStringList(unmuted)}});
    return exitOk;
}

Result<ExitStatus> runOrder(const CommandLine& line)
{
    if (line.has(u"mute"_s) || line.has(u"unmute"_s))
        return changeMuted(line);
    const StopOnSignal stop(briefly);
    Watched watched;
    const auto read = line.has(u"recording"_s) ? readRecording(line, watched, stop.token())
                                               : watchServer(line, watched, stop.token());
    // The order that was seen until somebody stopped it is worth printing.
    const bool wasPolled = watched.state && watched.state->polls > 0;
    if (!read && !(stop.signal() != 0 && wasPolled))
        return stop.endBy(read.error());
    if (!wasPolled) {
        complain(u"Nothing was polled."_s);
        return exitNoVerdict;
    }
    return tell(line, watched);
}

} // namespace

Command orderCommand()
{
    Command command(u"order"_s, u"locks taken in opposite orders: deadlocks that may come"_s, runOrder,
        u"Watches a server for a while, or reads a recording, and reports which tables and named locks sessions took in opposite orders: a deadlock as soon as two do so at the same time. Names count without their numbers, \"order:4711\" as \"order:*\". Left out is what a common lock keeps from "
        "happening, and what was muted. It only reads. Exits with 0 if there is none, 1 if there are some, 3 if that is unknown: a poll failed, or a snapshot is damaged."_s);
    command.examples = {u"lockctl order --server postgresql://ops@db/shop --for 10m"_s,
        u"lockctl order --recording shop.lockscope --from 1d"_s, u"lockctl order --mute 3fa94c01"_s};
    command.addValue(u"for"_s, u"TIME"_s, u"Watch the server for so long."_s, u"1m"_s);
    command.addValue(u"interval"_s, u"TIME"_s, u"Pause between two polls."_s, u"1s"_s);
    command.addValue(u"recording"_s, u"FILE"_s,
        u"Read this recording instead, or a team's history: postgresql://user@host/db#SERVER."_s);
    command.addValue(
        u"from"_s, u"TIME"_s, u"With --recording: a time, or so long before the last snapshot."_s);
    command.addValue(u"to"_s, u"TIME"_s, u"With --recording: leave out what came later."_s);
    command.addFlag(u"guarded"_s, u"Report also those that a common lock keeps from happening."_s);
    command.addFlag(u"muted"_s, u"Report also those that were muted."_s);
    command.addValue(u"mute"_s, u"ID"_s, u"Don't report this one any more, here and in the window."_s);
    command.addValue(u"unmute"_s, u"ID"_s, u"Report it again."_s);
    addForms(command, {u"potential_deadlocks"_s, u"witnesses"_s});
    command.apart = {{{u"recording"_s}, {u"for"_s, u"interval"_s}}};
    command.failed = exitNoVerdict;
    return command;
}

} // namespace lockscope::ctl
