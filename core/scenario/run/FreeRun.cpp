// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/FreeRun.h"

#include "core/base/Duration.h"
#include "core/base/Mutex.h"
#include "core/base/Sentences.h"
#include "core/db/SchemaInstaller.h"
#include "core/domain/Engine.h"
#include "core/scenario/format/ScenarioFile.h"
#include "core/scenario/run/SessionPool.h"

#include <QJsonArray>

#include <algorithm>
#include <future>
#include <utility>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds progressEvery{100};
constexpr milliseconds graceAtEnd{400}; ///< to finish a round
constexpr milliseconds graceAfterStop{150};
constexpr milliseconds graceAfterCancel{100};

milliseconds since(Steady::time_point start)
{
    return std::chrono::duration_cast<milliseconds>(Steady::now() - start);
}

/// Connects the sessions, lets them run for their time, and ends them.
class RunLoop {
public:
    RunLoop(SessionPool& pool, RunSchema& area, const RunOrder& order, const std::stop_token& stop,
        const ProgressHandler& onProgress)
        : m_pool(pool)
        , m_area(area)
        , m_duration(order.duration.count() > 0 ? order.duration : order.scenario->duration)
        , m_stop(stop)
        , m_onProgress(onProgress)
    {
    }

    Result<void> run(RunReport& report)
    {
        const auto opening = Steady::now();
        m_pool.connectAll();
        while (!m_pool.waitForRest(progressEvery)) {
            tell(Progress::Phase::Preparing, {}, report);
            if (isOver())
                break;
        }
        report.startUp = since(opening);
        const auto start = Steady::now();
        if (!isOver())
            m_pool.begin(start);
        while (!isOver() && since(start) < m_duration) {
            if (m_pool.waitForRest(std::min(progressEvery, m_duration - since(start))))
                break;
            tell(Progress::Phase::Running, since(start), report);
        }
        report.wasStopped = m_stop.stop_requested();
        m_pool.endRounds();
        if (!m_pool.waitForRest(report.wasStopped ? graceAfterStop : graceAtEnd)) {
            m_area.cancelStatements();
            m_pool.waitForRest(graceAfterCancel);
            m_pool.cancel();
        }
        while (!m_pool.waitForRest(progressEvery))
            tell(Progress::Phase::Ending, since(start), report);
        report.duration = since(start);
        if (const auto error = m_pool.error())
            return Failure(*error);
        return {};
    }

private:
    /// Before its time.
    bool isOver() const { return m_stop.stop_requested() || m_pool.error(); }

    void tell(Progress::Phase phase, milliseconds elapsed, const RunReport& report)
    {
        if (!m_onProgress)
            return;
        Progress progress;
        progress.phase = phase;
        progress.elapsed = elapsed;
        progress.duration = m_duration;
        m_pool.tell(progress);
        progress.soFar = [&] {
            RunReport now = report;
            now.duration = elapsed;
            now.sessions = m_pool.reports();
            for (const SessionReport& session : now.sessions)
                now.counts += session.log.counts;
            return now;
        };
        m_onProgress(progress);
    }

    SessionPool& m_pool;
    RunSchema& m_area;
    const milliseconds m_duration;
    const std::stop_token m_stop;
    const ProgressHandler& m_onProgress;
};

} // namespace

Result<RunReport> runFreely(const db::Server& server, const RunOrder& order, const std::stop_token& stop,
    const ProgressHandler& onProgress)
{
    LOCKSCOPE_TRY_GET(auto prepared, prepareRun(server, order, stop));
    const std::stop_source ending;
    prepared.context.ending = ending.get_token();
    RunSchema& area = *prepared.area;
    const RunContext& context = prepared.context;

    RunReport report;
    report.scenario = order.scenario;
    report.variant = context.variant->id;
    report.engine = server.engine();
    report.runId = area.id();
    report.seed = order.seed;
    report.sessionsAre = order.sessionsAre;
    {
        LOCKSCOPE_TRY_GET(const auto pool, SessionPool::create(prepared, order, ending));
        LOCKSCOPE_TRY(RunLoop(*pool, area, order, stop, onProgress).run(report));
        report.sessions = pool->reports();
    }
    for (const SessionReport& session : report.sessions) {
        report.counts += session.log.counts;
        report.waits.add(session.log.waits);
    }
    LOCKSCOPE_TRY_GET(
        report.violations, judge(prepared, context.scenario->rules, report.sessions, report.duration));
    report.verdict = verdict(*context.scenario, *context.variant, report.violations, order.parameters);
    if (auto removed = area.remove(); !removed)
        report.leftBehind = removed.error();
    return report;
}

