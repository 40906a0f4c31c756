// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/explore/Explore.h"

#include "core/base/Mutex.h"
#include "core/base/Sentences.h"
#include "core/domain/Engine.h"
#include "core/scenario/format/Scenario.h"
#include "core/scenario/run/PreparedRun.h"

#include <QJsonArray>
#include <QSet>

#include <algorithm>
#include <cmath>
#include <queue>
#include <thread>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr int defaultDraws = 16;
/// With no more draws than these, all are tried.
constexpr int defaultMaxDraws = 1'000;
constexpr milliseconds stuckForGood{250};
constexpr milliseconds maxLimit{6'000};
/// Two sessions have so few orders that more runs would take longer to begin than they save.
constexpr int minSessionsForSeveralRuns = 3;
/// The server is somebody else's: not many more connections than a run of its own takes.
constexpr int maxSessionsAtOnce = 20;

/// Sessions, in the order in which they were chosen; a byte each: there may be thousands of these.
using Choices = QByteArray;

int switchesOf(const Choices& choices)
{
    int count = 0;
    for (qsizetype i = 1; i < choices.size(); ++i)
        count += choices[i] != choices[i - 1] ? 1 : 0;
    return count;
}

/// A beginning from which nobody has gone on yet.
struct Plan {
    int switches = 0;
    quint64 number = 0; ///< of plans with as many switches, the earlier one first
    quint32 seed = 1;
    Choices beginning{};
    /// Sessions whose next step at the last choice of `beginning` begins orders that other plans execute.
    Choices asleep{};

    bool operator<(const Plan& other) const // the greatest comes first
    {
        return std::pair(-switches, -qint64(number)) < std::pair(-other.switches, -qint64(other.number));
    }
};

QString boundText(double number)
{
    if (number < 1e6)
        return QString::number(qint64(number));
    const int power = int(std::floor(std::log10(number)));
    return u"%1·10^%2"_s.arg(number / std::pow(10, power), 0, 'f', 1).arg(power);
}

/// Holds what is to be executed and what came of it, for all explorers of one exploration.
class Exploration {
public:
    Exploration(const ExploreOrder& order, const std::stop_token& stop, const ExploreHandler& onProgress,
        ExploreReport& report)
        : m_order(order)
        , m_stop(stop)
        , m_onProgress(onProgress)
        , m_report(report)
    {
    }

    void add(quint32 seed, Choices beginning, Choices asleep) LOCKSCOPE_EXCLUDES(m_mutex)
    {
        const int switches = switchesOf(beginning);
        const MutexLock lock(m_mutex);
        m_plans.push({.switches = switches,
            .number = ++m_numbers,
            .seed = seed,
            .beginning = std::move(beginning),
            .asleep = std::move(asleep)});
        m_changed.notifyAll();
    }

    /// The next plan to execute; to be followed by done(). Nothing: all are done, or it is to end.
    std::optional<Plan> next() LOCKSCOPE_EXCLUDES(m_mutex)
    {
        const MutexLock lock(m_mutex);
        const auto isKnown = [this]() LOCKSCOPE_REQUIRES(
                                 m_mutex) { return !m_plans.empty() || m_busy == 0 || m_error; };
        m_changed.wait(m_mutex, m_stop, isKnown);
        while (!m_plans.empty() && m_needless.contains(m_plans.top().seed))
            m_plans.pop();
        if (m_plans.empty() || m_error || m_report.executed >= m_order.maximum || m_stop.stop_requested())
            return {};
        Plan plan = m_plans.top();
        m_plans.pop();
        ++m_busy;
        return plan;
    }

    /// A plan that next() gave was executed.
    void done() LOCKSCOPE_EXCLUDES(m_mutex)
    {
        const MutexLock lock(m_mutex);
        --m_busy;
        m_changed.notifyAll();
    }

    /// The first error ends the exploration.
    void fail(const Error& error) LOCKSCOPE_EXCLUDES(m_mutex)
    {
        const MutexLock lock(m_mutex);
        if (!m_error)
            m_error = error;
        m_changed.notifyAll();
    }

    void noteUnrepeatable() LOCKSCOPE_EXCLUDES(m_mutex)
    {
        const MutexLock lock(m_mutex);
        ++m_report.unrepeatable;
    }

    /// `groups`: the first choice of each group of steps that are tied together.
    Result<void> note(quint32 seed, const Choices& made, const Choices& groups, StepRun& run)
        LOCKSCOPE_EXCLUDES(m_mutex)
    {
        LOCKSCOPE_TRY_GET(const auto violations, run.judge());
        const MutexLock lock(m_mutex);
        if (isNeedless(seed, run))
            return {};
        const QByteArray identity = QByteArray::number(seed) + ':' + made;
        if (m_order.sample > 0 && m_seen.contains(identity))
            return {};
        m_seen.insert(identity);
        ++m_report.executed;
        m_report.stuck += run.isStuck() ? 1 : 0;
        learn(seed, groups, run.sessions().size());
        if (violations.isBroken()) {
            ++m_report.broken;
            noteWitness(made, run.record(), violations);
        } else if (!m_report.witness) {
            m_report.violations.tries += violations.tries;
            for (const auto& [rule, count] : violations.violations)
                m_report.violations.violations[rule] = count;
        }
        if (m_onProgress)
            m_onProgress({m_report.executed, std::max(atMost(), double(m_report.executed)), m_report.broken});
        return {};
    }

    /// After the last explorer has ended.
    Result<void> finish(bool isSample) LOCKSCOPE_EXCLUDES(m_mutex)
    {
        const MutexLock lock(m_mutex);
        if (m_error && !m_stop.stop_requested())
            return Failure(*m_error);
        const bool isThrough = !isSample && m_plans.empty() && m_report.unrepeatable == 0 && !m_error
            && !m_stop.stop_requested();
        m_report.draws = int(m_drawn.size());
        m_report.isComplete = isThrough && double(m_report.draws) == m_report.allDraws;
        m_report.atMost = m_report.isComplete ? double(m_report.executed) : atMost();
        return {};
    }

private:
    /// Keeps, of several that break it, the one with the fewest switches, then with the fewest steps, then
    /// the first by its choices, whichever was executed first.
    void noteWitness(const Choices& made, const Interleaving& found, const Violations& violations)
        LOCKSCOPE_REQUIRES(m_mutex)
    {
        const auto rank = [](const Interleaving& each, const Choices& choices) {
            return std::tuple(each.switches(), each.steps.size(), choices);
        };
        if (m_report.witness && !(rank(found, made) < rank(*m_report.witness, m_witness)))
            return;
        m_report.witness = found;
        m_report.violations = violations;
        m_witness = made;
    }

    /// Returns whether another seed has drawn the same: its interleavings are known already.
    bool isNeedless(quint32 seed, const StepRun& run) LOCKSCOPE_REQUIRES(m_mutex)
    {
        if (m_drawnBy.contains(seed))
            return false;
        const std::vector<qint64> draws = run.draws();
        if (const auto known = m_drawn.find(draws); known != m_drawn.end() && known->second != seed) {
            m_needless.insert(seed);
            return true;
        }
        m_drawn.emplace(draws, seed);
        m_drawnBy.insert(seed);
        return false;
    }

    /// Learns the number of choices that each session can have at most, by those that were seen.
    void learn(quint32 seed, const Choices& groups, std::size_t sessions) LOCKSCOPE_REQUIRES(m_mutex)
    {
        auto& maximum = m_longest[seed];
        maximum.resize(sessions, 0);
        std::vector<int> count(maximum.size(), 0);
        for (const char session : groups)
            ++count[std::size_t(session) - 1];
        for (std::size_t i = 0; i < maximum.size(); ++i)
            maximum[i] = std::max(maximum[i], count[i]);
    }

    /// Returns an upper bound of the ways to mix the sessions' steps; waiting sessions are no choice.
    double atMost() const LOCKSCOPE_REQUIRES(m_mutex)
    {
        double sum = 0;
        for (const auto& [seed, counts] : m_longest) {
            double ways = 0; // its logarithm
            int steps = 0;
            for (const int count : counts) {
                steps += count;
                ways -= std::lgamma(count + 1);
            }
            sum += std::round(std::exp(ways + std::lgamma(steps + 1)));
        }
        // Those of other draws are not known, but there are about as many.
        const auto drawn = double(m_longest.size());
        return m_report.allDraws > drawn && drawn > 0 ? std::round(sum * m_report.allDraws / drawn) : sum;
    }

    const ExploreOrder& m_order;
    const std::stop_token m_stop;
    const ExploreHandler& m_onProgress;
    Mutex m_mutex;
    ConditionVariable m_changed;
    ExploreReport& m_report;
    std::priority_queue<Plan> m_plans LOCKSCOPE_GUARDED_BY(m_mutex);
    quint64 m_numbers LOCKSCOPE_GUARDED_BY(m_mutex) = 0;
    int m_busy LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< explorers that execute a plan, which may make others
    std::optional<Error> m_error LOCKSCOPE_GUARDED_BY(m_mutex);
    QSet<QByteArray> m_seen LOCKSCOPE_GUARDED_BY(m_mutex);
    std::map<std::vector<qint64>, quint32> m_drawn LOCKSCOPE_GUARDED_BY(m_mutex); ///< and by which seed first
    QSet<quint32> m_drawnBy LOCKSCOPE_GUARDED_BY(m_mutex);
    QSet<quint32> m_needless LOCKSCOPE_GUARDED_BY(m_mutex);
    std::map<quint32, std::vector<int>> m_longest LOCKSCOPE_GUARDED_BY(m_mutex);
    Choices m_witness LOCKSCOPE_GUARDED_BY(m_mutex);
};

/// Executes plans in one run of the scenario. One thread.
class Explorer {
public:
    Explorer(StepRun& run, const ExploreOrder& order, const std::stop_token& stop, bool isReducible,
        Exploration& exploration)
        : m_run(run)
        , m_order(order)
        , m_stop(stop)
        , m_exploration(exploration)
        , m_random(order.steps.run.seed)
        , m_isReducible(isReducible)
    {
    }

    void exploreAll()
    {
        while (const auto plan = m_exploration.next()) {
            if (auto executed = execute(*plan); !executed)
                m_exploration.fail(executed.error());
            m_exploration.done();
        }
    }

    void exploreSample(const std::vector<quint32>& seeds)
    {
        for (int i = 0; i < m_order.sample && !m_stop.stop_requested(); ++i)
            if (auto done = execute({.seed = seeds[std::size_t(i) % seeds.size()]}); !done)
                return m_exploration.fail(done.error());
    }

private:
    Result<void> execute(const Plan& plan)
    {
        LOCKSCOPE_TRY(m_run.startOver(plan.seed, m_stop));
        Choices made;
        Choices groups; ///< the first choice of each group of steps that are tied together
        std::optional<int> tied;
        m_asleep.clear();
        m_held.assign(m_run.sessions().size(), {});
        while (true) {
            const std::vector<int> ready = readyOnes();
            if (ready.empty()) {
                LOCKSCOPE_TRY_GET(const auto freed, waitForLimits());
                if (freed)
                    continue;
                break;
            }
            int chosen = 0;
            if (made.size() < plan.beginning.size()) {
                chosen = quint8(plan.beginning[made.size()]);
                if (made.size() + 1 == plan.beginning.size())
                    m_asleep = plan.asleep;
                if (std::ranges::find(ready, chosen) == ready.end()) {
                    m_exploration.noteUnrepeatable();
                    return {};
                }
            } else if (tied && std::ranges::find(ready, *tied) != ready.end()) {
                chosen = *tied;
            } else if (const auto next = choose(plan, made, ready)) {
                chosen = *next;
            } else {
                return {}; // other plans execute all that can follow
            }
            if (!tied || *tied != chosen)
                groups.append(char(chosen));
            const Step& step = m_run.nextStep(chosen);
            made.append(char(chosen));
            LOCKSCOPE_TRY(m_run.step(chosen, m_stop));
            noteReach(chosen, step);
            tied = isTied(chosen, step) ? std::optional(chosen) : std::nullopt;
        }
        return m_exploration.note(plan.seed, made, groups, m_run);
    }

    std::vector<int> readyOnes() const
    {
        std::vector<int> ready;
        for (const SteppedView& view : m_run.sessions())
            if (view.standing == Standing::Ready)
                ready.push_back(view.number);
        return ready;
    }

    /// For the case that nobody can go on: a wait with a limit ends by itself, others get a short time.
    /// Returns whether one is ready now.
    Result<bool> waitForLimits()
    {
        const auto begun = Steady::now();
        while (m_run.isStuck()) {
            const auto& views = m_run.sessions();
            const bool hasLimit = std::ranges::any_of(views,
                [](const SteppedView& view) { return view.standing == Standing::Blocked && view.hasLimit; });
            if (Steady::now() - begun > (hasLimit ? maxLimit : stuckForGood))
                return false;
            LOCKSCOPE_TRY(m_run.refresh(m_stop, milliseconds(20)));
        }
        return !readyOnes().empty();
    }

    bool isTied(int session, const Step& done) const
    {
        const SteppedView& view = m_run.sessions()[std::size_t(session) - 1];
        if (view.standing != Standing::Ready)
            return false;
        return tieOf(done, m_run.engine()) == Tie::WithNext
            || tieOf(m_run.nextStep(session), m_run.engine()) == Tie::WithPrevious;
    }

    /// Nothing: all that can be done next begins an order that another plan executes. Of orders that differ
    /// only in steps which don't meet, one is executed: sleep sets (Godefroid, "Partial-Order Methods for the
    /// Verification of Concurrent Systems").
    std::optional<int> choose(const Plan& plan, const Choices& made, const std::vector<int>& ready)
    {
        if (m_order.sample > 0)
            return ready[m_random.bounded(quint32(ready.size()))];
        std::vector<int> awake;
        std::ranges::copy_if(ready, std::back_inserter(awake),
            [this](int session) { return !m_asleep.contains(char(session)); });
        if (awake.empty())
            return {};
        const int last = made.isEmpty() ? 0 : made.back();
        const bool goesOn = std::ranges::find(awake, last) != awake.end();
        const int chosen = goesOn ? last : awake.front();
        Choices tried = m_asleep + char(chosen);
        for (const int other : awake) {
            if (other == chosen)
                continue;
            m_exploration.add(plan.seed, made + char(other), m_isReducible ? tried : Choices());
            tried.append(char(other));
        }
        return chosen;
    }

    /// Wakes the sessions whose next step meets the one that was done. A victim's rollback frees what others
    /// wait for: it wakes all.
    void noteReach(int session, const Step& done)
    {
        if (!m_isReducible)
            return;
        StepReach& held = m_held[std::size_t(session) - 1];
        const StepReach reach = reachOf(done, m_run.engine(), held);
        const auto& steps = m_run.record().steps;
        const bool hasVictim = std::ranges::any_of(
            steps, [](const StepRecord& each) { return each.outcome == StepOutcome::Victim; });
        if (hasVictim)
            m_asleep.clear();
        m_asleep.removeIf([&](char other) { return reachOfNext(other).meets(reach); });
        if (std::holds_alternative<TransactionStep>(done.act))
            held = {};
        else
            held.add(reach);
    }
    /// Returns the reach of the step that a session would do next, with those that are tied to it.
    StepReach reachOfNext(int session) const
    {
        StepReach reach;
        const StepReach& held = m_held[std::size_t(session) - 1];
        const Step* step = &m_run.nextStep(session);
        reach.add(reachOf(*step, m_run.engine(), held));
        while (tieOf(*step, m_run.engine()) == Tie::WithNext) // a program ends with a step that is not tied
            reach.add(reachOf(*++step, m_run.engine(), held));
        return reach;
    }

    StepRun& m_run;
    const ExploreOrder& m_order;
    const std::stop_token m_stop;
    Exploration& m_exploration;
    QRandomGenerator m_random;
    const bool m_isReducible;
    Choices m_asleep; ///< sessions whose next step begins orders that other plans execute
    std::vector<StepReach> m_held; ///< by session: what it has reached in its transaction
};

/// Runs beside the first one, each with sessions and tables of its own: they mostly wait for the server to
/// tell who is blocked. Only where no session has a name that another run's could have, too. What fails to
/// start is not needed.
std::vector<std::jthread> exploreBeside(const db::Server& server, const ExploreOrder& order,
    const std::stop_token& stop, const ExploreReport& report, Exploration& exploration)
{
    const auto& roles = report.scenario->find(report.variant)->roles;
    const bool haveNames =
        std::ranges::any_of(roles, [](const Role& role) { return !role.programs.isEmpty(); });
    std::vector<std::jthread> threads;
    if (!report.isReduced || haveNames || report.sessions < minSessionsForSeveralRuns)
        return threads;
    for (int others = report.sessions; others + report.sessions <= maxSessionsAtOnce;
         others += report.sessions)
        threads.emplace_back([&] {
            const auto run = StepRun::start(server, order.steps, stop);
            if (run)
                Explorer(**run, order, stop, true, exploration).exploreAll();
        });
    return threads;
}

QString extent(const ExploreReport& report)
{
    QString text =
        u"%1, %2 each"_s.arg(counted(report.sessions, u"session"), counted(report.rounds, u"round"));
    if (report.allDraws == 0)
        text += u", %1 different draws of an unknown number"_s.arg(report.draws);
    else if (report.draws < report.allDraws)
        text += u", %1 of %2 different draws"_s.arg(report.draws).arg(boundText(report.allDraws));
    else if (report.draws > 1)
        text += u", all %1 different draws"_s.arg(report.draws);
    return text;
}

QString verdictOf(const ExploreReport& report)
{
    if (report.executed == 0)
        return u"Nothing was tried: the exploration ended before the first interleaving."_s;
    const QString many = counted(report.executed, u"interleaving");
    const QString reduced = report.isReduced ? u" that differ in steps which meet"_s : QString();
    const QString executed = report.isComplete
        ? (report.executed == 1 ? u"the only interleaving"_s : u"all %1%2"_s.arg(many, reduced))
        : report.wasSampled ? u"%1 drawn at random"_s.arg(many)
                            : u"%1 of at most %2"_s.arg(many, boundText(report.atMost));
    const Scenario& scenario = *report.scenario;
    if (report.broken == 0) {
        QString text = u"Not observed in %1 (%2)."_s.arg(executed, extent(report));
        if (report.isComplete)
            text +=
                u" There are no others with so many sessions and rounds; what happens inside of one statement, or with more of them, is not covered by that."_s;
        else
            text += u" That does not make it safe: not all were executed."_s;
        if (!scenario.explore.noWitness.isEmpty())
            text += u' ' + scenario.explore.noWitness;
        return text;
    }
    return u"It went wrong in %1 of %2 (%3). The witness: %4."_s.arg(report.broken)
        .arg(executed, extent(report), violationsText(report.violations.violations, scenario));
}

} // namespace

