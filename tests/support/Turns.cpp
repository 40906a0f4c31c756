// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Turns.h"

#include "tests/support/TestServer.h"

namespace lockscope::test {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace locks;
using Clock = Turn::Clock;

static AcquireRequest forTurn()
{
    return {.name = u"n"_s, .wait = milliseconds(-1)};
}

const QString endSomeSession =
    u"SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle' ORDER BY random() LIMIT 1) AS one"_s;

void Crowd::join(const LockRig& rig, qint64 turns, Take take)
{
    m_threads.emplace_back([this, &rig, turns, take = std::move(take)] {
        std::unique_ptr<db::Connection> connection;
        for (qint64 done = 0; done < turns && !m_isStopped;) {
            if (!connection || !connection->isOpen()) {
                if (auto opened = rig.server().connect()) // or it was ended at once
                    connection = std::move(*opened);
                continue;
            }
            Turn turn;
            if (!take(*connection, turn))
                continue;
            ++done;
            const std::lock_guard lock(m_mutex);
            m_turns.push_back(turn);
        }
        ++m_ended;
    });
}

void Crowd::finish()
{
    for (std::thread& thread : m_threads)
        thread.join();
    std::ranges::sort(m_turns, {}, &Turn::from);
}

qint64 Crowd::lost() const
{
    const std::lock_guard lock(m_mutex);
    return std::ranges::count_if(m_turns, [](const Turn& turn) { return !turn.isKept; });
}

qint64 Crowd::overlaps(bool ofAll) const
{
    qint64 found = 0;
    Clock::time_point latest{};
    for (const Turn& turn : m_turns) {
        if (!ofAll && !turn.isKept)
            continue;
        found += turn.from < latest ? 1 : 0;
        latest = std::max(latest, turn.until);
    }
    return found;
}

Crowd::Take byLibrary(const LockRig& rig, std::atomic<int>& nameless)
{
    return [&rig, &nameless](db::Connection& connection, Turn& turn) {
        const auto strategy = LockStrategy::create(rig.variant().kind, connection);
        if (!strategy)
            return false;
        auto result = acquire(**strategy, forTurn());
        if (!result || !isGranted(result->outcome))
            return false;
        turn.from = Clock::now();
        if (result->grant.holds().thing.isEmpty())
            ++nameless;
        std::this_thread::sleep_for(200us); // the work
        turn.until = Clock::now();
        turn.isKept = bool(result->grant.release());
        return true;
    };
}

Crowd::Take byFunction()
{
    return [](db::Connection& connection, Turn& turn) {
        if (!connection.begin())
            return false;
        if (!runSql(connection, u"SELECT lockscope.lock_surrogate_key('n')"_s)) {
            std::ignore = connection.rollback();
            return false;
        }
        turn.from = Clock::now();
        std::this_thread::sleep_for(200us);
        turn.until = Clock::now();
        turn.isKept = bool(connection.commit());
        return true;
    };
}

Crowd::Take countingTurns(const LockRig& rig, std::atomic<int>& counted)
{
    return [&rig, &counted](db::Connection& connection, Turn& turn) {
        const auto strategy = LockStrategy::create(rig.variant().kind, connection);
        if (!strategy)
            return false;
        auto result = acquire(**strategy, forTurn());
        if (!result || !isGranted(result->outcome))
            return false;
        turn.from = Clock::now();
        qint64 done = 0;
        turn.isKept = bool(runSql(connection, u"SELECT done FROM public.work"_s, {},
            [&done](const db::Row& row) { done = row.int64(0); }));
        std::this_thread::sleep_for(1ms); // elsewhere
        turn.isKept = turn.isKept
            && runSql(connection, u"UPDATE public.work SET done = $1::int"_s, {QString::number(done + 1)});
        turn.until = Clock::now();
        turn.isKept = result->grant.release() && turn.isKept;
        counted += turn.isKept ? 1 : 0;
        return true;
    };
}

void makeCountedWork(const LockRig& rig)
{
    rig.run(u"CREATE TABLE public.work (done int)"_s);
    rig.run(u"INSERT INTO public.work VALUES (0)"_s);
}

} // namespace lockscope::test
