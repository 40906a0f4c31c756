// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Diagnosis.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/Aftermath.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Engine.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/SnapshotNames.h"

#include <algorithm>
#include <cmath>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

// Between two statements of a busy client nobody is stuck yet.
constexpr milliseconds briefly{5'000};

milliseconds sinceThen(const Snapshot& snapshot, const std::optional<ServerTime>& time)
{
    return time ? ageOf(*time, snapshot.takenAt) : milliseconds(0);
}

QString forDuration(milliseconds duration)
{
    return duration.count() > 0 ? u" for "_s + durationInWords(duration) : QString();
}

Diagnosis preparedTransaction(const Snapshot& snapshot, SessionId id)
{
    const Session* session = snapshot.session(id);
    const milliseconds lasting = session ? sinceThen(snapshot, session->stateSince) : milliseconds(0);
    const QString literal = preparedLiteral(snapshot, id);
    Diagnosis diagnosis{.kind = Diagnosis::Kind::PreparedTransaction, .lasting = lasting};
    diagnosis.summary =
        u"a prepared transaction%1: it keeps its locks until somebody commits or rolls it back"_s.arg(
            forDuration(lasting));
    diagnosis.remedy = literal.isEmpty()
        ? u"Find it in pg_prepared_xacts, then COMMIT PREPARED or ROLLBACK PREPARED. No session is left that could be ended."_s
        : u"COMMIT PREPARED %1; or ROLLBACK PREPARED %1; in database %2: its transaction manager may still have to decide. No session is left that could be ended."_s
              .arg(literal, session->database);
    return diagnosis;
}

Diagnosis orphanedTransaction(const Session* session)
{
    const bool known = session && !session->unitOfWork.isEmpty();
    return {.kind = Diagnosis::Kind::OrphanedTransaction,
        .summary =
            u"an orphaned distributed transaction: it keeps its locks until its coordinator or somebody else ends it"_s,
        .remedy = known
            ? u"Let its coordinator (MSDTC) finish it. If that is gone, end it by its unit of work: KILL '%1'."_s
                  .arg(session->unitOfWork)
            : u"Let its coordinator (MSDTC) finish it. If that is gone, find its unit of work in sys.dm_tran_locks (request_owner_guid of session -2) and KILL that."_s};
}

/// The ids that SQL Server gives to blockers that are no sessions.
Diagnosis serverInternal(SessionId id)
{
    if (id == unidentifiedHolder)
        return {.kind = Diagnosis::Kind::NotSeen,
            .summary = u"somebody: this server does not say who"_s,
            .remedy = u"Ask among those who use Lockscope: the name of the lock says what for."_s};
    Diagnosis diagnosis{.kind = Diagnosis::Kind::ServerInternal};
    if (id.value == -3) {
        diagnosis.summary =
            u"a transaction whose recovery is deferred: its database or file is not available"_s;
        diagnosis.remedy = u"Bring the file group online or restore it; then its locks are released."_s;
    } else {
        diagnosis.summary = u"a latch whose owner the server can't tell at this moment"_s;
        diagnosis.remedy = u"Look again: latches change hands within milliseconds."_s;
    }
    return diagnosis;
}

Diagnosis rollingBack(const Session& session, milliseconds lasting)
{
    QString progress;
    if (session.percentDone && *session.percentDone > 0)
        progress += u", %1 % done"_s.arg(std::floor(*session.percentDone));
    if (session.timeLeft && session.timeLeft->count() > 0)
        progress += u", about %1 left"_s.arg(durationInWords(*session.timeLeft));
    return {.kind = Diagnosis::Kind::RollingBack,
        .lasting = lasting,
        .summary =
            u"rolling back%1%2: its locks stay until it is through"_s.arg(forDuration(lasting), progress),
        .remedy = u"Wait. Ending it again does not make it faster, and a restart makes it slower."_s};
}

Diagnosis inRing(const Snapshot& snapshot, const std::vector<SessionId>& ring)
{
    return {.kind = Diagnosis::Kind::DeadlockCycle,
        .summary = u"deadlock: sessions %1 wait for each other in a ring"_s.arg(sessionNames(snapshot, ring)),
        .remedy = snapshot.engine == Engine::SqlServer
            ? u"The server looks for deadlocks every few seconds and makes one of them fail. If it does not, end one of them."_s
            : u"The server finds it within its deadlock time-out and makes one of them fail. If it does not, cancel the statement of one of them."_s};
}

/// Returns what happens to the locks of a session that is ended.
QString whatEndingDoes(Engine engine)
{
    return rollbackTakesTime[engine]
        ? u"its transaction is rolled back, which can take as long as its work did, and its locks stay until then."_s
        : u"its transaction is rolled back and its locks are free at once. Cancelling does nothing, because no statement runs."_s;
}

Diagnosis idleInTransaction(Engine engine, const Session& session, milliseconds lasting)
{
    const bool failed = session.state == SessionState::IdleInFailedTransaction;
    Diagnosis diagnosis;
    diagnosis.kind = failed ? Diagnosis::Kind::IdleInFailedTransaction : Diagnosis::Kind::IdleInTransaction;
    diagnosis.lasting = lasting;
    diagnosis.summary = (failed ? u"idle in a failed transaction"_s : u"idle in transaction"_s)
        + forDuration(lasting)
        + (lasting < briefly ? u": waiting for its client's next statement"_s
                             : u": nothing will happen until somebody ends it or the client goes on"_s);
    diagnosis.remedy = failed
        ? u"Its client must roll back. If the client is gone or stuck, end the session: nothing is lost that was not lost by the error already."_s
        : u"Its client must commit or roll back. If the client is gone or stuck, end the session: "_s
            + whatEndingDoes(engine);
    return diagnosis;
}

bool waitsForClient(const Session& session)
{
    return session.waitEvent.startsWith("Client"_L1) // PostgreSQL's class of such waits
        || session.waitEvent == "ASYNC_NETWORK_IO"_L1 || session.waitEvent == "NET_WAITFOR_PACKET"_L1;
}

Diagnosis running(Engine engine, const Session& session, milliseconds lasting, milliseconds longRunning)
{
    const bool mayCancel = canCancelStatements(engine);
    if (waitsForClient(session)) {
        return {.kind = Diagnosis::Kind::WaitingForClient,
            .lasting = lasting,
            .summary =
                u"its statement%1 waits for the client to take rows or send data"_s.arg(forDuration(lasting)),
            .remedy = mayCancel
                ? u"Look at the client or the network between. If the client is stuck, cancel the statement or end the session."_s
                : u"Look at the client or the network between. If the client is stuck, end the session."_s};
    }
    const bool isLong = lasting >= longRunning;
    return {.kind = isLong ? Diagnosis::Kind::RunningLong : Diagnosis::Kind::Running,
        .lasting = lasting,
        .summary = u"running"_s + forDuration(lasting)
            + (isLong ? u": a long statement keeps its locks until its transaction ends"_s
                      : u": it works, and keeps its locks until its transaction ends"_s),
        .remedy = !isLong ? u"Give it a moment: it is doing its work."_s
            : mayCancel
            ? u"Wait until it is done, or cancel the statement: its work so far is rolled back."_s
            : u"Wait until it is done, stop it in its program, or end the session: its work so far is rolled back, which can take as long as the work did."_s};
}

} // namespace

