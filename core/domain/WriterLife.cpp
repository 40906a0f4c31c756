// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The holder of a row of Lockscope's own lock table: the other part of HolderLife.h.

#include "core/domain/HolderLife.h"
#include "core/domain/Snapshot.h"

#include <algorithm>

namespace lockscope {

using namespace Qt::StringLiterals;

using Verdict = HolderLife::Verdict;

/// "Session 51 is there and took the lock (app, lockctl, from web01)."
static QString writerIsThere(const Session& session)
{
    QStringList who{session.user, session.program};
    if (session.host != u"local"_s && !session.host.isEmpty())
        who << u"from "_s + session.host;
    who.removeAll(QString());
    const QString text = who.isEmpty() ? QString() : u" (%1)"_s.arg(who.join(u", "_s));
    return u"Session %1 is there and took the lock%2."_s.arg(QString::number(session.id.value), text);
}

/// Returns what is seen of the session that wrote the row; empty if the row names none.
static QString writerSeen(const LockTableEntry& entry, const Session* session, SessionsSeen seen)
{
    const SessionId id = entry.party.session;
    if (!id.isValid() || id.value <= 0)
        return {};
    if (seen == SessionsSeen::OfCopy)
        return u"This database is a copy: its holder's sessions are at the original."_s;
    if (seen == SessionsSeen::None)
        return u"The sessions of this server can't be seen."_s;
    const ServerTime began = session ? session->loggedIn() : ServerTime();
    if (session && !began.isValid())
        return u"Session %1 is there; whether it is the one that took the lock is unknown."_s.arg(id.value);
    if (session && began <= entry.acquiredAt)
        return writerIsThere(*session);
    if (session)
        return u"Session %1 is gone: the one that has its number now began after the lock was taken."_s.arg(
            id.value);
    return seen == SessionsSeen::All
        ? u"Session %1 is gone."_s.arg(id.value)
        : u"Session %1 is not among those that may be seen here."_s.arg(id.value);
}

HolderLife lifeOfWriter(
    const LockTableEntry& entry, const Session* session, SessionsSeen seen, ServerTime now)
{
    HolderLife life;
    if (entry.isBad())
        return life;
    if (const QString text = writerSeen(entry, session, seen); !text.isEmpty())
        life.evidence << text;
    const bool isThere = session && (seen == SessionsSeen::All || seen == SessionsSeen::Some)
        && session->loggedIn().isValid() && session->loggedIn() <= entry.acquiredAt;
    const bool isExpired = entry.isStale(now);
    if (isExpired)
        life.evidence << u"Its lease was not renewed in time."_s;
    if (isThere) {
        life.verdict = Verdict::Works;
        life.overturnedBy = u"Behind a pooler that session may outlive its program."_s;
        return life;
    }
    if (!life.evidence.isEmpty())
        life.evidence << (entry.party.host.isEmpty()
                ? u"A row of the lock table outlives its session: its program may still work."_s
                : u"A row of the lock table outlives its session: its program on %1 may still work."_s.arg(
                    entry.party.host));
    if (isExpired) {
        life.verdict = Verdict::Silent;
        life.overturnedBy = u"Only its program itself shows whether it still works."_s;
    }
    return life;
}

HolderLife lifeIn(const Snapshot& snapshot, const LockTableEntry& entry)
{
    const auto found = std::ranges::find_if(snapshot.entries, [&entry](const LockTableEntry& each) {
        return each.table == entry.table && each.name == entry.name && each.fencing == entry.fencing
            && each.acquiredAt == entry.acquiredAt;
    });
    return found == snapshot.entries.end() ? HolderLife() : found->holderLife;
}

QString riskOfReleasing(const HolderLife& life)
{
    QString holder;
    switch (life.verdict) {
    case Verdict::Gone:
        return {};
    case Verdict::Works:
        holder = u"Its holder works, and is not asked: two may then work at once."_s;
        break;
    case Verdict::Silent:
        holder = u"Its holder is only silent: if it still works, two work at once."_s;
        break;
    case Verdict::Unknown:
        holder = u"It is unknown whether its holder works: if it does, two work at once."_s;
        break;
    }
    return holder + u" Only a resource that checks fencing tokens is safe from that."_s;
}

} // namespace lockscope
