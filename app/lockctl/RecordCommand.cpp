// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Look.h"
#include "app/lockctl/StopOnSignal.h"
#include "core/base/Backoff.h"
#include "core/base/Duration.h"
#include "core/base/SleepFor.h"
#include "core/record/Recorder.h"
#include "core/record/RecordingWriter.h"

#include <QDateTime>
#include <QUuid>

#include <chrono>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds shortestInterval{100};
constexpr milliseconds longestFailurePause{30'000};
constexpr std::chrono::minutes pruneEvery{1};

ServerTime ownClock()
{
    return {QDateTime::currentMSecsSinceEpoch() * 1'000};
}

/// "7d", "1G", "7d,1G".
Result<record::Retention> retentionOf(const QString& text)
{
    record::Retention retention;
    for (const QString& part : text.split(u',')) {
        if (const auto age = parseDuration(part)) {
            retention.age = *age;
            continue;
        }
        static const QString units = u"KMGT"_s;
        const auto power = part.isEmpty() ? -1 : units.indexOf(part.back().toUpper());
        bool isNumber = false;
        const qint64 count = part.chopped(power < 0 ? 0 : 1).toLongLong(&isNumber);
        if (!isNumber || power < 0 || count < 1 || count > 1'000'000)
            return failure(ErrorKind::BadInput, u"'%1' is neither a time nor a size."_s.arg(part),
                u"Write 7d, 500M, 1G, or both with a comma: 7d,1G."_s);
        retention.bytes = count << (10 * (power + 1));
    }
    return retention;
}

/// Records until it is stopped or `until` has come; what can't be read or written is told, and tried again.
int keepRecording(monitor::SnapshotSource& source, record::RecordingWriter& writer, const StopOnSignal& stop,
    milliseconds interval, std::optional<std::chrono::steady_clock::time_point> until,
    const record::Retention& retention)
{
    using Clock = std::chrono::steady_clock;
    Backoff backoff(shortestInterval, longestFailurePause);
    Clock::time_point pruned = Clock::now();
    QString complained;
    const auto tell = [&complained](const QString& trouble) {
        if (trouble != complained && !trouble.isEmpty())
            complain(trouble); // once, not at each look
        complained = trouble;
    };
    while (!stop.token().stop_requested() && (!until || Clock::now() < *until)) {
        const auto began = Clock::now();
        const auto snapshot = source.take(stop.token());
        if (stop.token().stop_requested())
            break;
        Result<void> written = snapshot ? writer.append(*snapshot, ownClock())
                                        : writer.appendFailure(snapshot.error(), ownClock());
        if (written && Clock::now() - pruned >= pruneEvery) {
            pruned = Clock::now();
            written = writer.prune(retention);
        }
        tell(!snapshot ? errorText(snapshot.error()) : written ? QString() : errorText(written.error()));
        if (snapshot)
            backoff.reset();
        // As the window does: a poll fills a quarter of the time at most.
        const milliseconds pause = snapshot
            ? std::max(interval, std::chrono::ceil<milliseconds>(4 * (Clock::now() - began)))
            : std::max(interval, backoff.next());
        sleepFor(std::chrono::duration_cast<milliseconds>(began + pause - Clock::now()), stop.token());
    }
    if (const auto ended = writer.end(u"stopped"_s); !ended)
        return fail(ended.error());
    return stop.signal() == 0 || stop.signal() == 2 ? exitOk : exitSignal + stop.signal();
}

int run(const CommandLine& line)
{
    const auto probes = probesFrom(line);
    const auto interval = line.duration(u"interval"_s);
    const auto retention = retentionOf(line.value(u"keep"_s));
    if (!probes || !interval || !retention)
        return fail(!probes ? probes.error() : !interval ? interval.error() : retention.error());
    std::optional<std::chrono::steady_clock::time_point> until;
    if (line.has(u"for"_s)) {
        const auto duration = line.duration(u"for"_s);
        if (!duration)
            return fail(duration.error());
        until = std::chrono::steady_clock::now() + *duration;
    }
    const auto server = serverToRead(line);
    if (!server)
        return fail(server.error());
    const QString name = server->profile.display();
    const QString path = line.has(u"out"_s) ? line.value(u"out"_s) : record::recordingPath(name);
    const record::Identity identity{QUuid::createUuid().toString(QUuid::WithoutBraces), name,
        server->profile.url.engine, ownClock(), line.has(u"redact"_s),
        u"lockctl "_s + QStringLiteral(LOCKSCOPE_VERSION)};
    const auto writer = record::RecordingWriter::open(path, identity);
    if (!writer)
        return fail(writer.error());
    if (!line.json())
        say(u"Recording %1 into %2\n"_s.arg(name, path));
    const auto source = monitor::makeSnapshotSource(*server, *probes);
    const StopOnSignal stop(inOrder);
    const int code =
        keepRecording(*source, **writer, stop, std::max(*interval, shortestInterval), until, *retention);
    const qint64 moments = (*writer)->framesWritten();
    if (line.json())
        printJson(QJsonObject{{u"server"_s, name}, {u"file"_s, path}, {u"moments"_s, moments}});
    else
        say(u"%1 moments were recorded.\n"_s.arg(moments));
    return code;
}

} // namespace

Command recordCommand()
{
    Command command{u"record"_s, u"write down what happens, to look at it later"_s, run,
        u"Looks at the server again and again and records what it sees, until it is interrupted: any moment "
        "of it can be shown later (list, tree, history, with --recording). A recording is a file of SQLite "
        "that only its owner may read; it has statements as they were sent unless --redact is given, never "
        "passwords. What was seen is on disk at once; a gap is recorded as a gap."_s};
    command.examples = QStringList{u"lockctl record --server postgresql://ops@db/shop --keep 7d,1G"_s,
        u"lockctl tree --recording shop.lockscope --at 2026-11-22T03:12:07Z"_s};
    command.addValue(
        u"out"_s, u"FILE"_s, u"The file; else one a server in the account's folder for recordings."_s);
    command.addValue(u"interval"_s, u"TIME"_s, u"How often to look."_s, u"1s"_s);
    command.addValue(u"for"_s, u"TIME"_s, u"End after so long."_s);
    command.addValue(u"keep"_s, u"LIMITS"_s, u"How much is kept: an age, a size, or both."_s, u"7d,1G"_s);
    command.addFlag(u"redact"_s,
        u"Leave out the values that stand in statements. A file that has them already is refused."_s);
    addLimit(command);
    return command;
}

} // namespace lockscope::ctl
