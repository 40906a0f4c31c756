// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Look.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ServerRecordings.h"
#include "app/lockctl/ServiceNotifier.h"
#include "app/lockctl/StopOnSignal.h"
#include "app/lockctl/Uploads.h"
#include "core/alert/Thresholds.h"
#include "core/record/Recorder.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

#include <algorithm>
#include <chrono>
#include <csignal>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds lookAtStates{500}; // so soon a signal is told to the service manager
constexpr int feedsPerWatchdog = 4; // so that half of its time is never missed

/// Says to the service manager what has become of the recordings.
class Supervision {
public:
    ServiceNotifier& notifier() { return m_notifier; }
    milliseconds tick() const
    {
        if (!m_notifier.isService())
            return std::chrono::seconds(10);
        const auto watchdog = std::chrono::floor<milliseconds>(m_notifier.watchdog() / feedsPerWatchdog);
        return watchdog.count() > 0 ? std::min(watchdog, lookAtStates) : lookAtStates;
    }
    void note(const QList<RecordState>& states)
    {
        if (!m_notifier.isService())
            return;
        QStringList troubles;
        qsizetype recorded = 0;
        bool isSomethingWritten = false;
        bool isAllWritten = true; // by all that have a file
        bool isAllWrittenSince = true;
        m_fed.resize(states.size());
        for (qsizetype i = 0; i < states.size(); ++i) {
            const RecordState& state = states[i];
            recorded += state.trouble.isEmpty() ? 1 : 0;
            if (!state.trouble.isEmpty())
                troubles << state.trouble;
            isSomethingWritten = isSomethingWritten || state.writes > 0;
            isAllWritten = isAllWritten && (state.writes > 0 || !state.isOpen);
            isAllWrittenSince = isAllWrittenSince
                && (state.writes > m_fed[i] || !state.isOpen || state.hasEnded || isWaiting(state));
        }
        m_notifier.status(
            u"%1 of %2 servers are recorded. %3"_s.arg(recorded).arg(states.size()).arg(troubles.join(u' ')));
        if (!isSomethingWritten || !isAllWritten)
            return;
        m_notifier.ready();
        const auto now = std::chrono::steady_clock::now();
        const bool isDue =
            m_notifier.watchdog().count() > 0 && now - m_lastFed >= m_notifier.watchdog() / feedsPerWatchdog;
        if (isDue && isAllWrittenSince) {
            m_lastFed = now;
            m_notifier.alive();
            for (qsizetype i = 0; i < states.size(); ++i)
                m_fed[i] = states[i].writes;
        }
    }

private:
    /// For a server, which is no fault of this program. One that does not answer at all is given up sooner.
    static bool isWaiting(const RecordState& state)
    {
        constexpr std::chrono::minutes longest{1};
        return state.asking && std::chrono::steady_clock::now() - *state.asking < longest;
    }

    ServiceNotifier m_notifier;
    QList<qint64> m_fed; // writes when the watchdog was fed
    std::chrono::steady_clock::time_point m_lastFed{};
};

/// Where the recording of a server goes.
QString pathOf(const CommandLine& line, const QString& server)
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
    QList<db::Server> servers;
    for (const QString& name : line.positionals()) {
        auto server = serverNamed(name, line);
        if (!server)
            return Failure(server.error());
        servers << *server;
    }
    if (servers.isEmpty() || line.has(u"server"_s)) {
        auto server = serverToRead(line);
        if (!server)
            return Failure(server.error());
        servers.prepend(*server);
    }
    if (servers.size() > 1)
        speakOf({}); // each error names its own
    const QString out = line.value(u"out"_s);
    if (servers.size() > 1 && line.has(u"out"_s) && !out.endsWith(u'/') && !QFileInfo(out).isDir())
        return failure(ErrorKind::BadInput,
            u"Several servers have a file each, and --out %1 is no folder that is there."_s.arg(out),
            u"Name one, with a '/' at its end if it shall be made, or leave --out out."_s);
    return servers;
}

Result<RecordOrder> orderFrom(const CommandLine& line)
{
    const auto probes = probesFrom(line);
    const auto interval = line.duration(u"interval"_s);
    const auto retention = retentionOf(line.value(u"keep"_s));
    if (!probes || !interval || !retention)
        return Failure(!probes ? probes.error() : !interval ? interval.error() : retention.error());
    RecordOrder order{std::max(*interval, shortestInterval), *retention, line.has(u"redact"_s), *probes,
        alert::Incidents::settingsBy(alert::loadThresholds(QSettings(u"lockscope"_s, u"lockscope"_s))),
        std::nullopt};
    order.probes.surroundings = true;
    if (line.has(u"for"_s)) {
        const auto duration = line.duration(u"for"_s);
        if (!duration)
            return Failure(duration.error());
        order.length = *duration;
    }
    return order;
}

QString recordedText(qint64 moments)
{
    return counted(moments, u"snapshot"_s) + (moments == 1 ? u" was recorded"_s : u" were recorded"_s);
}

