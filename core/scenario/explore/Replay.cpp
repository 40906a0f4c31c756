// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/explore/Explore.h"

#include "core/report/Writer.h"
#include "core/scenario/explore/StepTable.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

/// On a busy machine a deadlock may have another victim than the one that closed the cycle.
constexpr int attempts = 3;
/// A step that was blocked may have been recorded after a wait of its own, with a limit.
constexpr milliseconds maxRest{6'000};

QString waiting(const StepRecord& step)
{
    const QString letters = sessionLetters(step.blockers);
    const QString plain = sessionLetter(step.session) + QString::number(step.step);
    if (!step.isBlocked)
        return plain + u" goes through"_s;
    return plain + (letters.isEmpty() ? u" waits"_s : u" waits for "_s + letters);
}

QString ending(const StepRecord& step)
{
    const QString plain = sessionLetter(step.session) + QString::number(step.step);
    return plain + (step.isEnded ? u": "_s + outcomeText(step.outcome) : u" still waits in the end"_s);
}

class ReplayComparer {
public:
    ReplayComparer(StepRun& run, const Interleaving& recorded)
        : m_run(run)
        , m_recorded(recorded)
        , m_isDetailed(std::ranges::any_of(
              recorded.steps, [](const StepRecord& step) { return !step.label.isEmpty(); }))
    {
    }

    Result<void> perform(const std::stop_token& stop, const ReplayHandler& onStep)
    {
        for (std::size_t i = 0; i < m_recorded.steps.size(); ++i) {
            LOCKSCOPE_TRY_GET(const auto isDone, perform(i, stop));
            if (!isDone)
                break;
            if (onStep)
                onStep(int(i) + 1, int(m_recorded.steps.size()));
        }
        LOCKSCOPE_TRY(waitForEnds(stop));
        if (m_isDetailed)
            compareEnds();
        return {};
    }

    void compare(const Violations& violations)
    {
        for (const auto& [rule, count] : m_recorded.violations) {
            const auto found = violations.violations.find(rule);
            const qint64 now = found == violations.violations.end() ? 0 : found->second;
            if (now != count)
                m_divergences.push_back({.expected = u"%1 broken %2 times"_s.arg(ruleKey(rule)).arg(count),
                    .found = u"%1 times"_s.arg(now)});
        }
    }

    std::vector<Divergence> divergences() &&
    {
        std::ranges::stable_sort(m_divergences, [](const auto& a, const auto& b) {
            return (a.line == 0 ? std::numeric_limits<int>::max() : a.line)
                < (b.line == 0 ? std::numeric_limits<int>::max() : b.line);
        });
        return std::move(m_divergences);
    }

private:
    void note(std::size_t at, const QString& expected, const QString& found)
    {
        m_divergences.push_back({.line = int(at) + 1,
            .token = m_recorded.steps[at].token(),
            .expected = expected,
            .found = found});
    }

    /// False: the session can't.
    Result<bool> perform(std::size_t at, const std::stop_token& stop)
    {
        const StepRecord& step = m_recorded.steps[at];
        const SteppedView& view = m_run.sessions()[std::size_t(step.session) - 1];
        const QString name = u"session "_s + view.letter;
        if (view.standing == Standing::Blocked || view.standing == Standing::Running) {
            // Waits with a limit come to their end by themselves.
            LOCKSCOPE_TRY(waitForSession(step.session, stop));
        }
        if (view.standing != Standing::Ready) {
            const QString what = step.label.isEmpty() ? u"a step"_s : u"\"%1\""_s.arg(step.label);
            const QString letters = sessionLetters(view.blockers);
            note(at, u"%1 does %2"_s.arg(name, what),
                view.standing == Standing::Over ? u"%1 has no step left"_s.arg(name)
                                                : u"%1 still waits for %2 with \"%3\""_s.arg(name,
                                                    letters.isEmpty() ? u"others"_s : letters, view.label));
            return false;
        }
        if (!step.label.isEmpty() && step.label != view.label)
            note(at, u"\"%1\""_s.arg(step.label), u"\"%1\""_s.arg(view.label));
        LOCKSCOPE_TRY(m_run.step(step.session, stop));
        const StepRecord& happened = m_run.record().steps[at];
        const bool sameBlockers = !m_isDetailed || happened.blockers == step.blockers
            || (happened.outcome == StepOutcome::Victim && step.outcome == StepOutcome::Victim);
        if (happened.isBlocked != step.isBlocked || !sameBlockers)
            note(at, waiting(step), waiting(happened));
        return true;
    }

    Result<void> waitForSession(int session, const std::stop_token& stop)
    {
        const auto begun = Steady::now();
        const SteppedView& view = m_run.sessions()[std::size_t(session) - 1];
        while (view.standing == Standing::Blocked && view.hasLimit && Steady::now() - begun < maxRest)
            LOCKSCOPE_TRY(m_run.refresh(stop, milliseconds(50)));
        return {};
    }

    /// Waits until those waits end that had ended when the record was taken.
    Result<void> waitForEnds(const std::stop_token& stop)
    {
        const auto begun = Steady::now();
        const auto isOpen = [this] {
            const auto& happened = m_run.record().steps;
            for (std::size_t i = 0; i < happened.size(); ++i)
                if (!happened[i].isEnded && m_recorded.steps[i].isEnded && m_isDetailed)
                    return m_run.sessions()[std::size_t(happened[i].session) - 1].hasLimit;
            return false;
        };
        while (isOpen() && Steady::now() - begun < maxRest)
            LOCKSCOPE_TRY(m_run.refresh(stop, milliseconds(50)));
        return {};
    }

    void compareEnds()
    {
        const auto& happened = m_run.record().steps;
        for (std::size_t i = 0; i < happened.size(); ++i) {
            const StepRecord& step = m_recorded.steps[i];
            if (step.isEnded != happened[i].isEnded || step.outcome != happened[i].outcome)
                note(i, ending(step), ending(happened[i]));
        }
    }

    StepRun& m_run;
    const Interleaving& m_recorded;
    const bool m_isDetailed; ///< not only read from a short text
    std::vector<Divergence> m_divergences;
};

bool hasOtherVictim(const Interleaving& happened, const Interleaving& recorded)
{
    const auto isVictim = [](const StepRecord& step) { return step.outcome == StepOutcome::Victim; };
    const auto expected = std::ranges::find_if(recorded.steps, isVictim);
    const auto found = std::ranges::find_if(happened.steps, isVictim);
    return expected != recorded.steps.end() && found != happened.steps.end()
        && (expected->session != found->session || expected->step != found->step);
}

} // namespace

