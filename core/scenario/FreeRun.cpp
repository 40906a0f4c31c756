// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/FreeRun.h"

#include "core/domain/EngineKey.h"
#include "core/domain/SleepFor.h"
#include "core/scenario/Actor.h"
#include "core/scenario/Scene.h"

#include <QJsonArray>

#include <algorithm>
#include <condition_variable>
#include <semaphore>
#include <thread>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostEvents = 1'000'000; ///< of all sessions: 24 MB
constexpr milliseconds progressEvery{100};
constexpr milliseconds graceAtEnd{400}; ///< to finish a round
constexpr milliseconds graceAfterStop{150};
constexpr milliseconds graceAfterCancel{100};
constexpr milliseconds idlePause{5};
/// Sessions that connect at once. A server that starts 200 of them together has none ready before time is
/// out.
constexpr int mostConnecting = 16;

/// The sessions of one run, each on its thread, and what they tell the one that directs.
class Company {
public:
    Company(const Scene& scene, const RunOrder& order, std::stop_source ending)
        : m_stage(scene.stage)
        , m_order(order)
        , m_soft(std::move(ending))
    {
        const auto& cast = scene.cast;
        for (std::size_t i = 0; i < cast.size(); ++i)
            m_players.push_back(std::make_unique<Player>(*cast[i], int(i) + 1,
                scene.area->sessionName(int(i) + 1, cast[i]->name), mostEvents / cast.size()));
    }
    ~Company()
    {
        m_hard.request_stop();
        endWaiting();
        for (const auto& player : m_players)
            if (player->thread.joinable())
                player->thread.join();
    }
    Q_DISABLE_COPY_MOVE(Company)

    void connectAll()
    {
        for (const auto& player : m_players)
            player->thread = std::thread([this, &player = *player] { live(player); });
    }
    void begin(Steady::time_point start)
    {
        const std::lock_guard guard(m_mutex);
        for (const auto& player : m_players)
            player->log.startAt(start);
        m_start = start;
        m_mayBegin = true;
        m_changed.notify_all();
    }
    /// No new rounds.
    void endWaiting()
    {
        m_soft.request_stop();
        const std::lock_guard guard(m_mutex);
        m_mayBegin = true;
        m_changed.notify_all();
    }
    void cancel() { m_hard.request_stop(); }

    enum class Until { AllConnected, AllGone };
    /// Whether it is so within that time. Also ends when a session has met an error.
    bool wait(Until until, milliseconds atMost)
    {
        std::unique_lock lock(m_mutex);
        const auto isSo = [&] {
            return (until == Until::AllConnected ? m_connected : m_gone) == int(m_players.size());
        };
        m_changed.wait_for(lock, atMost, [&] { return isSo() || (until == Until::AllConnected && m_error); });
        return isSo();
    }
    std::optional<Error> error() const
    {
        const std::lock_guard guard(m_mutex);
        return m_error;
    }

    void tell(Progress& progress) const
    {
        for (const auto& player : m_players) {
            progress.counts += player->log.counts();
            progress.waiting += player->log.latest() == EventKind::WaitBegin ? 1 : 0;
        }
        const std::lock_guard guard(m_mutex);
        progress.sessions = m_connected - m_gone;
        progress.wanted = int(m_players.size());
    }
    /// Until now, or of the whole run after all are gone.
    std::vector<SessionReport> reports() const
    {
        std::vector<SessionReport> all;
        for (const auto& player : m_players)
            all.push_back({player->number, player->role.name, player->log.copy()});
        return all;
    }

private:
    struct Player {
        Player(const Role& theRole, int theNumber, QString theName, std::size_t capacity)
            : role(theRole)
            , number(theNumber)
            , name(std::move(theName))
            , log(capacity)
        {
        }
        const Role& role;
        const int number;
        const QString name;
        SessionLog log;
        std::thread thread;
    };

    void live(Player& player)
    {
        {
            Actor actor(m_stage, player.role, player.number, player.name, player.log);
            m_doors.acquire();
            const bool isWanted = !m_soft.stop_requested();
            const auto opened = isWanted ? actor.open() : Result<void>();
            m_doors.release();
            if (!opened)
                fail(opened.error());
            else if (isWanted && awaitBegin())
                play(actor, player);
        }
        const std::lock_guard guard(m_mutex);
        ++m_gone;
        m_changed.notify_all();
    }

