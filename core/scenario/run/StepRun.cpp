// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/StepRun.h"

#include "core/base/Mutex.h"
#include "core/base/Sentences.h"
#include "core/db/Connection.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/scenario/run/PreparedRun.h"
#include "core/scenario/run/SessionPool.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds statementLimit{250}; ///< with a table that somebody has locked
constexpr int maxCellLength = 60;

QString cellText(const db::Row& row, int column)
{
    if (row.isNull(column))
        return u"NULL"_s;
    const QString text = row.text(column).simplified();
    return text.size() > maxCellLength ? text.left(maxCellLength - 1) + u'…' : text;
}

} // namespace

TableReader::TableReader(const RunContext& context)
    : m_context(context)
{
}

TableReader::~TableReader() = default;

Result<void> TableReader::connect()
{
    LOCKSCOPE_TRY_GET(m_connection,
        m_context.server.connect({.purpose = db::Purpose::Workload,
            .programSuffix = u"tables"_s,
            .statementTimeout = statementLimit}));
    return {};
}

Result<std::vector<TableState>> TableReader::read(const std::stop_token& stop)
{
    if (!m_connection || !m_connection->isOpen()) {
        m_known.clear();
        LOCKSCOPE_TRY(connect());
    }
    QStringList names;
    std::map<QString, QStringList> columns;
    std::vector<db::Param> schema;
    if (!m_context.schema.isEmpty())
        schema.emplace_back(m_context.schema);
    LOCKSCOPE_TRY(m_connection->execute(
        db::schemaStatement(m_connection->dialect(), "scenario/columns"), schema,
        [&](const db::Row& row) {
            const QString table = row.text(0);
            if (!columns.contains(table))
                names << table;
            columns[table] << row.text(1);
        },
        stop));
    std::vector<TableState> tables;
    for (const QString& name : names)
        tables.push_back(readOne(name, columns[name], stop));
    return tables;
}

TableState TableReader::readOne(const QString& name, const QStringList& columns, const std::stop_token& stop)
{
    TableState state;
    state.name = name;
    state.columns = columns;
    const db::Dialect& dialect = m_connection->dialect();
    Known& known = m_known[name];
    if (!known.peek || known.columns != columns) {
        const QStringList quoted =
            textOfEach(columns, [&dialect](const QString& column) { return dialect.quoted(column); });
        known.columns = columns;
        known.peek = db::Statement::filled(db::schemaPath(dialect, "scenario/peek").constData(),
            {{"cells"_L1, quoted.join(u", "_s)},
                {"table"_L1,
                    m_context.schema.isEmpty() ? dialect.quoted(name)
                                               : dialect.quoted(m_context.schema, name)}});
    }
    const auto read = m_connection->execute(
        *known.peek, {qint64(rowsOfTableState + 1)},
        [&](const db::Row& row) {
            QStringList& cells = state.rows.emplace_back();
            for (int i = 0; i < columns.size(); ++i)
                cells << cellText(row, i);
        },
        stop);
    if (!read) {
        state.rows.clear();
        state.fault = read.error().kind == ErrorKind::Timeout || read.error().kind == ErrorKind::Cancelled
            ? u"locked: it can't be read now"_s
            : read.error().what;
    }
    state.hasMore = std::ssize(state.rows) > rowsOfTableState;
    if (state.hasMore)
        state.rows.resize(rowsOfTableState);
    return state;
}

