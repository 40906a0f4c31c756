// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/FirstSeen.h"

namespace lockscope::monitor {

FirstSeen::Seen FirstSeen::note(
    const ResourceKey& resource, const PostgresLockRows::Lock& lock, ServerTime now)
{
    const Key key{resource, lock.session, lock.transaction, lock.mode.strength(), lock.granted};
    Entry& entry = m_now[key];
    if (entry.count == 0) {
        const auto before = m_before.constFind(key);
        // Outside of a transaction (0) nothing tells one holding from the next.
        entry.since = before != m_before.cend() && lock.transaction != 0 ? before->since : now;
    }
    return {entry.since, entry.count++};
}

} // namespace lockscope::monitor
