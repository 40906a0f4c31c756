// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Alerts.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/RecordedServer.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Sentences.h"
#include "core/record/Database.h"
#include "core/record/Recording.h"
#include "core/watch/IncidentWatch.h"
#include "core/watch/ServerWatch.h"

#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// The servers to record, and the time to do so.
struct RecordOrder {
    watch::WatchOptions options;
    std::optional<milliseconds> length; ///< nothing: until it is stopped; at least one poll is made
};

/// Returns the path of a server's recording.
QString pathOf(const CommandLine& line, const db::ServerUrl& server)
{
    const QString path = record::recordingPath(server);
    if (!line.has(u"out"_s))
        return path;
    const QString out = line.value(u"out"_s);
    return out.endsWith(u'/') || QFileInfo(out).isDir() ? QDir(out).filePath(QFileInfo(path).fileName())
                                                        : out;
}

Result<QList<db::Server>> serversToRecord(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto servers, serversToRead(line));
    const QString out = line.value(u"out"_s);
    if (servers.size() > 1 && line.has(u"out"_s) && !out.endsWith(u'/') && !QFileInfo(out).isDir())
        return failure(ErrorKind::BadInput,
            u"Several servers have a file each, and --out %1 is no folder that is there."_s.arg(out),
            u"Name one, with a '/' at its end if it shall be made, or leave --out out."_s);
    return servers;
}

Result<RecordOrder> orderFrom(const CommandLine& line)
{
    RecordOrder order;
    LOCKSCOPE_TRY_GET(order.options.probes, probesFrom(line));
    LOCKSCOPE_TRY_GET(const auto interval, line.duration(u"interval"_s));
    LOCKSCOPE_TRY_GET(const auto retention, retentionOf(line.value(u"keep"_s)));
    order.options.interval = std::max(interval, minInterval);
    order.options.keepsOrder = line.has(u"alerts"_s);
    order.options.recording = watch::RecordOptions{
        .program = u"lockctl"_s, .settings = {.retention = retention}, .redacts = line.has(u"redact"_s)};
    LOCKSCOPE_TRY(line.setDuration(u"for"_s, order.length));
    return order;
}

QString recordedText(qint64 count)
{
    return counted(count, u"snapshot was recorded", u"snapshots were recorded");
}

int printRecorded(const CommandLine& line, const QList<RecordState>& states)
{
    qint64 count = 0;
    QJsonArray array;
    for (const RecordState& state : states) {
        count += state.recorder.frames;
        array.append(QJsonObject{{u"server"_s, state.server}, {u"file"_s, state.recorder.path},
            {u"snapshots"_s, state.recorder.frames}, {u"trouble"_s, state.trouble}});
        if (!line.json() && states.size() > 1)
            sayLine(u"%1: %2."_s.arg(state.server, recordedText(state.recorder.frames)));
    }
    QJsonObject object{{u"snapshots"_s, count}, {u"recordings"_s, array}};
    if (states.size() == 1) {
        object.insert(u"server"_s, states.front().server);
        object.insert(u"file"_s, states.front().recorder.path);
    }
    if (line.json())
        printJson(object);
    else if (states.size() == 1)
        sayLine(recordedText(count) + u"."_s);
    const bool isAnyMissing =
        std::ranges::any_of(states, [](const RecordState& state) { return !state.recorder.isOpen; });
    return isAnyMissing ? exitFailed : exitOk;
}

/// True if no server has a recorded snapshot, and the reason is a trouble with one of them.
bool isNothingSeen(const QList<RecordState>& states)
{
    return std::ranges::all_of(states, [](const RecordState& state) { return state.recorder.frames == 0; })
        && std::ranges::any_of(states, [](const RecordState& state) { return !state.trouble.isEmpty(); });
}

using Watches = std::vector<std::unique_ptr<watch::ServerWatch>>;

/// One for each server, with its file, which is open. The error, if no file could be opened.
Result<Watches> watchesOf(const CommandLine& line, const QList<db::Server>& servers, const RecordOrder& order)
{
    Watches watches;
    QStringList paths;
    for (const db::Server& server : servers) {
        watch::WatchOptions options = order.options;
        options.recording->path = pathOf(line, server.profile.url);
        if (paths.contains(options.recording->path))
            return failure(ErrorKind::BadInput, u"%1 is named twice."_s.arg(server.display()));
        paths << options.recording->path;
        watches.push_back(std::make_unique<watch::ServerWatch>(server, options));
    }
    if (!line.json()) {
        for (const auto& watch : watches)
            sayLine(db::withoutSecrets(
                u"Recording %1 into %2"_s.arg(watch->profile().display(), watch->recorder()->state().path)));
    }
    Result<void> first;
    bool isAnyOpen = false;
    for (const auto& watch : watches) {
        const auto opened = watch->recorder()->open();
        if (!opened && first)
            first = opened;
        isAnyOpen = isAnyOpen || opened;
    }
    return isAnyOpen ? Result<Watches>(std::move(watches)) : Failure(first.error());
}

