// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/explore/Explore.h"

#include "core/db/Connection.h"
#include "core/db/Dialect.h"
#include "core/domain/Engine.h"
#include "core/monitor/SnapshotSource.h"
#include "core/order/OrderOfSnapshots.h"
#include "core/order/OrderTable.h"
#include "core/report/Writer.h"
#include "core/scenario/run/PreparedRun.h"
#include "core/scenario/run/StepRun.h"

#include <QJsonArray>
#include <QStringList>

#include <algorithm>
#include <map>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

/// Notes what the sessions of a run hold after each step: by the monitor's poll, by the rows themselves where
/// PostgreSQL shows no locks of rows, and by the names that the steps have for their locks. The parts of
/// names that only keep runs apart are left out, so that several runs go together. One thread.
class StepSnapshots {
public:
    /// Asks nothing before the first poll. `run` must outlive it and not be restarted.
    explicit StepSnapshots(const StepRun& run);
    ~StepSnapshots();
    Q_DISABLE_COPY_MOVE(StepSnapshots)

    /// To be called before the step of that session.
    void expect(int session);
    /// Polls after it. Blocks.
    Result<order::LockSnapshot> locksSeen(const std::stop_token& stop);
    /// "A3": the latest step of a session.
    QString stepOf(SessionKey session) const;

private:
    SnapshotPtr ofRun(const Snapshot& seen);
    QString shown(QString name) const;
    const StepRecord* latestOf(int session) const;
    int numberOf(SessionId session) const;
    void nameAcquired(Snapshot& snapshot);
    Result<void> addRows(order::LockSnapshot& locksSeen, const std::stop_token& stop);
    Result<void> readKeys(const std::stop_token& stop);

    const StepRun& m_run;
    std::unique_ptr<monitor::SnapshotSource> m_source;
    std::unique_ptr<db::Connection> m_connection;
    std::map<QString, db::Statement> m_lockedRows; ///< by table
    QHash<ResourceKey, QString> m_appLocks; ///< by what the server has for them
    QString m_expected; ///< the name that the step acquires
    bool m_isTry = false; ///< and gives up if somebody else has it
    int m_stepping = 0;
    order::LockSnapshotReader m_reader;
};

constexpr qint64 maxRows = 1'000; ///< of a table
constexpr milliseconds patience{250};
constexpr PerEngine<const char*> keysOf{
    .postgres = "postgres/scenario/keys", .sqlServer = nullptr, .sqlite = nullptr};
constexpr PerEngine<const char*> lockedRowsOf{
    .postgres = "postgres/scenario/locked_rows", .sqlServer = nullptr, .sqlite = nullptr};

StepSnapshots::StepSnapshots(const StepRun& run)
    : m_run(run)
{
    monitor::ProbeSelection probes;
    probes.statements = false;
    m_source = monitor::makeSnapshotSource(run.context().server, probes);
}

StepSnapshots::~StepSnapshots() = default;

void StepSnapshots::expect(int session)
{
    m_stepping = session;
    m_expected = shown(m_run.nextLock(session));
    const auto* const acquire = std::get_if<AcquireStep>(&m_run.nextStep(session).act);
    m_isTry = acquire && acquire->waitMs.in(m_run.context().values) == 0;
}

Result<order::LockSnapshot> StepSnapshots::locksSeen(const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(const auto taken, m_source->take(stop));
    const QString expected = u'\'' + m_expected + u'\'';
    order::LockSnapshot locksSeen = m_reader.read(ofRun(*taken));
    if (m_isTry)
        for (order::SeenLock& lock : locksSeen.locks)
            lock.isTried = numberOf(lock.session.id) == m_stepping && lock.name->name.contains(expected);
    const auto added = addRows(locksSeen, stop);
    return ifDone(added, std::move(locksSeen));
}

int StepSnapshots::numberOf(SessionId session) const
{
    for (const SteppedView& view : m_run.sessions())
        if (m_run.sessionId(view.number) == session)
            return view.number;
    return 0;
}

QString StepSnapshots::stepOf(SessionKey session) const
{
    const StepRecord* const latest = latestOf(numberOf(session.id));
    return latest ? sessionLetter(latest->session) + QString::number(latest->step) : QString();
}

/// Returns the latest step of a session; null: it has done none.
const StepRecord* StepSnapshots::latestOf(int session) const
{
    const auto& steps = m_run.record().steps;
    const auto latest = std::find_if(
        steps.rbegin(), steps.rend(), [session](const StepRecord& step) { return step.session == session; });
    return latest == steps.rend() ? nullptr : &*latest;
}

