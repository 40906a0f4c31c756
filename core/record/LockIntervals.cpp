// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/LockIntervals.h"

#include <QSet>

#include <algorithm>
#include <utility>

namespace lockscope::record {

namespace {

LockOwnerInfo partyOf(const Snapshot& snapshot, SessionId id)
{
    LockOwnerInfo party;
    party.session = id;
    if (const Session* session = snapshot.session(id)) {
        party.owner = session->user;
        party.host = session->host;
        party.program = session->program;
    }
    return party;
}

/// Returns whether a lock is not shown, or only in a sum with others, where nobody waits for it: PostgreSQL's
/// of transactions on themselves, and SQL Server's of rows, pages and whatever else there are many of.
bool isHiddenUnawaited(Engine engine, ResourceKind kind)
{
    switch (engine) {
    case Engine::Postgres:
        return kind == ResourceKind::TransactionId || kind == ResourceKind::VirtualTransaction;
    case Engine::SqlServer:
        return kind != ResourceKind::ApplicationLock && kind != ResourceKind::TransactionId;
    case Engine::Sqlite:
        break;
    }
    return false;
}

/// Locks of PostgreSQL's sessions that its catalogue shows as their transactions': CREATE INDEX CONCURRENTLY,
/// VACUUM and the like keep this one over several.
bool mayOutliveTransaction(const Snapshot& snapshot, const LockRequest& request)
{
    return request.owner != LockOwner::Transaction
        || (snapshot.engine == Engine::Postgres
            && snapshot.resourceOf(request).key.kind == ResourceKind::Relation
            && request.mode.name() == u"ShareUpdateExclusiveLock");
}

/// A lease may be renewed by another session of the holder.
bool isSameHolder(const LockOwnerInfo& a, const LockOwnerInfo& b)
{
    return a.owner == b.owner && a.host == b.host && a.program == b.program;
}

} // namespace

bool LockIntervals::EntryGrant::isOf(const LockTableEntry& entry) const
{
    return acquired == entry.acquiredAt && holderText == entry.holderText
        && isSameHolder(holder, entry.party);
}

/// The parts of the poll that all rules need.
struct LockIntervals::Polled {
    LockIntervals& all;
    const Snapshot& snapshot;
    IntervalNumbers& numbers;
    IntervalChanges& changes;

    ServerTime now() const { return snapshot.takenAt; }
    /// A poll shows what was so at some time of it. A slow one may end long after it has read the locks.
    ServerTime began() const { return now() - std::max(snapshot.cost.server, microseconds(0)); }
    ServerTime seenUntil(ServerTime since) const { return std::max(since, began()); }
    /// Ignores start times in the future (the writer's clock is ahead).
    bool isKnown(std::optional<ServerTime> time) const
    {
        return time && time->isValid() && *time <= now() && *time >= all.m_clockSince;
    }
    ServerTime since(std::optional<ServerTime> time) const { return isKnown(time) ? *time : now(); }
};

struct LockIntervals::RequestRules {
    Polled polled;
    std::optional<QSet<qint64>> awaited{}; // resources

