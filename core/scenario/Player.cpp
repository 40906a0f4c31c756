// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/Player.h"

#include "core/domain/SleepFor.h"

namespace lockscope::scenario {

namespace {

constexpr milliseconds idlePause{5};

} // namespace

Player::Player(const Stage& stage, const Role& role, int number, QString sessionName, SessionLog& log,
    Pace pace, std::optional<Past> past)
    : m_actor(stage, role, number, std::move(sessionName), log)
    , m_pace(pace)
    , m_past(past)
    , m_random(std::array{stage.seed, quint32(number), 1U}.data(), 3)
{
}

Result<void> Player::play(Steady::time_point start, const std::stop_token& soft, const std::stop_token& hard)
{
    qint64 round = 0;
    if (m_past) {
        m_actor.goOnAfter(*m_past);
        round = m_past->rounds;
        if (m_pace.think.count() > 0)
            for (qint64 i = 1; i < round; ++i)
                m_random.generateDouble();
        think(soft);
    }
    for (; keepPace(round, start, soft); ++round) {
        const auto after = playRound(hard);
        if (!after)
            return Failure(after.error());
        if (*after == Actor::After::Stopped)
            return {};
        if (*after == Actor::After::NothingToDo)
            sleepFor(idlePause, soft);
        think(soft);
    }
    return {};
}

Result<Actor::After> Player::playRound(const std::stop_token& hard)
{
    auto after = m_actor.step(hard);
    while (after && *after == Actor::After::Next)
        after = m_actor.step(hard);
    return after;
}

/// Half as long to half as long again, so that sessions don't fall into step.
void Player::think(const std::stop_token& soft)
{
    if (m_pace.think.count() > 0)
        sleepFor(
            milliseconds(qint64(double(m_pace.think.count()) * (0.5 + m_random.generateDouble()))), soft);
}

bool Player::keepPace(qint64 round, Steady::time_point start, const std::stop_token& soft) const
{
    if (m_pace.rate > 0) {
        const auto due = start
            + std::chrono::duration_cast<Steady::duration>(
                std::chrono::duration<double>(double(round) / m_pace.rate));
        const auto left = std::chrono::ceil<milliseconds>(due - Steady::now());
        if (left.count() > 0)
            sleepFor(left, soft);
    }
    return !soft.stop_requested();
}

} // namespace lockscope::scenario
