// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/FreeSession.h"

#include "core/base/SleepFor.h"

namespace lockscope::scenario {

namespace {

constexpr milliseconds idlePause{5};

} // namespace

FreeSession::FreeSession(const RunContext& context, const Role& role, int number, QString sessionName,
    SessionLog& log, Pace pace, std::optional<ResumePoint> resume)
    : m_session(context, role, number, std::move(sessionName), log)
    , m_pace(pace)
    , m_resume(resume)
    , m_random(std::array{context.seed, quint32(number), 1U}.data(), 3)
{
}

Result<void> FreeSession::run(
    Steady::time_point start, const std::stop_token& soft, const std::stop_token& hard)
{
    qint64 round = 0;
    if (m_resume) {
        m_session.goOnAfter(*m_resume);
        round = m_resume->rounds;
        if (m_pace.think.count() > 0)
            for (qint64 i = 1; i < round; ++i)
                m_random.generateDouble();
        think(soft);
    }
    for (; keepPace(round, start, soft); ++round) {
        const auto after = runRound(hard);
        if (!after)
            return Failure(after.error());
        if (*after == ScenarioSession::After::Stopped)
            return {};
        if (*after == ScenarioSession::After::NothingToDo)
            sleepFor(idlePause, soft);
        think(soft);
    }
    return {};
}

Result<ScenarioSession::After> FreeSession::runRound(const std::stop_token& hard)
{
    auto after = m_session.step(hard);
    while (after && *after == ScenarioSession::After::Next)
        after = m_session.step(hard);
    return after;
}

/// Half as long to half as long again, so that sessions don't fall into step.
void FreeSession::think(const std::stop_token& soft)
{
    if (m_pace.think.count() > 0)
        sleepFor(
            milliseconds(qint64(double(m_pace.think.count()) * (0.5 + m_random.generateDouble()))), soft);
}

bool FreeSession::keepPace(qint64 round, Steady::time_point start, const std::stop_token& soft) const
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
