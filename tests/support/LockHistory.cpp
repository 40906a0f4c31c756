// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/LockHistory.h"

#include <algorithm>

namespace lockscope::test {

using namespace Qt::StringLiterals;

/// After so many, more of them say nothing new.
constexpr int enough = 50;

static QString describe(const LockHistory::Entry& entry)
{
    return u"token %1 (fencing %2, session %3)"_s.arg(
        entry.token, QString::number(entry.fencing), QString::number(entry.session));
}

void LockHistory::granted(const Entry& entry)
{
    ++m_grants;
    Name& name = m_names[entry.name];
    if (name.isTaken && name.entry.expiresAt > entry.at)
        fault(u"exclusion: %1 was granted to %2 at %3, while the lease of %4 ran until %5"_s.arg(entry.name,
            describe(entry), QString::number(entry.at), describe(name.entry),
            QString::number(name.entry.expiresAt)));
    if (entry.fencing <= name.highestFencing)
        fault(u"fencing: %1 was granted to %2 after number %3"_s.arg(
            entry.name, describe(entry), QString::number(name.highestFencing)));
    name.highestFencing = std::max(name.highestFencing, entry.fencing);
    judgeQueue(name, entry);
    name.isTaken = true;
    name.entry = entry;
}

/// A waiter that was registered, not expired and ahead may have been dead: only if it comes back under the
/// same ticket it was passed.
void LockHistory::judgeQueue(Name& name, const Entry& entry)
{
    const auto own = std::ranges::find_if(
        name.waiters, [&](const auto& each) { return each.second.registration.session == entry.session; });
    if (own != name.waiters.end()) {
        ++m_grantsOfWaiters;
        if (!own->second.passedBy.isEmpty())
            fault(own->second.passedBy);
    }
    for (auto ahead = name.waiters.begin(); ahead != own; ++ahead) {
        Waiter& waiter = ahead->second;
        if (waiter.passedBy.isEmpty() && waiter.registration.expiresAt > entry.at)
            waiter.passedBy =
                u"queue: ticket %1 of session %2 for %3 was passed by %4"_s.arg(QString::number(ahead->first),
                    QString::number(waiter.registration.session), entry.name, describe(entry));
    }
    if (own != name.waiters.end())
        name.waiters.erase(own);
}

void LockHistory::prolonged(const QString& name, const QString& token, qint64 expiresAt)
{
    Name& known = m_names[name];
    if (!known.isTaken || known.entry.token != token)
        fault(u"a row of %1 with token %2 was prolonged that nobody was granted"_s.arg(name, token));
    else
        known.entry.expiresAt = expiresAt;
}

void LockHistory::gone(const QString& name, const QString& token, qint64)
{
    Name& known = m_names[name];
    if (!known.isTaken || known.entry.token != token)
        fault(u"a row of %1 with token %2 was deleted that nobody was granted"_s.arg(name, token));
    known.isTaken = false;
}

void LockHistory::registered(const Registration& waiter)
{
    auto& waiters = m_names[waiter.name].waiters;
    const auto known = waiters.find(waiter.ticket);
    if (known == waiters.end()) {
        waiters.insert({waiter.ticket, {waiter, {}}});
        return;
    }
    // In another session it was absent for a while.
    if (!known->second.passedBy.isEmpty() && known->second.registration.session == waiter.session)
        fault(known->second.passedBy);
    known->second = {waiter, {}};
}

void LockHistory::unregistered(const QString& name, qint64 ticket)
{
    m_names[name].waiters.erase(ticket);
}

void LockHistory::noteGrant(const Hold& hold)
{
    ++m_holdCount;
    m_names[hold.name].holds.push_back(hold);
}

void LockHistory::judgeHolds(const QString& name, std::vector<Hold>& holds)
{
    std::ranges::sort(holds, {}, &Hold::from);
    const Hold* last = nullptr; // whose certain time ended last
    for (const Hold& hold : holds) {
        if (last && last->until > hold.from)
            fault(u"exclusion: %1 was held by %2 (fencing %3) from %4 on, and by %5 (fencing %6) until %7"_s
                      .arg(name, hold.who, QString::number(hold.fencing), QString::number(hold.from),
                          last->who, QString::number(last->fencing), QString::number(last->until)));
        if (last && last->fencing >= hold.fencing)
            fault(u"fencing: of %1, %2 had number %3, and after that %4 had %5"_s.arg(
                name, last->who, QString::number(last->fencing), hold.who, QString::number(hold.fencing)));
        if (!last || hold.until > last->until)
            last = &hold;
    }
}

QStringList LockHistory::faults()
{
    for (auto name = m_names.begin(); name != m_names.end(); ++name)
        judgeHolds(name.key(), name->holds);
    return m_faults;
}

void LockHistory::fault(const QString& what)
{
    if (m_faults.size() < enough)
        m_faults << what;
}

} // namespace lockscope::test