QString StepSnapshots::shown(QString name) const
{
    name.remove(m_run.context().lockPrefix);
    if (!m_run.context().schema.isEmpty())
        name.remove(m_run.context().schema + u'.');
    return name;
}

/// Keeps the run's sessions only, and names them by their letters.
SnapshotPtr StepSnapshots::ofRun(const Snapshot& seen)
{
    auto snapshot = std::make_shared<Snapshot>(seen);
    snapshot->waits.clear();
    std::erase_if(snapshot->sessions, [this](const Session& session) { return numberOf(session.id) == 0; });
    for (Session& session : snapshot->sessions) {
        const int number = numberOf(session.id);
        session.program = sessionLetter(number);
        const StepRecord* const latest = latestOf(number);
        session.statement = latest ? latest->text : QString();
    }
    snapshot->index();
    nameAcquired(*snapshot);
    for (Resource& resource : snapshot->resources) {
        const bool isTransaction = resource.key.kind == ResourceKind::TransactionId;
        if (const QString name = m_appLocks.value(resource.key); !name.isEmpty()) {
            resource.name = u"app lock '%1'"_s.arg(name);
            resource.named = true;
        }
        resource.name = shown(resource.name);
        resource.database.clear();
        // Another run has other numbers for the same things.
        if (resource.named && !isTransaction)
            resource.key = {.kind = resource.key.kind, .text = resource.name};
    }
    for (LockTableEntry& entry : snapshot->entries)
        entry.name = shown(entry.name);
    for (LockTableWaiter& waiter : snapshot->entryWaiters)
        waiter.name = shown(waiter.name);
    return snapshot;
}

/// The step knows the name of the lock that is new; the server may know a number only.
void StepSnapshots::nameAcquired(Snapshot& snapshot)
{
    if (m_expected.isEmpty())
        return;
    QList<ResourceKey> fresh;
    for (const LockRequest& request : snapshot.requests) {
        const ResourceKey& key = snapshot.resourceOf(request).key;
        if (key.kind == ResourceKind::ApplicationLock && numberOf(request.session) == m_stepping
            && !m_appLocks.contains(key) && !fresh.contains(key))
            fresh << key;
    }
    if (fresh.size() == 1)
        m_appLocks.insert(fresh.front(), m_expected);
    m_expected.clear();
}

Result<void> StepSnapshots::readKeys(const std::stop_token& stop)
{
    const RunContext& context = m_run.context();
    LOCKSCOPE_TRY_GET(m_connection,
        context.server.connect(
            {.purpose = db::Purpose::Workload, .programSuffix = u"rows"_s, .statementTimeout = patience}));
    const db::Dialect& dialect = m_connection->dialect();
    std::map<QString, QStringList> columns;
    LOCKSCOPE_TRY(m_connection->execute(
        db::Statement::get(keysOf[context.server.engine()]), {context.schema},
        [&](const db::Row& row) {
            QStringList& key = columns[row.text(0)];
            if (!row.isNull(1))
                key << u"t."_s + dialect.quoted(row.text(1));
        },
        stop));
    for (const auto& [table, key] : columns)
        m_lockedRows.emplace(table,
            db::Statement::filled(lockedRowsOf[context.server.engine()],
                {{"key"_L1, key.isEmpty() ? u"t.ctid"_s : key.join(u", "_s)},
                    {"table"_L1, dialect.quoted(context.schema, table)}}));
    return {};
}

/// PostgreSQL writes the lock of a row into the row.
Result<void> StepSnapshots::addRows(order::LockSnapshot& locksSeen, const std::stop_token& stop)
{
    if (!keysOf[locksSeen.engine])
        return {};
    if (!m_connection)
        LOCKSCOPE_TRY(readKeys(stop));
    QSet<QString> closed; // to everybody else: what reads them would wait
    for (const order::SeenLock& lock : locksSeen.locks)
        if (lock.mode.name() == u"AccessExclusiveLock" && lock.name->grain == order::Grain::Whole)
            closed.insert(lock.name->className);
    for (const auto& each : m_lockedRows) {
        const QString& table = each.first;
        if (closed.contains(table) || closed.contains(m_connection->dialect().quoted(table)))
            continue;
        const auto read = m_connection->execute(
            each.second, {maxRows},
            [&](const db::Row& row) {
                const Session* const session = locksSeen.snapshot->session(SessionId{row.int64(0)});
                if (!session)
                    return;
                order::SeenLock& lock = locksSeen.locks.emplace_back();
                lock.session = session->key();
                lock.name = std::make_shared<const order::LockName>(order::lockName(u"table"_s, {},
                    TablePart{table, u"row %1"_s.arg(row.text(1))}.name(), table, order::Grain::Row));
                lock.mode = LockMode::fromText(locksSeen.engine, u"ExclusiveLock");
                lock.isOfTransaction = true;
            },
            stop);
        // Somebody keeps the whole table locked: nobody has rows of it.
        if (!read && read.error().kind != ErrorKind::Timeout)
            return Failure(read.error());
    }
    // Each row is known here.
    std::erase_if(locksSeen.locks, [](const order::SeenLock& lock) { return lock.standsForRows; });
    locksSeen.sort();
    return {};
}