    Tracked begin(const LockRequest& request, const Tracked*) const
    {
        const Snapshot& snapshot = polled.snapshot;
        const Session* session = snapshot.session(request.session);
        if (session && session->own)
            return {};
        const Resource& resource = snapshot.resourceOf(request);
        const bool hides = !request.isWaiting() && isHiddenUnawaited(snapshot.engine, resource.key.kind);
        const bool lasts = request.since
            && (request.sinceExact || request.isWaiting() || !mayOutliveTransaction(snapshot, request));
        IntervalNumbers& numbers = polled.numbers;
        const ServerTime from = polled.since(request.since);
        return {.interval = {.resource = numbers.numberOf(resource),
                    .party = numbers.numberOf(partyOf(snapshot, request.session), request.sessionStarted),
                    .mode = request.mode.name(),
                    .waited = request.isWaiting(),
                    .from = from,
                    .fromExact = request.sinceExact && polled.isKnown(request.since),
                    .to = polled.seenUntil(from),
                    .sightings = {1, 1, lasts},
                    .statement = session ? numbers.numberOfFamily(session->statement) : 0},
            .counts = true,
            .unawaited = hides ? request.session : SessionId()};
    }
    /// A session's lock outlives its transactions, so that a later bound does not make it another one; nor
    /// does the bound of a source that has just begun to poll.
    bool goesOn(const Tracked& row, const LockRequest& request) const
    {
        const bool isBound = polled.all.m_isSameSource
            && (request.isWaiting() || !mayOutliveTransaction(polled.snapshot, request));
        const bool isExact = row.interval.fromExact && request.sinceExact;
        // Its next wait may have begun before the poll ended that saw the one before.
        const bool isLater =
            request.since && *request.since > (isExact ? row.interval.from : polled.all.m_lastTaken);
        return row.interval.waited == request.isWaiting() && !(isLater && (isBound || isExact));
    }
    bool wouldBeSeen(const Tracked& row)
    {
        if (!row.unawaited.isValid() || !mayGoOn(row))
            return true;
        if (!awaited) {
            awaited.emplace();
            for (const LockRequest& request : polled.snapshot.requests) {
                if (request.isWaiting())
                    awaited->insert(polled.numbers.numberOf(polled.snapshot.resourceOf(request)));
            }
        }
        return awaited->contains(row.interval.resource); // all that is held there is shown
    }
    /// Returns whether the transaction that had the lock at the last poll goes on: then it may have it all
    /// the same.
    bool mayGoOn(const Tracked& row) const
    {
        const Session* session = polled.snapshot.session(row.unawaited);
        return session
            && (session->state == SessionState::Hidden
                || (session->transactionStarted && *session->transactionStarted <= polled.all.m_lastTaken));
    }
};

struct LockIntervals::EntryRules {
    Polled polled;

    Tracked begin(const LockTableEntry& entry, const Tracked* was) const
    {
        if (entry.isBad())
            return {};
        const EntryGrant grant{entry.acquiredAt, entry.party, entry.holderText};
        const bool seenBefore = was && was->grant && was->grant->isOf(entry);
        if (entry.isStale(polled.now())) {
            if (!seenBefore)
                noteUnseen(entry);
            return {.grant = grant};
        }
        // Renewed after its lease had ended: nobody knows since when.
        const bool renewed = seenBefore && !was->counts;
        const ServerTime from = renewed ? polled.now() : polled.since(entry.acquiredAt);
        Tracked row{.interval = {.resource = polled.numbers.numberOfLockTableName(entry.table, entry.name),
                        .party = polled.numbers.numberOf(entry.party, {}),
                        .from = from,
                        .fromExact = !renewed && polled.isKnown(entry.acquiredAt),
                        .to = polled.seenUntil(from),
                        .sightings = {1, 1, entry.acquiredAt.isValid()}},
            .counts = true,
            .grant = grant,
            .entry = {entry.table, entry.name},
            .isOfFramework = entry.framework && !entry.framework->isAttached()};
        if (row.isOfFramework)
            goOnAfterPause(row, entry);
        return row;
    }
    /// One whose lease ended unseen, or before the first poll, was held nevertheless.
    void noteUnseen(const LockTableEntry& entry) const
    {
        if (polled.isKnown(entry.acquiredAt) && entry.acquiredAt < *entry.expiresAt)
            polled.changes.ended.push_back({.id = ++polled.all.m_lastId,
                .resource = polled.numbers.numberOfLockTableName(entry.table, entry.name),
                .party = polled.numbers.numberOf(entry.party, {}),
                .from = entry.acquiredAt,
                .fromExact = true,
                .to = *entry.expiresAt,
                .gone = entry.expiresAt});
    }
    /// The grant that was seen before its table was not read for a while was there all the time: its interval
    /// begins where that ended.
    void goOnAfterPause(Tracked& row, const LockTableEntry& entry) const
    {
        const auto before = polled.all.m_tracked.unread.constFind(row.entry);
        if (before == polled.all.m_tracked.unread.cend() || !entry.acquiredAt.isValid()
            || !before->grant->isOf(entry))
            return;
        row.interval.from = before->interval.to;
        row.interval.fromExact = false;
        row.interval.sightings = {2, polled.all.m_polls - before->lastPoll + 1, true};
    }
    /// Returns false for another grant of the same name: that is another interval.
    bool goesOn(Tracked& row, const LockTableEntry& entry) const
    {
        if (entry.isBad())
            return !row.counts;
        const bool counts = !entry.isStale(polled.now());
        const bool isSame = row.grant && row.grant->isOf(entry);
        if (row.counts && isSame && !counts)
            row.leaseEnd = entry.expiresAt;
        return row.counts == counts && isSame;
    }
    /// Tables of frameworks are read only while a page shows what is in them.
    bool wouldBeSeen(const Tracked& row) const
    {
        if (!row.isOfFramework || polled.snapshot.frameworkRows)
            return true;
        Tracked unread = row;
        unread.lastPoll = polled.all.m_polls - 1;
        polled.all.m_tracked.unread.insert(row.entry, unread);
        return false;
    }
};

struct LockIntervals::WaiterRules {
    Polled polled;

