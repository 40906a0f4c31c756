// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Duration.h"

#include <QString>

#include <optional>
#include <vector>

namespace lockscope::monitor {

/// A figure of a server beside its locks: sessions, transactions, replication …
struct Measure {
    QString kind; ///< one of measures::
    QString name{}; ///< of one of several, such as a standby; empty for the whole server
    qint64 value = 0;
    QString text{}; ///< the value, if it is no number

    bool operator==(const Measure&) const = default;
};

/// Kinds of measures. Counts are of the time since the previous measure.
namespace measures {
inline const QString active = QStringLiteral("active"); ///< clients' sessions that are at work or wait
/// Active sessions, by the class of their wait as the server names it; "running" if they don't wait.
inline const QString waiting = QStringLiteral("waiting");
inline const QString running = QStringLiteral("running"); ///< a name of `waiting`
inline const QString autovacuum = QStringLiteral("autovacuum"); ///< workers
inline const QString transactions = QStringLiteral("transactions per minute"); ///< started; SQL Server
inline const QString batches = QStringLiteral("batches per minute"); ///< of statements; SQL Server
inline const QString commits = QStringLiteral("commits per minute");
inline const QString rollbacks = QStringLiteral("rollbacks per minute");
inline const QString checkpoints = QStringLiteral("checkpoints");
inline const QString checkpointTime = QStringLiteral("checkpoint ms"); ///< spent on writing
inline const QString checkpointPages = QStringLiteral("checkpoint pages"); ///< written; SQL Server
inline const QString replicationLag = QStringLiteral("replication lag ms");
inline const QString connections = QStringLiteral("connections"); ///< all that are open
inline const QString maxConnections = QStringLiteral("max connections"); ///< without the reserved ones
inline const QString replica =
    QStringLiteral("replica"); ///< 1 if it is a standby or a secondary replica, else 0
/// Waits for locks that the server itself has counted, by the kind of the resource; without a name: all.
inline const QString lockWaits = QStringLiteral("lock waits");
inline const QString lockWaitTime = QStringLiteral("lock wait ms"); ///< of these waits
inline const QString setting = QStringLiteral("setting"); ///< a changed one; `text` is its present value
} // namespace measures

/// Returns the transactions of the whole server, with this program's own; nothing if `measures` has none.
std::optional<qint64> transactionsPerMinute(const std::vector<Measure>& measures);

struct ChangedSetting {
    QString name;
    QString before; ///< null if it did not exist
    QString now; ///< null if it does not exist any more

    bool operator==(const ChangedSetting&) const = default;
};

/// The waits for locks of one kind that a server itself has counted since it started or since `reset`. They
/// include those between two polls.
struct LockCount {
    QString kind; ///< resourceKindName(), or the server's own name for an unknown kind
    qint64 waits = 0; ///< PostgreSQL: longer than deadlock_timeout, and only those that got the lock
    milliseconds waited{0};
    std::optional<qint64> fastPathExceeded{}; ///< PostgreSQL: locks that found no place in the fast path
    std::optional<qint64> deadlocks{}; ///< SQL Server: requests that ended in a deadlock
    qint64 reset = 0; ///< it changes when the server begins to count from zero

    bool operator==(const LockCount&) const = default;
};

/// Figures and facts that a source reads beside a snapshot.
struct Surroundings {
    QString cluster; ///< the server's own id of its data, which it keeps at another address; empty if unknown
    std::vector<Measure> measures; ///< read every ten seconds; empty in between
    std::vector<ChangedSetting> changed; ///< since the previous reading
    std::vector<LockCount> lockCounts{}; ///< read with the measures; empty if the server does not count
};

} // namespace lockscope::monitor
