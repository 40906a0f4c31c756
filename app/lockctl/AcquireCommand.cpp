// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/Locking.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Duration.h"

#include <atomic>
#include <cstdio>
#include <semaphore>
#include <thread>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Released when standard input is closed, at a signal, or when the lock is lost; null: nobody waits for
/// that.
using End = std::shared_ptr<std::counting_semaphore<>>;

End endOfInput()
{
    const auto end = std::make_shared<std::counting_semaphore<>>(0);
    // Reading can't be interrupted portably: the thread is left behind and dies with the program.
    std::thread([end] {
        while (std::getchar() != EOF) { }
        end->release();
    }).detach();
    return end;
}

void tell(const LockCommandOptions& order, const locks::Obtained& lock, bool json)
{
    if (json) {
        printJson(toJson(order, lock));
        return;
    }
    QString text = u"name     %1\noutcome  %2 after %3\n"_s.arg(
        printable(order.name), locks::outcomeName(lock.outcome), durationText(lock.waited));
    if (order.kind == locks::LockKind::Table) {
        text += u"token    %1\nfencing  %2\n"_s.arg(lock.token).arg(lock.fencing);
        if (lock.expiresAt)
            text += u"expires  %1\n"_s.arg(lock.expiresAt->toIsoString());
    }
    say(text);
}

/// Gives it back at the end; the exit code.
int holdUntil(
    const End& end, locks::LockHolder& holder, const std::atomic<bool>& lost, const LockCommandOptions& order)
{
    end->acquire();
    if (lost)
        return fail(ErrorKind::Connection,
            u"The lock '%1' was lost: its session is gone, or gets no answer from the server."_s.arg(
                order.name),
            u"Somebody else may have it by now: stop what it protects, then take it again."_s);
    const auto released = holder.release();
    return released ? exitOk : fail(released.error());
}

int runAcquire(const CommandLine& line)
{
    const auto order = LockCommandOptions::from(line);
    if (!order)
        return fail(order.error());
    const auto server = serverToChange(line, u"take a lock"_s);
    if (!server)
        return fail(server.error());
    surviveClosedOutput();
    const bool stays = order->kind != locks::LockKind::Table;
    const End end = stays ? endOfInput() : nullptr;
    std::atomic<bool> lost = false;
    std::optional<locks::LockHolder> holder; // before the watch, which may still use it
    std::atomic<bool> isAsked = false;
    const StopOnSignal stop(briefly, [&] {
        if (isAsked) {
            holder->cancel();
            holder->hurryRelease();
        }
        if (end)
            end->release();
    });
    holder.emplace(*server, *order, [&lost, &end](locks::LossReason) {
        lost = true;
        if (end)
            end->release();
    });
    isAsked = true;
    if (stop.signal() != 0)
        holder->cancel();
    const auto answer = holder->waitForAnswer();
    if (stop.signal() != 0) {
        if (answer && *answer && (*answer)->isGranted())
            std::ignore = holder->release();
        return exitSignal + stop.signal();
    }
    if (!*answer)
        return fail(answer->error());
    const locks::Obtained& lock = **answer;
    if (!lock.isGranted())
        return notObtained(*order, lock, line.json());
    tell(*order, lock, line.json());
    if (isOutputLost()) { // nobody else knows the token
        const auto released = holder->release();
        complain(u"The lock was not kept: the answer could not be written to standard output."_s);
        return released ? exitFailed : fail(released.error());
    }
    if (stays)
        return holdUntil(end, *holder, lost, *order);
    holder->abandon();
    return exitOk;
}

} // namespace

Command acquireCommand()
{
    Command command(u"acquire"_s, u"take a lock and leave it held"_s, runAcquire,
        u"Takes a lock. --kind table: leaves the entry and prints its token, with which `lockctl release` gives it back; nothing renews its lease. The other kinds: holds it until standard input is closed or a signal comes."_s);
    command.arguments = u"NAME"_s;
    command.examples = {u"lockctl acquire nightly --stale-after 1h --json"_s, u"lockctl acquire -- -name"_s};
    LockCommandOptions::addOptions(command);
    return command;
}

} // namespace lockscope::ctl