namespace {

/// Most steps are done before that.
constexpr milliseconds firstPoll{3};
constexpr milliseconds slowestPoll{20};
/// Sessions that wait for each other are a deadlock, which the server ends; not later than that it must have.
constexpr milliseconds maxCycleTime{8'000};
/// A blocked session has checked for a deadlock after this time: from then on later ones are the victims. On
/// PostgreSQL each checks once (see scenario/deadlocks_at_once).
constexpr PerEngine<milliseconds> deadlockCheck{
    .postgres = milliseconds(25), .sqlServer = milliseconds(0), .sqlite = milliseconds(0)};
constexpr std::size_t maxStepEvents = 10'000; ///< of each session

bool isListed(const Step& step, const Values& values)
{
    if (const auto* const think = std::get_if<ThinkStep>(&step.act))
        return isSteppedPause(*think, values);
    return !std::holds_alternative<DrawStep>(step.act) && !std::holds_alternative<EachStep>(step.act)
        && !std::holds_alternative<EachEndStep>(step.act) && !std::holds_alternative<ProcessedStep>(step.act)
        && !std::holds_alternative<EndStep>(step.act);
}

/// Its tables are not the same afterwards, beyond what they hold.
bool changesTables(const Variant& variant, Engine engine)
{
    bool changes = false;
    eachStep(variant, [engine, &changes](const Step& step) {
        const auto* const sql = std::get_if<SqlStep>(&step.act);
        if (!sql)
            return;
        const auto text = sql->sql.find(engine);
        const QString first =
            text == sql->sql.end() ? QString() : text->second.text().trimmed().section(u' ', 0, 0).toUpper();
        changes |= first == u"ALTER" || first == u"CREATE" || first == u"DROP";
    });
    return changes;
}

QString labelOf(const Step& step, const QString& text)
{
    return step.label.isEmpty() ? text : step.label;
}

} // namespace

StepRun::StepRun(db::Server server, StepOrder order)
    : m_server(std::move(server))
    , m_order(std::move(order))
{
    RunOrder& run = m_order.run;
    if (run.sessions == 0)
        run.sessions = std::max(2, run.scenario->leastSessions);
    m_order.rounds = std::max(m_order.rounds, 1);
}

StepRun::~StepRun() = default;

const ScenarioSession& StepRun::session(std::size_t at) const
{
    return m_sessions->session(int(at) + 1);
}

Result<std::unique_ptr<StepRun>> StepRun::start(
    const db::Server& server, const StepOrder& order, const std::stop_token& stop)
{
    std::unique_ptr<StepRun> run(new StepRun(server, order));
    LOCKSCOPE_TRY(run->open(stop));
    return run;
}

microseconds StepRun::now() const
{
    return std::chrono::duration_cast<microseconds>(Steady::now() - m_start);
}

const std::vector<ProgramLine>& StepRun::program(int session) const
{
    return m_programs[std::size_t(session) - 1];
}

const Step& StepRun::nextStep(int session) const
{
    return m_sessions->session(session).nextStep();
}

QString StepRun::nextLock(int session) const
{
    return m_sessions->session(session).nextLock();
}

Result<void> StepRun::open(const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(auto prepared, prepareRun(m_server, m_order.run, stop));
    m_run = std::make_unique<PreparedRun>(std::move(prepared));
    m_run->context.isStepped = true;
    m_waits = std::make_unique<WaitInspector>(m_run->context);
    m_isRestorable = false;
    m_steps.assign(m_run->roles.size(), SteppedSession(m_order.rounds));
    m_sessions = std::make_unique<SessionThreads>(*m_run, maxStepEvents);
    setUpViews();
    LOCKSCOPE_TRY(startAll(stop));
    // The first check takes longer: it opens a connection.
    std::ignore = m_waits->inspect(stop);
    begin();
    return {};
}

void StepRun::setUpViews()
{
    m_programs.clear();
    m_lines.clear();
    m_views.clear();
    for (std::size_t i = 0; i < m_run->roles.size(); ++i) {
        const Role& role = *m_run->roles[i];
        auto& program = m_programs.emplace_back();
        auto& lines = m_lines.emplace_back();
        for (const auto* const steps : {&role.program, &role.atLast})
            for (const Step& step : *steps) {
                const bool isMishap =
                    std::holds_alternative<FailStep>(step.act) || std::holds_alternative<DieStep>(step.act);
                if (!isListed(step, m_run->context.values) || (isMishap && i > 0))
                    continue;
                const QString text =
                    stepText(step, m_server.engine(), m_run->context.values, m_run->context.identifiers);
                program.push_back({labelOf(step, text), text, steps == &role.atLast});
                lines.push_back(&step);
            }
        SteppedView& view = m_views.emplace_back();
        view.number = int(i) + 1;
        view.letter = sessionLetter(view.number);
        view.role = role.name;
    }
}

void StepRun::begin()
{
    m_record = {};
    m_times.clear();
    m_record.scenario = m_order.run.scenario->id;
    m_record.variant = m_run->context.variant->id;
    m_record.engine = m_server.engine();
    m_record.sessions = int(m_views.size());
    m_record.rounds = m_order.rounds;
    m_record.seed = m_run->context.seed;
    m_record.parameters = m_order.run.parameters;
    m_latest.assign(m_views.size(), {});
    m_tableHolders.clear();
    m_start = Steady::now();
    m_lastBlocked = {};
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        session(i).log().startAt(m_start);
        m_latest[i].id = session(i).sessionId();
        m_views[i].stepsDone = 0;
        m_views[i].lastOutcome = StepOutcome::Done;
        m_views[i].round = 1;
        m_views[i].done.assign(m_programs[i].size(), {});
        showNext(i);
    }
}