    /// Nobody begins before everybody is there.
    bool awaitBegin()
    {
        std::unique_lock lock(m_mutex);
        ++m_connected;
        m_changed.notify_all();
        m_changed.wait(lock, [this] { return m_mayBegin; });
        return !m_soft.stop_requested();
    }

    void play(Actor& actor, Player& player)
    {
        const std::stop_token soft = m_soft.get_token();
        const std::stop_token hard = m_hard.get_token();
        QRandomGenerator random(std::array{m_order.seed, quint32(player.number), 1U}.data(), 3);
        for (qint64 round = 0; keepPace(round, soft); ++round) {
            auto after = actor.step(hard);
            while (after && *after == Actor::After::Next)
                after = actor.step(hard);
            if (!after)
                return fail(after.error());
            if (*after == Actor::After::Stopped)
                return;
            if (*after == Actor::After::NothingToDo)
                sleepFor(idlePause, soft);
            // Half as long to half as long again, so that sessions don't fall into step.
            if (m_order.think.count() > 0)
                sleepFor(
                    milliseconds(qint64(double(m_order.think.count()) * (0.5 + random.generateDouble()))),
                    soft);
        }
    }

    bool keepPace(qint64 round, const std::stop_token& soft) const
    {
        if (m_order.rate > 0) {
            const auto due = m_start
                + std::chrono::duration_cast<Steady::duration>(
                    std::chrono::duration<double>(double(round) / m_order.rate));
            const auto left = std::chrono::ceil<milliseconds>(due - Steady::now());
            if (left.count() > 0)
                sleepFor(left, soft);
        }
        return !soft.stop_requested();
    }

    void fail(const Error& error)
    {
        m_soft.request_stop();
        const std::lock_guard guard(m_mutex);
        if (!m_error)
            m_error = error;
        m_changed.notify_all();
    }

    const Stage& m_stage;
    const RunOrder& m_order;
    std::vector<std::unique_ptr<Player>> m_players;
    std::counting_semaphore<> m_doors{mostConnecting};
    std::stop_source m_soft; ///< no new rounds
    std::stop_source m_hard;
    Steady::time_point m_start;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_connected = 0; // under m_mutex
    int m_gone = 0; // under m_mutex
    bool m_mayBegin = false; // under m_mutex
    std::optional<Error> m_error; // under m_mutex
};

milliseconds since(Steady::time_point start)
{
    return std::chrono::duration_cast<milliseconds>(Steady::now() - start);
}

/// The director's part: from the raised curtain to the empty stage.
class Direction {
public:
    Direction(Company& company, RunArea& area, const RunOrder& order, const std::stop_token& stop,
        const ProgressHandler& onProgress)
        : m_company(company)
        , m_area(area)
        , m_duration(order.duration.count() > 0 ? order.duration : order.scenario->duration)
        , m_stop(stop)
        , m_onProgress(onProgress)
    {
    }

    Result<void> run(RunReport& report)
    {
        const auto opening = Steady::now();
        m_company.connectAll();
        while (!m_company.wait(Company::Until::AllConnected, progressEvery)) {
            tell(Progress::Phase::Preparing, {}, report);
            if (m_stop.stop_requested() || m_company.error())
                break;
        }
        report.startUp = since(opening);
        const auto start = Steady::now();
        m_company.begin(start);
        while (!m_stop.stop_requested() && !m_company.error() && since(start) < m_duration) {
            if (m_company.wait(Company::Until::AllGone, std::min(progressEvery, m_duration - since(start))))
                break;
            tell(Progress::Phase::Running, since(start), report);
        }
        report.wasStopped = m_stop.stop_requested();
        m_company.endWaiting();
        if (!m_company.wait(Company::Until::AllGone, report.wasStopped ? graceAfterStop : graceAtEnd)) {
            m_area.cancelStatements();
            m_company.wait(Company::Until::AllGone, graceAfterCancel);
            m_company.cancel();
        }
        while (!m_company.wait(Company::Until::AllGone, progressEvery))
            tell(Progress::Phase::Ending, since(start), report);
        report.duration = since(start);
        if (const auto error = m_company.error())
            return Failure(*error);
        return {};
    }

private:
    void tell(Progress::Phase phase, milliseconds elapsed, const RunReport& report)
    {
        if (!m_onProgress)
            return;
        Progress progress;
        progress.phase = phase;
        progress.elapsed = elapsed;
        progress.duration = m_duration;
        m_company.tell(progress);
        progress.soFar = [&] {
            RunReport now = report;
            now.duration = elapsed;
            now.sessions = m_company.reports();
            for (const SessionReport& session : now.sessions)
                now.counts += session.log.counts;
            return now;
        };
        m_onProgress(progress);
    }

