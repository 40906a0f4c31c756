// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SteppedSession.h"

#include "core/base/EnumTable.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

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