/// Has all go to their first step.
Result<void> StepRun::startAll(const std::stop_token& stop)
{
    m_sessions->giveAll([this](ScenarioSession& session, const std::stop_token& cancelled) {
        return m_steps[std::size_t(session.number()) - 1].startOver(session, cancelled);
    });
    while (!m_sessions->waitForRest(milliseconds(100)))
        if (stop.stop_requested())
            m_sessions->cancel();
    if (const auto error = m_sessions->error())
        return Failure(*error);
    if (stop.stop_requested())
        return failure(ErrorKind::Cancelled, u"The steps were stopped."_s);
    return {};
}

Result<void> StepRun::step(int session, const std::stop_token& stop, milliseconds patience)
{
    const auto at = std::size_t(session) - 1;
    if (session < 1 || at >= m_views.size())
        return failure(ErrorKind::BadInput, u"There is no session %1."_s.arg(session));
    SteppedView& view = m_views[at];
    if (view.standing != Standing::Ready)
        return failure(
            ErrorKind::BadInput, u"Session %1 has no step that could be run now."_s.arg(view.letter));
    if (const auto early = m_lastBlocked + deadlockCheck[m_server.engine()] - Steady::now();
        early.count() > 0)
        sleepFor(early, stop);

    const ScenarioSession& stepped = m_sessions->session(session);
    StepRecord record;
    record.session = session;
    record.step = ++view.stepsDone;
    record.label = view.label;
    record.text = view.text;
    record.isEnded = false;
    const Step& next = stepped.nextStep();
    const auto* const acquire = std::get_if<AcquireStep>(&next.act);
    if (view.line >= 0)
        view.done[std::size_t(view.line)] = {view.text, {}};
    m_latest[at] = {.record = m_record.steps.size(),
        .step = &next,
        .line = view.line,
        .lock = stepped.nextLock(),
        .lockText = acquire ? lockText(*acquire, stepped.values()) : QString(),
        .begun = Steady::now(),
        .id = stepped.sessionId()};
    m_record.steps.push_back(std::move(record));
    m_times.push_back({now(), {}});
    m_record.violations.clear();
    view.standing = Standing::Running;
    m_sessions->give(session, [steps = &m_steps[at]](ScenarioSession& of, const std::stop_token& cancelled) {
        return steps->step(of, cancelled);
    });
    return settle(stop, patience);
}

Result<void> StepRun::refresh(const std::stop_token& stop, milliseconds patience)
{
    return settle(stop, patience);
}

/// Waits until every step is done, or known to be blocked by others.
Result<void> StepRun::settle(const std::stop_token& stop, milliseconds patience)
{
    const auto begun = Steady::now();
    auto pause = firstPoll;
    while (true) {
        const quint64 seen = m_sessions->completed();
        LOCKSCOPE_TRY(noteEnded());
        const bool isBusy =
            std::ranges::any_of(m_latest, [](const Latest& latest) { return latest.record.has_value(); });
        if (!isBusy)
            return {};
        if (stop.stop_requested())
            return failure(ErrorKind::Cancelled, u"The steps were stopped."_s);
        if (m_sessions->waitForMore(seen, pause))
            continue;
        LOCKSCOPE_TRY_GET(const auto inspected, inspectWaits(stop));
        const auto taken = Steady::now() - begun;
        const bool isPatient = patience.count() < 0 || taken < patience;
        if (m_sessions->completed() == seen
            && ((inspected && (!hasCycle() || taken > maxCycleTime)) || !isPatient)) {
            m_lastBlocked = Steady::now();
            return {};
        }
        pause = std::min(pause * 2, slowestPoll);
    }
}

/// Takes note of the steps that have come to their end meanwhile.
Result<void> StepRun::noteEnded()
{
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        Latest& latest = m_latest[i];
        if (!latest.record || m_sessions->isBusy(int(i) + 1))
            continue;
        // Asked once it is at rest: a session that fails says so before it is.
        if (const auto error = m_sessions->error())
            return Failure(*error);
        StepRecord& record = m_record.steps[*latest.record];
        record.isEnded = true;
        record.outcome = m_steps[i].outcome();
        m_times[*latest.record].ended = now();
        // Its wait may have ended before anybody could check.
        record.isBlocked = record.isBlocked || record.outcome == StepOutcome::Victim;
        m_views[i].lastOutcome = record.outcome;
        noteRead(i);
        latest.record.reset();
        latest.id = session(i).sessionId();
        if (!latest.lock.isEmpty() && session(i).holds(latest.lock))
            m_tableHolders[latest.lock] = int(i) + 1;
        showNext(i);
    }
    return {};
}