/// Records until a signal comes, or the order's end.
QList<RecordState> recordAll(const Watches& watches, const RecordOrder& order, Supervision& supervision,
    Uploads& uploads, const std::stop_token& stop)
{
    std::vector<RecordedServer> servers;
    for (size_t i = 0; i < watches.size(); ++i) {
        servers.emplace_back(*watches[i]);
        // Not all at the same time.
        QTimer::singleShot(order.options.interval * qint64(i) / qint64(watches.size()), watches[i].get(),
            &watch::ServerWatch::start);
    }
    const auto began = std::chrono::steady_clock::now();
    QList<RecordState> states;
    QEventLoop loop;
    QTimer tick;
    QObject::connect(&tick, &QTimer::timeout, &loop, [&] {
        states.clear();
        for (RecordedServer& server : servers) {
            states << server.state();
            server.reportChanges(states.back());
        }
        supervision.note(states);
        uploads.printChanges();
        const bool isOver = order.length && std::chrono::steady_clock::now() - began >= *order.length
            && std::ranges::all_of(servers, std::mem_fn(&RecordedServer::isReached));
        if (stop.stop_requested() || isOver)
            loop.quit();
    });
    tick.start(supervision.tick());
    loop.exec();
    supervision.notifier().stopping();
    watch::ServerWatch::finish(watches);
    for (size_t i = 0; i < servers.size(); ++i) {
        RecordState& state = states[qsizetype(i)];
        const bool wasOpen = state.recorder.isOpen;
        state = servers[i].state();
        state.recorder.isOpen = wasOpen;
        servers[i].reportChanges(state);
    }
    return states;
}

/// Finds the incidents of all that is recorded, and prints a line for each change.
std::unique_ptr<watch::IncidentWatch> incidentsOf(const Watches& watches)
{
    auto incidents = std::make_unique<watch::IncidentWatch>();
    printAlerts(*incidents);
    for (const auto& watch : watches)
        incidents->add(watch.get());
    return incidents;
}

Result<ExitStatus> runRecord(const CommandLine& line)
{
    record::prepareForManyServers();
    Supervision supervision; // before anything else is started: what it reads is for us alone
    LOCKSCOPE_TRY_GET(const auto order, orderFrom(line));
    LOCKSCOPE_TRY_GET(const auto servers, serversToRecord(line));
    LOCKSCOPE_TRY_GET(auto uploads, Uploads::from(line));
    const StopOnSignal stop(inOrder); // before anything is said to be recorded
    LOCKSCOPE_TRY_GET(const auto watches, watchesOf(line, servers, order));
    for (const auto& watch : watches)
        uploads.add(watch->recorder()->state().path);
    const auto incidents = line.has(u"alerts"_s) ? incidentsOf(watches) : nullptr;
    const QList<RecordState> states = recordAll(watches, order, supervision, uploads, stop.token());
    uploads.finish();
    const int printedCode = printRecorded(line, states);
    const int signal = stop.signal();
    const int code = signal == 0 && isNothingSeen(states) ? exitFailed : printedCode;
    return supervision.exitCode(signal, code);
}

} // namespace

Command recordCommand()
{
    Command command(u"record"_s, u"record what happens, to view it later"_s, runRecord,
        u"Polls servers again and again and records what it sees, until it is interrupted: any time can be shown later (list, tree, history, with --recording). A server is a URL or the name of one that is saved in the window; several are recorded independently of each other, each in a file of its own. A "
        "recording is a file of SQLite that only its owner may read; it has statements as they were sent unless --redact is given, never passwords. Each snapshot is on disk at once; a gap is recorded as a gap."_s);
    command.arguments = u"[SERVER…]"_s;
    command.examples = {u"lockctl record --server postgresql://ops@db/shop --keep 7d,1G"_s,
        u"lockctl record shop --into postgresql://watcher@db2/history"_s,
        u"lockctl record postgresql://ops@db1/shop postgresql://ops@db2/stock"_s,
        u"lockctl tree --recording shop.lockscope --at 2026-11-22T03:12:07Z"_s};
    command.addValue(u"out"_s, u"FILE"_s,
        u"The file, or of several servers the folder; else one a server in the account's folder for recordings."_s);
    command.addValue(u"interval"_s, u"TIME"_s, u"Time between two polls."_s, u"1s"_s);
    command.addValue(u"for"_s, u"TIME"_s, u"End after so long."_s);
    command.addValue(
        u"keep"_s, u"LIMITS"_s, u"How much is kept of each server: an age, a size, or both."_s, u"7d,1G"_s);
    addInto(command);
    command.addFlag(u"alerts"_s,
        u"Apply the account's rules, keep incidents, and send their notices through the channels."_s);
    command.addFlag(u"redact"_s,
        u"Leave out the values that stand in statements. A file that has them already is refused."_s);
    addLimit(command);
    return command;
}

} // namespace lockscope::ctl
