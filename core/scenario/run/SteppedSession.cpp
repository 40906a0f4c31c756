// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SteppedSession.h"

#include "core/base/EnumTable.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t maxStepEvents = 10'000;

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

void CompletionSignal::notify()
{
    const MutexLock guard(m_mutex);
    ++m_count;
    m_notified.notifyAll();
}

quint64 CompletionSignal::count() const
{
    const MutexLock guard(m_mutex);
    return m_count;
}

quint64 CompletionSignal::wait(quint64 seen, milliseconds atMost) const
{
    const MutexLock lock(m_mutex);
    m_notified.waitFor(m_mutex, atMost, [&]() LOCKSCOPE_REQUIRES(m_mutex) { return m_count > seen; });
    return m_count;
}

SteppedSession::SteppedSession(const RunContext& context, const Role& role, int number, QString name,
    int rounds, CompletionSignal& signal)
    : m_log(maxStepEvents)
    , m_session(context, role, number, std::move(name), m_log)
    , m_rounds(rounds)
    , m_signal(signal)
    , m_thread([this] { runTasks(); })
{
}

SteppedSession::~SteppedSession()
{
    cancel();
    {
        const MutexLock lock(m_mutex);
        m_taskChanged.wait(m_mutex, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_task == Task::None; });
    }
    give(Task::Quit);
    m_thread.join();
}

void SteppedSession::open()
{
    give(Task::Open);
}

void SteppedSession::step()
{
    give(Task::Step);
}

void SteppedSession::startOver()
{
    give(Task::StartOver);
}

void SteppedSession::cancel()
{
    m_stop.request_stop();
}

bool SteppedSession::isBusy() const
{
    const MutexLock guard(m_mutex);
    return m_task != Task::None;
}

void SteppedSession::give(Task task)
{
    m_stop = std::stop_source();
    const MutexLock guard(m_mutex);
    m_task = task;
    m_taskChanged.notifyAll();
}

void SteppedSession::runTasks()
{
    while (true) {
        Task task = Task::None;
        {
            const MutexLock lock(m_mutex);
            m_taskChanged.wait(
                m_mutex, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_task != Task::None; });
            task = m_task;
        }
        if (task == Task::Quit) {
            m_session.close(); // where it was opened
            return;
        }
        carryOut(task);
        {
            const MutexLock guard(m_mutex);
            m_task = Task::None;
            m_taskChanged.notifyAll();
        }
        m_signal.notify();
    }
}

void SteppedSession::carryOut(Task task)
{
    const Counts before = m_log.counts();
    Result<void> done;
    if (task == Task::Open) {
        done = m_session.open();
    } else if (task == Task::StartOver) {
        m_log.clear();
        m_roundsDone = 0;
        m_isOver = false;
        m_error.reset();
        done = m_session.startOver();
    }
    m_outcome = StepOutcome::Done;
    if (done)
        done = proceed(task == Task::Step);
    if (!done)
        m_error = done.error();
    m_isOver = m_isOver || !done;
    if (task == Task::Step)
        noteOutcome(before);
    const db::Connection* const connection = m_session.connection();
    m_sessionId = connection ? connection->sessionId() : SessionId();
    m_isInTransaction = connection && connection->inTransaction();
}

/// Does the next step, if it is to be done whatever it is, and then those that nobody else can see.
Result<void> SteppedSession::proceed(bool evenIfSeen)
{
    const std::stop_token stop = m_stop.get_token();
    for (bool isFirst = evenIfSeen; m_roundsDone < m_rounds && (isFirst || m_session.nextIsSilent());
         isFirst = false) {
        const auto after = m_session.step(stop);
        if (!after)
            return Failure(after.error());
        if (*after == ScenarioSession::After::Stopped) {
            m_outcome = StepOutcome::Cancelled;
            m_isOver = true;
            return {};
        }
        m_roundsDone += *after == ScenarioSession::After::Next ? 0 : 1;
    }
    m_isOver = m_roundsDone >= m_rounds;
    return {};
}

void SteppedSession::noteOutcome(const Counts& before)
{
    if (m_outcome == StepOutcome::Cancelled)
        return;
    const Counts now = m_log.counts();
    if (now.victims > before.victims)
        m_outcome = StepOutcome::Victim;
    else if (now.conflicts > before.conflicts)
        m_outcome = StepOutcome::Conflict;
    else if (now.duplicates > before.duplicates)
        m_outcome = StepOutcome::DuplicateKey;
    else if (now.deaths > before.deaths)
        m_outcome = StepOutcome::Died;
    else if (now.failures > before.failures)
        m_outcome = StepOutcome::Failed;
    else if (now.lost > before.lost)
        m_outcome = StepOutcome::Lost;
    else if (now.denied > before.denied)
        m_outcome = StepOutcome::Denied;
}

} // namespace lockscope::scenario