void StepRun::showNext(std::size_t at)
{
    SteppedView& view = m_views[at];
    const SteppedSession& steps = m_steps[at];
    view.blockers.clear();
    view.otherBlockers.clear();
    view.blockedOn.clear();
    const int round = std::min(steps.rounds() + 1, m_order.rounds);
    if (round != view.round)
        view.done.assign(view.done.size(), {});
    view.round = round;
    view.standing = steps.isOver() ? Standing::Over : Standing::Ready;
    view.line = -1;
    view.label.clear();
    view.text.clear();
    if (steps.isOver())
        return;
    const Step& next = session(at).nextStep();
    const auto* const acquire = std::get_if<AcquireStep>(&next.act);
    view.hasLimit = acquire && acquire->waitMs.in(session(at).values()) > 0;
    const auto& lines = m_lines[at];
    const auto line = std::ranges::find(lines, &next);
    view.line = line == lines.end() ? -1 : int(line - lines.begin());
    view.text = session(at).nextText();
    view.label = labelOf(next, view.text);
}

bool StepRun::isOver() const
{
    return std::ranges::all_of(m_views, [](const SteppedView& view) {
        return view.standing == Standing::Over || view.standing == Standing::Blocked;
    });
}

bool StepRun::isStuck() const
{
    return isOver() && std::ranges::any_of(m_views, [](const SteppedView& view) {
        return view.standing == Standing::Blocked;
    });
}

Result<void> StepRun::restart(const std::stop_token& stop)
{
    m_sessions.reset();
    m_waits.reset();
    m_tables.reset();
    m_run.reset();
    return open(stop);
}

Result<void> StepRun::startOver(quint32 seed, const std::stop_token& stop)
{
    m_order.run.seed = seed;
    RunSchema& area = *m_run->area;
    const bool isFresh = m_record.steps.empty();
    if (isFresh && !m_isRestorable && !changesTables(*m_run->context.variant, m_server.engine()))
        m_isRestorable = area.remember().has_value();
    if (!m_isRestorable)
        return isFresh && m_run->context.seed == seed ? Result<void>() : restart(stop);
    m_run->context.seed = seed;
    m_sessions->cancel();
    while (!m_sessions->waitForRest(milliseconds(100))) { } // what they say about it doesn't matter
    LOCKSCOPE_TRY(startAll(stop));
    if (auto restored = area.restore(); !restored)
        return restart(stop);
    begin();
    return {};
}

std::vector<qint64> StepRun::draws() const
{
    std::vector<qint64> all;
    for (std::size_t i = 0; i < m_views.size(); ++i)
        all.insert(all.end(), session(i).draws().begin(), session(i).draws().end());
    return all;
}

Result<Violations> StepRun::judge()
{
    const Scenario& scenario = *m_order.run.scenario;
    Rules rules = scenario.rules;
    rules.longestWaitMs.reset();
    LOCKSCOPE_TRY_GET(auto violations, scenario::judge(*m_run, rules, reports(), now()));
    if (scenario.rules.longestWaitMs)
        violations.violations[RunRule::LongestWait] =
            !isStuck() ? 0 : std::ranges::count_if(m_views, [](const SteppedView& view) {
                return view.standing == Standing::Blocked;
            });
    m_record.violations = violations.violations;
    return violations;
}

std::vector<SessionReport> StepRun::reports() const
{
    return m_sessions->reports();
}

/// Notes the values that the ended step has read.
void StepRun::noteRead(std::size_t at)
{
    const Latest& latest = m_latest[at];
    const auto line = std::size_t(latest.line);
    SteppedView& view = m_views[at];
    if (latest.line < 0 || line >= view.done.size() || view.lastOutcome != StepOutcome::Done)
        return;
    QStringList names;
    if (const auto* const sql = std::get_if<SqlStep>(&latest.step->act))
        names = sql->into;
    else if (const auto* const acquire = std::get_if<AcquireStep>(&latest.step->act);
             acquire && !acquire->fencingInto.isEmpty())
        names << acquire->fencingInto;
    const Values& values = session(at).values();
    const QStringList read = textOfEach(
        names, [&values](const QString& name) { return u"%1 = %2"_s.arg(name, textOf(values.value(name))); });
    view.done[line].read = read.join(u", "_s);
}

Result<std::vector<TableState>> StepRun::tables(const std::stop_token& stop)
{
    if (!m_tables)
        m_tables = std::make_unique<TableReader>(m_run->context);
    return m_tables->read(stop);
}

} // namespace lockscope::scenario
