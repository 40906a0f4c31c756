// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/ScenarioSession.h"

#include "core/base/Mutex.h"
#include "core/domain/Engine.h"
#include "core/scenario/run/PreparedRun.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

using locks::LockKind;

namespace {

/// Makes a waiter check for a deadlock itself.
constexpr PerEngine<const char*> deadlocksAtOnce{
    .postgres = "postgres/scenario/deadlocks_at_once", .sqlServer = nullptr, .sqlite = nullptr};

} // namespace

ScenarioSession::ScenarioSession(
    const RunContext& context, const Role& role, int number, QString sessionName, SessionLog& log)
    : m_context(context)
    , m_role(role)
    , m_number(number)
    , m_sessionName(std::move(sessionName))
    , m_log(log)
    , m_random(randomOf(context.seed, number))
    , m_values(context.values)
    , m_program(&role.program)
{
    m_values[u"session"_s] = qint64(number);
}

Result<void> ScenarioSession::open()
{
    const db::ConnectOptions options{.purpose = db::Purpose::Workload,
        .programSuffix = m_sessionName,
        .connectTimeout = milliseconds(20'000)}; // a crowd of them comes at once
    db::Server server = m_context.server;
    if (const QString program = this->program(); !program.isEmpty())
        server.profile.url.options.insert(u"application_name"_s, program);
    LOCKSCOPE_TRY_GET(m_connection, server.connect(options));
    // Takes a privilege that not everybody has; without it a deadlock is found a second later.
    if (const char* const hurry = deadlocksAtOnce[m_context.server.engine()]; hurry && m_context.isStepped)
        std::ignore = m_connection->execute(db::Statement::get(hurry));
    return {};
}

void ScenarioSession::close()
{
    for (const auto& grant : m_grants)
        grant->abandon();
    for (const auto& grant : m_forgotten)
        grant->abandon();
    m_grants.clear();
    m_forgotten.clear();
    m_packet.clear();
    m_reader = nullptr;
    m_queues.clear();
    m_strategies.clear();
    m_connection.reset();
}

Result<void> ScenarioSession::startOver()
{
    // Each by itself: what can't be given back any more is nobody's.
    for (const auto& grant : m_grants)
        std::ignore = grant->release();
    for (const auto& grant : m_forgotten)
        std::ignore = grant->release();
    if (m_connection
        && (!m_connection->isOpen() || (m_connection->inTransaction() && !m_connection->rollback())))
        close();
    m_grants.clear();
    m_forgotten.clear();
    m_packet.clear();
    m_reader = nullptr;
    m_random = randomOf(m_context.seed, m_number);
    m_drawn = 0;
    m_values = m_context.values;
    m_values[u"session"_s] = qint64(m_number);
    m_draws.clear();
    m_lists.clear();
    m_places.clear();
    m_sections.clear();
    m_rowLocks.clear();
    m_changedRows.clear();
    m_written.clear();
    m_program = &m_role.program;
    m_at = 0;
    m_round = 0;
    m_inRound = false;
    m_ending.reset();
    return m_connection ? Result<void>() : open();
}

QString ScenarioSession::nextText() const
{
    return stepText(nextStep(), m_context.server.engine(), m_values, m_context.identifiers);
}

QString ScenarioSession::nextLock() const
{
    const auto* const acquire = std::get_if<AcquireStep>(&nextStep().act);
    return acquire ? fullName(*acquire) : QString();
}

bool ScenarioSession::holds(const QString& lock) const
{
    return std::ranges::any_of(
        m_grants, [&lock](const auto& grant) { return grant->isHeld() && grant->name() == lock; });
}

QString ScenarioSession::program() const
{
    return m_role.programs.value((m_number - 1) % std::max<qsizetype>(m_role.programs.size(), 1));
}

QString ScenarioSession::fullName(const AcquireStep& step) const
{
    const bool isShared = step.kind == LockKind::Table || step.kind == LockKind::Application;
    return (isShared && m_role.programs.isEmpty() ? m_context.lockPrefix : QString())
        + step.name.filled(m_values);
}

Result<ScenarioSession::After> ScenarioSession::step(const std::stop_token& stop)
{
    if (!m_inRound) {
        m_inRound = true;
        m_values[u"round"_s] = ++m_round;
        m_log.note(EventKind::RoundBegin);
    }
    if (!m_connection)
        LOCKSCOPE_TRY(open());
    LOCKSCOPE_TRY_GET(const Flow flow, perform(nextStep(), stop));
    return go(flow);
}

ScenarioSession::Done ScenarioSession::perform(const Step& step, const std::stop_token& stop)
{
    return std::visit(
        [&](const auto& act) -> Done {
            if constexpr (requires { run(act, step.label, stop); })
                return run(act, step.label, stop);
            else if constexpr (requires { run(act, stop); })
                return run(act, stop);
            else
                return run(act);
        },
        step.act);
}

Result<ScenarioSession::After> ScenarioSession::go(const Flow& flow)
{
    switch (flow.kind) {
    case Flow::Kind::Next:
        ++m_at;
        return After::Next;
    case Flow::Kind::Jump:
        m_at = flow.to;
        return After::Next;
    case Flow::Kind::Stop:
        return After::Stopped;
    default:
        break;
    }
    if (m_ending)
        return endRound(*m_ending);
    // A program that is gone can't tidy up any more.
    if (flow.kind == Flow::Kind::EndDead || m_role.atLast.empty())
        return endRound(flow);
    leaveCriticalSections();
    rollBack();
    m_ending = flow;
    m_program = &m_role.atLast;
    m_at = 0;
    return After::Next;
}

Result<ScenarioSession::After> ScenarioSession::endRound(const Flow& flow)
{
    leaveCriticalSections();
    rollBack();
    m_lists.clear();
    m_places.clear();
    m_packet.clear();
    m_ending.reset();
    m_program = &m_role.program;
    m_at = 0;
    m_inRound = false;
    if (flow.kind == Flow::Kind::EndWhole)
        m_log.noteCompleteRound();
    else if (flow.kind == Flow::Kind::EndIdle)
        m_log.noteIdleRound();
    m_log.note(EventKind::RoundEnd);
    return flow.kind == Flow::Kind::EndIdle ? After::NothingToDo : After::RoundEnded;
}

void ScenarioSession::leaveCriticalSections()
{
    for (const QString& section : m_sections)
        m_log.note(EventKind::CriticalEnd, section);
    m_sections.clear();
}

void ScenarioSession::rollBack()
{
    m_written.clear();
    if (!m_connection || !m_connection->inTransaction())
        return;
    if (!m_connection->rollback())
        close();
    noteEndOfTransaction();
}

void ScenarioSession::noteWritten()
{
    for (const SessionLog::Note& each : std::exchange(m_written, {}))
        m_log.note(each);
}

void ScenarioSession::noteEndOfTransaction()
{
    for (const QString& lock : std::exchange(m_rowLocks, {}))
        m_log.note(EventKind::Released, lock);
    for (const QString& row : std::exchange(m_changedRows, {}))
        m_log.note(EventKind::RowFreed, row);
    for (auto grant = m_grants.begin(); grant != m_grants.end();) {
        if ((*grant)->isHeld() || !m_ofTransaction.contains(grant.key())) {
            ++grant;
            continue;
        }
        m_log.note(EventKind::Released, shownName(**grant));
        grant = m_grants.erase(grant);
    }
}

/// Returns an end that the race caused, or a real error.
ScenarioSession::Done ScenarioSession::explained(const Error& error, const std::stop_token& stop)
{
    const Flow over{Flow::Kind::EndEarly, 0};
    const bool isCancelled = error.kind == ErrorKind::Cancelled || error.kind == ErrorKind::Timeout;
    const bool isEnding = isCancelled && m_context.ending.stop_requested();
    if (stop.stop_requested() || isEnding)
        return Flow{Flow::Kind::Stop, 0};
    switch (error.kind) {
    case ErrorKind::Deadlock:
        m_log.note(EventKind::Victim);
        return over;
    case ErrorKind::Changed:
        m_log.note(EventKind::Conflict);
        return over;
    case ErrorKind::Duplicate:
        m_log.note(EventKind::DuplicateKey);
        return over;
    case ErrorKind::Timeout:
    case ErrorKind::Cancelled: // by an operator: not by us
        m_log.note(EventKind::Denied);
        return over;
    case ErrorKind::Connection:
        // Somebody has ended the session. The next round has a new one, or fails.
        if (!m_connection->isOpen()) {
            leaveCriticalSections();
            m_log.note(EventKind::Died);
            close();
            return Flow{Flow::Kind::EndDead, 0};
        }
        break;
    default:
        break;
    }
    return Failure(error);
}

const SqlTemplate::Filled& ScenarioSession::filled(const SqlTemplate& sql, const QString& label)
{
    const auto known = m_filled.find(&sql);
    if (known != m_filled.end())
        return known->second;
    return m_filled
        .emplace(&sql,
            sql.filled(m_context.server.engine(), m_context.scenario->id + u": "_s + label,
                [this](const QString& name) { return m_context.identifiers.value(name); }))
        .first->second;
}

ScenarioSession::Done ScenarioSession::run(
    const SqlStep& step, const QString& label, const std::stop_token& stop)
{
    const SqlTemplate::Filled& sql = filled(step.sql.at(m_context.server.engine()), label);
    const auto params = paramsOf(sql, m_values);
    for (const QString& name : step.into)
        m_values[name] = std::monostate();
    QStringList* const list = step.rowsInto.isEmpty() ? nullptr : &m_lists[step.rowsInto];
    if (list)
        list->clear();
    bool isFirst = true;
    const auto sink = [&](const db::Row& row) {
        if (list)
            *list << row.text(0);
        for (int i = 0; isFirst && i < step.into.size(); ++i)
            m_values[step.into[i]] = row.isNull(i) ? db::Param() : valueOf(row.text(i));
        isFirst = false;
    };
    const QString row = step.locksRow ? step.locksRow->filled(m_values) : QString();
    const bool isNewRow = step.locksRow && !m_changedRows.contains(row);
    if (isNewRow)
        m_log.note(EventKind::RowAsked, row);
    const auto asked = Steady::now();
    if (step.takesLock)
        m_log.note(EventKind::WaitBegin, label);
    const auto result = m_connection->execute(sql.statement, params, sink, stop);
    if (step.takesLock)
        m_log.noteWait(std::chrono::duration_cast<microseconds>(Steady::now() - asked));
    if (!result)
        return explained(result.error(), stop);
    if (step.takesLock) {
        m_log.note(EventKind::Granted, label);
        if (m_connection->inTransaction())
            m_rowLocks << label;
        else
            m_log.note(EventKind::Released, label);
    }
    if (isNewRow && *result > 0 && m_connection->inTransaction()) {
        m_log.note(EventKind::RowLocked, row);
        m_changedRows << row;
    }
    if (step.writesOver && *result > 0) {
        // The time of the statement: from then on others wait for the row, so that the order is certain.
        m_written.push_back({.kind = EventKind::WroteOver,
            .subject = step.writesOver->item.filled(m_values),
            .value = step.writesOver->seen.in(m_values),
            .at = Steady::now()});
        if (!m_connection->inTransaction())
            noteWritten();
    }
    if ((*result == 0 && step.endsWithoutRows) || (*result > 0 && step.endsWithRows))
        return Flow{Flow::Kind::EndIdle, 0};
    return Flow();
}

ScenarioSession::Done ScenarioSession::run(const TransactionStep& step, const std::stop_token& stop)
{
    Result<void> done;
    switch (step.act) {
    case TransactionStep::Act::Begin:
        done = m_connection->begin();
        break;
    case TransactionStep::Act::Commit:
        done = m_connection->commit();
        break;
    case TransactionStep::Act::Rollback:
        done = m_connection->rollback();
        break;
    }
    if (!done)
        return explained(done.error(), stop);
    if (step.act == TransactionStep::Act::Commit)
        noteWritten();
    m_written.clear();
    if (step.act != TransactionStep::Act::Begin)
        noteEndOfTransaction();
    return Flow();
}

Result<locks::LockStrategy*> ScenarioSession::strategy(LockKind kind)
{
    auto& known = m_strategies[kind];
    if (known)
        return known.get();
    locks::Surrogates surrogates;
    if (!m_context.schema.isEmpty())
        surrogates.schema = m_context.schema;
    LOCKSCOPE_TRY_GET(known, locks::LockStrategy::create(kind, *m_connection, nullptr, surrogates));
    return known.get();
}

ScenarioSession::Done ScenarioSession::run(const AcquireStep& step, const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(const auto lock, strategy(step.kind));
    const QString name = step.name.filled(m_values);
    locks::AcquireRequest request;
    request.name = fullName(step);
    request.mode = step.mode;
    request.owner = step.owner;
    request.wait = milliseconds(step.waitMs.in(m_values));
    request.lease = milliseconds(step.leaseMs.in(m_values));
    if (const QString program = this->program(); !program.isEmpty())
        request.party.program = program;
    if (request.wait != milliseconds(0))
        m_log.note(EventKind::WaitBegin, name);
    const auto asked = Steady::now();
    auto result = locks::acquire(*lock, request, stop);
    m_log.noteWait(std::chrono::duration_cast<microseconds>(Steady::now() - asked));
    if (!result)
        return explained(result.error(), stop);
    if (!locks::isGranted(result->outcome))
        return notGranted(step, result->outcome, name);
    m_log.note(EventKind::Granted, name);
    if (result->outcome == locks::Outcome::GrantedAfterWait)
        m_log.note(EventKind::Waited, name);
    if (!step.fencingInto.isEmpty())
        m_values[step.fencingInto] = result->grant.fencing();
    auto& held = m_grants[step.as];
    if (held && held->isHeld())
        m_forgotten.push_back(held);
    held = std::make_shared<locks::Grant>(std::move(result->grant));
    if (step.owner == LockOwner::Transaction)
        m_ofTransaction.insert(step.as);
    else
        m_ofTransaction.remove(step.as);
    return Flow();
}

ScenarioSession::Done ScenarioSession::notGranted(
    const AcquireStep& step, locks::Outcome outcome, const QString& name)
{
    if (outcome == locks::Outcome::Cancelled)
        return Flow{Flow::Kind::Stop, 0};
    m_log.note(outcome == locks::Outcome::DeadlockVictim ? EventKind::Victim : EventKind::Denied, name);
    if (outcome == locks::Outcome::TimedOut)
        m_log.note(EventKind::Waited, name);
    if (outcome != locks::Outcome::DeadlockVictim && step.otherwise >= 0)
        return Flow{Flow::Kind::Jump, step.otherwise};
    return Flow{Flow::Kind::EndEarly, 0};
}

/// Returns the name without the parts that only keep runs apart.
QString ScenarioSession::shownName(const locks::Grant& grant) const
{
    const QString& name = grant.name();
    return name.startsWith(m_context.lockPrefix) ? name.mid(m_context.lockPrefix.size()) : name;
}

ScenarioSession::Done ScenarioSession::run(const ReleaseStep& step)
{
    // Also an expired one: its release shows whether it was lost by that.
    const auto held = m_grants.take(step.as);
    if (!held)
        return Flow();
    const QString name = shownName(*held);
    const auto released = held->release();
    if (!released && released.error().kind != ErrorKind::Changed)
        return explained(released.error(), {});
    m_log.note(released ? EventKind::Released : EventKind::Lost, name);
    return Flow();
}

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
        LOCKSCOPE_TRY(after);
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
