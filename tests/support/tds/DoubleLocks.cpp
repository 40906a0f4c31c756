// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/DoubleLocks.h"

#include <algorithm>
#include <tuple>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

bool DoubleLocks::Key::operator<(const Key& other) const
{
    return std::tie(database, principal, name) < std::tie(other.database, other.principal, other.name);
}

std::optional<DoubleLocks::Mode> DoubleLocks::modeOf(const QString& name)
{
    static const QHash<QString, Mode> modes{
        {u"intentshared"_s, Mode::IntentShared},
        {u"shared"_s, Mode::Shared},
        {u"update"_s, Mode::Update},
        {u"intentexclusive"_s, Mode::IntentExclusive},
        {u"exclusive"_s, Mode::Exclusive},
    };
    const auto found = modes.constFind(name.toLower());
    return found == modes.constEnd() ? std::nullopt : std::optional(*found);
}

bool DoubleLocks::compatible(Mode held, Mode requested)
{
    switch (held) {
    case Mode::IntentShared:
        return requested != Mode::Exclusive;
    case Mode::Shared:
        return requested == Mode::IntentShared || requested == Mode::Shared || requested == Mode::Update;
    case Mode::Update:
        return requested == Mode::IntentShared || requested == Mode::Shared;
    case Mode::IntentExclusive:
        return requested == Mode::IntentShared || requested == Mode::IntentExclusive;
    case Mode::Exclusive:
        return false;
    }
    return false;
}

QString DoubleLocks::modeText(const Modes& modes)
{
    const auto has = [&](Mode mode) { return modes.contains(mode); };
    if (has(Mode::Exclusive))
        return u"X"_s;
    if (has(Mode::IntentExclusive))
        return has(Mode::Update) ? u"UIX"_s : has(Mode::Shared) ? u"SIX"_s : u"IX"_s;
    return has(Mode::Update) ? u"U"_s : has(Mode::Shared) ? u"S"_s : u"IS"_s;
}

/// A session never blocks itself, with any owner of the lock.
bool DoubleLocks::conflicts(const Holder& holder, const Request& request)
{
    return holder.session != request.session
        && std::ranges::any_of(holder.modes, [&](Mode held) { return !compatible(held, request.mode); });
}

DoubleLocks::Holder* DoubleLocks::holderOf(Name& name, int session, Owner owner)
{
    const auto found = std::ranges::find_if(
        name.holders, [&](const Holder& h) { return h.session == session && h.owner == owner; });
    return found == name.holders.end() ? nullptr : &*found;
}

void DoubleLocks::hold(Name& name, const Request& request)
{
    Holder* holder = holderOf(name, request.session, request.owner);
    if (!holder) {
        name.holders.push_back({request.session, request.owner, {}, 0});
        holder = &name.holders.back();
    }
    holder->modes.insert(request.mode);
    ++holder->references;
}

bool DoubleLocks::canHave(const Name& name, const Request& request) const
{
    return std::ranges::none_of(name.holders, [&](const Holder& h) { return conflicts(h, request); });
}

DoubleLocks::Ticket DoubleLocks::acquire(const Request& request, Answer answer)
{
    Name& name = m_names[request.key];
    const bool converts = holderOf(name, request.session, request.owner) != nullptr;
    if (canHave(name, request) && (converts || name.waiters.empty())) {
        hold(name, request);
        answer(Granted);
        return 0;
    }
    if (request.timeout.count() == 0) {
        answer(TimedOut);
        return 0;
    }
    const Ticket ticket = ++m_lastTicket;
    const auto place = converts
        ? std::ranges::find_if(name.waiters, [](const Waiter& w) { return !w.converts; })
        : name.waiters.end();
    name.waiters.insert(place, {ticket, request, std::move(answer), converts});
    if (request.timeout.count() > 0)
        m_after(request.timeout, [this, ticket] { answerWaiter(ticket, TimedOut); });
    while (breakCircle(request.session)) { }
    return ticket;
}

bool DoubleLocks::isFree(const Request& request) const
{
    const auto name = m_names.find(request.key);
    return name == m_names.end() || (canHave(name->second, request) && name->second.waiters.empty());
}

/// Takes the waiter out of its queue and answers; false if it waits no more.
bool DoubleLocks::answerWaiter(Ticket ticket, Code code)
{
    for (auto& [key, name] : m_names) {
        const auto found = std::ranges::find(name.waiters, ticket, &Waiter::ticket);
        if (found == name.waiters.end())
            continue;
        const Key freed = key;
        const Answer answer = std::move(found->answer);
        name.waiters.erase(found);
        if (code != Cancelled)
            answer(code);
        grantWaiters(freed); // those behind it may have waited for it
        return true;
    }
    return false;
}

