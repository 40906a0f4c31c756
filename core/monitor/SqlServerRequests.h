// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/monitor/SqlServerLockRows.h"
#include "core/monitor/SqlServerNames.h"
#include "core/monitor/SqlServerSessions.h"

#include <QHash>

namespace lockscope::monitor {

/// SQL Server does not record when a lock was granted: this remembers since when each was seen at every poll,
/// and when each wait began, so that it does not move with each reading of its length. Poll thread only.
class SqlServerSeen {
public:
    struct Seen {
        ServerTime since;
        quint32 ordinal = 0; ///< how many equal rows this poll had before
    };

    /// Between begin and begin, each lock and each wait of one poll is noted once.
    void begin();
    /// `kept`: an equal lock seen before is the same one (it belongs to a transaction).
    Seen noteLock(
        const ResourceKey& resource, const SqlServerLockRows::Lock& lock, bool kept, ServerTime now);
    ServerTime noteWait(SessionId session, const ResourceKey& resource, ServerTime began);

private:
    struct Key {
        ResourceKey resource;
        SessionId session;
        qint64 transaction = 0;
        QString mode;
        RequestState state = RequestState::Granted;

        bool operator==(const Key&) const = default;
        friend size_t qHash(const Key& key, size_t seed) noexcept
        {
            return qHashMulti(
                seed, key.resource, key.session, key.transaction, key.mode, static_cast<int>(key.state));
        }
    };
    struct Entry {
        ServerTime since;
        quint32 count = 0;
    };
    using WaitKey = std::pair<SessionId, ResourceKey>;

    QHash<Key, Entry> m_before;
    QHash<Key, Entry> m_now;
    QHash<WaitKey, ServerTime> m_waitsBefore;
    QHash<WaitKey, ServerTime> m_waitsNow;
};

/// What was read of locks and waits; the sessions must be in the snapshot and indexed.
struct SqlServerReadings {
    const SqlServerLockRows& locks;
    const std::vector<SqlServerWait>& waits;
    const SqlServerSessions& sessions;
};

/// Turns the readings into the snapshot's resources, requests and wait edges. What a session waits for is
/// shown even where the lock itself was not told. Edges are those that follow from the locks, and those that
/// only the server knows.
void addRequests(
    Snapshot& snapshot, const SqlServerReadings& readings, SqlServerSeen& seen, SqlServerNames& names);

} // namespace lockscope::monitor