double RunReport::roundsPerSecond() const
{
    return duration.count() > 0 ? double(counts.whole) * 1'000 / double(duration.count()) : 0;
}

double RunReport::itemsPerSecond() const
{
    return duration.count() > 0 ? double(counts.processed) * 1'000 / double(duration.count()) : 0;
}

QJsonObject toJson(const RunReport& report)
{
    const Variant& variant = *report.scenario->find(report.variant);
    QJsonArray examples;
    for (const Violation& each : report.violations.examples)
        examples.append(QJsonObject{{u"rule"_s, ruleKey(each.rule)}, {u"at_us"_s, qint64(each.at.count())},
            {u"session"_s, each.session}, {u"other_session"_s, each.other}, {u"subject"_s, each.subject}});
    const Counts& counts = report.counts;
    const WaitHistogram& waits = report.waits;
    return {{u"scenario"_s, report.scenario->id}, {u"variant"_s, variant.id}, {u"unsafe"_s, variant.isUnsafe},
        {u"strategy"_s, variant.strategy}, {u"engine"_s, engineKey(report.engine)}, {u"run"_s, report.runId},
        {u"sessions"_s, int(report.sessions.size())}, {u"seed"_s, qint64(report.seed)},
        {u"processes"_s, report.sessionsAre == SessionsAre::Processes},
        {u"start_up_ms"_s, qint64(report.startUp.count())},
        {u"duration_ms"_s, qint64(report.duration.count())}, {u"stopped"_s, report.wasStopped},
        {u"broken"_s, report.violations.isBroken()}, {u"violations"_s, toJson(report.violations.violations)},
        {u"examples"_s, examples}, {u"tries"_s, report.violations.tries},
        {u"saw_all"_s, report.violations.sawAll}, {u"verdict"_s, report.verdict},
        {u"counts"_s,
            QJsonObject{{u"rounds"_s, counts.rounds}, {u"whole"_s, counts.whole}, {u"idle"_s, counts.idle},
                {u"processed"_s, counts.processed}, {u"denied"_s, counts.denied},
                {u"waited"_s, counts.waited}, {u"deadlock_victims"_s, counts.victims},
                {u"conflicts"_s, counts.conflicts}, {u"duplicate_keys"_s, counts.duplicates},
                {u"lost_locks"_s, counts.lost}, {u"failures"_s, counts.failures},
                {u"crashes"_s, counts.deaths}}},
        {u"rounds_per_second"_s, report.roundsPerSecond()}, {u"items_per_second"_s, report.itemsPerSecond()},
        {u"waits"_s,
            QJsonObject{{u"count"_s, waits.count()}, {u"p50_us"_s, qint64(waits.quantile(0.5).count())},
                {u"p95_us"_s, qint64(waits.quantile(0.95).count())},
                {u"p99_us"_s, qint64(waits.quantile(0.99).count())},
                {u"max_us"_s, qint64(waits.longest().count())}}}};
}

using report::Mark;
using report::Value;

namespace {

report::Section variantsSection()
{
    using enum report::Type;
    using enum report::Shown;
    using report::Column;
    return {.key = u"variants"_s,
        .columns = {Column(u"title"_s, u"Variant"_s).wide(1),
            Column(u"strategy"_s, u"Strategy"_s).show(OnRequest), {u"outcome"_s, u"Outcome"_s},
            {Number, u"rounds_per_second"_s, u"Rounds/s"_s, u"Whole rounds of all sessions together"_s},
            {Number, u"items_per_second"_s, u"Items/s"_s, u"Items processed by all sessions together"_s},
            {Length, u"p50"_s, u"Wait p50"_s, u"Half of the waits were no longer"_s},
            {Length, u"p95"_s, u"p95"_s, u"95 % of the waits were no longer"_s},
            {Length, u"max"_s, u"Longest"_s, u"The longest wait for a lock"_s},
            {Count, u"violations"_s, u"Violations"_s, u"How often the rules were broken"_s},
            Column(Count, u"tries"_s, u"Tries"_s, u"Rounds that were begun"_s).show(OnRequest),
            Column(u"verdict"_s, u"Verdict"_s).show(OnRequest).wide(1), {u"variant"_s}, {Flag, u"unsafe"_s},
            {Flag, u"broken"_s}, {Count, u"p50_us"_s}, {Count, u"p95_us"_s}, {Count, u"max_us"_s}}};
}

} // namespace

