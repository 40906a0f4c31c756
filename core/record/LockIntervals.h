// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/record/FrameCodec.h"
#include "core/record/RecordedLock.h"

#include <QHash>

#include <optional>
#include <vector>

namespace lockscope::record {

/// Somebody held a lock, or waited for it, over some time.
struct LockInterval {
    qint64 id = 0; ///< unique in the recording while it goes on
    qint64 resource = 0; ///< numbers of the recording
    qint64 party = 0;
    QString mode{};
    bool waited = false; ///< else held
    ServerTime from;
    bool fromExact = false; ///< else: at the latest then
    ServerTime to; ///< was certainly there until then: when the poll began that saw it last, or `from`
    std::optional<ServerTime> gone{}; ///< not there any more then; nothing: not recorded
    Sightings sightings{1, 1}; ///< of one that was over before any poll: none
    qint64 statement = 0; ///< family of what the session ran when it was seen first; 0: not known
};

/// Gives what intervals name its numbers in the recording.
class IntervalNumbers {
public:
    virtual ~IntervalNumbers() = default;
    virtual qint64 numberOf(const Resource& resource) = 0;
    virtual qint64 numberOfLockTableName(const QString& table, const QString& name) = 0;
    virtual qint64 numberOf(const LockOwnerInfo& party, ServerTime started) = 0;
    virtual qint64 numberOfFamily(const QString& statement) = 0;
};

/// Makes intervals of a sequence of snapshots. Locks of our own sessions are left out. A blocker whose lock
/// is not shown holds what is waited for in an unknown mode, an empty one. A row of a lock table is held
/// until its lease ends, however long the row stays.
class LockIntervals {
public:
    struct IntervalChanges {
        std::vector<LockInterval> begun;
        std::vector<LockInterval> ended;
    };
    /// Returns the intervals that began and ended with this snapshot. `origins` gives the places of its rows
    /// in the one before.
    IntervalChanges advance(const Snapshot& snapshot, const RowOrigins& origins, IntervalNumbers& numbers);
    /// Times of the server before this one are by another setting of its clock, and don't show how long ago
    /// that was; invalid: all are by the same.
    void setClockSince(ServerTime since) { m_clockSince = since; }
    /// Ends all open intervals, as they were seen last: there is no further poll.
    std::vector<LockInterval> end();

private:
    struct EntryGrant { ///< of an entry, as it says
        ServerTime acquired;
        LockOwnerInfo holder;
        QString holderText;

        bool isOf(const LockTableEntry& entry) const;
    };
    /// A row of a snapshot, with its interval.
    struct Tracked {
        LockInterval interval{};
        bool counts = false; ///< false: of our own, or a row that can't be right
        std::optional<EntryGrant> grant{}; ///< of an entry
        LockTableKey entry{};
        bool isOfFramework = false; ///< in a table that is not read at every poll
        std::optional<ServerTime>
            leaseEnd{}; ///< the row is there and its lease, or place in the queue, ended
        SessionId unawaited{}; ///< of a hold that may not be shown where nobody waits for it: whose it is
        qint64 lastPoll = 0; ///< of one that is not read any more
    };
    using Rows = std::vector<Tracked>; ///< as those of the snapshot lie

    // The handling of the rows of each kind.
    struct Polled;
    struct RequestRules;
    struct EntryRules;
    struct WaiterRules;
    template <class Row, class Rules>
    void follow(Rows& rows, const std::vector<Row>& after, const std::vector<qint64>& origin, Rules rules,
        IntervalChanges& changes);
    void followBlockers(const Polled& polled);
    void noteWhatIsHidden(const Snapshot& snapshot);

    bool m_isSameSource = true; ///< this snapshot is of the source that the one before is of
    bool m_sure = true; ///< a lock that is not in this snapshot is not there
    bool m_hides = false;
    quint64 m_lastNumber = 0; ///< of a snapshot
    ServerTime m_lastTaken; ///< of the snapshot before
    qint64 m_lastId = 0;
    qint64 m_polls = 0;
    ServerTime m_clockSince;
    struct {
        Rows requests;
        Rows entries;
        Rows waiters;
        QHash<LockTableKey, Tracked> unread; ///< of frameworks, as they were seen last
        /// Sessions that the server names as blockers at a resource where no lock of theirs is shown: latches
        /// of SQL Server, safe snapshots of PostgreSQL. By session and number of the resource.
        QHash<std::pair<SessionId, qint64>, Tracked> blockers;
    } m_tracked;
};

} // namespace lockscope::record
