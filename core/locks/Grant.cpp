// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/GrantState.h"

namespace lockscope::locks {

namespace {

Failure nothingHeld()
{
    return failure(ErrorKind::Changed, QStringLiteral("This lock is not held any more."),
        QStringLiteral("It was released or abandoned before."));
}

} // namespace

Result<ServerTime> Grant::State::renew()
{
    return failure(ErrorKind::Unsupported, QStringLiteral("This lock has no lease to renew."),
        endsByItself() ? QStringLiteral("It lasts as long as its transaction.")
                       : QStringLiteral("It lasts as long as its session."));
}

Grant::Grant(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}

Grant::Grant() = default;
Grant::~Grant()
{
    if (m_state && !m_state->isReleased && !m_state->watched->isLost && !m_state->endsByItself())
        (void)letGo(milliseconds(0), {}); // the keeper goes on with what this could not do
}

Grant::Grant(Grant&&) noexcept = default;

Grant& Grant::operator=(Grant&& other) noexcept
{
    const Grant previous(std::move(m_state)); // lets go at the end of this scope
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
    const bool isEntry = watched->kind == LockKind::Table;
    const bool keeperHelps = isEntry && m_state->keeper;
    if (keeperHelps)
        m_state->keeper->beginRelease(watched);
    else if (!m_state->endsByItself()) // whose release is refused while it is held
        m_state->unwatch();
    Result<void> result = m_state->release();
    if (keeperHelps)
        result = m_state->keeper->endRelease(watched, std::move(result), limit, stop);
    // After any other error (a lost connection) it may be tried again.
    m_state->isReleased = result || result.error().kind == ErrorKind::Changed;
    if (m_state->isReleased)
        m_state->unwatch();
    if (!result && isEntry && result.error().kind == ErrorKind::Connection)
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
    auto renewed = m_state->renew();
    // Such a lock does not end with the connection.
    if (!renewed && renewed.error().kind == ErrorKind::Connection
        && m_state->watched->kind == LockKind::Table)
        renewed.error().hint = QStringLiteral(
            "The entry stays until its lease ends. A keeper renews it by a connection of its own.");
    return renewed;
}

void Grant::abandon()
{
    if (!m_state)
        return;
    m_state->unwatch();
    m_state->isReleased = true;
}

} // namespace lockscope::locks
