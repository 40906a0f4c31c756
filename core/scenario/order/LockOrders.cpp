// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/order/LockOrders.h"

#include "core/db/Dialect.h"
#include "core/domain/EngineKey.h"
#include "core/scenario/order/StepLooks.h"
#include "core/scenario/run/PreparedRun.h"

#include <QJsonArray>

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostDraws = 64;
/// A session that takes longer for a step is one that waits for what never comes.
constexpr milliseconds longestStep{2'000};

/// Steps after which a session has no other locks than before.
bool takesNothing(const Step& step)
{
    return !std::holds_alternative<SqlStep>(step.act) && !std::holds_alternative<AcquireStep>(step.act)
        && !std::holds_alternative<TakeStep>(step.act) && !std::holds_alternative<TransactionStep>(step.act)
        && !std::holds_alternative<ReleaseStep>(step.act) && !std::holds_alternative<SettleStep>(step.act);
}

class Schedule {
public:
    Schedule(StepRun& run, order::OrderOfLooks& order, OrderReport& report, const std::stop_token& stop)
        : m_run(run)
        , m_looks(run)
        , m_order(order)
        , m_report(report)
        , m_stop(stop)
    {
    }

    /// One session after the other; one that is blocked goes on when another has let it.
    Result<void> run()
    {
        m_order.markGap();
        while (!m_stop.stop_requested()) {
            const auto& views = m_run.sessions();
            const auto ready = std::find_if(views.begin(), views.end(),
                [](const SteppedView& view) { return view.standing == Standing::Ready; });
            if (ready == views.end())
                break;
            if (auto done = runSession(ready->number); !done)
                return done;
        }
        const auto& steps = m_run.record().steps;
        m_report.deadlocks += int(std::count_if(steps.begin(), steps.end(),
            [](const StepRecord& step) { return step.outcome == StepOutcome::Victim; }));
        return {};
    }

private:
    Result<void> runSession(int session)
    {
        const auto isReady = [&] {
            return m_run.sessions()[std::size_t(session) - 1].standing == Standing::Ready;
        };
        while (isReady() && !m_stop.stop_requested()) {
            const bool isQuiet = takesNothing(m_run.nextStep(session));
            m_looks.expect(session);
            if (auto done = m_run.step(session, m_stop, longestStep); !done)
                return done;
            ++m_report.steps;
            if (isQuiet)
                continue;
            auto look = m_looks.look(m_stop);
            if (!look)
                return Failure(look.error());
            m_order.add(std::move(*look), [this](SessionKey key) { return m_looks.stepOf(key); });
        }
        return {};
    }

    StepRun& m_run;
    StepLooks m_looks;
    order::OrderOfLooks& m_order;
    OrderReport& m_report;
    const std::stop_token m_stop;
};

Result<void> runAll(StepRun& run, const std::vector<quint32>& seeds, order::OrderOfLooks& order,
    OrderReport& report, const std::stop_token& stop, milliseconds longest)
{
    const auto begun = Steady::now();
    std::optional<Schedule> schedule;
    QString area;
    for (const quint32 seed : seeds) {
        if (stop.stop_requested() || (report.schedules > 0 && Steady::now() - begun > longest)) {
            report.isCut = true;
            break;
        }
        if (auto begins = run.startOver(seed, stop); !begins)
            return begins;
        if (area != run.runId()) // another area has other connections
            schedule.emplace(run, order, report, stop);
        area = run.runId();
        if (auto done = schedule->run(); !done)
            return done;
        ++report.schedules;
    }
    return {};
}

} // namespace

Result<OrderReport> lockOrders(
    const db::Server& server, const StepOrder& given, const std::stop_token& stop, milliseconds longest)
{
    ExploreOrder wanted;
    wanted.steps = given;
    wanted.draws = mostDraws;
    wanted = completed(std::move(wanted));
    OrderReport report;
    report.scenario = given.run.scenario;
    report.engine = server.engine();
    const Variant* const variant = variantOf(given.run);
    report.variant = variant ? variant->id : given.run.variant;
    if (!db::Dialect::of(server.engine()).can(db::Capability::LockView)) {
        report.reasonAgainst = u"%1 shows no locks: the order in which they are taken can't be told."_s.arg(
            engineName(server.engine()));
        return report;
    }
    auto run = StepRun::start(server, wanted.steps, stop);
    if (!run)
        return Failure(run.error());
    const DrawSpace space = (*run)->drawSpace();
    const auto seeds = seedsOf(wanted, space);
    report.isCut = !space.isEmpty() && (!space.isKnown() || space.size() > double(seeds.size()));
    order::OrderOfLooks order(true);
    if (auto done = runAll(**run, seeds, order, report, stop, longest); !done && !stop.stop_requested())
        return Failure(done.error());
    report.wasStopped = stop.stop_requested();
    report.found = order::potentialDeadlocks(order.order());
    return report;
}

QString OrderReport::verdict() const
{
    if (found.all.isEmpty())
        return {};
    const order::PotentialDeadlock& first = found.all.front();
    QString text = u"Potential deadlock: %1"_s.arg(first.title());
    if (found.all.size() > 1)
        text += u", and %1 more"_s.arg(found.all.size() - 1);
    return text
        + (deadlocks == 0 ? u". It was seen without one happening, one session after the other."_s : u"."_s);
}

QJsonObject toJson(const OrderReport& report)
{
    QJsonArray found;
    for (const order::PotentialDeadlock& each : report.found.all)
        found.append(order::toJson(each));
    return {{u"scenario"_s, report.scenario->id}, {u"variant"_s, report.variant},
        {u"engine"_s, engineKey(report.engine)}, {u"schedules"_s, report.schedules},
        {u"deadlocks"_s, report.deadlocks}, {u"cut"_s, report.isCut},
        {u"reason_against"_s, report.reasonAgainst}, {u"potential_deadlocks"_s, found},
        {u"verdict"_s, report.verdict()}};
}

} // namespace lockscope::scenario
