// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotChanges.h"

#include "core/base/EnumTable.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotDiff.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/WaitTargets.h"

#include <QHash>
#include <QSet>

#include <algorithm>
#include <optional>
#include <utility>

namespace lockscope {

using namespace Qt::StringLiterals;
using Kind = LockChange::Kind;

namespace {

QSet<ResourceKey> awaited(const Snapshot& snapshot)
{
    QSet<ResourceKey> keys;
    for (const LockRequest& request : snapshot.requests)
        if (request.isWaiting())
            keys.insert(snapshot.resourceOf(request).key);
    return keys;
}

class ChangeFinder {
public:
    ChangeFinder(const Snapshot& before, const Snapshot& after)
        : m_before(before)
        , m_after(after)
        , m_diff(diffSnapshots(before, after))
        , m_waitedFor(awaited(before) + awaited(after))
    {
        for (const LockTableWaiter& waiter : before.entryWaiters)
            m_queues[{waiter.table, waiter.name}] << &waiter;
        for (const LockTableEntry& entry : after.entries) {
            const LockTableEntry*& first = m_entriesAfter[{entry.table, entry.name}];
            first = first ? first : &entry;
        }
    }

    std::vector<LockChange> all()
    {
        addRequests();
        addEntries();
        addTickets();
        std::stable_sort(m_all.begin(), m_all.end(),
            [](const LockChange& a, const LockChange& b) { return a.kind < b.kind; });
        return std::move(m_all);
    }

private:
    void addRequests()
    {
        for (const quint32 at : m_diff.requests.removed) {
            const LockRequest& was = m_before.requests[at];
            if (!was.isWaiting() || !holdsNow(was))
                add(was.isWaiting() ? Kind::StoppedWaiting : Kind::GaveBack, m_before, was);
        }
        for (const auto& [from, to] : m_diff.requests.changed) {
            const LockRequest& was = m_before.requests[from];
            const LockRequest& is = m_after.requests[to];
            if (was.isWaiting() && !is.isWaiting())
                add(Kind::Got, m_after, is, m_before.ageOf(was));
            else if (!was.isWaiting() && is.isWaiting())
                add(Kind::Waits, m_after, is);
        }
        for (const quint32 at : m_diff.requests.inserted) {
            const LockRequest& is = m_after.requests[at];
            add(is.isWaiting() ? Kind::Waits : Kind::Got, m_after, is);
        }
    }

    void addEntries()
    {
        for (const quint32 at : m_diff.entries.removed)
            add(Kind::GaveBack, m_before.entries[at]);
        for (const auto& [from, to] : m_diff.entries.changed) {
            const LockTableEntry& was = m_before.entries[from];
            const LockTableEntry& is = m_after.entries[to];
            if (was.acquiredAt == is.acquiredAt && was.token == is.token) // a lease that was renewed
                continue;
            add(Kind::GaveBack, was);
            add(Kind::Got, is);
        }
        for (const quint32 at : m_diff.entries.inserted)
            add(Kind::Got, m_after.entries[at]);
    }

    void addTickets()
    {
        for (const quint32 at : m_diff.entryWaiters.removed) {
            const LockTableWaiter& was = m_before.entryWaiters[at];
            const LockTableEntry* entry = m_entriesAfter.value({was.table, was.name});
            if (!entry || !isSame(entry->party, was.party))
                m_all.push_back({.kind = Kind::StoppedWaiting,
                    .who = was.party,
                    .table = was.table,
                    .resource = was.name,
                    .waited = knownAge(was.registeredAt, m_before.takenAt)});
        }
        for (const quint32 at : m_diff.entryWaiters.inserted) {
            const LockTableWaiter& is = m_after.entryWaiters[at];
            m_all.push_back({.kind = Kind::Waits,
                .who = is.party,
                .table = is.table,
                .resource = is.name,
                .waited = knownAge(is.registeredAt, m_after.takenAt)});
        }
    }

    void add(Kind kind, const Snapshot& snapshot, const LockRequest& request, std::optional<Age> waited = {})
    {
        const Resource& resource = snapshot.resourceOf(request);
        const bool isOfInterest = m_waitedFor.contains(resource.key)
            || (resource.key.kind == ResourceKind::ApplicationLock && !resource.internal);
        const SessionId id = snapshot.leaderOf(request.session);
        const Session* session = snapshot.session(id);
        if (!isOfInterest || (session && session->own) || isPlaceInQueue(snapshot, request))
            return;
        LockChange change{.kind = kind, .resource = resource.name, .mode = request.mode, .waited = waited};
        if (session)
            change.who = {
                .owner = session->user, .host = session->host, .program = session->program, .session = id};
        change.who.session = id;
        if (request.isWaiting())
            change.waited = snapshot.ageOf(request);
        if (kind == Kind::Waits)
            change.blockers = snapshot.blocking().blockersOf(id);
        const Session* now = m_after.session(id);
        change.sessionEnded = session && (!now || now->key() != session->key());
        m_all.push_back(std::move(change));
    }

    void add(Kind kind, const LockTableEntry& entry)
    {
        LockChange change{.kind = kind, .who = entry.party, .table = entry.table, .resource = entry.name};
        for (const LockTableWaiter* waiter :
            kind == Kind::Got ? m_queues.value({entry.table, entry.name}) : QList<const LockTableWaiter*>())
            if (isSame(waiter->party, entry.party))
                change.waited = knownAge(waiter->registeredAt, entry.acquiredAt);
        m_all.push_back(std::move(change));
    }

    /// Another mode of the same thing: what it waited for was a conversion.
    bool holdsNow(const LockRequest& was)
    {
        if (!m_heldAfter) {
            m_heldAfter.emplace();
            for (const LockRequest& is : m_after.requests) {
                if (!is.isWaiting() && m_waitedFor.contains(m_after.resourceOf(is).key))
                    m_heldAfter->insert(held(m_after, is));
            }
        }
        return m_heldAfter->contains(held(m_before, was));
    }

    using Held = std::pair<std::pair<SessionId, int>, ResourceKey>; ///< with the strength of the mode

    static Held held(const Snapshot& snapshot, const LockRequest& request)
    {
        return {{request.session, request.mode.strength()}, snapshot.resourceOf(request).key};
    }

    static bool isSame(const LockOwnerInfo& a, const LockOwnerInfo& b)
    {
        return a.owner == b.owner && a.host == b.host && a.processId == b.processId;
    }

    const Snapshot& m_before;
    const Snapshot& m_after;
    const SnapshotDiff m_diff;
    const QSet<ResourceKey> m_waitedFor;
    QHash<LockTableKey, QList<const LockTableWaiter*>> m_queues; ///< before
    QHash<LockTableKey, const LockTableEntry*> m_entriesAfter;
    std::optional<QSet<Held>> m_heldAfter; ///< of what somebody waits for in either
    std::vector<LockChange> m_all;
};

} // namespace

QString changeName(LockChange::Kind kind)
{
    static constexpr EnumTable<LockChange::Kind> names(
        {u"gave back", u"got", u"stopped waiting for", u"waits for"});
    return names[kind].toString();
}

std::vector<LockChange> changesBetween(const Snapshot& before, const Snapshot& after)
{
    return ChangeFinder(before, after).all();
}

} // namespace lockscope
