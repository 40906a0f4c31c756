// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/DoubleLockTable.h"

#include <algorithm>

namespace lockscope::test::tds {

/// The first live waiter for the name that is in front of the ticket (of everybody, if there is none).
const DoubleLockTable::Waiter* DoubleLockTable::firstBefore(
    const QString& name, std::optional<qint64> ticket) const
{
    for (const auto& [number, waiter] : m_waiters)
        if (waiter.name == name && waiter.expiresUs > m_clock.nowUs() && (!ticket || number < *ticket))
            return &waiter;
    return nullptr;
}

DoubleLockTable::Outcome DoubleLockTable::acquire(const Request& request)
{
    const qint64 now = m_clock.nowUs();
    const auto held = m_entries.find(request.name);
    const bool isHeld = held != m_entries.end() && held->second.expiresUs > now;
    const auto mine = std::ranges::find_if(m_waiters, [&](const auto& known) {
        const Waiter& waiter = known.second;
        return request.ticket == waiter.ticket && waiter.name == request.name && waiter.token == request.token
            && waiter.who.session == request.who.session;
    });
    const Waiter* const inFront =
        firstBefore(request.name, mine == m_waiters.end() ? std::nullopt : std::optional(mine->first));
    Outcome outcome;
    if (!isHeld && !inFront) {
        Entry& entry = m_entries[request.name];
        entry = {request.name, request.token, ++m_lastFencing, now, now + request.lease.count(), request.who};
        if (mine != m_waiters.end())
            m_waiters.erase(mine);
        outcome.granted = entry;
        return outcome;
    }
    outcome.obstacle = isHeld ? held->second.holder : inFront->who;
    outcome.recheckUs = (isHeld ? held->second.expiresUs : inFront->expiresUs) - now;
    if (!request.waits)
        return outcome;
    if (mine != m_waiters.end()) {
        mine->second.expiresUs = now + waiterLife.count();
        outcome.ticket = mine->first;
        return outcome;
    }
    std::erase_if(m_waiters, [&](const auto& known) {
        return known.second.name == request.name && known.second.expiresUs <= now;
    });
    const qint64 ticket = ++m_lastTicket;
    m_waiters[ticket] = {ticket, request.name, now, now + waiterLife.count(), request.who, request.token};
    outcome.ticket = ticket;
    return outcome;
}

std::optional<qint64> DoubleLockTable::renew(
    const QString& name, const QString& token, std::chrono::microseconds lease)
{
    const auto found = m_entries.find(name);
    if (found == m_entries.end() || found->second.token != token)
        return std::nullopt;
    found->second.expiresUs = m_clock.nowUs() + lease.count();
    return found->second.expiresUs;
}

bool DoubleLockTable::release(const QString& name, const QString& token)
{
    const auto found = m_entries.find(name);
    if (found == m_entries.end() || found->second.token != token)
        return false;
    m_entries.erase(found);
    freed(name);
    return true;
}

void DoubleLockTable::leaveQueue(const QString& name, const QString& token, int session)
{
    std::erase_if(m_waiters, [&](const auto& known) {
        const Waiter& waiter = known.second;
        return waiter.name == name && waiter.token == token && waiter.who.session == session;
    });
    if (!release(name, token))
        freed(name); // it may have been the one in front
}

void DoubleLockTable::sessionEnded(int session)
{
    std::vector<QString> names;
    std::erase_if(m_waiters, [&](const auto& known) {
        const bool isTheirs = known.second.who.session == session;
        if (isTheirs)
            names.push_back(known.second.name);
        return isTheirs;
    });
    for (const QString& name : names)
        freed(name);
}

std::vector<DoubleLockTable::Entry> DoubleLockTable::purgeStale()
{
    std::vector<Entry> purged;
    for (const Entry& entry : entries())
        if (entry.expiresUs <= m_clock.nowUs())
            purged.push_back(entry);
    for (const Entry& entry : purged)
        release(entry.name, entry.token);
    return purged;
}

void DoubleLockTable::freed(const QString& name)
{
    if (m_freed)
        m_freed(name);
}

std::optional<DoubleLockTable::Entry> DoubleLockTable::entry(const QString& name) const
{
    const auto found = m_entries.find(name);
    return found == m_entries.end() ? std::nullopt : std::optional(found->second);
}

std::vector<DoubleLockTable::Entry> DoubleLockTable::entries() const
{
    std::vector<Entry> entries;
    for (const auto& [name, entry] : m_entries)
        entries.push_back(entry);
    return entries;
}

std::vector<DoubleLockTable::Waiter> DoubleLockTable::waiters() const
{
    std::vector<Waiter> waiters;
    for (const auto& [ticket, waiter] : m_waiters)
        waiters.push_back(waiter);
    return waiters;
}

void DoubleLockTable::put(const Entry& entry)
{
    m_entries[entry.name] = entry;
    m_lastFencing = std::max(m_lastFencing, entry.fencing);
}

} // namespace lockscope::test::tds
