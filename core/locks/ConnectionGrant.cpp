// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/ConnectionGrant.h"

#include "core/db/SchemaFile.h"

namespace lockscope::locks {

ConnectionGrant::ConnectionGrant(db::Connection& theConnection, std::shared_ptr<LeaseKeeper> leaseKeeper)
    : State(std::move(leaseKeeper))
    , connection(theConnection)
{
    watched->session = connection.sessionId();
    watched->sessionStarted = connection.sessionStarted();
}

bool ConnectionGrant::isAlive() const
{
    // A connection that was taken up again has another session.
    return connection.isOpen() && connection.sessionId() == watched->session
        && connection.sessionStarted() == watched->sessionStarted;
}

Result<void> ConnectionGrant::beat(const std::stop_token& stop)
{
    const auto sent = LeaseClock::now();
    watched->noteBeat(sent);
    const auto answered = connection.execute(
        db::schemaStatement(connection.dialect(), "locks/heartbeat"), {}, db::RowSink(), stop);
    if (answered) {
        watched->noteAnswer(sent);
        return {};
    }
    // Any other answer is a sign of life, too: that of a transaction that has failed, for one.
    const bool isAnswer = connection.isOpen() && answered.error().kind != ErrorKind::Cancelled;
    if (!isAnswer) {
        if (!connection.isOpen() && keeper)
            keeper->tellLost(watched, LossReason::ConnectionGone);
        return Failure(answered.error());
    }
    watched->noteAnswer(sent);
    return {};
}

Result<void> SessionGrant::release()
{
    const auto wasHeld = releaseOnce();
    if (!wasHeld)
        return Failure(wasHeld.error());
    if (!*wasHeld)
        return failure(ErrorKind::Changed,
            QStringLiteral("The session does not hold \"%1\" any more.").arg(watched->name),
            QStringLiteral("Something else on this connection released it."));
    return {};
}

TransactionGrant::TransactionGrant(db::Connection& theConnection, std::shared_ptr<LeaseKeeper> leaseKeeper)
    : ConnectionGrant(theConnection, std::move(leaseKeeper))
    , transaction(theConnection.transactionNumber())
{
}

Result<void> TransactionGrant::release()
{
    if (!isAlive())
        return failure(ErrorKind::Changed,
            QStringLiteral("The transaction does not hold \"%1\" any more.").arg(watched->name),
            QStringLiteral("The lock ended with it."));
    return failure(ErrorKind::Unsupported,
        QStringLiteral("A lock that belongs to a transaction can't be released by itself."),
        watched->kind == LockKind::Application
            ? QStringLiteral("Commit or roll back the transaction, or take the lock for the session.")
            : QStringLiteral("Commit or roll back the transaction."));
}

bool TransactionGrant::isAlive() const
{
    // A later transaction is not the one that has the lock.
    return ConnectionGrant::isAlive() && connection.inTransaction()
        && connection.transactionNumber() == transaction;
}

} // namespace lockscope::locks
