// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockRequest.h"
#include "core/monitor/PostgresLockRows.h"

#include <QHash>

namespace lockscope::monitor {

/// PostgreSQL doesn't record when a lock was granted: this remembers since when each was seen at every poll.
/// That is a lower bound of its age; a new transaction of the same session starts anew. Poll thread only.
class FirstSeen {
public:
    struct Seen {
        ServerTime since;
        quint32 ordinal; ///< how many equal rows this poll had before
    };

    /// Between begin and begin, each lock of one poll is noted once.
    void begin() { m_before = std::exchange(m_now, {}); }
    Seen note(const ResourceKey& resource, const PostgresLockRows::Lock& lock, ServerTime now);

private:
    struct Key {
        ResourceKey resource;
        SessionId session;
        quint64 transaction;
        int strength;
        bool granted;

        bool operator==(const Key&) const = default;
        friend size_t qHash(const Key& key, size_t seed) noexcept
        {
            return qHashMulti(seed, key.resource, key.session, key.transaction, key.strength, key.granted);
        }
    };
    struct Entry {
        ServerTime since;
        quint32 count = 0;
    };
    QHash<Key, Entry> m_before;
    QHash<Key, Entry> m_now;
};

} // namespace lockscope::monitor
