// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Acts.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/domain/SnapshotJson.h"

#include <atomic>
#include <cstdio>
#include <semaphore>
#include <thread>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

constexpr EnumTable<locks::LockKind> lockKinds({u"table", u"app", u"locked-table", u"locked-key"});

} // namespace

void LockCommandOptions::addOptions(Command& command)
{
    command.addValue(u"kind"_s, lockKinds.list().join(u'|'),
        u"A row of the lock table, which outlives the connection; an application lock of the server; or the locked surrogate table or key of that name, which belongs to a transaction."_s,
        u"table"_s);
    command.addValue(u"wait"_s, u"TIME"_s, u"Give up after so long, e.g. 10s; else wait for ever."_s);
    command.addFlag(u"no-wait"_s, u"Give up at once if somebody else has it."_s);
    command.addFlag(u"shared"_s, u"Share the lock with others that do so (--kind app only)."_s);
    command.addValue(u"stale-after"_s, u"TIME"_s,
        u"Without a sign of life for so long, the entry is stale and may be taken over (--kind table only)."_s,
        u"10m"_s);
}

Result<LockCommandOptions> LockCommandOptions::from(const CommandLine& line)
{
    const auto refused = [](const QString& text) { return failure(ErrorKind::BadInput, text); };
    LockCommandOptions order;
    order.kind = locks::LockKind(lockKinds.list().indexOf(line.value(u"kind"_s)));
    if (line.has(u"wait"_s) && line.has(u"no-wait"_s))
        return refused(u"--wait and --no-wait exclude each other."_s);
    order.name = line.positional(0);
    order.wait = milliseconds(line.has(u"no-wait"_s) ? 0 : -1);
    LOCKSCOPE_TRY(line.setDuration(u"wait"_s, order.wait));
    if (line.has(u"shared"_s)) {
        if (order.kind != locks::LockKind::Application)
            return refused(u"Only application locks can be shared; use --kind app."_s);
        order.mode = locks::AcquireMode::Shared;
    }
    if (line.has(u"stale-after"_s) && order.kind != locks::LockKind::Table)
        return refused(u"Such a lock ends with its session; --stale-after is for --kind table."_s);
    LOCKSCOPE_TRY_GET(order.lease, line.duration(u"stale-after"_s));
    if (order.lease < milliseconds(1'000))
        return refused(u"--stale-after must be at least 1s."_s);
    return order;
}

QString describe(const LockOwnerInfo& party)
{
    QString text = party.owner.isEmpty() ? u"somebody"_s : party.owner;
    if (!party.host.isEmpty())
        text += u" on "_s + party.host;
    QStringList more;
    if (!party.program.isEmpty())
        more << party.program;
    if (party.processId != 0)
        more << u"process %1"_s.arg(party.processId);
    if (party.session.isValid())
        more << u"session %1"_s.arg(party.session.value);
    return printable(more.isEmpty() ? text : text + u" ("_s + more.join(u", "_s) + u')');
}

int notObtained(const LockCommandOptions& order, const locks::Obtained& result, bool json)
{
    if (json)
        printJson(toJson(order, result));
    Error error{.kind = ErrorKind::Timeout,
        .what = u"The lock '%1' was not obtained: %2."_s.arg(
            printable(order.name), locks::outcomeName(result.outcome)),
        .hint = u"Try again later, or let it wait longer (--wait); `lockctl list` shows who has what."_s};
    QStringList details;
    if (result.heldBy)
        details << u"It is held by %1."_s.arg(describe(*result.heldBy));
    if (result.outcome == locks::Outcome::TimedOut)
        details << u"Waited %1."_s.arg(durationText(result.waited));
    error.detail = details.join(u' ');
    complain(errorText(std::move(error)));
    return exitNotObtained;
}

QJsonObject toJson(const LockCommandOptions& order, const locks::Obtained& result)
{
    QJsonObject json{{u"name"_s, order.name}, {u"outcome"_s, locks::outcomeName(result.outcome)},
        {u"granted"_s, result.isGranted()}, {u"waited_ms"_s, qint64(result.waited.count())}};
    if (result.heldBy)
        json[u"held_by"_s] = describe(*result.heldBy);
    if (order.kind == locks::LockKind::Table && result.isGranted()) {
        json[u"token"_s] = result.token;
        json[u"fencing"_s] = result.fencing;
        json[u"acquired_at"_s] = toJson(std::optional(result.acquiredAt));
        json[u"expires_at"_s] = toJson(result.expiresAt);
    }
    return json;
}

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
Result<ExitStatus> holdUntil(
    const End& end, locks::LockHolder& holder, const std::atomic<bool>& lost, const LockCommandOptions& order)
{
    end->acquire();
    if (lost)
        return failure(ErrorKind::Connection,
            u"The lock '%1' was lost: its session is gone, or gets no answer from the server."_s.arg(
                order.name),
            u"Somebody else may have it by now: stop what it protects, then take it again."_s);
    LOCKSCOPE_TRY(holder.release());
    return exitOk;
}

Result<ExitStatus> runAcquire(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto order, LockCommandOptions::from(line));
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"take a lock"_s));
    surviveClosedOutput();
    const bool stays = order.kind != locks::LockKind::Table;
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
    holder.emplace(server, order, [&lost, &end](locks::LossReason) {
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
        return Failure(answer->error());
    const locks::Obtained& lock = **answer;
    if (!lock.isGranted())
        return notObtained(order, lock, line.json());
    tell(order, lock, line.json());
    if (isOutputLost()) { // nobody else knows the token
        const auto released = holder->release();
        complain(u"The lock was not kept: the answer could not be written to standard output."_s);
        return ifDone(released, exitFailed);
    }
    if (stays)
        return holdUntil(end, *holder, lost, order);
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