QString Divergence::toString() const
{
    const QString place = line == 0 ? u"in the end"_s : u"step %1 (%2)"_s.arg(line).arg(token);
    return u"%1: expected %2; found %3"_s.arg(place, expected, found);
}

StepOrder orderOf(const Interleaving& recorded, ScenarioPtr scenario)
{
    StepOrder order;
    order.run.scenario = std::move(scenario);
    order.run.variant = recorded.variant;
    order.run.sessions = recorded.sessions;
    order.run.seed = recorded.seed;
    order.run.parameters = recorded.parameters;
    order.rounds = recorded.rounds;
    return order;
}

Result<Replayed> replayIn(
    StepRun& run, const Interleaving& recorded, const std::stop_token& stop, const ReplayHandler& onStep)
{
    ReplayComparer comparison(run, recorded);
    LOCKSCOPE_TRY(comparison.perform(stop, onStep));
    LOCKSCOPE_TRY_GET(auto violations, run.judge());
    comparison.compare(violations);
    return Replayed{std::move(comparison).divergences(), std::move(violations)};
}

Result<ReplayReport> replay(const db::Server& server, const Interleaving& recorded,
    const ScenarioPtr& scenario, const std::stop_token& stop, const ReplayHandler& onStep)
{
    LOCKSCOPE_TRY_GET(auto run, StepRun::start(server, orderOf(recorded, scenario), stop));
    auto replayed = replayIn(*run, recorded, stop, onStep);
    for (int i = 1; i < attempts && replayed && hasOtherVictim(run->record(), recorded); ++i) {
        LOCKSCOPE_TRY(run->restart(stop));
        replayed = replayIn(*run, recorded, stop, onStep);
    }
    if (!replayed)
        return Failure(replayed.error());
    ReplayReport report;
    report.scenario = scenario;
    report.recorded = recorded;
    report.happened = run->record();
    report.divergences = std::move(replayed->divergences);
    report.violations = std::move(replayed->violations);
    report.verdict =
        verdict(*scenario, *scenario->find(recorded.variant), report.violations, recorded.parameters);
    report.sessions = run->reports();
    return report;
}

QJsonObject toJson(const ReplayReport& report)
{
    return {{u"interleaving"_s, toJson(report.happened)},
        {u"divergences"_s, rowsJson(divergencesSection(report.divergences))},
        {u"broken"_s, report.violations.isBroken()}, {u"verdict"_s, report.verdict}};
}

} // namespace lockscope::scenario
