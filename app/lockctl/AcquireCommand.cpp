// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Locking.h"
#include "app/lockctl/StopOnSignal.h"
#include "app/lockctl/Target.h"
#include "core/domain/Duration.h"
#include "core/locks/GrantKeeper.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Ends when standard input is closed, at a signal, or when the lock is lost.
class Vigil {
public:
    Vigil()
    {
        // Reading can't be interrupted portably: the thread is left behind and dies with the program.
        std::thread([state = m_state] {
            while (std::getchar() != EOF) { }
            state->end();
        }).detach();
    }
    void end() { m_state->end(); }
    void wait() { m_state->wait(); }

private:
    struct State {
        void end()
        {
            const std::lock_guard lock(mutex);
            ended = true;
            changed.notify_all();
        }
        void wait()
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [this] { return ended; });
        }
        std::mutex mutex;
        std::condition_variable changed;
        bool ended = false;
    };
    std::shared_ptr<State> m_state = std::make_shared<State>();
};

void tell(const LockOrder& order, const locks::AcquireResult& result, bool json)
{
    if (json) {
        printJson(toJson(order, result));
        return;
    }
    QString text = u"name     %1\noutcome  %2 after %3\n"_s.arg(
        order.request.name, locks::outcomeName(result.outcome), durationText(result.waited));
    if (order.kind == locks::LockKind::Table) {
        text += u"token    %1\nfencing  %2\n"_s.arg(result.grant.token()).arg(result.grant.fencing());
        if (const auto expires = result.grant.expiresAt())
            text += u"expires  %1\n"_s.arg(expires->toIsoString());
    }
    print(text);
}

} // namespace

int runAcquire(const QStringList& arguments)
{
    CommandLine line(
        u"Takes a lock. --kind table: leaves the entry and prints its token, with which `lockctl release` "
        "gives it back; nothing renews its lease. The other kinds: holds it until standard input is closed "
        "or a "
        "signal comes."_s,
        u"NAME"_s);
    LockOrder::addOptions(line);
    if (const auto code = line.parse(arguments, 1, 1))
        return *code;
    const auto order = LockOrder::from(line);
    if (!order)
        return fail(order.error());
    const auto target = Target::toChange(line, u"take a lock"_s);
    if (!target)
        return fail(target.error());
    const auto connection = target->connect(db::Purpose::Lock);
    if (!connection)
        return fail(connection.error());

    const bool stays = order->kind != locks::LockKind::Table;
    const auto keeper = stays ? locks::GrantKeeper::create(target->profile.url, target->passwords) : nullptr;
    const auto strategy = locks::LockStrategy::create(order->kind, **connection, keeper);
    if (!strategy)
        return fail(strategy.error());
    std::optional<Vigil> vigil;
    if (stays)
        vigil.emplace();
    const StopOnSignal stop;
    const std::stop_callback endVigil(stop.token(), [&vigil] {
        if (vigil)
            vigil->end();
    });
    std::atomic<bool> lost = false;
    auto result = order->acquire(**connection, **strategy, stop.token(), [&](locks::LossReason) {
        lost = true;
        if (vigil)
            vigil->end();
    });
    if (stop.signal() != 0)
        return exitSignal + stop.signal();
    if (!result)
        return fail(result.error());
    if (!locks::isGranted(result->outcome)) {
        if (line.json())
            printJson(toJson(*order, *result));
        return notObtained(*order, *result);
    }
    tell(*order, *result, line.json());
    if (!stays) {
        result->grant.abandon();
        return exitOk;
    }
    vigil->wait();
    if (lost)
        return fail(failure(ErrorKind::Connection,
            u"The lock '%1' was lost: the connection to the server is gone."_s.arg(order->request.name),
            u"Somebody else may have it by now: stop what it protects, then take it again."_s)
                        .value());
    const auto released = order->release(**connection, result->grant);
    return released ? exitOk : fail(released.error());
}

} // namespace lockscope::ctl
