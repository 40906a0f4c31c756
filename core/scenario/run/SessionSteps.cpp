// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The steps of a session that are no statements and no locks, and those that it does by order.

#include "core/base/EnumTable.h"
#include "core/base/Mutex.h"
#include "core/base/Sentences.h"
#include "core/scenario/run/PreparedRun.h"
#include "core/scenario/run/ScenarioSession.h"

#include <algorithm>

namespace lockscope::scenario {

namespace {

/// After a pause of this length a session checks whether somebody has ended it meanwhile.
constexpr milliseconds longThought{1'000};

} // namespace

double ScenarioSession::random()
{
    ++m_drawn;
    return m_random.generateDouble();
}

bool ScenarioSession::nextIsSilent() const
{
    struct IsSilent {
        const ScenarioSession& session;
        bool operator()(const DrawStep&) const { return true; }
        bool operator()(const EachStep&) const { return true; }
        bool operator()(const EachEndStep&) const { return true; }
        bool operator()(const ProcessedStep&) const { return true; }
        bool operator()(const EndStep&) const { return true; }
        bool operator()(const FailStep&) const { return !session.isSteppedMishap(); }
        bool operator()(const DieStep&) const { return !session.isSteppedMishap(); }
        bool operator()(const ReleaseStep& step) const { return !session.m_grants.contains(step.as); }
        bool operator()(const SettleStep&) const { return !session.m_reader || session.m_packet.empty(); }
        bool operator()(const ThinkStep& step) const { return !isSteppedPause(step, session.m_values); }
        bool operator()(const SqlStep&) const { return false; }
        bool operator()(const TransactionStep&) const { return false; }
        bool operator()(const AcquireStep&) const { return false; }
        bool operator()(const TakeStep&) const { return false; }
        bool operator()(const CriticalStep&) const { return false; }
    };
    return std::visit(IsSilent{*this}, nextStep().act);
}

ScenarioSession::Done ScenarioSession::run(const EndStep&)
{
    return Flow{Flow::Kind::EndWhole, 0};
}

ScenarioSession::Done ScenarioSession::run(const TakeStep& step)
{
    auto& queue = m_queues[&step];
    if (!queue) {
        locks::QueueTable table = step.queue;
        table.schema = m_context.schema;
        table.redeliverAfter = milliseconds(step.redeliverMs.in(m_values));
        LOCKSCOPE_TRY_GET(queue, locks::QueueReader::create(*m_connection, std::move(table)));
    }
    auto taken = queue->take(int(step.packet.in(m_values)));
    if (!taken)
        return explained(taken.error(), {});
    m_packet = std::move(*taken);
    m_reader = queue.get();
    m_lists[step.into] = textOfEach(m_packet, &locks::QueueRow::key);
    if (m_packet.empty())
        return Flow{Flow::Kind::EndIdle, 0};
    return Flow();
}

ScenarioSession::Done ScenarioSession::run(const SettleStep& step)
{
    if (!m_reader || m_packet.empty())
        return Flow();
    const auto settled = step.isDone ? m_reader->done(m_packet) : m_reader->giveBack(m_packet);
    m_packet.clear();
    if (!settled)
        return explained(settled.error(), {});
    return Flow();
}

ScenarioSession::Done ScenarioSession::run(const ThinkStep& step, const std::stop_token& stop)
{
    if (m_context.isStepped && nextIsSilent())
        return Flow();
    const qint64 least = step.leastMs.in(m_values);
    const qint64 maximum = std::max(step.maxMs.in(m_values), least);
    // In microseconds, so that sessions don't fall into step.
    const auto time = microseconds(least * 1'000 + qint64(random() * double(maximum - least) * 1'000));
    const auto until = Steady::now() + time;
    // A session with a long pause notices, where the engine shows it, that somebody has ended it meanwhile.
    const bool notices = time >= longThought && m_connection->dialect().can(db::Capability::Notifications);
    auto whole = std::chrono::floor<milliseconds>(time);
    while (notices && whole.count() > 0 && !stop.stop_requested()) {
        if (const auto waited = m_connection->waitForNotification(whole, stop); !waited)
            return explained(waited.error(), stop);
        whole = std::chrono::floor<milliseconds>(until - Steady::now());
    }
    if (stop.stop_requested() || (whole.count() > 0 && !sleepFor(whole, stop)))
        return Flow{Flow::Kind::Stop, 0};
    std::this_thread::sleep_until(until);
    return Flow();
}

ScenarioSession::Done ScenarioSession::run(const DrawStep& step)
{
    const qint64 drawn = drawnBy(random(), {step.from.in(m_values), step.to.in(m_values)});
    m_values[step.into] = drawn;
    if (m_context.isStepped)
        m_draws.push_back(drawn);
    return Flow();
}

ScenarioSession::Done ScenarioSession::run(const CriticalStep& step)
{
    const QString name = step.name.filled(m_values);
    if (step.begins) {
        m_sections << name;
        m_log.note(EventKind::CriticalBegin, name);
    } else if (m_sections.removeOne(name)) {
        m_log.note(EventKind::CriticalEnd, name);
    }
    return Flow();
}

ScenarioSession::Done ScenarioSession::run(const ProcessedStep& step)
{
    m_log.note(EventKind::Processed, step.item.filled(m_values));
    return Flow();
}

ScenarioSession::Done ScenarioSession::run(const EachStep& step)
{
    const QStringList& list = m_lists[step.list];
    const qsizetype place = m_places.value(step.list, 0);
    if (place >= list.size()) {
        m_places.remove(step.list);
        return Flow{Flow::Kind::Jump, step.end + 1};
    }
    m_values[step.as] = valueOf(list[place]);
    m_places[step.list] = place + 1;
    return Flow();
}

ScenarioSession::Done ScenarioSession::run(const EachEndStep& step)
{
    return Flow{Flow::Kind::Jump, step.begin};
}

bool ScenarioSession::happens(const Amount& oneIn)
{
    if (m_context.isStepped)
        return isSteppedMishap();
    const qint64 rounds = std::max<qint64>(oneIn.in(m_values), 1);
    return random() * double(rounds) < 1;
}

ScenarioSession::Done ScenarioSession::run(const FailStep& step)
{
    if (!happens(step.oneIn))
        return Flow();
    m_log.note(EventKind::Failed);
    return Flow{Flow::Kind::EndEarly, 0};
}

ScenarioSession::Done ScenarioSession::run(const DieStep& step, const std::stop_token& stop)
{
    if (!happens(step.oneIn))
        return Flow();
    leaveCriticalSections();
    m_log.note(EventKind::Died);
    const milliseconds restart(step.restartMs.in(m_values));
    if (m_context.crash)
        m_context.crash({m_round, m_drawn, m_ending && m_ending->kind == Flow::Kind::EndWhole}, restart);
    close();
    if (!sleepFor(restart, stop))
        return Flow{Flow::Kind::Stop, 0};
    LOCKSCOPE_TRY(open());
    m_log.note(EventKind::Restarted);
    return Flow{Flow::Kind::EndDead, 0};
}

// --- Steps by order ----------------------------------------------------------------------------------------

namespace {

struct OutcomeName {
    QStringView key;
    QStringView text;
};
constexpr EnumTable<StepOutcome, OutcomeName> outcomeNames({
    {u"done", u"done"},
    {u"denied", u"denied: somebody else has the lock"},
    {u"deadlock_victim", u"deadlock victim: the round is over"},
    {u"conflict", u"refused: somebody else has changed it meanwhile"},
    {u"duplicate_key", u"duplicate key"},
    {u"lost_lock", u"the lock was somebody else's already"},
    {u"failed", u"the program made a mistake"},
    {u"died", u"the connection is gone"},
    {u"cancelled", u"cancelled"},
});

/// In the order in which they count, if a step brought several.
constexpr std::pair<qint64 Counts::*, StepOutcome> outcomeOf[] = {{&Counts::victims, StepOutcome::Victim},
    {&Counts::conflicts, StepOutcome::Conflict}, {&Counts::duplicates, StepOutcome::DuplicateKey},
    {&Counts::deaths, StepOutcome::Died}, {&Counts::failures, StepOutcome::Failed},
    {&Counts::lost, StepOutcome::Lost}, {&Counts::denied, StepOutcome::Denied}};

} // namespace

QString outcomeKey(StepOutcome outcome)
{
    return outcomeNames[outcome].key.toString();
}

std::optional<StepOutcome> outcomeFrom(QStringView key)
{
    return enumeratorNamed(key.toString(), outcomeKey);
}

QString outcomeText(StepOutcome outcome)
{
    return outcomeNames[outcome].text.toString();
}

Result<void> SteppedSession::startOver(ScenarioSession& session, const std::stop_token& stop)
{
    session.log().clear();
    m_roundsDone = 0;
    LOCKSCOPE_TRY(session.startOver());
    return proceed(session, false, stop);
}

Result<void> SteppedSession::step(ScenarioSession& session, const std::stop_token& stop)
{
    const Counts before = session.log().counts();
    auto done = proceed(session, true, stop);
    const Counts now = session.log().counts();
    for (const auto& [count, outcome] : outcomeOf)
        if (m_outcome == StepOutcome::Done && now.*count > before.*count)
            m_outcome = outcome;
    return done;
}

/// Does the next step, if it is to be done whatever it is, and then those that nobody else can see.
Result<void> SteppedSession::proceed(ScenarioSession& session, bool evenIfSeen, const std::stop_token& stop)
{
    m_outcome = StepOutcome::Done;
    m_isOver = true; // unless it gets through
    for (bool isFirst = evenIfSeen; m_roundsDone < m_rounds && (isFirst || session.nextIsSilent());
         isFirst = false) {
        LOCKSCOPE_TRY_GET(const auto after, session.step(stop));
        if (after == ScenarioSession::After::Stopped) {
            m_outcome = StepOutcome::Cancelled;
            return {};
        }
        m_roundsDone += after == ScenarioSession::After::Next ? 0 : 1;
    }
    m_isOver = m_roundsDone >= m_rounds;
    return {};
}

} // namespace lockscope::scenario
