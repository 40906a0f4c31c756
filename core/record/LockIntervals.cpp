// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/LockIntervals.h"

#include <QSet>

#include <algorithm>

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

/// Whether a lock is not shown, or only in a sum with others, where nobody waits for it: PostgreSQL's of
/// transactions on themselves, and SQL Server's of rows, pages and whatever else there are many of.
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

/// `make` begins the interval of a row, of which `was` is what was known at the look before; `goes` tells
/// whether a row's interval is still the same one, `isGone` whether one that is not seen any more would have
/// been.
template <class Row, class Make, class Goes, class Gone>
void LockIntervals::follow(Rows& rows, const std::vector<Row>& after, const std::vector<qint64>& origin,
    ServerTime now, News& news, Make make, Goes goes, Gone isGone)
{
    Rows next;
    next.reserve(after.size());
    for (size_t at = 0; at < after.size(); ++at) {
        const auto from = origin[at];
        Open* const was =
            from >= 0 && static_cast<size_t>(from) < rows.size() ? &rows[static_cast<size_t>(from)] : nullptr;
        if (was && goes(*was, after[at])) {
            next.push_back(std::move(*was));
            was->counts = false;
            next.back().interval.to = now;
            ++next.back().interval.sightings.seen;
            ++next.back().interval.sightings.polls;
        } else {
            next.push_back(make(after[at], was));
            if (next.back().counts) {
                next.back().interval.id = ++m_lastId;
                news.begun.push_back(next.back().interval);
            }
        }
    }
    for (Open& left : rows) {
        if (left.counts) {
            if (left.leaseEnd) {
                left.interval.to = std::max(left.interval.to, *left.leaseEnd);
                left.interval.gone = left.leaseEnd;
            } else if (m_sure && isGone(left))
                left.interval.gone = now;
            news.ended.push_back(std::move(left.interval));
        }
    }
    rows = std::move(next);
}