constexpr int maxDraws = 64;
/// A session that takes longer for a step is one that waits for what never comes.
constexpr milliseconds maxStepTime{2'000};

/// Steps after which a session has no other locks than before.
bool takesNothing(const Step& step)
{
    return !std::holds_alternative<SqlStep>(step.act) && !std::holds_alternative<AcquireStep>(step.act)
        && !std::holds_alternative<TakeStep>(step.act) && !std::holds_alternative<TransactionStep>(step.act)
        && !std::holds_alternative<ReleaseStep>(step.act) && !std::holds_alternative<SettleStep>(step.act);
}

class Schedule {
public:
    Schedule(StepRun& run, order::OrderOfSnapshots& order, OrderReport& report, const std::stop_token& stop)
        : m_run(run)
        , m_snapshots(run)
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
            const auto ready = std::ranges::find_if(
                views, [](const SteppedView& view) { return view.standing == Standing::Ready; });
            if (ready == views.end())
                break;
            LOCKSCOPE_TRY(runSession(ready->number));
        }
        const auto& steps = m_run.record().steps;
        m_report.deadlocks += int(std::ranges::count_if(
            steps, [](const StepRecord& step) { return step.outcome == StepOutcome::Victim; }));
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
            m_snapshots.expect(session);
            LOCKSCOPE_TRY(m_run.step(session, m_stop, maxStepTime));
            ++m_report.steps;
            if (isQuiet)
                continue;
            LOCKSCOPE_TRY_GET(auto locksSeen, m_snapshots.locksSeen(m_stop));
            m_order.add(std::move(locksSeen), [this](SessionKey key) { return m_snapshots.stepOf(key); });
        }
        return {};
    }

    StepRun& m_run;
    StepSnapshots m_snapshots;
    order::OrderOfSnapshots& m_order;
    OrderReport& m_report;
    const std::stop_token m_stop;
};

Result<void> runAll(StepRun& run, const std::vector<quint32>& seeds, order::OrderOfSnapshots& order,
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
        LOCKSCOPE_TRY(run.startOver(seed, stop));
        if (area != run.runId()) // another area has other connections
            schedule.emplace(run, order, report, stop);
        area = run.runId();
        LOCKSCOPE_TRY(schedule->run());
        ++report.schedules;
    }
    return {};
}

} // namespace

Result<OrderReport> lockOrders(
    const db::Server& server, const StepOrder& given, const std::stop_token& stop, milliseconds longest)
{
    ExploreOrder options;
    options.steps = given;
    options.draws = maxDraws;
    options = completed(std::move(options));
    OrderReport report;
    report.scenario = given.run.scenario;
    report.engine = server.engine();
    const Variant* const variant = variantOf(given.run);
    report.variant = variant ? variant->id : given.run.variant;
    if (!db::Dialect::of(server.engine()).can(db::Capability::LockView)) {
        report.reasonAgainst = u"%1 shows no locks: the order in which they are taken is unknown."_s.arg(
            engineName(server.engine()));
        return report;
    }
    LOCKSCOPE_TRY_GET(auto run, StepRun::start(server, options.steps, stop));
    const DrawSpace space = run->drawSpace();
    const auto seeds = seedsOf(options, space);
    report.isCut = !space.isEmpty() && (!space.isKnown() || space.size() > double(seeds.size()));
    order::OrderOfSnapshots order(true);
    if (auto done = runAll(*run, seeds, order, report, stop, longest); !done && !stop.stop_requested())
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
    return {{u"scenario"_s, report.scenario->id}, {u"variant"_s, report.variant},
        {u"engine"_s, engineKey(report.engine)}, {u"schedules"_s, report.schedules},
        {u"deadlocks"_s, report.deadlocks}, {u"cut"_s, report.isCut},
        {u"reason_against"_s, report.reasonAgainst},
        {u"potential_deadlocks"_s, report::rowsJson(order::foundSection(report.found.all))},
        {u"witnesses"_s, report::rowsJson(order::witnessesSection(report.found.all))},
        {u"verdict"_s, report.verdict()}};
}

} // namespace lockscope::scenario
