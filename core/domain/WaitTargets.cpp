// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/WaitTargets.h"

namespace lockscope {

bool isPlaceInQueue(const Snapshot& snapshot, const LockRequest& request)
{
    return snapshot.engine == Engine::Postgres && !request.isWaiting()
        && snapshot.resourceOf(request).key.kind == ResourceKind::Row;
}

QueuePlaces::QueuePlaces(const Snapshot& snapshot)
    : m_snapshot(snapshot)
{
    for (quint32 i = 0; i < snapshot.requests.size(); ++i)
        if (isPlaceInQueue(snapshot, snapshot.requests[i]))
            m_requests.insert(snapshot.requests[i].session, i);
}

const LockRequest* QueuePlaces::of(SessionId session) const
{
    const auto place = m_requests.constFind(session);
    return place == m_requests.cend() ? nullptr : &m_snapshot.requests[*place];
}

WaitTargets::WaitTargets(const Snapshot& snapshot)
    : m_snapshot(snapshot)
    , m_places(snapshot)
{
    for (const LockRequest& request : snapshot.requests) {
        const ResourceKey& key = snapshot.resourceOf(request).key;
        if (key.kind == ResourceKind::Relation)
            m_tables.insert({key.database, key.entity}, request.resource);
    }
}

const Resource* WaitTargets::of(const LockRequest& wait) const
{
    const Resource& resource = m_snapshot.resourceOf(wait);
    if (resource.key.kind != ResourceKind::TransactionId)
        return &resource;
    const LockRequest* const place = m_places.of(wait.session);
    return place ? &m_snapshot.resourceOf(*place) : nullptr;
}

QString WaitTargets::tableOf(const LockRequest& wait) const
{
    const Resource* target = of(wait);
    if (!target)
        return {};
    const ResourceKey& key = target->key;
    if (key.kind == ResourceKind::Relation)
        return target->name;
    if (key.kind != ResourceKind::Row && key.kind != ResourceKind::Page && key.kind != ResourceKind::Extend)
        return {};
    const auto table = m_tables.constFind({key.database, key.entity});
    return table == m_tables.cend() ? QString() : m_snapshot.resources[*table].name;
}

} // namespace lockscope
