// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/LockTableQueue.h"

#include <algorithm>

namespace lockscope {

const LockTableEntry* entryOf(const Snapshot& snapshot, const LockTableKey& key)
{
    const auto found = std::ranges::find_if(snapshot.entries,
        [&key](const LockTableEntry& one) { return one.table == key.table && one.name == key.name; });
    return found == snapshot.entries.end() ? nullptr : &*found;
}

std::vector<const LockTableWaiter*> queueOf(const Snapshot& snapshot, const LockTableKey& key, ServerTime now)
{
    std::vector<const LockTableWaiter*> queue;
    for (const LockTableWaiter& waiter : snapshot.entryWaiters)
        if (waiter.table == key.table && waiter.name == key.name && !waiter.isExpired(now))
            queue.push_back(&waiter);
    return queue;
}

} // namespace lockscope