LockIntervals::News LockIntervals::advance(
    const Snapshot& snapshot, const RowOrigins& origins, IntervalNumbers& numbers)
{
    News news;
    const ServerTime now = snapshot.takenAt;
    noteWhatIsHidden(snapshot);
    ++m_polls;
    const auto always = [](const Open&) { return true; };
    // A time to come, by the clock of who wrote it, is no time to begin at.
    const auto isKnown = [now, clock = m_clockSince](std::optional<ServerTime> time) {
        return time && time->isValid() && *time <= now && *time >= clock;
    };
    const auto since = [&](std::optional<ServerTime> time) { return isKnown(time) ? *time : now; };
    follow(
        m_requests, snapshot.requests, origins.requests, now, news,
        [&](const LockRequest& request, const Open*) {
            const Session* session = snapshot.session(request.session);
            if (session && session->own)
                return Open{};
            const bool known = request.sinceExact && isKnown(request.since);
            const Resource& resource = snapshot.resourceOf(request);
            const bool hides = !request.isWaiting() && isHiddenUnawaited(snapshot.engine, resource.key.kind);
            const bool lasts = request.since
                && (request.sinceExact || request.isWaiting() || !mayOutliveTransaction(snapshot, request));
            return Open{{0, numbers.numberOf(resource),
                            numbers.numberOf(partyOf(snapshot, request.session), request.sessionStarted),
                            request.mode.name(), request.isWaiting(), since(request.since), known, now, {},
                            {1, 1, lasts}, session ? numbers.numberOfFamily(session->statement) : 0},
                true, {}, {}, {}, {}, false, {}, hides ? request.session : SessionId()};
        },
        [this, &snapshot](const Open& open, const LockRequest& request) {
            // A session's lock outlives its transactions, so that a later bound does not make it another one;
            // nor does the bound of a source that has just begun to poll.
            const bool isBound =
                m_isSameSource && (request.isWaiting() || !mayOutliveTransaction(snapshot, request));
            const bool isExact = open.interval.fromExact && request.sinceExact;
            const bool isLater = request.since && *request.since > open.interval.to;
            return open.interval.waited == request.isWaiting() && !(isLater && (isBound || isExact));
        },
        [&, awaited = std::optional<QSet<qint64>>()](const Open& open) mutable {
            if (!open.unawaited.isValid() || !mayGoOn(open, snapshot))
                return true;
            if (!awaited) {
                awaited.emplace();
                for (const LockRequest& request : snapshot.requests) {
                    if (request.isWaiting())
                        awaited->insert(numbers.numberOf(snapshot.resourceOf(request)));
                }
            }
            return awaited->contains(open.interval.resource); // all that is held there is shown
        });
    const auto isSameGrant = [](const Open& open, const LockTableEntry& entry) {
        return open.acquired == entry.acquiredAt && open.told == entry.told
            && isSameHolder(open.holder, entry.party);
    };
    follow(
        m_entries, snapshot.entries, origins.entries, now, news,
        [&](const LockTableEntry& entry, const Open* was) {
            if (entry.isBad())
                return Open{};
            const bool ended = entry.isStale(now);
            const bool seenBefore = was && isSameGrant(*was, entry);
            // One whose lease ended unseen, or before anybody looked, was held nevertheless.
            if (ended && !seenBefore && isKnown(entry.acquiredAt) && entry.acquiredAt < *entry.expiresAt)
                news.ended.push_back({++m_lastId, numbers.numberOfLockTableName(entry.table, entry.name),
                    numbers.numberOf(entry.party, {}), {}, false, entry.acquiredAt, true, *entry.expiresAt,
                    entry.expiresAt, {}});
            if (ended)
                return Open{{}, false, entry.acquiredAt, entry.party, entry.told};
            // Renewed after its lease had ended: nobody knows since when.
            const bool renewed = seenBefore && !was->counts;
            Open open{
                {0, numbers.numberOfLockTableName(entry.table, entry.name), numbers.numberOf(entry.party, {}),
                    {}, false, renewed ? now : since(entry.acquiredAt), !renewed && isKnown(entry.acquiredAt),
                    now, {}, {1, 1, entry.acquiredAt.isValid()}},
                true, entry.acquiredAt, entry.party, entry.told, {entry.table, entry.name},
                entry.framework && !entry.framework->isAttached()};
            if (open.isOfFramework)
                goOn(open);
            return open;
        },
        [&](Open& open, const LockTableEntry& entry) {
            const bool counts = !entry.isBad() && !entry.isStale(now);
            const bool same = entry.isBad() || isSameGrant(open, entry);
            if (open.counts && same && !entry.isBad() && !counts)
                open.leaseEnd = entry.expiresAt;
            // Another grant of the same name is another interval.
            return open.counts == counts && same;
        },
        [this, &snapshot](const Open& open) {
            // Tables of frameworks are read while somebody looks at what is in them.
            const bool isUnasked = open.isOfFramework && !snapshot.frameworkRows;
            if (isUnasked)
                m_unasked.insert(open.entry, {open, m_polls - 1});
            return !isUnasked;
        });
    if (snapshot.frameworkRows)
        m_unasked.clear();
    follow(
        m_entryWaiters, snapshot.entryWaiters, origins.entryWaiters, now, news,
        [&](const LockTableWaiter& waiter, const Open* was) {
            if (waiter.isBad() || waiter.isExpired(now))
                return Open{};
            const bool known = !was && isKnown(waiter.registeredAt);
            return Open{
                {0, numbers.numberOfLockTableName(waiter.table, waiter.name),
                    numbers.numberOf(waiter.party, {}), {}, true, was ? now : since(waiter.registeredAt),
                    known, now, {}, {1, 1, waiter.registeredAt.isValid()}},
                true, {}, {}, {}};
        },
        [&](Open& open, const LockTableWaiter& waiter) {
            const bool counts = !waiter.isBad() && !waiter.isExpired(now);
            if (open.counts && !waiter.isBad() && !counts)
                open.leaseEnd = waiter.expiresAt;
            return open.counts == counts;
        },
        always);
    return news;
}

/// The grant that was seen before its table was not read for a while was there all the time: what is told of
/// it now begins where that ended.
void LockIntervals::goOn(Open& open)
{
    const auto known = m_unasked.constFind(open.entry);
    if (known == m_unasked.cend())
        return;
    const Open* const before = &known->open;
    if (open.acquired.isValid() && before->acquired == open.acquired && before->told == open.told
        && isSameHolder(before->holder, open.holder)) {
        open.interval.from = before->interval.to;
        open.interval.fromExact = false;
        open.interval.sightings = {2, m_polls - known->lastPoll + 1, true};
    }
}

/// Whether the transaction that had the lock at the last look goes on: then it may have it all the same.
bool LockIntervals::mayGoOn(const Open& open, const Snapshot& snapshot)
{
    const Session* session = snapshot.session(open.unawaited);
    return session
        && (session->state == SessionState::Hidden
            || (session->transactionStarted && *session->transactionStarted <= open.interval.to));
}

/// What was there and is not seen any more is gone only if it would have been seen.
void LockIntervals::noteWhatIsHidden(const Snapshot& snapshot)
{
    bool hides = false;
    // Another source begins to count anew: it may have been told to look for less.
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
    for (Rows* rows : {&m_requests, &m_entries, &m_entryWaiters}) {
        for (Open& row : *rows) {
            if (row.counts)
                all.push_back(std::move(row.interval));
        }
        rows->clear();
    }
    m_unasked.clear();
    return all;
}

} // namespace lockscope::record
