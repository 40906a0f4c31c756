// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope {

/// Returns whether it is the place in a row's queue, and not the row: PostgreSQL's lock on a row that is
/// held.
bool isPlaceInQueue(const Snapshot& snapshot, const LockRequest& request);

/// The places in rows' queues that sessions hold while they wait for the transaction that has the row.
class QueuePlaces {
public:
    /// Keeps `snapshot`, which must live longer. O(requests).
    explicit QueuePlaces(const Snapshot& snapshot);

    /// The place that the session holds; null if it holds none.
    const LockRequest* of(SessionId session) const;

private:
    const Snapshot& m_snapshot;
    QHash<SessionId, quint32> m_requests;
};

/// Finds the row behind waits for transactions. On PostgreSQL a session that waits for a row changed by
/// another transaction waits for that transaction; meanwhile it holds the lock on the row's place, which
/// gives row and table. A wait without one (for a duplicate of a key, say) is not guessed at.
class WaitTargets {
public:
    /// Keeps `snapshot`, which must live longer. O(requests).
    explicit WaitTargets(const Snapshot& snapshot);

    /// The row that `wait` is for: its own resource, or for a wait for a transaction the row's place. Null if
    /// it waits for a transaction and the row is unknown.
    const Resource* of(const LockRequest& wait) const;
    /// The table of what `wait` is for; empty if it is for none, or not known by name.
    QString tableOf(const LockRequest& wait) const;

private:
    const Snapshot& m_snapshot;
    const QueuePlaces m_places;
    QHash<std::pair<quint32, quint64>, quint32> m_tables; // by database and relation
};

} // namespace lockscope
