// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Duration.h"

#include <QString>

#include <optional>
#include <vector>

namespace lockscope::monitor {

/// A figure of what surrounds the locks of a server.
struct Measure {
    QString kind; ///< one of measures::
    QString name{}; ///< of one of several, such as a standby; empty: of the whole server
    qint64 value = 0;
    QString text{}; ///< of what is no number

    bool operator==(const Measure&) const = default;
};

/// Kinds of measures. Counts are those of the time since the measure before.
namespace measures {
inline const QString active = QStringLiteral("active"); ///< clients' sessions that are at work or wait
/// Active sessions by what they wait for, as the server names the class; "running": for nothing.
inline const QString waiting = QStringLiteral("waiting");
inline const QString running = QStringLiteral("running"); ///< a name of `waiting`
inline const QString autovacuum = QStringLiteral("autovacuum"); ///< workers
inline const QString transactions = QStringLiteral("transactions per minute"); ///< begun; of SQL Server
inline const QString batches = QStringLiteral("batches per minute"); ///< of statements, of SQL Server
inline const QString commits = QStringLiteral("commits per minute");
inline const QString rollbacks = QStringLiteral("rollbacks per minute");
inline const QString checkpoints = QStringLiteral("checkpoints");
inline const QString checkpointTime = QStringLiteral("checkpoint ms"); ///< spent on writing
inline const QString checkpointPages = QStringLiteral("checkpoint pages"); ///< written; of SQL Server
inline const QString replicationLag = QStringLiteral("replication lag ms");
inline const QString connections = QStringLiteral("connections"); ///< all that are open
inline const QString maxConnections = QStringLiteral("max connections"); ///< without the reserved ones
inline const QString replica =
    QStringLiteral("replica"); ///< 1: it is a standby or a secondary replica; 0: it is none
/// Waits for locks that the server itself has counted, by the kind of what is locked; without a name: all.
inline const QString lockWaits = QStringLiteral("lock waits");
inline const QString lockWaitTime = QStringLiteral("lock wait ms"); ///< of these waits
inline const QString setting = QStringLiteral("setting"); ///< that was changed; `text` is what it is now
} // namespace measures

/// Returns the transactions of the whole server, this program's own among them; nothing: not in these.
std::optional<qint64> transactionsPerMinute(const std::vector<Measure>& measures);

struct ChangedSetting {
    QString name;
    QString before; ///< null: it was not there
    QString now; ///< the same

    bool operator==(const ChangedSetting&) const = default;
};

/// The waits for locks that a server itself has counted, since it started or since `reset`, of one kind of
/// what is locked. Polls don't see the waits between them; these are all.
struct LockCount {
    QString kind; ///< as resourceKindName() tells it; of an unknown one as the server calls it
    qint64 waits = 0; ///< PostgreSQL: longer than deadlock_timeout, and only those that got the lock
    milliseconds waited{0};
    std::optional<qint64> fastPathExceeded{}; ///< locks that found no place in the fast path; of PostgreSQL
    std::optional<qint64> deadlocks{}; ///< of SQL Server
    qint64 reset = 0; ///< another one: the server has begun to count again

    bool operator==(const LockCount&) const = default;
};

/// Figures and facts that a source reads beside a snapshot.
struct Surroundings {
    QString cluster; ///< the server's own id of its data, wherever it runs; empty: not known
    std::vector<Measure> measures; ///< every so often; empty: not this time
    std::vector<ChangedSetting> changed; ///< since the first time
    std::vector<LockCount> lockCounts{}; ///< with the measures; empty: the server does not count
};

} // namespace lockscope::monitor