QString Diagnosis::withoutDuration() const
{
    const QString text = forDuration(lasting);
    return text.isEmpty() ? summary : QString(summary).remove(text);
}

Diagnoser::Diagnoser(const Snapshot& snapshot)
    : m_snapshot(snapshot)
{
    std::vector<bool> awaited(snapshot.resources.size(), false);
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        awaited[request.resource] = true;
        const LockRequest*& longest = m_longestWaits[request.session];
        if (!longest || request.since < longest->since)
            longest = &request;
    }
    for (const LockRequest& request : snapshot.requests) {
        const Resource& resource = snapshot.resourceOf(request);
        if (request.isWaiting() || resource.internal || resource.key.kind != ResourceKind::ApplicationLock)
            continue;
        const LockRequest*& known = m_applicationLocks[request.session];
        if (!known || (awaited[request.resource] && !awaited[known->resource]))
            known = &request;
    }
}

Diagnosis Diagnoser::waiting(SessionId session) const
{
    const BlockingGraph& graph = m_snapshot.blocking();
    const LockRequest* request = m_longestWaits.value(session);
    const auto age = request ? m_snapshot.ageOf(*request) : std::nullopt;
    const milliseconds lasting = age ? age->value : milliseconds(0);
    const std::vector<SessionId> directly = graph.blockersOf(session);
    const QString blockers = sessionNames(m_snapshot, directly);
    Diagnosis diagnosis{.kind = Diagnosis::Kind::Waiting, .lasting = lasting};
    diagnosis.summary = u"waiting"_s + forDuration(lasting);
    if (request)
        diagnosis.summary += u" for %1 on %2"_s.arg(
            request->mode.title().toLower(), resourceTitle(m_snapshot.resourceOf(*request)));
    if (blockers.isEmpty()) {
        diagnosis.remedy = u"Nobody in this snapshot blocks it: it should go on at once."_s;
        return diagnosis;
    }
    diagnosis.summary += u", behind "_s + blockers;
    diagnosis.remedy = u"It goes on by itself as soon as %1 gives way."_s.arg(blockers);
    if (const SessionId head = graph.headOf(session);
        head.isValid() && !std::ranges::binary_search(directly, head))
        diagnosis.remedy += u" The chain ends at %1: look there first."_s.arg(sessionName(m_snapshot, head));
    return diagnosis;
}

