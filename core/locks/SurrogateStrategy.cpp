// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/SurrogateStrategy.h"

#include "core/db/SchemaTrust.h"
#include "core/locks/ConnectionGrant.h"
#include "core/locks/RequestCheck.h"

namespace lockscope::locks {

using Steady = std::chrono::steady_clock;

SurrogateStrategy::SurrogateStrategy(LockKind kind, db::Connection& connection,
    std::shared_ptr<LeaseKeeper> keeper, const Surrogates& surrogates)
    : m_kind(kind)
    , m_inOurSchema(surrogates.schema == Surrogates().schema)
    , m_connection(connection)
    , m_keeper(std::move(keeper))
    , m_access(SurrogateAccess::create(kind, connection, surrogates))
    , m_mark(connection)
{
}

SurrogateStrategy::~SurrogateStrategy() = default;

Result<void> SurrogateStrategy::prepare(const QString& name)
{
    if (auto refused = m_connection.dialect().refuseLockName(name))
        return Failure(std::move(*refused));
    if (auto refused = m_access->refuse(name))
        return Failure(std::move(*refused));
    if (m_connection.inTransaction())
        return failure(ErrorKind::BadInput,
            QStringLiteral("A surrogate can't be made inside a transaction: others would wait for its end."),
            QStringLiteral("Prepare the lock before the transaction begins."));
    if (auto trusted = trustSchema(); !trusted)
        return trusted;
    return m_access->prepare(name);
}

/// Surrogates of the product's own schema are used like all that is in it.
Result<void> SurrogateStrategy::trustSchema()
{
    return m_inOurSchema ? db::trustSchema(m_connection, db::SchemaUse::Calling) : Result<void>();
}

Result<void> SurrogateStrategy::check(const AcquireRequest& request) const
{
    if (auto checked = checkRequest(request, m_connection.dialect()); !checked)
        return checked;
    if (auto refused = m_access->refuse(request.name))
        return Failure(std::move(*refused));
    if (request.mode != AcquireMode::Exclusive)
        return failure(ErrorKind::Unsupported,
            QStringLiteral("Locked tables and keys know exclusive locks only."),
            QStringLiteral("Use an application lock for other modes."));
    if (!m_connection.inTransaction())
        return failure(ErrorKind::BadInput,
            QStringLiteral("A locked table or key belongs to a transaction, but none is open."),
            QStringLiteral("Begin a transaction first, or take an application lock for the session."));
    return {};
}

Result<AcquireResult> SurrogateStrategy::take(
    const AcquireRequest& request, std::stop_token stop, LossHandler lost)
{
    if (auto trusted = trustSchema(); !trusted)
        return Failure(trusted.error());
    const auto start = Steady::now();
    const auto waited = [start] { return std::chrono::duration_cast<milliseconds>(Steady::now() - start); };
    const auto refused = [&](Outcome outcome) {
        const milliseconds soFar = waited();
        return AcquireResult{outcome, {}, soFar, m_access->holderOf(request.name)};
    };

    const auto answer = m_access->acquire(request.name, request.wait, stop);
    if (answer && answer->isTaken)
        return AcquireResult{answer->hadToWait ? Outcome::GrantedAfterWait : Outcome::Granted,
            grant(request, std::move(lost)), waited(), {}};
    if (answer)
        return refused(Outcome::Denied);
    if (!m_connection.isOpen())
        return Failure(answer.error());
    if (answer.error().kind == ErrorKind::Cancelled && stop.stop_requested())
        return refused(Outcome::Cancelled);
    if (answer.error().kind == ErrorKind::Deadlock)
        return refused(Outcome::DeadlockVictim);
    if (answer.error().kind == ErrorKind::Timeout)
        return refused(Outcome::TimedOut);
    return Failure(answer.error());
}

Grant SurrogateStrategy::grant(const AcquireRequest& request, LossHandler lost)
{
    auto state = std::make_unique<TransactionGrant>(m_connection, m_keeper);
    if (m_keeper && m_connection.engine() == Engine::SqlServer)
        state->watched->mark = m_mark.name();
    state->watch(m_kind, request.name, std::move(lost));
    return Grant(std::move(state));
}

} // namespace lockscope::locks