report::Report toReport(const std::vector<std::shared_ptr<const RunReport>>& runs)
{
    report::Report all{
        .title = runs.empty() ? QString() : runs.front()->scenario->title, .sections = {variantsSection()}};
    for (const auto& run : runs) {
        const Variant& variant = *run->scenario->find(run->variant);
        const bool isBroken = run->violations.isBroken();
        const bool hasWaits = run->waits.count() > 0;
        const auto wait = [hasWaits](microseconds length) { return hasWaits ? Value(length) : Value(); };
        const auto us = [hasWaits](microseconds length) {
            return hasWaits ? Value(qint64(length.count())) : Value();
        };
        const microseconds half = run->waits.quantile(0.5);
        const microseconds maximum = run->waits.quantile(0.95);
        const microseconds longest = run->waits.longest();
        Value violations(run->violations.total());
        violations.mark = isBroken ? Mark::Failed : Mark::None;
        std::vector<report::ReportRow>& rows = all.sections.front().rows;
        rows.push_back(
            {.cells = {u"%1 – %2%3"_s.arg(variantLetter(rows.size()), variant.title,
                           variant.isUnsafe ? u" (unsafe)"_s : QString()),
                 Value(variant.isUnsafe ? u"unsafe"_s : variant.strategy,
                     variant.isUnsafe ? Mark::Warning : Mark::None),
                 Value(isBroken ? u"went wrong"_s : u"not observed"_s,
                     isBroken               ? Mark::Failed
                         : variant.isUnsafe ? Mark::Alarm
                                            : Mark::Done),
                 std::optional(run->roundsPerSecond()),
                 run->counts.processed > 0 ? std::optional(run->itemsPerSecond()) : std::nullopt, wait(half),
                 wait(maximum), wait(longest), violations, run->violations.tries, run->verdict, variant.id,
                 Value::flag(variant.isUnsafe), Value::flag(isBroken), us(half), us(maximum), us(longest)},
                .key = variant.id,
                .more = {run->verdict}});
    }
    return all;
}

report::Section sessionsSection(const RunReport& run)
{
    using enum report::Type;
    report::Section section{.key = u"sessions"_s,
        .columns = {{u"session"_s, u"Session"_s}, {Count, u"rounds"_s, u"Rounds"_s},
            {Count, u"whole"_s, u"Whole"_s}, {Count, u"processed"_s, u"Processed"_s},
            {Count, u"denied"_s, u"Denied"_s}, {Count, u"victims"_s, u"Deadlock victim"_s},
            {Count, u"waits"_s, u"Waits"_s}, {Length, u"p50"_s, u"Half below"_s},
            {Length, u"max"_s, u"Longest"_s}}};
    for (const SessionReport& session : run.sessions) {
        const Counts& counts = session.log.counts;
        const WaitHistogram& waits = session.log.waits;
        const auto wait = [&waits](
                              microseconds length) { return waits.count() > 0 ? Value(length) : Value(); };
        section.rows.push_back({.cells = {u"%1 %2"_s.arg(session.number).arg(session.role), counts.rounds,
                                    counts.whole, counts.processed, counts.denied, counts.victims,
                                    waits.count(), wait(waits.quantile(0.5)), wait(waits.longest())}});
    }
    return section;
}

