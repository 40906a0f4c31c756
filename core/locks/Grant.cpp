// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/Grant.h"

#include "core/base/Sentences.h"
#include "core/db/LockTableRows.h"
#include "core/db/Statement.h"
#include "core/locks/GrantState.h"

#include <algorithm>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

Failure nothingHeld()
{
    return failure(
        ErrorKind::Changed, u"This lock is not held any more."_s, u"It was released or abandoned before."_s);
}

} // namespace

Grant::State::State(LockKind kind, const AcquireRequest& theRequest, std::shared_ptr<LockBackend> lockBackend,
    std::shared_ptr<LeaseKeeper> leaseKeeper)
    : request(theRequest)
    , backend(std::move(lockBackend))
    , watched(std::make_shared<WatchedGrant>())
    , keeper(std::move(leaseKeeper))
    , transaction(backend->connection().transactionNumber())
{
    watched->kind = kind;
    watched->name = request.name;
    if (isEntry())
        return;
    watched->session = backend->connection().sessionId();
    watched->sessionStarted = backend->connection().sessionStarted();
    holds.session = watched->session;
    if (keeper)
        watched->mark = backend->sessionLivenessLock();
}

void Grant::State::watch(LossHandler lost)
{
    watched->handler = std::move(lost);
    if (keeper)
        keeper->watch(watched);
}

bool Grant::State::isAlive() const
{
    if (isGone)
        return false;
    if (isEntry())
        return !watched->isLeaseOver();
    // A connection that was taken up again has another session.
    const db::Connection& connection = backend->connection();
    // Behind a pooler it knows of none: there only the transaction shows it.
    const bool sameSession = connection.isOpen()
        && (!connection.sessionId().isValid()
            || (connection.sessionId() == watched->session
                && connection.sessionStarted() == watched->sessionStarted));
    return sameSession && (!isOfTransaction() || (isInTransaction() && !connection.transactionFailed()));
}

/// A later transaction has not the lock.
bool Grant::State::isInTransaction() const
{
    const db::Connection& connection = backend->connection();
    return connection.isOpen() && connection.inTransaction() && connection.transactionNumber() == transaction;
}

Result<void> Grant::State::release(const std::stop_token& stop)
{
    if (isEntry())
        return backend->release(watched->name, watched->token, stop);
    return isOfTransaction() ? releaseOfTransaction() : releaseOfSession();
}

Result<void> Grant::State::releaseOfSession()
{
    LOCKSCOPE_TRY_GET(const auto wasHeld, backend->unlockApplication(request));
    if (!wasHeld)
        return failure(ErrorKind::Changed, u"The session does not hold \"%1\" any more."_s.arg(request.name),
            u"Something else on this connection released it."_s);
    return {};
}

Result<void> Grant::State::releaseOfTransaction()
{
    if (!isAlive()) {
        if (ownsTransaction && isInTransaction()) // it has failed: only its end is left
            std::ignore = backend->connection().rollback();
        return failure(ErrorKind::Changed,
            u"The transaction does not hold \"%1\" any more."_s.arg(request.name),
            u"The lock ended with it."_s);
    }
    if (ownsTransaction)
        return backend->connection().commit();
    return failure(ErrorKind::Unsupported,
        u"A lock that belongs to a transaction can't be released by itself."_s,
        watched->kind == LockKind::Application
            ? u"Commit or roll back the transaction, or take the lock for the session."_s
            : u"Commit or roll back the transaction."_s);
}

Result<ServerTime> Grant::State::renew()
{
    if (!isEntry())
        return failure(ErrorKind::Unsupported, u"This lock has no lease to renew."_s,
            isOfTransaction() ? u"It lasts as long as its transaction."_s
                              : u"It lasts as long as its session."_s);
    const auto sent = LeaseClock::now();
    auto end = backend->renew(watched->name, watched->token, watched->lease);
    if (end)
        watched->noteRenewal(sent, *end);
    else if (end.error().kind == ErrorKind::Changed)
        isGone = true;
    else if (end.error().kind == ErrorKind::Connection) // such a lock does not end with the connection
        end.error().hint =
            u"The entry stays until its lease ends. A keeper renews it by a connection of its own."_s;
    return end;
}

Result<void> Grant::State::beat(const std::stop_token& stop)
{
    if (isEntry())
        return {};
    db::Connection& connection = backend->connection();
    const auto sent = LeaseClock::now();
    watched->noteBeat(sent);
    const Result<void> alive = askForLife(stop);
    const bool isGoneNow = !alive && alive.error().kind == ErrorKind::Changed;
    // Any other answer is a sign of life, too.
    if (alive || (connection.isOpen() && !isGoneNow && alive.error().kind != ErrorKind::Cancelled)) {
        watched->noteAnswer(sent);
        return {};
    }
    isGone = isGoneNow;
    if ((isGoneNow || !connection.isOpen()) && keeper)
        keeper->reportLost(watched, LossReason::ConnectionGone);
    return alive;
}

