// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Locking.h"
#include "app/lockctl/Look.h"
#include "app/lockctl/StopOnSignal.h"
#include "app/lockctl/TerminalMode.h"
#include "app/lockctl/TextTable.h"
#include "app/lockctl/WatchKeys.h"
#include "app/lockctl/WatchScreen.h"
#include "core/base/Backoff.h"
#include "core/domain/SnapshotChanges.h"
#include "core/domain/SnapshotJson.h"

#include <chrono>
#include <semaphore>
#include <stop_token>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QString changeText(const LockChange& change)
{
    QString text = u"%1 %2 "_s.arg(describe(change.who), changeName(change.kind));
    text += change.mode ? u"%1 on %2"_s.arg(change.mode->name(), change.resource)
                        : u"'%1' of %2"_s.arg(change.resource, change.table);
    QStringList blockers;
    for (const SessionId blocker : change.blockers)
        blockers << QString::number(blocker.value);
    if (!blockers.isEmpty())
        text += u" behind "_s + blockers.join(u", "_s);
    if (change.waited)
        text += (change.kind == LockChange::Kind::Waits ? u", since "_s : u" after "_s)
            + change.waited->toString();
    return change.sessionEnded ? text + u": its session has ended"_s : text;
}

QJsonObject changeJson(const LockChange& change)
{
    QJsonArray blockers;
    for (const SessionId blocker : change.blockers)
        blockers.append(blocker.value);
    QJsonObject json{{u"change"_s, changeName(change.kind)}, {u"owner"_s, change.who.owner},
        {u"host"_s, change.who.host}, {u"program"_s, change.who.program},
        {u"process_id"_s, change.who.processId}, {u"session"_s, change.who.session.value},
        {u"table"_s, change.table}, {u"resource"_s, change.resource},
        {u"mode"_s, change.mode ? change.mode->name() : QString()}, {u"blocked_by"_s, blockers},
        {u"session_ended"_s, change.sessionEnded}};
    if (change.waited)
        json[u"waited_ms"_s] = qint64(change.waited->value.count());
    return json;
}

void showChanges(const SnapshotPtr& before, const Snapshot& after, bool json)
{
    const QString at = after.takenAt.toIsoString();
    for (const LockChange& change : changesBetween(before ? *before : Snapshot(), after)) {
        if (json) {
            QJsonObject told = changeJson(change);
            told[u"at"_s] = at;
            printJson(told);
        } else {
            print(u"%1Z  %2\n"_s.arg(at.left(19), printable(changeText(change))));
        }
    }
}

int runWatch(const CommandLine& line)
{
    const auto probes = probesFrom(line);
    if (!probes)
        return fail(probes.error());
    const auto interval = line.duration(u"interval"_s);
    if (!interval)
        return fail(interval.error());
    const auto count = line.number(u"n"_s, 0);
    if (!count)
        return fail(count.error());
    const auto server = serverToRead(line);
    if (!server)
        return fail(server.error());

    const auto source = monitor::makeSnapshotSource(*server, *probes);
    const bool changes = line.has(u"changes"_s);
    // The screen shows who waits, and of the other locks only how many there are.
    if (!changes && !line.json())
        source->setLockReading(monitor::LockReading::WhenAwaited);
    const bool inPlace = isTerminal(Stream::Out) && !line.json() && !changes;
    std::counting_semaphore<> woken(0);
    std::stop_source quit; // by a signal or a key
    const TerminalMode terminal(inPlace);
    const StopOnSignal stop(
        briefly,
        [&] {
            quit.request_stop();
            woken.release();
        },
        [] { TerminalMode::restore(); });
    WatchScreen screen(inPlace, terminal.hasKeys());
    const WatchKeys keys(
        terminal,
        [&](const Key& key) {
            const auto wish = screen.press(key);
            if (wish == WatchScreen::Wish::Quit)
                quit.request_stop();
            if (wish != WatchScreen::Wish::Nothing)
                woken.release();
        },
        [&screen] { screen.draw(); });

    SnapshotPtr last;
    bool failed = false;
    Backoff backoff(shortestInterval, longestFailurePause);
    for (qint64 look = 1; !quit.stop_requested(); ++look) {
        const auto snapshot = source->take(quit.get_token());
        if (quit.stop_requested())
            break;
        failed = !snapshot || (*snapshot)->isIncomplete();
        if (!snapshot)
            screen.showError(errorText(snapshot.error()));
        else if (changes)
            showChanges(std::exchange(last, *snapshot), **snapshot, line.json());
        else if (line.json())
            printJson(**snapshot);
        else
            screen.show(*snapshot);
        if (snapshot)
            backoff.reset();
        if (look == *count)
            break;
        const milliseconds least = snapshot ? shortestInterval : backoff.next();
        const auto due = std::chrono::steady_clock::now() + std::max(*interval, least);
        while (!quit.stop_requested()) {
            if (screen.isPaused())
                woken.acquire();
            else if (!woken.try_acquire_until(due))
                break;
        }
    }
    return failed ? exitFailed : exitOk;
}

} // namespace

Command watchCommand()
{
    Command command{u"watch"_s, u"the same, again and again, in place"_s, runWatch,
        u"Shows who blocks whom and the lock table, again and again, until q or Ctrl+C. At a terminal keys "
        u"choose: "
        "s the order (worst first, longest wait, name), / a filter, p a pause, PgUp and PgDn the page. With "
        "--changes a line for "
        "each change instead, by the server's clock: who gave a lock back, got it, stopped waiting or waits; "
        "of locks that somebody waits or has waited for, application locks and names of lock tables. It "
        "misses what came and went between two polls. On PostgreSQL and SQL Server locks are read only while "
        "somebody waits for one, else every 10 s, and the count of holders says how old it is; --json and "
        "--changes read them at each poll."_s};
    command.examples =
        QStringList{u"lockctl watch --interval 500ms"_s, u"lockctl watch --changes --json >> locks.log"_s};
    command.addFlag(u"changes"_s, u"Only show changes; the first poll shows the present state."_s);
    command.addValue(u"interval"_s, u"TIME"_s, u"Pause between two polls, at least 100ms."_s, u"2s"_s);
    command.addValue(u"n"_s, u"COUNT"_s, u"End after so many polls; 0: never."_s, u"0"_s);
    addLimit(command);
    return command;
}

} // namespace lockscope::ctl
