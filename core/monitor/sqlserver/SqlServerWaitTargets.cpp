// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerWaitTargets.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

/// Both mean a place of one heap or B-tree; the request has the place, the task its object.
bool agree(const ResourceKey& task, const ResourceKey& request)
{
    return task.kind == request.kind && task.database == request.database
        && (task.entity == request.entity || task.entity == 0 || request.entity == 0);
}

} // namespace

SqlServerWaitTargets::SqlServerWaitTargets(const std::vector<SqlServerWait>& waits,
    const SqlServerSessions& sessions, const SqlServerLockRows& locks)
    : m_sessions(sessions)
    , m_locks(locks)
{
    QHash<SessionId, QString> first;
    for (const SqlServerWait& wait : waits) {
        const QString lock = wait.fromTask ? parseWaitingTask(wait.description).lockId : QString();
        if (lock.isEmpty())
            continue;
        if (first.value(wait.session, lock) != lock)
            m_ofSeveral.insert(wait.session);
        first.insert(wait.session, lock);
    }
    for (const SqlServerWait& wait : waits) {
        const WaitTarget thing = shownTarget(wait);
        if (thing.exact && !thing.lockId.isEmpty())
            m_byLock.insert({thing.key.database, thing.lockId}, thing.key);
    }
}

/// Returns the resource by the task and the request of its session.
WaitTarget SqlServerWaitTargets::shownTarget(const SqlServerWait& wait) const
{
    if (!wait.fromTask)
        return parseWaitResource(wait.description);
    WaitTarget thing = parseWaitingTask(wait.description);
    if (m_ofSeveral.contains(wait.session))
        return thing;
    const WaitTarget request = parseWaitResource(m_sessions.waitResource(wait.session));
    if (!request.exact || !agree(thing.key, request.key))
        return thing;
    // The task has the hash of an application lock, the request the name, too.
    const bool isNamed = !thing.appLockHash.isEmpty() && request.appLockHash == thing.appLockHash;
    if (!thing.exact || isNamed) {
        const quint64 entity = thing.key.entity;
        thing.key = request.key;
        thing.key.entity = entity != 0 ? entity : request.key.entity;
        thing.exact = true;
    }
    if (request.underlying)
        thing.underlying = request.underlying;
    return thing;
}

/// The hash of an application lock, the place of a page or row: its holder's row has the rest.
void SqlServerWaitTargets::complete(WaitTarget& thing) const
{
    const auto isMeant = [&thing](const ResourceKey& known) {
        if (known.kind != thing.key.kind || known.database != thing.key.database)
            return false;
        if (thing.appLockHash.isEmpty())
            return thing.key.entity == 0 && thing.key.part != 0 && known.part == thing.key.part
                && known.text == thing.key.text;
        const auto text = parseAppLockText(known.text);
        return text && text->hash == thing.appLockHash;
    };
    if (thing.appLockHash.isEmpty() && (thing.key.entity != 0 || thing.key.part == 0))
        return;
    const auto& known = m_locks.resources();
    if (const auto found = std::ranges::find_if(known, isMeant); found != known.end())
        thing.key = *found;
}

WaitTarget SqlServerWaitTargets::of(const SqlServerWait& wait) const
{
    WaitTarget thing = shownTarget(wait);
    if (!thing.exact && !thing.lockId.isEmpty()) {
        const auto known = m_byLock.constFind({thing.key.database, thing.lockId});
        if (known != m_byLock.cend()) {
            thing.key = *known;
        } else {
            thing.key.text += (thing.key.text.isEmpty() ? QString() : u" "_s) + thing.lockId;
        }
        thing.exact = true;
    }
    if (thing.key.text.isEmpty() && thing.key.kind == ResourceKind::Unknown)
        thing.key.text = wait.type;
    complete(thing);
    return thing;
}

} // namespace lockscope::monitor
