// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ChildCommand.h"
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Locking.h"
#include "app/lockctl/SignalWatch.h"
#include "app/lockctl/Target.h"
#include "core/locks/GrantKeeper.h"

#include <atomic>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QString lossText(locks::LossReason reason)
{
    switch (reason) {
    case locks::LossReason::LeaseExpired:
        return u"its lease ran out before it could be renewed"_s;
    case locks::LossReason::RowGone:
        return u"its entry is gone or somebody else's by now"_s;
    case locks::LossReason::ConnectionGone:
        break;
    }
    return u"the connection to the server is gone"_s;
}

/// What a protected resource needs in order to refuse a late writer.
QProcessEnvironment environmentFor(const locks::Grant& grant, locks::LockKind kind)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // The command has no business with our credentials.
    environment.remove(u"LOCKSCOPE_PASSWORD"_s);
    environment.insert(u"LOCKSCOPE_LOCK"_s, grant.name());
    if (kind == locks::LockKind::Table) {
        environment.insert(u"LOCKSCOPE_TOKEN"_s, grant.token());
        environment.insert(u"LOCKSCOPE_FENCING"_s, QString::number(grant.fencing()));
    }
    return environment;
}

struct Run {
    LockOrder order;
    QStringList command;
    bool terminateOnLoss = false;
    bool json = false;
    std::stop_source stopWaiting;
    std::atomic<int> signal = 0;
    std::atomic<bool> lost = false;
    ChildCommand child;

    void onSignal(const SignalWatch::Signal& received)
    {
        signal = received.number;
        stopWaiting.request_stop();
        if (!received.fromTerminal)
            child.forward(received.number);
    }

    void onLoss(locks::LossReason reason)
    {
        lost = true;
        complain(errorText(failure(ErrorKind::Changed,
            u"The lock '%1' was lost: %2."_s.arg(order.request.name, lossText(reason)),
            terminateOnLoss ? u"Ending the command."_s
                            : u"The command goes on, although somebody else may have the lock by now; "
                              "--terminate-on-loss would end it."_s)
                               .value()));
        if (terminateOnLoss)
            child.terminate();
    }
};

int runLocked(Run& run, const Target& target)
{
    const auto connection = target.connect(db::Purpose::Lock);
    if (!connection)
        return fail(connection.error());
    const auto keeper = locks::GrantKeeper::create(target.profile.url, target.passwords);
    const auto strategy = locks::LockStrategy::create(run.order.kind, **connection, keeper);
    if (!strategy)
        return fail(strategy.error());
    auto result = run.order.acquire(**connection, **strategy, run.stopWaiting.get_token(),
        [&run](locks::LossReason reason) { run.onLoss(reason); });
    if (run.signal != 0)
        return exitSignal + run.signal;
    if (!result)
        return fail(result.error());
    const QJsonObject told = toJson(run.order, *result);
    if (!locks::isGranted(result->outcome)) {
        if (run.json)
            printJson(told);
        return notObtained(run.order, *result);
    }
    // Standard output is the command's from here on.
    if (run.json)
        printJson(told, Stream::Err);
    const int code = run.child.run(run.command, environmentFor(result->grant, run.order.kind));
    if (const auto released = run.order.release(**connection, result->grant); !released && !run.lost)
        complain(errorText(released.error()));
    return code;
}

} // namespace

int runRun(const QStringList& arguments)
{
    CommandLine line(
        u"Takes a lock, runs the command, gives the lock back, as flock(1) does with a file. The exit code "
        "is the command's, 75 if the lock was not obtained. While the command runs, the lease is renewed. "
        "The command finds LOCKSCOPE_LOCK, LOCKSCOPE_TOKEN and LOCKSCOPE_FENCING in its environment. "
        "Standard output is the command's: --json prints there only if the lock was not obtained, and the "
        "command not run; otherwise one line to standard error, before the command starts."_s,
        u"NAME -- COMMAND…"_s);
    LockOrder::addOptions(line);
    line.addFlag(
        u"terminate-on-loss"_s, u"End the command (SIGTERM) if the lock is lost; else that is only told."_s);
    if (const auto code = line.parse(arguments, 1, 1))
        return *code;
    const auto order = LockOrder::from(line);
    if (!order)
        return fail(order.error());
    if (line.commandAfterDashes().isEmpty()) {
        complain(u"Which command? Write it after --, e.g. lockctl run nightly -- ./rebuild.sh"_s);
        return exitUsage;
    }
    const auto target = Target::toChange(line, u"take a lock"_s);
    if (!target)
        return fail(target.error());
    Run run;
    run.order = *order;
    run.command = line.commandAfterDashes();
    run.terminateOnLoss = line.has(u"terminate-on-loss"_s);
    run.json = line.json();
    const SignalWatch signals_([&run](const SignalWatch::Signal& received) { run.onSignal(received); });
    return runLocked(run, *target);
}

} // namespace lockscope::ctl