void DoubleLocks::giveUp(Ticket ticket)
{
    answerWaiter(ticket, Cancelled);
}

/// Grants from the front, until the first that can't have it.
void DoubleLocks::grantWaiters(const Key& key)
{
    std::vector<Answer> answers;
    const auto found = m_names.find(key);
    if (found == m_names.end())
        return;
    Name& name = found->second;
    while (!name.waiters.empty() && canHave(name, name.waiters.front().request)) {
        hold(name, name.waiters.front().request);
        answers.push_back(std::move(name.waiters.front().answer));
        name.waiters.pop_front();
    }
    if (name.holders.empty() && name.waiters.empty())
        m_names.erase(found);
    for (const Answer& answer : answers)
        answer(GrantedLater);
}

DoubleLocks::Code DoubleLocks::release(int session, Owner owner, const Key& key)
{
    const auto found = m_names.find(key);
    Holder* const holder = found == m_names.end() ? nullptr : holderOf(found->second, session, owner);
    if (!holder)
        return BadParameter;
    if (--holder->references == 0) {
        std::erase_if(found->second.holders, [](const Holder& h) { return h.references == 0; });
        grantWaiters(key);
    }
    return Granted;
}

void DoubleLocks::transactionEnded(int session)
{
    releaseAll(session, Owner::Transaction);
}

void DoubleLocks::disconnected(int session)
{
    releaseAll(session, std::nullopt);
}

void DoubleLocks::releaseAll(int session, std::optional<Owner> owner)
{
    std::vector<Key> keys;
    for (auto& [key, name] : m_names) {
        std::erase_if(name.holders,
            [&](const Holder& h) { return h.session == session && (!owner || h.owner == *owner); });
        if (!owner)
            std::erase_if(name.waiters, [&](const Waiter& w) { return w.request.session == session; });
        keys.push_back(key);
    }
    for (const Key& key : keys)
        grantWaiters(key);
}

std::set<int> DoubleLocks::blockersOf(const Name& name, const Waiter& waiter) const
{
    std::set<int> blockers;
    for (const Holder& holder : name.holders)
        if (conflicts(holder, waiter.request))
            blockers.insert(holder.session);
    for (const Waiter& earlier : name.waiters) {
        if (earlier.ticket == waiter.ticket)
            break;
        if (earlier.request.session != waiter.request.session
            && !compatible(earlier.request.mode, waiter.request.mode))
            blockers.insert(earlier.request.session);
    }
    return blockers;
}

std::set<int> DoubleLocks::blockersOf(int session) const
{
    std::set<int> blockers;
    for (const auto& [key, name] : m_names)
        for (const Waiter& waiter : name.waiters)
            if (waiter.request.session == session)
                blockers.merge(blockersOf(name, waiter));
    return blockers;
}

/// A new wait of `session` may have closed a circle: then one of those in it must not wait any longer. False
/// if there is no circle.
bool DoubleLocks::breakCircle(int session)
{
    std::vector<int> path;
    std::set<int> seen;
    const std::function<bool(int)> leadsBack = [&](int from) {
        path.push_back(from);
        for (const int blocker : blockersOf(from))
            if (blocker == session || (seen.insert(blocker).second && leadsBack(blocker)))
                return true;
        path.pop_back();
        return false;
    };
    if (!leadsBack(session))
        return false;
    const Waiter* victim = nullptr;
    for (const auto& [key, name] : m_names)
        for (const Waiter& waiter : name.waiters) {
            if (std::ranges::find(path, waiter.request.session) == path.end())
                continue;
            const auto rank = [](const Waiter& w) {
                return std::pair(-w.request.deadlockPriority, w.ticket);
            };
            if (!victim || rank(waiter) > rank(*victim))
                victim = &waiter;
        }
    return answerWaiter(victim->ticket, DeadlockVictim);
}

std::vector<DoubleLocks::Row> DoubleLocks::rows() const
{
    std::vector<Row> rows;
    for (const auto& [key, name] : m_names) {
        for (const Holder& h : name.holders)
            rows.push_back({key, modeText(h.modes), u"GRANT"_s, h.session, h.owner, h.references});
        for (const Waiter& w : name.waiters)
            rows.push_back({key, modeText({w.request.mode}), w.converts ? u"CONVERT"_s : u"WAIT"_s,
                w.request.session, w.request.owner, 1});
    }
    return rows;
}

} // namespace lockscope::test::tds