report::Report reportOf(const RunReport& run)
{
    const Variant& variant = *run.scenario->find(run.variant);
    const QString processes = run.sessionsAre == SessionsAre::Processes ? u" (processes)"_s : QString();
    report::Report report{.title = run.scenario->title,
        .notes = {u"%1 (%2), %3%4, %5, seed %6"_s
                      .arg(variant.title, variant.strategy, counted(qint64(run.sessions.size()), u"session"),
                          processes, durationText(run.duration))
                      .arg(run.seed),
            run.verdict},
        .sections = {sessionsSection(run)}};
    report.notes += figuresInWords(run);
    if (!run.violations.sawAll)
        report.notes << u"The event log was full: the last events were counted, but not checked."_s;
    return report;
}

QString rateText(double perSecond)
{
    return QString::number(perSecond, 'f', perSecond < 10 ? 1 : 0);
}

QStringList countsInWords(const Counts& counts)
{
    QStringList parts;
    const auto add = [&parts](qint64 count, QStringView one, QStringView many = {}) {
        if (count > 0)
            parts << counted(count, one, many);
    };
    add(counts.denied, u"lock denied", u"locks denied");
    add(counts.victims, u"deadlock victim");
    add(counts.conflicts, u"refused write");
    add(counts.duplicates, u"duplicate key");
    add(counts.lost, u"lock that was somebody else's", u"locks that were somebody else's");
    add(counts.failures, u"mistake");
    add(counts.deaths, u"crash", u"crashes");
    return parts;
}

QStringList figuresInWords(const RunReport& run)
{
    QStringList parts{u"%1 rounds/s"_s.arg(rateText(run.roundsPerSecond()))};
    if (run.counts.processed > 0)
        parts << u"%1 items/s"_s.arg(rateText(run.itemsPerSecond()));
    if (run.waits.count() > 0)
        parts << u"waits: half below %1, 95 % below %2, longest %3"_s.arg(
            shortDuration(run.waits.quantile(0.5).count()), shortDuration(run.waits.quantile(0.95).count()),
            shortDuration(run.waits.longest().count()));
    return parts + countsInWords(run.counts);
}

QString variantLetter(std::size_t row)
{
    return QString(QChar(u'A' + static_cast<char16_t>(row % 26)));
}

namespace {

constexpr milliseconds pauseAfterFailure{3'000};

Result<void> install(const db::Server& server)
{
    LOCKSCOPE_TRY_GET(auto connection, server.connect(db::Purpose::Workload));
    // Others may be using it already.
    if (db::installedSchemaVersion(*connection) == db::schemaVersion)
        return {};
    return ifDone(db::installSchema(*connection));
}

Result<RunOrder> demoOrder()
{
    auto scenario = readScenarioFile(u":/demo/demo.json"_s);
    if (!scenario)
        return failure(ErrorKind::Internal, scenario.error().front().toString());
    RunOrder order;
    order.scenario = std::move(*scenario);
    order.duration = endless;
    return order;
}

} // namespace

Result<std::unique_ptr<DemoRun>> DemoRun::start(const db::Server& server)
{
    LOCKSCOPE_TRY_GET(const auto order, demoOrder());
    if (!order.scenario->engines.contains(server.engine()))
        return failure(ErrorKind::Unsupported,
            u"The demo does not run on %1."_s.arg(engineName(server.engine())),
            u"Start it on the sandbox."_s);
    LOCKSCOPE_TRY(install(server));
    Result<void> started;
    std::unique_ptr<DemoRun> demo(new DemoRun(server, order, started));
    LOCKSCOPE_TRY(started);
    return demo;
}

DemoRun::DemoRun(const db::Server& server, const RunOrder& order, Result<void>& started)
{
    std::promise<Result<void>> promise;
    auto future = promise.get_future();
    m_thread =
        std::jthread([server, order, promise = std::move(promise)](const std::stop_token& stop) mutable {
            bool hasStarted = false;
            const auto tell = [&](const Progress& progress) {
                if (progress.phase != Progress::Phase::Preparing && !std::exchange(hasStarted, true))
                    promise.set_value({});
            };
            while (true) {
                const auto ran = runFreely(server, order, stop, tell);
                if (!hasStarted)
                    return promise.set_value(ran ? Result<void>() : Failure(ran.error()));
                if (!sleepFor(pauseAfterFailure, stop))
                    return;
            }
        });
    started = future.get();
}

} // namespace lockscope::scenario