    Tracked begin(const LockTableWaiter& waiter, const Tracked* was) const
    {
        if (!waiter.isWaiting(polled.now()))
            return {};
        const ServerTime from = was ? polled.now() : polled.since(waiter.registeredAt);
        return {.interval = {.resource = polled.numbers.numberOfLockTableName(waiter.table, waiter.name),
                    .party = polled.numbers.numberOf(waiter.party, {}),
                    .waited = true,
                    .from = from,
                    .fromExact = !was && polled.isKnown(waiter.registeredAt),
                    .to = polled.seenUntil(from),
                    .sightings = {1, 1, waiter.registeredAt.isValid()}},
            .counts = true};
    }
    bool goesOn(Tracked& row, const LockTableWaiter& waiter) const
    {
        const bool counts = waiter.isWaiting(polled.now());
        if (row.counts && !waiter.isBad() && !counts)
            row.leaseEnd = waiter.expiresAt;
        return row.counts == counts;
    }
    bool wouldBeSeen(const Tracked&) const { return true; }
};

/// The rules say how the interval of a row begins, whether it is still the one of the poll before, and
/// whether one that is not seen any more would have been.
template <class Row, class Rules>
void LockIntervals::follow(Rows& rows, const std::vector<Row>& after, const std::vector<qint64>& origin,
    Rules rules, IntervalChanges& changes)
{
    const ServerTime now = rules.polled.now();
    Rows next;
    next.reserve(after.size());
    for (size_t at = 0; at < after.size(); ++at) {
        const auto from = origin[at];
        Tracked* const was =
            from >= 0 && static_cast<size_t>(from) < rows.size() ? &rows[static_cast<size_t>(from)] : nullptr;
        if (was && rules.goesOn(*was, after[at])) {
            next.push_back(std::move(*was));
            was->counts = false;
            next.back().interval.to = rules.polled.seenUntil(next.back().interval.to);
            ++next.back().interval.sightings.seen;
            ++next.back().interval.sightings.polls;
            continue;
        }
        next.push_back(rules.begin(after[at], was));
        if (next.back().counts) {
            next.back().interval.id = ++m_lastId;
            changes.begun.push_back(next.back().interval);
        }
    }
    for (Tracked& left : rows) {
        if (!left.counts)
            continue;
        if (left.leaseEnd) {
            left.interval.to = std::max(left.interval.to, *left.leaseEnd);
            left.interval.gone = left.leaseEnd;
        } else if (m_sure && rules.wouldBeSeen(left)) {
            left.interval.gone = now;
        }
        changes.ended.push_back(std::move(left.interval));
    }
    rows = std::move(next);
}

LockIntervals::IntervalChanges LockIntervals::advance(
    const Snapshot& snapshot, const RowOrigins& origins, IntervalNumbers& numbers)
{
    IntervalChanges changes;
    noteWhatIsHidden(snapshot);
    ++m_polls;
    const Polled polled{.all = *this, .snapshot = snapshot, .numbers = numbers, .changes = changes};
    follow(m_tracked.requests, snapshot.requests, origins.requests, RequestRules{polled}, changes);
    followBlockers(polled);
    follow(m_tracked.entries, snapshot.entries, origins.entries, EntryRules{polled}, changes);
    if (snapshot.frameworkRows)
        m_tracked.unread.clear();
    follow(m_tracked.waiters, snapshot.entryWaiters, origins.entryWaiters, WaiterRules{polled}, changes);
    m_lastTaken = snapshot.takenAt;
    return changes;
}

void LockIntervals::followBlockers(const Polled& polled)
{
    const Snapshot& snapshot = polled.snapshot;
    if (snapshot.waits.empty() && m_tracked.blockers.isEmpty())
        return;
    QSet<std::pair<SessionId, quint32>> shown;
    QHash<quint32, ServerTime> awaited; // since when, the longest
    for (const LockRequest& request : snapshot.requests) {
        if (request.isWaiting()) {
            ServerTime& since = awaited[request.resource];
            const ServerTime began = polled.since(request.since);
            since = since.isValid() ? std::min(since, began) : began;
        }
    }
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting() && awaited.contains(request.resource))
            shown.insert({snapshot.leaderOf(request.session), request.resource});
    }
    auto before = std::exchange(m_tracked.blockers, {});
    for (const WaitEdge& edge : snapshot.waits) {
        const SessionId blocker = snapshot.leaderOf(edge.blocker);
        const Session* session = snapshot.session(blocker);
        if (edge.kind != WaitEdge::Kind::Holder || shown.contains({blocker, edge.resource})
            || (session && session->own))
            continue;
        const std::pair key{blocker, polled.numbers.numberOf(snapshot.resources[edge.resource])};
        if (m_tracked.blockers.contains(key))
            continue;
        Tracked row = before.take(key);
        if (row.counts) {
            row.interval.to = polled.seenUntil(row.interval.to);
            ++row.interval.sightings.seen;
            ++row.interval.sightings.polls;
        } else {
            const ServerTime from = std::max(awaited.value(edge.resource), m_lastTaken);
            row = {.interval = {.id = ++m_lastId,
                       .resource = key.second,
                       .party = polled.numbers.numberOf(
                           partyOf(snapshot, blocker), session ? session->started : ServerTime()),
                       .from = from,
                       .to = polled.seenUntil(from),
                       .sightings = {1, 1, false},
                       .statement = session ? polled.numbers.numberOfFamily(session->statement) : 0},
                .counts = true};
            polled.changes.begun.push_back(row.interval);
        }
        m_tracked.blockers.insert(key, row);
    }
    for (Tracked& left : before) {
        if (m_sure)
            left.interval.gone = polled.now();
        polled.changes.ended.push_back(std::move(left.interval));
    }
}

/// A lock that is not seen any more is gone only if it would have been seen.
void LockIntervals::noteWhatIsHidden(const Snapshot& snapshot)
{
    bool hides = false;
    // Another source counts from one again, and may have been set up to read less.
    m_isSameSource = snapshot.number == 0 || snapshot.number > m_lastNumber;
    m_sure = m_isSameSource;
    m_lastNumber = snapshot.number;
    for (const Limitation& limitation : snapshot.limitations) {
        hides = hides || limitation.hidesLocks;
        if (limitation.kind == Limitation::Kind::Failed || limitation.kind == Limitation::Kind::CappedRows)
            m_sure = false;
    }
    if (hides && !m_hides)
        m_sure = false; // what is hidden all the time was not seen before either
    m_hides = hides;
}

std::vector<LockInterval> LockIntervals::end()
{
    std::vector<LockInterval> all;
    for (Rows* rows : {&m_tracked.requests, &m_tracked.entries, &m_tracked.waiters}) {
        for (Tracked& row : *rows) {
            if (row.counts)
                all.push_back(std::move(row.interval));
        }
    }
    for (Tracked& row : m_tracked.blockers)
        all.push_back(std::move(row.interval));
    m_tracked = {};
    return all;
}

} // namespace lockscope::record
