// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The rounds of a session that itself decides when its next step is done: another part of ScenarioSession.

#include "core/base/SleepFor.h"
#include "core/scenario/run/ScenarioSession.h"

namespace lockscope::scenario {

namespace {

constexpr milliseconds idlePause{5};

/// Waits until the pace allows the round; false if the run ends before.
bool waitForRound(const RunContext& context, qint64 round, Steady::time_point start)
{
    if (context.pace.rate > 0) {
        const auto due = start
            + std::chrono::duration_cast<Steady::duration>(
                std::chrono::duration<double>(double(round) / context.pace.rate));
        const auto left = std::chrono::ceil<milliseconds>(due - Steady::now());
        if (left.count() > 0)
            sleepFor(left, context.ending);
    }
    return !context.ending.stop_requested();
}

} // namespace

Result<void> ScenarioSession::runRounds(
    Steady::time_point start, const std::stop_token& stop, const std::optional<ResumePoint>& resume)
{
    const double mean = double(m_context.pace.think.count());
    QRandomGenerator random(std::array{m_context.seed, quint32(m_number), 1U}.data(), 3);
    // Half as long to half as long again, so that sessions don't fall into step.
    const auto think = [&] {
        if (mean > 0)
            sleepFor(milliseconds(qint64(mean * (0.5 + random.generateDouble()))), m_context.ending);
    };
    qint64 round = 0;
    if (resume) {
        goOnAfter(*resume);
        round = resume->rounds;
        for (qint64 i = 1; mean > 0 && i < round; ++i)
            random.generateDouble();
        think();
    }
    for (; waitForRound(m_context, round, start); ++round) {
        auto after = step(stop);
        while (after && *after == After::Next)
            after = step(stop);
        if (!after)
            return Failure(after.error());
        if (*after == After::Stopped)
            return {};
        if (*after == After::NothingToDo)
            sleepFor(idlePause, m_context.ending);
        think();
    }
    return {};
}

void ScenarioSession::goOnAfter(const ResumePoint& resume)
{
    while (m_drawn < resume.draws)
        random();
    m_round = resume.rounds;
    m_log.note(EventKind::Restarted);
    if (resume.wasComplete)
        m_log.noteCompleteRound();
    m_log.note(EventKind::RoundEnd);
}

} // namespace lockscope::scenario
