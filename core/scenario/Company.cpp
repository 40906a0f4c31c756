// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/Company.h"

#include "core/domain/OwnProgram.h"
#include "core/scenario/ProcessCompany.h"
#include "core/scenario/ThreadCompany.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostEvents = 1'000'000; ///< of all sessions: 24 MB

} // namespace

Result<std::unique_ptr<Company>> Company::create(
    const Scene& scene, const RunOrder& order, std::stop_source ending)
{
    if (order.sessionsAre == SessionsAre::Threads)
        return std::make_unique<ThreadCompany>(scene, order, std::move(ending));
    auto program = order.playerProgram.isEmpty()
        ? findOwnProgram(u"lockscope-player"_s, u"which plays a session in a process of its own"_s)
        : Result<QString>(order.playerProgram);
    if (!program)
        return Failure(program.error());
    // Asked once, and not by each of the processes: a keychain may ask its user.
    const Stage& stage = scene.stage;
    const bool asks = stage.passwords && stage.url.engine != Engine::Sqlite;
    auto password = asks ? stage.passwords(stage.url.toString()) : Result<QString>(QString());
    if (!password)
        return Failure(password.error());
    return std::make_unique<ProcessCompany>(
        scene, order, std::move(ending), std::move(*program), std::move(*password));
}

Company::Company(const Scene& scene, const RunOrder& order, std::stop_source ending)
    : m_stage(scene.stage)
    , m_pace{order.think, order.rate}
    , m_soft(std::move(ending))
{
    const auto& cast = scene.cast;
    for (std::size_t i = 0; i < cast.size(); ++i)
        m_members.push_back(std::make_unique<Member>(*cast[i], int(i) + 1,
            scene.area->sessionName(int(i) + 1, cast[i]->name), mostEvents / cast.size()));
}

bool Company::wait(Until until, milliseconds atMost)
{
    std::unique_lock lock(m_mutex);
    const auto isSo = [&] {
        return (until == Until::AllConnected ? m_connected : m_gone) == int(m_members.size());
    };
    m_changed.wait_for(lock, atMost, [&] { return isSo() || (until == Until::AllConnected && m_error); });
    return isSo();
}

std::optional<Error> Company::error() const
{
    const std::lock_guard guard(m_mutex);
    return m_error;
}

void Company::tell(Progress& progress) const
{
    for (const auto& member : m_members) {
        progress.counts += member->log.counts();
        progress.waiting += member->log.latest() == EventKind::WaitBegin ? 1 : 0;
    }
    const std::lock_guard guard(m_mutex);
    progress.sessions = std::max(m_connected - m_gone, 0); // some may have gone before
    progress.wanted = int(m_members.size());
}

std::vector<SessionReport> Company::reports() const
{
    std::vector<SessionReport> all;
    for (const auto& member : m_members)
        all.push_back({member->number, member->role.name, member->log.copy()});
    return all;
}

void Company::noteConnected()
{
    const std::lock_guard guard(m_mutex);
    ++m_connected;
    m_changed.notify_all();
}

void Company::noteGone()
{
    const std::lock_guard guard(m_mutex);
    ++m_gone;
    m_changed.notify_all();
}

void Company::fail(const Error& error)
{
    m_soft.request_stop();
    const std::lock_guard guard(m_mutex);
    if (!m_error)
        m_error = error;
    m_changed.notify_all();
}

} // namespace lockscope::scenario