    Company& m_company;
    RunArea& m_area;
    const milliseconds m_duration;
    const std::stop_token m_stop;
    const ProgressHandler& m_onProgress;
};

void sumUp(RunReport& report, const Stage& stage, qint64 inDatabase)
{
    std::vector<SessionLog::Copy> logs;
    for (const SessionReport& session : report.sessions) {
        report.counts += session.log.counts;
        report.waits.add(session.log.waits);
        logs.push_back(session.log);
    }
    report.judgement = judge(stage.scenario->rules, stage.values, logs, report.duration);
    report.judgement.violations[Rule::Invariant] = inDatabase;
    report.verdict = verdict(*stage.scenario, *stage.variant, report.judgement);
}

} // namespace

Result<RunReport> runFreely(const db::ServerUrl& server, const db::PasswordProvider& passwords,
    const RunOrder& order, const std::stop_token& stop, const ProgressHandler& onProgress)
{
    auto scene = setScene(server, passwords, order, stop);
    if (!scene)
        return Failure(scene.error());
    const std::stop_source ending;
    scene->stage.ending = ending.get_token();
    RunArea& area = *scene->area;
    const Stage& stage = scene->stage;

    RunReport report;
    report.scenario = order.scenario;
    report.variant = stage.variant->id;
    report.engine = server.engine;
    report.runId = area.id();
    report.seed = order.seed;
    {
        Company company(*scene, order, ending);
        if (auto ran = Direction(company, area, order, stop, onProgress).run(report); !ran)
            return Failure(ran.error());
        report.sessions = company.reports();
    }
    const auto inDatabase = area.violations(stage.scenario->invariant);
    if (!inDatabase)
        return Failure(inDatabase.error());
    sumUp(report, stage, *inDatabase);
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
    for (const Violation& each : report.judgement.examples)
        examples.append(QJsonObject{{u"rule"_s, ruleKey(each.rule)}, {u"at_us"_s, qint64(each.at.count())},
            {u"session"_s, each.session}, {u"other_session"_s, each.other}, {u"subject"_s, each.subject}});
    const Counts& counts = report.counts;
    const WaitHistogram& waits = report.waits;
    return {{u"scenario"_s, report.scenario->id}, {u"variant"_s, variant.id}, {u"unsafe"_s, variant.isUnsafe},
        {u"strategy"_s, variant.strategy}, {u"engine"_s, engineKey(report.engine)}, {u"run"_s, report.runId},
        {u"sessions"_s, int(report.sessions.size())}, {u"seed"_s, qint64(report.seed)},
        {u"start_up_ms"_s, qint64(report.startUp.count())},
        {u"duration_ms"_s, qint64(report.duration.count())}, {u"stopped"_s, report.wasStopped},
        {u"broken"_s, report.judgement.isBroken()}, {u"violations"_s, toJson(report.judgement.violations)},
        {u"examples"_s, examples}, {u"tries"_s, report.judgement.tries},
        {u"saw_all"_s, report.judgement.sawAll}, {u"verdict"_s, report.verdict},
        {u"counts"_s,
            QJsonObject{{u"rounds"_s, counts.rounds}, {u"whole"_s, counts.whole},
                {u"processed"_s, counts.processed}, {u"denied"_s, counts.denied},
                {u"deadlock_victims"_s, counts.victims}, {u"conflicts"_s, counts.conflicts},
                {u"duplicate_keys"_s, counts.duplicates}, {u"lost_locks"_s, counts.lost},
                {u"failures"_s, counts.failures}, {u"crashes"_s, counts.deaths}}},
        {u"rounds_per_second"_s, report.roundsPerSecond()}, {u"items_per_second"_s, report.itemsPerSecond()},
        {u"waits"_s,
            QJsonObject{{u"count"_s, waits.count()}, {u"p50_us"_s, qint64(waits.quantile(0.5).count())},
                {u"p95_us"_s, qint64(waits.quantile(0.95).count())},
                {u"p99_us"_s, qint64(waits.quantile(0.99).count())},
                {u"max_us"_s, qint64(waits.longest().count())}}}};
}

} // namespace lockscope::scenario