std::vector<quint32> seedsOf(const ExploreOrder& order, const DrawSpace& space)
{
    const quint32 first = order.steps.run.seed;
    if (space.isEmpty())
        return {first};
    const int byDefault = order.sample > 0                   ? 1
        : space.isKnown() && space.size() <= defaultMaxDraws ? defaultMaxDraws
                                                             : defaultDraws;
    const int count = order.draws > 0 ? order.draws : byDefault;
    if (space.isKnown() && order.sample == 0)
        return space.seeds(first, count);
    std::vector<quint32> seeds;
    for (int i = 0; i < count; ++i)
        seeds.push_back(first + quint32(i));
    return seeds;
}

ExploreOrder completed(ExploreOrder order)
{
    const ExploreNeeds& needs = order.steps.run.scenario->explore;
    RunOrder& run = order.steps.run;
    run.sessions = run.sessions > 0 ? run.sessions : needs.sessions;
    order.steps.rounds = order.steps.rounds > 0 ? order.steps.rounds : needs.rounds;
    for (auto set = needs.parameters.begin(); set != needs.parameters.end(); ++set)
        if (!run.parameters.contains(set.key()))
            run.parameters.insert(set.key(), set.value());
    return order;
}

Result<ExploreReport> explore(const db::Server& server, const ExploreOrder& options,
    const std::stop_token& stop, const ExploreHandler& onProgress)
{
    const auto begun = Steady::now();
    const ExploreOrder order = completed(options);
    if (order.maximum < 1 || order.sample < 0 || order.draws < 0)
        return failure(ErrorKind::BadInput, u"At least one interleaving has to be executed."_s);
    if (order.steps.run.sessions > maxExplored)
        return failure(ErrorKind::BadInput, u"At most %1 sessions can be explored."_s.arg(maxExplored),
            u"Two or three show most races; `lockctl scenario run` takes 200."_s);
    LOCKSCOPE_TRY_GET(auto run, StepRun::start(server, order.steps, stop));
    ExploreReport report;
    report.scenario = order.steps.run.scenario;
    report.variant = variantOf(order.steps.run)->id;
    report.engine = server.engine();
    report.sessions = int(run->sessions().size());
    report.rounds = run->order().rounds;
    report.wasSampled = order.sample > 0;
    {
        const DrawSpace space = run->drawSpace();
        report.allDraws = space.isEmpty() ? 1 : space.isKnown() ? space.size() : 0;
        const auto seeds = seedsOf(order, space);
        report.isReduced =
            order.sample == 0 && isReducible(*report.scenario->find(report.variant), report.engine);
        Exploration exploration(order, stop, onProgress, report);
        Explorer explorer(*run, order, stop, report.isReduced, exploration);
        if (order.sample > 0) {
            explorer.exploreSample(seeds);
        } else {
            for (const quint32 seed : seeds)
                exploration.add(seed, {}, {});
            const auto others = exploreBeside(server, order, stop, report, exploration);
            explorer.exploreAll();
        }
        LOCKSCOPE_TRY(exploration.finish(order.sample > 0));
    }
    report.wasStopped = stop.stop_requested();
    report.duration = std::chrono::duration_cast<milliseconds>(Steady::now() - begun);
    report.verdict = verdictOf(report);
    return report;
}

