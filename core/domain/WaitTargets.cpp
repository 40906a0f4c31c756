// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/WaitTargets.h"

namespace lockscope {

bool isPlaceInQueue(const Snapshot& snapshot, const LockRequest& request)
{
    return snapshot.engine == Engine::Postgres && !request.isWaiting()
        && snapshot.resourceOf(request).key.kind == ResourceKind::Row;
}

WaitTargets::WaitTargets(const Snapshot& snapshot)
    : m_snapshot(snapshot)
{
    for (const LockRequest& request : snapshot.requests) {
        const ResourceKey& key = snapshot.resourceOf(request).key;
        if (isPlaceInQueue(snapshot, request))
            m_rows.insert(request.session, request.resource);
        else if (key.kind == ResourceKind::Relation)
            m_tables.insert({key.database, key.entity}, request.resource);
    }
}

const Resource* WaitTargets::of(const LockRequest& wait) const
{
    const Resource& resource = m_snapshot.resourceOf(wait);
    if (resource.key.kind != ResourceKind::TransactionId)
        return &resource;
    const auto row = m_rows.constFind(wait.session);
    return row == m_rows.cend() ? nullptr : &m_snapshot.resources[*row];
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