int tellWhatWasRecorded(const CommandLine& line, const QList<RecordState>& states)
{
    qint64 moments = 0;
    QJsonArray array;
    for (const RecordState& state : states) {
        moments += state.moments;
        array.append(QJsonObject{{u"server"_s, state.server}, {u"file"_s, state.path},
            {u"moments"_s, state.moments}, {u"trouble"_s, state.trouble}});
        if (!line.json() && states.size() > 1)
            sayLine(u"%1: %2."_s.arg(state.server, recordedText(state.moments)));
    }
    QJsonObject object{{u"moments"_s, moments}, {u"recordings"_s, array}};
    if (states.size() == 1) {
        object.insert(u"server"_s, states.front().server);
        object.insert(u"file"_s, states.front().path);
    }
    if (line.json())
        printJson(object);
    else if (states.size() == 1)
        sayLine(recordedText(moments) + u"."_s);
    const bool isAnyMissing =
        std::any_of(states.begin(), states.end(), [](const RecordState& state) { return !state.isOpen; });
    return isAnyMissing ? exitFailed : exitOk;
}

/// Not a moment of any server, and that is why.
bool isNothingSeen(const QList<RecordState>& states)
{
    return std::all_of(
               states.begin(), states.end(), [](const RecordState& state) { return state.moments == 0; })
        && std::any_of(
            states.begin(), states.end(), [](const RecordState& state) { return !state.trouble.isEmpty(); });
}

int runRecord(const CommandLine& line)
{
    Supervision supervision; // before anything else is started: what it reads is for us alone
    const auto order = orderFrom(line);
    if (!order)
        return fail(order.error());
    const auto servers = serversToRecord(line);
    if (!servers)
        return fail(servers.error());
    auto uploads = Uploads::from(line);
    if (!uploads)
        return fail(uploads.error());
    ServerRecordings recordings(*order);
    QStringList paths;
    for (const db::Server& server : *servers) {
        const QString name = server.display();
        const QString path = pathOf(line, name);
        if (const auto added = recordings.add(server, path); !added)
            return fail(added.error());
        paths << path;
        if (!line.json())
            sayLine(u"Recording %1 into %2"_s.arg(name, path));
    }
    if (const auto opened = recordings.open(); !opened)
        return fail(opened.error());
    for (const QString& path : paths)
        uploads->add(path);
    const StopOnSignal stop(inOrder);
    recordings.start(stop.token());
    QList<RecordState> states;
    do {
        states = recordings.states(supervision.tick());
        supervision.note(states);
        uploads->tellTroubles();
    } while (!stop.token().stop_requested()
        && !std::all_of(
            states.begin(), states.end(), [](const RecordState& state) { return state.hasEnded; }));
    supervision.notifier().stopping();
    recordings.join();
    uploads->finish();
    states = recordings.states();
    const int told = tellWhatWasRecorded(line, states);
    const int signal = stop.signal();
    const int code = signal == 0 && isNothingSeen(states) ? exitFailed : told;
    // A service is stopped by SIGTERM: that is no failure of it.
    const bool isUsual =
        signal == 0 || signal == SIGINT || (signal == SIGTERM && supervision.notifier().isService());
    return isUsual ? code : exitSignal + signal;
}

} // namespace

Command recordCommand()
{
    Command command{u"record"_s, u"write down what happens, to look at it later"_s, runRecord,
        u"Looks at servers again and again and records what it sees, until it is interrupted: any time can "
        "be shown later (list, tree, history, with --recording). A server is a URL or the name of one "
        "that "
        "is saved in the window; several are recorded independently of each other, each in a file of its "
        "own. A "
        "recording is a file of SQLite that only its owner may read; it has statements as they were sent "
        "unless "
        "--redact is given, never passwords. Each snapshot is on disk at once; a gap is recorded as a gap."_s};
    command.arguments = u"[SERVER…]"_s;
    command.examples = QStringList{u"lockctl record --server postgresql://ops@db/shop --keep 7d,1G"_s,
        u"lockctl record shop --into postgresql://watcher@db2/history"_s,
        u"lockctl record postgresql://ops@db1/shop postgresql://ops@db2/stock"_s,
        u"lockctl tree --recording shop.lockscope --at 2026-11-22T03:12:07Z"_s};
    command.addValue(u"out"_s, u"FILE"_s,
        u"The file, or of several servers the folder; else one a server in the account's folder for "
        "recordings."_s);
    command.addValue(u"interval"_s, u"TIME"_s, u"How often to look."_s, u"1s"_s);
    command.addValue(u"for"_s, u"TIME"_s, u"End after so long."_s);
    command.addValue(
        u"keep"_s, u"LIMITS"_s, u"How much is kept of each server: an age, a size, or both."_s, u"7d,1G"_s);
    addInto(command);
    command.addFlag(u"redact"_s,
        u"Leave out the values that stand in statements. A file that has them already is refused."_s);
    addLimit(command);
    return command;
}

} // namespace lockscope::ctl