QJsonObject toJson(const ExploreReport& report)
{
    QJsonObject json{{u"scenario"_s, report.scenario->id}, {u"variant"_s, report.variant},
        {u"unsafe"_s, report.scenario->find(report.variant)->isUnsafe},
        {u"engine"_s, engineKey(report.engine)}, {u"sessions"_s, report.sessions},
        {u"rounds"_s, report.rounds}, {u"draws"_s, report.draws},
        {u"all_draws"_s, report.allDraws > 0 ? QJsonValue(report.allDraws) : QJsonValue()},
        {u"explored"_s, report.executed}, {u"at_most"_s, report.atMost}, {u"complete"_s, report.isComplete},
        {u"sampled"_s, report.wasSampled}, {u"reduced"_s, report.isReduced},
        {u"stopped"_s, report.wasStopped}, {u"broken_in"_s, report.broken}, {u"stuck_in"_s, report.stuck},
        {u"unrepeatable"_s, report.unrepeatable}, {u"broken"_s, report.broken > 0},
        {u"violations"_s, toJson(report.violations.violations)},
        {u"duration_ms"_s, qint64(report.duration.count())}, {u"verdict"_s, report.verdict}};
    json[u"witness"_s] = report.witness ? QJsonValue(toJson(*report.witness)) : QJsonValue();
    return json;
}

} // namespace lockscope::scenario
