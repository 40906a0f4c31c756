// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/FrameworkText.h"

#include "core/base/Duration.h"
#include "core/domain/BlockingGraph.h"

#include <QSet>

#include <algorithm>
#include <utility>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

/// The value of `column` as the entry keeps it; empty if it is not among those that are compared.
QString storedIn(const LockTableEntry& entry, const std::optional<FrameworkTime>& time)
{
    if (!time || !entry.framework || !entry.framework->lockDefinition)
        return {};
    const QStringList& columns = entry.framework->lockDefinition->row.compare;
    for (qsizetype i = 0; i < std::min(columns.size(), entry.stored.size()); ++i)
        if (columns[i].compare(time->column, Qt::CaseInsensitive) == 0)
            return entry.stored[i];
    return {};
}

QString titleOf(const FrameworkMatch& match, const QString& name)
{
    if (name.isEmpty())
        return match.badge();
    return name.startsWith(match.frameworkName, Qt::CaseInsensitive) && match.certain
        ? name
        : match.badge() + u' ' + name;
}

const FrameworkRow* rowOf(const LockTableEntry& entry)
{
    return entry.framework && entry.framework->lockDefinition ? &entry.framework->lockDefinition->row
                                                              : nullptr;
}

} // namespace

QString frameworkLockKindName(FrameworkLockKind kind)
{
    switch (kind) {
    case FrameworkLockKind::Row:
        return u"row"_s;
    case FrameworkLockKind::AdvisoryKey:
        return u"advisory key"_s;
    case FrameworkLockKind::ApplicationLock:
        return u"application lock"_s;
    case FrameworkLockKind::Table:
        return u"table"_s;
    }
    return {};
}

QString frameworkLockTitle(const FrameworkMatch& match)
{
    return titleOf(match, match.name);
}

QString frameworkLockTitle(const LockTableEntry& entry)
{
    return entry.framework && !entry.framework->isAttached() ? titleOf(*entry.framework, entry.name)
                                                             : entry.name;
}

QString resourceTitle(const Resource& resource)
{
    if (!resource.framework)
        return resource.name;
    const QString title = frameworkLockTitle(*resource.framework);
    return resource.name.contains(title) ? resource.name : u"%1 (%2)"_s.arg(title, resource.name);
}

QString whoIs(const QString& account, const QString& host)
{
    if (account.isEmpty() || host.isEmpty())
        return account.isEmpty() ? host : account;
    return account + u'@' + host;
}

QString whoHolds(const LockTableEntry& entry)
{
    const QString text =
        whoIs(entry.party.owner.isEmpty() ? entry.party.program : entry.party.owner, entry.party.host);
    return text.isEmpty() ? entry.holderText : text;
}

QString reasonAgainstFreeing(const LockTableEntry& entry)
{
    if (!entry.framework || entry.framework->isAttached())
        return {};
    const FrameworkRow* row = rowOf(entry);
    if (!row)
        return u"No file here says how %1's locks are freed."_s.arg(entry.framework->frameworkName);
    return row->mayBeFreed ? QString() : entry.framework->lockDefinition->danger;
}

QString storedSince(const LockTableEntry& entry)
{
    const FrameworkRow* row = rowOf(entry);
    return row && !entry.acquiredAt.isValid() ? storedIn(entry, row->since) : QString();
}

QString storedExpiry(const LockTableEntry& entry)
{
    const FrameworkRow* row = rowOf(entry);
    return row && !entry.expiresAt ? storedIn(entry, row->expires) : QString();
}

QHash<SessionId, FrameworkRole> frameworkRoles(const Snapshot& snapshot)
{
    QHash<SessionId, FrameworkRole> roles;
    QSet<std::pair<SessionId, quint32>> inTheWay; // by the locks of frameworks that they hold
    for (const WaitEdge& wait : snapshot.waits)
        if (wait.kind == WaitEdge::Kind::Holder && snapshot.resources[wait.resource].framework
            && !snapshot.blocking().leavesOut(wait.waiter))
            inTheWay.insert({wait.blocker, wait.resource});
    // First what a role says of its session, then how certain it is.
    const auto rank = [](const FrameworkRole& role) {
        return std::pair(role.isWaitedFor ? 2 : role.request->isWaiting() ? 1 : 0, role.match->certain);
    };
    for (const LockRequest& request : snapshot.requests) {
        const FrameworkMatchPtr& match = snapshot.resourceOf(request).framework;
        if (!match)
            continue;
        const SessionId session = snapshot.leaderOf(request.session);
        const FrameworkRole role{
            &request, match, !request.isWaiting() && inTheWay.contains({session, request.resource})};
        FrameworkRole& best = roles[session];
        if (!best.match || rank(role) > rank(best))
            best = role;
    }
    return roles;
}

FrameworkRole frameworkRoleOf(const Snapshot& snapshot, SessionId session)
{
    return frameworkRoles(snapshot).value(session);
}

QString frameworkSummary(const Snapshot& snapshot, const FrameworkRole& role)
{
    if (!role.match)
        return {};
    QString text = frameworkLockTitle(*role.match);
    const Session* session = snapshot.session(role.request->session);
    const QString who = session ? whoIs(session->user, session->host) : QString();
    const auto age = snapshot.ageOf(*role.request);
    if (!who.isEmpty())
        text += u", run by %1"_s.arg(who);
    if (age)
        text += u" for "_s + durationInWords(*age);
    return text;
}

const LockTableEntry* leftBehind(const Snapshot& snapshot)
{
    const LockTableEntry* oldest = nullptr;
    for (const LockTableEntry& entry : snapshot.entries) {
        if (!entry.framework || entry.framework->isAttached()
            || entry.holderLife.verdict != HolderLife::Verdict::Gone)
            continue;
        // Entries whose time is only text have no known age: they go behind the others.
        const auto rank = [](const LockTableEntry& one) {
            return std::pair(!one.acquiredAt.isValid(), one.acquiredAt.us);
        };
        if (!oldest || rank(entry) < rank(*oldest))
            oldest = &entry;
    }
    return oldest;
}

} // namespace lockscope