Diagnosis Diagnoser::idle(const Session& session, milliseconds lasting) const
{
    if (const LockRequest* lock = m_applicationLocks.value(session.id)) {
        return {.kind = Diagnosis::Kind::IdleHoldingApplicationLock,
            .lasting = lasting,
            .summary = u"idle%1 while holding %2"_s.arg(
                           forDuration(lasting), resourceTitle(m_snapshot.resourceOf(*lock)))
                + (lasting < briefly ? QString() : u": a release may have been forgotten"_s),
            .remedy =
                u"The lock belongs to the session, not to a transaction: its program must release it or disconnect. If it does neither, end the session."_s};
    }
    return {.kind = Diagnosis::Kind::Idle,
        .lasting = lasting,
        .summary = u"idle"_s + forDuration(lasting),
        .remedy = u"Nothing to do: it waits for its client and is in nobody's way."_s};
}

Diagnosis Diagnoser::of(SessionId id, milliseconds longRunning) const
{
    Diagnosis diagnosis = byItself(id, longRunning);
    if (const auto other = otherActThanEnding(m_snapshot, id))
        diagnosis.remedy = sentences({diagnosis.remedy, other->toString()});
    return diagnosis;
}

Diagnosis Diagnoser::byItself(SessionId id, milliseconds longRunning) const
{
    if (isPrepared(m_snapshot, id))
        return preparedTransaction(m_snapshot, id);
    const Session* session = m_snapshot.session(id);
    if (m_snapshot.engine == Engine::SqlServer && id.value < 0) {
        const bool isOrphan = id.value == -2 || (session && !session->unitOfWork.isEmpty());
        return isOrphan ? orphanedTransaction(session) : serverInternal(id);
    }
    if (const std::vector<SessionId>* ring = m_snapshot.blocking().ringOf(id))
        return inRing(m_snapshot, *ring);
    if (!m_snapshot.blocking().blockersOf(id).empty() || m_longestWaits.contains(id))
        return waiting(id);
    if (!session)
        return {.kind = Diagnosis::Kind::NotSeen,
            .summary = u"not among the sessions any more"_s,
            .remedy = u"It has ended meanwhile; the next poll shows who comes next."_s};
    const milliseconds inState = sinceThen(m_snapshot, session->stateSince);
    switch (session->state) {
    case SessionState::IdleInTransaction:
    case SessionState::IdleInFailedTransaction:
        return idleInTransaction(m_snapshot.engine, *session, inState);
    case SessionState::RollingBack:
        return rollingBack(*session, inState);
    case SessionState::Idle:
        return idle(*session, inState);
    case SessionState::Background:
        return {.kind = Diagnosis::Kind::Background,
            .lasting = inState,
            .summary = u"a worker of the server itself"_s,
            .remedy = u"It ends by itself. Server workers can't be ended from here."_s};
    case SessionState::Active:
        return running(m_snapshot.engine, *session,
            std::max(inState, sinceThen(m_snapshot, session->statementStarted)), longRunning);
    case SessionState::Unknown:
    case SessionState::Hidden:
        break;
    }
    return {.kind = Diagnosis::Kind::Hidden,
        .summary = u"our role may not see what it does"_s,
        .remedy =
            u"Ask an administrator to run the GRANT in the notice of this page, which can be copied there."_s};
}

Cure cureOf(Diagnosis::Kind kind, Engine engine)
{
    switch (kind) {
    case Diagnosis::Kind::PreparedTransaction:
        return Cure::EndPrepared;
    case Diagnosis::Kind::Hidden:
        return Cure::GetRights;
    case Diagnosis::Kind::RunningLong:
        return canCancelStatements(engine) ? Cure::CancelStatement : Cure::EndSession;
    case Diagnosis::Kind::OrphanedTransaction:
    case Diagnosis::Kind::IdleInFailedTransaction:
    case Diagnosis::Kind::IdleInTransaction:
    case Diagnosis::Kind::IdleHoldingApplicationLock:
    case Diagnosis::Kind::WaitingForClient:
    case Diagnosis::Kind::Idle:
        return Cure::EndSession;
    case Diagnosis::Kind::NotSeen:
    case Diagnosis::Kind::ServerInternal:
    case Diagnosis::Kind::DeadlockCycle:
    case Diagnosis::Kind::Waiting:
    case Diagnosis::Kind::RollingBack:
    case Diagnosis::Kind::Running:
    case Diagnosis::Kind::Background:
        break;
    }
    return Cure::Wait;
}

Diagnosis diagnose(const Snapshot& snapshot, SessionId id, milliseconds longRunning)
{
    return Diagnoser(snapshot).of(id, longRunning);
}

} // namespace lockscope