/// Changed if the server answers, and the lock is gone.
Result<void> Grant::State::askForLife(const std::stop_token& stop)
{
    db::Connection& connection = backend->connection();
    const auto isGoneNow = [this] {
        return failure(
            ErrorKind::Changed, u"The transaction does not hold \"%1\" any more."_s.arg(request.name));
    };
    if (isOfTransaction() && !isInTransaction() && connection.isOpen())
        return isGoneNow();
    // The server releases a transaction's locks when the transaction fails, not only when that is noticed. A
    // transaction with savepoints may still have locks that were taken before them: that can be asked once it
    // was rolled back to one.
    if (isOfTransaction() && connection.transactionFailed() && !connection.hasSavepoint())
        return isGoneNow();
    if (!mark.isEmpty()) {
        LOCKSCOPE_TRY_GET(const auto holding, backend->holdingTransaction(stop));
        // A pooler may answer by another session of the server.
        const bool same = transactionBegan.us == 0
            || (holding.session == watched->session && holding.started == watched->sessionStarted
                && holding.began == transactionBegan);
        return same && holding.marks.contains(mark) ? Result<void>() : isGoneNow();
    }
    const auto answered = connection.execute(
        db::schemaStatement(connection.dialect(), "locks/heartbeat"), {}, db::RowSink(), stop);
    return ifDone(answered);
}

Result<void> Grant::State::noteHolder()
{
    if (isEntry())
        return {};
    if (isOfTransaction())
        mark = backend->mark();
    if (!keeper || backend->connection().sessionId().isValid())
        return {};
    LOCKSCOPE_TRY_GET(const auto holding, backend->holdingTransaction({}));
    watched->session = holding.session;
    watched->sessionStarted = holding.started;
    transactionBegan = holding.began;
    return {};
}

Grant::Grant(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}

Grant::Grant() = default;
Grant::~Grant()
{
    if (!m_state || m_state->isReleased)
        return;
    // Even if the loss was reported: a transaction of ours is not left open on a connection that lives.
    if (m_state->ownsTransaction && m_state->isInTransaction())
        (void)m_state->backend->connection().rollback();
    else if (!m_state->ownsTransaction && !m_state->watched->isLost && !m_state->endsByItself())
        (void)letGo(milliseconds(0), {}); // the keeper goes on with what this could not do
}

Grant::Grant(Grant&&) noexcept = default;

Grant& Grant::operator=(Grant&& other) noexcept
{
    const Grant previous(std::move(m_state)); // released at the end of this scope
    m_state = std::move(other.m_state);
    return *this;
}

bool Grant::isHeld() const
{
    return m_state && !m_state->isReleased && !m_state->watched->isLost && m_state->isAlive();
}

const QString& Grant::name() const
{
    static const QString none;
    return m_state ? m_state->watched->name : none;
}

const HeldThing& Grant::holds() const
{
    static const HeldThing nothing;
    return m_state ? m_state->holds : nothing;
}

const QString& Grant::token() const
{
    static const QString none;
    return m_state ? m_state->watched->token : none;
}

qint64 Grant::fencing() const
{
    return m_state ? m_state->fencing : 0;
}

ServerTime Grant::acquiredAt() const
{
    return m_state ? m_state->acquiredAt : ServerTime();
}

std::optional<ServerTime> Grant::expiresAt() const
{
    if (!m_state || m_state->watched->expiresAtUs == 0)
        return std::nullopt;
    return ServerTime{m_state->watched->expiresAtUs};
}

Result<void> Grant::release(const std::stop_token& stop)
{
    return letGo(releaseLimit, stop);
}

Result<void> Grant::letGo(milliseconds limit, const std::stop_token& stop)
{
    if (!m_state || m_state->isReleased)
        return nothingHeld();
    const std::shared_ptr<WatchedGrant>& watched = m_state->watched;
    const bool keeperHelps = m_state->isEntry() && m_state->keeper;
    std::stop_source enough; // the keeper has done it, it has taken too long, or nobody waits for it
    const std::stop_callback noMore(stop, [&enough] { enough.request_stop(); });
    const auto until = LeaseClock::now() + limit;
    m_state->isReleaseSent = m_state->isReleaseSent || m_state->backend->connection().isOpen();
    if (keeperHelps)
        m_state->keeper->beginRelease(
            watched, enough, LeaseClock::now() + releaseLimit, m_state->isReleaseSent);
    else if (!m_state->endsByItself()) // whose release is refused while it is held
        m_state->unwatch();
    Result<void> result = m_state->release(enough.get_token());
    if (keeperHelps)
        result = m_state->keeper->endRelease(watched, std::move(result), until, stop);
    // After any other error (a lost connection) it may be tried again.
    m_state->isReleased = result || result.error().kind == ErrorKind::Changed;
    if (m_state->isReleased)
        m_state->unwatch();
    if (!result && keeperHelps && result.error().kind == ErrorKind::Cancelled && !stop.stop_requested()) {
        result.error().kind = ErrorKind::Timeout; // nobody cancelled it but us, after that time
        result.error().detail = u"The server did not do it in time."_s;
    }
    if (!result && m_state->isEntry() && mayTryAgain(result.error()))
        return Failure(entryStays(result.error(), *watched));
    return result;
}

Result<void> Grant::beat(const std::stop_token& stop)
{
    if (!m_state || m_state->isReleased || m_state->watched->isLost)
        return nothingHeld();
    return m_state->beat(stop);
}

Result<ServerTime> Grant::renew()
{
    if (!m_state || m_state->isReleased || m_state->watched->isLost)
        return nothingHeld();
    return m_state->renew();
}

void Grant::abandon()
{
    if (!m_state)
        return;
    m_state->unwatch();
    m_state->isReleased = true;
}

} // namespace lockscope::locks
